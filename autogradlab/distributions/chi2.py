"""The chi-squared distribution (mirrors `torch.distributions.chi2`)."""

from __future__ import annotations

from typing import Any, ClassVar

from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The distribution of the sum of squares of `df` independent standard normal variables.

    Example:
        >>> import autogradlab as torch
        >>> torch.distributions.Chi2(torch.tensor([3.0])).mean
        tensor([3.])

    Mirrors `torch.distributions.Chi2`.
    """

    arg_constraints: Any = {"df": constraints.positive}
    _expanded: ClassVar[dict[str, int]] = Gamma._expanded

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    df: Any = property(lambda self: self.concentration * 2)
