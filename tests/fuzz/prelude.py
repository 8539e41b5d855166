# ruff: noqa: F401, F821
"""What random programs may use: hooks, Functions, a Module, and `log`, by which they say what they see.

Not a module to import: a world of tests.fuzz.worlds runs this text with its own library as `torch`.
"""

from __future__ import annotations

import copy
import math

import numpy as np

F, nn, optim = torch.nn.functional, torch.nn, torch.optim
OUT = []


def show(x):
    if isinstance(x, torch.Tensor):
        try:
            fn = x.grad_fn
        except RuntimeError as error:
            return ("T", str(error))
        return (
            "T",
            type(x).__name__,
            str(x.dtype),
            list(x.shape),
            x.requires_grad,
            x.is_leaf,
            fn and fn.name(),
            values(x),
        )
    if isinstance(x, (list, tuple)):
        return [type(x).__name__] + [show(v) for v in x]
    if isinstance(x, dict):
        return {str(k): show(v) for k, v in x.items()}
    if isinstance(x, np.ndarray):
        return ("A", str(x.dtype), list(x.shape), x.tolist())
    if isinstance(x, float):
        return ("F", x)
    return str(x)


def values(x):
    with torch.no_grad():
        return x.detach().resolve_conj().resolve_neg().tolist()


def log(*things):
    OUT.append([show(t) for t in things])


def names(fn):
    return None if fn is None else [fn.name()] + [(f and f.name(), n) for f, n in fn.next_functions]


def hook(tag, what):
    def run(g):
        log(tag, g)
        if what == "none":
            return None
        if what == "double":
            return g * 2
        if what == "inplace":
            g.mul_(3)
        if what == "raise":
            raise ValueError("from " + tag)
        if what == "scalar":
            return g.sum()
        if what == "number":
            return 3
        if what == "dtype":
            return g.double() if g.dtype != torch.float64 else g.float()
        if what == "mode":
            log(tag, torch.is_grad_enabled(), torch.is_inference_mode_enabled())
        if what == "expand":
            return g.sum().expand(g.shape)
        if what == "backward":
            with torch.enable_grad():
                z = torch.ones(2, requires_grad=True)
                (z * z).sum().backward()
                log(tag, z.grad)
        if what == "zero":
            return torch.zeros_like(g)

    return run


def nodehook(tag, what):
    def run(gi, go=None):
        log(tag, gi, go)
        if what == "double":
            return tuple(None if g is None else g * 2 for g in gi)
        if what == "raise":
            raise KeyError(tag)
        if what == "short":
            return gi[:-1]
        if what == "list":
            return list(gi)
        if what == "drop":
            return tuple(None for g in gi)

    return run


def posthook(tag, what):
    def run(p):
        log(tag, p, p.grad)
        if what == "clear":
            p.grad = None
        if what == "step":
            with torch.no_grad():
                p.add_(p.grad, alpha=-0.5)
        if what == "raise":
            raise RuntimeError("post " + tag)

    return run


def modhook(tag, what):
    def run(m, *a):
        log(tag, type(m).__name__, list(a))
        if what == "double":
            return tuple(x * 2 for x in a[-1]) if isinstance(a[-1], tuple) else a[-1] * 2
        if what == "raise":
            raise RuntimeError(tag)

    return run


def pack(tag, how):
    def run(x):
        log("pack", tag, list(x.shape))
        return x * 2 if how == "double" else (x.detach().clone() if how == "clone" else x)

    return run


def unpack(tag):
    def run(x):
        log("unpack", tag)
        return x

    return run


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        log("Square.backward", torch.is_grad_enabled(), ctx.needs_input_grad)
        return 2 * x * g


class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.k = k
        ctx.set_materialize_grads(k != 3)
        return x * k, y + x

    @staticmethod
    def backward(ctx, a, b):
        log("Two.backward", a, b)
        z = (0 if a is None else a * ctx.k) + (0 if b is None else b)
        return z, b, None


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


class Mixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        v, i = x.reshape(-1).sort()
        ctx.mark_non_differentiable(i)
        ctx.save_for_backward(i)
        ctx.n = x.shape
        return v, i

    @staticmethod
    def backward(ctx, g, _):
        (i,) = ctx.saved_tensors
        r = torch.zeros_like(g)
        r[i] = g
        return r.reshape(ctx.n)


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        if ctx.how == 0:
            return g
        if ctx.how == 1:
            return g.sum(), None
        if ctx.how == 2:
            return None, None
        if ctx.how == 3:
            raise IndexError("wrong")
        if ctx.how == 4:
            return 5, None
        return g, g


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].exp()


class Setup(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x


class Tiny(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.a = nn.Linear(n, 2)
        self.w = nn.Parameter(torch.ones(2))
        self.register_buffer("seen", torch.zeros(1))

    def forward(self, x):
        self.seen += 1
        return torch.tanh(self.a(x)) * self.w
