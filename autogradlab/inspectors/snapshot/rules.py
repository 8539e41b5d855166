"""Local rules: what a Node does to a gradient `g`, in symbols, for each of its inputs.

`{other}` is the saved value of that name; it is written as the variable that holds it, or as its number. A `·` is taken
element by element, `@` is the matrix product, `ᵀ` the transposed matrix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

__all__ = ["Rule", "broadcasts", "filled", "inputs_of", "op_name", "rule"]

#: for each input of a Node its rule; without a name before the colon the input is `self`
Rule = tuple[tuple[str, str], ...]

_TABLE = """
Add         self: g | other: g·{alpha}
Sub         self: g | other: -g·{alpha}
Rsub        self: -g·{alpha} | other: g
Mul         self: g·{other} | other: g·{self}
Div         self: g/{other} | other: -g·{self}/{other}²
Neg         self: -g
Reciprocal  self: -g·{result}²
Pow         self: g·{exponent}·{self}^{less}
Pow1        self: g·{exponent}·{self}^({exponent}-1) | exponent: g·{result}·log({self})
Square      self: g·2·{self}
Sqrt        self: g/(2·{result})
Rsqrt       self: -g·{result}³/2
Exp         self: g·{result}
Exp2        self: g·{result}·log(2)
Expm1       self: g·({result}+1)
Log         self: g/{self}
Log2        self: g/({self}·log(2))
Log10       self: g/({self}·log(10))
Log1P       self: g/({self}+1)
Sin         self: g·cos({self})
Cos         self: -g·sin({self})
Tan         self: g·(1+{result}²)
Asin        self: g/√(1-{self}²)
Acos        self: -g/√(1-{self}²)
Atan        self: g/(1+{self}²)
Sinh        self: g·cosh({self})
Cosh        self: g·sinh({self})
Tanh        self: g·(1-{result}²)
Sigmoid     self: g·{result}·(1-{result})
LogSigmoid  self: g·sigmoid(-{self})
Relu        self: g·[{result}>0]
LeakyRelu   self: g·[{self}>0 ? 1 : {negative_slope}]
Abs         self: g·sign({self})
Sign        self: 0
Erf         self: g·2/√π·exp(-{self}²)
Clamp       self: g·[{min}≤{self}≤{max}]
ClampMin    self: g·[{self}≥{min}]
ClampMax    self: g·[{self}≤{max}]
Maximum     self: g·[{self}≥{other}] | other: g·[{other}>{self}]
Minimum     self: g·[{self}≤{other}] | other: g·[{other}<{self}]
Where       self: g·[{condition}] | other: g·[¬{condition}]
Atan2       self: g·{other}/({self}²+{other}²) | other: -g·{self}/({self}²+{other}²)
Softplus    self: g·sigmoid({self})
Sum         self: g.expand*
Sum1        self: g.expand*
Mean        self: g.expand*/{n}
Mean1       self: g.expand*/{n}
Prod        self: g·{result}/{self}
Max         self: g at {indices}
Min         self: g at {indices}
Max1        self: g·[{self}={result}]
Min1        self: g·[{self}={result}]
Norm        self: g·{self}/{result}
LinalgVectorNorm  self: g·{self}/{result}
Var         self: g·2·({self}-mean)/(n-1)
Std         self: g·({self}-mean)/({result}·(n-1))
Mm          self: g @ {mat2}ᵀ | mat2: {self}ᵀ @ g
Mv          self: g ⊗ {vec} | vec: {self}ᵀ @ g
Dot         self: g·{tensor} | tensor: g·{self}
Bmm         self: g @ {mat2}ᵀ | mat2: {self}ᵀ @ g
Addmm       self: g·{beta} | mat1: g @ {mat2}ᵀ·{alpha} | mat2: {mat1}ᵀ @ g·{alpha}
Addmv       self: g·{beta} | mat: g ⊗ {vec}·{alpha} | vec: {mat}ᵀ @ g·{alpha}
T           self: gᵀ
Transpose   self: gᵀ
Permute     self: g.permute⁻¹
View        self: g.view*
UnsafeView  self: g.view*
ReshapeAlias  self: g.view*
Squeeze     self: g.view*
Unsqueeze   self: g.view*
Expand      self: Σg
Repeat      self: Σg
Clone       self: g
Alias       self: g
ToCopy      self: g.to(dtype)
Detach      self: 0
Select      self: g at {index}
Slice       self: g at [{start}:{end}:{step}]
Index       self: g at {indices}
Gather      self: g at {index}
Stack       tensors: g[i]
Cat         tensors: g[i:j]
Unbind      self: stack(g)
Split       self: cat(g)
Cumsum      self: reverse cumsum(g)
Softmax     self: {result}·(g-Σ(g·{result}))
LogSoftmax  self: g-exp({result})·Σg
NllLoss     self: -g at {target}
MseLoss     self: g·2·({self}-{target})/{n} | target: -g·2·({self}-{target})/{n}
"""


def _read(table: str) -> dict[str, Rule]:
    rules = {}
    for line in table.strip().splitlines():
        name, _, given = line.partition(" ")
        pairs = (part.split(":", 1) for part in given.split(" | "))
        rules[name] = tuple((who.strip(), formula.strip()) for who, formula in pairs)
    return rules


_RULES = _read(_TABLE)
_BACKWARD = re.compile(r"^(.*?)Backward(\d*)(?:_copy)?$")


def _key(name: str) -> str:
    """`MulBackward0` -> Mul, `PowBackward1` -> Pow1."""
    found = _BACKWARD.match(name)
    if found is None:
        return ""
    head, number = found.groups()
    numbered = head + number
    return numbered if number not in ("", "0") and numbered in _RULES else head


def rule(name: str, index: int) -> str | None:
    """The rule of a Node class for its input of that number, None if the table has none."""
    rules: Rule = _RULES.get(_key(name), ())
    if rules and rules[0][0] == "tensors":
        return rules[0][1]
    return rules[index][1] if index < len(rules) else None


def inputs_of(name: str) -> tuple[str, ...]:
    """The names of a Node's inputs as in PyTorch's signatures, as far as the table knows them."""
    return tuple(who for who, _ in _RULES.get(_key(name), ()))


def op_name(name: str) -> str:
    """The operation as one writes it: `mul` for MulBackward0, `log_softmax` for LogSoftmaxBackward0."""
    found = _BACKWARD.match(name)
    head = found[1] if found is not None and found[1] else name
    return re.sub(r"(?<!^)(?<!_)(?=[A-Z][a-z])", "_", head).lower()


#: Nodes whose inputs are broadcast against each other: a gradient is summed back to its input's shape
_BROADCAST = frozenset({"Add", "Sub", "Rsub", "Mul", "Div", "Pow1", "Maximum", "Minimum", "Where", "Atan2"})


def broadcasts(name: str) -> bool:
    return _key(name) in _BROADCAST


def filled(formula: str, words: Mapping[str, str], g: str = "g") -> str:
    """A rule with its saved values written as `words` has them; where it has none, as their own names."""
    for neutral in ("alpha", "beta"):
        if words.get(neutral) in ("1", "1.0", None):
            formula = formula.replace(f"·{{{neutral}}}", "")
    for bound, part in (("min", "{min}≤"), ("max", "≤{max}")):
        if words.get(bound) == "None":  # clamped on one side only
            formula = formula.replace(part, "")
    if "{less}" in formula:
        formula = _power(formula, words.get("exponent", ""))
    if "{start}" in formula:
        formula = _slice(words)
    if words.get("reduction") == "2":  # summed, not averaged
        formula = formula.replace("/{n}", "")
    text = re.sub(r"\{(\w+)\}", lambda m: words.get(m[1], m[1]), formula).replace("*", words.get("*", ""))
    return text if g == "g" else re.sub(r"(?<![\w.])g(?!\w)", lambda _: g, text)


def _slice(words: Mapping[str, str]) -> str:
    """The rule of a slice, written as one writes slices: what is left out in the program is left out here."""
    start, end, step = (words.get(key, "") for key in ("start", "end", "step"))
    open_end = end == "" or end == str(2**63 - 1)
    return f"g at [{'' if start == '0' else start}:{'' if open_end else end}{'' if step in ('', '1') else ':' + step}]"


def _power(formula: str, exponent: str) -> str:
    """The rule of a power, with the exponent less one worked out."""
    try:
        less = float(exponent) - 1
    except ValueError:
        return formula.replace("{less}", "({exponent}-1)")
    if less == 1:
        return formula.replace("^{less}", "")
    return formula.replace("{less}", f"{less:g}" if less >= 0 else f"({less:g})")
