"""What PyTorch's own unit tests look at, where it was not what is said here."""

import warnings

import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt

# % units-asarray: a copy or another dtype keeps the graph, if it is not told to leave it
for leaf in (True, False):
    for kind in (None, torch.float64):
        for copy in (None, True):
            for wanted in (True, False):
                x = torch.tensor([1.0, 2.0], requires_grad=True)
                x = x if leaf else x * 2
                y = torch.asarray(x, dtype=kind, copy=copy, requires_grad=wanted)
                print(kind, copy, wanted, y.requires_grad, y.grad_fn and y.grad_fn.name(), y.data_ptr() == x.data_ptr())
print(torch.asarray(torch.ones(1, requires_grad=True), copy=True))

# % units-normal: normal numbers are drawn in the dtype of out=
for kind in (torch.float64, torch.float16, torch.int32):
    for mean, std in ((torch.zeros(3), torch.ones(3)), (torch.zeros(3), 1.0), (0.0, torch.ones(3))):
        torch.manual_seed(0)
        attempt(lambda: (torch.normal(mean, std, out=torch.empty(3, dtype=kind)), torch.rand(1)))
print(torch.empty(2).log_normal_(float("inf")), torch.empty(2).log_normal_(-float("inf")))

# % units-rows: rows of whole numbers begin and end where the dtype says; so do rows that it cannot hold
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    for bounds in ((1.5, 4), (-1.5, 4), (1.9, 4.2, 1.5), (5, 1, -2)):
        print(torch.range(*bounds, dtype=torch.int64), torch.range(*bounds, dtype=torch.int8))
    for kind in (torch.bool, torch.complex64):
        attempt(lambda: torch.range(1, 4, dtype=kind))
for form in (torch.linspace, torch.logspace):
    for bounds, kind in (
        ((0, 128, 4), torch.int8),
        ((-1, 5, 3), torch.uint8),
        ((0, 2**31, 3), torch.int32),
        ((0, float("inf"), 3), torch.int64),
        ((0, 128, 1), torch.int8),
        ((0, 128, 0), torch.int8),
        ((0, 70000, 3), torch.float16),
        ((0, 1e39, 3), torch.complex64),
        ((1e39, 0, 1), torch.float32),
    ):
        attempt(lambda: form(*bounds, dtype=kind))

# % units-strides: results lie as TensorIterator lays them, where strides are the same or 0
for size, stride in (((2, 3, 4), (3, 3, 10)), ((2, 3, 4), (3, 0, 10)), ((4, 2, 3), (10, 3, 3))):
    x = torch.empty_strided(size, stride).fill_(0.5)
    for f in (F.gelu, F.elu, F.hardtanh, F.softplus, F.leaky_relu, torch.isposinf, lambda t: torch.polygamma(1, t)):
        print(f(x).stride(), end=" ")
    print(torch.nan_to_num(x).stride(), *[r.stride() for r in torch.frexp(x)])
x = torch.empty_strided((1, 1, 4, 2), (0, 0, 10, 2)).fill_(1)
print([x.roll(1, d).stride() for d in range(4)], torch.cat([x, x[:, :0]], 1).stride())
print(F.max_pool1d(torch.ones(2, 3, 6).transpose(1, 2), 1).stride())

# % units-triangles: the in-place form clears what it does not keep, also in memory that overlaps
for size, stride in (((2, 3, 3), (0, 3, 1)), ((3, 3), (0, 1)), ((3, 3), (1, 1)), ((2, 3, 3), (9, 1, 1))):
    x = torch.arange(1.0, 25.0).as_strided(size, stride)
    print(x.clone().triu(), x.triu_(1).sum(), x, x.tril_(), x._version)

# % units-linear-algebra: what is refused, and in whose name
A = torch.eye(3) * 2
for f in (
    lambda: torch.linalg.solve(A, torch.ones(3), left=False),
    lambda: torch.linalg.solve(torch.ones(1, 1), torch.ones(1), left=False),
    lambda: torch.linalg.cond(torch.empty(0, 0), 3),
    lambda: torch.linalg.pinv(A, rcond=torch.tensor(0.1j)),
    lambda: torch.lu_unpack(torch.ones(3), torch.ones(3, dtype=torch.int32)),
    lambda: torch.linalg.householder_product(torch.ones(3, 2), torch.ones(2, dtype=torch.float64)),
    lambda: torch.linalg.lu_factor_ex(torch.zeros(2, 2), check_errors=True),
    lambda: torch.linalg.lu_factor(torch.zeros(2, 2)),
    lambda: torch.linalg.lu_factor(torch.stack([torch.eye(2), torch.zeros(2, 2)])),
    lambda: torch.frexp(A[0, 1:], out=(A[0, :2], torch.empty(2, dtype=torch.int32))),
    lambda: F.max_pool1d(torch.ones(1, 2, 6, 6), 2, return_indices=True),
    lambda: F.max_pool1d(torch.ones(2, 0, 6), 2, return_indices=True),
    lambda: F.max_pool1d(torch.ones(1, 2, 6, 6), 2),
):
    attempt(f)
