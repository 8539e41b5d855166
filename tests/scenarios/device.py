"""Devices on a build without a GPU."""

import numpy as np
import torch

from tests.scenarios.show import caught

# % device-01-cuda-and-cpu-methods: cpu() is the tensor itself, cuda() fails
a = torch.ones(2)
print(a.device, a.is_cuda, a.cpu() is a)
with caught():
    a.cuda()

# % device-02-cuda-block: code for a GPU is guarded by is_available
x = torch.tensor(np.ones(3))
if torch.cuda.is_available():
    gpu = torch.device("cuda")
    total = x.to(gpu) + torch.ones_like(x, device=gpu)
    print(total, total.to("cpu", torch.double))
print(torch.cuda.is_available(), x)

# % device-03-to-on-cpu: to() moves and converts, or returns the tensor itself
cpu = torch.device("cpu")
x = torch.ones(3)
total = x.to(cpu) + torch.ones_like(x, device=cpu)
print(total, total.device, total.to("cpu", torch.double), total.to(torch.int32))
print(total.to("cpu") is total, total.to(torch.float32) is total, total.to(torch.ones(1, dtype=torch.float16)).dtype)

# % device-04-to-cuda-without-gpu: a device is only a name; using it fails
gpu = torch.device("cuda")
print(
    repr(gpu), str(gpu), gpu.type, gpu.index, torch.device("cuda:1"), torch.device("cuda", 1).index, torch.device("cpu")
)
print(gpu == torch.device("cuda"), gpu == "cuda", gpu == torch.device("cuda:0"))
x = torch.ones(2)
with caught():
    x.to(gpu)
with caught():
    x.to("cuda")
with caught():
    torch.ones_like(x, device=gpu)
with caught():
    torch.ones(2, device="cuda")
try:
    torch.device("gpu")
except RuntimeError as error:  # the middle of the message lists every device type
    print(str(error).split("device type")[-1].strip())
