"""Random indices, chains of views and in-place sequences, run on both libraries side by side."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import autogradlab
from tests.conftest import need
from tests.ops.test_snippets import made, rounded

pytestmark = pytest.mark.parity
shapes = st.lists(st.integers(0, 4), min_size=0, max_size=3).map(tuple)
numbers = st.integers(-5, 5)
slices = st.builds(slice, st.none() | numbers, st.none() | numbers, st.none() | st.integers(1, 3))
basic = numbers | slices | st.just(Ellipsis) | st.none()
lists = st.lists(st.integers(-3, 3), min_size=0, max_size=4)
masks = st.lists(st.booleans(), min_size=1, max_size=4)
entries = basic | lists.map(lambda v: ("index", v)) | masks.map(lambda v: ("mask", v)) | st.booleans()
indices = entries | st.lists(entries, max_size=4).map(tuple).filter(lambda index: sum(e is Ellipsis for e in index) < 2)


def real(lib: Any, index: Any) -> Any:
    """An index with tensors of a library in it."""
    if isinstance(index, tuple) and len(index) == 2 and isinstance(index[0], str):
        return lib.from_numpy(np.array(index[1], bool if index[0] == "mask" else np.int64))
    return tuple(real(lib, e) for e in index) if isinstance(index, tuple) else index


def layout(t: Any) -> Any:
    if not t.numel():
        return tuple(t.shape)
    steps = tuple(s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1)
    return tuple(t.shape), steps, t.storage_offset()


def seen(t: Any) -> Any:
    node = t.grad_fn
    return (
        layout(t),
        str(t.dtype),
        t._is_view(),
        t.requires_grad,
        t._version,
        node and node.name(),
        rounded(t.detach().tolist()),
    )


def both(action: Any) -> tuple[Any, Any]:
    """What an action gives in autogradlab and in torch: a value, or the kind of error and its text."""
    results = []
    for lib in (autogradlab, need("torch")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results.append(action(lib))
            except Exception as error:
                results.append((type(error).__name__, str(error)))
    return results[0], results[1]


def gradient(lib: Any, outs: list[Any], leaf: Any) -> Any:
    outs = [o for o in outs if o.requires_grad]
    if not outs:
        return None
    waves = [lib.from_numpy(np.cos(np.arange(o.numel(), dtype=np.float32)).reshape(tuple(o.shape))) for o in outs]
    (g,) = lib.autograd.grad(outs, [leaf], waves, allow_unused=True)
    return None if g is None else rounded(g.tolist())


@settings(max_examples=300)
@given(shapes, indices, st.booleans())
def test_getitem(shape: tuple[int, ...], index: Any, flipped: bool):
    def read(lib: Any) -> Any:
        leaf = made(lib, shape).requires_grad_()
        source = leaf.permute(tuple(range(len(shape) - 1, -1, -1))) if flipped else leaf * 1
        result = source[real(lib, index)]
        return seen(result), gradient(lib, [result], leaf)

    ours, theirs = both(read)
    assert ours == theirs


@settings(max_examples=300)
@given(shapes, indices, st.sampled_from(["number", "tensor", "row"]), st.booleans())
def test_setitem(shape: tuple[int, ...], index: Any, kind: str, grad: bool):
    def write(lib: Any) -> Any:
        leaf = made(lib, shape).requires_grad_(grad)
        target = leaf * 1
        other = target.view(-1) if target.numel() else target
        value = {"number": 7.0, "tensor": lib.tensor(3.0), "row": lib.tensor([9.0])}[kind]
        target[real(lib, index)] = value
        return seen(target), seen(other), gradient(lib, [target, other], leaf)

    ours, theirs = both(write)
    assert ours == theirs


dims = st.integers(-4, 3)
steps = st.one_of(
    st.tuples(st.just("transpose"), dims, dims),
    st.tuples(st.just("unsqueeze"), dims),
    st.tuples(st.just("squeeze"), dims),
    st.tuples(st.just("select"), dims, st.integers(-2, 2)),
    st.tuples(st.just("narrow"), dims, st.integers(-1, 2), st.integers(0, 2)),
    st.tuples(st.just("flatten"), dims, dims),
    st.tuples(st.just("view"), st.sampled_from([(-1,), (2, -1), (-1, 1, 2)])),
    st.tuples(st.just("reshape"), st.sampled_from([(-1,), (3, -1), (1, -1, 2)])),
    st.tuples(st.just("unfold"), dims, st.just(2), st.just(1)),
    st.tuples(st.just("diagonal"), st.integers(-2, 2), dims, dims),
    st.tuples(st.just("expand"), st.just((2, 3, 4))),
    st.tuples(st.just("movedim"), dims, dims),
    st.tuples(st.just("contiguous")),
    st.tuples(st.just("flip"), dims),
    st.tuples(st.just("roll"), st.integers(-2, 2), dims),
    st.tuples(st.just("chunk"), st.just(2), dims),
)


@settings(max_examples=300)
@given(shapes, st.lists(steps, max_size=5))
def test_chains_of_views(shape: tuple[int, ...], chain: list[tuple[Any, ...]]):
    def walk(lib: Any) -> Any:
        leaf = made(lib, shape).requires_grad_()
        t = leaf * 1
        base = t
        trail = []
        for name, *args in chain:
            t = getattr(t, name)(*args)
            t = t[0] if isinstance(t, tuple) else t
            trail.append(
                (
                    seen(t),
                    t._base is base,
                    t.untyped_storage().data_ptr() == base.untyped_storage().data_ptr()
                    if t.numel() and base.numel()
                    else None,
                )
            )
        return trail, gradient(lib, [t], leaf)

    ours, theirs = both(walk)
    assert ours == theirs


changes = st.one_of(
    st.tuples(st.just("mul_"), st.just(2.0)),
    st.tuples(st.just("add_"), st.just(1.0)),
    st.tuples(st.just("zero_")),
    st.tuples(st.just("fill_"), st.just(3.0)),
    st.tuples(st.just("t_")),
    st.tuples(st.just("unsqueeze_"), st.integers(-1, 1)),
    st.tuples(st.just("squeeze_")),
    st.tuples(st.just("tril_")),
    st.tuples(st.just("copy_"), st.just("row")),
    st.tuples(st.just("index_fill_"), st.just(0), st.just("index"), st.just(5.0)),
)
views = st.sampled_from(
    ["t[0]", "t[1:]", "t.t()", "t[:, 0]", "t.view(-1)", "t[...]", "t.unbind()[0]", "t.detach()", "t.diagonal()"]
)


@settings(max_examples=200)
@given(st.booleans(), st.lists(views, max_size=3), st.lists(st.tuples(st.integers(0, 3), changes), max_size=4))
def test_changes_in_place(grad: bool, looks: list[str], acts: list[tuple[int, tuple[Any, ...]]]):
    def play(lib: Any) -> Any:
        leaf = made(lib, (3, 4)).requires_grad_(grad)
        family = [leaf * 1]
        for look in looks:
            family.append(eval(look, {"t": family[0]}))
        values = {"row": lib.tensor([8.0]), "index": lib.tensor([0])}
        for who, (name, *args) in acts:
            getattr(family[who % len(family)], name)(*(values.get(a, a) if isinstance(a, str) else a for a in args))
        return [seen(t) for t in family], gradient(lib, family, leaf)

    ours, theirs = both(play)
    assert ours == theirs
