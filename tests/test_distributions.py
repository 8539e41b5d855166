"""torch.distributions beside PyTorch: texts, values, graphs, samples of the same seed, errors; and what holds without
it."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autogradlab
from autogradlab.ops.kernels import implicit
from tests.conftest import need
from tests.fuzz.training import same
from tests.hardware import fused


@pytest.fixture(autouse=True)
def checks_its_arguments(request: pytest.FixtureRequest):
    """PyTorch's distributions check their arguments, whatever a test before this one switched off."""
    if "torch" not in request.fixturenames:
        yield
        return
    base = request.getfixturevalue("torch").distributions.Distribution
    before = base._validate_args
    base.set_default_validate_args(True)
    yield
    base.set_default_validate_args(before)


#: how each distribution is made, in words that both libraries understand; P makes a leaf
MADE = """
D.Normal(0.0, 1.0)
D.Normal(P(0.5, 1.0), P(1.0, 2.0))
D.Normal(torch.zeros(2, 1), torch.ones(3))
D.Uniform(P(0.0, 0.2), P(2.0, 3.0))
D.Bernoulli(P(0.3, 0.6))
D.Bernoulli(logits=P(0.3, -0.6))
D.Categorical(P(0.3, 0.6, 0.7))
D.Categorical(logits=torch.ones(2, 3))
D.Geometric(P(0.3, 0.6))
D.Binomial(3, P(0.3, 0.6))
D.NegativeBinomial(3, logits=P(0.3, 0.6))
D.Poisson(P(3.0, 4.0))
D.Exponential(P(3.0, 4.0))
D.Gamma(P(3.0, 0.4), P(1.0, 2.0))
D.Chi2(P(3.0, 4.0))
D.Cauchy(P(3.0, 4.0), P(1.0, 2.0))
D.Laplace(P(3.0, 4.0), P(1.0, 2.0))
D.Dirichlet(P(3.0, 4.0, 0.5))
D.Beta(P(3.0, 4.0), P(2.0, 0.5))
D.StudentT(P(3.0, 1.5, 0.5))
D.Gumbel(P(3.0, 4.0), P(1.0, 2.0))
D.LogNormal(P(0.3, 0.4), P(1.0, 2.0))
D.HalfNormal(P(1.0, 2.0))
D.HalfCauchy(P(1.0, 2.0))
D.Pareto(P(1.0, 2.0), P(0.5, 3.0))
D.Weibull(P(1.0, 2.0), P(0.5, 3.0))
D.Kumaraswamy(P(2.0, 0.5), P(1.5, 2.0))
D.InverseGamma(P(3.0, 1.5), P(2.0, 4.0))
D.FisherSnedecor(P(5.0, 1.0), P(6.0, 3.0))
D.LogisticNormal(P(0.0, 1.0), P(1.0, 0.5))
D.ContinuousBernoulli(P(0.3, 0.5, 0.9))
D.ContinuousBernoulli(logits=P(0.3, -0.6))
D.ContinuousBernoulli(0.3)
D.GeneralizedPareto(P(0.1, 1.0, 2.0), P(1.0, 2.0, 3.0), P(0.4, 0.0, -0.5))
D.GeneralizedPareto(0.0, 1.0, 0.75)
D.LKJCholesky(3, P(0.5, 2.0))
D.LKJCholesky(2)
D.LowRankMultivariateNormal(P(1.0, 2.0), torch.tensor([[1.0], [0.5]]).requires_grad_(), P(1.0, 3.0))
D.LowRankMultivariateNormal(torch.zeros(3, 2), torch.tensor([[1.0, 0.0], [0.5, 2.0]]), torch.ones(2))
D.VonMises(P(0.3, 2.0), P(1.0, 7.0))
D.VonMises(torch.tensor(0.5), torch.tensor(1e-6))
D.Wishart(P(3.0, 4.5), covariance_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]]).requires_grad_())
D.Wishart(torch.tensor(2.5), scale_tril=torch.tensor([[2.0, 0.0], [0.5, 1.0]]))
D.Wishart(2.5, precision_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
D.OneHotCategorical(P(0.3, 0.6, 0.7))
D.OneHotCategoricalStraightThrough(P(0.3, 0.6, 0.7))
D.Multinomial(4, P(0.3, 0.6, 0.7))
D.MultivariateNormal(P(1.0, 2.0), torch.eye(2) * 2)
D.MultivariateNormal(torch.zeros(2, 3), scale_tril=torch.tril(torch.ones(3, 3)).requires_grad_())
D.MultivariateNormal(torch.zeros(2), precision_matrix=torch.tensor([[2.0, 0.5], [0.5, 1.0]]))
D.RelaxedBernoulli(torch.tensor(0.5), P(0.3, 0.6))
D.RelaxedOneHotCategorical(torch.tensor(0.5), logits=P(0.3, 0.6, 0.7))
D.Independent(D.Normal(torch.zeros(2, 3), P(1.0, 2.0, 3.0)), 1)
D.MixtureSameFamily(D.Categorical(P(0.3, 0.7)), D.Normal(P(0.0, 2.0), P(1.0, 1.0)))
D.TransformedDistribution(D.Normal(P(0.0, 1.0), 1.0), [D.AffineTransform(1.0, 2.0), D.TanhTransform()])
D.TransformedDistribution(D.Normal(torch.zeros(3), 1.0), D.StickBreakingTransform())
""".strip().splitlines()
REFUSED = """
D.Normal(0.0, -1.0)
D.Normal("a", 1.0)
D.Normal(torch.zeros(2), torch.zeros(3))
D.Normal(torch.nn.Parameter(torch.tensor([float("nan")])), 1.0)
D.Uniform(1.0, 0.0)
D.Bernoulli()
D.Bernoulli(torch.tensor([1.5]))
D.Categorical(torch.tensor([-1.0, 2.0]))
D.Categorical(logits=torch.tensor(1.0))
D.Geometric(torch.tensor([0.0, 0.5]))
D.Multinomial(torch.tensor(3), torch.ones(2))
D.Multinomial(-1, torch.ones(2))
D.Dirichlet(torch.tensor(1.0))
D.MultivariateNormal(torch.zeros(2))
D.MultivariateNormal(torch.zeros(2), torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
D.ContinuousBernoulli(0.5, logits=0.1)
D.ContinuousBernoulli(torch.tensor([0.5, 1.5]), validate_args=True)
D.GeneralizedPareto(0.0, -1.0, 1.0)
D.LKJCholesky(1)
D.LKJCholesky(3, -1.0)
D.LowRankMultivariateNormal(torch.tensor(0.0), torch.ones(1, 1), torch.ones(1))
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2), torch.ones(2))
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))
D.LowRankMultivariateNormal(torch.zeros(2), torch.ones(2, 1), torch.ones(3))
D.LowRankMultivariateNormal(torch.zeros(4, 2), torch.ones(3, 2, 1), torch.ones(2))
D.VonMises(0.0, -1.0)
D.Wishart(3.0)
D.Wishart(3.0, torch.ones(2))
D.Wishart(0.5, torch.eye(2))
D.Wishart(torch.tensor([3.0]), torch.tensor([[1.0, 2.0], [2.0, 1.0]]))
D.kl_divergence(*(D.LowRankMultivariateNormal(torch.zeros(n), torch.ones(n, 1), torch.ones(n)) for n in (2, 3)))
D.Independent(D.Normal(0.0, 1.0), 1)
D.MixtureSameFamily(1, 2)
D.TransformedDistribution(D.Normal(0.0, 1.0), 3)
D.Normal(0.0, 1.0).log_prob(1.0)
D.Exponential(1.0).log_prob(torch.tensor([-1.0]))
D.Categorical(torch.ones(3)).log_prob(torch.tensor(3))
D.Normal(torch.zeros(2), 1.0).log_prob(torch.zeros(7, 5))
D.Distribution(validate_args=False).mean
D.Distribution(validate_args=False).mode
D.kl_divergence(D.Normal(0.0, 1.0), D.Poisson(1.0))
D.kl_divergence(D.Normal(0.0, 1.0), D.Cauchy(0.0, 1.0))
D.biject_to(D.constraints.boolean)
""".strip().splitlines()


def make(torch: Any, expression: str) -> Any:
    names = {"torch": torch, "D": torch.distributions}
    names["P"] = lambda *values: torch.tensor(values, requires_grad=True)
    return eval(expression, names)


def said(torch: Any, ask: Callable[[], Any]) -> Any:
    """What a call gives, as values that can be compared, with its graph and its warnings; or its error."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            found = ask()
        except Exception as error:
            return [type(error).__name__, str(error).replace("autogradlab", "torch")]
    if isinstance(found, torch.Tensor):
        level, names = [found.grad_fn], []
        while level:
            names.append(" ".join("None" if node is None else node.name() for node in level))
            level = [below for node in level if node is not None for below, _ in node.next_functions][:30]
        found = [str(found.dtype), tuple(found.shape), found.detach().tolist(), names]
    elif not isinstance(found, (bool, list)):
        found = re.sub("0x[0-9a-f]+", "0x", repr(found).replace("autogradlab", "torch"))
    return [found, [str(warning.message) for warning in heard]]


def observed(torch: Any, expression: str) -> dict[str, Any]:
    """Everything that one distribution says."""
    torch.manual_seed(1)
    d = make(torch, expression)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        inside = d.sample((4,))
    wide = (2, *d.batch_shape)
    seen = {name: said(torch, lambda name=name: getattr(d, name)) for name in ("support", "mean", "mode", "variance")}
    asked: dict[str, Callable[[], Any]] = {
        "text": lambda: d,
        "shapes": lambda: [tuple(d.batch_shape), tuple(d.event_shape), d.has_rsample, d.has_enumerate_support],
        "constraints": lambda: d.arg_constraints,
        "stddev": lambda: d.stddev,
        "entropy": d.entropy,
        "perplexity": d.perplexity,
        "sample": d.sample,
        "samples": lambda: d.sample((3, 2)),
        "rsample": lambda: d.rsample((2,)),
        "sample_n": lambda: d.sample_n(2),
        "log_prob": lambda: d.log_prob(inside),
        "cdf": lambda: d.cdf(inside),
        "icdf": lambda: d.icdf(torch.full(d.batch_shape, 0.3)),
        "outside": lambda: d.log_prob(torch.full(d.batch_shape + d.event_shape, float("nan"))),
        "all": d.enumerate_support,
        "each": lambda: d.enumerate_support(expand=False),
        "expanded": lambda: d.expand(wide),
        "expanded mean": lambda: d.expand(wide).mean,
        "expanded sample": lambda: d.expand(wide).sample(),
        "expanded log_prob": lambda: d.expand(wide).log_prob(inside[:2]),
        "copied": lambda: copy.deepcopy(d.base_dist if hasattr(d, "base_dist") else 0),
        "text at the end": lambda: d,
    }
    for number, (name, ask) in enumerate(asked.items()):
        torch.manual_seed(number)
        seen[name] = said(torch, ask)
    return seen


def agree(ours: Any, theirs: Any) -> bool:
    """Whether numbers agree but for rounding. PyTorch's kernels without AVX2 round elsewhere, and 1 minus nearly 1, as
    of LKJCholesky, makes much of that."""
    return same(ours, theirs, 2e-5 if fused(need("torch")) else 1e-3)


@pytest.mark.parity
@pytest.mark.parametrize("expression", MADE)
def test_distributions_say_what_torchs_say(torch: Any, expression: str):
    ours, theirs = observed(autogradlab, expression), observed(torch, expression)
    assert {name: (ours[name], theirs[name]) for name in theirs if not agree(ours[name], theirs[name])} == {}


@pytest.mark.parity
@pytest.mark.parametrize("expression", REFUSED)
def test_errors_are_torchs(torch: Any, expression: str):
    ours = said(autogradlab, lambda: make(autogradlab, expression))
    assert ours == said(torch, lambda: make(torch, expression))
    assert ours[0].endswith("Error")


@pytest.mark.parity
def test_divergences_are_torchs(torch: Any):
    wrong, known = [], 0
    for p in MADE:
        for q in MADE:
            pair = f"D.kl_divergence({p}, {q})"
            ours, theirs = (said(t, lambda t=t: make(t, pair)) for t in (autogradlab, torch))
            known += theirs[0] != "NotImplementedError"
            wrong += [] if agree(ours, theirs) else [(pair, ours, theirs)]
    assert wrong == []
    assert known > 100


@pytest.mark.parity
def test_transforms_and_constraints_are_torchs(torch: Any):
    def seen(t: Any) -> list[Any]:
        C, T = t.distributions.constraints, t.distributions
        found = []
        for registry in (T.biject_to, T.transform_to):
            for kind in ("real", "positive", "unit_interval", "simplex", "real_vector", "corr_cholesky", "dependent"):
                x = t.arange(6.0).reshape(2, 3) / 3
                found.append(said(t, lambda r=registry, k=kind: r(getattr(C, k))))
                found.append(said(t, lambda r=registry, k=kind, x=x: r(getattr(C, k))(x)))
                found.append(said(t, lambda r=registry, k=kind, x=x: r(getattr(C, k)).inv(r(getattr(C, k))(x))))
                found.append(
                    said(t, lambda r=registry, k=kind, x=x: (f := r(getattr(C, k))).log_abs_det_jacobian(x, f(x)))
                )
        found += [said(t, lambda n=name: getattr(C, n)) for name in sorted(C.__all__) if not callable(getattr(C, name))]
        matrix = t.tensor([[2.0, 0.0], [1.0, 1.0]])
        for name in ("lower_triangular", "lower_cholesky", "symmetric", "positive_definite", "square", "real_vector"):
            found.append(said(t, lambda n=name: getattr(C, n).check(matrix)))
        stack = T.StackTransform([T.ExpTransform(), T.TanhTransform()], -1)
        cat = T.CatTransform([T.ExpTransform(), T.TanhTransform()], -1, [1, 1])
        for f in (stack, cat, T.ComposeTransform([T.ExpTransform(), T.AffineTransform(0.0, 3.0)])):
            x = t.tensor([0.2, 0.7])
            found += [said(t, lambda f=f, x=x: f(x)), said(t, lambda f=f, x=x: f.log_abs_det_jacobian(x, f(x)))]
            found += [said(t, lambda f=f: [f == f.inv.inv, f.inv == f.inv, f == T.ExpTransform()])]
        return found

    ours, theirs = seen(autogradlab), seen(torch)
    for mine, other in zip(ours, theirs, strict=True):
        assert agree(mine, other)


def test_pickled_and_copied_distributions_are_of_this_package():
    torch = autogradlab
    for expression in MADE:
        d = make(torch, expression)
        if not any(v.requires_grad and not v.is_leaf for v in vars(d).values() if isinstance(v, torch.Tensor)):
            assert repr(pickle.loads(pickle.dumps(d))) == repr(d)
    again = pickle.loads(pickle.dumps(torch.distributions.LogNormal(0.0, 1.0)))
    assert type(again) is torch.distributions.LogNormal
    assert again.sample().dtype == torch.float32


def test_shapes_of_gamma_and_beta_numbers_change_along_equal_probability():
    torch, step = autogradlab, 1e-5
    a = torch.tensor([0.05, 0.3, 1.0, 2.5, 10.0, 80.0, 500.0], dtype=torch.float64)[:, None]
    share = torch.tensor([0.02, 0.3, 0.7, 1.0, 1.4, 2.5], dtype=torch.float64)
    x = a * share + 0.01
    cdf = torch.special.gammainc
    slope = (cdf(a + step * a, x) - cdf(a - step * a, x)) / (2 * step * a)
    density = torch.exp((a - 1) * x.log() - x - torch.lgamma(a))
    expected = -slope / density
    trusted = (density > 1e-7) & (cdf(a, x) > 1e-9) & (cdf(a, x) < 1 - 1e-7)
    found = torch.from_numpy(implicit.gamma(a.numpy(), x.numpy()))
    assert trusted.sum() > 20
    torch.testing.assert_close(found[trusted], expected[trusted], rtol=1e-4, atol=1e-6)
    # a beta number with both concentrations 1 is uniform, with a second one of 1 it is u ** (1 / a)
    u, a = np.linspace(0.05, 0.95, 7), np.array([[0.4], [1.0], [3.0]])
    x = u ** (1 / a)
    np.testing.assert_allclose(implicit.beta(x, a, a + 1) * (1 - x), -x * np.log(u) / a**2, rtol=1e-9)
    # the two series meet
    x, a, total = np.meshgrid([0.3, 0.5, 0.6], [0.5, 2.0, 5.0], [6.0, 8.0])
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(implicit._beta_left(x, a, total), implicit._beta_right(x, a, total), rtol=1e-9)


def test_gradients_flow_through_samples_of_gamma_and_beta():
    torch = autogradlab
    torch.manual_seed(0)
    concentration = torch.tensor([3.0], requires_grad=True)
    torch.distributions.Gamma(concentration.expand(2000), torch.ones(2000)).rsample().mean().backward()
    assert concentration.grad is not None
    assert abs(concentration.grad.item() - 1) < 0.05  # the mean is the concentration
    alpha = torch.tensor([2.0, 3.0], requires_grad=True)
    torch.distributions.Dirichlet(alpha.expand(4000, 2)).rsample()[:, 0].mean().backward()
    assert alpha.grad is not None
    np.testing.assert_allclose(alpha.grad.numpy(), [3 / 25, -2 / 25], atol=0.01)  # of 2 / (2 + 3)
    beta = torch.tensor(2.0, requires_grad=True)
    torch.distributions.Beta(beta.expand(4000), torch.full((4000,), 3.0)).rsample().mean().backward()
    assert beta.grad is not None
    assert abs(beta.grad.item() - 3 / 25) < 0.01


@pytest.mark.parity
def test_derivatives_of_samples_are_near_torchs(torch: Any):
    a = np.array([[0.1], [1.0], [5.0], [50.0]])
    x = a * np.array([0.3, 1.0, 2.0, 4.0])
    found = torch.ops.aten._standard_gamma_grad(torch.from_numpy(a).expand(4, 4), torch.from_numpy(x)).numpy()
    np.testing.assert_allclose(implicit.gamma(a, x), found, rtol=2e-3)
    x, total = np.linspace(0.05, 0.95, 5), a + 2.0
    args = np.broadcast_arrays(x, a, total)
    theirs = torch._dirichlet_grad(*(torch.from_numpy(each.copy()) for each in args)).numpy()
    np.testing.assert_allclose(implicit.beta(x, a, total), theirs, rtol=5e-3)
