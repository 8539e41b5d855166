"""What modes and classes with `__torch_dispatch__` are told, and that nothing is told that PyTorch would not tell."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

import autogradlab
from autogradlab.core.tensor.dispatching import Unseen
from autogradlab.utils._python_dispatch import TorchDispatchMode
from autogradlab.utils.flop_counter import FlopCounterMode
from tests.conftest import ROOT

sys.path.append(str(ROOT / "tools"))
import traces

KNOWN = frozenset(traces.LIST.read_text(encoding="utf-8").split())


@pytest.mark.parity
def test_programs_tell_what_pytorch_tells(torch: Any) -> None:
    wrong, refused = [], 0
    programs = list(traces.of_programs())
    for what, make in programs:
        theirs = traces.trace(torch, make(torch))
        if theirs[1]:
            continue
        ours = traces.trace(autogradlab, make(autogradlab))
        if ours[1].startswith("Unseen"):
            refused += 1
        elif ours != theirs:
            wrong.append((what, ours, theirs))
    assert wrong == []
    assert refused < len(programs) / 3


def test_the_list_has_what_programs_are_made_of() -> None:
    assert {"add", "mul", "nn.functional.linear", "backward", "MulBackward0", "AddmmBackward0"} <= KNOWN
    assert len(KNOWN) > 500


class Telling(TorchDispatchMode):
    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.told.append(str(func))
        return func(*args, **(kwargs or {}))


def test_what_is_not_known_is_refused() -> None:
    x = autogradlab.ones(2, 2)
    with Telling() as mode, pytest.raises(Unseen, match="cannot tell a mode with __torch_dispatch__"):
        autogradlab.linalg.matrix_exp(x)
    assert mode.told == []
    with Telling(), pytest.raises(Unseen, match="out="):
        autogradlab.add(x, x, out=x)


def test_composites_are_told_as_what_they_consist_of() -> None:
    x, w = autogradlab.ones(2, 3), autogradlab.ones(4, 3, requires_grad=True)
    with Telling() as mode:
        autogradlab.nn.functional.linear(x, w, autogradlab.ones(4)).sum().backward()
    assert mode.told[:3] == ["aten.ones.default", "aten.t.default", "aten.addmm.default"]
    assert "aten.mm.default" in mode.told


def test_a_table_of_counts() -> None:
    layer = autogradlab.nn.Linear(4, 3)
    with FlopCounterMode(display=False) as counter:
        layer(autogradlab.ones(2, 4))
    assert counter.get_total_flops() == 48
    header, rule, *rows = counter.get_table().split("\n")
    assert header.split() == ["Module", "FLOP", "%", "Total"]
    assert {*rule} == {"-", " "}
    assert [row.split() for row in rows] == [["Linear", "48.000", "100.00%"], ["-", "aten.addmm", "48.000", "100.00%"]]


def test_what_runs_without_operators_is_refused_to_who_hears_all() -> None:
    layer = autogradlab.nn.Linear(2, 1)
    layer(autogradlab.ones(1, 2)).sum().backward()
    weight, step = layer.weight.tolist(), autogradlab.optim.Adam(layer.parameters()).step
    with Telling():
        for call in (step, lambda: autogradlab.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)):
            with pytest.raises(NotImplementedError, match=r"tell it of (steps of opt|many gradients)"):
                call()
    assert layer.weight.tolist() == weight
    with FlopCounterMode(display=False) as counter:
        step()
    assert counter.get_total_flops() == 0 and layer.weight.tolist() != weight


def wrapping(lib: Any, told: list[str]) -> Any:
    """A class of tensors that hold another one and tell what they are asked."""

    class Wrapper(lib.Tensor):  # type: ignore[misc,name-defined]
        elem: Any

        @staticmethod
        def __new__(cls: Any, elem: Any, requires_grad: bool = False) -> Any:
            options = {"dtype": elem.dtype, "layout": elem.layout, "device": elem.device}
            made = lib.Tensor._make_wrapper_subclass(
                cls, elem.size(), strides=elem.stride(), requires_grad=requires_grad, **options
            )
            made.elem = elem
            return made

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            told.append(f"{func} {[t.__name__ for t in types]}")
            given = [a.elem if isinstance(a, cls) else a for a in args]
            result = func(*given, **(kwargs or {}))
            return cls(result) if isinstance(result, lib.Tensor) else result

    return Wrapper


def use_wrapper(lib: Any) -> list[str]:
    """What a tensor whose class holds the contents is asked, and gives."""
    told: list[str] = []
    t = wrapping(lib, told)(lib.arange(6.0).reshape(2, 3), requires_grad=True)
    told += [str((tuple(t.shape), str(t.device), str(t.dtype), t.stride(), t.requires_grad, t.is_leaf))]
    u = (t * 2).exp().sum()
    told += [type(u).__name__, u.grad_fn.name()]
    u.backward()
    told += [type(t.grad).__name__, str(t.grad.elem)]
    v = t.detach()
    told += [str(v.add_(1) is v), str(v.elem), str(v._version)]
    told += [str(v[0].elem), str(v.view(3, 2).t().shape), str(v.sum().item()), str(bool(v.sum() > 0))]
    told += [str(lib.add(lib.ones(3), v).elem)]
    for wrong in (v.tolist, v.numpy, lambda: lib.Tensor._make_wrapper_subclass(lib.Tensor, (2,))):
        with pytest.raises((RuntimeError, TypeError)) as error:
            wrong()
        told.append(str(error.value))
    return told


@pytest.mark.parity
def test_classes_are_told_what_pytorch_tells(torch: Any) -> None:
    assert use_wrapper(autogradlab) == use_wrapper(torch)


def test_classes_hold_the_contents() -> None:
    told = use_wrapper(autogradlab)
    assert "aten.mul.Tensor ['Wrapper']" in told and "aten.add_.Tensor ['Wrapper']" in told


def after_a_class(lib: Any) -> list[str]:
    """What leaves get while there are classes that are asked, though no tensor of the program is of one."""
    wrapping(lib, [])
    told = []
    seed = lib.ones(3)
    x = lib.arange(3.0, requires_grad=True)
    y = x * 2
    y.backward(seed, retain_graph=True)
    first = x.grad
    told += [str((first, first._version, first is seed))]
    y.backward(seed)
    told += [str((first, x.grad is first, first._version))]
    y = x * 2
    y.backward(seed, create_graph=True)
    told += [str((first, x.grad is first, x.grad))]
    t = lib.ones(3, requires_grad=True)
    leaf = t.view_as(t).grad_fn.next_functions[0][0]
    kept: list[Any] = []
    t.register_hook(lambda grad: kept.append(grad))
    t.register_post_accumulate_grad_hook(lambda t: kept.append(str(t.grad.add_(0.5))))
    leaf.register_prehook(lambda grads: (grads[0] / 5,))
    leaf.register_hook(lambda inputs, grads: kept.append(grads[0] * 10))
    t.sum().backward()
    told += [str((t.grad, kept))]
    z = lib.ones(2, requires_grad=True)
    z.register_hook(lambda grad: kept.append(grad))
    (z * 2).sum().backward()
    told += [str(z.grad.data_ptr() == kept[-1].data_ptr()), str(z.grad._version)]
    return told


@pytest.mark.parity
@pytest.mark.filterwarnings("ignore:Using backward")
def test_plain_leaves_accumulate_in_place_beside_classes(torch: Any) -> None:
    assert after_a_class(autogradlab) == after_a_class(torch)


def asked_below(lib: Any) -> list[str]:
    """What a class is asked that leaves functions to its `__torch_dispatch__` by the function that does so."""
    told: list[str] = []

    class Below(lib.Tensor):  # type: ignore[misc,name-defined]
        __torch_function__ = lib._C._disabled_torch_function_impl

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            told.append(f"{func} {[t.__name__ for t in types]}")
            return lib.zeros(1)

    t = lib.Tensor._make_wrapper_subclass(Below, (2,))
    told += [str((t + 1, lib.sin(t), Below.__torch_function__ is t.__torch_function__))]
    return told


@pytest.mark.parity
def test_a_class_may_leave_functions_to_its_dispatch(torch: Any) -> None:
    assert asked_below(autogradlab) == asked_below(torch)


def paired(lib: Any) -> Any:
    """A class of tensors that hold two, with the help of `torch.utils._python_dispatch`."""
    tools = importlib.import_module(f"{lib.__name__}.utils._python_dispatch")

    class Pair(lib.Tensor):  # type: ignore[misc,name-defined]
        a: Any
        b: Any

        @staticmethod
        def __new__(cls: Any, a: Any, b: Any, size: Any = None, stride: Any = None) -> Any:
            options = {"dtype": a.dtype, "layout": a.layout, "device": a.device, "requires_grad": a.requires_grad}
            made = lib.Tensor._make_wrapper_subclass(
                cls, size or a.size(), strides=stride or a.stride(), storage_offset=a.storage_offset(), **options
            )
            made.a, made.b = a, b
            return made

        def __tensor_flatten__(self) -> Any:
            return ["a", "b"], None

        @staticmethod
        def __tensor_unflatten__(parts: Any, context: Any, size: Any, stride: Any) -> Any:
            return Pair(parts["a"], parts["b"], size, stride)

        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            results = []
            for part in "ab":
                given = [getattr(x, part) if isinstance(x, cls) else x for x in args]
                results.append(func(*given, **(kwargs or {})))
            a, b = results
            many = isinstance(a, (list, tuple))
            out = [cls(*two) for two in zip(a, b, strict=True)] if many else cls(a, b)
            return tools.return_and_correct_aliasing(func, args, kwargs or {}, out)

    return Pair, tools


def use_pair(lib: Any) -> list[str]:
    """What the results of a class share with its arguments."""
    kind, tools = paired(lib)
    x = kind(lib.zeros(2, 3), lib.ones(2, 3))
    told = [str([tools.is_traceable_wrapper_subclass(t) for t in (x, lib.ones(1), kind, 3)])]
    told += [str([tools.is_traceable_wrapper_subclass_type(t) for t in (kind, lib.Tensor, int)])]
    memory = x.untyped_storage()._cdata
    views = [x.view(-1), x[1], x.t(), x.detach(), *x.split(1)]
    told += [str([(v.untyped_storage()._cdata == memory, v.storage_offset(), v.stride()) for v in views])]
    told += [str((x.add_(1) is x, x._version, views[0]._version, views[0].b, x._is_view()))]
    twice = tools.transform_subclass(x, lambda name, t: t * (2 if name == "a" else 3))
    told += [str((type(twice).__name__, twice.a, twice.b))]
    return told


@pytest.mark.parity
def test_results_of_a_class_lie_where_pytorch_lays_them(torch: Any) -> None:
    assert use_pair(autogradlab) == use_pair(torch)


def test_results_of_a_class_lie_in_the_memory_of_its_tensor() -> None:
    assert "[(True, 0, (1,)), (True, 3, (1,))" in use_pair(autogradlab)[2]
