"""The other distributions, drawn as PyTorch does: the same words of the generator, the same order, the same rounding.

As in `streams.py`: a name that ends in `_` fills the array `out` in the order of its memory, the generator comes last
and None is the default one, messages are PyTorch's.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from ..memory.layout import empty_like, memory_axes
from ..runtime import errors
from ..types.dtypes import cxx_name, scalar_name
from .generator import Generator, default_generator
from .normals import fma64, round_to, standard_normals
from .streams import DIGITS, broadcast, check_overlap, fill, normal_, uniform_, unsupported

__all__ = [
    "bernoulli",
    "bernoulli_",
    "bernoulli_tensor_",
    "binomial",
    "cauchy_",
    "exponential_",
    "geometric_",
    "log_normal_",
    "multinomial",
    "poisson",
    "standard_gamma",
    "trunc_normal_",
]

Array = np.ndarray[Any, Any]

BERNOULLI_P = "bernoulli_ expects p to be in [0, 1], but got p={:g}"
BERNOULLI_P_TENSOR = errors.CONDITION.format("p_in >= 0 && p_in <= 1")
EXPONENTIAL_LAMBDA = "exponential_ expects lambda > 0.0, but found lambda={:g}"
CONTINUOUS = (
    "{} distribution is a continuous probability distribution. dtype must be a floating point but you specified {}"
)
GEOMETRIC_P = "geometric_ expects p to be in (0, 1), but got p={:g}"
CAUCHY_SIGMA = "cauchy_ expects sigma > 0.0, but found sigma={:g}"
LOG_NORMAL_STD = "log_normal_ expects std > 0.0, but found std={:g}"
PROB_DIM = "prob_dist must be 1 or 2 dim"
PROB_DTYPE = "multinomial only supports floating-point dtypes for input, got: {}"
SAMPLES = "cannot sample n_sample <= 0 samples"
SAMPLES_TOO_MANY = "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
CATEGORIES = "number of categories cannot exceed 2^24"
PROB_EMPTY = "aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity."
PROB_INVALID = "probability tensor contains either `inf`, `nan` or element < 0"
PROB_SUM = "invalid multinomial distribution (sum of probabilities <= 0)"
PROB_NEGATIVE = "invalid multinomial distribution (encountering probability entry < 0)"
PROB_INFINITE = "invalid multinomial distribution (encountering probability entry = infinity or NaN)"
POISSON_RATE = "invalid Poisson rate, expected rate to be non-negative"
BINOMIAL_DTYPE = "binomial only supports floating-point dtypes for {}, got: {}"
FOUND_DTYPE = "Found dtype {} but expected {}"
TRUNC_NORMAL_FAR = (
    "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. The distribution of values may be incorrect."
)

_LACKING = frozenset("HILQFD")  # uint16, uint32, uint64 and the complex types


# -- bernoulli


def bernoulli_(out: Array, p: float = 0.5, generator: Generator | None = None) -> Array:
    """Fill with 1 where a number of [0, 1) is below `p`, else 0 (mirrors `Tensor.bernoulli_` with a number).

    Always drawn with 53 bits, whatever the dtype. Errors: RuntimeError for `p` outside [0, 1].

    >>> bernoulli_(np.empty(6), 0.5, Generator().manual_seed(0))
    array([0., 0., 1., 0., 0., 0.])
    """
    p = float(p)
    if not 0.0 <= p <= 1.0:
        raise RuntimeError(BERNOULLI_P.format(p))
    if out.size == 0:
        return out
    check_overlap(out)
    if out.dtype.char in _LACKING:
        raise unsupported("bernoulli_scalar_cpu_", out.dtype)
    return fill(out, (generator or default_generator).uniform53(out.size) < p)


def bernoulli_tensor_(out: Array, p: Array, generator: Generator | None = None) -> Array:
    """Fill with 1 by probabilities `p` that broadcast to `out` (mirrors `Tensor.bernoulli_` with a tensor).

    Drawn with 53 bits if `p` is float64, else with 24. Errors: RuntimeError for a probability outside [0, 1].
    """
    if out.size == 0:
        return out
    check_overlap(out)
    if out.dtype.char in _LACKING:
        raise unsupported("bernoulli_tensor_cpu_self_", out.dtype)
    if p.dtype.char not in DIGITS:
        raise unsupported("bernoulli_tensor_cpu_p_", p.dtype)
    chances = p if p.shape == out.shape else np.broadcast_to(p, out.shape)
    if not out.flags.c_contiguous:
        chances = chances.transpose(memory_axes(out))
    chances = chances.reshape(-1)
    good = (chances >= np.array(0, p.dtype)) & (chances <= np.array(1, p.dtype))
    n = out.size if np.count_nonzero(good) == out.size else int(good.argmin())  # what comes before a bad one is drawn
    source = generator or default_generator
    if p.dtype == np.float64:
        hits = source.uniform53(n) < chances[:n]
    else:
        hits = source.uniform24(n) < chances[:n].astype(np.float32, copy=False)
    if n < out.size:
        raise RuntimeError(BERNOULLI_P_TENSOR)
    return fill(out, hits)


def bernoulli(p: Array, generator: Generator | None = None) -> Array:
    """1 by the probabilities `p`, of their shape and dtype, contiguous (mirrors `torch.bernoulli`)."""
    return bernoulli_tensor_(np.empty(p.shape, p.dtype), p, generator)


# -- continuous and geometric


def exponential_(out: Array, lambd: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with exponential numbers of rate `lambd` (mirrors `Tensor.exponential_`)."""
    lambd = float(lambd)
    if not lambd > 0.0:
        raise RuntimeError(EXPONENTIAL_LAMBDA.format(lambd))
    if out.size == 0:
        return out
    check_overlap(out)
    if out.dtype.char not in DIGITS:
        raise RuntimeError(CONTINUOUS.format("Exponential", scalar_name(out)))
    return fill(out, round_to(_exponentials(out.size, lambd, generator or default_generator), out.dtype))


def _exponentials(n: int, lambd: float, generator: Generator) -> Array:
    values: Array = np.log1p(-generator.uniform53(n))
    values *= -1.0 / lambd
    return values


def geometric_(out: Array, p: float, generator: Generator | None = None) -> Array:
    """Fill with the trials up to the first success (mirrors `Tensor.geometric_`); not for bool and complex."""
    p = float(p)
    if not 0.0 < p < 1.0:
        raise RuntimeError(GEOMETRIC_P.format(p))
    if out.size == 0:
        return out
    check_overlap(out)
    if out.dtype.char in _LACKING or out.dtype.kind == "b":
        raise unsupported("geometric_cpu", out.dtype)
    with np.errstate(all="ignore"):
        values = np.ceil(np.log((generator or default_generator).uniform53(out.size)) / math.log1p(-p))
        if out.dtype.kind in "iu":  # by way of int64, so that too large numbers wrap round
            values = values.astype(np.int64)
    return fill(out, round_to(values, out.dtype))


def cauchy_(out: Array, median: float = 0.0, sigma: float = 1.0, generator: Generator | None = None) -> Array:
    """Fill with numbers of the Cauchy distribution (mirrors `Tensor.cauchy_`)."""
    median, sigma = float(median), float(sigma)
    if not sigma > 0.0:
        raise RuntimeError(CAUCHY_SIGMA.format(sigma))
    if out.dtype.char not in DIGITS:
        raise RuntimeError(CONTINUOUS.format("Cauchy", cxx_name(out)))
    if out.size == 0:
        return out
    check_overlap(out)
    angles = ((generator or default_generator).uniform53(out.size) - 0.5) * math.pi
    if not math.isfinite(median):
        return fill(out, np.full(out.size, median).astype(out.dtype))
    return fill(out, round_to(fma64(np.tan(angles), sigma, median), out.dtype))


def log_normal_(out: Array, mean: float = 1.0, std: float = 2.0, generator: Generator | None = None) -> Array:
    """Fill with exp of normal numbers (mirrors `Tensor.log_normal_`)."""
    mean, std = float(mean), float(std)
    if not std > 0.0:
        raise RuntimeError(LOG_NORMAL_STD.format(std))
    if out.size == 0:
        return out
    check_overlap(out)
    if out.dtype.char not in DIGITS:
        raise unsupported("log_normal_cpu", out.dtype)
    values = fma64(standard_normals(out.size, generator or default_generator), std, mean)
    with np.errstate(all="ignore"):
        values = np.exp(values)
    return fill(out, round_to(values, out.dtype))


def trunc_normal_(
    out: Array, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0, generator: Generator | None = None
) -> Array:
    """Fill with normal numbers inside [a, b] (mirrors `torch.nn.init.trunc_normal_`).

    Normal numbers are drawn again until none lies outside; where few would be inside, uniform ones are kept by chance.
    """

    def below(x: float) -> float:
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(TRUNC_NORMAL_FAR, UserWarning)
    if below((b - mean) / std) - below((a - mean) / std) > 0.3:
        low, high = np.array(a, out.dtype), np.array(b, out.dtype)
        normal_(out, mean, std, generator)
        while True:
            again = (out < low) | (out > high)
            if not again.any():
                return out
            np.copyto(out, normal_(np.empty_like(out), mean, std, generator), where=again)
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    candidates, chances = uniform_(out, a, b, generator), np.empty_like(out)
    pending: Any = True
    while True:
        density = np.square((candidates - mean) / std) * -0.5 - peak
        with np.errstate(divide="ignore"):
            pending = pending & (np.log(uniform_(chances, generator=generator)) > density)
        if not pending.any():
            return out
        candidates = uniform_(np.empty_like(out), a, b, generator)
        np.copyto(out, candidates, where=pending)


# -- choices


def multinomial(p: Array, n_sample: int, replacement: bool = False, generator: Generator | None = None) -> Array:
    """Indices drawn by the weights `p`, shape (n,) or (rows, n): int64, (n_sample,) or (rows, n_sample).

    Mirrors `torch.multinomial`. Errors: RuntimeError for weights that are not a distribution, or too few of them.

    >>> multinomial(np.array([1.0, 0.0, 1.0]), 6, True, Generator().manual_seed(0))
    array([2, 2, 0, 2, 2, 2])
    """
    if p.ndim not in (1, 2):
        raise RuntimeError(PROB_DIM)
    if p.dtype.char not in DIGITS:
        raise RuntimeError(PROB_DTYPE.format(scalar_name(p)))
    if n_sample <= 0:
        raise RuntimeError(SAMPLES)
    n = p.shape[-1]
    if not replacement and n_sample > n:
        raise RuntimeError(SAMPLES_TOO_MANY)
    if n > 1 << 24:
        raise RuntimeError(CATEGORIES)
    shape = p.shape[:-1] + (n_sample,)
    if 0 in shape:
        return np.empty(shape, np.int64)
    source = generator or default_generator
    if replacement and n_sample > 1:
        rows = p.reshape(-1, n) if n else np.empty((math.prod(p.shape[:-1]), 0), p.dtype)
        return _with_replacement(rows, n_sample, source).reshape(shape)
    if n == 0:
        raise RuntimeError(PROB_EMPTY)
    if not (p.max() < math.inf and p.min() >= 0):
        raise RuntimeError(PROB_INVALID)
    if (p.sum(-1) == 0).any():
        raise RuntimeError(PROB_SUM)
    # The largest of p / exponential falls on each index with its chance; the next ones go on without replacement.
    with np.errstate(all="ignore"):
        race = p / exponential_(empty_like(p, p.dtype), 1.0, source)
    if n_sample == 1:
        return np.asarray(race.argmax(-1, keepdims=True), np.int64)
    return np.ascontiguousarray(np.argsort(-race, axis=-1, kind="stable")[..., :n_sample], np.int64)


def _with_replacement(rows: Array, n_sample: int, generator: Generator) -> Array:
    """The indices of each row in turn; a row that is no distribution is refused after those before it are drawn."""
    weights = rows.astype(np.float32) if rows.dtype.itemsize == 2 else rows
    below, finite = ~(weights >= 0), np.isfinite(weights)
    reach = np.cumsum(weights, axis=1, dtype=weights.dtype)
    bad = (below | ~finite).any(1) | ~(reach[:, -1] > 0 if reach.shape[1] else np.zeros(len(rows), bool))
    count = int(bad.argmax()) if bad.any() else len(rows)
    numbers = generator.uniform53(count * n_sample).reshape(count, n_sample)
    if count < len(rows):
        wrong = below[count] | ~finite[count]
        first = int(wrong.argmax()) if wrong.any() else -1
        raise RuntimeError(PROB_SUM if first < 0 else PROB_NEGATIVE if below[count, first] else PROB_INFINITE)
    reach /= reach[:, -1:]
    reach[:, -1] = 1
    found = [line.searchsorted(wanted) for line, wanted in zip(reach.astype(np.float64), numbers, strict=True)]
    return np.array(found, np.int64)


# -- counts: one number at a time, since each takes as many draws as chance wants


def poisson(rate: Array, generator: Generator | None = None) -> Array:
    """Poisson numbers of the rates, of their shape and dtype (mirrors `torch.poisson`)."""
    if rate.dtype.char not in DIGITS:
        raise unsupported("poisson_cpu", rate.dtype)
    source = generator or default_generator
    values = [_poisson(r, source) for r in rate.astype(np.float64).reshape(-1).tolist()]
    return round_to(np.array(values, np.float64).reshape(rate.shape), rate.dtype)


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


def _poisson(rate: float, generator: Generator) -> int:
    if not rate >= 0.0:
        raise RuntimeError(POISSON_RATE)
    if rate == 0.0:
        return 0
    draw = generator.random
    if rate < 10.0:  # multiply uniform numbers until the product falls below exp(-rate)
        floor, product, count = math.exp(-rate), draw(), 0
        while product > floor:
            count += 1
            product *= draw()
        return count
    # Hörmann's transformed rejection (PTRS)
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    accept = 0.9277 - 3.6224 / (b - 2)
    while True:
        u, v = draw() - 0.5, draw()
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= accept:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        bound = -rate + k * log_rate - math.lgamma(k + 1.0)
        if _log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= bound:
            return k


def binomial(count: Array, prob: Array, generator: Generator | None = None) -> Array:
    """Successes in `count` trials of chance `prob`, of the broadcast shape (mirrors `torch.binomial`)."""
    for name, array in (("count", count), ("prob", prob)):
        if array.dtype.char not in DIGITS:
            raise ValueError(BINOMIAL_DTYPE.format(name, scalar_name(array)))
    if prob.dtype != count.dtype:
        raise RuntimeError(FOUND_DTYPE.format(scalar_name(prob), scalar_name(count)))
    if count.dtype.itemsize == 2:
        raise unsupported("binomial_cpu", count.dtype)
    shape = broadcast(count.shape, prob.shape)
    counts, probs = np.broadcast_to(count, shape), np.broadcast_to(prob, shape)
    source = generator or default_generator
    out: Array = np.empty(counts.shape, count.dtype)
    flat = out.reshape(-1)
    one = count.dtype.type(1)
    for i, (n, p) in enumerate(zip(counts.reshape(-1), probs.reshape(-1), strict=True)):
        if n <= 0 or p <= 0:
            flat[i] = 0
        elif p >= 1:
            flat[i] = n
        elif p != p:
            flat[i] = math.nan
        else:
            q = p if p <= 0.5 else one - p
            k = (_binomial_wide if n * q >= 10 else _binomial_small)(n, q, source)
            flat[i] = k if p <= 0.5 else n - k
    return out


def _binomial_small(count: Any, prob: Any, generator: Generator) -> float:
    """Add up the waiting times between successes."""
    log_prob = float(np.log1p(-prob))
    total, successes = 0.0, 0
    while True:
        total += math.ceil(_log(generator.random() or 5e-324) / log_prob)
        if total > count:
            return successes
        successes += 1


_STIRLING = (
    0.0810614667953272,
    0.0413406959554092,
    0.0276779256849983,
    0.02079067210376509,
    0.0166446911898211,
    0.0138761288230707,
    0.0118967099458917,
    0.0104112652619720,
    0.00925546218271273,
    0.00833056343336287,
)


def _stirling_tail(k: float) -> float:
    if k < len(_STIRLING):
        return _STIRLING[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _binomial_wide(n: Any, p: Any, generator: Generator) -> float:
    """Hörmann's transformed rejection (BTRS). `n` and `p` keep their own precision where PyTorch's do."""
    one = type(p)(1)
    deviation = float(np.sqrt(n * p * (one - p)))
    m = float(np.floor((n + one) * p))
    center, odds = float(n * p) + 0.5, float(p / (one - p))
    count, following = float(n), float(n + one)
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * float(p)
    accept = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * deviation
    while True:
        u, v = generator.random() - 0.5, generator.random()
        us = 0.5 - abs(u)
        if us == 0.0:
            continue
        k = float(math.floor((2 * a / us + b) * u + center))
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= accept:
            return k
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + following * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if _log(v * alpha / (a / (us * us) + b)) <= bound:
            return k


def standard_gamma(alpha: Array, generator: Generator | None = None) -> Array:
    """Gamma numbers of the shapes `alpha` and scale 1, float32 or float64 (mirrors `torch._standard_gamma`)."""
    if alpha.dtype.name not in ("float32", "float64"):
        raise unsupported("gamma_cpu", alpha.dtype)
    source = generator or default_generator
    smallest = float(np.finfo(alpha.dtype).tiny)
    values = [max(smallest, float(alpha.dtype.type(_gamma(shape, source)))) for shape in alpha.reshape(-1)]
    return np.array(values, alpha.dtype).reshape(alpha.shape)


def dirichlet(alpha: Array, generator: Generator | None = None) -> Array:
    """Dirichlet numbers of the concentrations `alpha` along the last dimension (mirrors `torch._sample_dirichlet`)."""
    if alpha.dtype.name not in ("float32", "float64"):
        raise unsupported("dirichlet", alpha.dtype)
    source = generator or default_generator
    drawn = np.array([_gamma(shape, source) for shape in alpha.reshape(-1).astype(np.float64)]).reshape(alpha.shape)
    drawn = np.maximum(drawn, np.finfo(np.float64).tiny)
    shares = (drawn / drawn.sum(-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(shares, np.finfo(alpha.dtype).tiny, np.nextafter(one, one - one))  # neither 0 nor 1


def _gamma(shape: Any, generator: Generator) -> float:
    """Marsaglia and Tsang's rejection; constants have the precision of float32, as PyTorch's."""
    scale, one = 1.0, type(shape)(1)
    if shape < 1:
        if shape == 0:
            return 0.0
        scale = (1.0 - generator.random()) ** float(one / shape)
        shape = shape + one
    d = float(shape - type(shape)(np.float32(1) / np.float32(3)))
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        y = -1.0
        while y <= 0:
            x = float(standard_normals(1, generator)[0])
            y = 1.0 + c * x
        v, u = y * y * y, 1.0 - generator.random()
        square = x * x
        if u < 1.0 - float(np.float32(0.0331)) * square * square:
            return scale * d * v
        if math.log(u) < 0.5 * square + d * (1.0 - v + math.log(v)):
            return scale * d * v
