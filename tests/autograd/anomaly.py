"""Anomaly mode: where the forward operation was, and nan."""

import warnings

import torch
from torch.autograd import Function

from tests.scenarios.show import t


def show(message, category, *_):
    """Print a warning with the frames of the block alone."""
    kept, keep = [], True
    for line in str(message).partition(" (Triggered")[0].splitlines():
        if line.startswith("  File "):
            keep = "<anomaly" in line
        elif not line.startswith("    "):
            keep = True
        if keep and line.strip(" ~^"):
            kept.append(line)
    print(f"{category.__name__}:", "\n".join(kept))


warnings.showwarning = show


# % anomaly-mode: errors, nan, chains
x = torch.tensor([-1.0, 1.0], requires_grad=True)
with torch.autograd.detect_anomaly():
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
    y = x.sqrt()
    print(list(y.grad_fn.metadata))
    print(type(y.grad_fn.metadata["traceback_"]), type(y.grad_fn.metadata["traceback_"][0]))
    print(y.grad_fn.metadata["traceback_"][-1].splitlines()[1:])
    t(lambda: y.sum().backward())
with torch.autograd.detect_anomaly(check_nan=False):
    t(lambda: x.sqrt().sum().backward())
print(torch.is_anomaly_enabled())
s = torch.autograd.set_detect_anomaly(True)
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(False)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    print(torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())


class F(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise RuntimeError("boom")


with torch.autograd.detect_anomaly():

    def inner(x):
        return F.apply(x)

    t(lambda: inner(x).sum().backward())
y = inner(x)
with torch.autograd.detect_anomaly():
    t(lambda: y.sum().backward())
z = torch.tensor([0.0, 1.0], requires_grad=True)
w = z.sqrt()
with torch.autograd.detect_anomaly():
    y = z**1.5
    (g,) = torch.autograd.grad(y.sum(), z, create_graph=True)
    (g,) = torch.autograd.grad(g.sum(), z, create_graph=True)
    t(lambda: (g * 0).sum().backward())
t(lambda: torch.autograd.detect_anomaly(1, 2, 3))
t(lambda: torch.autograd.set_detect_anomaly())
with torch.autograd.detect_anomaly():
    y = z * 1
    w = y**2
    y.add_(1)
    t(lambda: w.sum().backward())
    a = torch.ones(2, requires_grad=True)
    o = a.exp()
    o += 1
    t(lambda: o.sum().backward())
