"""Anomaly mode: where the forward operation was, and nan."""

import io
import sys
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

# % anomaly-refused: warnings that are errors
warnings.simplefilter("ignore")
with torch.autograd.detect_anomaly():
    warnings.simplefilter("error")
    a = torch.ones(2, requires_grad=True)
    b = a + 1
    c = b * b
    b += 1
    kept, sys.stderr = sys.stderr, io.StringIO()
    try:
        c.sum().backward()
    except RuntimeError as error:
        print(str(error)[:60])
    finally:
        text, sys.stderr = sys.stderr.getvalue(), kept
warnings.resetwarnings()
print(text.splitlines()[0])

# % anomaly-everywhere: errors of hooks, of checks and at leaves name the Node too


class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(7)


def fail(*grads):
    raise ValueError("fail")


def at_tensor(y):
    y.register_hook(fail)


def before(y):
    y.grad_fn.register_prehook(fail)


def after(y):
    y.grad_fn.register_hook(fail)


def shape(y):
    y.register_hook(lambda grad: torch.ones(9))


def count(y):
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0], inputs[0], inputs[0], inputs[0]))


warnings.showwarning = show
for create in (False, True):
    for hook in (at_tensor, before, after, shape, count):
        with torch.autograd.set_detect_anomaly(True):
            x = torch.ones(3, requires_grad=True)
            y = x * 2
            hook(y)
            t(lambda: torch.autograd.grad((y * 3).sum(), x, create_graph=create))
    with torch.autograd.set_detect_anomaly(True):
        x = torch.ones(3, requires_grad=True)
        t(lambda: torch.autograd.grad((Wrong.apply(x) * 3).sum(), x, create_graph=create))

# % anomaly-leaf: a hook of a leaf that fails


def fail(grad):
    raise ValueError("fail")


warnings.showwarning = lambda message, *_: print(str(message).partition(".")[0])
with torch.autograd.set_detect_anomaly(True):
    x = torch.ones(3, requires_grad=True)
    x.register_hook(fail)
    t(lambda: (x * 4).sum().backward())
    t(lambda: torch.autograd.grad((x * 4).sum(), x))
    t(lambda: torch.autograd.grad((x * 4).sum(), x, create_graph=True))
