"""Functions that PyTorch has removed: they are there to say what to use instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from ...core.arguments.declared import signatures
from ...core.tensor.tensor import Tensor
from ..table.families import FUNCTIONS, method

F = TypeVar("F", bound=Callable[..., Any])
_SINCE = "This function was deprecated since version 1.9 and is now removed."
#: what each of them says
_ADVICE = {
    "matrix_rank": f"""{_SINCE}
Please use the `torch.linalg.matrix_rank` function instead. The parameter 'symmetric' was renamed in \
`torch.linalg.matrix_rank()` to 'hermitian'.""",
    "solve": f"""{_SINCE} `torch.solve` is deprecated in favor of `torch.linalg.solve`. `torch.linalg.solve` has its \
arguments reversed and does not return the LU factorization.

To get the LU factorization see `torch.lu`, which can be used with `torch.lu_solve` or `torch.lu_unpack`.
X = torch.solve(B, A).solution should be replaced with:
X = torch.linalg.solve(A, B)""",
    "lstsq": f"""{_SINCE} `torch.lstsq` is deprecated in favor of `torch.linalg.lstsq`.
`torch.linalg.lstsq` has reversed arguments and does not return the QR decomposition in the returned tuple (although \
it returns other information about the problem).

To get the QR decomposition consider using `torch.linalg.qr`.

The returned solution in `torch.lstsq` stored the residuals of the solution in the last m - n columns of the returned \
value whenever m > n. In torch.linalg.lstsq, the residuals are in the field 'residuals' of the returned named tuple.

The unpacking of the solution, as in
X, _ = torch.lstsq(B, A).solution[:A.size(1)]
should be replaced with:
X = torch.linalg.lstsq(A, B).solution""",
    "symeig": f"""{_SINCE} The default behavior has changed from using the upper triangular portion of the matrix by \
default to using the lower triangular portion.

L, _ = torch.symeig(A, upper=upper) should be replaced with:
L = torch.linalg.eigvalsh(A, UPLO='U' if upper else 'L')

and

L, V = torch.symeig(A, eigenvectors=True) should be replaced with:
L, V = torch.linalg.eigh(A, UPLO='U' if upper else 'L')""",
    "eig": f"""{_SINCE} `torch.linalg.eig` returns complex tensors of dtype `cfloat` or `cdouble` rather than real \
tensors mimicking complex tensors.

L, _ = torch.eig(A) should be replaced with:
L_complex = torch.linalg.eigvals(A)

and

L, V = torch.eig(A, eigenvectors=True) should be replaced with:
L_complex, V_complex = torch.linalg.eig(A)""",
    "reinforce": """reinforce() was removed.
Use torch.distributions instead.
See https://pytorch.org/docs/main/distributions.html

Instead of:

probs = policy_network(state)
action = probs.multinomial()
next_state, reward = env.step(action)
action.reinforce(reward)
action.backward()

Use:

probs = policy_network(state)
# NOTE: categorical is equivalent to what used to be called multinomial
m = torch.distributions.Categorical(probs)
action = m.sample()
next_state, reward = env.step(action)
loss = -m.log_prob(action) * reward
loss.backward()
""",
}


def _removed(name: str) -> Callable[[F], F]:
    """Decorator for a function: PyTorch has these in a module of their own."""

    def offer(fn: F) -> F:
        fn.__module__ = "torch._linalg_utils"
        FUNCTIONS[name] = signatures(f"{name} -> NoReturn")(fn)
        return fn

    return offer


def _refuse(name: str) -> NoReturn:
    raise RuntimeError(_ADVICE[name])


@_removed("matrix_rank")
def matrix_rank(input: Any, tol: Any = None, symmetric: Any = False, *, out: Any = None) -> NoReturn:
    """Was removed, and says so: linalg.matrix_rank is there instead.

    >>> torch.linalg.matrix_rank(torch.eye(2))
    tensor(2)
    """
    _refuse("matrix_rank")


@_removed("solve")
def solve(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    """Was removed, and says so: linalg.solve is there instead, its arguments the other way round.

    >>> torch.linalg.solve(2 * torch.eye(2), torch.tensor([2., 4.]))
    tensor([1., 2.])
    """
    _refuse("solve")


@_removed("lstsq")
def lstsq(input: Tensor, A: Tensor, *, out: Any = None) -> NoReturn:
    """Was removed, and says so: linalg.lstsq is there instead, its arguments the other way round.

    >>> torch.linalg.lstsq(2 * torch.eye(2), torch.tensor([[2.], [4.]])).solution.shape
    torch.Size([2, 1])
    """
    _refuse("lstsq")


@_removed("symeig")
def _symeig(input: Any, eigenvectors: Any = False, upper: Any = True, *, out: Any = None) -> NoReturn:
    """Was removed, and says so: linalg.eigh is there instead.

    >>> torch.linalg.eigvalsh(torch.diag(torch.tensor([1., 2.])))
    tensor([1., 2.])
    """
    _refuse("symeig")


@_removed("eig")
def eig(self: Tensor, eigenvectors: bool = False, *, e: Any = None, v: Any = None) -> NoReturn:
    """Was removed, and says so: linalg.eig is there instead.

    >>> torch.linalg.eigvals(torch.diag(torch.tensor([1., 2.])))
    tensor([1.+0.j, 2.+0.j])
    """
    _refuse("eig")


@method("solve")
def _solve(self: Tensor, other: Any) -> NoReturn:
    _refuse("solve")


@method("lstsq")
def _lstsq(self: Tensor, other: Any) -> NoReturn:
    _refuse("lstsq")


@method("eig")
def _eig(self: Tensor, eigenvectors: Any = False) -> NoReturn:
    _refuse("eig")


@method("symeig")
def _symeig_of(self: Tensor, eigenvectors: Any = False) -> NoReturn:
    _refuse("symeig")


@method("reinforce")
@signatures("reinforce -> NoReturn", method=True)
def _reinforce(self: Tensor, reward: Any) -> NoReturn:
    """Was removed, and says so: the log_prob of a distribution is there instead.

    >>> torch.distributions.Bernoulli(torch.tensor(0.5)).log_prob(torch.tensor(1.))
    tensor(-0.6931)
    """
    _refuse("reinforce")
