"""The out= form of operations: written once for all of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...core.memory.storage import resize
from ...core.memory.versions import increment_version
from ...core.runtime import errors, modes
from ...core.tensor.tensor import Tensor, requires_grad
from ...core.types.dtypes import _scalar_name, from_numpy
from ...core.types.return_types import named
from ...core.values.promotion import can_cast, check_cast

__all__ = ["write"]

_FOUND = "Found dtype {1} but expected {0}"
_EXPECTED = "Expected out tensor to have dtype {2}, but got {3} instead"
#: operations whose out= tensor must have exactly the result's dtype, and how they say so: {0}, {1} as PyTorch names dtypes,
#: {2}, {3} as C++ does, the result's first
_EXACT = {
    **dict.fromkeys(
        (
            "abs",
            "bitwise_not",
            "ceil",
            "conj_physical",
            "floor",
            "frac",
            "lerp",
            "neg",
            "round",
            "sgn",
            "sign",
            "trunc",
        ),
        _FOUND,
    ),
    **dict.fromkeys(
        (
            "addmm",
            "addmv",
            "aminmax",
            "baddbmm",
            "bmm",
            "linalg_cross",
            "cross",
            "isin",
            "_log_softmax",
            "_softmax",
            "lu_solve",
            "matmul",
            "mm",
            "max",
            "min",
            "softmax",
            "log_softmax",
            "argmax",
            "argmin",
            "renorm",
            "qr",
            "svd",
            "triangular_solve",
            "linalg_qr",
            "linalg_lu",
            "linalg_lu_factor",
            "linalg_lu_factor_ex",
            "linalg_lu_solve",
            "linalg_cholesky_ex",
            "linalg_det",
            "linalg_eigh",
            "linalg_inv_ex",
            "linalg_slogdet",
            "linalg_solve",
            "linalg_solve_ex",
            "linalg_svd",
            "split_with_sizes_copy",
            "unbind_copy",
        ),
        _EXPECTED,
    ),
    **dict.fromkeys(
        ("amax", "amin"),
        "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
    ),
    **{name: f"{name} only supports bool tensor for result, got: {{1}}" for name in ("all", "any")},
    **dict.fromkeys(("dot", "vdot"), "result dtype {1} does not match input dtype {0}"),
    "addbmm": "self and mat2 must have the same dtype, but got {1} and {0}",
    "mv": "addmv input tensors must have the same dtype, but got {1}, {0}, and {0}",
    **dict.fromkeys(
        ("complex", "polar"), "Expected object of scalar type {0} but got scalar type {1} for argument 'out'"
    ),
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "nan_to_num": "nan_to_num: dtype of out: {1} should be same as input: {0}",
    **{name: f"{name} does not support non-boolean outputs." for name in ("signbit", "isposinf", "isneginf")},
    **dict.fromkeys(
        ("inner", "tensordot"),
        "tensordot: Expected the output tensor to have dtype {0}, but got an output tensor with dtype {1}",
    ),
}
#: what is made of cat, and refuses out= tensors in its words
_JOINED = ("cat", "stack", "hstack", "vstack", "dstack", "column_stack")
_C_NAMES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def write(operation: Any, out: Any, r: Any, inputs: Any) -> Any:
    """Write the result(s) `r` into `out` (a tensor, or a tuple of them) and return it."""
    if isinstance(out, Tensor):
        _check(operation.name, (*_tensors(inputs), out))
        r = np.asarray(r)
        if r.dtype is not out._array.dtype:
            if operation.name in _EXACT and not _free(operation.name, inputs, out):
                _same_dtype(_EXACT[operation.name], out, r)
            if operation.name in _JOINED and not can_cast(r.dtype, out._array.dtype):
                raise TypeError(
                    "torch.cat(): input types can't be cast to the desired output type "
                    f"{_scalar_name(from_numpy(out._array.dtype))}"
                )
        _write(out, r)
        return out
    outs = tuple(out)
    _check(operation.name, (*_tensors(inputs), *outs))
    if operation.returns is not None:
        r = operation.returns(tuple(r))  # in the order in which users see them
    if operation.name in _EXACT:
        for o, a in zip(outs, r, strict=True):
            _same_dtype(_EXACT[operation.name], o, np.asarray(a))
    for o, a in zip(outs, r, strict=True):
        _write(o, np.asarray(a))
    if operation.returns is None:
        return outs
    return named(f"{type(r).__name__.removesuffix('_out')}_out", type(r).fields)(outs)


def _free(name: str, inputs: Any, out: Tensor) -> bool:
    """Whether an operation takes another dtype after all: the size of a complex number, the extreme of everything, a uint8."""
    if name in ("all", "any"):
        return out._array.dtype == np.uint8
    if name == "abs":
        return inputs[0]._array.dtype.kind == "c"  # type: ignore[no-any-return]
    return name in ("max", "min")


def _same_dtype(message: str, out: Tensor, r: np.ndarray) -> None:
    if r.dtype != out._array.dtype:
        kinds = [from_numpy(a.dtype) for a in (r, out._array)]
        raise RuntimeError(message.format(*map(_scalar_name, kinds), *(_C_NAMES.get(k.name, k.name) for k in kinds)))


def _tensors(inputs: Any) -> list[Tensor]:
    found: list[Tensor] = []
    for value in inputs:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            found.extend(v for v in value if isinstance(v, Tensor))
    return found


def _check(name: str, tensors: tuple[Tensor, ...]) -> None:
    if modes.current().grad and any(requires_grad(t) for t in tensors):
        raise RuntimeError(errors.OUT_GRAD.format(name))


def _write(out: Tensor, r: np.ndarray) -> None:
    check_cast(r.dtype, out._array.dtype)
    if out._array.shape != r.shape:
        if out._array.size:
            warnings.warn(errors.OUT_RESIZED.format(list(out.shape), list(r.shape)), UserWarning, stacklevel=5)
        resize(out, r.shape)
    if (
        r.size
        and 0 in out._array.strides
        and any(s == 0 and n > 1 for s, n in zip(out._array.strides, r.shape, strict=True))
    ):
        raise RuntimeError(errors.WRITTEN_SHARED)
    out._array[...] = r
    increment_version(out)
