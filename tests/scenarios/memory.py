"""Which operations take new memory, and what NumPy shares."""

import numpy as np
import torch

from tests.scenarios.show import caught

# % memory-01-new-object: y = y + x is another tensor
x, y = torch.tensor([1, 2]), torch.tensor([3, 4])
old = y
y = y + x
print(y is old, y.data_ptr() == old.data_ptr(), y, old)

# % memory-02-slice-assignment: y[:] = writes into y
x, y = torch.tensor([1, 2]), torch.tensor([3, 4])
old, place = y, y.data_ptr()
y[:] = y + x
print(y is old, y.data_ptr() == place, y)

# % memory-03-out-argument: out=y writes into y
x, y = torch.tensor([1, 2]), torch.tensor([3, 4])
place = y.data_ptr()
print(torch.add(x, y, out=y) is y, y.data_ptr() == place, y)

# % memory-04-in-place-operators: += is add_
x, y = torch.tensor([1, 2]), torch.tensor([3, 4])
old, place = y, y.data_ptr()
y += x
print(y is old, y.data_ptr() == place, y)
print(y.add_(x) is old, y.data_ptr() == place, y)

# % memory-05-index-and-view: views start somewhere in the same memory
x, y = torch.arange(6), torch.arange(6)
for view in (x.view(2, 3), x[0:6], x[2:]):
    print(view is x, view.data_ptr() - x.data_ptr(), view.storage_offset(), x.element_size())
place, old = y.data_ptr(), y
y = x + y
print(y.data_ptr() == place, y is old)
place = y.data_ptr()
y[:] = x + y
torch.add(x, y, out=y)
print(y.data_ptr() == place, y)

# % numpy-01-random-choice-seeded: NumPy's own numbers
np.random.seed(0)
print(repr(np.random.choice(5, 3)))

# % numpy-02-random-choice-unseeded: the stream goes on from a seed; without one only the form is known
np.random.seed(0)
np.random.choice(5, 3)
print(repr(np.random.choice(10, 3)))
draw = np.random.choice(10, 3)
print(draw.shape, draw.dtype.kind, bool(((0 <= draw) & (draw < 10)).all()))

# % numpy-03-tensor-to-numpy: one memory, two windows
t = torch.ones(5)
n = t.numpy()
print(t, n)
t += 1
print(t, n)
n += 1
print(t, n)

# % numpy-04-from-numpy: the same from the other side
n = np.zeros(5)
t = torch.from_numpy(n)
n += 1
print(n, t)
t += 1
print(n, t)

# % numpy-05-torch-tensor-copies: torch.tensor(array) is independent
n = np.ones(3)
t = torch.tensor(n)
n += 1
print(n, t)

# % numpy-06-char-tensor: int8
t = torch.CharTensor([1, -2, 3])
n = t.numpy()
print(t, repr(n))
n[0] = 100
print(t, torch.from_numpy(np.array([1, 2], dtype=np.int8)).type())

# % numpy-07-every-dtype: there and back, and what is refused
for name in ("float32", "float64", "float16", "uint8", "int8", "int16", "int32", "int64", "bool"):
    t = torch.zeros(3, dtype=getattr(torch, name))
    n = t.numpy()
    back = torch.from_numpy(n)
    n[1] = 1
    print(t.dtype, n.dtype, back.dtype == t.dtype, t.tolist(), back.tolist() == n.tolist() == t.tolist())
print(type(torch.ones(2).numpy()).__name__, torch.ones(2, 3).numpy().shape)
with caught():
    torch.from_numpy([1, 2])
with caught():
    torch.from_numpy(np.array(["a"]))
with caught():
    torch.ones(2, requires_grad=True).numpy()
print(torch.ones(2, requires_grad=True).detach().numpy())

# % numpy-08-unsupported-operation: by way of NumPy
t = torch.tensor([1.0, 2.0, 4.0, 7.0, 11.0])
print(hasattr(torch, "convolve"), torch.from_numpy(np.convolve(t.numpy(), np.array([1.0, 1.0], dtype=np.float32))))
print(torch.from_numpy(np.sinc(t.numpy() / 2)).dtype)

# % numpy-09-two-ways-from-numpy: shared and copied side by side
n = np.zeros(3)
shared, copied = torch.from_numpy(n), torch.tensor(n)
print(shared.data_ptr() == n.ctypes.data, copied.data_ptr() == n.ctypes.data)
for place, target in enumerate((n, shared, copied)):
    target[place] = place + 1
    print(n, shared, copied)
print(np.shares_memory(shared.numpy(), n), np.shares_memory(copied.numpy(), n))
