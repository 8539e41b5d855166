"""What Modules, losses, distributions and loaders of data check, and how resampled bytes are rounded."""

import pickle
import warnings

import torch
import torch.nn.functional as F
from torch import nn
from torch.distributions import Independent, Normal
from torch.distributions import transforms as T
from torch.nn.utils import prune, rnn
from torch.utils import data

from tests.scenarios.show import attempt

# % checks-modules: sizes and types
torch.manual_seed(0)
x = torch.randn(2, 4, 3)
for make in (
    lambda: nn.Bilinear(-1, 1, 1),
    lambda: nn.Bilinear(0, 1, 1),
    lambda: nn.FractionalMaxPool3d(0, 1),
    lambda: F.group_norm(x, 0),
    lambda: F.fold(torch.ones(12, 9), (4, 4, 4), 2),
    lambda: F.unfold(torch.ones(1, 1, 4, 4), (2,)),
    lambda: F.soft_margin_loss(torch.ones(2).long(), torch.ones(2)),
    lambda: F.nll_loss(x, torch.zeros(2, 3).long(), torch.ones(3)),
    lambda: F.nll_loss(x[..., 0], torch.zeros(2).long(), torch.ones(3)),
    lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3])(torch.ones(2, 4), torch.tensor(1)),
    lambda: nn.Sequential({"a": nn.ReLU()}),
    lambda: prune.L1Unstructured(1).prune(torch.ones(3), importance_scores=torch.ones(2)),
    lambda: rnn.PackedSequence((1, 2, 3)),
    lambda: torch.tensor([1, 2]) in torch.arange(4),
    lambda: torch.tensordot(x[0], x[0], torch.tensor([[0], [0], [1]])),
    lambda: torch.load("nowhere", weights_only=True, pickle_module=pickle),
    lambda: torch.zeros(3, 5).index_add(1, torch.tensor([5]), torch.ones(3, 1)),
    lambda: torch.zeros(3, 5).index_add(1, torch.tensor([5]), torch.ones(3, 1), alpha=2),
):
    attempt(make)
for a in (torch.int64, torch.int32, torch.int16, torch.uint8, torch.float32):
    for b in (torch.int64, torch.int16, torch.float32):
        attempt(lambda a=a, b=b: F.embedding_bag(torch.tensor([1, 2]).to(a), x[0], torch.tensor([0]).to(b)).shape)
    attempt(lambda a=a: F.embedding_bag(torch.tensor([[1, 2]]).to(a), x[0]).shape)
print(nn.Sequential(nn.ReLU(), nn.Tanh()).insert(-1, nn.GELU()))

# % checks-distributions: transforms by parts
cat, stack = T.CatTransform([T.ExpTransform()], 0, [1]), T.StackTransform([T.ExpTransform()], 0)
for each in (cat, stack):
    attempt(lambda each=each: each(torch.ones(2)))
    attempt(lambda each=each: each.inv(torch.ones(2)))
    attempt(lambda each=each: each.log_abs_det_jacobian(torch.ones(1), torch.ones(2)))
    attempt(lambda each=each: each.log_abs_det_jacobian(torch.ones(()), torch.ones(2)))
attempt(lambda: T.CatTransform([T.ExpTransform()], 0, [1, 2]))
print(Independent[Normal])

# % checks-data: loaders and parts of datasets
numbers = data.TensorDataset(torch.arange(4))


class Fives(data.Subset):
    def __getitem__(self, index):
        return 5


attempt(lambda: Fives(numbers, [0]))
for options in ({"num_workers": 1, "prefetch_factor": -1}, {"multiprocessing_context": "fork"}):
    attempt(lambda options=options: data.DataLoader(numbers, **options))
loader = data.DataLoader(numbers, pin_memory=True, pin_memory_device="cuda")
attempt(lambda: setattr(loader, "multiprocessing_context", "fork"))
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    for _ in range(2):
        print([batch for (batch,) in loader])
print(*(warning.message for warning in heard), sep="\n")

# % checks-bytes: images of bytes are rounded after each dimension
x = torch.arange(1, 2 * 3 * 6 * 6 + 1).mul(37).remainder(256).to(torch.uint8).view(2, 3, 6, 6)
for mode, antialias in (
    ("bilinear", False),
    ("bilinear", True),
    ("bicubic", False),
    ("bicubic", True),
    ("lanczos", True),
):
    for size in ((3, 4), (6, 9), (7, 6), (6, 6)):
        print(mode, antialias, F.interpolate(x, size, mode=mode, antialias=antialias)[1, 2].tolist())

# % checks-halves: sums of softmax in half types
x = torch.arange(1, 61).mul(37).remainder(64).div(8).view(3, 4, 5)
for dtype in (torch.float16, torch.bfloat16):
    for dim in range(3):
        print(x.to(dtype).softmax(dim)[1].tolist(), x.to(dtype).log_softmax(dim)[1].tolist())

# % checks-integers: of outputs that are integers nothing is asked
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
for function in (lambda a: a.long(), lambda a: a.argsort(), lambda a: a.detach(), lambda a: (a.long(), a.detach())):
    for options in ({}, {"fast_mode": True}, {"check_forward_ad": True}):
        attempt(lambda: torch.autograd.gradcheck(function, x, **options))
packed = torch.nn.utils.rnn.pack_sequence([torch.ones(2)])
for args, kwargs in (
    ((), {}),
    (("cuda",), {}),
    ((), {"device": "cpu"}),
    ((), {"device": "cuda", "non_blocking": True}),
):
    attempt(lambda: packed.cuda(*args, **kwargs))
