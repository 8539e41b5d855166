"""Sample inputs for operations and what is checked with them.

A `samples_*.py` module says, for each operation, which calls are tried::

    samples("atan2", case(A(3), A(3)), case(A(2, 1), A(3, layout="strided")), case(A(3, dtype="int64"), 2))

`A` describes a tensor; a case is built once for each library, with the same numbers. `test_ops.py` then checks every
case: against live torch (value, dtype, shape, stride, Node name, gradients, second gradients, in-place and out= forms,
method, error texts), and without it by finite differences.
"""

from __future__ import annotations

import re
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

REAL = ("float64", "float32", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
COMPLEX = ("complex64", "complex128")
ALL = ("bool", *INTEGERS, *REAL, *COMPLEX)
#: how far values may be off, relative and absolute, by dtype
TOLERANCE = {
    "float64": 1e-9,
    "complex128": 1e-9,
    "float32": 4e-6,
    "complex64": 1e-5,
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}


@dataclass(frozen=True, init=False)
class A:
    """A tensor argument: drawn uniformly from [low, high), or the given `values`.

    layout: plain; transposed (the last two dimensions swapped in memory); strided (every second element of a larger
    tensor); expanded (a dimension of stride 0 in front of shape[1:]).
    grad: whether its gradient is asked for (if its dtype has one).
    """

    shape: tuple[int, ...]
    dtype: str
    low: float
    high: float
    layout: str
    values: Any
    grad: bool

    def __init__(
        self,
        *shape: int,
        dtype: str = "float64",
        low: float = -2.0,
        high: float = 2.0,
        layout: str = "plain",
        values: Any = None,
        grad: bool = True,
    ) -> None:
        for name, value in locals().items():
            if name != "self":
                object.__setattr__(self, name, value)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """The numbers, contiguous, in a dtype that NumPy itself knows."""
        numpy = np.dtype("float32" if self.dtype == "bfloat16" else self.dtype)
        if self.values is not None:
            return np.array(self.values).astype(numpy)
        shape = self.shape
        if self.layout == "transposed" and len(shape) > 1:
            shape = (*shape[:-2], shape[-1], shape[-2])
        elif self.layout == "strided":
            shape = (*shape[:-1], 2 * shape[-1]) if shape else shape
        elif self.layout == "expanded":
            shape = shape[1:]
        if numpy.kind == "b":
            return np.asarray(rng.integers(0, 2, shape)).astype(bool)
        if numpy.kind in "iu":
            low = max(int(self.low), 0) if numpy.kind == "u" else int(self.low)
            return np.asarray(rng.integers(low, max(int(self.high), low) + 1, shape)).astype(numpy)
        x = rng.uniform(self.low, self.high, shape)
        return np.asarray(x + 1j * rng.uniform(self.low, self.high, shape) if numpy.kind == "c" else x).astype(numpy)

    def build(self, lib: Any, rng: np.random.Generator) -> Any:
        """The tensor, in a library."""
        t = lib.from_numpy(self.draw(rng))
        if self.dtype == "bfloat16":
            t = t.to(lib.bfloat16)
        if self.values is None:
            if self.layout == "transposed" and len(self.shape) > 1:
                t = t.transpose(-1, -2)
            elif self.layout == "strided" and self.shape:
                t = t[..., ::2]
            elif self.layout == "expanded":
                t = t.expand(self.shape)
        return t


@dataclass(frozen=True)
class D:
    """An attribute of the library as an argument: D("float32") is `torch.float32`."""

    name: str

    def build(self, lib: Any, rng: Any = None) -> Any:
        found = lib
        for part in self.name.split("."):
            found = getattr(found, part)
        return found


@dataclass(frozen=True)
class Case:
    """One call. What is not to be checked with it is switched off; `tolerance` loosens the comparison."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    first: bool = True
    second: bool = True
    inplace: bool = True
    out: bool = True
    #: whether finite differences at these numbers mean anything: not at a kink, not for wrong inputs
    smooth: bool = True
    tolerance: float | None = None

    def __str__(self) -> str:
        shown = [repr(a) for a in self.args] + [f"{k}={v!r}" for k, v in self.kwargs.items()]
        return f"({', '.join(shown)})"

    def but(self, **changes: Any) -> Case:
        """The case with other switches."""
        return replace(self, **changes)


def case(*args: Any, **kwargs: Any) -> Case:
    """A call with these arguments."""
    return Case(args, kwargs)


@dataclass
class Entry:
    """The cases of one operation. `path` is where the function is, in the library's namespace or on its Tensor."""

    name: str
    path: str
    cases: list[Case]
    origin: str = ""
    method: bool = True
    inplace: bool = True
    out: bool = True
    covers: tuple[str, ...] = field(default=())

    @property
    def short(self) -> str:
        return self.path.rpartition(".")[2]

    def function(self, lib: Any) -> Callable[..., Any]:
        return D(self.path).build(lib)  # type: ignore[no-any-return]


REGISTRY: dict[str, Entry] = {}


def samples(
    name: str,
    *cases: Case,
    path: str | None = None,
    covers: str = "",
    method: bool = True,
    inplace: bool = True,
    out: bool = True,
) -> None:
    """Register cases for an operation.

    path: where its function is, if not `torch.<name>`; "Tensor.<name>" if it is only a method.
    covers: names of further entries of the op table that these cases exercise.
    """
    import inspect

    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    origin = frame.f_back.f_globals["__name__"].rpartition(".")[2].removeprefix("samples_")
    key = f"{origin}-{name}"
    path = path or name
    assert cases, name
    if path.startswith("special."):  # names of torch.special that torch itself has not are entries of their own
        from autogradlab.ops.table.opdef import OPS

        own = path.replace(".", "_")
        covers += f" {own}" if own in OPS else ""
    if key in REGISTRY and REGISTRY[key].path == path:
        REGISTRY[key].cases += cases
        REGISTRY[key].covers += tuple(covers.split())
        return
    while key in REGISTRY:
        key += "+"
    REGISTRY[key] = Entry(name, path, list(cases), origin, method, inplace, out, tuple(covers.split()))


def covered() -> set[str]:
    """Names of all operations that have samples."""
    return {name for entry in REGISTRY.values() for name in (entry.name, *entry.covers)}


# -- building and taking apart -----------------------------------------------------------------------------------------


class Draws:
    """Random numbers for the arguments of a case: each has its own, whatever the others are."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.count = 0

    def next(self) -> np.random.Generator:
        self.count += 1
        return np.random.default_rng([self.seed, self.count])


def seeded(entry: Entry, case: Case) -> Draws:
    """Numbers for a case: the same for both libraries, whatever other cases there are."""
    return Draws(zlib.crc32(f"{entry.name}{len(case.args)}{sorted(case.kwargs)}".encode()))


def build(lib: Any, value: Any, rng: Draws, leaves: list[Any] | None = None) -> Any:
    """Arguments with every `A` and `D` made real; tensors that want a gradient are added to `leaves`."""
    if isinstance(value, A):
        t = value.build(lib, rng.next())
        if leaves is not None and value.grad and (t.is_floating_point() or t.is_complex()):
            t.requires_grad_()
            leaves.append(t)
        return t
    if isinstance(value, D):
        return value.build(lib)
    if type(value) in (list, tuple):
        return type(value)(build(lib, v, rng, leaves) for v in value)
    if isinstance(value, slice):
        return slice(*(build(lib, v, rng, leaves) for v in (value.start, value.stop, value.step)))
    return value


def arguments(lib: Any, entry: Entry, case: Case, leaves: list[Any] | None = None) -> tuple[list[Any], dict[str, Any]]:
    rng = seeded(entry, case)
    args = [build(lib, a, rng, leaves) for a in case.args]
    return args, {k: build(lib, v, rng, leaves) for k, v in case.kwargs.items()}


def tensors(value: Any) -> Iterator[Any]:
    """The tensors in a result."""
    if hasattr(value, "grad_fn"):
        yield value
    elif isinstance(value, (list, tuple)):
        for v in value:
            yield from tensors(v)


@dataclass(frozen=True)
class Failure:
    """What a call raised."""

    kind: str
    text: str


def attempt(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What a call gives, or a `Failure`. Warnings are not compared here: torch gives many of them only once."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return f(*args, **kwargs)
        except Exception as error:
            return Failure(type(error).__name__, tidy(str(error)))


def tidy(text: str) -> str:
    """An error text without addresses and places in C++."""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    return re.sub(r"\s*\(Triggered internally at [^)]*\)", "", text).strip()


def array(t: Any) -> np.ndarray:
    """The values of a tensor of either library, in a dtype that NumPy itself knows."""
    t = t.detach()
    if str(t.dtype) == "torch.bfloat16":
        t = t.float()
    if t.is_complex():
        t = t.resolve_conj()
    if hasattr(t, "resolve_neg"):
        t = t.resolve_neg()
    if hasattr(t, "_is_zerotensor") and t._is_zerotensor():
        t = t.clone()
    return np.array(t.numpy())


# -- comparing ---------------------------------------------------------------------------------------------------------


def compare(
    ours: Any,
    theirs: Any,
    what: str = "result",
    tolerance: float | None = None,
    names: bool = True,
    strides: bool = True,
) -> list[str]:
    """How two results differ, in words."""
    if isinstance(ours, Failure) or isinstance(theirs, Failure):
        return [] if ours == theirs else [f"{what}: {describe(ours)} instead of {describe(theirs)}"]
    if hasattr(theirs, "grad_fn"):
        if not hasattr(ours, "grad_fn"):
            return [f"{what}: {type(ours).__name__} instead of a Tensor"]
        return _compare_tensors(ours, theirs, what, tolerance, names, strides)
    if isinstance(theirs, (list, tuple)):
        if type(ours).__name__ != type(theirs).__name__ or len(ours) != len(theirs):
            return [f"{what}: {describe(ours)} instead of {describe(theirs)}"]
        return [
            d
            for i, (a, b) in enumerate(zip(ours, theirs, strict=True))
            for d in compare(a, b, f"{what}[{i}]", tolerance, names, strides)
        ]
    if isinstance(theirs, float) and isinstance(ours, float):
        same = bool(np.isclose(ours, theirs, rtol=1e-6, atol=0, equal_nan=True))
    else:
        same = type(ours).__name__ == type(theirs).__name__ and str(ours) == str(theirs)
    return [] if same else [f"{what}: {ours!r} instead of {theirs!r}"]


def describe(value: Any) -> str:
    if isinstance(value, Failure):
        return f"{value.kind}({value.text!r})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} of {len(value)}"
    return f"{type(value).__name__} {value!r}"[:300]


def _compare_tensors(
    ours: Any, theirs: Any, what: str, tolerance: float | None, names: bool, strides: bool
) -> list[str]:
    found = []
    for label, get in {
        "dtype": lambda t: str(t.dtype),
        "shape": lambda t: tuple(t.shape),
        "requires_grad": lambda t: t.requires_grad,
    }.items():
        if get(ours) != get(theirs):
            found.append(f"{what}: {label} {get(ours)} instead of {get(theirs)}")
    if found:
        return found
    if names:
        ours_name, theirs_name = (t.grad_fn.name() if t.grad_fn is not None else None for t in (ours, theirs))
        if ours_name != theirs_name:
            found.append(f"{what}: grad_fn {ours_name} instead of {theirs_name}")
    if strides and theirs.numel() and meaningful(ours) != meaningful(theirs):
        found.append(f"{what}: stride {tuple(ours.stride())} instead of {tuple(theirs.stride())}")
    a, b = array(ours), array(theirs)
    if not near(a, b, str(theirs.dtype).removeprefix("torch."), tolerance):
        found.append(f"{what}: {a.tolist()} instead of {b.tolist()}"[:600])
    return found


def meaningful(t: Any) -> tuple[int, ...]:
    """The strides of those dimensions that have more than one element."""
    return tuple(s for s, n in zip(t.stride(), t.shape, strict=True) if n > 1)


def near(a: np.ndarray, b: np.ndarray, dtype: str, tolerance: float | None = None) -> bool:
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    allowed = tolerance or TOLERANCE[dtype]
    if a.dtype.kind == "c":
        return near(a.real, b.real, dtype, allowed) and near(a.imag, b.imag, dtype, allowed)
    with np.errstate(all="ignore"):
        return bool(np.allclose(a.astype(float), b.astype(float), rtol=allowed, atol=allowed, equal_nan=True))


# -- derivatives -------------------------------------------------------------------------------------------------------


def like(lib: Any, ts: list[Any], salt: int, requires_grad: bool) -> list[Any]:
    """Cotangents for tensors: the same numbers in both libraries."""
    rng = np.random.default_rng(salt)
    made = []
    for t in ts:
        name = str(t.dtype).removeprefix("torch.")
        made.append(A(*t.shape, dtype=name).build(lib, rng).requires_grad_(requires_grad))
    return made


def gradients(lib: Any, entry: Entry, case: Case, second: bool, call: Callable[..., Any]) -> Any:
    """(result, gradients, second gradients) of a case, or a Failure."""
    leaves: list[Any] = []
    args, kwargs = arguments(lib, entry, case, leaves)
    result = attempt(call, *args, **kwargs)
    if isinstance(result, Failure):
        return result, [], []
    outs = [t for t in tensors(result) if t.requires_grad]
    if not outs or not leaves:
        return result, [], []
    cotangents = like(lib, outs, 1, second)
    first = attempt(lib.autograd.grad, outs, leaves, cotangents, create_graph=second, allow_unused=True)
    if isinstance(first, Failure) or not second:
        return result, first, []
    again = [g for g in first if g is not None and g.requires_grad]
    if not again:
        return result, first, []
    return (
        result,
        first,
        attempt(lib.autograd.grad, again, [*leaves, *cotangents], like(lib, again, 2, False), allow_unused=True),
    )


def numeric(
    call: Callable[[list[np.ndarray]], np.ndarray], inputs: list[np.ndarray], step: float = 1e-6
) -> list[np.ndarray]:
    """Derivatives of a scalar function of arrays by central differences; for complex inputs d/dx + i d/dy."""
    found = []
    for x in inputs:
        g = np.zeros_like(x)
        for i in np.ndindex(x.shape):
            for unit in (1, 1j) if x.dtype.kind == "c" else (1,):
                kept = x[i]
                x[i] = kept + step * unit
                above = call(inputs)
                x[i] = kept - step * unit
                below = call(inputs)
                x[i] = kept
                g[i] += unit * (above - below) / (2 * step)
        found.append(g)
    return found


def along(
    call: Callable[[list[np.ndarray]], float], inputs: list[np.ndarray], way: list[np.ndarray], step: float = 1e-6
) -> float:
    """The derivative of a scalar function of arrays where all of them move one way, by a central difference."""
    ahead, behind = ([x + sign * d for x, d in zip(inputs, way, strict=True)] for sign in (step, -step))
    return (call(ahead) - call(behind)) / (2 * step)


def finite_differences(lib: Any, entry: Entry, case: Case, second: bool) -> list[str]:
    """How the (second) gradients of a float64 or complex128 case differ from finite differences, in words.

    Two random directions in which all inputs move at once find what is wrong in any element; where they disagree with
    the gradients, the difference of each element is taken, and tells.
    """
    leaves: list[Any] = []
    arguments(lib, entry, case, leaves)
    if not leaves or any(str(t.dtype) not in ("torch.float64", "torch.complex128") for t in leaves):
        return []
    call = entry.function(lib)
    inputs = [array(t) for t in leaves]

    def with_inputs(arrays: list[np.ndarray]) -> tuple[list[Any], list[Any]]:
        args, kwargs = arguments(lib, entry, replace_leaves(case, iter(arrays)), made := [])
        result = attempt(call, *args, **kwargs)
        return made, [] if isinstance(result, Failure) else [t for t in tensors(result) if t.requires_grad]

    def derivatives(arrays: list[np.ndarray], graph: bool) -> tuple[list[Any], list[Any]]:
        made, outs = with_inputs(arrays)
        return made, list(
            lib.autograd.grad(outs, made, like(lib, outs, 1, False), create_graph=graph, allow_unused=True)
        )

    def value(arrays: list[np.ndarray]) -> Any:
        if second:
            outs = [g if g is not None else t * 0 for t, g in zip(*derivatives(arrays, False), strict=True)]
        else:
            outs = with_inputs(arrays)[1]
        return sum(
            float((array(c).conj() * array(t)).real.sum()) for c, t in zip(like(lib, outs, 1, False), outs, strict=True)
        )

    if not with_inputs(inputs)[1]:
        return []
    result = attempt(derivatives, inputs, second)
    if isinstance(result, Failure) and "is not implemented" in result.text:
        return []
    made, found = derivatives(inputs, second)
    if second:
        firsts = [g if g is not None else t * 0 for t, g in zip(made, found, strict=True)]
        if not any(g.requires_grad for g in firsts):
            return []
        cotangents = like(lib, firsts, 1, False)
        kept = [(g, c) for g, c in zip(firsts, cotangents, strict=True) if g.requires_grad]
        found = list(lib.autograd.grad([g for g, _ in kept], made, [c for _, c in kept], allow_unused=True))
    grads = [np.zeros_like(x) if g is None else array(g) for g, x in zip(found, inputs, strict=True)]
    if all(_fits(value, inputs, grads, seed) for seed in (3, 4)):
        return []
    return [
        f"gradient {i}: {g.tolist()} instead of {expected.tolist()}"[:600]
        for i, (g, expected) in enumerate(zip(grads, numeric(value, inputs), strict=True))
        if not np.allclose(g, expected, rtol=2e-4, atol=2e-5)
    ]


def _fits(value: Callable[[list[np.ndarray]], float], inputs: list[np.ndarray], grads: list[Any], seed: int) -> bool:
    """Whether gradients say by how much a function grows in a random direction."""
    rng = np.random.default_rng(seed)
    way = [rng.normal(size=x.shape) + (1j * rng.normal(size=x.shape) if x.dtype.kind == "c" else 0) for x in inputs]
    said = sum(float((g.conj() * d).real.sum()) for g, d in zip(grads, way, strict=True))
    return bool(np.isclose(said, along(value, inputs, way), rtol=1e-5, atol=1e-5))


def replace_leaves(case: Case, arrays: Iterator[np.ndarray]) -> Case:
    """The case with given numbers in the tensors whose gradient is asked for."""

    def given(value: Any) -> Any:
        if isinstance(value, A) and value.grad and np.dtype(value.dtype).kind in "fc":
            x = next(arrays).copy()
            return A(*x.shape, dtype=str(x.dtype), values=x)
        if type(value) in (list, tuple):
            return type(value)(given(v) for v in value)
        return value

    return replace(case, args=given(case.args), kwargs={k: given(v) for k, v in case.kwargs.items()})
