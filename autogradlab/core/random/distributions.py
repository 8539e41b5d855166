"""The other distributions, drawn as PyTorch does: the same words of the generator, the same order, the same rounding.

As in `streams.py`: a name that ends in `_` fills the array `out` in the order of its memory, the generator comes last
and None is the default one, messages are PyTorch's.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
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
        if out.dtype.kind == "c":  # has no order
            raise unsupported("lt_cpu", out.dtype)
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


# -- what takes as many draws as chance wants


#: so many numbers of equal parameters in a row are worth a look at many tries at once, and at so many at most
_LONG_RUN, _AT_ONCE = 64, 4096


def _runs(*parameters: Array) -> list[tuple[int, int, bool]]:
    """Flat arrays of parameters in parts: where each begins and ends, and whether it is long and of equal ones."""
    n = len(parameters[0])
    if n < _LONG_RUN:
        return [(0, n, False)]
    differ = np.zeros(n - 1, bool)
    for values in parameters:
        differ |= values[1:] != values[:-1]
    ends = np.concatenate(([0], differ.nonzero()[0] + 1, [n]))
    long = (ends[1:] - ends[:-1] >= _LONG_RUN).nonzero()[0]
    found, done = [], 0
    for start, stop in zip(ends[long].tolist(), ends[long + 1].tolist(), strict=True):
        found += [(done, start, False), (start, stop, True)]
        done = stop
    return [*found, (done, n, False)]


class _Rejection:
    """Hörmann's transformed rejection for one set of parameters: each try takes two uniform numbers, and gives a count
    or nothing."""

    a: float
    b: float
    center: float
    shift = 0.0
    #: what is accepted at first sight
    accept: float
    least, most = -math.inf, math.inf

    def one(self, draw: Callable[[], float]) -> float:
        """The first count that tries give."""
        while True:
            u, v = draw() - 0.5, draw()
            us = 0.5 - abs(u)
            if us == 0.0:
                continue
            k = math.floor((2 * self.a / us + self.b) * u + self.center + self.shift)
            if us >= 0.07 and v <= self.accept and self.least <= k <= self.most:
                return k
            if self.accepts(k, us, v):
                return k

    def fill(self, out: Array, generator: Generator) -> None:
        """Fill with what tries give one after the other, which are looked at many at a time."""
        done, n = 0, len(out)
        with generator._lock:
            while done < n:
                tries = min(n - done + (n - done) // 4 + 8, _AT_ONCE)
                numbers = generator.ahead(2 * tries)
                u, v = numbers[0::2] - 0.5, numbers[1::2]
                us = 0.5 - abs(u)
                with np.errstate(all="ignore"):
                    k = np.floor((2 * self.a / us + self.b) * u + self.center + self.shift)
                    good = (us >= 0.07) & (v <= self.accept) & (k >= self.least) & (k <= self.most)
                rest = (~good & (us != 0.0)).nonzero()[0]
                good[rest] = self.accepts_each(k[rest], us[rest], v[rest])
                found = good.nonzero()[0][: n - done]
                out[done : done + len(found)] = k[found]
                done += len(found)
                generator.skip(2 * (int(found[-1]) + 1 if done == n else tries))

    def accepts(self, k: float, us: float, v: float) -> bool:
        """Whether a count is accepted that is not so at first sight."""
        raise NotImplementedError

    def accepts_each(self, k: Array, us: Array, v: Array) -> Array:
        """The same of many tries."""
        return np.array(list(map(self.accepts, k.tolist(), us.tolist(), v.tolist())), bool)


def _log(x: float) -> float:
    return math.log(x) if x > 0.0 else -math.inf


class _Poisson(_Rejection):
    """Poisson numbers of a rate from 10 on (PTRS)."""

    shift = 0.43

    def __init__(self, rate: float) -> None:
        self.center, self.log_rate = rate, math.log(rate)
        self.b = b = 0.931 + 2.53 * math.sqrt(rate)
        self.a = -0.059 + 0.02483 * b
        self.log_inverse_alpha = math.log(1.1239 + 1.1328 / (b - 3.4))
        self.accept = 0.9277 - 3.6224 / (b - 2)

    def accepts(self, k: float, us: float, v: float) -> bool:
        if k < 0 or (us < 0.013 and v > us):
            return False
        bound = -self.center + k * self.log_rate - math.lgamma(k + 1.0)
        return _log(v) + self.log_inverse_alpha - math.log(self.a / (us * us) + self.b) <= bound


def poisson(rate: Array, generator: Generator | None = None) -> Array:
    """Poisson numbers of the rates, of their shape and dtype (mirrors `torch.poisson`)."""
    if rate.dtype.char not in DIGITS:
        raise unsupported("poisson_cpu", rate.dtype)
    source = generator or default_generator
    rates = rate.astype(np.float64).reshape(-1)
    values = np.empty(len(rates), np.float64)
    for start, stop, alike in _runs(rates):
        if alike and 10.0 <= rates[start] < math.inf:
            _Poisson(rates.item(start)).fill(values[start:stop], source)
        else:
            values[start:stop] = _poissons(rates[start:stop].tolist(), source)
    return round_to(values.reshape(rate.shape), rate.dtype)


def _poissons(rates: list[float], generator: Generator) -> list[float]:
    """The numbers of different rates, one after the other."""
    found: list[float] = []
    last = floor = math.nan
    wide: _Poisson | None = None
    with generator.one_by_one() as draw:
        for rate in rates:
            if rate != last:
                if not rate >= 0.0:
                    raise RuntimeError(POISSON_RATE)
                last, floor, wide = rate, math.exp(-rate), _Poisson(rate) if rate >= 10.0 else None
            if wide is not None:
                found.append(wide.one(draw))
            elif rate == 0.0:
                found.append(0.0)
            else:  # multiply uniform numbers until the product falls below exp(-rate)
                product, count = draw(), 0
                while product > floor:
                    count += 1
                    product *= draw()
                found.append(count)
    return found


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
    n, p = (np.broadcast_to(x, shape).reshape(-1) for x in (count, prob))
    source = generator or default_generator
    out: Array = np.empty(n.shape, count.dtype)
    with np.errstate(all="ignore"):
        q = np.where(p <= 0.5, p, 1 - p)
        never, always = (n <= 0) | (p <= 0), p >= 1
        drawn = ~(never | always | (p != p))
        wide = drawn & (n * q >= 10)
        for start, stop, alike in _runs(n, p):
            part = slice(start, stop)
            if alike and wide[start]:
                _wide_binomials(n[start : start + 1], q[start : start + 1])[0].fill(out[part], source)
            else:
                out[part] = _binomials(n[part], q[part], drawn[part], wide[part], source)
        out = np.where(p <= 0.5, out, n - out)
        out[p != p] = math.nan
    out[always] = n[always]
    out[never] = 0
    return out.reshape(shape)


def _binomials(n: Array, q: Array, drawn: Array, wide: Array, generator: Generator) -> list[float]:
    """The numbers of different counts and chances, one after the other."""
    ways = iter(_wide_binomials(n[wide], q[wide]))
    found: list[float] = []
    log_probs = np.log1p(-q).tolist()
    with generator.one_by_one() as draw:
        for count, log_prob, any_, many in zip(n.tolist(), log_probs, drawn.tolist(), wide.tolist(), strict=True):
            total, successes = 0.0, 0
            if many:
                found.append(next(ways).one(draw))
                continue
            while any_:  # add up the waiting times between successes
                total += math.ceil(_log(draw() or 5e-324) / log_prob)
                if total > count:
                    break
                successes += 1
            found.append(successes)
    return found


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


def _stirling_tails(k: Array) -> Array:
    square = (k + 1) * (k + 1)
    first = np.array(_STIRLING)[np.clip(k, 0, len(_STIRLING) - 1).astype(np.intp)]
    return np.where(k < len(_STIRLING), first, (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1))


class _Binomial(_Rejection):
    """Binomial numbers of many trials (BTRS)."""

    least = 0.0

    def __init__(self, *parameters: float) -> None:
        self.most, self.following, p, deviation, self.m, self.center, self.odds = parameters
        self.center += 0.5
        self.b = 1.15 + 2.53 * deviation
        self.a = -0.0873 + 0.0248 * self.b + 0.01 * p
        self.accept = 0.92 - 4.2 / self.b
        self.alpha = (2.83 + 5.1 / self.b) * deviation

    def accepts(self, k: float, us: float, v: float) -> bool:
        return 0 <= k <= self.most and self._excess(k, us, v, _log, _stirling_tail) <= 0

    def accepts_each(self, k: Array, us: Array, v: Array) -> Array:
        inside = (k >= 0) & (k <= self.most)
        with np.errstate(all="ignore"):
            excess = self._excess(k, us, v, np.log, _stirling_tails)
        close = inside & (abs(excess) < 1e-9 + 1e-12 * self.most)
        good: Array = inside & (excess <= 0)
        good[close] = super().accepts_each(k[close], us[close], v[close])
        return good

    def _excess(self, k: Any, us: Any, v: Any, log: Callable[..., Any], tail: Callable[..., Any]) -> Any:
        """By how much a number lies above that up to which a count is accepted."""
        count, m, odds = self.most, self.m, self.odds
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + self.following * log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - tail(k)
            - tail(count - k)
        )
        return log(v * self.alpha / (self.a / (us * us) + self.b)) - bound


def _wide_binomials(n: Array, p: Array) -> list[_Binomial]:
    """For each count and chance; what PyTorch computes in their own precision is computed in it."""
    one = p.dtype.type(1)
    each = n, n + one, p, np.sqrt(n * p * (one - p)), np.floor((n + one) * p), n * p, p / (one - p)
    return list(map(_Binomial, *(values.tolist() for values in each)))


def standard_gamma(alpha: Array, generator: Generator | None = None) -> Array:
    """Gamma numbers of the shapes `alpha` and scale 1, float32 or float64 (mirrors `torch._standard_gamma`)."""
    if alpha.dtype.name not in ("float32", "float64"):
        raise unsupported("gamma_cpu", alpha.dtype)
    drawn = _gammas(alpha, generator or default_generator).astype(alpha.dtype)
    return np.maximum(drawn, np.finfo(alpha.dtype).tiny)


def dirichlet(alpha: Array, generator: Generator | None = None) -> Array:
    """Dirichlet numbers of the concentrations `alpha` along the last dimension (mirrors `torch._sample_dirichlet`)."""
    if alpha.dtype.name not in ("float32", "float64"):
        raise unsupported("dirichlet", alpha.dtype)
    drawn = _gammas(alpha.astype(np.float64), generator or default_generator)
    drawn = np.maximum(drawn, np.finfo(np.float64).tiny)
    shares = (drawn / drawn.sum(-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(shares, np.finfo(alpha.dtype).tiny, np.nextafter(one, one - one))  # neither 0 nor 1


def _gammas(shapes: Array, generator: Generator) -> Array:
    """Marsaglia and Tsang's rejection, one number after the other, in float64; constants have the precision of float32,
    as PyTorch's."""
    flat, one = shapes.reshape(-1), shapes.dtype.type(1)
    with np.errstate(all="ignore"):
        small = flat < 1
        exponents = np.where(flat == 0, math.nan, np.where(small, one / flat, 0)).tolist()
        d_each = (np.where(small, flat + one, flat) - shapes.dtype.type(np.float32(1) / np.float32(3))).tolist()
    log, log1p, sqrt, sin, cos, turn = math.log, math.log1p, math.sqrt, math.sin, math.cos, 2.0 * math.pi
    squeeze = float(np.float32(0.0331))
    kept, found = generator.next_normal, []
    with generator.one_by_one() as draw:
        try:
            for d, exponent in zip(d_each, exponents, strict=True):
                if exponent != exponent:  # of a shape of 0
                    found.append(0.0)
                    continue
                scale = (1.0 - draw()) ** exponent if exponent else 1.0
                c = 1.0 / sqrt(9.0 * d)
                while True:
                    y = -1.0
                    while y <= 0:
                        if kept is None:
                            angle = turn * draw()
                            radius = sqrt(-2.0 * log1p(-draw()))
                            x, kept = radius * cos(angle), radius * sin(angle)
                        else:
                            x, kept = kept, None
                        y = 1.0 + c * x
                    v, u = y * y * y, 1.0 - draw()
                    square = x * x
                    if u < 1.0 - squeeze * square * square:
                        break
                    if log(u) < 0.5 * square + d * (1.0 - v + log(v)):
                        break
                found.append(scale * d * v)
        finally:
            generator.next_normal = kept
    return np.array(found, np.float64).reshape(shapes.shape)
