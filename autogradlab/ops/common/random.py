"""Random tensors: made new, made like another, filled in place. The numbers are streams.py's and distributions.py's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.arguments.declared import declare, name_of
from ...core.graph.node import NO_EDGE
from ...core.memory.absent import reserved
from ...core.memory.layout import like
from ...core.memory.rows import Rows, all_rows, draw_into, drawing, levels_of, place_to_draw, plain_rows, to_draw
from ...core.memory.versions import increment_version
from ...core.random import distributions as D
from ...core.random import generator, streams
from ...core.random.generator import default_generator
from ...core.recording.inplace import History, check_inplace, commit, refuse_captured
from ...core.recording.record import NOT_IMPLEMENTED, RAW, TENSORS, no_derivative, start_node
from ...core.runtime import errors, modes
from ...core.runtime.warn import warn
from ...core.tensor.dispatching import instead
from ...core.tensor.tensor import Tensor, gradient_edge, requires_grad, wrap
from ...core.types import dtypes
from ...core.types.device import default_device
from ...core.types.dtypes import get_default_dtype
from ...core.values.promotion import broadcast_shapes
from ..kernels import implicit
from ..table.asking import changed, tell, whole
from ..table.calls import ByOut, counted
from ..table.creation import (
    OVERFLOWING,
    bind,
    check_out,
    check_sizes,
    default,
    finished,
    has_contents,
    into,
    options,
    placed,
    quick,
    quick_shape,
    resize_out,
)
from ..table.opdef import OPS, Op, composite, op
from ..table.outputs import Out
from ..table.overloads import Overload

_LONG_OUT = "multinomial expects Long tensor out, got: {}"

# -- Generator: states are tensors -------------------------------------------------------------------------------------


class Generator(generator.Generator):
    """A source of random numbers, to be passed as generator=.

    Note: the numbers are PyTorch's own after the same manual_seed.

    Example:
        >>> import autogradlab as torch
        >>> g = torch.Generator().manual_seed(0)
        >>> torch.rand(2, generator=g)
        tensor([0.4963, 0.7682])
        >>> g.initial_seed()
        0

    Mirrors `torch.Generator`.
    """

    __slots__ = ()
    __module__ = "torch._C"

    def get_state(self) -> Any:
        """All that the next numbers depend on: a uint8 tensor of 5056 elements."""
        return wrap(generator.Generator.get_state(self))

    def set_state(self, new_state: Any) -> Any:
        """Go back to where `get_state` was called; returns the generator.

        Errors: TypeError if it is not a uint8 tensor, RuntimeError for a wrong length or an impossible state.
        """
        generator.Generator.set_state(self, new_state._array if isinstance(new_state, Tensor) else new_state)
        return self


default_generator.__class__ = Generator


def get_rng_state() -> Tensor:
    """The state of the default generator, for set_rng_state.

    Shapes: (5056,).
    Dtypes: uint8.

    Example:
        >>> import autogradlab as torch
        >>> state = torch.get_rng_state()
        >>> a = torch.rand(2)
        >>> torch.set_rng_state(state)
        >>> torch.equal(a, torch.rand(2))
        True

    Mirrors `torch.get_rng_state`.
    """
    return default_generator.get_state()  # type: ignore[return-value]


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator to one that get_rng_state returned.

    Shapes: (5056,).

    Example:
        >>> import autogradlab as torch
        >>> state = torch.get_rng_state()
        >>> torch.set_rng_state(state)
        >>> torch.equal(state, torch.get_rng_state())
        True

    Mirrors `torch.set_rng_state`.
    """
    default_generator.set_state(new_state)  # type: ignore[arg-type]


# -- new tensors -------------------------------------------------------------------------------------------------------


def _made(name: str, values: dict[str, Any], fill: Any, integer: bool = False) -> Tensor:
    """Fill a new tensor, or out=, by `fill(array, generator)`."""
    kind, out, source = options(values), values.get("out"), values.get("generator")
    shape = check_sizes(values["size"], "" if out is None else OVERFLOWING)
    if out is not None:
        if modes.LOCAL.state.mapped:
            raise RuntimeError(errors.ROWS_RANDOM_OUT)
        check_out(name, out, kind)
        resized = out._array.shape != shape
        resize_out(out, shape)
        draw_into(lambda x: modes.quiet(fill, x, source), out._array)
        # which counts a change of size too where PyTorch asks its operation for it
        counts = name == "randn" or (name == "rand" and "generator" in values)
        for _ in range(2 if resized and counts else 1):
            increment_version(out)
        if values["requires_grad"]:
            out.requires_grad_(True)
        return out
    numpy = default(kind) if not integer else (kind or dtypes.int64).numpy
    if not has_contents(values):
        return placed(reserved(shape, numpy), values)
    array = modes.quiet(place_to_draw, shape, numpy)
    draw_into(lambda x: modes.quiet(fill, x, source), array)
    return placed(array, values)


def _simple(declaration: str, draw: Any, fill: Any, doc: str) -> None:
    name = declare(declaration, doc)

    @instead(whole(method=False))
    def create(*size: Any, **kwargs: Any) -> Tensor:
        if not kwargs or quick(kwargs):
            shape = quick_shape(size)
            if shape is not None and (kwargs or default_device() is None) and not modes.LOCAL.state.mapped:
                kind = kwargs.get("dtype") or get_default_dtype()
                return finished(modes.quiet(draw, shape, kind.numpy), kwargs.get("requires_grad", False))
        _, values = bind(name, size, kwargs)
        return _made(name, values, fill)

    create.__doc__ = doc
    composite(name, method=False, reads="itself")(create)

    @instead(whole(method=False))
    def create_like(*args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and len(args) == 1 and type(args[0]) is Tensor and default_device() is None:
            x = args[0]._array
            plain = type(x) is np.ndarray and x.flags.c_contiguous and 1 not in x.shape
            if plain and x.size and x.dtype.kind == "f" and not modes.LOCAL.state.mapped:
                return finished(modes.quiet(draw, x.shape, x.dtype))
        _, values = bind(f"{name}_like", args, kwargs)
        x = values["input"]._array
        kind = options(values)
        array = modes.quiet(like, x, x.dtype if kind is None else kind.numpy, values["memory_format"], False)
        if modes.LOCAL.state.mapped:
            array = place_to_draw(array.shape, array.dtype, x)
        if has_contents(values, beside=True):
            draw_into(lambda x: modes.quiet(fill, x, values.get("generator")), array)
        return placed(array, values, beside=True)

    create_like.__doc__ = f"{name}() of the size, dtype and memory order of the argument."
    composite(f"{name}_like", method=False, reads="itself")(create_like)


declare(
    """
    rand_like(Tensor input, *, Generator? generator, MemoryFormat? memory_format=None, $options) -> Tensor|.generator
    rand_like(Tensor input, *, MemoryFormat? memory_format=None, $options) -> Tensor
    """,
    """
    main: 2
    Random numbers, uniform in [0, 1), in the shape and dtype of another tensor.

    ~like
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.rand_like(torch.zeros(3))
    tensor([0.4963, 0.7682, 0.0885])
    """,
)
_simple(
    """
    rand(SymInt[] size, *, Generator? generator, Tensor out=None, $options) -> Tensor|.generator
    rand(SymInt[] size, *, Tensor out=None, $options) -> Tensor
    """,
    streams.rand,
    lambda out, g: streams.uniform_(out, 0.0, 1.0, g),
    """
    main: 2
    Random numbers, uniform in [0, 1).

    ~size
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2, 2)
    tensor([[0.4963, 0.7682],
            [0.0885, 0.1320]])
    """,
)
declare(
    """
    randn_like(Tensor input, *, Generator? generator, MemoryFormat? memory_format=None, $options) -> Tensor|.generator
    randn_like(Tensor input, *, MemoryFormat? memory_format=None, $options) -> Tensor
    """,
    """
    main: 2
    Random numbers, normal with mean 0 and variance 1, in the shape and dtype of another tensor.

    ~like
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.randn_like(torch.zeros(3))
    tensor([ 1.5410, -0.2934, -2.1788])
    """,
)
_simple(
    """
    randn(SymInt[] size, *, Generator? generator, Tensor out=None, $options) -> Tensor|.generator
    randn(SymInt[] size, *, Tensor out=None, $options) -> Tensor
    """,
    streams.randn,
    lambda out, g: streams.normal_(out, 0.0, 1.0, g),
    """
    main: 2
    Random numbers, normal with mean 0 and variance 1.

    ~size
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.randn(2, 2)
    tensor([[ 1.5410, -0.2934],
            [-2.1788,  0.5684]])
    """,
)


@composite(
    """
    randint(SymInt high, SymInt[] size, *, Generator? generator, Tensor out=None, $options) -> Tensor|.generator
    randint(SymInt high, SymInt[] size, *, Tensor out=None, $options) -> Tensor
    randint(SymInt low, SymInt high, SymInt[] size, *, Generator? generator, Tensor out=None,
        $options) -> Tensor|.low_generator
    randint(SymInt low, SymInt high, SymInt[] size, *, Tensor out=None, $options) -> Tensor|.low
    """,
    method=False,
)
@instead(whole(method=False))
def randint(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (low=0, high=None, size=None, *, generator=None, out=None, dtype=None, layout=None, device=None, requires_grad=False)
    Random integers of [low, high), low being 0 if only high is given.

    Shapes: size.
    Dtypes: int64, if dtype= does not say otherwise.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.randint(10, (4,))
    tensor([4, 9, 3, 0])
    """  # noqa: E501 a signature is one line
    *bounds, size = args or (None,)
    if 0 < len(bounds) < 3 and type(size) in (tuple, list) and quick(kwargs) and not modes.LOCAL.state.mapped:
        shape = quick_shape((size,))
        low, high = (0, *bounds)[-2:]
        if shape and 0 not in shape and type(low) is int is type(high):
            numpy = (kwargs.get("dtype") or dtypes.int64).numpy
            return finished(modes.quiet(streams.randint, low, high, shape, numpy), kwargs.get("requires_grad", False))
    _, values = bind("randint", args, kwargs)
    low, high = values.get("low", 0), values["high"]
    return _made("randint", values, lambda out, g: streams.random_(out, low, high, generator=g), integer=True)


@composite(
    """
    randint_like(Tensor input, SymInt low, SymInt high, *, Generator? generator, MemoryFormat? memory_format=None,
        $options) -> Tensor|.low_generator_dtype
    randint_like(Tensor input, SymInt low, SymInt high, *, MemoryFormat? memory_format=None,
        $options) -> Tensor|.low_dtype
    randint_like(Tensor input, Tensor high, *, Generator? generator, MemoryFormat? memory_format=None,
        $options) -> Tensor|.Tensor_generator
    randint_like(Tensor input, Tensor high, *, MemoryFormat? memory_format=None, $options) -> Tensor|.Tensor
    randint_like(Tensor input, SymInt high, *, Generator? generator, MemoryFormat? memory_format=None,
        $options) -> Tensor|.generator
    randint_like(Tensor input, SymInt high, *, MemoryFormat? memory_format=None, $options) -> Tensor
    """,
    method=False,
)
@instead(whole(method=False))
def randint_like(*args: Any, **kwargs: Any) -> Tensor:
    """
    sig: (input, low=0, high=None, *, generator=None, dtype=None, layout=None, device=None, requires_grad=False, memory_format=None)
    Random integers of [low, high), in the shape and dtype of another tensor.

    ~like
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.randint_like(torch.zeros(3), 5)
    tensor([4., 4., 3.])
    """  # noqa: E501 a signature is one line
    _, values = bind("randint_like", args, kwargs)
    low, high = values.get("low", 0), values["high"]
    if isinstance(high, Tensor):
        if high.ndim:
            raise RuntimeError("high must be a scalar tensor and on CPU")
        high = int(high.item())
    x = values["input"]._array
    kind = options(values)
    array = like(x, x.dtype if kind is None else kind.numpy, values["memory_format"], zero=False)
    if modes.LOCAL.state.mapped:
        array = place_to_draw(array.shape, array.dtype, x)
    if has_contents(values, beside=True):
        draw_into(
            lambda x: modes.quiet(lambda: streams.random_(x, low, high, generator=values.get("generator"))), array
        )
    return placed(array, values, beside=True)


@composite(
    """
    randperm(SymInt n, *, Generator? generator, Tensor out=None, $options) -> Tensor|.generator|uint_randperm
    randperm(SymInt n, *, Tensor out=None, $options) -> Tensor|uint_randperm
    """,
    method=False,
)
@instead(whole(method=False))
def randperm(*args: Any, **kwargs: Any) -> Tensor:
    """
    main: 2
    The integers 0 … n - 1 in random order.

    Shapes: (n,).
    Dtypes: int64, if dtype= does not say otherwise.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(5)
    tensor([4, 0, 1, 3, 2])
    """
    if (
        not kwargs
        and quick_shape(args) is args
        and default_device() is None
        and len(args) == 1
        and not modes.LOCAL.state.mapped
    ):
        return finished(modes.quiet(streams.randperm, args[0]))
    _, values = bind("randperm", args, kwargs)
    kind, out = options(values), values["out"]
    if out is not None:
        check_out("randperm", out, kind)
        if values["n"] < 0:
            raise RuntimeError(f"n must be non-negative, got{values['n']}")
        kind = out.dtype
    if out is None and not has_contents(values):
        return placed(reserved(check_sizes((values["n"],)), (kind or dtypes.int64).numpy), values)
    array = _permutations(values["n"], (kind or dtypes.int64).numpy, values.get("generator"))
    return placed(array, values) if out is None else into("randperm", out, array, grad=values["requires_grad"])


def _permutations(n: int, numpy: Any, source: Any) -> Any:
    array = place_to_draw(check_sizes((n,)), numpy)
    if not isinstance(array, Rows):
        return modes.quiet(streams.randperm, n, numpy, source)
    for row in array.whole.reshape(-1, n):
        row[...] = modes.quiet(streams.randperm, n, numpy, source)
    return array


# -- drawn from tensors of parameters: no gradient flows through a draw ------------------------------------------------

_ZERO = {"input": lambda F, grad: F.zeros_like(grad)}


def _normal(mean: Any, std: Any = 1, *, generator: Any = None) -> Any:
    if not modes.LOCAL.state.mapped:
        return streams.normal_tensor(mean, std, generator)
    mean, std = (to_draw(x) if isinstance(x, np.ndarray) else x for x in (mean, std))
    arrays = [x for x in (mean, std) if isinstance(x, np.ndarray)]
    streams.check_deviation(all_rows(std))
    made = place_to_draw(np.broadcast_shapes(*[x.shape for x in arrays]), arrays[0].dtype)
    spread = 1.0 if isinstance(std, np.ndarray) else float(std)
    draw_into(lambda x: streams.normal_(x, 0.0, spread, generator), made)
    noise = made * std if isinstance(std, np.ndarray) else made
    return (noise + mean).astype(made.dtype, copy=False)


def _normal_of_size(mean: Any, std: Any, **values: Any) -> Tensor:
    return _made("normal", values, lambda out, g: streams.normal_(out, mean, std, g))


def _normal_of(entry: str) -> Any:
    """Normal numbers drawn in the dtype of out=, if it is given, which may have more of them than there are means."""

    def normal(mean: Any, std: Any = 1, *, generator: Any = None, out: Any = None) -> Any:
        if isinstance(out, Tensor):
            if not isinstance(std, Tensor):
                mean = TENSORS.expand(mean, broadcast_shapes(mean.shape, out.shape))
            mean, std = (TENSORS.to(x, out.dtype) if _fits(x, out) else x for x in (mean, std))
        return OPS[entry].call(mean, std, generator=generator, out=out)

    return normal


def _fits(x: Any, out: Tensor) -> bool:
    """Whether it is a tensor that can have the dtype of out=; complex numbers cannot be made real."""
    return isinstance(x, Tensor) and (out.is_complex() or not x.is_complex())


_OF_SHAPES = {
    "mean": lambda F, grad, mean_shape: F.zeros_of(grad, mean_shape),
    "std": lambda F, grad, std_shape: F.zeros_of(grad, std_shape),
}
OPS["normal.mean"] = Op(
    "normal", _normal, "mean", node="NormalBackward1", vjp={"mean": _OF_SHAPES["mean"]}, inner_writes=1
)
OPS["normal.std"] = Op("normal", _normal, "std", node="NormalBackward2", vjp={"std": _OF_SHAPES["std"]}, inner_writes=2)
OPS["normal.both"] = Op("normal", _normal, "mean std", node="NormalBackward3", vjp=_OF_SHAPES, inner_writes=2)
op(
    """
    normal(Tensor mean, Tensor std, *, Generator? generator=None, Tensor out=None) -> Tensor|.Tensor_Tensor
    normal(Tensor mean, float std=1, *, Generator? generator=None, Tensor out=None) -> Tensor|.Tensor_float
    normal(float mean, Tensor std, *, Generator? generator=None, Tensor out=None) -> Tensor|.float_Tensor
    normal(float mean, float std, SymInt[] size, *, Generator? generator=None, Tensor out=None,
        $options) -> Tensor|.float_float
    """,
    method=False,
    node="NormalBackward3",
    vjp=_OF_SHAPES,
    overloads=[
        Overload(_normal_of("normal.both"), signature=0),
        Overload(_normal_of("normal.mean"), signature=1),
        Overload(_normal_of("normal.std"), signature=2),
        Overload(_normal_of_size, signature=3),
    ],
    reads="itself",
    doc="""
    Random numbers, normal with given means and standard deviations.

    Shapes: mean and std broadcast; size for two numbers.
    Dtypes: those of the tensors; the default dtype for numbers.
    ~draw
    Errors: RuntimeError if std is negative.

    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0., 10.]), torch.tensor([1., 0.1]))
    tensor([1.5410, 9.9707])
    >>> torch.normal(0., 1., (2,))
    tensor([-2.1788,  0.5684])
    """,
)(_normal)


@drawing
def _bernoulli_of(input: np.ndarray, p: float, *, generator: Any = None) -> np.ndarray:
    return D.bernoulli_(np.empty(input.shape, input.dtype), p, generator)


OPS["bernoulli.p"] = Op(
    "bernoulli",
    _bernoulli_of,
    node=NOT_IMPLEMENTED,
    overload="p",
    vjp={"input": no_derivative("bernoulli")},
    inner_writes=1,
)


@op(
    """
    bernoulli(Tensor input, *, Generator? generator=None, Tensor out=None) -> Tensor
    bernoulli(Tensor input, float p, *, Generator? generator=None) -> Tensor|.p
    """,
    vjp=_ZERO,
    node="BernoulliBackward0",
    overloads=[Overload(OPS["bernoulli.p"], signature=1)],
    out=Out(converts=True),
    reads="itself",
)
@drawing
def bernoulli(input: Any, *, generator: Any = None) -> Any:
    """1 with the probability that input gives, else 0; with p, 1 with chance p, in the shape and dtype of input.

    Shapes: input's.
    Dtypes: input's, float.
    ~draw
    Errors: RuntimeError for probabilities outside of [0, 1].

    >>> _ = torch.manual_seed(0)
    >>> torch.bernoulli(torch.tensor([0.9, 0.1, 0.5]))
    tensor([1., 0., 1.])
    """
    return D.bernoulli(input, generator)


@op("poisson(Tensor input, Generator? generator=None) -> Tensor", vjp=_ZERO, inner_writes=1, method=False)
@drawing
def poisson(input: Any, generator: Any = None) -> Any:
    """Random counts from Poisson distributions with the rates in input.

    Shapes: input's.
    Dtypes: float.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.poisson(torch.tensor([0., 4.]))
    tensor([0., 7.])
    """
    return D.poisson(input, generator)


@composite("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", method=False)
@instead(whole(method=False))
def binomial(*args: Any, **kwargs: Any) -> Tensor:
    """The number of successes in `count` trials, each with probability `prob` of success.

    Shapes: both broadcast.
    Dtypes: float, both the same.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.binomial(torch.tensor([10., 10.]), torch.tensor([0., 1.]))
    tensor([ 0., 10.])
    """
    _, values = bind("binomial", args, kwargs)
    count = values["count"]._array
    drawn = modes.quiet(drawing(D.binomial), count, values["prob"]._array, values["generator"])
    if count.size and drawn.shape != count.shape:  # PyTorch draws into memory of that shape
        warn(errors.OUT_RESIZED.format(list(count.shape), list(drawn.shape)), at="aten/src/ATen/native/Resize.cpp:30")
    return finished(plain_rows(drawn))


@composite("""
    multinomial(Tensor input, SymInt num_samples, bool replacement=False, *, Generator? generator=None,
        Tensor out=None) -> Tensor
    """)
@instead(whole(method=False))
def multinomial(*args: Any, **kwargs: Any) -> Tensor:
    """Indices drawn with probabilities proportional to input; without replacement, each at most once.

    Shapes: (n,) gives (num_samples,), (m, n) gives (m, num_samples).
    Dtypes: float; the result is int64.
    ~draw
    Errors: RuntimeError for negative weights, or fewer positive ones than are drawn without replacement.

    >>> _ = torch.manual_seed(0)
    >>> torch.multinomial(torch.tensor([0., 10., 3.]), 2)
    tensor([1, 2])
    """
    _, values = bind("multinomial", args, kwargs)
    out = values["out"]
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(_LONG_OUT.format(dtypes.scalar_name(out)))
    drawn = modes.quiet(
        drawing(D.multinomial),
        values["input"]._array,
        values["num_samples"],
        values["replacement"],
        values["generator"],
    )
    if out is not None:
        return into("multinomial", out, drawn)
    # without repetitions, and for one draw, weights are divided by exponential numbers
    writes = 1 if values["replacement"] and values["num_samples"] != 1 else ByOut("div", 2)
    return counted(finished(plain_rows(drawn)), writes, values["input"])


@op(
    "_standard_gamma(Tensor input, Generator? generator=None) -> Tensor",
    vjp={"input": lambda F, grad, input, result: grad * F._standard_gamma_grad(input, result)},
    node="StandardGammaBackward0",
    forwardless="_standard_gamma",
    method=False,
)
@drawing
def _standard_gamma(input: Any, generator: Any = None) -> Any:
    """Gamma numbers of the shapes in `input` and scale 1."""
    return D.standard_gamma(input, generator)


@op("_standard_gamma_grad(Tensor input, Tensor output) -> Tensor|python", method=False)
def _standard_gamma_grad(input: Any, output: Any) -> Any:
    """How gamma numbers change with their shape, along the lines of equal cumulative probability."""
    return implicit.gamma(input, output).astype(input.dtype)


@op("_sample_dirichlet(Tensor input, Generator? generator=None) -> Tensor", method=False)
@drawing
def _sample_dirichlet(input: Any, generator: Any = None) -> Any:
    """Dirichlet numbers with the concentrations in `input` along the last dimension; without a gradient."""
    return D.dirichlet(input, generator)


@op("_dirichlet_grad(Tensor x, Tensor alpha, Tensor total) -> Tensor", method=False)
def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """How beta numbers change with their first concentration, along the lines of equal cumulative probability."""
    return implicit.beta(x, alpha, total).astype(x.dtype)


# -- filled in place ---------------------------------------------------------------------------------------------------


def _filler(declaration: str, node: str, fill: Any, defaults: dict[str, float | None], doc: str) -> None:
    """A method that fills by `fill(array, *arguments, generator=)`; its Node passes zeros on. defaults: the names of
    its arguments and what stands for those that are not given; None for those that must be."""
    full = name_of(declaration)
    entry = Op(full.removesuffix("_"), lambda input: input, node=node, vjp=_ZERO)
    names, usual = tuple(defaults), tuple(defaults.values())
    fewest = usual.count(None)

    @instead(lambda call, args, kwargs: _asked(full, entry, args[0], args[1:], kwargs))
    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        if not kwargs and fewest <= len(args) <= len(usual) and set(map(type, args)) <= {float}:
            found = (*args, *usual[len(args) :])
            return _in_place(entry, self, lambda x: fill(x, *found, generator=None))
        _, values = bind(full, args, kwargs, "Tensor")
        given = [values[n] for n in names]
        return _in_place(entry, self, lambda x: fill(x, *given, generator=values["generator"]))

    method.__doc__ = doc
    composite(declaration, function=False)(method)


def _asked(
    name: str, entry: Op, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any], beside: Any = ()
) -> Tensor:
    """The same while a mode is to be asked."""
    _, values = bind(name, args, kwargs, "Tensor")
    return changed(entry, [self, *beside], tell(name, {"input": self, **values}))


def _in_place(entry: Op, self: Tensor, fill: Any, other: Tensor | None = None) -> Tensor:
    array = self._array
    history = None
    if modes.FLAGS.unusual:
        refuse_captured(self, f"{entry.name}_")
    if (self._edge is not NO_EDGE or other is not None) and modes.LOCAL.state.record:
        operands = (self,) if other is None else (self, other)
        if any(map(requires_grad, operands)):
            check_inplace(self, self)
        edges = tuple([gradient_edge(t) for t in operands])
        if any(edge is not NO_EDGE for edge in edges):
            history = History(self, start_node(entry.new_node, edges, array.shape, array.dtype, ()))
    if 0 in array.strides:  # refused, where elements share memory
        fresh = array
    else:
        fresh = array.copy("K") if isinstance(array, Rows) else streams.copy_to_fill(array)
    draw_into(lambda x: modes.quiet(fill, x), fresh)
    commit(self, fresh, history)
    return self


_filler(
    "uniform_(Tensor input, float from=0, float to=1, *, Generator? generator=None) -> Tensor",
    "UniformBackward0",
    streams.uniform_,
    {"from": 0.0, "to": 1.0},
    """
    Filled with numbers uniform in [from, to).

    Shapes: any.
    Dtypes: float.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(2).uniform_(-1, 1)
    tensor([-0.0075,  0.5364])
    """,
)
_filler(
    "normal_(Tensor input, float mean=0, float std=1, *, Generator? generator=None) -> Tensor",
    "NormalBackward0",
    streams.normal_,
    {"mean": 0.0, "std": 1.0},
    """
    Filled with normal numbers.

    Shapes: any.
    Dtypes: float and complex.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(2).normal_(mean=5, std=0.1)
    tensor([5.1541, 4.9707])
    """,
)
_filler(
    "exponential_(Tensor input, float lambd=1, *, Generator? generator=None) -> Tensor",
    "ExponentialBackward0",
    D.exponential_,
    {"lambd": 1.0},
    """
    Filled with numbers of an exponential distribution with rate lambd.

    Shapes: any.
    Dtypes: float.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(2).exponential_()
    tensor([3.5083, 1.2304])
    """,
)
_filler(
    "geometric_(Tensor input, float p, *, Generator? generator=None) -> Tensor",
    "GeometricBackward0",
    D.geometric_,
    {"p": None},
    """
    Filled with numbers of attempts until one with probability p succeeds.

    Shapes: any.
    Dtypes: any but bool and complex.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(3).geometric_(0.5)
    tensor([1., 1., 2.])
    """,
)
_filler(
    "cauchy_(Tensor input, float median=0, float sigma=1, *, Generator? generator=None) -> Tensor",
    "CauchyBackward0",
    D.cauchy_,
    {"median": 0.0, "sigma": 1.0},
    """
    Filled with numbers of a Cauchy distribution.

    Shapes: any.
    Dtypes: float.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(2).cauchy_()
    tensor([10.5977,  0.7648])
    """,
)
_filler(
    "log_normal_(Tensor input, float mean=1, float std=2, *, Generator? generator=None) -> Tensor",
    "LogNormalBackward0",
    D.log_normal_,
    {"mean": 1.0, "std": 2.0},
    """
    Filled with numbers whose logarithm is normal.

    Shapes: any.
    Dtypes: float.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(2).log_normal_()
    tensor([59.2634,  1.5116])
    """,
)

_RANDOM = [Op("random", lambda input: input, node=f"RandomBackward{i}", vjp=_ZERO) for i in range(3)]
_BERNOULLI = Op("bernoulli", lambda input: input, node="BernoulliBackward2", vjp=_ZERO)
_BERNOULLI_TENSOR = Op(
    "bernoulli",
    lambda input, p: input,
    "input p",
    node="BernoulliBackward1",
    vjp={"input": lambda F, grad: F.zeros_like(grad), "p": lambda F, grad: F.zeros_like(grad)},
)


@composite(
    """
    random_(Tensor input, *, Generator? generator=None) -> Tensor
    random_(Tensor input, int from, int? to, *, Generator? generator=None) -> Tensor|.from
    random_(Tensor input, int to, *, Generator? generator=None) -> Tensor|.to
    """,
    function=False,
)
@instead(lambda call, args, kwargs: _asked("random_", _RANDOM[0], args[0], args[1:], kwargs))
def random_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Filled with random integers: of [from, to), of [0, to), or of all that the dtype holds exactly.
    main: 2

    Shapes: any.
    Dtypes: real numbers and bool.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(3).random_(0, 10)
    tensor([4., 9., 3.])
    """
    index, values = bind("random_", args, kwargs, "Tensor")
    bounds = () if index == 0 else (values["from"], values["to"]) if index == 1 else (values["to"],)
    entry = _RANDOM[(2, 0, 1)[index]]
    return _in_place(entry, self, lambda x: streams.random_(x, *bounds, generator=values["generator"]))


def _asked_bernoulli(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    p = args[0] if args else kwargs.get("p")
    if isinstance(p, Tensor):
        return _asked("bernoulli_", _BERNOULLI_TENSOR, self, args, kwargs, (p,))
    return _asked("bernoulli_", _BERNOULLI, self, args, kwargs)


@composite(
    """
    bernoulli_(Tensor input, Tensor p, *, Generator? generator=None) -> Tensor|.Tensor
    bernoulli_(Tensor input, float p=0.5, *, Generator? generator=None) -> Tensor|.float
    """,
    function=False,
)
@instead(lambda call, args, kwargs: _asked_bernoulli(*args, **kwargs))
def bernoulli_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Filled with 1 with probability p, else 0.
    main: 2

    Shapes: any.
    ~draw

    >>> _ = torch.manual_seed(0)
    >>> torch.zeros(4).bernoulli_(0.5)
    tensor([0., 0., 1., 0.])
    """
    index, values = bind("bernoulli_", args, kwargs, "Tensor")
    p, source = values["p"], values["generator"]
    if index == 0:
        chances = to_draw(p._array) if modes.LOCAL.state.mapped else p._array
        if len(levels_of(chances.shape)) > len(levels_of(self._array.shape)) and type(p._array) is Rows:
            raise RuntimeError(errors.ROWS_INPLACE.format("inplace bernoulli", "in a vmap"))
        if type(chances) is np.ndarray and type(self._array) is np.ndarray:
            chances = RAW.expand(chances, self._array.shape)
        return _in_place(_BERNOULLI_TENSOR, self, lambda x: D.bernoulli_tensor_(x, all_rows(chances), source), p)
    return _in_place(_BERNOULLI, self, lambda x: D.bernoulli_(x, p, source))
