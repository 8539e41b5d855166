"""The Kullback-Leibler divergence (mirrors `torch.distributions.kl`)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import autogradlab as torch

from ..core.tensor.tensor import Tensor
from ..nn.functional import softplus
from .bernoulli import Bernoulli
from .beta import Beta
from .binomial import Binomial
from .categorical import Categorical
from .cauchy import Cauchy
from .continuous_bernoulli import ContinuousBernoulli
from .dirichlet import Dirichlet
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .exponential import Exponential
from .gamma import Gamma
from .geometric import Geometric
from .gumbel import Gumbel
from .half_normal import HalfNormal
from .independent import Independent
from .laplace import Laplace
from .lowrank_multivariate_normal import LowRankMultivariateNormal
from .multivariate_normal import MultivariateNormal, batch_mahalanobis, log_diagonal
from .normal import Normal
from .one_hot_categorical import OneHotCategorical
from .pareto import Pareto
from .poisson import Poisson
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import _sum_rightmost, euler_constant

__all__ = ["kl_divergence", "register_kl"]

Formula = Callable[[Any, Any], Tensor]
_FORMULAS: dict[tuple[type, type], Formula] = {}
_FOUND: dict[tuple[type, type], Formula | None] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Formula], Formula]:
    """Decorator: register the function that computes the divergence of two kinds of distributions.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.distributions import Normal, Uniform, kl_divergence, register_kl
        >>> class Unit(Uniform):
        ...     pass
        ...
        >>> @register_kl(Unit, Normal)
        ... def unit_normal(p, q):
        ...     return torch.tensor(0.0)
        ...
        >>> kl_divergence(Unit(0.0, 1.0), Normal(0.0, 1.0))
        tensor(0.)

    Mirrors `torch.distributions.register_kl`.
    """
    for name, kind in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(kind, type) and issubclass(kind, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {kind}")

    def decorator(fun: Formula) -> Formula:
        _FORMULAS[type_p, type_q] = fun
        _FOUND.clear()
        return fun

    return decorator


def _closest(matches: list[tuple[type, type]]) -> tuple[type, type]:
    """Of the registered pairs of classes the most specific in the first class, and among these in the second."""
    best = matches[0]
    for match in matches[1:]:
        first = match[0] is not best[0]
        if issubclass(match[0], best[0]) if first else issubclass(match[1], best[1]):
            best = match
    return best


def _formula(type_p: type, type_q: type) -> Formula | None:
    matches = [(p, q) for p, q in _FORMULAS if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return None
    left_p, left_q = _closest(matches)
    right_q, right_p = _closest([(q, p) for p, q in matches])
    if _FORMULAS[left_p, left_q] is not _FORMULAS[right_p, right_q]:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left_p.__name__}, {right_q.__name__})",
            RuntimeWarning,
            stacklevel=3,
        )
    return _FORMULAS[left_p, left_q]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The Kullback-Leibler divergence of `q` from `p`: the mean over `p` of log p(x) - log q(x).
    Errors: NotImplementedError for pairs without a formula.

    Example:
        >>> import autogradlab as torch
        >>> from autogradlab.distributions import Normal, kl_divergence
        >>> kl_divergence(Normal(torch.tensor(1.0), 1.0), Normal(torch.tensor(0.0), 1.0))
        tensor(0.5000)

    Mirrors `torch.distributions.kl_divergence`.
    """
    kinds = type(p), type(q)
    if kinds not in _FOUND:
        _FOUND[kinds] = _formula(*kinds)
    fun = _FOUND[kinds]
    if fun is None:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}"
        )
    return fun(p, q)


# -- two of a kind -----------------------------------------------------------------------------------------------------


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    distance = ((p.loc - q.loc) / q.scale).pow(2)
    return 0.5 * (ratio + distance - 1 - ratio.log())


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    yes = p.probs * (softplus(-q.logits) - softplus(-p.logits))
    yes[q.probs == 0] = math.inf
    yes[p.probs == 0] = 0
    no = (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    no[q.probs == 1] = math.inf
    no[p.probs == 1] = 0
    return yes + no


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    terms[(q.probs == 0).expand_as(terms)] = math.inf
    terms[(p.probs == 0).expand_as(terms)] = 0
    return terms.sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    result[(q.low > p.low) | (q.high < p.high)] = math.inf
    return result


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Tensor:
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    of_p, of_q = p1 + p0, q1 + q0
    normalizers = (q1.lgamma() + q0.lgamma() + of_p.lgamma()) - (p1.lgamma() + p0.lgamma() + of_q.lgamma())
    result = normalizers + (p1 - q1) * torch.digamma(p1) + (p0 - q0) * torch.digamma(p0)
    return result + (of_q - of_p) * torch.digamma(of_p)


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    of_one = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    result = p.total_count * of_one
    more = p.total_count > q.total_count
    result[more] = torch.full_like(result[more], math.inf)
    return result


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Tensor:
    slopes = p.mean * (p.logits - q.logits)
    of_p = p._log_norm() + torch.log1p(-p.probs)
    return slopes + of_p + (-q._log_norm() - torch.log1p(-q.probs))


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Tensor:
    of_p, of_q = p.concentration.sum(-1), q.concentration.sum(-1)
    totals = of_p.lgamma() - of_q.lgamma()
    parts = (p.concentration.lgamma() - q.concentration.lgamma()).sum(-1)
    off = p.concentration - q.concentration
    slopes = p.concentration.digamma() - of_p.digamma().unsqueeze(-1)
    return totals - parts + (off * slopes).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return -ratio.log() + ratio - 1


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Tensor:
    if type(p) is not type(q):
        raise NotImplementedError(
            "The cross KL-divergence between different exponential families cannot"
            "                             be computed using Bregman divergences"
        )
    of_p = [natural.detach().requires_grad_() for natural in p._natural_params]
    of_q = q._natural_params
    normalizer = p._log_normalizer(*of_p)
    gradients = torch.autograd.grad(normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*of_q) - normalizer
    for before, after, gradient in zip(of_p, of_q, gradients, strict=True):
        result -= _sum_rightmost((after - before) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Tensor:
    rates = q.concentration * (p.rate / q.rate).log()
    normalizers = torch.lgamma(q.concentration) - torch.lgamma(p.concentration)
    shapes = (p.concentration - q.concentration) * torch.digamma(p.concentration)
    return rates + normalizers + shapes + (q.rate - p.rate) * (p.concentration / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Tensor:
    scales, of_q, of_p = p.scale / q.scale, q.loc / q.scale, p.loc / q.scale
    result = -scales.log() - of_q + of_p + scales * euler_constant
    return result + torch.exp(of_q + (1 + scales).lgamma() - of_p) - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Tensor:
    scales, off = p.scale / q.scale, (p.loc - q.loc).abs()
    return -scales.log() + off / q.scale + scales * torch.exp(-off / p.scale) - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Tensor:
    top = ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log()
    return top - (4 * p.scale * q.scale).log()


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    alphas = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() + -alphas.log() + alphas - 1
    result[p.support.lower_bound < q.support.lower_bound] = math.inf
    return result


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


def _trace_of_square(matrix: Tensor) -> Tensor:
    """The trace of a matrix times its transpose."""
    return matrix.reshape(-1, matrix.size(-1) * matrix.size(-2)).pow(2).sum(-1).reshape(matrix.shape[:-2])


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError(
            "KL-divergence between two Multivariate Normals with"
            "                          different event shapes cannot be computed"
        )
    of_q, of_p = q._unbroadcasted_scale_tril, p._unbroadcasted_scale_tril
    n = p.event_shape[0]
    determinants = log_diagonal(of_q) - log_diagonal(of_p)
    shape = torch.broadcast_shapes(of_q.shape[:-2], of_p.shape[:-2]) + (n, n)
    solved = torch.linalg.solve_triangular(of_q.expand(shape), of_p.expand(shape), upper=False)
    distance = batch_mahalanobis(of_q, q.loc - p.loc)
    return determinants + 0.5 * (_trace_of_square(solved) + distance - n)


def _same_events(p: Any, q: Any, kinds: str) -> None:
    if p.event_shape != q.event_shape:
        raise ValueError(
            f"KL-divergence between two {kinds} Multivariate Normals with"
            "                          different event shapes cannot be computed"
        )


@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _low_rank(p: Any, q: Any) -> Tensor:
    _same_events(p, q, "Low Rank")
    determinants = q.log_det() - p.log_det()
    distance = q.distance(q.loc - p.loc)
    solved = q._solved()
    factor, diagonal, of_q = p._unbroadcasted_cov_factor, p._unbroadcasted_cov_diag, q._unbroadcasted_cov_diag
    trace = (diagonal / of_q).sum(-1) + _trace_of_square(factor * of_q.rsqrt().unsqueeze(-1))
    trace = trace - _trace_of_square(solved * diagonal.sqrt().unsqueeze(-2)) - _trace_of_square(solved.matmul(factor))
    return 0.5 * (determinants + trace + distance - p.event_shape[0])


@register_kl(MultivariateNormal, LowRankMultivariateNormal)
def _multivariate_low_rank(p: Any, q: Any) -> Tensor:
    _same_events(p, q, "(Low Rank)")
    factor = p._unbroadcasted_scale_tril
    determinants = q.log_det() - 2 * log_diagonal(factor)
    distance = q.distance(q.loc - p.loc)
    solved = q._solved()
    trace = _trace_of_square(factor * q._unbroadcasted_cov_diag.rsqrt().unsqueeze(-1))
    trace = trace - _trace_of_square(solved.matmul(factor))
    return 0.5 * (determinants + trace + distance - p.event_shape[0])


@register_kl(LowRankMultivariateNormal, MultivariateNormal)
def _low_rank_multivariate(p: Any, q: Any) -> Tensor:
    _same_events(p, q, "(Low Rank)")
    of_q, factor = q._unbroadcasted_scale_tril, p._unbroadcasted_cov_factor
    determinants = 2 * log_diagonal(of_q) - p.log_det()
    distance = batch_mahalanobis(of_q, q.loc - p.loc)
    batch, n = torch.broadcast_shapes(of_q.shape[:-2], factor.shape[:-2]), p.event_shape[0]
    of_q = of_q.expand(batch + (n, n))
    parts = (
        factor.expand(batch + (n, p.cov_factor.size(-1))),
        torch.diag_embed(p._unbroadcasted_cov_diag.sqrt()).expand(batch + (n, n)),
    )
    of_factor, of_diagonal = (
        _trace_of_square(torch.linalg.solve_triangular(of_q, part, upper=False)) for part in parts
    )
    return 0.5 * (determinants + (of_factor + of_diagonal) + distance - n)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return _sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


# -- different kinds ---------------------------------------------------------------------------------------------------

#: pairs of which p has values outside the support of q, and the parameter of p whose shape the infinite result has
_INFINITE: dict[type, tuple[str, tuple[type, ...]]] = {
    Beta: ("concentration1", (Pareto,)),
    ContinuousBernoulli: ("probs", (Pareto,)),
    Exponential: ("rate", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gamma: ("concentration", (Beta, ContinuousBernoulli, Pareto, Uniform)),
    Gumbel: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Laplace: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Normal: ("loc", (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform)),
    Pareto: ("scale", (Beta, ContinuousBernoulli, Uniform)),
    Poisson: ("rate", (Bernoulli, Binomial)),
}


def _infinite(name: str) -> Formula:
    return lambda p, q: torch.full_like(getattr(p, name), math.inf)


for _p, (_name, _kinds) in _INFINITE.items():
    for _q in _kinds:
        register_kl(_p, _q)(_infinite(_name))


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Any, q: Any) -> Tensor:
    return -p.entropy() - (p.probs * q.rate.log() - q.rate)


@register_kl(Beta, ContinuousBernoulli)
def _beta_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.entropy() - p.mean * q.logits - torch.log1p(-q.probs) - q._log_norm()


@register_kl(ContinuousBernoulli, Exponential)
def _continuous_bernoulli_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - torch.log(q.rate) + q.rate * p.mean


@register_kl(ContinuousBernoulli, Normal)
def _continuous_bernoulli_normal(p: Any, q: Any) -> Tensor:
    start = 0.5 * (math.log(2.0 * math.pi) + torch.square(q.loc / q.scale)) + torch.log(q.scale)
    distance = p.variance + torch.square(p.mean) - 2.0 * q.loc * p.mean
    return -p.entropy() + start + distance / (2.0 * torch.square(q.scale))


@register_kl(ContinuousBernoulli, Uniform)
def _continuous_bernoulli_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    outside = torch.max(torch.ge(q.low, p.support.lower_bound), torch.le(q.high, p.support.upper_bound))
    return torch.where(outside, torch.ones_like(result) * math.inf, result)


@register_kl(Beta, Exponential)
def _beta_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.mean


@register_kl(Beta, Gamma)
def _beta_gamma(p: Any, q: Any) -> Tensor:
    total = p.concentration1 + p.concentration0
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    logs = (q.concentration - 1) * (p.concentration1.digamma() - total.digamma())
    return -p.entropy() + normalizer - logs + q.rate * p.concentration1 / total


@register_kl(Beta, Normal)
def _beta_normal(p: Any, q: Any) -> Tensor:
    mean, variance = p.mean, q.scale.pow(2)
    total = p.concentration1 + p.concentration0
    square = (mean * (1 - mean) / (total + 1) + mean.pow(2)) * 0.5
    distance = square - q.loc * mean + q.loc.pow(2) * 0.5
    return -p.entropy() + 0.5 * (variance * 2 * math.pi).log() + distance / variance


@register_kl(Beta, Uniform)
def _beta_uniform(p: Any, q: Any) -> Tensor:
    result = -p.entropy() + (q.high - q.low).log()
    result[(q.low > p.support.lower_bound) | (q.high < p.support.upper_bound)] = math.inf
    return result


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    result = -q.concentration * torch.log(ratio) + ratio + q.concentration.lgamma()
    return result + q.concentration * euler_constant - (1 + euler_constant)


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Any, q: Any) -> Tensor:
    product, ratio = p.rate * q.scale, q.loc / q.scale
    middle = torch.exp(ratio) * product / (product + 1)
    return product.log() - 1 - ratio + middle + product.reciprocal()


@register_kl(Exponential, Normal)
def _exponential_normal(p: Any, q: Any) -> Tensor:
    variance, square = q.scale.pow(2), p.rate.pow(2)
    start = 0.5 * torch.log(square * variance * 2 * math.pi)
    distance = square.reciprocal() - q.loc / p.rate + q.loc.pow(2) * 0.5
    return start - 1 + distance / variance


@register_kl(Gamma, Exponential)
def _gamma_exponential(p: Any, q: Any) -> Tensor:
    return -p.entropy() - q.rate.log() + q.rate * p.concentration / p.rate


@register_kl(Gamma, Normal)
def _gamma_normal(p: Any, q: Any) -> Tensor:
    shape, variance, square = p.concentration, q.scale.pow(2), p.rate.pow(2)
    start = 0.5 * torch.log(square * variance * 2 * math.pi) - shape - shape.lgamma()
    distance = 0.5 * (shape.pow(2) + shape) / square - q.loc * shape / p.rate + 0.5 * q.loc.pow(2)
    return start + (shape - 1) * shape.digamma() + distance / variance


@register_kl(Gumbel, Normal)
def _gumbel_normal(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    width = (math.pi * ratio * 0.5).pow(2) / 3
    distance = ((p.loc + p.scale * euler_constant - q.loc) / q.scale).pow(2) * 0.5
    return -(ratio / math.sqrt(2 * math.pi)).log() + width + distance - (euler_constant + 1)


@register_kl(Laplace, Normal)
def _laplace_normal(p: Any, q: Any) -> Tensor:
    variance = q.scale.pow(2)
    ratio = p.scale.pow(2) / variance
    distance = 0.5 * p.loc.pow(2) - p.loc * q.loc + 0.5 * q.loc.pow(2)
    return -(0.5 * torch.log(2 * ratio / math.pi)) + ratio + distance / variance - 1


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Any, q: Any) -> Tensor:
    of_p, of_q = p.loc / q.scale, q.loc / q.scale
    ratio = (p.scale / q.scale).pow(2)
    result = -(ratio.log() * 0.5) + (of_p - of_q) + torch.exp(-of_p + 0.5 * ratio + of_q)
    return result - (0.5 * (1 + math.log(2 * math.pi)))


@register_kl(Normal, Laplace)
def _normal_laplace(p: Any, q: Any) -> Tensor:
    off = p.loc - q.loc
    relative = off / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * relative.pow(2))
    sides = off * torch.erf(math.sqrt(0.5) * relative)
    return -torch.log(p.scale / q.scale) + (spread + sides) / q.scale - (0.5 * (1 + math.log(0.5 * math.pi)))


@register_kl(Uniform, Normal)
def _uniform_normal(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    start = (math.sqrt(math.pi * 2) * q.scale / width).log()
    distance = ((p.high + p.low - 2 * q.loc) / 2).pow(2)
    return start + 0.5 * ((width).pow(2) / 12 + distance) / q.scale.pow(2)


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Any, q: Any) -> Tensor:
    result = q.rate * (p.high + p.low) / 2 - ((p.high - p.low) * q.rate).log()
    result[p.low < q.support.lower_bound] = math.inf
    return result


def _x_log_x(x: Tensor) -> Tensor:
    return torch.special.xlogy(x, x)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Any, q: Any) -> Tensor:
    low, high, width = p.low, p.high, p.high - p.low
    logs = (q.concentration1 - 1) * (_x_log_x(high) - _x_log_x(low) - width) / width
    others = (q.concentration0 - 1) * (_x_log_x(1 - high) - _x_log_x(1 - low) + width) / width
    total = q.concentration1 + q.concentration0
    normalizer = q.concentration1.lgamma() + q.concentration0.lgamma() - total.lgamma()
    result = others + normalizer - torch.log(width) - logs
    result[(high > q.support.upper_bound) | (low < q.support.lower_bound)] = math.inf
    return result


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    result = _beta_continuous_bernoulli(p, q)
    outside = torch.max(torch.ge(p.high, q.support.upper_bound), torch.le(p.low, q.support.lower_bound))
    return torch.where(outside, torch.ones_like(result) * math.inf, result)


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    start = width.log()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    logs = (1 - q.concentration) * (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = -start + normalizer + logs + q.rate * (p.high + p.low) / 2
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Any, q: Any) -> Tensor:
    relative = q.scale / (p.high - p.low)
    high, low = (p.high - q.loc) / q.scale, (p.low - q.loc) / q.scale
    return relative.log() + 0.5 * (high + low) - relative * (torch.exp(-high) - torch.exp(-low))


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Any, q: Any) -> Tensor:
    width = p.high - p.low
    start = (q.alpha * q.scale.pow(q.alpha) * width).log()
    logs = (_x_log_x(p.high) - _x_log_x(p.low) - width) / width
    result = logs * (q.alpha + 1) - start
    result[p.low < q.support.lower_bound] = math.inf
    return result


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Any, q: Any) -> Tensor:
    shape, product, ratio = p.concentration, p.rate * q.scale, q.loc / q.scale
    start = (shape - 1) * shape.digamma() - shape.lgamma() - shape
    middle = product.log() + shape / product
    return start + middle + (torch.exp(ratio) * (1 + product.reciprocal()).pow(-shape) - ratio)


@register_kl(Pareto, Exponential)
def _pareto_exponential(p: Any, q: Any) -> Tensor:
    product = p.scale * q.rate
    mean = p.alpha * product / (p.alpha - 1)
    result = (p.alpha / product).log() - p.alpha.reciprocal() + mean - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Any, q: Any) -> Tensor:
    logs = p.scale.log() + p.alpha.reciprocal()
    normalizer = q.concentration.lgamma() - q.concentration * q.rate.log()
    mean = q.rate * p.alpha * p.scale / (p.alpha - 1)
    result = p.alpha.log() - logs + normalizer + (1 - q.concentration) * logs + mean - 1
    result[p.alpha <= 1] = math.inf
    return result


@register_kl(Pareto, Normal)
def _pareto_normal(p: Any, q: Any) -> Tensor:
    variance, part = 2 * q.scale.pow(2), p.scale / (p.alpha - 1)
    start = (math.sqrt(2 * math.pi) * q.scale * p.alpha / p.scale).log()
    spread = p.alpha * part.pow(2) / (p.alpha - 2)
    distance = (p.alpha * part - q.loc).pow(2)
    result = start - p.alpha.reciprocal() + (spread + distance) / variance - 1
    result[p.alpha <= 2] = math.inf
    return result
