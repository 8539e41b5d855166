"""Statements of random programs: each fits the variables of the program so far, and about one in nine is wild."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from tests.fuzz.worlds import NAMES, World

__all__ = ["Maker", "too_large"]

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTS = ("int64", "int32", "int16", "int8", "uint8")
NICE = (-2.0, -1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0)
SHAPES = ((), (1,), (2,), (3,), (3,), (2, 3), (3, 2), (2, 2), (3, 3), (1, 3), (2, 1, 3), (0,), (2, 0), (2, 2, 2))
# fmt: off
UNARY = (
    "neg", "abs", "exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "square", "reciprocal",
    "rsqrt", "floor", "ceil", "round", "trunc", "sign", "frac", "log1p", "expm1", "log2", "log10", "exp2", "erf",
    "erfc", "atan", "asin", "acos", "sinh", "cosh", "asinh", "atanh", "isnan", "isinf", "isfinite", "logical_not",
    "signbit", "sgn", "positive", "lgamma", "digamma", "nan_to_num", "deg2rad", "clone", "detach", "contiguous",
    "bitwise_not", "conj", "resolve_conj", "angle", "real",
)
UNARY_IN = (
    "neg_", "abs_", "exp_", "log_", "sqrt_", "sin_", "cos_", "tanh_", "sigmoid_", "relu_", "square_", "reciprocal_",
    "floor_", "round_", "sign_", "zero_", "erf_", "nan_to_num_", "logical_not_", "trunc_", "frac_", "detach_", "t_",
    "squeeze_", "requires_grad_",
)
BINARY = (
    "add", "sub", "mul", "div", "pow", "maximum", "minimum", "fmod", "remainder", "atan2", "eq", "ne", "lt", "le",
    "gt", "ge", "logical_and", "logical_or", "logical_xor", "floor_divide", "true_divide", "hypot", "copysign",
    "fmax", "fmin", "logaddexp", "xlogy", "bitwise_and", "bitwise_or", "float_power", "heaviside", "nextafter",
    "rsub", "isclose",
)
OPS = (
    "+", "-", "*", "/", "**", "//", "%", "==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "@",
)
INOPS = (
    "+=", "-=", "*=", "/=", "**=", "//=", "%=", "&=", "|=",
)
REDUCE = (
    "sum", "mean", "prod", "max", "min", "amax", "amin", "argmax", "argmin", "var", "std", "norm", "all", "any",
    "logsumexp", "median", "nanmean", "nansum", "cumsum", "cumprod", "count_nonzero", "cummax", "softmax",
    "log_softmax", "sort", "argsort", "logcumsumexp", "mode", "std_mean", "aminmax", "diff", "flip",
)
FUNCTIONAL = (
    "relu", "gelu", "silu", "elu", "selu", "celu", "leaky_relu", "softplus", "hardtanh", "hardsigmoid", "hardswish",
    "mish", "tanhshrink", "softsign", "logsigmoid", "relu6", "softshrink", "hardshrink", "normalize",
)
LOSSES = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy_with_logits", "kl_div",
    "soft_margin_loss", "binary_cross_entropy",
)
HOOKS = (
    "none", "none", "double", "double", "inplace", "raise", "scalar", "number", "dtype", "mode", "expand", "backward",
    "zero",
)
# fmt: on


class Maker:
    """Makes statements by looking at the variables of the judge. Each comes with a tag that says of what sort it is."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self.r, self.w, self.tags = rng, world, 0

    # -- choosing --

    def pick(self, *items: Any) -> Any:
        return self.r.choice(items)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def tensors(self, want: Callable[[Any], Any] = lambda x: True) -> list[str]:
        t = self.w.torch
        found = []
        for n in NAMES:
            x = self.w.vars.get(n)
            if isinstance(x, t.Tensor):
                try:
                    if want(x):
                        found.append(n)
                except Exception:
                    pass
        return found

    def some(self, want: Callable[[Any], Any] = lambda x: True) -> str:
        """The name of a tensor that fits; at times, or where there is none, any."""
        found = self.tensors(want) if not self.wild else []
        found = found or self.tensors()
        return self.r.choice(found) if found else "torch.ones(2)"

    def of(self, name: str) -> Any:
        return self.w.vars.get(name, self.w.torch.ones(2))

    def new(self) -> str:
        return self.r.choice(NAMES)

    def float(self) -> str:
        return self.some(lambda x: x.is_floating_point())

    def graphed(self) -> str:
        return self.some(lambda x: x.grad_fn is not None)

    def leaf(self) -> str:
        return self.some(lambda x: x.is_leaf and x.requires_grad)

    def num(self) -> str:
        return self.pick("2", "-1", "0.5", "1.5", "3", "0", "True", "-2.0", "1e-3", "2.", "1")

    def dim(self, name: str) -> int:
        n = self.of(name).dim()
        if self.chance(0.08):
            return self.pick(-3, 2, 3, 5)
        return self.r.randrange(-n, n) if n else self.pick(0, -1)

    def dtype(self) -> str:
        return "torch." + (
            self.pick(*FLOATS, *INTS, "bool", "complex64", "complex128") if self.chance(0.6) else "float32"
        )

    def nest(self, shape: Any, make: Callable[[], Any]) -> Any:
        return [self.nest(shape[1:], make) for _ in range(shape[0])] if shape else make()

    def data(self, shape: Any, kind: str) -> str:
        if kind == "float":
            return repr(self.nest(shape, lambda: self.r.choice(NICE)))
        if kind == "bool":
            return repr(self.nest(shape, lambda: self.r.random() < 0.5))
        if kind == "complex":
            return repr(self.nest(shape, lambda: complex(self.r.choice(NICE), self.r.choice(NICE))))
        return repr(self.nest(shape, lambda: self.r.choice((0, 1, 2, 3, 5, -1, -2))))

    def indexing(self, x: Any) -> str:
        """Text between brackets for a tensor of this shape."""
        parts = []
        for n in list(x.shape)[: self.r.randint(0, x.dim()) or 1]:
            kind = self.r.random()
            if kind < 0.3:
                parts.append(str(self.r.randint(-n, n - 1)) if n and not self.chance(0.06) else str(n))
            elif kind < 0.65:
                parts.append(self.pick(":", "1:", ":-1", "::2", "0:1", ":2", "1:1", "-2:"))
            elif kind < 0.72:
                parts.append("None")
            elif kind < 0.78:
                parts.append("...")
            elif kind < 0.86:
                parts.append(repr([self.r.randint(0, max(n - 1, 0)) for _ in range(self.r.randint(1, 3))]))
            elif kind < 0.92:
                parts.append(f"torch.tensor({[self.r.randint(-n, max(n - 1, 0)) for _ in range(2)]})")
            elif kind < 0.96:
                parts.append(f"torch.tensor({[self.r.random() < 0.5 for _ in range(n)]})")
            else:
                parts.append(
                    self.pick("True", "[True]", "[]", "torch.tensor(0)", "'a'", "1.0", "np.array([0])", "np.int64(0)")
                )
        if self.chance(0.08):
            return self.pick("None", "...", "()", "True")
        return ", ".join(parts) or "..."

    # -- statements: each gives (tag, source) --

    def statement(self) -> tuple[str, str]:
        self.wild = self.chance(0.11)
        if len(self.tensors()) < 2:
            tag, src = self.create()
        else:
            makers, weights = zip(*self.TABLE, strict=True)
            make = self.r.choices(makers, weights)[0]
            tag, src = make(self)
        if self.chance(0.06) and not src.startswith("with") and "\n" not in src:
            mode = self.pick(
                "torch.no_grad()",
                "torch.no_grad()",
                "torch.enable_grad()",
                "torch.inference_mode()",
                "torch.set_grad_enabled(False)",
                "torch.autograd.detect_anomaly(check_nan=False)",
            )
            return f"{tag}|{mode.split('.')[-1].split('(')[0]}", f"with {mode}:\n    {src}"
        return tag, src

    def create(self) -> tuple[str, str]:
        shape, v = self.r.choice(SHAPES), self.new()
        kind = self.r.choices(("literal", "fill", "range", "random", "like", "numpy", "other"), (8, 3, 2, 3, 2, 1, 2))[
            0
        ]
        grad = ", requires_grad=True" if self.chance(0.5) else ""
        size = repr(list(shape))
        if kind == "literal":
            what = self.r.choices(("float", "int", "bool", "complex"), (10, 3, 1, 1))[0]
            dt = f", dtype={self.dtype()}" if self.chance(0.3) else ""
            if what in ("int", "bool") and not self.chance(0.1):
                grad = ""
            return "create:tensor", f"{v} = torch.tensor({self.data(shape, what)}{dt}{grad})"
        if kind == "fill":
            dt = f", dtype={self.dtype()}" if self.chance(0.3) else ""
            if "float" not in dt and dt and not self.chance(0.1):
                grad = ""
            f = self.pick(f"zeros({size}", f"ones({size}", f"full({size}, {self.num()}", f"eye({self.pick(2, 3)}")
            return "create:" + f.split("(")[0], f"{v} = torch.{f}{dt}{grad})"
        if kind == "range":
            f = self.pick(
                "arange(6.)",
                "arange(4)",
                "arange(1, 3, 0.5)",
                "linspace(0, 1, 3)",
                "arange(6.).reshape(2, 3)",
                "arange(5, 0, -2)",
                "logspace(0, 1, 3)",
                "arange(0)",
                "tril_indices(3, 3)",
                "arange(3, dtype=torch.int8)",
            )
            return "create:" + f.split("(")[0], f"{v} = torch.{f}"
        if kind == "random":
            f = self.pick("rand", "randn", "rand")
            seed = self.r.randint(0, 5)
            return "create:" + f, f"torch.manual_seed({seed}); {v} = torch.{f}({size}{grad})"
        if kind == "like":
            x = self.some()
            f = self.pick("zeros_like", "ones_like", "full_like", "rand_like")
            more = ", 2" if f == "full_like" else ""
            more += f", dtype={self.dtype()}" if self.chance(0.2) else ""
            return "create:" + f, f"{v} = torch.{f}({x}{more})"
        if kind == "numpy":
            return "create:numpy", self.pick(
                f"{v} = torch.from_numpy(np.arange(6.).reshape(2, 3))",
                f"{v} = torch.as_tensor(np.float32([1, 2]))",
                f"a0 = np.ones((2, 2)); {v} = torch.from_numpy(a0)",
                f"{v} = torch.tensor(np.arange(3)[::-1].copy())",
                f"{v} = torch.tensor(np.float64(2.5))",
            )
        return "create:old", self.pick(
            f"{v} = torch.Tensor([1, 2])",
            f"{v} = torch.FloatTensor([[1, 2], [3, 4]])",
            f"{v} = torch.LongTensor([1, 2])",
            f"{v} = torch.autograd.Variable(torch.ones(2), requires_grad=True)",
            f"{v} = nn.Parameter(torch.ones(2, 2))",
            f"{v} = torch.empty(2, 3).fill_(1.5)",
            f"{v} = {self.some()}.new_ones(2, 3)",
            f"{v} = torch.complex(torch.ones(2), torch.ones(2))",
            f"{v} = {self.some()}.new_tensor([1, 2])",
            f"{v} = torch.scalar_tensor(2.)",
        )

    def unary(self) -> tuple[str, str]:
        op = self.r.choice(UNARY)
        x = self.some() if self.chance(0.3) else self.float()
        return f"unary:{op}", f"{self.new()} = {x}.{op}()" if self.chance(0.5) or op in (
            "detach",
            "contiguous",
        ) else f"{self.new()} = torch.{op}({x})"

    def unary_in(self) -> tuple[str, str]:
        op = self.r.choice(UNARY_IN)
        x = (
            self.some()
            if self.chance(0.3)
            else self.some(lambda x: x.is_floating_point() and not (x.is_leaf and x.requires_grad))
        )
        return f"unary_:{op}", f"{x}.{op}()"

    def partner(self, x: str) -> str:
        """Something that broadcasts with x: a tensor, a view of one, a number."""
        if self.chance(0.3):
            return self.num()
        a = self.of(x)

        def fits(b: Any) -> Any:
            return all(
                p == q or p == 1 or q == 1 for p, q in zip(tuple(a.shape)[::-1], tuple(b.shape)[::-1], strict=False)
            )

        return self.some(fits)

    def binary(self) -> tuple[str, str]:
        x = self.some()
        y = self.partner(x)
        v = self.new()
        if self.chance(0.6):
            op = self.r.choice(OPS[:9] if self.chance(0.7) else OPS)
            a, b = (y, x) if self.chance(0.25) else (x, y)
            return f"operator:{op}", f"{v} = {a} {op} {b}"
        op = self.r.choice(BINARY)
        more = (
            ", alpha=2"
            if op in ("add", "sub", "rsub") and self.chance(0.3)
            else ", rounding_mode='floor'"
            if op == "div" and self.chance(0.3)
            else ""
        )
        if op == "div" and more and self.chance(0.3):
            more = ", rounding_mode='trunc'"
        return f"binary:{op}", f"{v} = torch.{op}({x}, {y}{more})"

    def binary_in(self) -> tuple[str, str]:
        x = self.some(lambda x: not (x.is_leaf and x.requires_grad)) if self.chance(0.85) else self.some()
        y = self.partner(x)
        if self.chance(0.5):
            op = self.r.choice(INOPS[:4] if self.chance(0.7) else INOPS)
            return f"inoperator:{op}", f"{x} {op} {y}"
        op = self.pick(
            "add_",
            "mul_",
            "sub_",
            "div_",
            "copy_",
            "pow_",
            "fill_",
            "clamp_",
            "clamp_min_",
            "lerp_",
            "addcmul_",
            "masked_fill_",
            "eq_",
            "addcdiv_",
            "fmod_",
            "remainder_",
            "atan2_",
            "index_fill_",
            "floor_divide_",
            "where",
        )
        if op == "lerp_":
            return "inplace:lerp_", f"{x}.lerp_({y}, 0.5)"
        if op in ("addcmul_", "addcdiv_"):
            return f"inplace:{op}", f"{x}.{op}({y}, {y}, value=2)"
        if op == "masked_fill_":
            return "inplace:masked_fill_", f"{x}.masked_fill_({x} > 0, {self.num()})"
        if op == "index_fill_":
            return "inplace:index_fill_", f"{x}.index_fill_({self.dim(x)}, torch.tensor([0]), {self.num()})"
        if op == "where":
            return "where", f"{self.new()} = torch.where({x} > 0, {x}, {y})"
        if op == "clamp_":
            return "inplace:clamp_", f"{x}.clamp_({self.pick('0', '-1', 'min=0.5', '0, 1', 'max=1', 'None, 1')})"
        return f"inplace:{op}", f"{x}.{op}({y})"

    def out(self) -> tuple[str, str]:
        x = self.some()
        y = self.partner(x)
        o = self.some(lambda o: not o.requires_grad)
        o = next((n for n in [o, *self.tensors()] if n not in (x, y) and "v" in n), "torch.zeros(2)")
        f = self.pick(
            f"add({x}, {y}",
            f"mul({x}, {y}",
            f"exp({x}",
            f"sum({x}, {self.dim(x)}",
            f"abs({x}",
            f"cat([{x}, {x}]",
            f"div({x}, {y}",
            f"eq({x}, {y}",
        )
        return "out:" + f.split("(")[0], f"torch.{f}, out={o})"

    def view(self) -> tuple[str, str]:
        x = self.some(lambda x: x.dim() > 0)
        a = self.of(x)
        v, d, e = self.new(), self.dim(x), self.dim(x)
        n, shape = a.numel(), list(a.shape)
        k = shape[d] if -len(shape) <= d < len(shape) else 1
        choices = [
            "view(-1)",
            "reshape(-1)",
            f"reshape({self.r.sample(shape, len(shape))})",
            f"view({self.r.sample(shape, len(shape))})",
            f"transpose({d}, {e})",
            f"permute({self.r.sample(range(len(shape)), len(shape))})",
            "squeeze()",
            f"squeeze({d})",
            f"unsqueeze({d})",
            "flatten()",
            f"narrow({d}, 0, {max(k - 1, 0)})",
            f"select({d}, {self.r.randint(0, max(k - 1, 0))})",
            f"expand({[2, *shape]})",
            f"expand({self.pick(-1, 2, 3)}, {self.pick(-1, 3)})",
            "diagonal()",
            "detach()",
            "data",
            "view_as(" + x + ")",
            f"as_strided({self.pick('[2]', '[2, 2]', '[1]')}, {self.pick('[1]', '[1, 1]', '[0, 1]', '[2, 1]')})",
            f"unfold({d}, {min(k, 2)}, 1)",
            f"movedim({d}, {e})",
            f"split(1, {d})[0]",
            f"chunk(2, {d})[-1]",
            f"unbind({d})[0]",
            "mT",
            "T",
            "real",
            "imag",
            "swapaxes(0, -1)",
            f"tensor_split(2, {d})[0]",
            f"unflatten({d}, [-1, 1])",
            "t()",
            "H",
            f"view({self.pick(n, 2, -1)}, {self.pick(1, -1)})",
            f"broadcast_to({[2, *shape]})",
            "ravel()",
            f"repeat(2, {'1, ' * (len(shape) - 1)})",
            f"roll(1, {d})",
            f"flip({d})",
            f"repeat_interleave(2, {d})",
            "tril()",
            "triu(1)",
            "rot90()" if len(shape) > 1 else "contiguous()",
            "view(dtype=torch.complex64)",
            "conj()",
            "clone(memory_format=torch.preserve_format)",
        ]
        c = self.r.choice(choices)
        return "view:" + c.split("(")[0].split("[")[0], f"{v} = {x}.{c}"

    def unpack(self) -> tuple[str, str]:
        x = self.some(lambda x: x.dim() > 0 and x.numel() > 1)
        d = self.dim(x)
        a, b = self.new(), self.new()
        f = self.pick(
            f"split([1, {max((list(self.of(x).shape) or [1])[d if abs(d) < self.of(x).dim() else 0] - 1, 0)}], {d})",
            f"unbind({d})[:2]",
            f"chunk(2, {d})",
            f"tensor_split(2, {d})",
        )
        return "unpack:" + f.split("(")[0], f"{a}, {b} = {x}.{f}"

    def inview(self) -> tuple[str, str]:
        """In-place on an expression that is a view."""
        x = self.some(lambda x: x.dim() > 0)
        i = self.indexing(self.of(x))
        size = self.of(x).element_size()
        # what nobody has written is not looked at
        written = self.some(lambda y: y.untyped_storage().nbytes() >= size)
        more = "" if self.of(x).numel() else ".zero_()"
        f = self.pick(
            f"{x}.t().add_(1)",
            f"{x}.view(-1).mul_(2)",
            f"{x}.detach().add_(1)",
            f"{x}.data.mul_(2)",
            f"{x}[{i}].zero_()",
            f"{x}[{i}].add_(1)",
            f"{x}.transpose(0, -1).mul_(0.5)",
            f"{x}.diagonal().fill_(2)",
            f"{x}.expand(2, *{x}.shape).add_(1)",
            f"{x}.unsqueeze(0).sub_({x})",
            f"{x}.data = {self.some()}",
            f"{x}.data = {self.some()}.data.clone()",
            f"{x}.grad = None",
            f"{x}.grad = torch.ones_like({x})",
            f"{x}.grad.zero_()",
            f"{x}.grad = {self.some()}",
            f"{x}.set_({self.some()})",
            f"{x}.resize_(1){more}",
            f"{x}.resize_as_({self.some()}).fill_(1)",
            f"{x}.unsqueeze_(0)",
            f"{x}.transpose_(0, -1)",
            f"{x}.set_({written}.untyped_storage(), 0, (1,), (1,))",
            f"{x}.swapaxes_(0, -1)",
            f"{x}.requires_grad = {self.pick('True', 'False')}",
            f"{x}.requires_grad_(False)",
            f"{x}.detach_()",
            f"{x}.copy_({self.some()})",
            f"{x}.data.copy_({x})",
            f"{x}.squeeze_(0)",
            f"{x}.as_strided_([1], [1])",
            f"{x}.data[0] = 1",
            f"{x}.grad.data.zero_()",
            f"{x}.detach().requires_grad_().mul(2)",
            f"{x}.grad.detach_().add_(1)",
            f"{x}.real.zero_()",
            f"{x}.data.zero_()",
        )
        tag = re.sub(r"\bv\d\b|\[[^]]*\]", "", f)
        return "inview:" + re.sub(r"\(.*?\)", "()", tag)[:32], f

    def getitem(self) -> tuple[str, str]:
        x = self.some(lambda x: x.dim() > 0)
        if self.chance(0.15):
            return "getitem:mask", f"{self.new()} = {x}[{x} > 0]"
        i = self.indexing(self.of(x))
        return "getitem", f"{self.new()} = {x}[{i}]"

    def setitem(self) -> tuple[str, str]:
        x = self.some(lambda x: x.dim() > 0 and not (x.is_leaf and x.requires_grad))
        y = self.num() if self.chance(0.5) else self.some()
        if self.chance(0.2):
            return "setitem:mask", f"{x}[{x} > 0] = {y}"
        i = self.indexing(self.of(x))
        op = self.pick("=", "=", "=", "+=", "*=")
        return f"setitem:{op}", f"{x}[{i}] {op} {y}"

    def reduce(self) -> tuple[str, str]:
        x, op = self.some(lambda x: x.numel() > 0), self.r.choice(REDUCE)
        args = []
        always = op in ("cumsum", "cumprod", "cummax", "softmax", "log_softmax", "logcumsumexp", "logsumexp", "flip")
        if always or self.chance(0.5):
            args.append(str(self.dim(x)))
            if not always and self.chance(0.3) and op not in ("sort", "argsort", "diff"):
                args.append(self.pick("keepdim=True", "True")) if op in (
                    "max",
                    "min",
                    "median",
                    "amax",
                    "argmax",
                    "mode",
                ) else args.append("keepdim=True")
        if op == "norm":
            args = self.pick([], ["1"], ["float('inf')"], ["2", str(self.dim(x))], ["'fro'"], ["0"])
        if op in ("sum", "mean", "cumsum", "prod", "softmax") and self.chance(0.1):
            args.append(f"dtype={self.dtype()}")
        if op in ("var", "std") and self.chance(0.4):
            args.append(self.pick("unbiased=False", "correction=0"))
        call = f"{x}.{op}({', '.join(args)})" if self.chance(0.5) else f"torch.{op}({', '.join([x, *args])})"
        if op in ("max", "min", "median", "cummax", "sort", "mode", "aminmax", "std_mean"):
            if self.chance(0.3):
                return f"reduce:{op}", f"log({call})"
            if len(args) and op not in ("aminmax", "std_mean") and self.chance(0.8):
                return f"reduce:{op}", f"{self.new()} = {call}[0]"
        return f"reduce:{op}", f"{self.new()} = {call}"

    def scatter(self) -> tuple[str, str]:
        x = self.some(lambda x: x.dim() > 0 and x.numel() > 0)
        d, shape = self.dim(x), list(self.of(x).shape)
        k = shape[d] if -len(shape) <= d < len(shape) else 1
        index = (
            repr(self.nest(shape, lambda: self.r.randint(0, max(k - 1, 0))))
            if len(shape) and self.of(x).numel() <= 12
            else "[0]"
        )
        i = f"torch.tensor({index})"
        j = f"torch.tensor({[self.r.randint(0, max(k - 1, 0)) for _ in range(self.r.randint(1, 3))]})"
        v = self.new()
        f = self.pick(
            f"{v} = {x}.gather({d}, {i})",
            f"{v} = {x}.scatter({d}, {i}, {x})",
            f"{v} = {x}.scatter({d}, {i}, {self.num()})",
            f"{v} = {x}.scatter_add({d}, {i}, {x})",
            f"{x}.scatter_({d}, {i}, {self.num()})",
            f"{x}.scatter_add_({d}, {i}, {x})",
            f"{v} = {x}.index_select({d}, {j})",
            f"{v} = torch.take({x}, {j})",
            f"{v} = {x}.index_add({d}, {j}, {x}.index_select({d}, {j}))",
            f"{v} = {x}.masked_select({x} > 0)",
            f"{v} = {x}.index_copy({d}, torch.tensor([0]), {x}.narrow({d}, 0, 1))",
            f"{v} = {x}.masked_fill({x} < 0, {self.num()})",
            f"{v} = torch.cat([{x}, {x}], {d})",
            f"{v} = torch.stack([{x}, {self.some()}], {d})",
            f"{v} = torch.cat([{x}, {self.some()}], {d})",
            f"{x}.index_put_(({j},), torch.tensor(1.), accumulate={self.pick(True, False)})",
            f"{v} = {x}.scatter_reduce({d}, {i}, {x}, '{self.pick('sum', 'prod', 'amax', 'mean')}')",
            f"{v} = {x}.nonzero()",
            f"{v} = torch.where({x} > 0)[0]",
            f"{v} = {x}.topk(1, {d})[0]",
            f"{v} = {x}.unique()",
            f"{v} = {x}.kthvalue(1, {d})[0]",
            f"{v} = {x}.take_along_dim({i}, {d})",
            f"{v} = {x}.put({j}, torch.ones({j}.shape))",
            f"{v} = torch.bincount({j})",
            f"{v} = F.one_hot({j})",
            f"{x}.index_copy_({d}, torch.tensor([0]), {x}.narrow({d}, 0, 1))",
            f"{v} = torch.searchsorted(torch.tensor([0., 1., 2.]), {x})",
            f"{v} = torch.histc({x}, 4)",
            f"{x}.masked_scatter_({x} > 0, torch.ones(9))",
        )
        m = re.search(r"\.(\w+)\(", f.replace("torch.tensor", ""))
        return "scatter:" + (m.group(1) if m else "?"), f

    def linalg(self) -> tuple[str, str]:
        v = self.new()
        x = self.some(lambda x: x.dim() == 2 and x.is_floating_point() and x.numel() > 0)
        a = self.of(x)
        y = self.some(
            lambda y: (
                y.dim() in (1, 2) and a.dim() and len(y.shape) and y.shape[0] == a.shape[-1] and y.dtype == a.dtype
            )
        )
        s = f"({x} @ {x}.mT + 3 * torch.eye({a.shape[0] if a.dim() else 1}))"
        f = self.pick(
            f"{x} @ {y}",
            f"{x} @ {y}",
            f"torch.mm({x}, {y})",
            f"torch.matmul({x}, {y})",
            f"{x}.mv({y})",
            f"torch.dot({y}, {y})",
            f"torch.einsum('ij,ij->i', {x}, {x})",
            f"torch.det({s})",
            f"torch.inverse({s})",
            f"torch.linalg.solve({s}, {x})",
            f"torch.linalg.cholesky({s})",
            f"torch.linalg.norm({x})",
            f"torch.trace({x})",
            f"torch.outer({y}, {y})",
            f"torch.addmm({y}, {x}, {x}.mT)",
            f"torch.linalg.slogdet({s})[1]",
            f"torch.linalg.svdvals({x})",
            f"torch.bmm({x}.unsqueeze(0), {x}.mT.unsqueeze(0))",
            f"torch.linalg.matrix_power({s}, 2)",
            f"torch.linalg.eigvalsh({s})",
            f"torch.kron({x}, {x})",
            f"torch.tensordot({x}, {x}, 2)",
            f"torch.linalg.qr({s})[1].abs()",
            f"torch.linalg.pinv({s})",
            f"torch.cdist({x}, {x})",
            f"torch.cov({x})",
            f"{x}.addmv({y}, {y})",
            f"torch.linalg.vector_norm({x}, {self.pick(1, 2, 3)})",
            f"torch.chain_matmul({x}, {x}.mT)",
            f"torch.linalg.lstsq({s}, {x})[0]",
            f"torch.logdet({s})",
            f"torch.linalg.matrix_rank({x})",
            f"torch.cross({x}, {x}, dim=-1)",
            f"torch.baddbmm({x}, {x}.unsqueeze(0), {x}.mT.unsqueeze(0))",
            f"torch.vdot({y}, {y})",
            f"torch.linalg.multi_dot([{x}, {x}.mT, {x}])",
        )
        m = re.match(r"torch\.(?:linalg\.)?(\w+)|.*\.(\w+)\(", f)
        return "linalg:" + (next((g for g in m.groups() if g), "@") if m else "@"), f"{v} = {f}"

    def functional(self) -> tuple[str, str]:
        x = self.some(lambda x: x.is_floating_point() and x.numel() > 0)
        v, k = self.new(), self.r.random()
        red = self.pick("", "", ", reduction='sum'", ", reduction='none'")
        if k < 0.35:
            op = self.r.choice(FUNCTIONAL)
            more = (
                ", inplace=True"
                if op in ("relu", "elu", "leaky_relu", "silu", "celu", "hardtanh") and self.chance(0.25)
                else ""
            )
            return f"F:{op}", f"{v} = F.{op}({x}{more})"
        if k < 0.6:
            op = self.r.choice(LOSSES)
            y = self.partner(x) if self.chance(0.5) else f"{x}.detach()"
            if op == "binary_cross_entropy":
                return f"F:{op}", f"{v} = F.{op}(torch.sigmoid({x}), torch.ones_like({x}){red})"
            return f"F:{op}", f"{v} = F.{op}({x}, {y}{red})"
        m = self.some(lambda x: x.dim() == 2 and x.is_floating_point() and x.numel() > 0)
        rows, cols = (list(self.of(m).shape) + [1, 1])[:2]
        f = self.pick(
            f"cross_entropy({m}, torch.tensor({[self.r.randint(0, max(cols - 1, 0)) for _ in range(rows)]}){red})",
            f"nll_loss(F.log_softmax({m}, 1), torch.tensor({[0] * rows}){red})",
            f"linear({m}, torch.ones(2, {cols}), torch.zeros(2))",
            f"softmax({m}, {self.pick('-1', '0', 'dim=1')})",
            f"log_softmax({m}, -1)",
            f"pad({m}, (1, 1){self.pick('', ', value=2.')})",
            f"softmax({m})",
            f"layer_norm({m}, ({cols},))",
            f"batch_norm({m}, torch.zeros({cols}), torch.ones({cols}), training={self.pick(True, False)})",
            f"max_pool1d({m}.unsqueeze(0), 2)",
            f"avg_pool1d({m}.unsqueeze(0), 1)",
            f"conv1d({m}.unsqueeze(0), torch.ones(1, {rows}, 1))",
            f"embedding(torch.tensor([0, 0]), {m})",
            f"cosine_similarity({m}, {m})",
            f"glu({m}.repeat(1, 2))",
            f"dropout({m}, 0.5)",
            f"dropout({m}, 0.5, False)",
            f"prelu({m}, torch.tensor([0.25]))",
            f"threshold({m}, 0, 1)",
            f"pairwise_distance({m}, {m} + 1)",
            f"interpolate({m}.unsqueeze(0), scale_factor=2)",
            f"bilinear({m}, {m}, torch.ones(2, {cols}, {cols}))",
            f"cosine_embedding_loss({m}, {m}, torch.ones({rows}))",
            f"triplet_margin_loss({m}, {m} + 1, {m} - 1)",
            f"gaussian_nll_loss({m}, {m}, torch.ones_like({m}))",
            f"group_norm({m}.unsqueeze(0), 1)",
            f"conv2d({m}.reshape(1, 1, {rows}, {cols}), torch.ones(1, 1, 1, 1))",
            f"unfold({m}.reshape(1, 1, {rows}, {cols}), 1)",
            f"adaptive_avg_pool1d({m}.unsqueeze(0), 1)",
            f"poisson_nll_loss({m}, {m})",
        )
        return "F:" + f.split("(")[0], f"{v} = F.{f}"

    def hooks(self) -> tuple[str, str]:
        self.tags += 1
        tag, what = f"k{self.tags}", self.r.choice(HOOKS)
        h = f"h{self.r.randint(0, 2)}"
        x = self.some(lambda x: x.requires_grad)
        g = self.graphed()
        if self.chance(0.06):
            what = "raise"
        f = self.r.choices(
            (
                f"{h} = {x}.register_hook(hook('{tag}', '{what}'))",
                f"{x}.retain_grad()",
                (
                    f"{h} = {self.leaf()}.register_post_accumulate_grad_hook("
                    f"posthook('{tag}', '{self.pick('', 'clear', 'step', 'raise')}'))"
                ),
                (
                    f"{h} = {g}.grad_fn.register_hook("
                    f"nodehook('{tag}', '{self.pick('', 'double', 'raise', 'short', 'list', 'drop')}'))"
                ),
                (
                    f"{h} = {g}.grad_fn.register_prehook("
                    f"nodehook('{tag}', '{self.pick('', 'double', 'raise', 'short', 'list', 'drop')}'))"
                ),
                f"{h}.remove()",
                (
                    f"{h} = {self.leaf()}.view_as({self.leaf()}).grad_fn.next_functions[0][0].register_hook("
                    f"nodehook('{tag}', '{self.pick('', 'raise')}'))"
                ),
                f"{h} = {x}.register_hook(lambda g: (log('{tag}', g), {h}.remove())[0])",
                f"{x}.register_hook(3)",
                f"{h} = torch.autograd.graph.register_multi_grad_hook([{x}, {g}], lambda gs: log('{tag}', gs))",
                f"{h} = {self.leaf()}.register_hook(lambda g: {self.some()})",
            ),
            (6, 5, 4, 4, 4, 2, 2, 1, 0.4, 1, 0.6),
        )[0]
        m = re.search(r"\.(register_\w+|retain_grad|remove)", f)
        return f"hook:{m.group(1) if m else '?'}:{what if 'hook(' in f else ''}", f

    def backward(self) -> tuple[str, str]:
        y = self.some(lambda x: x.requires_grad and x.grad_fn is not None)
        a = self.of(y)
        root = (
            y
            if a.dim() == 0 and not self.chance(0.1)
            else self.pick(
                f"{y}.sum()", f"{y}.sum()", f"({y} * 2).sum()", f"{y}.pow(2).mean()", f"({y} * {y}).sum()", y
            )
        )
        args = []
        if root == y and a.dim() and self.chance(0.85):
            args.append(
                self.pick(
                    f"torch.ones_like({y})",
                    f"gradient=torch.ones_like({y})",
                    f"torch.ones({list(a.shape)})",
                    self.some(),
                    f"{y}.detach()",
                    "torch.tensor(1.)",
                )
            )
        if self.chance(0.35):
            args.append("retain_graph=True")
        if self.chance(0.12):
            args.append("create_graph=True")
        if self.chance(0.1):
            args.append(f"inputs=[{self.some(lambda x: x.requires_grad)}]")
        return "backward" + "".join(
            sorted(":" + x.split("=")[0] for x in args if "=" in x)
        ), f"{root}.backward({', '.join(args)})"

    def grad(self) -> tuple[str, str]:
        y, x = self.graphed(), self.some(lambda x: x.requires_grad)
        v = self.new()
        a = self.of(y)
        root = y if a.dim() == 0 else self.pick(f"{y}.sum()", f"({y} ** 2).sum()", y)
        xs = self.pick(x, f"[{x}]", f"({x}, {self.leaf()})")
        args = [root, xs]
        if root == y and a.dim():
            args.append(f"torch.ones_like({y})" if self.chance(0.8) else f"[{self.some()}]")
        for flag, p in (
            ("create_graph", 0.4),
            ("allow_unused", 0.35),
            ("retain_graph", 0.3),
            ("materialize_grads", 0.08),
        ):
            if self.chance(p):
                args.append(f"{flag}={self.pick(True, True, False)}")
        call = f"torch.autograd.grad({', '.join(args)})"
        if self.chance(0.25):
            return "grad:log", f"log({call})"
        if self.chance(0.2):
            return (
                "grad:second",
                (
                    f"v6, = torch.autograd.grad({root}.sum(), {x}, create_graph=True)\n"
                    f"v7, = torch.autograd.grad((v6 * v6).sum(), {x}, allow_unused=True)"
                ),
            )
        return "grad", f"{v} = {call}[0]"

    def convert(self) -> tuple[str, str]:
        x, v = self.some(), self.new()
        f = self.pick(
            f"{v} = {x}.to({self.dtype()})",
            f"{v} = {x}.float()",
            f"{v} = {x}.double()",
            f"{v} = {x}.long()",
            f"{v} = {x}.bool()",
            f"{v} = {x}.to('cpu')",
            f"{v} = {x}.type({self.dtype()})",
            f"{v} = {x}.half()",
            f"{v} = {x}.clone().detach()",
            f"{v} = {x}.clone().requires_grad_()",
            f"{v} = {x}.detach().requires_grad_()",
            f"log({x}.item())",
            f"log({x}.tolist())",
            f"log({x}.numpy())",
            f"log({x}.detach().numpy())",
            f"a1 = {x}.detach().numpy(); a1 += 1",
            f"log(float({x}))",
            f"log(int({x}))",
            f"log(bool({x}))",
            f"log(len({x}))",
            f"log([q for q in {x}][:2])",
            f"log({x}.size(), {x}.numel(), {x}.stride(), {x}.dim())",
            f"log(f'{{{x}}}', str({x}))",
            f"log({self.num()} in {x})",
            f"{v} = {x}.type_as({self.some()})",
            f"{v} = copy.deepcopy({x})",
            f"log({x}.type(), {x}.dtype, {x}.device, {x}.layout)",
            f"{v} = {x}.to({self.some()})",
            f"log({x}.is_contiguous(), {x}.is_set_to({self.some()}), {x}.equal({x}))",
            f"log(torch.equal({x}, {self.some()}), torch.allclose({x}, {x}))",
            f"log(torch.result_type({x}, {self.partner(x)}))",
            f"{v} = copy.copy({x})",
            f"log(format({x}, '.2f'))",
            f"log(round({x}, 1))",
            f"log(range(3)[{x}])",
            f"log(np.asarray({x}.detach()))",
            f"log(np.add({x}.detach(), 1))",
            f"if {x}: log(1)",
            f"{v} = {x}.bfloat16()",
            f"{v} = abs(-{x})",
            f"{v} = ~{x}",
            f"{v} = {x}.cpu()",
            f"log(reversed({x}))",
            f"log({x} is {x}.data, {x}.T is {x})",
            f"{v} = {x}.int()",
            f"log(hash({x}) == hash({x}), {x}.element_size())",
            f"del {x}",
        )
        return "convert:" + re.sub(r"\bv\d\b( = )?", "", f).strip(".")[:16], f

    def graphing(self) -> tuple[str, str]:
        x = self.graphed()
        f = self.pick(
            f"log(names({x}.grad_fn))",
            f"log({x}.grad_fn.name(), type({x}.grad_fn).__name__)",
            f"log([a for a in sorted(dir({x}.grad_fn)) if a.startswith('_saved')])",
            f"log({x}.grad_fn.next_functions[0][0] is {x}.grad_fn.next_functions[0][0])",
            f"log([(a, getattr({x}.grad_fn, a)) for a in sorted(dir({x}.grad_fn)) if a.startswith('_saved')])",
            f"log({x}.grad_fn({x}.detach()))",
            f"log({x}.grad_fn.next_functions[0][0].variable)",
            f"log({x}.grad_fn.metadata)",
            f"log(str({x}.grad_fn))",
            f"log([(a, getattr({x}.grad_fn, a)) for a in sorted(dir({x}.grad_fn)) if a.startswith('_saved')])",
            f"log({x}.grad)",
            f"log({x}.is_leaf, {x}.grad_fn is {x}.grad_fn)",
        )
        return "graph:" + re.sub(r"\bv\d\b", "", f)[4:20], f

    def custom(self) -> tuple[str, str]:
        x, v = self.float(), self.new()
        f = self.pick(
            f"{v} = Square.apply({x})",
            f"{v} = Square.apply({x})",
            f"{v}, v5 = Two.apply({x}, {self.float()}, {self.pick(2, 3)})",
            f"{v} = Dirty.apply({x}.clone())",
            f"Dirty.apply({self.some()})",
            f"{v}, v4 = Mixed.apply({x})",
            f"{v} = Wrong.apply({x}, {self.r.randint(0, 5)})",
            f"{v} = Once.apply({x})",
            f"{v} = Setup.apply({x}, {self.partner(x)})",
            f"{v} = Dirty.apply({x}[0:1])",
            f"{v} = Square.apply({x}.detach())",
            f"{v} = Square()({x})",
        )
        return "custom:" + re.findall(r"[A-Z]\w+", f)[0], f

    def saved(self) -> tuple[str, str]:
        self.tags += 1
        x, v = self.float(), self.new()
        op = self.pick(
            f"{x}.exp()", f"{x} * {x}", f"{x}.pow(3)", f"{x}.tanh()", f"({x} * 2).sin()", f"Square.apply({x})"
        )
        how = self.pick("double", "clone", "same")
        return (
            f"saved_hooks:{how}",
            (
                f"with torch.autograd.graph.saved_tensors_hooks("
                f"pack('s{self.tags}', '{how}'), unpack('s{self.tags}')):\n"
                f"    {v} = {op}"
            ),
        )

    def modules(self) -> tuple[str, str]:
        ms = [n for n in ("m0", "m1") if isinstance(self.w.vars.get(n), self.w.torch.nn.Module)]
        m = self.r.choice(ms) if ms else "m0"
        os_ = [n for n in ("o0",) if n in self.w.vars]
        k = self.r.random()
        n = self.pick(2, 3)
        if not ms or k < 0.12:
            f = self.pick(
                "Linear(3, 2)",
                "Linear(2, 2, bias=False)",
                f"Sequential(nn.Linear({n}, 2), nn.ReLU(), nn.Linear(2, 1))",
                "LayerNorm(3)",
                "BatchNorm1d(3)",
                "Dropout(0.5)",
                "Embedding(4, 3)",
                "Sequential(nn.Flatten(0), nn.Softmax(0))",
                "PReLU()",
                "Bilinear(2, 3, 1)",
                "Conv1d(2, 1, 1)",
                "LSTM(3, 2)",
                "GRU(3, 2)",
                "MultiheadAttention(2, 1)",
            )
            src = f"{m} = nn.{f}" if self.chance(0.75) else f"{m} = Tiny({n})"
            return "module:new:" + f.split("(")[0], f"torch.manual_seed({self.r.randint(0, 3)}); {src}"
        if k < 0.5:
            x = self.some(lambda x: x.is_floating_point() and x.dim() >= 1 and x.shape[-1] == n)
            return "module:call", f"{self.new()} = {m}({x})"
        if not os_ and k < 0.75 or k < 0.58:
            o = self.pick(
                "SGD({}, lr=0.1)",
                "SGD({}, lr=0.1, momentum=0.9)",
                "Adam({}, lr=0.1)",
                "AdamW({}, lr=0.1)",
                "RMSprop({}, lr=0.1)",
                "Adagrad({}, lr=0.1)",
                "SGD({}, lr=0.1, weight_decay=0.1, nesterov=True, momentum=0.5)",
                "Adadelta({})",
                "NAdam({})",
                "Rprop({})",
            )
            p = f"{m}.parameters()" if self.chance(0.7) else f"[{self.leaf()}]"
            return "optim:new:" + o.split("(")[0], f"o0 = optim.{o.format(p)}"
        if os_ and k < 0.8:
            return "optim:use", self.pick(
                "o0.step()",
                "o0.step()",
                "o0.zero_grad()",
                "o0.zero_grad(set_to_none=False)",
                "o0.step(); o0.zero_grad()",
                "log(o0.state_dict())",
                f"o0.add_param_group({{'params': [{self.leaf()}]}})",
                "log(repr(o0))",
            )
        self.tags += 1
        f = self.pick(
            f"{m}.zero_grad()",
            f"{m}.eval()",
            f"{m}.train()",
            f"log({m})",
            f"log({m}.state_dict())",
            f"{m}.load_state_dict({m}.state_dict())",
            f"{m}.double()",
            f"{m}.requires_grad_(False)",
            f"log([n for n, _ in {m}.named_parameters()])",
            f"{m}.register_forward_hook(modhook('f{self.tags}', '{self.pick('', 'double', 'raise')}'))",
            f"{m}.register_forward_pre_hook(modhook('p{self.tags}', ''))",
            f"{m}.register_full_backward_hook(modhook('b{self.tags}', '{self.pick('', 'double')}'))",
            f"nn.utils.clip_grad_norm_({m}.parameters(), 1.0)",
            f"log(nn.utils.parameters_to_vector({m}.parameters()))",
            f"m1 = copy.deepcopy({m})",
            f"nn.init.constant_({self.some()}, 0.5)",
            f"nn.init.xavier_uniform_({self.some()})",
            f"{m}.register_full_backward_pre_hook(modhook('q{self.tags}', ''))",
            f"{m}.apply(lambda q: log(type(q).__name__))",
            f"{m}.half()",
            f"{m}.load_state_dict({{}})",
        )
        return "module:" + re.sub(r"\b[mv]\d\b\.?", "", f)[:24], f

    def layouts(self) -> tuple[str, str]:
        """A tensor whose elements do not follow one another, of any dtype, or a number beside a half type."""
        kind = self.pick("float32", "float64", "bfloat16", "float16", "int64", "uint8", "bool", "complex64")
        made = f"torch.arange({self.pick('6', '12', '24')}).sub({self.r.randint(0, 5)}).to(torch.{kind})"
        how = self.pick(
            "reshape(-1, 3).t()",
            "reshape(-1, 2)[:, ::2]",
            "reshape(2, -1)[1:]",
            "reshape(-1, 1).transpose(0, 1)",
            "reshape(2, 1, -1)[..., 1::2]",
            "reshape(-1, 3)[:1].expand(2, 3)",
            "reshape(1, -1, 3).permute(2, 0, 1)",
            "reshape(2, -1)[:, 0]",
        )
        grad = ".requires_grad_()" if kind in ("float32", "float64") and self.chance(0.5) else ""
        return "layout:" + how.split("(")[0], f"{self.new()} = {made}.{how}{grad}"

    def breadth(self) -> tuple[str, str]:
        """What courses use less often, on tensors that are there."""
        x = self.some(lambda x: x.is_floating_point() and x.dim() > 0 and x.numel() > 1)
        d = self.dim(x)
        f = self.pick(
            f"{x} * {self.pick('0.1', '1e3', 'torch.tensor(0.3)')}",
            f"{x} / {self.pick('0.3', '7', 'torch.tensor(0.3)')}",
            f"{self.pick('0.3', '2')} / {x}",
            f"torch.trapezoid({x})",
            f"torch.cumulative_trapezoid({x})",
            f"{x}.quantile({self.pick('0.5', '0.3')}, {d})",
            f"{x}.nanmedian({d})[1]",
            f"torch.renorm({x}, 2, {d}, 1.0)",
            f"torch.select_scatter({x}, torch.zeros_like({x}.select({d}, 0)), {d}, 0)",
            f"torch.slice_scatter({x}, torch.ones_like({x}.narrow({d}, 0, 1)), {d}, 0, 1)",
            f"torch.fill({x}, {self.num()})",
            f"torch.lerp({x}, {x} * 2, {self.pick('0.1', '0.7')})",
            f"torch.logit(torch.sigmoid({x}), eps=0.01)",
            f"torch.round({x}, decimals=1)",
            f"torch.linalg.vecdot({x}, {x})",
            f"F.rms_norm({x}, {x}.shape[-1:])",
            f"F.rrelu({x})",
            f"F.alpha_dropout({x}, 0.5, True)",
            f"F.margin_ranking_loss({x}, {x} + 1, torch.sign({x}), reduction='none')",
            f"F.poisson_nll_loss({x}, {x}.abs(), full=True)",
            f"{x}.take(torch.tensor([[0, 1], [1, 0]]).t())",
            f"{x}.topk(1, {d})[1]",
        )
        name = re.search(r"(\w+)\(", f.replace("torch.tensor(", ""))
        return "breadth:" + (name.group(1) if name else "operator"), f"{self.new()} = {f}"

    def networks(self) -> tuple[str, str]:
        """Activations in place, losses of two dtypes, and what is done to pictures."""
        x = self.float()
        y = self.some(lambda t: t.is_floating_point() and t.shape == self.of(x).shape)
        picture = f"(torch.arange(16.).reshape(1, 1, 4, 4) * {x}.sum())"
        f = self.pick(
            f"F.leaky_relu_({x}.clone(), {self.pick('0.01', '0.3')})",
            f"F.elu_({x}.clone())",
            f"F.selu_({x}.clone())",
            f"torch.celu_({x}.clone(), 0.5)",
            f"F.hardtanh_({x}.clone(), -0.5, 0.5)",
            f"F.cosine_similarity({x}, {y}, {self.dim(x)})",
            f"F.smooth_l1_loss({x}, {y}, beta=0.5)",
            f"F.huber_loss({x}, {y}, reduction='none')",
            f"F.binary_cross_entropy_with_logits({x}, torch.sigmoid({y}), reduction='sum')",
            f"F.dropout1d({x}.clone(), 0.5, {self.pick('True', 'False')}, True)",
            f"F.avg_pool2d({picture}, 2)",
            f"F.max_pool2d({picture}, {self.pick('2', '3, 1')})",
            f"F.adaptive_avg_pool2d({picture}, {self.pick('1', '2')})",
            f"F.pad({picture}, (1, 1, 0, 1), mode={self.pick('reflect', 'replicate', 'circular')!r})",
            f"F.interpolate({picture}, scale_factor=2, mode={self.pick('nearest', 'bilinear')!r})",
        )
        return "networks:" + f[: f.index("(")], f"{self.new()} = {f}"

    def modes(self) -> tuple[str, str]:
        return self.pick(
            ("modes:off", "torch.set_grad_enabled(False)"),
            ("modes:on", "torch.set_grad_enabled(True)"),
            ("modes:on", "torch.set_grad_enabled(True)"),
            ("modes:default", "torch.set_default_dtype(torch.float64)"),
            ("modes:log", "log(torch.is_grad_enabled(), torch.get_default_dtype())"),
            (
                "modes:rand",
                (
                    f"torch.manual_seed({self.r.randint(0, 9)}); "
                    "log(torch.randint(10, (3,)), torch.randperm(4), torch.rand(2), "
                    "torch.bernoulli(torch.full((3,), 0.5)))"
                ),
            ),
            ("modes:functional", f"log(torch.autograd.functional.jacobian(lambda z: z * z, {self.some()}))"),
            ("modes:func", f"log(torch.func.grad(lambda z: (z * z).sum())({self.some()}))"),
            (
                "modes:checkpoint",
                f"v3 = torch.utils.checkpoint.checkpoint(lambda z: z.sin() * z, {self.some()}, use_reentrant=False)",
            ),
        )

    TABLE = (
        (create, 11),
        (unary, 8),
        (unary_in, 4),
        (binary, 12),
        (binary_in, 8),
        (out, 2),
        (view, 10),
        (unpack, 2),
        (inview, 8),
        (getitem, 7),
        (setitem, 6),
        (reduce, 8),
        (scatter, 6),
        (linalg, 4),
        (functional, 6),
        (hooks, 7),
        (backward, 11),
        (grad, 6),
        (convert, 6),
        (graphing, 3),
        (custom, 4),
        (saved, 1.5),
        (modules, 8),
        (modes, 1.5),
        (layouts, 4),
        (breadth, 5),
        (networks, 3),
    )


#: errors after which torch leaves memory half written: both sides refuse in the same words, and the program ends there
TORN = re.compile(r"ZeroDivisionError|Inplace update to inference tensor|resize storage that is not resizable")


def too_large(world: World) -> list[str]:
    """Variables whose values have grown so large that rounding would decide: they are deleted."""
    t, found = world.torch, []
    for n in NAMES:
        x = world.vars.get(n)
        if isinstance(x, t.Tensor) and x.numel() and (x.is_floating_point() or x.is_complex()):
            with t.no_grad():
                try:
                    a = x.detach().to(t.complex128).abs()
                    if (
                        x.numel() > 200
                        or bool((a[a.isfinite()] > (300 if x.dtype == t.float16 else 1e4)).any())
                        or bool(((a != 0) & (a < 1e-5)).any())
                    ):
                        found.append(n)
                except Exception:
                    found.append(n)
        elif isinstance(x, t.Tensor) and x.numel() > 200:
            found.append(n)
    return found
