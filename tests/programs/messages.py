"""What is said of calls that cannot be, or that are old: which of several faults is named first, and in which words."""

import warnings

import torch
import torch.nn.functional as F

from tests.scenarios.show import attempt


def told(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        attempt(call)
    for warning in caught:
        print(warning.category.__name__, warning.message)


# % messages-places: warnings of the compiled part name the place in its sources
torch.set_warn_always(True)
x = torch.ones(3, requires_grad=True)
old = torch.tensor([0, 1, 1], dtype=torch.uint8)
number = torch.tensor(1 + 2j)
wide = torch.ones(1).expand(3)


def assign(target, index, value):
    target[index] = value


for call in (
    lambda: (x * 2).grad,
    lambda: torch.arange(3.0)[old],
    lambda: torch.ones(3).index_put_((old,), torch.tensor(1.0)),
    lambda: torch.ones(3).index_put_((old,), torch.ones(2)),
    lambda: number.H,
    lambda: number.mT,
    lambda: number.mH,
    lambda: number.adjoint(),
    lambda: assign(wide, torch.tensor([0]), 1.0),
    lambda: assign(wide, wide > 5, 1.0),
    lambda: wide.masked_fill_(wide > 5, 1.0),
    lambda: wide.index_fill_(0, torch.tensor([0]), 1.0),
):
    told(call)
torch.set_warn_always(False)
told(lambda: number.adjoint())

# % messages-whole-tensors: a message that holds a tensor shows it as C++ prints it
for x in (
    torch.arange(60.0).reshape(2, 30),
    torch.arange(60.0).reshape(2, 30) * 1.37,
    torch.tensor([[1e6, 2.5]]),
    torch.tensor([[1e-6, 2.5]]),
    torch.tensor([[0.001, 0.002]]),
    torch.tensor([[float("nan"), float("inf"), -1.0]]),
    torch.tensor([[float("nan"), -1.5]]),
    torch.zeros(2, 0, 3),
    torch.zeros(2, 2, dtype=torch.bfloat16),
    torch.tensor([[12345678901]]),
    torch.tensor([[1234567, -1]]),
    torch.tensor([[1e-130, 1e30]], dtype=torch.float64),
    torch.arange(120.0).reshape(2, 2, 30) * 1000.5,
    torch.arange(48).reshape(2, 3, 2, 2, 2),
    torch.tensor([[True, False]]),
    torch.ones(1, 2, requires_grad=True),
):
    attempt(lambda x=x: torch.meshgrid(x, x, indexing="ij"))

# % messages-class-targets: targets and weights of a classification that do not fit
for target in (torch.tensor([0, 1]), torch.tensor([0]), torch.tensor([[0]]), torch.tensor([1.0, 0.0, 0.0])):
    for weight in (None, torch.ones(2)):
        attempt(lambda target=target, weight=weight: F.cross_entropy(torch.ones(3), target, weight))
        attempt(lambda target=target, weight=weight: F.nll_loss(torch.ones(3), target, weight))
        attempt(
            lambda target=target, weight=weight: F.cross_entropy(torch.ones(3), target, weight, label_smoothing=0.1)
        )
attempt(lambda: F.cross_entropy(torch.ones(3), torch.ones(3), torch.ones(2), label_smoothing=2.0))
attempt(lambda: F.cross_entropy(torch.ones(3), torch.ones(3), torch.ones(2), ignore_index=1))

# % messages-convolution-dtypes: the dtypes of a convolution, as the kernel that would run names them
threads = torch.get_num_threads()
for number in (1, 2):
    torch.set_num_threads(number)
    for batch, size, groups, stride in (
        (1, 2, 1, 1),
        (2, 2, 1, 1),
        (1, 2, 2, 1),
        (1, 4, 1, 1),
        (2, 1, 1, 1),
        (2, 1, 1, 2),
    ):
        x = torch.ones(batch, 2, 5, 5)
        w = torch.ones(2, 2 // groups, size, size, dtype=torch.float64)
        for run in (F.conv2d, F.conv_transpose2d):
            attempt(lambda x=x, w=w: run(x, w, stride=stride, groups=groups))
            attempt(lambda x=x, w=w: run(x, w.float(), w[0, 0, 0].new_ones(2), stride=stride, groups=groups).dtype)
            attempt(lambda x=x, w=w: run(x.double(), w.float(), stride=stride, groups=groups))
torch.set_num_threads(threads)
attempt(lambda: F.conv_transpose3d(torch.ones(1, 2, 3, 3, 3), torch.ones(2, 2, 1, 1, 1), torch.ones(2).double()))

# % messages-out-is-an-input: an out= tensor that is an input keeps its shape
x = torch.arange(3.0)
for call in (
    lambda: torch.add(x, torch.ones(2, 1), out=x),
    lambda: torch.eq(x, torch.ones(2, 3), out=x),
    lambda: torch.pow(x, torch.ones(2, 3), out=x),
    lambda: (lambda i: torch.div(i, torch.tensor([[1], [2]]), out=i))(torch.tensor([4, 5])),
    lambda: torch.sum(torch.ones(2, 2).mode(0), 0),
    lambda: torch.exp(torch.ones(2).max(0)),
):
    attempt(call)

# % messages-own-memory: shapes are looked at before it is asked whether the source lies in the memory that is written
pair = torch.tensor([[0, 1]])
zeros = torch.tensor([0, 0])
for write in (
    lambda b: b.scatter_(-1, pair, b[0]),
    lambda b: b.scatter_(-1, pair[0], b),
    lambda b: b.scatter_(5, pair, b),
    lambda b: b.scatter_(0, torch.zeros(1, 5, dtype=torch.int64), b),
    lambda b: b.scatter_(-1, pair, b),
    lambda b: b.scatter_(0, pair, torch.ones(6)),
    lambda b: b.scatter_(0, pair.T, torch.ones(1)),
    lambda b: b.scatter_add_(-1, pair, b[0]),
    lambda b: b.scatter_reduce_(0, pair, b[0], "amax"),
    lambda b: b.index_add_(0, zeros, b[:1]),
    lambda b: b.index_add_(0, zeros, b[:2]),
    lambda b: b.index_add_(3, zeros, b[:2]),
    lambda b: b.index_add_(0, pair, b[:2]),
    lambda b: b.index_add_(0, zeros.float(), b[:2]),
    lambda b: b.index_reduce_(0, zeros, b[:1], "amax"),
    lambda b: b.index_reduce_(0, zeros, b[:2], "sum"),
    lambda b: b.index_reduce_(0, zeros, b[:2], "amax"),
    lambda b: b.put_(zeros, b[0]),
    lambda b: b.put_(zeros, b[0, :2]),
):
    attempt(lambda write=write: write(torch.arange(12.0).reshape(3, 4)))

# % messages-resampling: dtypes that cannot be resampled
for sizes in ((3,), (3, 3), (3, 3, 3)):
    for kind in (torch.int64, torch.bool, torch.complex64):
        for mode in ("nearest", "nearest-exact"):
            attempt(lambda: F.interpolate(torch.ones(1, 2, *sizes, dtype=kind), scale_factor=2.0, mode=mode))

# % messages-einsum: an equation is read from left to right, the sizes of operands before the output
x = torch.ones(2, 2)
for equation in ("ij->kk", "ij->kik", "ij->iik", "ij->kl", "i->kk", "ij->k1", "ij->1k", "ij->k.", "ijk->ll", "i1->kk"):
    attempt(lambda equation=equation: torch.einsum(equation, x))
attempt(lambda: torch.einsum("ij,->kk", x, x))
attempt(lambda: torch.einsum("...i->...ii", x))
print(torch.einsum("ij->", x), torch.einsum("i j -> j i", x), torch.einsum("ii->i", x), torch.einsum("...j->j...", x))
attempt(lambda: torch.einsum("...i,...i", torch.ones(5, 2, 3), torch.ones(3, 2)))
attempt(lambda: torch.einsum("...i,i...", torch.ones(5, 2, 3), torch.ones(3, 2)))

# % messages-cuda: what is asked for is read before it is missing
x = torch.ones(2)
for where in (None, 0, "cuda:1", -1, True, 1.5, "meta", "cpu", torch.device("cpu"), "nowhere"):
    attempt(lambda where=where: x.cuda(where))
    attempt(lambda where=where: torch.nn.Linear(1, 1).cuda(where))
attempt(lambda: x.cuda(device=0))
attempt(lambda: x.cuda(0, True))
attempt(lambda: x.cuda(other=0))
print(torch.nn.ReLU().cuda(0))

# % messages-broadcast: the method takes sizes one by one, the function does not
x = torch.ones(2)
print(x.broadcast_to(3, 2), x.broadcast_to(2), x.broadcast_to([1, 2]), x.broadcast_to(size=(2,)), x.broadcast_to(3, -1))
for call in (
    lambda: x.broadcast_to(),
    lambda: x.broadcast_to(()),
    lambda: x.broadcast_to("a"),
    lambda: x.broadcast_to(2.5),
    lambda: x.broadcast_to((2,), 3),
    lambda: x.broadcast_to(2, size=(2,)),
    lambda: torch.broadcast_to(x, 3, 2),
    lambda: torch.broadcast_to(x, 2),
):
    attempt(call)

# % messages-one-by-one: and so of dimensions and indices
x = torch.arange(6).reshape(2, 3)
print(x.count_nonzero(0, 1), x.count_nonzero(1), x.hsplit(1, 2), x.vsplit(0, 1), x.reshape(1, 2, 3).dsplit(1, 1))
print(x[0, 0].reshape([]), x[0, 0].view(()))
for call in (
    lambda: torch.count_nonzero(x, 0, 1),
    lambda: x.count_nonzero(0, 0),
    lambda: x.count_nonzero(0, "a"),
    lambda: x.count_nonzero(0, 5),
    lambda: torch.hsplit(x, 1, 2),
    lambda: x.hsplit(1, "a"),
    lambda: x.hsplit((1,), 2),
    lambda: x.hsplit(),
    lambda: x.hsplit(1, sections=1),
    lambda: x.dsplit(0, 1),
    lambda: x[0, 0].view(None),
    lambda: x[0, 0].reshape(None),
    lambda: torch.reshape(x[0, 0], None),
):
    attempt(call)

# % messages-old-norms: by their old names, and what a loader without workers does not wait for
for call in (
    lambda: torch.frobenius_norm(torch.ones(2, 2), 1),
    lambda: torch.nuclear_norm(torch.ones(2, 2), 1),
    lambda: torch.nuclear_norm(torch.ones(2, 2), (1,)),
    lambda: torch.ones(1).storage_type(),
    lambda: list(torch.utils.data.DataLoader([1], timeout=3)),
):
    told(call)

# % messages-drawn: numbers too large for the dtype, and what is no distance
torch.manual_seed(0)
for call in (
    lambda: torch.zeros(2).random_(-(2**30), 2),
    lambda: torch.zeros(2, dtype=torch.float16).random_(-4000, 4000),
    lambda: torch.randint(-(2**40), 2**40, (2,), dtype=torch.float32),
    lambda: torch.cdist(torch.ones(2, 2), torch.ones(2, 2), float("nan")),
    lambda: torch.pdist(torch.ones(2, 2), float("nan")),
    lambda: torch.bincount(torch.ones(2), minlength=-1),
    lambda: torch.bincount(torch.ones(2, dtype=torch.int64), minlength=-1),
):
    told(call)

# % messages-index-operator: as the index of a tensor says it
x, read = torch.ones(2), torch.ops.aten.index.Tensor
for indices in ([torch.tensor([0.0])], [None, torch.tensor([0])], [torch.tensor([5])], [torch.tensor([True])]):
    attempt(lambda indices=indices: read(x, indices))

# % messages-differences: of order 0 nobody looks along a dimension
for call in (
    lambda: torch.diff(torch.ones(4), 0, 5),
    lambda: torch.diff(torch.ones(4), -1, 5),
    lambda: torch.diff(torch.ones(4), -1, 0, torch.ones(2, 2)),
    lambda: torch.diff(torch.ones(4), 0, 0, torch.ones(2, 2)),
    lambda: torch.diff(torch.ones(4), 0, 5, torch.ones(4)),
    lambda: torch.diff(torch.ones(4), 1, 5),
    lambda: torch.diff(torch.ones(4).bool(), 0, 5, out=torch.ones(4)),
    lambda: torch.matrix_power(torch.ones(2, 3, 3).mT, 1).stride(),
):
    attempt(lambda call=call: print(call()))

# % messages-gradient: which fault is named first
for t in (torch.tensor(1.0), torch.ones(3), torch.ones(3, 2), torch.ones(3, dtype=torch.uint8)):
    for options in (
        {"dim": 0},
        {"dim": 5},
        {"dim": (0, 0)},
        {"dim": (0, 5), "spacing": [1.0]},
        {"dim": (0, 5), "spacing": [1.0, 2.0], "edge_order": 3},
        {"dim": 0, "edge_order": 2},
    ):
        attempt(lambda: print(torch.gradient(t, **options)))

# % messages-of-recurrent-sizes: an LSTM's input has three dimensions
for sizes in ((3,), (2, 3)):
    h = torch.zeros(1, 1, 2)
    weights = [torch.ones(8, 3), torch.ones(8, 2), torch.zeros(8), torch.zeros(8)]
    attempt(lambda: torch.lstm(torch.rand(sizes), (h, h), weights, True, 1, 0.0, False, False, True))

# % messages-complex-default: bfloat16 has no complex partner
torch.set_default_dtype(torch.bfloat16)
for make in (
    lambda: torch.tensor(1j),
    lambda: torch.as_tensor([1j]),
    lambda: torch.tensor([[1, 2j]]),
    lambda: torch.ones(2) * 1j,
    lambda: torch.tensor(1j, dtype=torch.complex64),
    lambda: torch.ones(0, dtype=torch.complex64).prod(dtype=torch.float16),
):
    attempt(make)
torch.set_default_dtype(torch.float32)
