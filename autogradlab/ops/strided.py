"""Operations on views by shape, strides and offset: what autograd does when a base or a view changed in place."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import views
from ..opdef import op
from ..record import RAW
from ..tensor import Tensor, wrap


@op("as_strided_gather", method=False, function=False, node="AsStridedBackward0", vjp={
    "input": lambda F, grad, base, view: F.as_strided_backward(grad, base, view),
})  # fmt: skip
def as_strided_gather(input, base, view):  # type: ignore[no-untyped-def]
    return np.array(views.gather_strided(input, base, view))


@op("as_strided_backward", method=False, function=False, node="AsStridedBackwardBackward0", vjp={
    "input": lambda F, grad, base, view: F.as_strided_gather(grad, base, view),
})  # fmt: skip
def as_strided_backward(input, base, view):  # type: ignore[no-untyped-def]
    return views.strided_backward(input, base, view)


@op("as_strided_scatter_geometry", "input src", method=False, function=False, node="AsStridedScatterBackward0", vjp={
    "input": lambda F, grad, base, view: F.as_strided_scatter_geometry(grad, F.zero_dim(grad), base, view),
    "src": lambda F, grad, base, view: F.as_strided_gather(grad, base, view),
})  # fmt: skip
def as_strided_scatter(input, src, base, view):  # type: ignore[no-untyped-def]
    return views.scatter_strided(input, src, base, view)


def _public() -> dict[str, Any]:
    from ..record import TENSORS

    return {
        "as_strided_gather": TENSORS.as_strided_gather,
        "as_strided_backward": TENSORS.as_strided_backward,
        "as_strided_scatter": TENSORS.as_strided_scatter_geometry,
    }


globals().update(_public())
_unused: Any = (RAW, Tensor, wrap)
