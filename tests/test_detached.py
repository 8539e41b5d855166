"""detach_() on a tensor that was saved: what PyTorch's rules for saved tensors say of it."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

LIBRARIES = ["autogradlab", pytest.param("torch", marks=pytest.mark.parity)]
REFUSED = "Trying to use a saved tensor that has been detached in-place"
MODIFIED = "has been modified by an inplace operation"

#: an input that was a result when it was saved has lost its history, and with it its place in the graph
LOST = (
    "y = x.sin(); x.detach_(); y.sum().backward()",
    "y = x.sin(); x.detach_(); torch.autograd.grad(y.sum(), w)",
    "y = x.sin(); x.detach_(); torch.autograd.grad(y.sum(), w, create_graph=True)",
    "y = x.sin(); x.detach_(); y.grad_fn(torch.ones(3))",
    "y = x.sin(); x.detach_(); y.grad_fn._raw_saved_self.unpack()",
    "y = x.sin(); x.detach_().requires_grad_(); y.sum().backward()",
    "y = x.sin(); x.detach_(); x.mul_(2); y.sum().backward()",
    "y = x.sin(); x.mul_(w); x.detach_(); y.sum().backward()",
    "y = x.sin(); x.detach_(); x.mul_(w); x.detach_(); y.sum().backward()",
    "y = x * x; x.detach_(); y.sum().backward()",
    "y = x * w; x.detach_(); y.sum().backward()",
    "y = w / x; x.detach_(); y.sum().backward()",
    "y = torch.addcmul(w, x, w); x.detach_(); y.sum().backward()",
    "y = torch.cat([x, w]).sin().sum() + x.cumprod(0).sum(); x.detach_(); y.backward()",
    "b = w * 3; b[:].mul_(x); x.detach_(); b.sum().backward()",
    "y = x.sin(); y.register_hook(lambda g: g); x.detach_(); y.sum().backward()",
    "y = x.sin()\nwith torch.no_grad(): x.detach_()\ny.sum().backward()",
)
#: the history is packed, or not asked for, or still there, or never was
KEPT = (
    "y = x.exp(); x.detach_(); y.sum().backward()",
    "y = w.exp(); f = y.grad_fn; y.detach_(); assert f._saved_result.grad_fn is f",
    "y = x * 2; x.detach_(); y.sum().backward()",
    "y = x.sin(); x.detach_(); assert y.grad_fn._saved_self is x",
    "y = w.sin(); w.detach_(); y.sum().backward()",
    "y = Square.apply(x); x.detach_(); y.sum().backward()",
    "y = x[:2].sin(); x.detach_(); y.sum().backward()",
    "x.detach_(); y = x.sin() * w; y.sum().backward()",
    "x.detach_(); (x * w).sum().backward()",
    "y = x.sin() + w; x.detach_(); y.sum().backward(inputs=[y0])",
    "y = x.sin()\nwith torch.inference_mode(): x.detach_()\ny.sum().backward()",
    "with torch.autograd.graph.saved_tensors_hooks(keep, keep): y = x.sin()\nx.detach_(); y.sum().backward()",
)
#: what was changed after it had been saved, and was a leaf then, or has a history again
CHANGED = (
    "y = x.sin(); x.detach_(); x.mul_(w); y.sum().backward()",
    "x = torch.ones(3); y = x * w; x.mul_(w); x.detach_(); y.sum().backward()",
)


def run(library: str, source: str) -> Any:
    torch = importlib.import_module(library)

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            assert x.grad_fn is None
            return grad * 2 * x

    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    z = w.sin().sum()
    y0 = torch.ones(1, requires_grad=True)
    exec(source, {"torch": torch, "w": w, "x": w * 2, "y0": y0, "z": z, "Square": Square, "keep": lambda t: t})
    return w.grad


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", LOST)
def test_a_saved_result_that_was_detached_is_refused(source: str, library: str):
    with pytest.raises(RuntimeError, match=REFUSED):
        run(library, source)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", KEPT)
def test_what_does_not_need_the_history_goes_on(source: str, library: str):
    run(library, source)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("source", CHANGED)
def test_what_was_changed_is_refused_as_such(source: str, library: str):
    with pytest.raises(RuntimeError, match=MODIFIED):
        run(library, source)


def test_nothing_is_kept_of_tensors_that_are_gone():
    import autogradlab as torch
    from autogradlab.core.recording.detached import DETACHED

    before = len(DETACHED)
    x = torch.ones(2, requires_grad=True) * 2
    x.detach_()
    x.detach_()
    torch.ones(2, requires_grad=True).detach_()
    assert len(DETACHED) == before + 1
    del x
    assert len(DETACHED) == before
