"""Multi-head attention."""

from __future__ import annotations

from typing import Any

from ...core.recording.record import TENSORS
from ...core.tensor.tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter
from .linear import NonDynamicallyQuantizableLinear
from .module import Module
from .utils import empty

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Multi-head attention: for each query, the values weighted by how well their keys match, in several heads.

    Shapes: query (L, N, E), key and value (S, N, E), or (N, L, E) with batch_first; the output as query,
        and the weights (N, L, S).

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab import nn
        >>> layer = nn.MultiheadAttention(4, 2, batch_first=True)
        >>> x = torch.ones(1, 3, 4)
        >>> out, weights = layer(x, x, x)
        >>> out.shape, weights.shape
        (torch.Size([1, 3, 4]), torch.Size([1, 3, 3]))

    Mirrors `torch.nn.MultiheadAttention`.
    """

    __module__ = "torch.nn.modules.activation"

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                f"num_heads={num_heads} instead"
            )
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        options = {"device": device, "dtype": dtype}
        sizes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        for letter, wide in sizes.items():
            made = None if self._qkv_same_embed_dim else Parameter(empty((embed_dim, wide), **options))
            self.register_parameter(f"{letter}_proj_weight", made)
        whole = Parameter(empty((3 * embed_dim, embed_dim), **options)) if self._qkv_same_embed_dim else None
        if whole is None:
            self.register_parameter("in_proj_weight", None)
        else:
            self.in_proj_weight = whole
        self.register_parameter("in_proj_bias", Parameter(empty(3 * embed_dim, **options)) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, **options)
        for name in ("bias_k", "bias_v"):
            made = Parameter(empty((1, 1, embed_dim), **options)) if add_bias_kv else None
            if made is None:
                self.__dict__[name] = None
            else:
                setattr(self, name, made)
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        weights = (
            [self.in_proj_weight]
            if self._qkv_same_embed_dim
            else [self.q_proj_weight, self.k_proj_weight, self.v_proj_weight]
        )
        for weight in weights:
            init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> Any:
        """The attention output, and the attention weights if they are asked for, else None."""
        turned = self.batch_first and query.ndim == 3
        if turned:
            query, key, value = self._turned(query, key, value)
        separate = not self._qkv_same_embed_dim
        weight, bias, q_weight, k_weight, v_weight = self._weights()
        out_weight, out_bias = self._out_weights()
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            weight,
            bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            out_weight,
            out_bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=separate,
            q_proj_weight=q_weight,
            k_proj_weight=k_weight,
            v_proj_weight=v_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (TENSORS.transpose(out, 1, 0) if turned else out), weights

    def _weights(self) -> tuple[Any, ...]:
        """Those of the projections of what comes in, from where they are registered: to ask for each takes longer."""
        own = self.__dict__["_parameters"]
        try:
            joint = own["in_proj_weight"], own["in_proj_bias"]
            return (*joint, own["q_proj_weight"], own["k_proj_weight"], own["v_proj_weight"])
        except KeyError:  # one of them is set by a hook, or assigned
            joint = self.in_proj_weight, self.in_proj_bias
            return (*joint, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)

    def _out_weights(self) -> tuple[Any, Any]:
        """Those of the projection of what goes out."""
        last = self.out_proj
        own = last.__dict__.get("_parameters", {})
        return (own["weight"], own["bias"]) if "weight" in own and "bias" in own else (last.weight, last.bias)

    def merge_masks(
        self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor
    ) -> tuple[Tensor | None, int | None]:
        """Both masks merged into one for each head, and its type: 1 masks keys, 2 pairs of query and key."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        batch, steps, _ = query.shape
        if attn_mask.ndim == 3:
            merged = attn_mask.view(batch, -1, steps, steps)
        else:
            merged = attn_mask.view(1, 1, steps, steps).expand(batch, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(batch, 1, 1, steps).expand(-1, self.num_heads, -1, -1)
        return merged, 2

    @staticmethod
    def _turned(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Steps first; what was one tensor remains one."""
        turned = {id(t): t for t in (query, key, value)}
        turned = {n: TENSORS.transpose(t, 1, 0) for n, t in turned.items()}
        return turned[id(query)], turned[id(key)], turned[id(value)]
