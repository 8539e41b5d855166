"""The text of tensors: ``repr``, ``format`` and the print options, letter for letter as in PyTorch.

Everything here reads public attributes only (``shape``, ``dtype``, ``grad_fn``, ``requires_grad``, ``device``) and
takes the values as a NumPy array, so the same code prints tensors of this package and tensors of PyTorch itself.

A tensor is printed in four steps, each a function below:

1. ``_visible``: which elements are shown at all (all of them, or the edges of every dimension);
2. ``_real_cells`` / ``_complex_cells``: each shown number as text, and the column width that they share;
3. ``_body``: the cells set in lines, rows and matrices between brackets;
4. ``tensor_repr``: the class name in front, ``dtype=``, ``grad_fn=`` and so on behind.

Only what is shown decides the number format: a huge number hidden behind ``...`` does not switch to ``1.0e+10``.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

from ..types.dtypes import get_default_dtype

__all__ = [
    "PRINT_OPTS",
    "PrinterOptions",
    "get_printoptions",
    "parameter_repr",
    "printoptions",
    "set_printoptions",
    "size_repr",
    "tensor_format",
    "tensor_repr",
]

_Array = np.ndarray[Any, Any]


# ---------------------------------------------------------------------------------------------------- options


class PrinterOptions(SimpleNamespace):
    """What ``set_printoptions`` can change; the one object in force is ``PRINT_OPTS``."""

    precision: int
    threshold: float
    edgeitems: int
    linewidth: int
    sci_mode: bool | None


PrinterOptions.__name__ = PrinterOptions.__qualname__ = "__PrinterOptions"
PRINT_OPTS: Final = PrinterOptions(precision=4, threshold=1000, edgeitems=3, linewidth=80, sci_mode=None)

# A profile leaves sci_mode alone; set_printoptions itself resets it in every call.
_PROFILES: Final[dict[str, dict[str, Any]]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """How tensors print: digits (precision), how many elements before they are cut (threshold, edgeitems), the
    width of lines, scientific notation (sci_mode), or a profile: 'default', 'short', 'full'.

    Example:
        >>> import autogradlab as torch
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor([1 / 3])
        tensor([0.33])
        >>> torch.set_printoptions(profile='default')

    Mirrors `torch.set_printoptions`.
    """
    chosen = dict(_PROFILES.get(profile, {})) if profile is not None else {}
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    chosen.update((name, value) for name, value in given.items() if value is not None)
    for name, value in chosen.items():
        setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The options in force, as keyword arguments for ``set_printoptions`` (``torch._tensor_str.get_printoptions``).

    >>> get_printoptions()
    {'precision': 4, 'threshold': 1000, 'edgeitems': 3, 'linewidth': 80, 'sci_mode': None}
    """
    return dict(vars(PRINT_OPTS))


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    """``set_printoptions(**options)`` for one ``with`` block (``torch._tensor_str.printoptions``).

    A TypeError names an option that does not exist.

    >>> with printoptions(edgeitems=1):
    ...     get_printoptions()["edgeitems"]
    1
    """
    before = get_printoptions()
    set_printoptions(**options)
    try:
        yield
    finally:
        set_printoptions(**before)


# ------------------------------------------------------------------------------------- 1. which elements are shown


def _visible(array: _Array) -> tuple[_Array, list[int]]:
    """The elements to print, and for each dimension how many stand before its ``...`` (-1: no ``...``)."""
    edge = PRINT_OPTS.edgeitems
    gaps = [-1] * array.ndim
    last = array.ndim - 1
    for axis, length in enumerate(array.shape):
        if length <= 2 * edge:
            continue
        if edge < 0 and axis != last:  # nonsense that set_printoptions lets in: a row still prints, a matrix fails
            raise RuntimeError("stack expects a non-empty TensorList")
        head, tail = range(length)[:edge], range(length)[-edge:]
        gaps[axis] = len(head)
        array = array.take([*head, *tail], axis)
    return array, gaps


# --------------------------------------------------------------------------------------- 2. numbers become text


def _real_cells(values: list[Any], floating: bool) -> tuple[list[str], int]:
    """One text per number, right-justified, and the width of the column."""
    if not floating:
        texts = [str(value) for value in values]
        width = max(map(len, texts), default=1)
        return [text.rjust(width) for text in texts], width

    # Zeros, infinities and nan have no say in notation and width, even where they turn out longer than the column.
    ordinary = [value for value in values if value and math.isfinite(value)]
    if not ordinary:
        return list(map(_whole, values)), 1
    sizes = [abs(value) for value in ordinary]
    low, high = min(sizes), max(sizes)
    scientific = PRINT_OPTS.sci_mode
    if scientific is None:
        scientific = high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4
    write: Callable[[float], str]
    if scientific:
        write = f"{{:.{PRINT_OPTS.precision}e}}".format
    elif all(map(float.is_integer, ordinary)):
        write = _whole
    else:
        write = f"{{:.{PRINT_OPTS.precision}f}}".format
    texts = list(map(write, values))
    deciding = texts if len(ordinary) == len(values) else map(write, ordinary)
    width = max(map(len, deciding))
    return [text.rjust(width) for text in texts], width


def _whole(value: float) -> str:
    """Floats that are all integers: ``1.``; but ``inf`` and ``nan`` get no point."""
    return f"{value:.0f}." if math.isfinite(value) else f"{value:.0f}"


def _complex_cells(array: _Array) -> tuple[list[str], int]:
    """Real and imaginary parts are two columns, each with a notation and width of its own."""
    reals, real_width = _real_cells(array.real.ravel().tolist(), True)
    imags, imag_width = _real_cells(array.imag.ravel().tolist(), True)
    cells = []
    for real, imag in zip(reals, imags, strict=True):
        imag = imag.lstrip()
        cells.append(f"{real}{imag}j" if imag[0] in "+-" else f"{real}+{imag}j")
    return cells, real_width + imag_width + 1


def _cells(array: _Array) -> tuple[list[str], int]:
    kind = array.dtype.kind
    if kind == "c":
        return _complex_cells(array)
    # bfloat16, which NumPy lists as kind "V", is a float too: ml_dtypes gives Python floats
    return _real_cells(array.ravel().tolist(), kind not in "biu")


# --------------------------------------------------------------------------------------- 3. brackets and line breaks


def _body(array: _Array, indent: int) -> str:
    """The part between ``tensor(`` and the suffixes; ``indent`` is the column in which it starts."""
    if array.size == 0:
        return "[]"
    gaps = [-1] * array.ndim
    if array.ndim and array.size > PRINT_OPTS.threshold:
        if not PRINT_OPTS.edgeitems:
            return "[...]"
        array, gaps = _visible(array)
    cells, width = _cells(array)
    if array.ndim == 0:
        return cells[0]

    # Rows first ...
    column = indent + array.ndim - 1
    per_line = max(1, math.floor((PRINT_OPTS.linewidth - column) / (width + 2)))
    line_break = ",\n" + " " * (column + 1)
    length, gap = array.shape[-1], gaps[-1]
    parts = []
    for start in range(0, len(cells) or 1, length or 1):
        row = cells[start : start + length]
        if gap >= 0:
            row.insert(gap, " ...")
        if len(row) <= per_line:
            parts.append("[" + ", ".join(row) + "]")
        else:
            lines = [", ".join(row[at : at + per_line]) for at in range(0, len(row), per_line)]
            parts.append("[" + line_break.join(lines) + "]")

    # ... then, from the inside out, each dimension gathers what the one below it made: a line break between rows,
    # one more (a blank line) for every dimension further out.
    for axis in range(array.ndim - 2, -1, -1):
        separator = "," + "\n" * (array.ndim - 1 - axis) + " " * (indent + axis + 1)
        length, gap = array.shape[axis], gaps[axis]
        groups = []
        for start in range(0, len(parts), length):
            group = parts[start : start + length]
            if gap >= 0:
                group.insert(gap, "...")
            groups.append("[" + separator.join(group) + "]")
        parts = groups
    return parts[0]


# --------------------------------------------------------------------------------------------- 4. the whole text

_LIBRARIES: Final = ("torch", __name__.partition(".")[0])


def _is_library_class(cls: type, name: str) -> bool:
    """Whether ``cls`` is the library's own class of that name and not a learner's class that is called the same."""
    return cls.__name__ == name and cls.__module__.partition(".")[0] in _LIBRARIES


def _is_parameter(t: Any) -> bool:
    """``isinstance(t, nn.Parameter)`` without importing ``nn``, which lies above this module."""
    return getattr(t, "_is_param", False) or any(_is_library_class(cls, "Parameter") for cls in type(t).__mro__)


def _is_meta(t: Any) -> bool:
    device = getattr(t, "device", None)
    return device is not None and device.type == "meta"


def _default_dtype_name() -> str:
    return str(get_default_dtype())


def _grad_fn_name(t: Any) -> str | None:
    try:
        grad_fn = t.grad_fn
    except RuntimeError:
        # A view made and changed in place under no_grad() cannot say where it comes from: asking it raises.
        return "Invalid"
    if grad_fn is None:
        return None
    name = type(grad_fn).__name__
    if name == "CppFunction":  # a C++ extension's node: only the node itself knows its name
        name = str(grad_fn.name()).rpartition("::")[2]
    return name


def _join_suffixes(text: str, suffixes: list[str], indent: int) -> str:
    """Append the suffixes and the closing bracket; one that does not fit starts a new line.

    The count is PyTorch's: it reserves room for the comma, the space and the brackets, hence the extra columns.
    """
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > PRINT_OPTS.linewidth:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


#: once there was a functional transform: the text of a tensor inside of it, None for one that it does not concern
transformed: Callable[[Any], str | None] | None = None
#: while a level of forward mode is open: gives a tensor's primal, without what only its tangent needs, and its tangent
unpack_dual: Callable[[Any], tuple[Any, Any]] | None = None


def tensor_repr(
    t: Any,
    array: _Array | None = None,
    *,
    tensor_contents: str | None = None,
    default_dtype: str | None = None,
    tangent: object = None,
) -> str:
    """The text of a tensor of any shape and dtype (``torch.Tensor.__repr__``, ``torch._tensor_str._str``).

    ``array`` holds the values (default: ``t._array``; not read for meta tensors). ``tensor_contents`` takes the
    place of the printed numbers. ``default_dtype`` is the name of the dtype that needs no ``dtype=`` (default: the
    current default dtype). ``tangent`` is the tangent of a dual tensor (default: what ``unpack_dual`` says). Errors of
    the numbers' formatting pass through (ValueError after ``set_printoptions(precision=-1)``).

    >>> import autogradlab as torch
    >>> torch.tensor([[1.0, 2.5]], requires_grad=True)
    tensor([[1.0000, 2.5000]], requires_grad=True)
    """
    if transformed is not None and array is None and (found := transformed(t)) is not None:
        return found
    cls = type(t)
    plain = _is_library_class(cls, "Tensor") or _is_library_class(cls, "Parameter")
    prefix = "tensor(" if plain else f"{cls.__name__}("
    indent = len(prefix)
    suffixes = []

    device = getattr(t, "device", None)
    meta = False
    if device is not None and device.type != "cpu":
        meta = device.type == "meta"
        suffixes.append(f"device='{device}'")

    dtype = str(t.dtype)
    default = default_dtype if default_dtype is not None else _default_dtype_name()
    if meta:
        size: tuple[int, ...] = tuple(t.shape)
        contents = "..."
        show_size, show_dtype = True, dtype != default
    else:
        if array is None:
            array = t._array
        size = array.shape
        if array.size == 0:
            # No element tells the dtype, so int64 and bool are named too; (0,) is what [] already says.
            contents = "[]"
            show_size, show_dtype = len(size) != 1, dtype != default
        else:
            contents = "" if tensor_contents is not None else _body(array, indent)
            show_size = not PRINT_OPTS.edgeitems
            show_dtype = dtype != default and dtype not in ("torch.int64", "torch.bool", _default_complex(default))
    if show_size:
        suffixes.append(f"size={size}")
    if show_dtype:
        suffixes.append(f"dtype={dtype}")

    shown = t
    if unpack_dual is not None and tangent is None:
        shown, tangent = unpack_dual(t)
    grad_fn = _grad_fn_name(t) if shown is t or shown.requires_grad else None
    if grad_fn is not None:
        suffixes.append(f"grad_fn=<{grad_fn}>")
    elif shown.requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent}")

    if tensor_contents is not None:
        contents = tensor_contents
    text = _join_suffixes(prefix + contents, suffixes, indent)
    return f"Parameter({text})" if not plain and _is_parameter(t) else text


#: PyTorch's name for it
_str = tensor_repr


def _default_complex(default: str) -> str:
    return "torch.complex128" if default == "torch.float64" else "torch.complex64"


def parameter_repr(t: Any, array: _Array | None = None, *, default_dtype: str | None = None) -> str:
    """The text of a parameter of any shape and dtype (``torch.nn.Parameter.__repr__``); errors as ``tensor_repr``.

    >>> import autogradlab as torch
    >>> torch.nn.Parameter(torch.tensor([1.0]))
    Parameter containing:
    tensor([1.], requires_grad=True)
    """
    return "Parameter containing:\n" + tensor_repr(t, array, default_dtype=default_dtype)


def tensor_format(t: Any, spec: str, array: _Array | None = None) -> str:
    """``format(t, spec)`` (``torch.Tensor.__format__``): a 0-dim tensor is formatted as its Python number.

    Tensors with dimensions, meta tensors and subclasses give ``str(t)`` for an empty ``spec`` and a TypeError
    otherwise, as any object does; a ``spec`` that does not suit the number is a ValueError.

    >>> import autogradlab as torch
    >>> f"{torch.tensor(2.0):.3f}"
    '2.000'
    """
    if _is_library_class(type(t), "Tensor") and not _is_meta(t):
        if array is None:
            array = t._array
        if array.ndim == 0:
            return format(array.item(), spec)
    return object.__format__(t, spec)


def size_repr(shape: Iterable[int]) -> str:
    """The text of a shape (``repr`` and ``str`` of ``torch.Size``).

    >>> size_repr((2, 3))
    'torch.Size([2, 3])'
    """
    return f"torch.Size([{', '.join(map(str, shape))}])"
