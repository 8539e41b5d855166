"""The cross entropy of a linear map, piece by piece: the logits of a few rows at a time."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...autograd.function import Function
from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import bfloat16, float16, float32

__all__ = ["chunked"]

_TWICE = "linear_cross_entropy chunked backward called twice; retain_graph=True / double backward are not supported."


class _Asked(NamedTuple):
    """What does not change from piece to piece."""

    target: Tensor
    weight: Tensor | None
    reduction: str
    ignore_index: int
    options: Any


def chunked(
    input: Tensor, linear_weight: Tensor, target: Tensor, linear_bias: Tensor | None, weight: Tensor | None, **rest: Any
) -> Tensor:
    """The loss of a batch of rows, with options that leave nothing open."""
    asked = _Asked(target, weight, **rest)
    wide = asked.options.acc_dtype
    if input.dtype != wide and not (input.dtype in (float16, bfloat16) and wide == float32):
        raise RuntimeError(
            "linear_cross_entropy supports float32 acc_dtype with float16/bfloat16 inputs, but got "
            f"{wide} acc_dtype and {input.dtype} inputs."
        )
    node = _each_row if asked.reduction == "none" else _reduced
    found: Tensor = node.apply(input, linear_weight, linear_bias, asked)
    return found


def _counted(asked: _Asked) -> tuple[Tensor, Tensor]:
    """The targets, 0 where a row is ignored, and how much each row counts."""
    ignored = asked.target == asked.ignore_index
    target = asked.target.masked_fill(ignored, 0)
    counts = ~ignored if asked.weight is None else asked.weight.index_select(0, target).masked_fill(ignored, 0)
    return target, counts.to(asked.options.acc_dtype)


def _pieces(
    input: Tensor,
    linear_weight: Tensor,
    linear_bias: Tensor | None,
    asked: _Asked,
    needs: tuple[bool, ...],
    upstream: Tensor | None = None,
) -> tuple[Tensor, list[Tensor | None]]:
    """The loss of each row, or of all, and the gradients that are needed: of input, linear_weight and linear_bias."""
    wide, size = asked.options.acc_dtype, asked.options.batch_chunk_size
    target, counted = _counted(asked)
    divided = counted.sum() if asked.reduction == "mean" else None
    if upstream is not None:
        counted = counted * upstream.to(wide)
    matrix = linear_weight.to(wide)
    bias = None if linear_bias is None else linear_bias.to(wide)
    losses: list[Tensor] = []
    of_rows: list[Tensor] = []
    of_matrix = TENSORS.zeros_like(matrix) if needs[1] else None
    of_bias = TENSORS.zeros_like(bias) if needs[2] and bias is not None else None
    for start in range(0, input.shape[0], size):
        part = 0, start, min(size, input.shape[0] - start)
        rows = input.narrow(*part).to(wide)
        classes, scale = target.narrow(*part).unsqueeze(1), counted.narrow(*part).unsqueeze(1)
        logits = rows @ matrix.t()
        logs = (logits if bias is None else logits + bias).log_softmax(1)
        losses.append((logs.gather(1, classes) * -scale).squeeze(1))
        if not any(needs):
            continue
        if divided is not None:
            scale = scale / divided
        spread = logs.exp().mul_(scale)
        spread.scatter_add_(1, classes, -scale)
        if needs[0]:
            of_rows.append(spread @ matrix)
        if of_matrix is not None:
            of_matrix += spread.t() @ rows
        if of_bias is not None:
            of_bias += spread.sum(0)
    dtype = input.dtype
    found = [TENSORS.cat(of_rows) if of_rows else TENSORS.zeros_like(input) if needs[0] else None, of_matrix, of_bias]
    loss = TENSORS.cat(losses) if losses else counted
    if asked.reduction != "none":
        loss = loss.sum() if divided is None else loss.sum() / divided
    return loss.to(dtype), [g if g is None else g.to(dtype) for g in found]


class _Reduced(Function):
    """A mean or a sum: its gradients are computed with it."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, linear_weight: Tensor, linear_bias: Tensor | None, asked: _Asked) -> Tensor:
        needs = ctx.needs_input_grad[:3]
        loss, ctx.found = _pieces(input, linear_weight, linear_bias, asked, needs)
        ctx.kept = asked.options.allow_retain_graph
        return loss

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        found = ctx.found
        if found is None:
            raise RuntimeError(_TWICE)
        if ctx.kept:
            return (*[g if g is None else g * grad for g in found], None)
        ctx.found = None
        return (*[g if g is None else g.mul_(grad) for g in found], None)


class _EachRow(Function):
    """The losses of the rows: their gradients are computed when it is known how much each of them counts."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, linear_weight: Tensor, linear_bias: Tensor | None, asked: _Asked) -> Tensor:
        ctx.save_for_backward(*[x if x is None else x.detach() for x in (input, linear_weight, linear_bias)])
        ctx.asked = asked
        return _pieces(input, linear_weight, linear_bias, asked, (False, False, False))[0]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        input, linear_weight, linear_bias = ctx.saved_tensors
        needs = ctx.needs_input_grad[:3]
        return (*_pieces(input, linear_weight, linear_bias, ctx.asked, needs, grad)[1], None)


def _of_operator(name: str, functions: type[Function]) -> type[Function]:
    """The Function with the name that the Node of PyTorch's operator has."""
    return type(f"GeneratedBackwardFor_torch_nn_{name}_default", (functions,), {})


_reduced = _of_operator("_linear_cross_entropy_batch_chunked", _Reduced)
_each_row = _of_operator("_linear_cross_entropy_batch_chunked_no_reduction", _EachRow)
