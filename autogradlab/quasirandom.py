"""Sobol sequences (mirrors `torch.quasirandom`)."""

from __future__ import annotations

from .core.random import sobol
from .core.random.generator import Generator
from .core.recording.record import TENSORS
from .core.tensor.tensor import Tensor
from .core.types import dtypes
from .core.types.dtypes import dtype as Dtype
from .core.types.dtypes import get_default_dtype, unsupported

__all__ = ["SobolEngine"]


class SobolEngine:
    """Points of a Sobol sequence, which fill the unit cube more evenly than random ones. scramble: other points of the
    same evenness, which depend on `seed`.
    Errors: ValueError for a dimension out of range; NotImplementedError for more than 1111, whose numbers are not here.

    Shapes: draw(n) gives (n, dimension).

    Example:
        >>> import autogradlab as torch
        >>> engine = torch.quasirandom.SobolEngine(dimension=2)
        >>> engine.draw(3)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000],
                [0.7500, 0.2500]])
        >>> engine
        SobolEngine(dimension=2)

    Mirrors `torch.quasirandom.SobolEngine`.
    """

    MAXBIT = sobol.BITS
    MAXDIM = 21201

    def __init__(self, dimension: int, scramble: bool = False, seed: int | None = None) -> None:
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        if dimension > sobol.DIMENSIONS:
            raise NotImplementedError(f"autogradlab has the numbers of {sobol.DIMENSIONS} dimensions only")
        self.seed = seed
        self.scramble = scramble
        self.dimension = dimension
        self.sobolstate = TENSORS.from_numpy(sobol.initial(dimension))
        self.shift = TENSORS.zeros(dimension, dtype=dtypes.int64)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()
        self._first_point = (self.quasi / 2**self.MAXBIT).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n: int = 1, out: Tensor | None = None, dtype: Dtype | None = None) -> Tensor:
        """The next n points.

        Shapes: (n, dimension).
        """
        kind = get_default_dtype() if dtype is None else dtype
        first = self.num_generated == 0
        if first and n == 1:
            result = self._first_point.to(kind)
        else:
            result = self._drawn(n - 1 if first else n, max(self.num_generated - 1, 0), kind)
            if first:
                result = TENSORS.cat((self._first_point.to(kind), result), -2)
        self.num_generated += n
        if out is None:
            return result
        out.resize_as_(result).copy_(result)
        return out

    def draw_base2(self, m: int, out: Tensor | None = None, dtype: Dtype | None = None) -> Tensor:
        """The next 2**m points, where all points together are a power of 2, which keeps them even.
        Errors: ValueError where they are not.

        Shapes: (2**m, dimension).
        """
        n = 2**m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError(
                "The balance properties of Sobol' points require n to be a power of 2. "
                f"{self.num_generated} points have been previously generated, then: "
                f"n={self.num_generated}+2**{m}={total}. If you still want to do this, please use "
                "'SobolEngine.draw()' instead."
            )
        return self.draw(n=n, out=out, dtype=dtype)

    def reset(self) -> SobolEngine:
        """Begin anew."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n: int) -> SobolEngine:
        """Leave out n points."""
        count = n - 1 if self.num_generated == 0 else n
        if count > 0:
            sobol.forward(self.quasi._array, self.sobolstate._array, count, max(self.num_generated - 1, 0))
        self.num_generated += n
        return self

    def _drawn(self, n: int, start: int, kind: Dtype) -> Tensor:
        points: Tensor = TENSORS.empty((n, self.dimension), dtype=kind)
        if kind is not dtypes.float32 and kind is not dtypes.float64:
            raise unsupported("_sobol_engine_draw", kind)
        drawn = sobol.draw(self.quasi._array, self.sobolstate._array, n, start)
        points._array[...] = drawn[1:]
        self.quasi = TENSORS.from_numpy(drawn[-1].copy())
        return points.mul_(2.0**-self.MAXBIT)

    def _scramble(self) -> None:
        """Random matrices for the direction numbers, and a random point to begin with."""
        source = Generator()
        if self.seed is None:
            source.seed()
        else:
            source.manual_seed(self.seed)
        size = (self.dimension, self.MAXBIT)
        bits = TENSORS.randint(2, size, generator=source)
        self.shift = (bits * 2 ** TENSORS.arange(0, self.MAXBIT)).sum(1)
        matrices = TENSORS.randint(2, (*size, self.MAXBIT), generator=source).tril()
        self.sobolstate = TENSORS.from_numpy(sobol.scrambled(self.sobolstate._array, matrices._array))

    def __repr__(self) -> str:
        shown = [f"dimension={self.dimension}"]
        if self.scramble:
            shown.append("scramble=True")
        if self.seed is not None:
            shown.append(f"seed={self.seed}")
        return f"{type(self).__name__}({', '.join(shown)})"


SobolEngine.__module__ = "torch.quasirandom"
