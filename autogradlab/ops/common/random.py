"""Random tensors: made new, made like another, filled in place. The numbers are streams.py's and distributions.py's."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.graph.node import NO_EDGE
from ...core.memory.layout import like
from ...core.random import distributions as D
from ...core.random import generator, streams
from ...core.random.generator import default_generator
from ...core.recording.record import start_node
from ...core.runtime import modes
from ...core.tensor.tensor import Tensor, gradient_edge, wrap
from ...core.types import dtypes
from ...core.types.dtypes import get_default_dtype
from ..table.creation import (
    bind,
    check_out,
    check_sizes,
    default,
    default_device,
    finished,
    into,
    options,
    quick,
    quick_shape,
    resize_out,
)
from ..table.opdef import OPS, Op, composite, op

_LONG_OUT = "multinomial expects Long tensor out, got: {}"

# -- Generator: states are tensors -------------------------------------------------------------------------------------


class Generator(generator.Generator):
    """A stream of random numbers that can be seeded, saved and restored (mirrors `torch.Generator`).

    Errors: RuntimeError for a device that this build lacks.

    >>> import autogradlab as torch
    >>> g = torch.Generator().manual_seed(0)
    >>> torch.rand(2, generator=g)
    tensor([0.4963, 0.7682])
    """

    __slots__ = ()
    __module__ = "torch._C"

    def get_state(self) -> Any:
        """All that the next numbers depend on: a uint8 tensor of 5056 elements."""
        return wrap(generator.Generator.get_state(self))

    def set_state(self, new_state: Any) -> Any:
        """Go back to where `get_state` was called; returns the generator.

        Errors: TypeError if it is no uint8 tensor, RuntimeError for a wrong length or an impossible state.
        """
        generator.Generator.set_state(self, new_state._array if isinstance(new_state, Tensor) else new_state)
        return self


default_generator.__class__ = Generator


def get_rng_state() -> Tensor:
    """The state of the default generator (mirrors `torch.get_rng_state`)."""
    return default_generator.get_state()  # type: ignore[return-value]


def set_rng_state(new_state: Tensor) -> None:
    """Restore the default generator's state (mirrors `torch.set_rng_state`).

    >>> import autogradlab as torch
    >>> state = torch.get_rng_state()
    >>> a = torch.rand(2)
    >>> torch.set_rng_state(state)
    >>> torch.equal(a, torch.rand(2))
    True
    """
    default_generator.set_state(new_state)  # type: ignore[arg-type]


# -- new tensors -------------------------------------------------------------------------------------------------------


def _made(name: str, values: dict[str, Any], fill: Any, integer: bool = False) -> Tensor:
    """Fill a new tensor, or out=, by `fill(array, generator)`."""
    kind, out, source = options(values), values.get("out"), values.get("generator")
    shape = check_sizes(values["size"])
    if out is not None:
        check_out(name, out, kind)
        resize_out(out, shape)
        modes.quiet(fill, out._array, source)
        if values["requires_grad"]:
            out.requires_grad_(True)
        return out  # type: ignore[no-any-return]
    numpy = default(kind) if not integer else (kind or dtypes.int64).numpy
    array = np.empty(shape, numpy)
    modes.quiet(fill, array, source)
    return finished(array, values["requires_grad"])


def _simple(name: str, draw: Any, fill: Any, doc: str) -> None:
    def create(*size: Any, **kwargs: Any) -> Tensor:
        if not kwargs or quick(kwargs):
            shape = quick_shape(size)
            if shape is not None and (kwargs or default_device() is None):
                kind = kwargs.get("dtype") or get_default_dtype()
                return finished(modes.quiet(draw, shape, kind.numpy), kwargs.get("requires_grad", False))
        _, values = bind(name, size, kwargs)
        return _made(name, values, fill)

    create.__doc__ = doc
    composite(method=False, name=name)(create)

    def create_like(*args: Any, **kwargs: Any) -> Tensor:
        _, values = bind(f"{name}_like", args, kwargs)
        x = values["input"]._array
        kind = options(values)
        array = like(x, x.dtype if kind is None else kind.numpy, values["memory_format"], zero=False)
        modes.quiet(fill, array, values.get("generator"))
        return finished(array, values["requires_grad"])

    create_like.__doc__ = f"{name}() of the size, dtype and memory order of the argument."
    composite(method=False, name=f"{name}_like")(create_like)


_simple(
    "rand",
    streams.rand,
    lambda out, g: streams.uniform_(out, 0.0, 1.0, g),
    """rand(*size, generator=None, dtype=None, requires_grad=False): numbers spread evenly over [0, 1).

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.rand(2)
    tensor([0.4963, 0.7682])
    """,
)
_simple(
    "randn",
    streams.randn,
    lambda out, g: streams.normal_(out, 0.0, 1.0, g),
    """randn(*size, generator=None, dtype=None, requires_grad=False): normal numbers of mean 0 and deviation 1.

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randn(3)
    tensor([ 1.5410, -0.2934, -2.1788])
    """,
)


@composite(method=False)
def randint(*args: Any, **kwargs: Any) -> Tensor:
    """randint(high, size), randint(low, high, size): integers of [low, high).

    Errors: RuntimeError if there are none, or if the dtype cannot hold them.

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randint(10, (4,))
    tensor([4, 9, 3, 0])
    """
    _, values = bind("randint", args, kwargs)
    low, high = values.get("low", 0), values["high"]
    return _made("randint", values, lambda out, g: streams.random_(out, low, high, generator=g), integer=True)


@composite(method=False)
def randint_like(*args: Any, **kwargs: Any) -> Tensor:
    """randint_like(input, high), randint_like(input, low, high): randint() of the size and dtype of the argument."""
    _, values = bind("randint_like", args, kwargs)
    low, high = values.get("low", 0), values["high"]
    if isinstance(high, Tensor):
        high = int(high.item())
    x = values["input"]._array
    kind = options(values)
    array = like(x, x.dtype if kind is None else kind.numpy, values["memory_format"], zero=False)
    modes.quiet(lambda: streams.random_(array, low, high, generator=values.get("generator")))
    return finished(array, values["requires_grad"])


@composite(method=False)
def randperm(*args: Any, **kwargs: Any) -> Tensor:
    """randperm(n): the numbers 0 … n-1 shuffled.

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.randperm(4)
    tensor([0, 1, 3, 2])
    """
    _, values = bind("randperm", args, kwargs)
    kind, out = options(values), values["out"]
    if out is not None:
        check_out("randperm", out, kind)
        kind = out.dtype
    array = modes.quiet(streams.randperm, values["n"], (kind or dtypes.int64).numpy, values.get("generator"))
    return finished(array, values["requires_grad"]) if out is None else into("randperm", out, array)


# -- drawn from tensors of parameters: no gradient flows through a draw ------------------------------------------------

_ZERO = {"input": lambda F, grad: F.zeros_like(grad)}
_NORMALS = {
    1: Op(
        "normal",
        lambda mean, std, g: streams.normal_tensor(mean, std, g),
        "mean",
        node="NormalBackward1",
        vjp={"mean": lambda F, grad: F.zeros_like(grad)},
    ),
    2: Op(
        "normal",
        lambda mean, std, g: streams.normal_tensor(mean, std, g),
        "std",
        node="NormalBackward2",
        vjp={"std": lambda F, grad: F.zeros_like(grad)},
    ),
    0: Op(
        "normal",
        lambda mean, std, g: streams.normal_tensor(mean, std, g),
        "mean std",
        node="NormalBackward3",
        vjp={"mean": lambda F, grad: F.zeros_like(grad), "std": lambda F, grad: F.zeros_like(grad)},
    ),
}


@composite(method=False)
def normal(*args: Any, **kwargs: Any) -> Tensor:
    """normal(mean, std), tensors or numbers, normal(mean, std, size): normal numbers.

    Errors: RuntimeError for a negative deviation.

    >>> import autogradlab as torch
    >>> _ = torch.manual_seed(0)
    >>> torch.normal(torch.tensor([0., 10.]), 1.)
    tensor([1.5410, 9.7066])
    """
    index, values = bind("normal", args, kwargs)
    mean, std = values["mean"], values["std"]
    if index == 3:
        return _made("normal", values, lambda out, g: streams.normal_(out, mean, std, g))
    more = {} if values["out"] is None else {"out": values["out"]}
    result: Tensor = _NORMALS[index].call(mean, std, values["generator"], **more)
    return result


@op("bernoulli", vjp=_ZERO, node="BernoulliBackward0", method=False, function=False)
def _bernoulli(input, generator=None):
    return D.bernoulli(input, generator)


@composite()
def bernoulli(*args: Any, **kwargs: Any) -> Tensor:
    """bernoulli(input): 1 with the chance that each element gives, else 0; bernoulli(input, p): 1 with chance p.

    >>> import autogradlab as torch
    >>> torch.bernoulli(torch.tensor([0., 1.]))
    tensor([0., 1.])
    """
    index, values = bind("bernoulli", args, kwargs)
    x, source = values["input"], values["generator"]
    if index == 1:
        result: Tensor = finished(like(x._array, x._array.dtype)).bernoulli_(values["p"], generator=source)
        return result
    more = {} if values["out"] is None else {"out": values["out"]}
    drawn: Tensor = OPS["bernoulli"].call(x, source, **more)
    return drawn


@op("poisson", vjp=_ZERO, method=False)
def poisson(input, generator=None):
    """poisson(input): Poisson numbers of the rates in `input`."""
    return D.poisson(input, generator)


@composite(method=False)
def binomial(*args: Any, **kwargs: Any) -> Tensor:
    """binomial(count, prob): how many of `count` trials of chance `prob` succeed."""
    _, values = bind("binomial", args, kwargs)
    drawn = modes.quiet(D.binomial, values["count"]._array, values["prob"]._array, values["generator"])
    return finished(np.asarray(drawn))


@composite()
def multinomial(*args: Any, **kwargs: Any) -> Tensor:
    """multinomial(input, num_samples, replacement=False): indices drawn by the weights in each row.

    Errors: RuntimeError for weights that are no distribution, or for more samples than there are indices.

    >>> import autogradlab as torch
    >>> torch.multinomial(torch.tensor([0., 0., 1.]), 3, replacement=True)
    tensor([2, 2, 2])
    """
    _, values = bind("multinomial", args, kwargs)
    out = values["out"]
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(_LONG_OUT.format(dtypes._scalar_name(out.dtype)))
    drawn = modes.quiet(
        D.multinomial, values["input"]._array, values["num_samples"], values["replacement"], values["generator"]
    )
    return finished(np.asarray(drawn)) if out is None else into("multinomial", out, drawn)


@composite(method=False)
def _standard_gamma(*args: Any, **kwargs: Any) -> Tensor:
    """Gamma numbers of the shapes in `input` and scale 1; without a gradient."""
    _, values = bind("_standard_gamma", args, kwargs)
    return finished(np.asarray(modes.quiet(D.standard_gamma, values["input"]._array, values["generator"])))


# -- filled in place ---------------------------------------------------------------------------------------------------


def _filler(name: str, node: str, fill: Any, names: tuple[str, ...], doc: str) -> None:
    """The method `name_`, which fills by `fill(array, *arguments, generator=)`; its Node passes zeros on."""
    entry = Op(name, lambda input: input, node=node, vjp=_ZERO)
    full = name + "_"

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        _, values = bind(full, args, kwargs, "Tensor")
        given = [values[n] for n in names if n in values]
        return _in_place(entry, self, lambda x: fill(x, *given, generator=values["generator"]))

    method.__doc__ = doc
    composite(function=False, name=full)(method)


def _in_place(entry: Op, self: Tensor, fill: Any, other: Tensor | None = None) -> Tensor:
    from ...core.memory.versions import increment_version
    from ...core.recording.views import check_inplace, rebase

    local = modes.LOCAL.state
    edges = [NO_EDGE]
    if local.record:
        edges = [gradient_edge(t) for t in (self, other) if t is not None]
    recording = any(edge is not NO_EDGE for edge in edges)
    if recording:
        check_inplace(self)
    modes.quiet(fill, self._array)
    increment_version(self)
    if recording:
        node = start_node(entry.node_class, tuple(edges), self._array.shape, self._array.dtype, ())
        rebase(self, node)
    return self


_filler(
    "uniform",
    "UniformBackward0",
    streams.uniform_,
    ("from", "to"),
    "uniform_(from=0, to=1): fill with numbers spread evenly over [from, to).",
)
_filler(
    "normal", "NormalBackward0", streams.normal_, ("mean", "std"), "normal_(mean=0, std=1): fill with normal numbers."
)
_filler(
    "exponential",
    "ExponentialBackward0",
    D.exponential_,
    ("lambd",),
    "exponential_(lambd=1): fill with exponential numbers of rate lambd.",
)
_filler(
    "geometric",
    "GeometricBackward0",
    D.geometric_,
    ("p",),
    "geometric_(p): fill with the number of trials up to the first success.",
)
_filler(
    "cauchy", "CauchyBackward0", D.cauchy_, ("median", "sigma"), "cauchy_(median=0, sigma=1): fill with Cauchy numbers."
)
_filler(
    "log_normal",
    "LogNormalBackward0",
    D.log_normal_,
    ("mean", "std"),
    "log_normal_(mean=1, std=2): fill with numbers whose logarithms are normal.",
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


@composite(function=False)
def random_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """random_(), random_(to), random_(from, to): fill with integers of [from, to), without bounds up to the largest."""
    index, values = bind("random_", args, kwargs, "Tensor")
    bounds = () if index == 0 else (values["from"], values["to"]) if index == 1 else (values["to"],)
    entry = _RANDOM[(2, 0, 1)[index]]
    return _in_place(entry, self, lambda x: streams.random_(x, *bounds, generator=values["generator"]))


@composite(function=False)
def bernoulli_(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """bernoulli_(p=0.5): fill with 1 with chance p (a number or a tensor), else 0."""
    index, values = bind("bernoulli_", args, kwargs, "Tensor")
    p, source = values["p"], values["generator"]
    if index == 0:
        return _in_place(_BERNOULLI_TENSOR, self, lambda x: D.bernoulli_tensor_(x, p._array, source), p)
    return _in_place(_BERNOULLI, self, lambda x: D.bernoulli_(x, p, source))
