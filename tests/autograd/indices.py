"""Indices and what they refuse: lists of floats, numbers too large, masks of bytes,
values of another shape or dtype."""

import random
import warnings

import numpy as np
import torch
import torch.autograd.forward_ad as fwAD

from tests.scenarios.show import attempt


def written(x, index, value):
    x = x.clone()
    try:
        x[index] = value
        print(x.tolist())
    except Exception as error:
        print(f"{type(error).__name__}: {error}")


# % indices-cast: lists and arrays of floats are truncated, what is no index is named
x = torch.arange(6.0).view(2, 3)
for index in ([0.7, 1.2], np.array([1.9]), {1}, 2**70, -(2**70)):
    attempt(lambda i=index: x[i])
for part in (torch.tensor(0.5), torch.tensor([0, 1]), "a", 0.5):
    attempt(lambda p=part: x[p:])

# % indices-strides: a result whose first sizes are 1 has the strides of its shape
x = torch.arange(24.0).view(4, 3, 2)
for index in ((None, [0, 1]), (slice(0, 1), [0, 2]), ([3], slice(None), [0])):
    y = x[index]
    print(tuple(y.shape), y.stride())

# % indices-write: a value must first fit in shape, then in dtype; one number for a mask is converted
x = torch.zeros(2, 3)
mask = torch.tensor([[True, False, True], [False, True, False]])
for index, value in (
    (([0, 1], [1, 2]), torch.arange(3)),
    (([0, 1], [1, 2]), torch.arange(2)),
    (mask, torch.ones(2, 3)),
    (mask, torch.arange(1)),
    (mask, torch.tensor([1 + 1j])),
    (True, torch.arange(3)),
    (True, torch.ones(5, 1, 2, 3)),
    (torch.tensor([1, 0], dtype=torch.uint8), 5),
    ((slice(None), torch.tensor([1, 0, 1], dtype=torch.uint8)), 5),
    (0, torch.ones(2, 3, dtype=torch.complex64)),
):
    written(x, index, value)
for dtype in (torch.float16, torch.bfloat16, torch.float32):
    for value in (1e39, 1j, 2.5):
        written(torch.zeros(2, dtype=dtype), 0, value)
attempt(lambda: x.index_put((torch.tensor([0]),), 2.0))
attempt(lambda: x.index_put_((torch.tensor([0]),), 2.0))

# % indices-sources: sources of index_add and index_reduce, indices of index_copy and index_fill
x = torch.zeros(4, 3)
one, two, scalar = torch.tensor([1]), torch.tensor([0, 1]), torch.tensor(5.0)
for dim, index, source in (
    (0, one, scalar),
    (0, two, scalar),
    (1, two, scalar),
    (0, two, torch.ones(2, 2)),
    (0, two, torch.ones(3, 3)),
    (0, two, torch.ones(2, 3)),
    (0, two, torch.ones(2, 3).double()),
    (0, torch.tensor([0, 4]), torch.ones(2, 3)),
):
    attempt(lambda: x.index_add(dim, index, source))
    attempt(lambda: x.index_reduce(dim, index, source, "amax"))
attempt(lambda: x.index_copy(0, two.float(), torch.ones(2, 3)))
attempt(lambda: x.index_copy(0, two, 5.0))
attempt(lambda: x.index_copy(0, two))
attempt(lambda: x.index_fill(0, torch.tensor([[0]]), 2))

# % indices-places: arguments of masked_fill, movedim and rot90 that do not fit
x = torch.zeros(4, 3)
attempt(lambda: x.masked_fill(torch.tensor([True, False]), torch.ones(2)))
attempt(lambda: x.masked_fill(torch.tensor([True, False, True]), torch.ones(2)))
attempt(lambda: x.masked_fill(0, torch.ones(2)))
attempt(lambda: x.movedim(0, (1,)))
attempt(lambda: torch.rot90(x, 1, (0, 2)))
attempt(lambda: torch.rot90(x, 1, (0, 0)))

# % indices-bytes: view(dtype) of nothing, and which refusal comes first
for x in (torch.zeros(0, 5, 64), torch.zeros(2, 3, 4), torch.zeros(4, 6).t(), torch.zeros(3, 1)):
    for dtype in (torch.uint8, torch.float16, torch.int64, torch.complex128):
        attempt(lambda: (lambda v: (tuple(v.shape), v.stride()))(x.view(dtype)))

# % indices-forward: gradcheck by dual tensors, also where a Function's backward is wrong
warnings.simplefilter("ignore")  # torch warns of its own making


def twice(x):
    return x.as_strided((3, 2), (3, 1), 1), x[[0, 0, 2]] * x.sum()


x = torch.arange(9.0, dtype=torch.float64).requires_grad_()
attempt(lambda: torch.autograd.gradcheck(twice, x, check_forward_ad=True, check_backward_ad=False))
attempt(lambda: torch.autograd.gradcheck(twice, x, check_forward_ad=True))
attempt(lambda: torch.autograd.gradgradcheck(lambda x: x.cos(), x, check_fwd_over_rev=True))
z = torch.tensor([1 + 2j, 0.5j], dtype=torch.complex128, requires_grad=True)
attempt(lambda: torch.autograd.gradcheck(lambda z: (z * z.conj(), z.abs()), z, check_forward_ad=True))
attempt(
    lambda: torch.autograd.gradcheck(lambda x: x.detach() * x, x[:2].detach().requires_grad_(), check_forward_ad=True)
)

# % indices-words: arguments that no kernel can take are refused in the words of PyTorch
z = torch.ones(2, 3)
for call in (
    lambda: torch.argmax(z, (0, 1)),
    lambda: z.amax("a"),
    lambda: torch.logsumexp(z, "a"),
    lambda: torch.any(z, 0.5),
    lambda: torch.sub(z, z, alpha="a"),
    lambda: torch.prod(z, (0, 1)),
    lambda: torch.nansum(z, "a"),
    lambda: z.size("a"),
    lambda: torch.addcmul(z, z, z, value="a"),
    lambda: torch.count_nonzero(z, "a"),
    lambda: torch.histc(z, "a"),
    lambda: torch.rsub(z, z > 0),
    lambda: torch.rsub(z > 0, z),
    lambda: z.half() + 1e9,
    lambda: z * -1e39,
):
    attempt(call)

# % indices-duals: dual tensors through writes and views, and what no level takes
warnings.simplefilter("ignore")
attempt(lambda: fwAD.exit_dual_level())
with fwAD.dual_level():
    x = fwAD.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))
    z = torch.zeros(3)
    z[:2] = x * x
    z[1:].mul_(x)
    print(fwAD.unpack_dual(z).tangent, fwAD.unpack_dual(z[0]))
    attempt(lambda: fwAD.make_dual(x, torch.ones(2)))
    attempt(lambda: fwAD.make_dual(torch.ones(2), torch.ones(3)))
    attempt(lambda: fwAD.exit_dual_level(level=3))

# % indices-layouts: the strides of what lists, masks and slices pick out of tensors in any layout
draw = random.Random(5)
sources = [torch.arange(24.0).view(2, 3, 4), torch.arange(24.0).view(4, 3, 2).permute(2, 1, 0)]
sources += [torch.arange(12.0).view(1, 3, 4), torch.arange(12.0).view(4, 1, 3).transpose(0, 2), torch.zeros(2, 0, 3)]


def place(size):
    kinds = [slice(None), slice(None), slice(1, None), None]
    if size:
        kinds += [[0, size - 1], [[0], [-1]], 0, [True] * (size - 1) + [False]]
    return draw.choice(kinds)


for x in sources:
    for _ in range(14):
        index, at = [], 0
        while at < x.dim() - draw.randrange(2):
            index.append(place(x.shape[at]))
            at += index[-1] is not None
        try:
            y = x[tuple(torch.tensor(i) if isinstance(i, list) else i for i in index)]
        except IndexError as error:
            print(index, error)
        else:
            print(index, tuple(y.shape), y.stride(), y.sum().item())
