"""Variable as 2.13 keeps it."""

import torch

from tests.scenarios.show import t

# % variables-variable: variable
V = torch.autograd.Variable
a = torch.ones(2)
t(lambda: V())
t(lambda: V(a))
t(lambda: V(a, True))
t(lambda: V(a, requires_grad=1))
t(lambda: V(a, requires_grad="a"))
t(lambda: V([1]))
t(lambda: V(None))
t(lambda: V(3.0))
t(lambda: V(a, volatile=True))
t(lambda: V(a, volatile=False))
t(lambda: V(a, True, True))
t(lambda: V(a, requires_grad=False, volatile=True))
t(lambda: V(a, foo=1))
t(lambda: V(torch.ones(2, dtype=torch.int64), requires_grad=True))
t(lambda: V(data=a))
t(lambda: V(a, None))
t(lambda: V(a, False, None))
t(lambda: V(a, volatile=3))
b = torch.ones(2, requires_grad=True)
v = V(b * 2)
print(v, v.is_leaf)
v = V(b)
print(v is b, v.requires_grad)
v = V(b, requires_grad=True)
v.data.add_(1)
print(b, v._version, b._version)
print(isinstance(b, V), isinstance(3, V), type(v), V, issubclass(torch.Tensor, V), type(V))


class S(V):
    pass


t(lambda: S(a))
t(lambda: V(torch.ones(2), True).volatile)
with torch.no_grad():
    v.add_(1)
print(v._version, b._version)
w = V(a)
t(lambda: w._is_view())
w.add_(1)
print(a, a._version, w._version)
with torch.inference_mode():
    i = torch.ones(2)
t(lambda: V(i).is_inference())
t(lambda: V.__name__)
t(lambda: V.foo)
t(lambda: V.from_numpy)
