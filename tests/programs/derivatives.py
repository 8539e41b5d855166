"""Derivatives as the unit tests of PyTorch ask for them: parts of complex numbers, tangents, contexts that are kept."""

import torch
import torch.autograd.forward_ad

from tests.scenarios.show import attempt

# % checks-forward-of-parts: of complex inputs one part is varied, and errors say which
bent_by = 1.1


def bent(x, y):
    if torch.autograd.forward_ad._current_level >= 0:
        primal, tangent = torch.autograd.forward_ad.unpack_dual(y)
        y = torch.autograd.forward_ad.make_dual(primal, tangent * bent_by)
    return x + y, y


for first, second in ((torch.double, torch.double), (torch.cdouble, torch.double), (torch.cdouble, torch.cdouble)):
    x = torch.tensor([0.5, 1.0], dtype=first, requires_grad=True)
    y = torch.tensor([2.0, 3.0], dtype=second, requires_grad=True)
    print(torch.autograd.gradcheck(lambda x, y: (x + y, y), (x, y), check_forward_ad=True))
    attempt(lambda: torch.autograd.gradcheck(bent, (x, y), check_forward_ad=True))  # noqa: B023
z = torch.tensor([0.5 + 1j, 1.0 - 2j], dtype=torch.cdouble, requires_grad=True)
for fast in (False, True):
    print(torch.autograd.gradcheck(lambda z: (z * z.conj(), z.abs()), (z,), check_forward_ad=True, fast_mode=fast))

# % jacobians-of-tangents: what is no tuple, and the dtype of outputs
x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
mode = {"strategy": "forward-mode", "vectorize": True}
print(torch.autograd.functional.jacobian(lambda x: x * x, x, **mode))
print(torch.autograd.functional.jacobian(lambda x: x * x, (x,), **mode))
print(torch.autograd.functional.jacobian(lambda x: (x, x.sum()), x, **mode))
print(torch.autograd.functional.jacobian(lambda x, y: x + y, (x, y), **mode))
print(torch.autograd.functional.jacobian(lambda x, y: (x, (x + y).double()), (x, y), **mode))
mode = {"outer_jacobian_strategy": "forward-mode", "vectorize": True}
print(torch.autograd.functional.hessian(lambda x, y: (x * x * y).sum(), (x, y), **mode))
