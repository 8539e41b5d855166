"""Programs that ask for deterministic algorithms: what is refused, warned of, and filled."""

import warnings

import torch
import torch.utils.deterministic as deterministic
from torch import nn

from tests.scenarios.show import attempt

# % deterministic-refuses: operations that give another result each time
torch.use_deterministic_algorithms(True)
x, places = nn.functional.max_pool2d(torch.arange(16.0).reshape(1, 1, 4, 4), 2, return_indices=True)
attempt(lambda: nn.MaxUnpool1d(2)(x[0], places[0]))
attempt(lambda: nn.MaxUnpool2d(2)(x, places))
attempt(lambda: nn.MaxUnpool3d(2)(x[None], places[None]))
one = torch.tensor([1])
attempt(lambda: torch.zeros(3).put_(one, torch.ones(1)))
attempt(lambda: torch.zeros(3).put(one, torch.ones(1)))
print(torch.zeros(3).put_(one, torch.ones(1), accumulate=True))
torch.use_deterministic_algorithms(False)

# % deterministic-warns: the same operations, with warn_only
torch.use_deterministic_algorithms(True, warn_only=True)
with warnings.catch_warnings(record=True) as heard:
    warnings.simplefilter("always")
    print(nn.MaxUnpool2d(2)(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, dtype=torch.int64)))
    print(torch.zeros(3).put_(torch.tensor([1]), torch.ones(1)))
print([str(w.message) for w in heard])
torch.use_deterministic_algorithms(False)

# % deterministic-fills: new memory is filled
torch.use_deterministic_algorithms(True)
for dtype in (torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.uint8, torch.int64, torch.bool):
    one = torch.ones(1, dtype=dtype)
    print(torch.empty(2, dtype=dtype), torch.empty_like(one), one.new_empty(1), one.resize_(2))
print(torch.empty_strided((2,), (2,)), torch.empty_permuted((1, 2), (1, 0)), torch.Tensor(2), torch.LongTensor(1))
for given in (torch.zeros(3, 2), torch.zeros(1), torch.zeros(6, 2)[::2], torch.zeros(9, dtype=torch.int64)):
    made = torch.empty(3, 2, dtype=given.dtype, out=given)
    print(made is given, given, given._version)
part = torch.arange(4.0)[1:3].resize_(6)
print(part, part.untyped_storage().nbytes())
deterministic.fill_uninitialized_memory = False
print(deterministic.fill_uninitialized_memory, torch.ones(1).resize_(1))
for value in (1, None, "x"):
    attempt(lambda value=value: setattr(deterministic, "fill_uninitialized_memory", value))
deterministic.fill_uninitialized_memory = True
torch.use_deterministic_algorithms(False)
