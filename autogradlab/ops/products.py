"""Products of vectors, matrices and batches of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dtypes import _scalar_name, from_numpy
from ..opdef import composite, op
from ..record import TENSORS
from ..tensor import Tensor


def _same_type(name: str, *arrays: np.ndarray) -> None:
    first = arrays[0].dtype
    for a in arrays[1:]:
        if a.dtype != first:
            names = [_c_name(first), _c_name(a.dtype)]
            raise RuntimeError(f"expected m1 and m2 to have the same dtype, but got: {names[0]} != {names[1]}")


def _c_name(numpy: Any) -> str:
    return {"float64": "double", "float32": "float", "float16": "c10::Half", "int64": "long long", "int32": "int",
            "int16": "short", "int8": "signed char", "uint8": "unsigned char", "bool": "bool",
            "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
            "bfloat16": "c10::BFloat16"}[from_numpy(numpy).name]  # fmt: skip


@op("mm", "input mat2", shown={"mat2": "mat2"}, vjp={
    "input": lambda F, grad, mat2: F.mm(grad, F.conj(F.t(mat2))),
    "mat2": lambda F, grad, input: F.mm(F.conj(F.t(input)), grad),
})  # fmt: skip
def mm(input, mat2):  # type: ignore[no-untyped-def]
    """The product of two matrices."""
    if input.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if input.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_x(input)} and {_x(mat2)})")
    _same_type("mm", input, mat2)
    return np.matmul(input, mat2)


def _x(a: np.ndarray) -> str:
    return "x".join(map(str, a.shape))


@op("mv", "input vec", vjp={
    "input": lambda F, grad, vec: F.outer(grad, F.conj(vec)),
    "vec": lambda F, grad, input: F.mv(F.conj(F.t(input)), grad),
})  # fmt: skip
def mv(input, vec):  # type: ignore[no-untyped-def]
    """The product of a matrix and a vector."""
    if input.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got 1, {input.ndim}, {vec.ndim}")
    if input.shape[1] != vec.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({input.shape[0]}), mat ({_x(input)}), vec ({vec.shape[0]})")
    _same_type("mv", input, vec)
    return np.matmul(input, vec)


@op("dot", "input tensor", vjp={
    "input": lambda F, grad, tensor: grad * F.conj(tensor),
    "tensor": lambda F, grad, input: grad * F.conj(input),
})  # fmt: skip
def dot(input, tensor):  # type: ignore[no-untyped-def]
    """The inner product of two vectors."""
    if input.ndim != 1 or tensor.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {input.ndim}D and {tensor.ndim}D tensors")
    if input.dtype != tensor.dtype:
        raise RuntimeError("dot : expected both vectors to have same dtype, but found "
                           f"{_scalar_name(from_numpy(input.dtype))} and {_scalar_name(from_numpy(tensor.dtype))}")  # fmt: skip
    if input.shape != tensor.shape:
        raise RuntimeError(f"inconsistent tensor size, expected tensor [{input.size}] and src [{tensor.size}] to have the "
                           f"same number of elements, but got {input.size} and {tensor.size} elements respectively")  # fmt: skip
    return np.dot(input, tensor)


@op("outer", "input vec2", method=True, vjp={
    "input": lambda F, grad, vec2: F.mv(grad, F.conj(vec2)),
    "vec2": lambda F, grad, input: F.mv(F.t(grad), F.conj(input)),
})  # fmt: skip
def outer(input, vec2):  # type: ignore[no-untyped-def]
    return np.multiply.outer(input, vec2)


@op("bmm", "input mat2", vjp={
    "input": lambda F, grad, mat2: F.bmm(grad, F.conj(F.transpose(mat2, 1, 2))),
    "mat2": lambda F, grad, input: F.bmm(F.conj(F.transpose(input, 1, 2)), grad),
})  # fmt: skip
def bmm(input, mat2):  # type: ignore[no-untyped-def]
    """The products of two batches of matrices."""
    if input.ndim != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if mat2.ndim != 3:
        raise RuntimeError("batch2 must be a 3D tensor")
    want = [input.shape[0], input.shape[2]]
    if [*mat2.shape[:2]] != want:
        raise RuntimeError(f"Expected size for first two dimensions of batch2 tensor to be: {want} but got: "
                           f"{[*mat2.shape[:2]]}.")  # fmt: skip
    _same_type("bmm", input, mat2)
    return np.matmul(input, mat2)


@op("addmm", "input mat1 mat2", inplace=True, vjp={
    "input": lambda F, grad, beta: grad if beta == 1 else grad * beta,
    "mat1": lambda F, grad, mat2, alpha: F.mm(grad, F.conj(F.t(mat2))) * alpha,
    "mat2": lambda F, grad, mat1, alpha: F.mm(F.conj(F.t(mat1)), grad) * alpha,
})  # fmt: skip
def addmm(input, mat1, mat2, *, beta=1, alpha=1):  # type: ignore[no-untyped-def]
    """beta * input + alpha * (mat1 @ mat2)"""
    if mat1.ndim != 2 or mat2.ndim != 2:
        raise RuntimeError(f"{'mat1' if mat1.ndim != 2 else 'mat2'} must be a matrix, got "
                           f"{mat1.ndim if mat1.ndim != 2 else mat2.ndim}-D tensor")  # fmt: skip
    if mat1.shape[1] != mat2.shape[0]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_x(mat1)} and {_x(mat2)})")
    if mat1.dtype != mat2.dtype:
        raise RuntimeError(f"mat1 and mat2 must have the same dtype, but got {_scalar_name(from_numpy(mat1.dtype))} and "
                           f"{_scalar_name(from_numpy(mat2.dtype))}")  # fmt: skip
    product = np.matmul(mat1, mat2)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    r = product + (input if beta == 1 else input * beta)
    if r.shape != product.shape:
        raise RuntimeError(f"The expanded size of the tensor ({product.shape[-1]}) must match the existing size "
                           f"({input.shape[-1]}) at non-singleton dimension {product.ndim - 1}.  Target sizes: "
                           f"{list(product.shape)}.  Tensor sizes: {list(input.shape)}")  # fmt: skip
    return r


@composite()
def matmul(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """The matrix product `input @ other`: of vectors, matrices, and batches of them, broadcast.

    >>> import autogradlab as torch
    >>> torch.tensor([[1., 2.], [3., 4.]]) @ torch.tensor([1., 1.])
    tensor([3., 7.])
    """
    options = {} if out is None else {"out": out}
    if not isinstance(input, Tensor) or not isinstance(other, Tensor):
        from ..arguments import reject

        reject("matmul", (input, other), options)
    a, b = input._array.ndim, other._array.ndim
    F = TENSORS
    if a == 2 and b == 2:
        return F.mm(input, other, **options)  # type: ignore[no-any-return]
    if a == 2 and b == 1:
        return F.mv(input, other, **options)  # type: ignore[no-any-return]
    if a == 1 and b == 1:
        return F.dot(input, other, **options)  # type: ignore[no-any-return]
    if a == 0 or b == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {a}D and {b}D")
    if a == 1 and b == 2:
        return F.squeeze(F.mm(F.unsqueeze(input, 0), other), 0)  # type: ignore[no-any-return]
    result = _batched(input, other)
    if out is not None:
        return out.copy_(result)  # type: ignore[no-any-return]
    return result


def _batched(input: Tensor, other: Tensor) -> Tensor:
    F = TENSORS
    left, right = input._array.shape, other._array.shape
    if len(left) >= 3 and len(right) <= 2:  # one matrix for all: fold the batch into rows
        folded = F.reshape(input, (-1, left[-1])) if input._array.size or left[-1] else F.reshape(input, (0, left[-1]))
        if len(right) == 1:
            return F._unsafe_view(F.mv(folded, other), left[:-1])  # type: ignore[no-any-return]
        return F._unsafe_view(F.mm(folded, other), (*left[:-1], right[-1]))  # type: ignore[no-any-return]
    vector = len(left) == 1
    if vector:
        input, left = F.unsqueeze(input, 0), (1, *left)
    column = len(right) == 1
    if column:
        other, right = F.unsqueeze(other, 1), (*right, 1)
    from ..promotion import broadcast_shapes

    batch = broadcast_shapes(left[:-2], right[:-2])
    n = 1
    for size in batch:
        n *= size
    x = F.reshape(F.expand(input, (*batch, *left[-2:])), (n, *left[-2:]))
    y = F.reshape(F.expand(other, (*batch, *right[-2:])), (n, *right[-2:]))
    r = F._unsafe_view(F.bmm(x, y), (*batch, left[-2], right[-1]))
    if vector:
        r = F.squeeze(r, -2)
    if column:
        r = F.squeeze(r, -1)
    return r  # type: ignore[no-any-return]
