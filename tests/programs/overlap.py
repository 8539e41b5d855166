"""Writing to memory that elements share, or that an input lies partly in."""

from functools import partial

import torch

from tests.scenarios.show import attempt

# % overlap-expanded: an expanded tensor is one place in memory for several elements
for action in (
    lambda e: e.add_(1),
    lambda e: e.mul_(torch.ones(3)),
    lambda e: e.exp_(),
    lambda e: e.clamp_(0, 1),
    lambda e: e.relu_(),
    lambda e: e.addcmul_(torch.ones(3), torch.ones(3)),
    lambda e: e.lerp_(torch.ones(3), 0.5),
    lambda e: e.cumsum_(0),
    lambda e: e.copy_(torch.ones(3)),
    lambda e: e.scatter_(0, torch.tensor([0]), 2.0),
    lambda e: e.index_add_(0, torch.tensor([0]), torch.ones(1)),
    lambda e: e.index_copy_(0, torch.tensor([0]), torch.ones(1)),
    lambda e: e.put_(torch.tensor([0]), torch.ones(1)),
    lambda e: torch.add(torch.ones(3), 1, out=e),
    lambda e: torch.exp(torch.ones(3), out=e),
):
    e = torch.ones(1).expand(3)
    attempt(lambda: action(e))
    print(e)

# % overlap-expanded-fill: filling it is allowed, in some ways with a warning
e = torch.ones(1).expand(3)
print(e.fill_(3), e.zero_())
print(torch.ones(1, 1).expand(2, 2).fill_diagonal_(2))
print(e.masked_fill_(torch.tensor([True, False, True]), 4))
print(e.index_fill_(0, torch.tensor([0]), 5))

# % overlap-part: an input that overlaps in part is refused, one that is the same memory is not
index = torch.arange(4)
for action in (
    lambda a, b, c: a.add_(b),
    lambda a, b, c: a.sub_(a[0]),
    lambda a, b, c: a.sub_(b[0]),
    lambda a, b, c: a.div_(a),
    lambda a, b, c: a.add_(c[1:5]),
    lambda a, b, c: a.view(2, 2).mul_(a.view(2, 2).t()),
    lambda a, b, c: c[::2].add_(c[1::2]),
    lambda a, b, c: a.lerp_(b, 0.5),
    lambda a, b, c: a.addcmul_(b, b),
    lambda a, b, c: a.atan2_(b),
    lambda a, b, c: a.copy_(b),
    lambda a, b, c: a.view(2, 2).copy_(a.view(2, 2).t()),
    lambda a, b, c: a.copy_(c[1:5]),
    lambda a, b, c: a.__setitem__(slice(None), b),
    lambda a, b, c: a.masked_fill_(b > 1, b[1]),
    lambda a, b, c: a.scatter_(0, index, b),
    lambda a, b, c: a.index_add_(0, index, b),
    lambda a, b, c: a.index_add_(0, index, a),
    lambda a, b, c: a.index_copy_(0, index, b),
    lambda a, b, c: a.index_put_((index,), b),
    lambda a, b, c: a.put_(index, b),
    lambda a, b, c: torch.add(b, 1, out=a),
    lambda a, b, c: torch.mul(c[2:6], b, out=a),
    lambda a, b, c: torch.exp(b, out=a),
    lambda a, b, c: torch.exp(a, out=a),
    lambda a, b, c: torch.cumsum(b, 0, out=a),
    lambda a, b, c: torch.where(b > 1, b, a, out=a),
    lambda a, b, c: torch.cat([b], out=a),
    lambda a, b, c: torch.index_select(b, 0, index, out=a),
):
    c = torch.arange(1.0, 7.0)
    attempt(lambda: action(c[1:5], c[:4], c))
    print(c)


# % overlap-graph: with autograd the error comes before anything is changed
x = torch.arange(4.0, requires_grad=True)
y = x * 2
attempt(lambda: y[1:].add_(y[:-1]))
print(y._version, y)
y[1:].add_(y[:-1].clone())
y.sum().backward()
print(x.grad)

# % overlap-assign: numbers and tensors assigned to all of an expanded tensor
for value in (1, 1.5, torch.tensor(2.0), torch.ones(3)):
    e = torch.ones(1).expand(3)
    attempt(lambda: e.__setitem__(slice(None), value))
    attempt(lambda: e.fill_(value))
    print(e)

# % mask-one-value: one value of another dtype, where a mask says
x = torch.zeros(3, 3)
x[torch.eye(3) > 0] = torch.tensor([9])
x[:, torch.tensor([True, False, False])] = torch.tensor(7)
x[torch.tensor([False, False, True])] = torch.tensor([[5]])
print(x)
attempt(lambda: x.__setitem__([0], torch.tensor([9])))


# % overlap-data: what `.data` gives lies in the same memory, though it counts versions of its own
def of_data(name, write):
    x = torch.arange(4.0)
    try:
        print(name, write(x, x.data))
    except RuntimeError as error:
        print(name, error)


places = torch.tensor([0, 1, 2, 3])
of_data("copy_", lambda x, y: x[1:].copy_(y[:-1]))
of_data("add_", lambda x, y: x[1:].add_(y[:-1]))
of_data("add_ turned", lambda x, y: y[1:].add_(x[:-1]))
of_data("add_ to all", lambda x, y: x.add_(y))
of_data("out=", lambda x, y: torch.add(y[1:], 1, out=x[:-1]))
of_data("index_add_", lambda x, y: x.index_add_(0, places, y))
of_data("index_copy_", lambda x, y: x.index_copy_(0, places, y))
of_data("scatter_", lambda x, y: x.scatter_(0, places, y))
of_data("scatter_ turned", lambda x, y: y.scatter_(0, places, x))
of_data("masked_scatter_", lambda x, y: x.masked_scatter_(x > 1, y))
of_data("index_put_", lambda x, y: x.index_put_((places,), y))


def by_mask(x, y):
    x[x > 0] = y
    return x


of_data("a mask", by_mask)

# % overlap-after-checks: arguments that do not fit are said before the memory is asked for, indices out of range after
fits, large, far = torch.tensor([[0, 1]]), torch.zeros(3, 3, dtype=torch.int64), torch.full((2, 2), 7)
for index in (fits, large, far, fits.float()):
    for write in (
        lambda e: e.scatter_(0, index, 2.0),
        lambda e: e.scatter_(0, index, 2.0, reduce="add"),
        lambda e: e.scatter_(0, index, torch.ones(2, 2), reduce="none"),
        lambda e: e.scatter_(0, index, torch.ones(3, 3)),
        lambda e: e.scatter_(0, index, torch.ones(())),
        lambda e: e.scatter_add_(0, index, torch.ones(2, 2)),
        lambda e: e.scatter_reduce_(0, index, torch.ones(2, 2), "none"),
        lambda e: e.index_add_(0, index[0], torch.ones(2, 2)),
        lambda e: e.index_reduce_(0, index[0], torch.ones(2, 2), "prod"),
        lambda e: e.addr_(torch.ones(2), torch.ones(len(index))),
    ):
        attempt(lambda: write(torch.ones(1, 2).expand(2, 2)))
        attempt(lambda: write(torch.ones(2, 2)))

# % overlap-out-part: an out= tensor that an input lies partly in is refused, one that is the same memory is not
place = partial(torch.empty, 0, dtype=torch.int64)
for action in (
    lambda a, o: torch.add(a, a, alpha=2, out=o),
    lambda a, o: torch.sub(a, 1, alpha=2, out=o),
    lambda a, o: torch.fmod(a, 2, out=o),
    lambda a, o: torch.remainder(a, 2, out=o),
    lambda a, o: torch.xlogy(2, a + 1, out=o),
    lambda a, o: torch.copysign(a, -2, out=o),
    lambda a, o: torch.special.zeta(a, 2, out=o),
    lambda a, o: torch.logical_not(a, out=o),
    lambda a, o: torch.hardshrink(a, 0.5, out=o),
    lambda a, o: torch.nn.functional.softplus(a, out=o),
    lambda a, o: torch.sort(a, 0, out=(o, place())),
    lambda a, o: torch.max(a, 0, out=(o[0], place())),
    lambda a, o: torch.min(a, 1, out=(o[:, 0], place())),
    lambda a, o: torch.mode(a, 0, out=(o[0], place())),
    lambda a, o: torch.max(a, out=o[0, 0]),
    lambda a, o: torch.baddbmm(a[None, :, :2], torch.ones(1, 2, 2), torch.ones(1, 2, 2), out=o[None, :, :2]),
):
    rows = (torch.arange(12.0) % 5).view(3, 4)
    attempt(lambda: action(rows[1:], rows[:2]))
    attempt(lambda: action(rows[:2], rows[:2]))
    print(rows)
