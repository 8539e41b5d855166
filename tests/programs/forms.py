"""Forms of calls that are seldom used, and arguments at the edge."""

import torch

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
