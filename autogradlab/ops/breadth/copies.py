"""The *_copy operations: what views show, as tensors of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from ..first.kinds import NOT_IMPLEMENTED, no_derivative
from ..first.shape import SQUEEZES
from ..first.writing import exact_out
from ..table.opdef import OPS, Op, composite, op, publish


def _copy_of(view: Op) -> Callable[..., Any]:
    """The call of an operation that copies what a view operation shows."""
    (formula,) = view.formulas
    vjp = {"input": formula.fn}
    entry = Op(view.name + "_copy", view.kernel, multi=view.multi, vjp=vjp, node=view.node_name + "_copy")
    invoke = entry.invoke

    def copied(*args: Any) -> Any:
        r = invoke(*args)
        return [np.array(a, order="C") for a in r] if entry.multi else np.array(r, order="C")

    entry.invoke = copied
    from ..table.calls import make_call

    entry.call = make_call(entry)
    OPS[entry.name] = entry
    return entry.call


def _publish(name: str, call: Callable[..., Any]) -> None:
    exact_out(OPS[name])
    publish(name, lambda *args, **kwargs: call(*args, **kwargs), None, False, True, f"{name[:-5]}() as a copy.")


for _name in (
    "select",
    "slice",
    "alias",
    "unsqueeze",
    "t",
    "transpose",
    "unfold",
    "split",
    "split_with_sizes",
    "unbind",
):
    _publish(_name + "_copy", _copy_of(OPS[_name]))
for _name in ("view", "permute", "expand"):
    _call = _copy_of(OPS[_name])
    exact_out(OPS[_name + "_copy"])
    publish(
        _name + "_copy",
        lambda input, sizes, _call=_call, **options: _call(input, tuple(sizes), **options),
        None,
        False,
        True,
        f"{_name}() as a copy.",
    )
_SQUEEZED = [_copy_of(entry) for entry in SQUEEZES]


@composite(method=False)
def squeeze_copy(input: Tensor, dim: Any = None) -> Tensor:
    """squeeze() as a copy."""
    if dim is None:
        return _SQUEEZED[0](input)
    return _SQUEEZED[2 if isinstance(dim, (tuple, list)) else 1](input, dim)


@op(
    "narrow_copy",
    vjp={
        "input": lambda F, grad, input_shape, dim, start, length: F.slice_backward(
            grad, input_shape, dim, start, start + length, 1
        ),
    },
)
def narrow_copy(input, dim, start, length):  # type: ignore[no-untyped-def]
    """narrow() as a copy."""
    return np.array(TENSORS.narrow(_plain(input), dim, start, length)._array, order="C")


def _plain(x: np.ndarray) -> Tensor:
    from ...core.tensor.tensor import wrap

    return wrap(x)


@op("detach_copy", method=False, node=NOT_IMPLEMENTED, vjp={"input": no_derivative("detach_copy")})
def detach_copy(input):  # type: ignore[no-untyped-def]
    """detach() as a copy; PyTorch gives it a Node that cannot run."""
    return np.array(input, order="C")


exact_out(OPS["detach_copy"])
