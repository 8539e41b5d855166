"""Forms of calls that are seldom used, and arguments at the edge."""

import warnings

import numpy as np
import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt, caught

# % squeeze-several: dimensions one by one, which the method takes
x = torch.zeros(1, 3, 1, 1)
print(x.squeeze(0, 2).shape, x.squeeze((0, 2)).shape, torch.squeeze(x, (0, -1)).shape, x.clone().squeeze_(0, 3).shape)
with caught(first_line=True):
    torch.squeeze(x, 0, 2)
with caught():
    x.squeeze(0, 0)
with caught():
    x.squeeze(0, 4)

# % nothing-given: functions of several tensors without any, or of what is none
print(torch.atleast_1d(), torch.atleast_2d(), torch.atleast_3d())
with caught():
    torch.cartesian_prod(1, torch.ones(2))
with caught():
    torch.as_tensor([1, 2], torch.float32)

# % order-of-checks: what is said first where several things are wrong
t = torch.arange(20.0).reshape(4, 5)
for pieces in (torch.tensor([[1]]), torch.tensor([1.0]), 2):
    attempt(lambda p=pieces: torch.tensor_split(t, p, 2))
for index in (torch.tensor([0, 1], dtype=torch.int8), torch.tensor([0, 1], dtype=torch.int16)):
    with caught():
        t[index] = 0
print(t.sum())


def detached(a):
    return a.detach()


for function in (torch.autograd.functional.vhp, torch.autograd.functional.hvp):
    with caught():
        function(detached, torch.ones(2), torch.ones(2), strict=True)
with caught():
    torch.autograd.functional.jacobian(detached, (torch.ones(2), 2), strategy="forward-mode")

# % one-bound: clamp with one tensor is the larger or the smaller of both
flags, limits = torch.tensor([True, False]), torch.tensor([False, True])
print(flags.clamp(min=limits), flags.clamp(max=limits))
for given in (torch.ones(2, dtype=torch.complex64), torch.ones(2)):
    with caught():
        given.clamp(min=torch.ones(2, dtype=torch.complex64))
print(torch.tensor([1.0, float("nan")]).clamp(max=torch.tensor([0.0, 2.0])))

# % empty-statistics: of no elements
for shape in ((0, 2), (2, 0)):
    with caught():
        print(
            torch.std_mean(torch.zeros(shape), 0)[1].shape, torch.var_mean(torch.zeros(shape), 1, keepdim=True)[1].shape
        )
for p in (None, 2, 1, float("inf"), "fro", "nuc"):
    print(torch.linalg.cond(torch.zeros(0, 0), p), torch.linalg.cond(torch.zeros(2, 0, 0), p))
with caught():
    torch.linalg.cond(torch.zeros(2))

# % whole-numbers: tensors and NumPy's numbers stand for whole numbers, bools do not
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
one = torch.tensor(1)
for given in (one, np.int64(1), np.int32(1), True, 1.0, torch.tensor(1.0), None):
    for call in (
        lambda: torch.tril(x, given),
        lambda: x.triu(diagonal=given),
        lambda: torch.prod(x, given),
        lambda: x.kthvalue(given),
        lambda: torch.topk(x, given),
        lambda: torch.matrix_power(x, given),
        lambda: torch.mvlgamma(x + 1, given),
        lambda: torch.softmax(x, given),
        lambda: F.log_softmax(x, dim=given),
        lambda: x.unsqueeze(given),
        lambda: torch.flatten(x, given),
        lambda: x.select(given, 0),
        lambda: torch.cumsum(x, given),
        lambda: torch.roll(x, given),
        lambda: x.size(given),
    ):
        with caught():
            result = call()
            print(result if isinstance(result, (int, torch.Tensor)) else result[0])

# % no-tensor: what is no tensor, and shapes that do not meet
x, one = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor(1)
for call in (
    lambda: torch.detach([1.0]),
    lambda: torch.clamp(None),
    lambda: torch.tensordot(x, [1.0]),
    lambda: torch.binomial(x, torch.ones(3)),
    lambda: torch.orgqr(x, x),
    lambda: torch.orgqr(x, one.float()),
    lambda: torch.orgqr(torch.ones(2, 2, 2), torch.ones(3, 2)),
    lambda: F.bilinear(x, x, torch.ones(3)),
    lambda: F.bilinear(x, x, torch.ones(3, 2)),
):
    with caught():
        print(call())

# % sequences-that-raise: an error at the first item is one of the shape, that of a later one is passed on


class Items:
    """A sequence of two items, of which some raise."""

    def __init__(self, *raising):
        self.raising = raising

    def __len__(self):
        return 2

    def __getitem__(self, i):
        if i > 1:
            raise IndexError(i)
        if i in self.raising:
            raise KeyError(i)
        return float(i)


for given in (Items(), Items(0), Items(1), Items(0, 1)):
    for call in (torch.tensor, torch.as_tensor, torch.Tensor, torch.zeros(1).new_tensor):
        with caught():
            print(call(given))
    with caught():
        print(torch.tensor([given, given]))

# % forms-of-numbers: the numbers of old forms promote as numbers do, and subtract has no old form
x, halves = torch.arange(3), torch.arange(3).half()
for name in ("add", "sub", "subtract", "add_", "sub_", "subtract_"):
    for numbers in ((2.0, 0.5), (2, 0.5), (0.5, 2), (2.0, 1), (True, 2.0), (2, True)):
        for t in (x, halves, x.bool()):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                with caught():
                    found = getattr(t.clone(), name)(*numbers)
                    print(found, found.dtype)
print(len(seen))
for call in (
    lambda: torch.sub(2.0, 3, halves),
    lambda: torch.subtract(x, 2, x),
    lambda: x.subtract(2, x),
    lambda: torch.subtract(x, 1, 2),
    lambda: torch.subtract(x, 1, 2, out=x),
    lambda: torch.subtract(x, other=1, alpha=2),
    lambda: torch.true_divide(x, x, rounding_mode="floor"),
    lambda: x.float().true_divide_(x, rounding_mode="floor"),
    lambda: torch.true_divide(x, other=2),
):
    with caught():
        print(call())
