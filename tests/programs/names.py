"""Names that programs import, and functions that have no other form."""

import torch
import torch.backends.cudnn as cudnn
from torch.nn.common_types import _size_2_t
from torch.optim.adamw import AdamW
from torch.optim.rmsprop import RMSprop
from torch.types import Device, Number
from torch.utils.data.distributed import DistributedSampler

from tests.scenarios.show import attempt

# % names-modules: that are imported by their own names
cudnn.benchmark = True
print(torch.backends.cudnn.benchmark, cudnn.is_available(), AdamW is torch.optim.AdamW, RMSprop is torch.optim.RMSprop)
print(_size_2_t, Number, isinstance(torch.device("cpu"), Device), isinstance([], Device))
print(torch.OutOfMemoryError is torch.cuda.OutOfMemoryError, torch.OutOfMemoryError, torch.AcceleratorError.__mro__)

# % names-distributed: a dataset divided among processes
for n in (0, 1, 5, 6):
    for options in ({}, {"drop_last": True}, {"shuffle": False}, {"seed": 3}):
        sampler = DistributedSampler(range(n), 3, 1, **options)
        first = list(sampler)
        sampler.set_epoch(2)
        print(n, options, first, list(sampler), len(sampler))
for options in ({}, {"num_replicas": 2}, {"num_replicas": 2, "rank": 2}, {"num_replicas": 2, "rank": -1}):
    attempt(lambda: DistributedSampler(range(3), **options))

# % names-functions: of torch alone
_ = torch.manual_seed(0)
v = torch.randn(2, 3, 4, requires_grad=True)
for dim in (-1, 0, 1, 2, -2, 5):
    attempt(lambda: torch.norm_except_dim(v, 2, dim))
attempt(lambda: torch.norm_except_dim(v, 1))
attempt(lambda: torch.norm_except_dim(torch.tensor(2.0)))
for drop in (torch.feature_dropout, torch.feature_dropout_, torch.alpha_dropout_, torch.feature_alpha_dropout_):
    for args in ((0.5, True), (0.5, False), (1.5, True), (0.5,)):
        attempt(lambda: drop(torch.ones(2, 3, 2), *args))
    attempt(lambda: drop(torch.ones(2), 0.5, True))
attempt(lambda: torch.feature_dropout(v, 0.5, True).grad_fn.name())
log_p = torch.randn(4, 2, 3, requires_grad=True).log_softmax(2)
labels = torch.tensor([[1, 2], [2, 1]])
for reduction in (0, 1, 2):
    attempt(lambda: torch.ctc_loss(log_p, labels, [4, 4], [2, 1], 0, reduction))
attempt(lambda: torch.ctc_loss(log_p, labels, [4, 4]))

# % names-sobol: points that fill a cube
SobolEngine = torch.quasirandom.SobolEngine
for dimension in (1, 3, 1111):
    for options in ({}, {"scramble": True, "seed": 5}, {"scramble": True, "seed": 0}):
        engine = SobolEngine(dimension, **options)
        print(engine, engine.draw(2)[:, :3], engine.draw(5)[:, -3:], engine.num_generated, engine.quasi[:3])
        print(engine.draw(33).double().sum(), engine.shift[-2:], engine.sobolstate[-2:, :4])
        print(engine.reset().fast_forward(3).draw()[:, :3], engine.fast_forward(2).draw(2)[:, -2:])
        print(engine.reset().draw_base2(3, dtype=torch.float64)[:, :2])
for action in (
    lambda: SobolEngine(0),
    lambda: SobolEngine(21202),
    lambda: SobolEngine(3).draw(0),
    lambda: SobolEngine(3).draw(2, dtype=torch.int32),
    lambda: SobolEngine(3).draw(2, dtype=torch.float16),
    lambda: SobolEngine(3).draw(2, out=torch.empty(0)),
    lambda: SobolEngine(2).fast_forward(3).draw_base2(2),
):
    attempt(action)
