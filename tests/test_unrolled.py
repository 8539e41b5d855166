"""Copies of small functions where a call would cost too much: they are fresh, and change nothing."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import unroll

#: programs that go each of the ways, and what they leave behind: values, versions, edges, what Nodes save
PROGRAM = """
import sys
import autogradlab as torch

def leaf(*size, **options):
    return torch.arange(float(torch.Size(size).numel())).view(*size).add(0.5).requires_grad_(**options)

def told(value, seen):
    if not isinstance(value, torch.Tensor):
        return repr(value)
    fields = [value.tolist(), value.dtype, value.stride(), value.is_leaf, value.output_nr]
    fields += [] if value.is_inference() else [value._version]
    fields += [value.requires_grad, value._is_view(), value._base is None, value.is_inference(), value.storage_offset()]
    return f"{fields} {node(value.grad_fn, seen)}"

def node(fn, seen):
    if fn is None:
        return "-"
    if fn in seen:
        return f"#{seen.index(fn)}"
    seen.append(fn)
    saved = [f"{n}: {told(getattr(fn, n), seen)}" for n in dir(fn) if n.startswith("_saved_")]
    number = fn._sequence_nr() if fn.name().endswith("AccumulateGrad") else "n"
    edges = [(node(f, seen), nr) for f, nr in fn.next_functions]
    return f"{fn.name()} {number} {fn._input_metadata[0].shape} {saved} {edges}"

a, b, m = leaf(3), leaf(3), leaf(2, 3)
c, k = torch.ones(3), torch.tensor([1, 2, 3])
WAYS = [
    lambda: a * b, lambda: a * c, lambda: c * a, lambda: a + b, lambda: a * 2.0, lambda: k * 2.5, lambda: k + 1,
    lambda: a.exp(), lambda: torch.sin(a), lambda: k.exp(), lambda: a.relu(), lambda: a / b, lambda: a < b,
    lambda: a.clone().mul_(b), lambda: (a * 1).add_(2.0), lambda: a.sum(), lambda: m.sum(0), lambda: m.mean(),
    lambda: m.view(3, 2), lambda: m.t(), lambda: m.t()[0], lambda: m[0], lambda: m[:, 1:], lambda: m.unsqueeze(0),
    lambda: (m * 2).view(-1).expand(2, 6), lambda: m.detach().view(6), lambda: m @ a, lambda: m @ m.t(),
    lambda: torch.addmm(torch.zeros(2, 2), m, m.t()), lambda: torch.cat([a, b]), lambda: torch.where(a > 1, a, b),
    lambda: m.unbind()[1], lambda: a.cumsum(0), lambda: m.diagonal(), lambda: k.view(3, 1), lambda: a ** 2,
]

def run(way):
    x = way()
    seen = []
    said = told(x, seen)
    if x.requires_grad and x.grad_fn is not None:
        said += " " + told(torch.autograd.grad(x.sum(), [a, b, m], allow_unused=True)[0], [])
    return said

class Seen:
    def __init__(self): self.count = 0
    def pack(self, t): self.count += 1; return t
    def unpack(self, t): return t

print(torch.__file__, file=sys.stderr)
for i, way in enumerate(WAYS):
    print(i, run(way))
    with torch.no_grad():
        print(told(way(), []))
    with torch.inference_mode():
        print(told(way(), []))
    packs = Seen()
    with torch.autograd.graph.saved_tensors_hooks(packs.pack, packs.unpack):
        print(run(way), packs.count)
    with torch.autograd.detect_anomaly(check_nan=False):
        print(run(way))
"""


def test_the_copies_are_fresh(capsys: pytest.CaptureFixture[str]) -> None:
    assert unroll.main(["--check"]) == 0, capsys.readouterr().out


def test_a_stale_copy_is_found(tmp_path: Path) -> None:
    path = tmp_path / "calls.py"
    path.write_text("    # unrolled: t = wrap(r)\n    t = 0\n    # end\n", encoding="utf-8")
    renewed = unroll.unrolled(path)
    assert "    t._array = r\n" in renewed
    assert "array)" not in renewed
    path.write_text(renewed, encoding="utf-8")
    assert unroll.unrolled(path) == renewed


@pytest.mark.parametrize("statement", ["wrap(r)", "t = wrap(a)(b)", "t = share(a.b, r, None)"])
def test_what_cannot_be_unrolled_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "calls.py"
    path.write_text(f"# unrolled: {statement}\n# end\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"form|times"):
        unroll.unrolled(path)


def test_copies_and_calls_make_the_same_tensors_and_nodes(tmp_path: Path) -> None:
    """The package with calls in place of the copies runs the same programs."""
    shutil.copytree(
        ROOT / "autogradlab", tmp_path / "autogradlab", ignore=shutil.ignore_patterns("__pycache__", "static")
    )
    changed = 0
    for path in unroll.files():
        text = unroll.folded(path)
        assert "_new(" not in text.partition("\ndef ")[2] or path.name == "views.py"
        (tmp_path / path.relative_to(ROOT)).write_text(text, encoding="utf-8")
        changed += 1
    assert changed >= 4
    said = []
    (elsewhere := tmp_path / "elsewhere").mkdir()
    for folder in (ROOT, tmp_path):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM],
            capture_output=True,
            text=True,
            env={"PYTHONPATH": str(folder), "PATH": ""},
            cwd=elsewhere,
        )
        assert done.returncode == 0, done.stderr
        assert Path(done.stderr.strip()).is_relative_to(folder)
        said.append(done.stdout.splitlines())
    assert len(said[0]) > 150
    assert [pair for pair in zip(*said, strict=True) if pair[0] != pair[1]] == []
