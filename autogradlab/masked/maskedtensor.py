"""Tensors with a mask of their own, through which operations see them (mirrors `torch.masked.MaskedTensor`).

Such a tensor has no memory: its data and its mask are plain tensors beside it, and `__torch_dispatch__` says of each
operator what it does with them. Reductions go to the functions of `torch.masked`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import heard

__all__ = ["MaskedTensor", "as_masked_tensor", "is_masked_tensor", "masked_tensor"]

Tensor = torch.Tensor
_lib: Any = torch  # which has more than its stubs tell

_PROTOTYPE = (
    "The PyTorch API of MaskedTensors is in prototype stage and will change in the near future. Please open a Github "
    "issue for features requests and see our documentation on the torch.masked module for further information about "
    "the project."
)
_WITH_GRADIENT = (
    "It is not recommended to create a MaskedTensor with a tensor that requires_grad. To avoid this, you can use "
    "data.detach().clone()"
)
_ABSENT = (
    "{} is not implemented in __torch_dispatch__ for MaskedTensor.\n"
    "If you would like this operator to be supported, please file an issue for a feature request at "
    "https://github.com/pytorch/maskedtensor/issues with a minimal reproducible code snippet.\n"
    "In the case that the semantics for the operator are not trivial, it would be appreciated to also include a "
    "proposal for the semantics."
)
_ASK = "If you need support for this, please open an issue on Github."
_DTYPES = ("float16", "float32", "float64", "bool", "int8", "int16", "int32", "int64")


def _words(text: str) -> set[str]:
    return set(text.split())


#: operators that do the same to the data and to the mask
_ALIKE = _words(
    """_reshape_alias _unsafe_view cat col2im expand im2col index select select_backward slice slice_backward split
    stack t transpose unfold unfold_backward unsqueeze view"""
)
#: operators of one tensor, which leave the mask as it is; those in place among them end in _
_UNARY = _words(
    """abs absolute acos acosh angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not
    ceil clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0
    isnan lgamma log log10 log1p log2 logit nan_to_num neg negative positive pow rad2deg reciprocal round rsqrt
    sgn sigmoid sign signbit sin sinc sinh sqrt square tan tanh trunc"""
)
_UNARY_IN_PLACE = {f"{name}_" for name in _UNARY - {"angle", "positive", "signbit", "isnan"}}
#: operators of two tensors, whose masks have to be the same
_BINARY = _words(
    """add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor div divide eq
    floor_divide fmax fmin fmod ge greater greater_equal gt le less less_equal logaddexp logaddexp2 lt maximum
    minimum mul multiply ne nextafter not_equal remainder sub subtract true_divide"""
)
_BINARY_IN_PLACE = {f"{name}_" for name in _BINARY - {"logaddexp", "logaddexp2", "fmin", "minimum", "maximum", "fmax"}}
_REDUCTIONS = ("sum", "mean", "amin", "amax", "argmin", "argmax", "prod", "all", "norm", "var", "std")


def is_masked_tensor(obj: Any, /) -> bool:
    """Whether an object is a MaskedTensor.

    Example:
        >>> import autogradlab as torch
        >>> torch.masked.is_masked_tensor(torch.ones(1))
        False

    Mirrors `torch.masked.is_masked_tensor`.
    """
    return isinstance(obj, MaskedTensor)


def _masks_match(*given: Any) -> bool:
    """Whether the masks of two values are the same; True where not both are MaskedTensors."""
    if not all(map(is_masked_tensor, given)):
        return True
    first, second = (x.get_mask() for x in given)
    return first.dim() == second.dim() and bool(torch.eq(first, second).all())


def _data(x: Any) -> Any:
    return x._masked_data if is_masked_tensor(x) else x


def _each(x: Any, of: Callable[[MaskedTensor], Tensor]) -> Any:
    """A value with plain tensors in place of the MaskedTensors in it."""
    if is_masked_tensor(x):
        return of(x)
    if isinstance(x, (list, tuple)):
        return type(x)(_each(one, of) for one in x)
    return x


def _rows(data: Tensor, mask: Tensor, width: str) -> str:
    """The elements of a tensor as text, in brackets, those that are hidden as dashes."""
    if data.dim() == 1:
        texts = [width.format(x) if isinstance(x, float) else str(x) for x in data.tolist()]
        shown = mask.tolist()
        longest = max(8 if not seen else len(text) for text, seen in zip(texts, shown, strict=True))
        parts = [text if seen else "--".rjust(longest) for text, seen in zip(texts, shown, strict=True)]
        return f"[{', '.join(parts)}]"
    inner = [_rows(d, m, width) for d, m in zip(data, mask, strict=True)]
    return "[\n" + ",\n".join("\n".join(f"  {line}" for line in one.split("\n")) for one in inner) + "\n]"


def _misfit(data: Tensor, mask: Tensor) -> Exception | None:
    """What is wrong about data and their mask."""
    if len({type(data), type(mask)}) > 1:
        return TypeError(f"data and mask must have the same type. Got {type(data)} and {type(mask)}")
    if mask.dtype is not torch.bool:
        return TypeError("mask must have dtype bool.")
    if str(data.dtype).removeprefix("torch.") not in _DTYPES:
        return TypeError(f"{data.dtype} is not supported in MaskedTensor.")
    for measure in ("dim", "size"):
        if getattr(data, measure)() != getattr(mask, measure)():
            return ValueError(f"data.{measure}() must equal mask.{measure}()")
    return None


class MaskedTensor(Tensor, deferred=True):
    """A tensor of which some elements count and others are hidden.

    data, mask: plain tensors of one shape; an element counts where the mask is True.

    Errors: TypeError for a mask that is not bool and data of other dtypes; ValueError for different shapes.

    Example:
        >>> import autogradlab as torch
        >>> import warnings
        >>> warnings.simplefilter('ignore')
        >>> x = torch.masked.masked_tensor(torch.arange(4.), torch.tensor([True, False, True, True]))
        >>> x
        MaskedTensor(
          [  0.0000,       --,   2.0000,   3.0000]
        )
        >>> x.mean()
        MaskedTensor(  1.6667, True)

    Mirrors `torch.masked.MaskedTensor`.
    """

    __module__ = "torch.masked.maskedtensor.core"
    _masked_data: Tensor
    _masked_mask: Tensor

    @staticmethod
    def __new__(cls, data: Any, mask: Any, requires_grad: bool = False) -> Any:
        for name, given in (("data", data), ("mask", mask)):
            if is_masked_tensor(given) or not torch.is_tensor(given):
                raise TypeError(f"{name} must be a Tensor")
        heard(cls)
        warnings.warn(_PROTOTYPE, UserWarning, stacklevel=2)
        if data.requires_grad:
            warnings.warn(_WITH_GRADIENT, UserWarning, stacklevel=2)
        options = {"device": data.device, "dtype": data.dtype, "layout": data.layout, "requires_grad": requires_grad}
        return _lib.Tensor._make_wrapper_subclass(cls, data.size(), strides=data.stride(), **options)

    def __init__(self, data: Any, mask: Any, requires_grad: bool = False) -> None:
        self._set_data_mask(data.clone(), mask.clone())

    def _set_data_mask(self, data: Tensor, mask: Tensor) -> None:
        """Take data and a mask, if they fit each other."""
        if (error := _misfit(data, mask)) is not None:
            raise error
        self._masked_data, self._masked_mask = data, mask

    @staticmethod
    def _from_values(data: Any, mask: Any) -> MaskedTensor:
        """The same with the history of the data."""
        made: MaskedTensor = Constructor.apply(data, mask)
        return made

    def __repr__(self) -> str:  # type: ignore[override]
        data, mask = self._masked_data, self._masked_mask
        if data.dim():
            text = "\n".join(f"  {line}" for line in _rows(data, mask, "{0:8.4f}").split("\n"))
            return f"MaskedTensor(\n{text}\n)"
        value, shown = data.item(), mask.item()
        text = f"{value:8.4f}" if isinstance(value, float) else str(value)
        return f"MaskedTensor({text if shown else '--'}, {shown})"

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec)

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        own = _FUNCTIONS().get(func)
        if own is not None:
            return own(*args, **kwargs)
        if not all(issubclass(cls, t) for t in types):
            return NotImplemented
        with _lib._C.DisableTorchFunctionSubclass():
            return func(*args, **kwargs)

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        packet = func.overloadpacket
        name, kwargs = packet.__name__, kwargs or {}
        if name in _OPERATORS:
            return _OPERATORS[name](packet, *args, **kwargs)
        if name in _REDUCTIONS:
            return _reduced(name, *args, **kwargs)
        for names, apply in _FAMILIES:
            if name in names:
                return apply(packet, args, kwargs)
        warnings.warn(_ABSENT.format(name), UserWarning, stacklevel=2)
        return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return MaskedTensor(self.get_data() < _data(other), self.get_mask())

    def to_tensor(self, value: Any) -> Tensor:
        """The data, with a value where they are hidden."""
        return self.get_data().masked_fill(~self.get_mask(), value)

    def get_data(self) -> Tensor:
        """The data, also those that are hidden."""
        found: Tensor = GetData.apply(self)
        return found

    def get_mask(self) -> Tensor:
        """The mask."""
        return self._masked_mask

    def is_sparse_coo(self) -> bool:
        """Whether the data are sparse: never."""
        return False

    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        """Whether the data are sparse: never."""
        return False


# -- with history ------------------------------------------------------------------------------------------------------


class Constructor(torch.autograd.Function):
    """Data and a mask as a MaskedTensor; its gradient is that of the data."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any) -> Any:
        return MaskedTensor(data, mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, None


def _plain(ctx: Any, grad: Any) -> Any:
    return grad._masked_data if is_masked_tensor(grad) else grad, None


#: the same of what a reduction has found: its derivative is one of plain tensors, so it gets the plain gradient
_Reduced: Any = type("Constructor", (Constructor,), {"backward": staticmethod(_plain)})


class GetData(torch.autograd.Function):
    """The data of a MaskedTensor; where they are hidden, so is the gradient."""

    @staticmethod
    def forward(ctx: Any, masked: Any) -> Any:
        ctx.mask = masked.get_mask()
        return masked._masked_data.detach()

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad if is_masked_tensor(grad) else MaskedTensor(grad, ctx.mask)


class Combine(torch.autograd.Function):
    """What a reduction sees of data, by a function of them and the mask."""

    @staticmethod
    def forward(ctx: Any, data: Any, mask: Any, see: Callable[[Tensor, Any], Tensor]) -> Any:
        ctx.save_for_backward(mask)
        if mask is not None:
            ctx.mark_non_differentiable(mask)
        return see(data, mask)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (mask,) = ctx.saved_tensors
        return as_masked_tensor(grad.get_data() if is_masked_tensor(grad) else grad, mask), None, None


class _MaskedContiguous(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        if not is_masked_tensor(input):
            raise ValueError("MaskedContiguous forward: input must be a MaskedTensor.")
        if input._masked_data.is_contiguous():
            return input
        return MaskedTensor(input.get_data().contiguous(), input.get_mask().contiguous())

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad


class _MaskedWhere(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, condition: Any, input: Any, other: Any) -> Any:
        ctx.mark_non_differentiable(condition)
        ctx.save_for_backward(condition)
        return _where(_lib.ops.aten.where, condition, input, other)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (condition,) = ctx.saved_tensors
        hidden = MaskedTensor(grad.get_data(), torch.zeros_like(grad.get_mask()))
        where = _lib.ops.aten.where
        return None, _where(where, condition, grad, hidden), _where(where, condition, hidden, grad)


# -- functions ---------------------------------------------------------------------------------------------------------


def _any_of(mask: Tensor, dim: Any, keepdim: bool) -> Tensor:
    for d in sorted([dim] if isinstance(dim, int) else dim, reverse=True):
        mask = torch.any(mask, dim=d, keepdim=keepdim)
    return mask


def _all_of(data: Tensor, mask: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    seen = data.masked_fill(~mask, True)
    return seen.all() if dim is None else torch.all(seen, dim=dim, keepdim=keepdim)


def _reduced(name: str, *args: Any, **kwargs: Any) -> Any:
    """A reduction, of all elements or along dimensions."""
    if len(args) == 1 and not kwargs:
        input = args[0]
        mask = input.get_mask()
        found = _all_of(input.get_data(), mask) if name == "all" else getattr(_lib.masked, name)(input, mask=mask)
        return _Reduced.apply(found, torch.any(mask))
    return _reduced_along(name, *_reduce_dim_args(*args, **kwargs))


def _reduce_dim_args(input: Any, dim: Any, keepdim: bool = False, dtype: Any = None) -> tuple[Any, ...]:
    return input, dim, keepdim, dtype


def _reduced_along(name: str, input: Any, dim: Any, keepdim: bool, dtype: Any) -> Any:
    if not is_masked_tensor(input):
        raise TypeError("Input to reduce_dim must be a MaskedTensor")
    mask = input.get_mask()
    if name == "all":
        found = _all_of(input.get_data(), mask, dim, keepdim)
    else:
        found = getattr(_lib.masked, name)(input, dim=dim, keepdim=keepdim, dtype=dtype, mask=mask)
    return _Reduced.apply(found, _any_of(mask, dim, keepdim))


def _three(*args: Any, **kwargs: Any) -> Any:
    _check("__torch_function__, torch.where", args, kwargs, 3, 0)
    return _MaskedWhere.apply(*args)


_functions: dict[Any, Callable[..., Any]] = {}


def _FUNCTIONS() -> dict[Any, Callable[..., Any]]:
    """The functions and methods that MaskedTensors answer themselves."""
    if not _functions:
        for name in _REDUCTIONS:
            for space in (torch, Tensor):
                _functions[getattr(space, name)] = lambda *args, name=name, **kwargs: _reduced(name, *args, **kwargs)
        _functions[torch.where] = _functions[Tensor.where] = _three
        _functions[Tensor.contiguous] = lambda input, *args, **kwargs: _MaskedContiguous.apply(input)
        _functions[Tensor.to_dense] = lambda input, *args, **kwargs: input
    return _functions


# -- operators ---------------------------------------------------------------------------------------------------------


def _check(prefix: str, args: Sequence[Any], kwargs: Any, length: int | None, named: int | None = None) -> None:
    if length is not None and len(args) != length:
        raise ValueError(f"{prefix}: len(args) must be {length} but got {len(args)}")
    if named is not None and len(kwargs) != named:
        raise ValueError(f"{prefix}: len(kwargs) must be {named} but got {len(kwargs)}")


def _wrapped(data: Any, mask: Any) -> Any:
    if isinstance(data, (list, tuple)):
        return type(data)(_wrapped(d, m) for d, m in zip(data, mask, strict=False))
    return MaskedTensor(data, mask) if torch.is_tensor(data) else NotImplemented


def _alike(packet: Any, args: Any, kwargs: Any) -> Any:
    data = packet(*_each(args, lambda x: x._masked_data), **kwargs)
    return _wrapped(data, packet(*_each(args, lambda x: x._masked_mask), **kwargs))


def _unary(packet: Any, args: Any, kwargs: Any) -> Any:
    if kwargs:
        raise ValueError(f"MaskedTensor unary ops require that len(kwargs) == 0. {_ASK}")
    if any(torch.is_tensor(a) for a in args[1:]):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    mask = args[0]._masked_mask
    found = packet(*_each(args, lambda x: x._masked_data))
    if not packet.__name__.endswith("_"):
        return _wrapped(found, mask)
    args[0]._set_data_mask(found, mask)
    return args[0]


def _binary(packet: Any, args: Any, kwargs: Any) -> Any:
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if any(torch.is_tensor(a) for a in args[2:]):
        raise TypeError("MaskedTensor binary ops do not support Tensor arguments aside from the lhs and rhs")
    if not _masks_match(*args[:2]):
        raise ValueError(f"Input masks must match. {_ASK}")
    found = packet(*_each(args, lambda x: x._masked_data))
    if packet.__name__.endswith("_"):
        args[0]._set_data_mask(found, _each(args[0], lambda x: x._masked_mask))
        return args[0]
    mask = next(x.get_mask() for x in args[:2] if is_masked_tensor(x))
    return _wrapped(found, mask.expand_as(found))


_FAMILIES = (
    (_ALIKE, _alike),
    (_UNARY | _UNARY_IN_PLACE, _unary),
    (_BINARY | _BINARY_IN_PLACE, _binary),
)


def _said(packet: Any) -> str:
    return f"__torch_dispatch__, {packet}"


def _on_data(packet: Any, *args: Any, **kwargs: Any) -> Any:
    return MaskedTensor(packet(args[0]._masked_data), args[0]._masked_mask)


def _to_copy(packet: Any, *args: Any, **kwargs: Any) -> Any:
    data = packet(args[0]._masked_data, *args[1:], **kwargs)
    return MaskedTensor(data, packet(args[0]._masked_mask, *args[1:], **{**kwargs, "dtype": torch.bool}))


def _ones_like(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 1)
    return MaskedTensor(packet(args[0]._masked_data, **kwargs), args[0]._masked_mask)


def _softmax(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 3, 0)
    data, mask = args[0]._masked_data, args[0]._masked_mask
    return MaskedTensor(_lib._masked_softmax(data, ~mask, args[1], 2), mask)


def _softmax_back(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 4)
    grad, output, dim, _ = args
    if not is_masked_tensor(grad) or not is_masked_tensor(output):
        raise ValueError(f"{_said(packet)}: grad and output must both be MaskedTensors")
    if not _masks_match(grad, output):
        raise ValueError(f"{_said(packet)}: expected the masks of grad and output to match")
    data, mask = grad._masked_data, grad._masked_mask
    result = output._masked_data.masked_fill(~mask, 0)
    return MaskedTensor((data - (data * result).sum(dim, keepdim=True)) * result, mask)


def _copy(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 2)
    packet(_data(args[0]), _data(args[1]))
    return args[0]


def _where(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 3, 0)
    if not torch.is_tensor(args[0]):
        raise ValueError(f"{_said(packet)}: expected args[0] to be a tensor")
    given: list[Any] = [t if torch.is_tensor(t) else torch.tensor(t) for t in args[1:]]
    x, y = (t if is_masked_tensor(t) else MaskedTensor(t, torch.ones_like(t, dtype=torch.bool)) for t in given)
    data = packet(args[0], x._masked_data, y._masked_data)
    return MaskedTensor(data, packet(args[0], x._masked_mask, y._masked_mask))


def _number(packet: Any, *args: Any, **kwargs: Any) -> Any:
    if not args[0]._masked_mask:
        raise ValueError(f"{_said(packet)}: expected a mask tensor")
    return packet(args[0]._masked_data)


def _same_size(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 2)
    return _data(args[0]).is_same_size(_data(args[1]))


def _new_strided(packet: Any, *args: Any, **kwargs: Any) -> Any:
    _check(_said(packet), args, kwargs, 3)
    data = args[0]._masked_data
    if tuple(args[1]) != tuple(data.size()):
        raise ValueError(f"{_said(packet)}: args[1] expected to be the same as data.size()")
    return MaskedTensor(packet(data, args[1], args[2], **kwargs), args[0]._masked_mask)


_OPERATORS: dict[str, Callable[..., Any]] = {
    "clone": _on_data,
    "detach": _on_data,
    "_to_copy": _to_copy,
    "ones_like": _ones_like,
    "_softmax": _softmax,
    "_softmax_backward_data": _softmax_back,
    "copy_": _copy,
    "where": _where,
    "_local_scalar_dense": _number,
    "is_same_size": _same_size,
    "new_empty_strided": _new_strided,
    "contiguous": lambda packet, input, *args, **kwargs: _MaskedContiguous.apply(input),
}


def masked_tensor(data: Any, mask: Any, requires_grad: bool = False) -> MaskedTensor:
    """A MaskedTensor without history: the elements of `data` where `mask`, a tensor of bools of its shape, is True.

    Example:
        >>> import autogradlab as torch
        >>> import warnings
        >>> warnings.simplefilter('ignore')
        >>> torch.masked.masked_tensor(torch.tensor([1., 2.]), torch.tensor([True, False]))
        MaskedTensor(
          [  1.0000,       --]
        )

    Mirrors `torch.masked.masked_tensor`.
    """
    return MaskedTensor(data, mask, requires_grad)


def as_masked_tensor(data: Any, mask: Any) -> MaskedTensor:
    """A MaskedTensor with the history of the data.

    Example:
        >>> import autogradlab as torch
        >>> import warnings
        >>> warnings.simplefilter('ignore')
        >>> x = torch.tensor([1., 2.], requires_grad=True)
        >>> torch.masked.as_masked_tensor(x, torch.tensor([True, False])).sum().backward()
        >>> x.grad
        MaskedTensor(
          [  1.0000,       --]
        )

    Mirrors `torch.masked.as_masked_tensor`.
    """
    return MaskedTensor._from_values(data, mask)
