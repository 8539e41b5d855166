"""The layers of a Transformer."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.recording.record import TENSORS
from ...core.runtime import modes
from ...core.runtime.warn import warn_once
from ...core.tensor.tensor import Tensor
from ...core.types.dtypes import get_default_dtype
from .. import functional as F
from .. import init
from ..functions.attention import masked
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .container import ModuleList
from .dropout import Dropout
from .linear import Linear
from .module import Module
from .normalization import LayerNorm

__all__ = [
    "Transformer",
    "TransformerDecoder",
    "TransformerDecoderLayer",
    "TransformerEncoder",
    "TransformerEncoderLayer",
]

_NESTED = (
    "The PyTorch API of nested tensors is in prototype stage and will change in the near future. We recommend "
    "specifying layout=torch.jagged when constructing a nested tensor, as this layout receives active development, has "
    "better operator coverage, and works with torch.compile."
)


def _get_activation_fn(activation: str) -> Callable[[Any], Any]:
    """The function of this name."""
    if activation not in ("relu", "gelu"):
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return F.relu if activation == "relu" else F.gelu


def _activation(given: Any) -> Any:
    return _get_activation_fn(given) if isinstance(given, str) else given


def _get_clones(module: Module, N: int) -> ModuleList:
    """N deep copies of the Module."""
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def _attended(attention: Any, x: Any, to: Any, mask: Any, padding: Any, is_causal: bool) -> Any:
    return attention(x, to, to, attn_mask=mask, key_padding_mask=padding, is_causal=is_causal, need_weights=False)[0]


def _is_causal(mask: Any, hint: bool | None, x: Any, layer: Any) -> bool:
    """Whether a mask hides from each position exactly the later ones: as the caller says, or else as it is."""
    sizes = x.size()
    size = sizes[1 if layer.self_attn.batch_first and len(sizes) != 2 else 0]
    if hint is not None or mask is None:
        return hint is True
    wanted = Transformer.generate_square_subsequent_mask(size, dtype=mask.dtype)
    return mask.shape == wanted.shape and bool((mask == wanted).all())


class TransformerEncoderLayer(Module):
    """Self-attention, then a feed-forward network at each position, each added to its input and normalized.

    Shapes: (L, N, d_model), or (N, L, d_model) with batch_first.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.TransformerEncoderLayer(4, 2, dim_feedforward=8)(torch.ones(3, 1, 4)).shape
        torch.Size([3, 1, 4])

    Mirrors `torch.nn.TransformerEncoderLayer`.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.self_attn = MultiheadAttention(
            d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, device=device, dtype=dtype
        )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, device=device, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, device=device, dtype=dtype)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = _activation(activation)
        self.activation_relu_or_gelu = (
            1
            if self.activation is F.relu or isinstance(self.activation, ReLU)
            else 2
            if self.activation is F.gelu or isinstance(self.activation, GELU)
            else 0
        )

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """The output sequence."""
        src_key_padding_mask = masked(src_key_padding_mask, "src_key_padding_mask", src, src_mask, "src_mask")
        src_mask = masked(src_mask, "src_mask", src)
        x: Any = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal=is_causal)
            x = x + self._ff_block(self.norm2(x))
        else:
            x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal=is_causal))
            x = self.norm2(x + self._ff_block(x))
        return self._without_number(x, src, src_mask, src_key_padding_mask)

    def _without_number(self, x: Any, src: Any, src_mask: Any, src_key_padding_mask: Any) -> Any:
        """The result, NaN at positions that attend to none where PyTorch would take its fast path."""
        if src_key_padding_mask is None or self.training or src.ndim != 3 or _without_fast_path(self, nested=False):
            return x
        if modes.current().record and (src.requires_grad or any(p.requires_grad for p in self.parameters())):
            return x
        hidden = src_key_padding_mask._array[:, None] != 0
        if src_mask is not None:
            hidden = hidden | (src_mask._array != 0)
        alone = hidden.all(-1)
        return TENSORS.masked_fill(x, TENSORS.from_numpy(alone[..., None]), math.nan) if alone.any() else x

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        return self.dropout1(_attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


def _without_fast_path(layer: Any, nested: bool = True) -> str:
    """Why PyTorch would not take its fast path through this layer; "" if it would. Its warning says so. nested: with
    nested tensors, as a TransformerEncoder does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    reasons = {
        ".norm_first was True": nested and layer.norm_first,
        ".self_attn.batch_first was not True(use batch_first for better inference performance)": (
            not attention.batch_first
        ),
        ".self_attn._qkv_same_embed_dim was not True": not attention._qkv_same_embed_dim,
        ".self_attn was passed bias=False": attention.in_proj_bias is None,
        ".activation_relu_or_gelu was not True": not layer.activation_relu_or_gelu,
        ".norm1.eps was not equal to encoder_layer.norm2.eps": layer.norm1.eps != layer.norm2.eps,
        ".self_attn.num_heads is odd": attention.num_heads % 2 == 1,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


class TransformerEncoder(Module):
    """Several TransformerEncoderLayers one after the other.

    Shapes: (L, N, d_model), or (N, L, d_model) with batch_first.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.TransformerEncoderLayer(4, 2, dim_feedforward=8, batch_first=True)
        >>> nn.TransformerEncoder(layer, 2)(torch.ones(1, 3, 4)).shape
        torch.Size([1, 3, 4])

    Mirrors `torch.nn.TransformerEncoder`.
    """

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = _without_fast_path(encoder_layer)
        self.use_nested_tensor = enable_nested_tensor and not reason
        if enable_nested_tensor and reason:
            warnings.warn(
                f"enable_nested_tensor is True, but self.use_nested_tensor is False because encoder_layer{reason}",
                stacklevel=2,
            )

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """The output sequence."""
        padding = masked(src_key_padding_mask, "src_key_padding_mask", src, mask, "mask")
        mask = masked(mask, "mask", src)
        first = self.layers[0]
        hint = _is_causal(mask, is_causal, src, first)
        left_out = self._left_out(src, mask, padding, first)
        out: Any = src
        for layer in self.layers:
            out = layer(out, src_mask=mask, is_causal=hint, src_key_padding_mask=padding)
        if left_out is not None:
            out = TENSORS.masked_fill(out, left_out, 0.0)
        return out if self.norm is None else self.norm(out)

    def _left_out(self, src: Any, mask: Any, padding: Any, first: Any) -> Any:
        """The padded positions, whose output is 0 in PyTorch's fast path; None where that is not taken."""
        if not self.use_nested_tensor or first.training or src.ndim != 3 or padding is None or mask is not None:
            return None
        if modes.current().record and (src.requires_grad or any(p.requires_grad for p in first.parameters())):
            return None
        hidden = padding._array != 0
        if self.mask_check and (hidden[:, :-1] & ~hidden[:, 1:]).any():
            return None
        warn_once(_NESTED, at="aten/src/ATen/NestedTensorImpl.cpp:177")
        return TENSORS.from_numpy(hidden[..., None])


class TransformerDecoderLayer(Module):
    """Self-attention, attention to the encoder's output, then a feed-forward network at each position.

    Shapes: (T, N, d_model) and (S, N, d_model) give (T, N, d_model).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)(torch.ones(2, 1, 4), torch.ones(3, 1, 4)).shape
        torch.Size([2, 1, 4])

    Mirrors `torch.nn.TransformerDecoderLayer`.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        for name in ("self_attn", "multihead_attn"):
            setattr(
                self,
                name,
                MultiheadAttention(
                    d_model, nhead, dropout=dropout, bias=bias, batch_first=batch_first, device=device, dtype=dtype
                ),
            )
        self.linear1 = Linear(d_model, dim_feedforward, bias=bias, device=device, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias=bias, device=device, dtype=dtype)
        self.norm_first = norm_first
        for i in (1, 2, 3):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype))
        for i in (1, 2, 3):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = _activation(activation)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The output sequence."""
        x: Any = tgt

        def own(y: Any) -> Any:
            return self._sa_block(y, tgt_mask, tgt_key_padding_mask, tgt_is_causal)

        def cross(y: Any) -> Any:
            return self._mha_block(y, memory, memory_mask, memory_key_padding_mask, memory_is_causal)

        for norm, part in ((self.norm1, own), (self.norm2, cross), (self.norm3, self._ff_block)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x

    def _sa_block(self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        return self.dropout1(_attended(self.self_attn, x, x, attn_mask, key_padding_mask, is_causal))

    def _mha_block(self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        return self.dropout2(_attended(self.multihead_attn, x, mem, attn_mask, key_padding_mask, is_causal))

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerDecoder(Module):
    """Several TransformerDecoderLayers one after the other.

    Shapes: (T, N, d_model) and (S, N, d_model) give (T, N, d_model).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.TransformerDecoderLayer(4, 2, dim_feedforward=8)
        >>> nn.TransformerDecoder(layer, 2)(torch.ones(2, 1, 4), torch.ones(3, 1, 4)).shape
        torch.Size([2, 1, 4])

    Mirrors `torch.nn.TransformerDecoder`.
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The output sequence."""
        out = tgt
        hint = _is_causal(tgt_mask, tgt_is_causal, tgt, self.layers[0])
        for layer in self.layers:
            out = layer(
                out,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=hint,
                memory_is_causal=memory_is_causal,
            )
        return out if self.norm is None else self.norm(out)


class Transformer(Module):
    """An encoder and a decoder.

    Shapes: source (S, N, d_model) and target (T, N, d_model) give (T, N, d_model).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> model = nn.Transformer(4, 2, 1, 1, 8)
        >>> model(torch.ones(3, 1, 4), torch.ones(2, 1, 4)).shape
        torch.Size([2, 1, 4])

    Mirrors `torch.nn.Transformer`.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options: Any = (
            d_model,
            nhead,
            dim_feedforward,
            dropout,
            activation,
            layer_norm_eps,
            batch_first,
            norm_first,
            bias,
            device,
            dtype,
        )

        def norm() -> LayerNorm:
            return LayerNorm(d_model, eps=layer_norm_eps, bias=bias, device=device, dtype=dtype)

        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            self.encoder = TransformerEncoder(
                TransformerEncoderLayer(*options),
                num_encoder_layers,
                norm(),
            )
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            self.decoder = TransformerDecoder(TransformerDecoderLayer(*options), num_decoder_layers, norm())
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: Any = None,
        tgt_is_causal: Any = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """The output sequence."""
        batch = 0 if self.batch_first else 1
        batched = src.dim() == 3
        if src.size(batch) != tgt.size(batch) and batched:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """0 on and below the diagonal, -inf above."""
        numpy = (dtype or get_default_dtype()).numpy
        return TENSORS.from_numpy(np.triu(np.full((sz, sz), -np.inf, numpy), 1))
