"""What the DataLoader is made of, under the names by which programs import it (mirrors `torch.utils.data._utils`)."""

from __future__ import annotations

from . import collate

__all__ = ["collate"]
