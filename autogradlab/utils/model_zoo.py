"""The old home of `torch.hub.load_state_dict_from_url` (mirrors `torch.utils.model_zoo`)."""

from __future__ import annotations

from ..hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]
