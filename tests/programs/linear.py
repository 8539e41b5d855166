"""Factors and products that lessons seldom need: L D Lᵀ, pivots that are refused, least squares, norms of what is
empty, products of integers; quotients of half types, and out= tensors that overlap what a power reads."""

import itertools

import torch

from tests.scenarios.show import attempt

ones = torch.ones(2)

# % ldl: the factors of symmetric and Hermitian matrices, rows exchanged, blocks of two rows
torch.manual_seed(0)
for n, kind, hermitian in itertools.product((1, 2, 5), (torch.float64, torch.complex128), (False, True)):
    x = torch.randn(2, n, n, dtype=kind)
    x.diagonal(0, -2, -1).mul_(0.05)
    x = x + (x.mH if hermitian else x.mT)
    factors = torch.linalg.ldl_factor(x, hermitian=hermitian)
    print(factors)
    solution = torch.linalg.ldl_solve(*factors, torch.ones(n, 3, dtype=kind), hermitian=hermitian)
    print(solution.shape, solution.stride(), torch.allclose(x @ solution, torch.ones(n, 3, dtype=kind)))
x = torch.tensor([[4.0, 2.0], [2.0, 3.0]], requires_grad=True)
print(torch.linalg.ldl_factor_ex(x), torch.linalg.ldl_factor_ex(torch.zeros(2, 2)))
attempt(lambda: torch.linalg.ldl_factor_ex(x).LD.sum().backward())
for wrong in (torch.zeros(2), torch.zeros(2, 3), torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2).half()):
    attempt(lambda t=wrong: torch.linalg.ldl_factor(t))
attempt(lambda: torch.linalg.ldl_factor(torch.zeros(3, 2, 2)))
print(torch.linalg.ldl_factor(torch.zeros(2, 0, 0)), torch.linalg.ldl_factor(torch.zeros(0, 3, 3)))
made, pivots = torch.linalg.ldl_factor(x.detach())
for args in (
    (made, pivots, torch.ones(2)),
    (made, pivots, torch.ones(3, 2)),
    (made, pivots.double(), torch.ones(2, 2)),
    (made, pivots[:1], torch.ones(2, 2)),
    (made, pivots, torch.ones(2, 2, dtype=torch.float64)),
    (made[:, :1], pivots, torch.ones(2, 2)),
    (made, pivots, torch.ones(2, 2, requires_grad=True)),
):
    attempt(lambda given=args: torch.linalg.ldl_solve(*given))

# % lu: pivots that are none, matrices without elements
x = torch.tensor([[[1.0, 2.0], [3.0, 5.0]]] * 2)
for rows in ([[0, 1]] * 2, [[1, 3]] * 2, [1, 2], [[1]] * 2):
    pivots = torch.tensor(rows, dtype=torch.int32)
    attempt(lambda p=pivots: torch.linalg.lu_solve(x, p, x))
attempt(lambda: torch.lu_unpack(x, torch.tensor([[0, 1]] * 2, dtype=torch.int32)))
attempt(lambda: torch.linalg.lu_solve(x, torch.ones(2, 2), x))
print(torch.lu_unpack(torch.empty(3, 0), torch.empty(0, dtype=torch.int32)))
print(torch.linalg.lu(torch.empty(0, 3), pivot=False), torch.linalg.lu_factor_ex(torch.empty(0, 3), pivot=False))

# % least-squares: shapes, and what each driver cuts
for a, b in (((2, 3), (3,)), ((2, 3), (2, 2, 3)), ((3, 2, 3), (3, 3)), ((2, 4, 2), (4, 3)), ((2, 2, 2), (2, 2))):
    attempt(lambda p=a, q=b: torch.linalg.lstsq(torch.ones(p) + torch.eye(*p[-2:]), torch.ones(q)).solution.shape)
x = torch.diag(torch.tensor([4.0, 2.0, 1.0], dtype=torch.float64))
for driver, rcond in itertools.product(("gels", "gelsd", "gelss"), (None, 0.3, 0.6, -1)):
    print(driver, rcond, torch.linalg.lstsq(x, torch.ones(3, 1, dtype=torch.float64), rcond=rcond, driver=driver))

# % least-squares-without-full-rank: gels gives up at a 0 on the diagonal of its factor
x = torch.tensor([[1.0, 0, 2], [3, 0, 5], [0, 0, 7], [1, 0, 1]], dtype=torch.float64)
full = x + torch.tensor([0.0, 1, 0])
for a in (x, x.T, torch.stack([full, x]), torch.stack([full, 0 * x]), 0 * x, x + 0j, x.roll(1, 1)):
    attempt(lambda: torch.linalg.lstsq(a, torch.ones(*a.shape[:-1], 1, dtype=a.dtype), driver="gels").solution.shape)

# % norms: complex orders, matrices without elements
for fn in (torch.linalg.matrix_norm, torch.linalg.vector_norm, torch.linalg.norm):
    attempt(lambda f=fn: f(torch.ones(2, 2), 1 + 2j))
for size, order in itertools.product(((0, 0), (0, 3), (3, 0), (2, 0, 3)), ("nuc", 1, -1, 2, float("inf"))):
    attempt(lambda s=size, p=order: torch.linalg.matrix_norm(torch.zeros(s), p))
    attempt(lambda s=size, p=order: torch.linalg.norm(torch.zeros(s), p, dim=(0, 1), keepdim=True))

# % factors-of-addr: booleans, floats and complex numbers where they do not fit
for kind, (beta, alpha) in itertools.product(
    (torch.int64, torch.bool, torch.float32, torch.complex64), ((1.5, 1), (True, 1), (1, True), (1j, 1), (0, 2))
):
    v = ones.to(kind)
    attempt(lambda u=v, b=beta, a=alpha: torch.addr(torch.ones(2, 2).to(u.dtype), u, u, beta=b, alpha=a))

# % products-for-inference: of 8-bit integers, and with relu or gelu
small = torch.arange(6, dtype=torch.int8).reshape(2, 3)
print(torch._int_mm(small, small.T), torch._int_mm(small.byte() + 200, small.T))
for pair in ((small, small), (small.float(), small.T), (small, small.T.int()), (small[0], small.T)):
    attempt(lambda p=pair: torch._int_mm(*p))
attempt(lambda: torch._int_mm(small, small.T, out=torch.empty(2, 2)))
a, b = torch.linspace(-1, 1, 6).reshape(2, 3), torch.linspace(-1, 2, 6).reshape(3, 2)
for options in ({}, {"use_gelu": True}, {"beta": 0.5, "alpha": 2}):
    print(torch._addmm_activation(ones, a, b, **options))
print(torch._addmm_activation(ones, a.clone().requires_grad_(), b))

# % out: eig's names, operands that lists do not give, numbers that are not contiguous
for kinds in ((torch.int32, torch.int32), (torch.complex64, torch.float32)):
    attempt(lambda k=kinds: torch.linalg.eig(torch.eye(2), out=tuple(torch.empty(0, dtype=d) for d in k)))
attempt(lambda: torch.einsum("a", []))
attempt(lambda: torch._foreach_addcmul([ones], [ones], [ones], torch.ones(2)[::2]))
attempt(lambda: torch._foreach_addcmul([ones] * 2, [ones] * 2, [ones] * 2, torch.ones(4)[::2]))

# % overlap: powers by numbers read before they write
for exponent in (0, 1, 2, -1, 0.5):
    t = torch.arange(1, 5.0)
    attempt(lambda t=t, e=exponent: torch.pow(t[:-1], e, out=t[1:]))
    attempt(lambda t=t, e=exponent: torch.pow(t, e, out=t))
t = torch.arange(1, 5.0)
attempt(lambda: torch.pow(2, t[:-1], out=t[1:]))

# % quotients: of half types they are rounded before they are cut
torch.manual_seed(0)
a, b = torch.randn(200) * 5, torch.randn(200)
for kind in (torch.bfloat16, torch.float16):
    for mode in ("trunc", "floor"):
        print(torch.div(a.to(kind), b.to(kind), rounding_mode=mode).tolist())

# % made: bounds between integers
torch.manual_seed(0)
for kind, (low, high) in itertools.product((torch.bool, torch.int64), ((0.5, 1.5), (-3.7, 1), (None, 1.2), (5, 9))):
    attempt(lambda k=kind, p=low, q=high: torch.testing.make_tensor(5, dtype=k, device="cpu", low=p, high=q))

# % views: a negative that is read late; a switch of autograd without effect here
x = torch.tensor([1.0, -2.0], requires_grad=True)
y = torch._neg_view(x)
print(y, y.is_neg(), y._base is x, torch._neg_view(torch.tensor([1 + 2j])))
with torch.autograd._force_original_view_tracking(True):
    print(torch._C._is_view_replay_enabled())
print(torch._C._is_view_replay_enabled())

# % logsumexp: of half types each step is rounded
torch.manual_seed(0)
for kind in (torch.bfloat16, torch.float16):
    x = (torch.randn(6, 40) * 5).to(kind)
    print(x.logsumexp(0).tolist(), x.logsumexp(1).tolist(), x.logsumexp((0, 1)), (x[0] - torch.inf).logsumexp(0))

# % grid-sampler: modes as numbers, and what is refused
torch.manual_seed(0)
x, grid = torch.randn(1, 2, 3, 3, requires_grad=True), torch.rand(1, 2, 2, 2) * 2 - 1
for mode, padding, corners in itertools.product(range(3), range(3), (True, False)):
    print(mode, padding, corners, torch.grid_sampler(x, grid, mode, padding, corners))
solid, places = torch.randn(1, 1, 2, 2, 2), torch.rand(1, 1, 1, 2, 3)
print(torch.grid_sampler(solid, places, 0, 0, True), torch.grid_sampler(x[:0], grid[:0], 0, 0, True).shape)
for args in (
    (x, grid.double(), 0),
    (x.half(), grid, 1),
    (solid, places, 2),
    (x[0], grid, 0),
    (x, grid[..., :1], 0),
    (x[:, :, :0], grid, 0),
    (torch.ones(2, 3, 3), torch.ones(2, 2, 1), 0),
    (torch.ones(2, 3, 3, 3), torch.ones(2, 2, 2), 0),
    (torch.tensor(1.0), torch.ones(2), 0),
    (torch.ones(2), torch.ones(2), 0),
):
    attempt(lambda given=args: torch.grid_sampler(*given, 0, True))
attempt(lambda: torch.grid_sampler(x, grid, 0, 0))

# % limits: what LAPACK's drivers make of odd limits, and what else is refused
x = torch.tensor([[2.0, 0.0], [0.0, 1.0]], dtype=torch.float64)
for driver, rcond in itertools.product(("gelsd", "gelss"), (0.0, 0.6, 1.0, 2.0, -1)):
    print(driver, rcond, torch.linalg.lstsq(x, torch.ones(2, 1, dtype=torch.float64), rcond=rcond, driver=driver)[:3])
for given in ((), (ones,), (3,), ([x, x],), (x, x)):
    attempt(lambda g=given: torch.chain_matmul(*g))
print(torch._C._infer_size(torch.Size([2, 1]), torch.Size([3])))
attempt(lambda: torch._C._infer_size(torch.Size([2]), torch.Size([3])))
attempt(lambda: torch._C._infer_size([2], torch.Size([3])))


# % linear-lu-singular: torch.lu does not look whether the matrix is singular
singular = torch.stack([torch.eye(2), torch.ones(2, 2)])
print(torch.lu(singular), singular.lu(), singular.lu(get_infos=True), torch.lu(singular, get_infos=True).info)

# % linear-not-positive: how far a factorization went that did not come to its end, and NaN
NAN = float("nan")
MATRICES = [
    [[NAN, NAN], [NAN, NAN]],
    [[4.0, 2, 2], [2, 0.5, 0], [2, 0, 5]],
    [[4.0, NAN], [2, 5]],
    [[-1.0, 2], [2, 5]],
    [[4.0, 2, 4], [2, 5, 4], [4, 4, -9]],
    [[0.0, 2], [2, 5]],
]
for kind in (torch.float32, torch.float64, torch.complex64):
    for data in MATRICES:
        m = torch.tensor(data, dtype=kind)
        for upper in (False, True):
            print(torch.linalg.cholesky_ex(m, upper=upper))
            attempt(lambda: torch.linalg.cholesky(m, upper=upper))
    attempt(lambda: torch.cholesky_inverse(m))
    print(torch.linalg.slogdet(torch.full((2, 2), NAN, dtype=torch.float64)))
batch = torch.stack([torch.eye(2), torch.tensor([[1.0, 2], [2, 1]]), -torch.eye(2)])
print(torch.linalg.cholesky_ex(batch))
attempt(lambda: torch.linalg.cholesky(batch))
attempt(lambda: torch.cholesky_inverse(torch.stack([torch.eye(2), torch.tensor([[1.0, 0], [3, 0]])])))
attempt(lambda: torch.linalg.vecdot(torch.ones(2).long(), torch.ones(2)))

# % linear-infinite: LAPACK gives up on a NaN, and would search for ever at an infinity
f = torch.tensor([[1.0, float("inf")], [2.0, 1.0]])
missing = torch.full((3, 3), float("nan"))
for matrices in (missing, torch.stack([torch.eye(3), missing])):
    for function in (torch.linalg.eigh, torch.linalg.eigvalsh, torch.linalg.svdvals, torch.linalg.matrix_rank):
        attempt(lambda: function(matrices))
    attempt(lambda: torch.linalg.pinv(matrices, hermitian=True))
print(torch.linalg.svdvals(f + 1j), torch.linalg.svdvals(f), torch.linalg.matrix_rank(f))
print(torch.linalg.eigvals(input=torch.eye(2)), torch.linalg.cholesky(input=torch.eye(2)))
