"""Random training programs, run by two libraries and compared in everything that can be observed.

A program is Python source that calls its library `torch` and says what it sees by `see(name, value)`: values, graphs,
keys of state dicts in their order, reprs, warnings, the type and the words of an error. The same seed gives the same
program.

    python -m tests.fuzz.training --seed 0 --programs 300     agreement, and what differs by kind of program
    python -m tests.fuzz.training --seed 17 --programs 1 -v   one program and its differences
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import importlib
import math
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

__all__ = ["KINDS", "compare", "generate", "run"]

_SUBMODULES = (
    "nn",
    "nn.functional",
    "nn.utils",
    "optim",
    "optim.lr_scheduler",
    "func",
    "utils.checkpoint",
    "autograd.functional",
    "nn.utils.parametrize",
    "nn.utils.parametrizations",
    "nn.utils.prune",
    "optim.swa_utils",
)


# -- observations ------------------------------------------------------------------------------------------------------


def graph(node: Any, depth: int = 6) -> list[str]:
    """The names of the Nodes behind a result, level by level."""
    lines, level = [], [node]
    while level and depth:
        lines.append(" ".join("None" if n is None else re.sub(r".*\.", "", n.name()) for n in level))
        level = [below for n in level if n is not None for below, _ in n.next_functions][:24]
        depth -= 1
    return lines


def plain(value: Any, torch: Any) -> Any:
    """A value as nested lists, tuples and dicts of numbers and strings."""
    if isinstance(value, torch.Tensor):
        about = (str(value.dtype), tuple(value.shape), value.requires_grad, type(value).__name__)
        return ("tensor", about, value.detach().tolist() if value.numel() <= 4096 else None)
    if isinstance(value, torch.autograd.graph.Node):
        return ("graph", graph(value))
    if isinstance(value, dict):
        return (type(value).__name__, [(plain(k, torch), plain(v, torch)) for k, v in value.items()])
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [plain(v, torch) for v in value])
    if isinstance(value, (bool, int, float, str, type(None))):
        return value
    if isinstance(value, complex):
        return ("complex", value.real, value.imag)
    return words(repr(value))


def words(text: str) -> str:
    """A text without addresses and without the places where files lie."""
    return re.sub(r"0x[0-9a-f]+", "0x", text).replace("autogradlab.", "torch.")


def same(a: Any, b: Any, tolerance: float = 2e-4) -> bool:
    """Equal, floats within rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return (math.isnan(a) and math.isnan(b)) or math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance / 10)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(same(x, y, tolerance) for x, y in zip(a, b, strict=True))
    return type(a) is type(b) and a == b


def run(source: str, library: str, dtype: str = "float32") -> list[tuple[str, Any]]:
    """What a program sees when `library` is its torch and `dtype` the default one."""
    torch = importlib.import_module(library)
    for name in _SUBMODULES:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(f"{library}.{name}")
    seen: list[tuple[str, Any]] = []

    def see(name: str, value: Any) -> None:
        seen.append((name, plain(value, torch)))

    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "see": see}
    torch.manual_seed(0)
    torch.set_warn_always(True)
    torch.set_default_dtype(getattr(torch, dtype))
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        try:
            exec(compile(source, "<program>", "exec"), names)
        except Exception as error:
            seen.append(("error", (type(error).__name__, words(str(error)))))
    torch.set_grad_enabled(True)
    torch.set_warn_always(False)
    torch.set_default_dtype(torch.float32)
    # torch.func scripts functions of its own when it is first used
    said = [w for w in given if "torch.jit.script" not in str(w.message)]
    # warnings of compiled code name the innermost Python line, which differs where layers are written in Python
    places = [w.filename == "<program>" or "Triggered internally" in str(w.message) for w in said]
    about = [(w.category.__name__, words(str(w.message)), at) for w, at in zip(said, places, strict=True)]
    about.sort(key=lambda one: "Triggered internally" in one[1])  # PyTorch gives those when the call ends
    seen.append(("warnings", about))
    return seen


def compare(
    source: str, library: str = "autogradlab", judge: str = "torch", tolerance: float = 2e-4, dtype: str = "float32"
) -> list[str]:
    """Where the two libraries differ; [] if they agree."""
    mine, theirs = run(source, library, dtype), run(source, judge, dtype)
    found = []
    for at in range(max(len(mine), len(theirs))):
        a = mine[at] if at < len(mine) else None
        b = theirs[at] if at < len(theirs) else None
        if a is None or b is None or a[0] != b[0] or not same(a[1], b[1], tolerance):
            found.append(f"{(a or b or ('?',))[0]}\n    {library}: {a and a[1]}\n    {judge}: {b and b[1]}")
            if a is None or b is None or a[0] != b[0]:
                break
    return found


# -- programs ----------------------------------------------------------------------------------------------------------


@dataclass
class Program:
    """Source in the making."""

    rng: random.Random
    lines: list[str] = field(default_factory=list)

    def add(self, *lines: str) -> None:
        self.lines += lines

    def pick(self, *options: Any) -> Any:
        return self.rng.choice(options)

    def chance(self, p: float) -> bool:
        return self.rng.random() < p

    def options(self, given: dict[str, tuple[Any, ...]], p: float = 0.35) -> str:
        """Some of these options with one of their values, as arguments."""
        return "".join(f", {name}={self.pick(*values)}" for name, values in given.items() if self.chance(p))


_ACTIVATIONS = (
    "ReLU()",
    "Tanh()",
    "Sigmoid()",
    "GELU()",
    "ELU()",
    "LeakyReLU(0.1)",
    "SiLU()",
    "Softplus()",
    "ReLU(inplace=True)",
    "Hardtanh()",
    "SELU()",
    "Mish()",
    "Softmax(dim=-1)",
    "LogSigmoid()",
    "Identity()",
    "PReLU()",
    "Softsign()",
    "Tanhshrink()",
)


def mlp(p: Program, width: int = 3) -> tuple[list[str], int]:
    """Layers of a random network on (N, 3), and how many features come out.

    A layer before a norm has no bias: its gradient would be nothing but rounding, of which Adam makes steps of lr.
    """
    layers, n = [], width
    for _ in range(p.rng.randint(1, 3)):
        out = p.rng.randint(1, 5)
        normed = out > 2 and p.chance(0.25)
        layers.append(f"nn.Linear({n}, {out}{', bias=False' if normed or p.chance(0.15) else ''})")
        n = out
        if p.chance(0.7):
            layers.append("nn." + p.pick(*_ACTIVATIONS))
        if normed:
            layers.append(
                p.pick(
                    f"nn.LayerNorm({n})",
                    f"nn.BatchNorm1d({n})",
                    f"nn.Dropout({p.pick(0.2, 0.5)})",
                    f"nn.RMSNorm({n})",
                    f"nn.GroupNorm(1, {n})",
                    "nn.AlphaDropout(0.3)",
                    f"nn.BatchNorm1d({n}, affine=False)",
                )
            )
    return layers, n


def conv(p: Program) -> tuple[list[str], int]:
    """Layers of a random network on (N, 2, 6, 6), and how many features come out."""
    c = p.pick(2, 3, 4)
    normed = p.chance(0.4)
    options = p.options({"padding": (1, "'same'"), "dilation": (1, 2)}, 0.3)
    bias = ", bias=False" if normed or p.chance(0.3) else ""
    layers = [f"nn.Conv2d(2, {c}, {p.pick(3, 2, '(3, 1)')}{options}{bias})"]
    if normed:
        layers.append(
            p.pick(f"nn.BatchNorm2d({c})", f"nn.InstanceNorm2d({c})", "nn.Dropout2d(0.4)", f"nn.GroupNorm({c}, {c})")
        )
    layers.append("nn." + p.pick(*_ACTIVATIONS[:9]))
    if p.chance(0.5):
        layers.append(
            p.pick("nn.MaxPool2d(2)", "nn.AvgPool2d(2)", "nn.AdaptiveAvgPool2d(2)", "nn.AdaptiveMaxPool2d(1)")
        )
    layers += ["nn.AdaptiveAvgPool2d((2, 1))", "nn.Flatten()"]
    n = c * 2
    out = p.rng.randint(1, 4)
    layers.append(f"nn.Linear({n}, {out})")
    return layers, out


def loss(p: Program, n: int) -> tuple[str, str]:
    """A loss for an output (4, n) and the target that it wants."""
    r = p.pick("", "", "", "reduction='sum'", "reduction='mean'")
    floats = f"torch.randn(4, {n})"
    signs = f"torch.tensor([1., -1., 1., 1.]).view(4, 1).expand(4, {n})"
    choices = [
        (f"nn.MSELoss({r})", floats),
        (f"nn.L1Loss({r})", floats),
        (f"nn.SmoothL1Loss({r})", floats),
        (f"nn.HuberLoss({r})", floats),
        (f"nn.BCEWithLogitsLoss({r})", f"torch.rand(4, {n})"),
        (f"nn.SoftMarginLoss({r})", signs),
        (f"nn.HingeEmbeddingLoss({r})", signs),
        (f"nn.PoissonNLLLoss({r})", f"torch.rand(4, {n})"),
        (f"nn.KLDivLoss({r or 'reduction=' + chr(39) + 'batchmean' + chr(39)})", f"torch.rand(4, {n})"),
        (f"nn.MultiLabelSoftMarginLoss({r})", f"torch.rand(4, {n}).round()"),
    ]
    if n > 1:
        choices += [
            (f"nn.CrossEntropyLoss({r})", f"torch.randint({n}, (4,))"),
            ("nn.CrossEntropyLoss(label_smoothing=0.1)", f"torch.randint({n}, (4,))"),
            (f"nn.CrossEntropyLoss({r})", f"torch.rand(4, {n}).softmax(1)"),
            (f"nn.MultiMarginLoss({r})", f"torch.randint({n}, (4,))"),
            (f"nn.NLLLoss({r})", f"torch.randint({n}, (4,))"),
        ]
    return p.pick(*choices)


_COMMON = {"maximize": (True,), "weight_decay": (0.01, 0.1), "foreach": (True, False, None), "differentiable": (False,)}
_OPTIMIZERS: dict[str, dict[str, tuple[Any, ...]]] = {
    "SGD": {
        **_COMMON,
        "momentum": (0.9, 0.5),
        "dampening": (0.1, 0),
        "nesterov": (True,),
        "lr": (0.1, 0.01, "torch.tensor(0.1)"),
        "fused": (True, False),
    },
    "Adam": {
        **_COMMON,
        "lr": (0.1, 0.01),
        "betas": ("(0.8, 0.9)",),
        "amsgrad": (True,),
        "eps": (1e-6,),
        "fused": (True, False),
        "capturable": (False,),
    },
    "AdamW": {**_COMMON, "lr": (0.1, 0.01), "amsgrad": (True,), "fused": (True, False)},
    "Adamax": {**_COMMON, "lr": (0.1,)},
    "NAdam": {**_COMMON, "lr": (0.1,), "decoupled_weight_decay": (True,), "momentum_decay": (0.01,)},
    "RAdam": {**_COMMON, "lr": (0.1,), "decoupled_weight_decay": (True,)},
    "RMSprop": {**_COMMON, "lr": (0.1,), "momentum": (0.9,), "centered": (True,), "alpha": (0.9,)},
    "Adagrad": {
        **_COMMON,
        "lr": (0.1,),
        "lr_decay": (0.1,),
        "initial_accumulator_value": (0.1,),
        "fused": (True, False),
    },
    "Adadelta": {**_COMMON, "rho": (0.8,), "lr": (0.5,)},
    "Rprop": {"lr": (0.1,), "maximize": (True,), "etas": ("(0.6, 1.3)",), "foreach": (True, False)},
    "ASGD": {**_COMMON, "lr": (0.1,), "t0": (0, 2), "alpha": (0.5,)},
    "Adafactor": {"lr": (0.1,), "weight_decay": (0.1,), "maximize": (True,), "beta2_decay": (-0.5,), "d": (2.0,)},
}
_SCHEDULES = {
    "StepLR": "step_size={}, gamma=0.5",
    "MultiStepLR": "milestones=[1, 3]",
    "ExponentialLR": "gamma=0.9",
    "LinearLR": "total_iters={}",
    "ConstantLR": "factor=0.5, total_iters={}",
    "PolynomialLR": "total_iters={}, power=2.0",
    "CosineAnnealingLR": "T_max={}",
    "CosineAnnealingWarmRestarts": "T_0={}, T_mult=2",
    "LambdaLR": "lr_lambda=lambda e: 0.9 ** e",
    "MultiplicativeLR": "lr_lambda=lambda e: 0.9",
    "OneCycleLR": "max_lr=0.5, total_steps=10",
    "CyclicLR": "base_lr=0.01, max_lr=0.1, step_size_up={}",
    "ReduceLROnPlateau": "patience=0, factor=0.5",
}


def optimizer(p: Program, params: str = "model.parameters()") -> str:
    if p.chance(0.2):
        params = "[{'params': list(model.parameters())[:1], 'lr': 0.02}, {'params': list(model.parameters())[1:]}]"
    elif p.chance(0.15):
        params = "model.named_parameters()"
    name = p.pick(*_OPTIMIZERS)
    return f"torch.optim.{name}({params}{p.options(_OPTIMIZERS[name], 0.3)})"


def schedule(p: Program) -> str:
    name = p.pick(*_SCHEDULES)
    return f"torch.optim.lr_scheduler.{name}(opt, {_SCHEDULES[name].format(p.pick(1, 2, 3))})"


def model(p: Program) -> int:
    """Adds a model and its input x; returns how many features come out."""
    if p.chance(0.3):
        layers, n = conv(p)
        p.add(f"x = torch.randn(4, 2, 6, 6{', requires_grad=True' if p.chance(0.2) else ''})")
        if p.chance(0.3):
            p.add("x = x.transpose(2, 3)")
    else:
        layers, n = mlp(p)
        p.add(f"x = torch.randn(4, 3{', requires_grad=True' if p.chance(0.2) else ''})")
        if p.chance(0.2):
            p.add("x = x.t().contiguous().t()")
    p.add(f"model = nn.Sequential({', '.join(layers)})")
    return n


def hooks(p: Program) -> None:
    """Adds hooks that say when they fire and what they get."""
    if p.chance(0.3):
        p.add("model[0].register_forward_hook(lambda m, i, o: see('forward hook', (type(m).__name__, len(i), o)))")
    if p.chance(0.2):
        p.add("model[0].register_forward_pre_hook(lambda m, i: see('pre hook', i))")
    if p.chance(0.3):
        p.add("model[-1].register_full_backward_hook(lambda m, gi, go: see('backward hook', (gi, go)))")
    if p.chance(0.15):
        p.add("model[0].register_full_backward_pre_hook(lambda m, go: see('backward pre hook', go))")
    if p.chance(0.15):
        p.add("model[0].register_full_backward_hook(lambda m, gi, go: see('backward hook 0', (gi, go)))")
    if p.chance(0.2):
        p.add("for q in model.parameters(): q.register_hook(lambda g: see('tensor hook', g))")
    if p.chance(0.15):
        p.add("for q in model.parameters(): q.register_post_accumulate_grad_hook(lambda q: see('accumulated', q.grad))")


def training(p: Program) -> None:
    """A model, a loss, an optimizer, perhaps a schedule, a few steps."""
    n = model(p)
    hooks(p)
    made, target = loss(p, n)
    p.add(f"criterion = {made}", f"y = {target}", f"opt = {optimizer(p)}", "see('model', model)", "see('opt', opt)")
    scheduled = p.chance(0.5)
    if scheduled:
        p.add(f"sched = {schedule(p)}")
    if p.chance(0.3):
        p.add("opt.register_step_post_hook(lambda o, a, k: see('step hook', (type(o).__name__, a, k)))")
    if p.chance(0.2):
        p.add("opt.register_step_pre_hook(lambda o, a, k: see('step pre hook', (type(o).__name__, a, k)))")
    closure = p.chance(0.15)
    p.add(f"for step in range({p.rng.randint(1, 4)}):")
    p.add(
        f"    opt.zero_grad({p.pick('', '', 'set_to_none=False')})",
        "    out = model(x)",
        "    l = criterion(out, y)",
        "    see('loss', l)",
        "    see('graph', l.grad_fn)",
    )
    p.add(f"    l.backward({p.pick('', '', '', '', 'create_graph=True', 'retain_graph=True')})")
    p.add("    see('grads', [q.grad for q in model.parameters()])")
    if p.chance(0.25):
        p.add(
            "    see('norm', "
            + p.pick(
                "nn.utils.clip_grad_norm_(model.parameters(), 0.5)",
                "nn.utils.clip_grad_value_(model.parameters(), 0.1)",
                "nn.utils.clip_grad_norm_(model.parameters(), 1.0, norm_type=float('inf'))",
            )
            + ")"
        )
    p.add("    see('step', opt.step(lambda: criterion(model(x), y)))" if closure else "    see('step', opt.step())")
    if scheduled:
        p.add(
            "    sched.step(l.item())"
            if "ReduceLROnPlateau" in p.lines[-1] or any("sched = " in x and "Plateau" in x for x in p.lines)
            else "    sched.step()"
        )
        p.add("    see('lr', sched.get_last_lr())")
    p.add(
        "see('params', dict(model.named_parameters()))",
        "see('state', opt.state_dict())",
        "see('versions', [q._version for q in model.parameters()])",
    )
    p.add("see('buffers', dict(model.named_buffers()))")
    if scheduled:
        p.add("see('schedule', {k: v for k, v in sched.state_dict().items() if not callable(v)})")
    if p.chance(0.3):
        p.add("model.eval()", "see('eval', model(x))")


def states(p: Program) -> None:
    """State dicts: taken, loaded into something else, gone on with."""
    n = model(p)
    made, target = loss(p, n)
    opt = optimizer(p)
    p.add(
        "import copy",
        f"criterion, y = {made}, {target}",
        f"opt = {opt}",
        "def go(m, o):",
        "    o.zero_grad()",
        "    criterion(m(x), y).backward()",
        "    o.step()",
        "go(model, opt)",
    )
    p.add(
        f"saved = {p.pick('opt.state_dict()', 'copy.deepcopy(opt.state_dict())')}",
        "m2 = copy.deepcopy(model)",
        "see('loaded', m2.load_state_dict(model.state_dict()))",
    )
    p.add(
        f"o2 = {opt.replace('model.', 'm2.')}",
        "o2.load_state_dict(saved)",
        "go(model, opt)",
        "see('shared', saved)",
        "go(m2, o2)",
        "see('o2', o2.state_dict())",
        "see('o1', opt.state_dict())",
    )
    p.add("see('same', [torch.allclose(a, b) for a, b in zip(model.parameters(), m2.parameters())])")
    if p.chance(0.4):
        bad = p.pick("{}", "{'0.weight': torch.zeros(1)}", "{**model.state_dict(), 'extra': torch.ones(1)}")
        p.add(f"see('keys', m2.load_state_dict({bad}{p.pick('', ', strict=False')}))")
    if p.chance(0.3):
        p.add(
            f"m2.load_state_dict(model.state_dict(){p.pick('', ', assign=True')})",
            "see('m2', m2.state_dict())",
            "see('grads', [q.grad is None for q in m2.parameters()])",
        )
    if p.chance(0.3):
        p.add("o2.add_param_group({'params': [nn.Parameter(torch.ones(2))], 'lr': 0.3})", "see('repr', o2)")
    if p.chance(0.2):
        p.add("opt.load_state_dict({'state': {}, 'param_groups': []})")


def checkpoints(p: Program) -> None:
    """Parts of a model that are computed again in backward."""
    n = model(p)
    made, target = loss(p, n)
    args = p.pick(
        ", use_reentrant=False",
        ", use_reentrant=False",
        ", use_reentrant=True",
        "",
        ", use_reentrant=False, preserve_rng_state=False",
    )
    p.add(
        "checkpoint, checkpoint_sequential = torch.utils.checkpoint.checkpoint, "
        "torch.utils.checkpoint.checkpoint_sequential"
    )
    if p.chance(0.4):
        p.add("model.register_forward_hook(lambda m, i, o: see('forward hook', o))")
    if p.chance(0.3):
        p.add(f"out = checkpoint_sequential(model, {p.pick(1, 2)}, x{args})")
    elif p.chance(0.5):
        p.add(f"out = model[1:](checkpoint(model[0], x{args}))")
    else:
        p.add(f"out = checkpoint(model, x{args})")
    p.add(
        "see('out', out)",
        "see('node', out.grad_fn)",
        f"l = {made}(out, {target})",
        f"l.backward({p.pick('', '', 'create_graph=True', 'retain_graph=True')})",
    )
    p.add(
        "see('grads', [q.grad for q in model.parameters()])",
        "see('x', x.grad if x.is_leaf else None)",
        "see('buffers', dict(model.named_buffers()))",
        "see('rng', torch.rand(2))",
    )
    if p.chance(0.3):
        p.add("l.backward()")


_SCALAR = (
    "(x * x).sum()",
    "(x ** 3).mean()",
    "x.sin().sum()",
    "torch.dot(x, x)",
    "(w * x).sum()",
    "(x[0] * x[1]).exp()",
    "x.norm()",
    "F.softmax(x, 0)[0]",
    "(x.clone().mul_(2)).sum()",
    "x.logsumexp(0)",
    "torch.where(x > 0, x, -x).sum()",
    "x.prod()",
    "Square.apply(x).sum()",
    "x.detach().sum() * x.sum()",
)
_VECTOR = (
    "x * x",
    "x.sin()",
    "w * x",
    "x.cumsum(0)",
    "torch.stack([x.sum(), x.prod()])",
    "x * x.sum()",
    "F.relu(x)",
    "A @ x",
    "x.exp() + w",
    "x.flip(0)",
    "captured.mul_(x)",
    "captured.add_(x) * x",
)


def transforms(p: Program) -> None:
    """Functional transforms of random functions."""
    setup = p.chance(0.5)
    p.add("class Square(torch.autograd.Function):")
    if setup:
        p.add(
            "    @staticmethod",
            "    def forward(x): return x * x",
            "    @staticmethod",
            "    def setup_context(ctx, inputs, output): ctx.save_for_backward(inputs[0])",
        )
    else:
        p.add(
            "    @staticmethod", "    def forward(ctx, x):", "        ctx.save_for_backward(x)", "        return x * x"
        )
    p.add("    @staticmethod", "    def backward(ctx, g): return 2 * g * ctx.saved_tensors[0]")
    p.add(
        f"w = torch.tensor([1., -2., .5]{', requires_grad=True' if p.chance(0.3) else ''})",
        "A = torch.arange(9.).view(3, 3) / 5",
        "captured = torch.ones(3)",
    )
    p.add(f"x = torch.tensor([.5, -1., 2.]{', requires_grad=True' if p.chance(0.3) else ''})", "B = torch.randn(4, 3)")
    f = f"lambda x: {p.pick(*_SCALAR)}"
    g = f"lambda x: {p.pick(*_VECTOR)}"
    calls = [
        f"torch.func.grad({f})(x)",
        f"torch.func.grad_and_value({f})(x)",
        f"torch.func.vmap({g})(B)",
        f"torch.func.vmap(torch.func.grad({f}))(B)",
        f"torch.func.jacrev({g})(x)",
        f"torch.func.jacfwd({g})(x)",
        f"torch.func.hessian({f})(x)",
        f"torch.func.vjp({g}, x)[0]",
        f"torch.func.vjp({g}, x)[1](torch.ones(3))",
        f"torch.func.jvp({g}, (x,), (torch.ones(3),))",
        f"torch.func.grad(torch.func.grad({f}))(x)",
        f"torch.autograd.functional.jacobian({g}, x)",
        f"torch.autograd.functional.hessian({f}, x)",
        f"torch.autograd.functional.vjp({g}, x, torch.ones(3))",
        f"torch.autograd.functional.jvp({g}, x, torch.ones(3))",
        f"torch.autograd.functional.hvp({f}, x, torch.ones(3))",
        f"torch.func.grad({g})(x)",
        f"torch.func.vmap({f})(B)",
        f"torch.func.grad({f})(torch.arange(3))",
        f"torch.func.vmap({g}, in_dims=1)(B.t())",
        f"torch.func.jacrev({f})(x)",
        "torch.func.functional_call(nn.Linear(3, 2), {'weight': A[:2], 'bias': w[:2]}, x)",
        f"torch.func.grad(lambda d: ({f})(d['a']) * d['b'].sum())({{'a': x, 'b': w}})",
        f"torch.func.vmap({g}, in_dims=(None,))(x)",
    ]
    for i in range(p.rng.randint(1, 3)):
        p.add(f"r = {p.pick(*calls)}", f"see('result {i}', r)")
    p.add("see('captured', captured)", "see('version', captured._version)")


def second(p: Program) -> None:
    """Second derivatives through layers and losses."""
    n = model(p)
    made, target = loss(p, n)
    p.add(
        "x = x.detach().requires_grad_()",
        "out = model(x)",
        f"l = {made}(out, {target})",
        "ps = [x, *model.parameters()]",
    )
    p.add(
        f"gs = torch.autograd.grad(l, ps, create_graph=True{p.pick('', ', allow_unused=True')})",
        "see('grads', gs)",
        "see('graphs', [g.grad_fn for g in gs if g is not None])",
    )
    p.add("penalty = sum((g * g).sum() for g in gs if g is not None and g.requires_grad)", "see('penalty', penalty)")
    p.add(
        p.pick("penalty.backward()", "see('second', torch.autograd.grad(penalty, ps, allow_unused=True))"),
        "see('after', [q.grad for q in ps])",
    )


def modules(p: Program) -> None:
    """What a Module does beside its forward pass."""
    model(p)
    calls = [
        "see('named', [n for n, _ in model.named_modules()])",
        "see('double', {k: v.dtype for k, v in model.double().state_dict().items()})",
        "see('repr', model)",
        "see('frozen', [q.requires_grad for q in model.requires_grad_(False).parameters()])",
        "see('children', [n for n, _ in model.named_children()])",
        "see('meta', dict(model.state_dict()._metadata))",
        "see('get', model.get_parameter('0.weight').shape)",
        "see('sub', type(model.get_submodule('0')))",
        "model.get_submodule('nope')",
        "see('method', str(model.state_dict).split(' object')[0])",
        "see('extra', model[0].extra_repr())",
        "model.register_buffer('b', torch.ones(1)); see('buf', model.state_dict())",
        "model.train('yes')",
        "see('modes', [m.training for m in model.eval().modules()])",
        "model.weight = 3; see('attr', model.weight)",
        "model[0].weight = torch.ones(2)",
        "del model[0]; see('del', model)",
        "model.append(nn.ReLU()); see('append', model)",
        "see('dir', [n for n in dir(model) if not n.startswith('_')])",
        "see('slice', model[:1])",
        "nn.utils.parametrizations.weight_norm(model[0]); see('wn', model); see('keys', list(model.state_dict()))",
        "see('prefix', list(model.state_dict(prefix='net.')))",
        "nn.utils.parametrizations.spectral_norm(model[0]); see('sn', model(x))",
        (
            "nn.utils.prune.l1_unstructured(model[0], 'weight', amount=0.5); see('mask', "
            "dict(model.named_buffers())); see('w', model[0].weight)"
        ),
        (
            "nn.utils.prune.ln_structured(model[0], 'weight', amount=1, n=2, dim=0); nn.utils.prune.remove(model[0], "
            "'weight'); see('w', model[0].weight)"
        ),
        (
            "class Half(nn.Module):\n    def forward(self, w): return w / 2\n"
            "nn.utils.parametrize.register_parametrization(model[0], 'weight', Half()); see('par', model); see('w', "
            "model[0].weight); see('o', list(model.state_dict()))"
        ),
        "nn.utils.weight_norm(model[0]); see('old wn', model[0].weight)",
        "see('vec', nn.utils.parameters_to_vector(model.parameters()))",
        "model.apply(lambda m: see('apply', type(m)))",
        "import pickle; see('pickle', len(pickle.dumps(model.state_dict())) > 0)",
        "import copy; see('copy', copy.deepcopy(model))",
        "model.zero_grad(set_to_none=False)",
        "nn.init.xavier_normal_(model[0].weight); see('init', model[0].weight)",
        "nn.init.trunc_normal_(model[0].weight, std=0.02); see('init', model[0].weight)",
        (
            "model[0].register_full_backward_hook(lambda m, gi, go: None); model[0].register_backward_hook(lambda m, "
            "gi, go: None)"
        ),
        "model[0].register_backward_hook(lambda m, gi, go: see('old hook', (gi, go)))",
        "swa = torch.optim.swa_utils.AveragedModel(model); swa.update_parameters(model); see('swa', swa.state_dict())",
        (
            "ema = torch.optim.swa_utils.AveragedModel(model, "
            "multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.9)); ema.update_parameters(model); see('ema', "
            "ema(x))"
        ),
    ]
    for _ in range(p.rng.randint(1, 4)):
        p.add(*p.pick(*calls).split("\n"))
    p.add(
        "out = model(x)",
        "see('out', out)",
        "see('graph', out.grad_fn)",
        "out.sum().backward()",
        "see('grads', {n: q.grad for n, q in model.named_parameters()})",
    )


KINDS: dict[str, tuple[Callable[[Program], None], int]] = {
    "training": (training, 6),
    "states": (states, 2),
    "checkpoints": (checkpoints, 2),
    "transforms": (transforms, 3),
    "second": (second, 3),
    "modules": (modules, 2),
}


def generate(seed: int) -> tuple[str, str]:
    """(kind, source) of a program."""
    p = Program(random.Random(f"training {seed}"))
    kind = p.rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    KINDS[kind][0](p)
    return kind, "\n".join(p.lines) + "\n"


def report(seeds: Iterator[int] | range, library: str, verbose: bool) -> int:
    agreed: collections.Counter[str] = collections.Counter()
    total: collections.Counter[str] = collections.Counter()
    rounded: collections.Counter[str] = collections.Counter()
    for seed in seeds:
        kind, source = generate(seed)
        found = compare(source, library)
        total[kind] += 1
        agreed[kind] += not found
        rounded[kind] += bool(found) and not compare(source, library, dtype="float64")
        if found:
            print(f"== {seed} {kind}: {found[0] if not verbose else ''}"[:700])
        if verbose:
            print(source, *found, sep="\n")
    for kind in total:
        print(f"{kind}: {agreed[kind]} of {total[kind]}")
    print(
        f"{sum(agreed.values())} of {sum(total.values())} agree; of the others {sum(rounded.values())} differ by the "
        "rounding of float32 alone: they agree in float64"
    )
    return sum(total.values()) - sum(agreed.values())


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--programs", type=int, default=300)
    parser.add_argument("--module", default="autogradlab")
    parser.add_argument("-v", action="store_true")
    given = parser.parse_args()
    return 1 if report(range(given.seed, given.seed + given.programs), given.module, given.v) else 0


if __name__ == "__main__":
    sys.exit(main())
