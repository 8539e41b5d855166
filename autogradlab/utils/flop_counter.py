"""How many floating point operations products and convolutions take (mirrors `torch.utils.flop_counter`)."""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from ..core.tensor.tensor import Tensor
from ..ops.operators.namespaces import namespace
from ..ops.operators.overloads import OpOverloadPacket
from ._python_dispatch import TorchDispatchMode
from ._pytree import tree_map
from .module_tracker import ModuleTracker

__all__ = ["FlopCounterMode", "register_flop_formula"]

_ATEN = namespace("aten")
#: the formula of each operator that is counted
flop_registry: dict[Any, Callable[..., int]] = {}
_SUFFIXES = ("", "K", "M", "B", "T")
Shape = Sequence[int]


def get_shape(i: Any) -> Any:
    """The sizes of a tensor; anything else as it is."""
    return i.shape if isinstance(i, Tensor) else i


def shape_wrapper(f: Callable[..., int]) -> Callable[..., int]:
    """A formula of sizes as one of tensors."""

    @wraps(f)
    def of_tensors(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        sizes, named, out = tree_map(get_shape, (args, kwargs, out_val))
        return f(*sizes, out_shape=out, **named)

    return of_tensors


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Decorator for the formula of an operator, or of several: it gets sizes for the tensors of a call, and those of
    what the call gave as `out_shape`; with get_raw=True the tensors, and `out_val`.

    Errors: ValueError for what is no operator, RuntimeError for one that has a formula.

    Mirrors `torch.utils.flop_counter.register_flop_formula`.
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        kept = formula if get_raw else shape_wrapper(formula)
        for target in targets if isinstance(targets, (list, tuple)) else (targets,):
            if not isinstance(target, OpOverloadPacket):
                raise ValueError(
                    "register_flop_formula(targets): expected each target to be OpOverloadPacket (i.e. "
                    f"torch.ops.mylib.foo), JitFunction, or HigherOrderOperator, got {target} which is of type "
                    f"{type(target)}"
                )
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = kept
        return kept

    return register


@register_flop_formula(_ATEN.mm)
def mm_flop(a_shape: Shape, b_shape: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """A product of matrices: two operations for each pair of elements that meet."""
    m, k = a_shape
    inner, n = b_shape
    if k != inner:
        raise AssertionError(f"matmul: inner dimensions must match (k == k2), got {k} and {inner}")
    return m * n * 2 * k


@register_flop_formula(_ATEN.addmm)
def addmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """The same; what is added does not count."""
    return mm_flop(a_shape, b_shape)


@register_flop_formula(_ATEN.bmm)
def bmm_flop(a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """Products of matrices in a batch."""
    batch, m, k = a_shape
    other, inner, n = b_shape
    if batch != other:
        raise AssertionError(f"bmm: batch dimensions must match (b == b2), got {batch} and {other}")
    if k != inner:
        raise AssertionError(f"bmm: inner dimensions must match (k == k2), got {k} and {inner}")
    return batch * m * n * 2 * k


@register_flop_formula(_ATEN.baddbmm)
def baddbmm_flop(self_shape: Shape, a_shape: Shape, b_shape: Shape, out_shape: Any = None, **kwargs: Any) -> int:
    """The same; what is added does not count."""
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """A convolution: two operations for each element of the kernel, wherever the kernel is laid on."""
    places = (x_shape if transposed else out_shape)[2:]
    return math.prod(places) * math.prod(w_shape) * x_shape[0] * 2


@register_flop_formula(_ATEN.convolution)
def conv_flop(
    x_shape: Shape,
    w_shape: Shape,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    *args: Any,
    out_shape: Any = None,
    **kwargs: Any,
) -> int:
    """A convolution; the bias does not count."""
    return conv_flop_count(x_shape, w_shape, out_shape, transposed=transposed)


def _turned(shape: Shape) -> Shape:
    return [shape[1], shape[0], *shape[2:]]


@register_flop_formula(_ATEN.convolution_backward)
def conv_backward_flop(
    grad_out_shape: Shape,
    x_shape: Shape,
    w_shape: Shape,
    _bias: Any,
    _stride: Any,
    _padding: Any,
    _dilation: Any,
    transposed: bool,
    _output_padding: Any,
    _groups: Any,
    output_mask: Sequence[bool],
    out_shape: Any,
    **kwargs: Any,
) -> int:
    """The gradients of a convolution, which are convolutions: the transposed one of the gradient with the weight, and
    one of input and gradient, with channels and batch exchanged."""
    total = 0
    if output_mask[0]:
        total += conv_flop_count(grad_out_shape, w_shape, get_shape(out_shape[0]), not transposed)
    if output_mask[1]:
        pair = (grad_out_shape, x_shape) if transposed else (x_shape, grad_out_shape)
        total += conv_flop_count(_turned(pair[0]), _turned(pair[1]), _turned(get_shape(out_shape[1])))
    return total


def _suffix(number: int) -> int:
    """In what a number is shown: as many thousands as leave it four digits at least."""
    return max(0, min(len(_SUFFIXES) - 1, (len(str(number)) - 2) // 3))


def _percent(number: int, whole: int) -> str:
    return "0%" if whole == 0 else f"{number / whole:.2%}"


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns under a rule; the first to the left, the others to the right."""
    widths = [max(map(len, column), default=0) for column in zip(header, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        first, *others = cells
        return "  ".join([first.ljust(widths[0]), *(c.rjust(w) for c, w in zip(others, widths[1:], strict=True))])

    return "\n".join([line(header), "  ".join("-" * w for w in widths), *map(line, rows)])


class FlopCounterMode:
    """A context that counts the operations of products and convolutions, by Module and by operator, forwards and
    backwards; at its end it prints a table.

    depth: how many levels of Modules the table has. custom_mapping: formulas of further operators.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.utils.flop_counter import FlopCounterMode
        >>> with FlopCounterMode(display=False) as counter:
        ...     _ = torch.nn.Linear(4, 3)(torch.ones(2, 4))
        ...
        >>> counter.get_total_flops()
        48

    Mirrors `torch.utils.flop_counter.FlopCounterMode`.
    """

    def __init__(
        self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None
    ) -> None:
        if mods is not None:
            warnings.warn("mods argument is not needed anymore, you can stop passing it", stacklevel=2)
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        self.mode: _Counting | None = None
        own = {op: f if getattr(f, "_get_raw", False) else shape_wrapper(f) for op, f in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **own}
        self.mod_tracker = ModuleTracker()

    def get_total_flops(self) -> int:
        """How many operations there were."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """The same by Module, and for each by operator."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def _rows(self, name: str, depth: int) -> list[list[str]]:
        counts, whole, padding = self.flop_counts[name], self.get_total_flops(), " " * depth
        place = _suffix(whole)
        lines = [(padding + name, sum(counts.values())), *((f"{padding} - {op}", n) for op, n in counts.items())]
        return [[text, f"{n / 1000**place:.3f}{_SUFFIXES[place]}", _percent(n, whole)] for text, n in lines]

    def get_table(self, depth: int | None = None) -> str:
        """The table as a text, of Modules up to a depth."""
        depth = self.depth if depth is None else depth
        whole = self.get_total_flops()
        rows: list[list[str]] = []
        contained = False
        for name in sorted(self.flop_counts):
            level = name.count(".")
            if name != "Global" and (depth is None or level < depth):
                contained |= sum(self.flop_counts[name].values()) >= whole
                rows += self._rows(name, level)
        if "Global" in self.flop_counts and not contained:
            rows = self._rows("Global", 0) + [[" " + row[0], *row[1:]] for row in rows]
        return _table(["Module", "FLOP", "% Total"], rows or [["Global", "0", "0%"]])

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.mod_tracker.__enter__()
        self.mode = _Counting(self)
        self.mode.__enter__()
        return self

    def __exit__(self, *args: object) -> None:
        assert self.mode is not None
        self.mode.__exit__(*args)
        self.mode = None
        self.mod_tracker.__exit__()
        if self.display:
            print(self.get_table(self.depth))

    def _count_flops(self, packet: Any, out: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if packet in self.flop_registry:
            count = self.flop_registry[packet](*args, **kwargs, out_val=out)
            for parent in set(self.mod_tracker.parents):
                self.flop_counts[parent][packet] += count
        return out


class _Counting(TorchDispatchMode):
    #: whether it misses operators that it is not told of: those of optimizers have no formula
    _hears_all = False

    def __init__(self, counter: FlopCounterMode) -> None:
        super().__init__()
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        named = kwargs or {}
        return self.counter._count_flops(func._overloadpacket, func(*args, **named), args, named)
