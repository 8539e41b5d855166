"""Derivatives of random numbers by the shapes of their distributions, along the lines of equal cumulative probability
(Figurnov, Mohamed and Mnih 2018): dx/da = -(dF(x; a)/da) / p(x; a). Right up to rounding, where PyTorch interpolates
(its error is below one part in a thousand)."""

from __future__ import annotations

from typing import Any

import numpy as np

from .special import digamma

__all__ = ["beta", "gamma"]

Array = Any
_NODES, _WEIGHTS = np.polynomial.laguerre.laggauss(64)


def _series(ratio: Any, slope: Any, shape: tuple[int, ...]) -> tuple[Array, Array]:
    """The sum of terms that begin with 1, of which `ratio(k)` is the quotient of neighbours and `slope(k)` its
    logarithmic derivative, and the derivative of the sum."""
    term, total, log_slope, derivative = np.ones(shape), np.ones(shape), np.zeros(shape), np.zeros(shape)
    for k in range(100_000):
        term = term * ratio(k)
        log_slope = log_slope + slope(k)
        total = total + term
        derivative = derivative + term * log_slope
        if np.all(np.abs(term) * (1 + np.abs(log_slope)) <= 1e-17 * total):
            break
    return total, derivative


def _gamma_left(a: Array, x: Array) -> Array:
    """From the series of the lower incomplete gamma function."""
    total, derivative = _series(lambda k: x / (a + k + 1), lambda k: -1 / (a + k + 1), a.shape)
    return -(x / a) * (total * (np.log(x) - digamma(a + 1)) + derivative)


def _gamma_right(a: Array, x: Array) -> Array:
    """From the integral of the upper incomplete gamma function, by Gauss and Laguerre."""
    rate = np.where(a > 1, 1 - (a - 1) / x, 1.0)[..., None]
    a, x = a[..., None], x[..., None]
    s = _NODES / rate
    factor = np.exp(_NODES - s + (a - 1) * np.log1p(s / x)) * (np.log(x + s) - digamma(a))
    return ((factor * _WEIGHTS) / rate).sum(-1)


def gamma(a: Array, x: Array) -> Array:
    """dx/da of numbers `x` that are gamma distributed with shapes `a` and scale 1."""
    a, x = np.broadcast_arrays(np.asarray(a, np.float64), np.asarray(x, np.float64))
    result = np.empty(a.shape)
    left = x < np.maximum(a + 6 * np.sqrt(a), 4.0)
    with np.errstate(all="ignore"):  # at the poles, which are not taken
        result[left] = _gamma_left(a[left], x[left])
        result[~left] = _gamma_right(a[~left], x[~left])
    return result


def _beta_left(x: Array, a: Array, total: Array) -> Array:
    """From the series of the incomplete beta function at 0."""
    sum_, derivative = _series(
        lambda k: (total + k) / (a + 1 + k) * x, lambda k: 1 / (total + k) - 1 / (a + 1 + k), a.shape
    )
    slope = np.log(x) - digamma(a) + digamma(total) - 1 / a
    return -x / a * (sum_ * slope + derivative)


def _beta_right(x: Array, a: Array, total: Array) -> Array:
    """From the series at 1."""
    b = total - a
    sum_, derivative = _series(lambda k: (total + k) / (b + 1 + k) * (1 - x), lambda k: 1 / (total + k), a.shape)
    slope = np.log(x) - digamma(a) + digamma(total)
    return x / b * (sum_ * slope + derivative)


def beta(x: Array, a: Array, total: Array) -> Array:
    """dx/da / (1 - x) of beta distributed numbers `x` with concentrations `a` and `total - a`, of which the second
    stays: the factor of Dirichlet numbers, whose other parts shrink as one grows."""
    x, a, total = np.broadcast_arrays(*(np.asarray(each, np.float64) for each in (x, a, total)))
    result = np.empty(x.shape)
    left = x <= (a + 1) / (total + 2)
    with np.errstate(all="ignore"):  # at the poles, which are not taken
        result[left] = _beta_left(x[left], a[left], total[left])
        result[~left] = _beta_right(x[~left], a[~left], total[~left])
    return result
