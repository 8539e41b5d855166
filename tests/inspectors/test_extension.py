"""The extension of IPython: the traceback stays as it is, and below it the explanation is offered,
if somebody wants it."""

from __future__ import annotations

import re
from typing import Any

import pytest

FAILING = ["w = torch.ones(2)", "w.sum().backward()"]


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What is displayed below cells."""
    pytest.importorskip("IPython")
    import IPython.display

    found: list[Any] = []
    monkeypatch.setattr(IPython.display, "display", found.append)
    return found


def traceback_of(shell: Any, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    shell.run_cell(FAILING[1], store_history=False)
    return re.sub(r"\x1b\[[\d;]*m|(?<=In\[)\d+", "", capsys.readouterr().out)


def test_off_until_it_is_switched_on(torch: Any, shell: Any, shown: list[Any], capsys: pytest.CaptureFixture[str]):
    shell.run(FAILING[0])
    before = traceback_of(shell, capsys)
    assert "RuntimeError: element 0 of tensors does not require grad" in before
    assert shown == []
    shell.run_line_magic("load_ext", "autogradlab")
    assert traceback_of(shell, capsys) == before
    (offered,) = shown
    assert offered.text.splitlines()[:3] == [
        "What this RuntimeError means here",
        "`w.sum()` was computed from `w`, which does not require grad: requires_grad=True was forgotten.",
        "Write instead: `w = torch.ones(2, requires_grad=True)`",
    ]
    shell.run_line_magic("load_ext", "autogradlab")  # once more changes nothing
    shell.run_cell("1 / 0")  # no error of autograd
    shell.run("w * 2")
    assert len(shown) == 1
    shell.run_line_magic("unload_ext", "autogradlab")
    assert traceback_of(shell, capsys) == before
    assert len(shown) == 1
    assert shell.left_behind() == []


def test_explain_switches(torch: Any, shell: Any, shown: list[Any], capsys: pytest.CaptureFixture[str]):
    shell.run("from autogradlab import inspectors as lab\n" + FAILING[0])
    shell.run_cell(FAILING[1], store_history=True)
    card = shell.run("lab.explain()")
    assert "requires_grad=True was forgotten" in card.text
    shell.run_cell(FAILING[1], store_history=True)
    assert [c.text.splitlines()[1] for c in shown] == [card.text.splitlines()[1]]
    assert "No explanations are offered from now on." in shell.run("lab.explain(False)").text
    shell.run_cell(FAILING[1], store_history=True)
    assert len(shown) == 1
    assert shell.left_behind() == []


def test_what_is_offered_is_stable(torch: Any, shell: Any, shown: list[Any], capsys: pytest.CaptureFixture[str]):
    """Two runs of the same cells show the same text: no addresses, no file names of the kernel."""
    shell.run_line_magic("load_ext", "autogradlab")
    for _ in range(2):
        shell.run_cell("w = torch.ones(2)\nw.sum().backward()", store_history=False)
    first, second = (card.text for card in shown)
    assert first == second
    assert "0x" not in first
    assert ".py" not in first
    shell.run_line_magic("unload_ext", "autogradlab")


def test_a_fault_of_ours_is_one_line(
    torch: Any, shell: Any, shown: list[Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    from autogradlab.inspectors.cards import why

    def broken(error: BaseException) -> None:
        raise KeyError("nothing")

    monkeypatch.setattr(why, "one_line", broken)
    shell.run_line_magic("load_ext", "autogradlab")
    shell.run_cell("1 / 0")
    assert capsys.readouterr().err == "lab.explain: KeyError: 'nothing'\n"
    shell.run_line_magic("unload_ext", "autogradlab")
