"""Expressions as small trees: built with a little simplification, printed with the right precedence, calculated.

A term is plain data: it holds names, numbers and shapes, never a tensor. `·` is taken element by element, `@` is the
matrix product, `ᵀ` the transposed matrix; `x·[c]` is x where the condition holds and 0 elsewhere (0 even where x is
infinite or NaN), `[c ? x : y]` is x where it holds and y elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeGuard

import numpy as np

__all__ = [
    "ONE",
    "ZERO",
    "KINDS",
    "Apply",
    "Call",
    "Constant",
    "Name",
    "Number",
    "Term",
    "calculate",
    "chosen",
    "compared",
    "conjunction",
    "difference",
    "disjunction",
    "guarded",
    "leaves",
    "mathml",
    "matrix_product",
    "negated",
    "negative",
    "power",
    "product",
    "quotient",
    "split",
    "text",
    "total",
    "transposed",
    "whole",
]


@dataclass(frozen=True, slots=True)
class Name:
    """What stands for a value: `g`, the gradient that comes in, or a saved value such as `self` or `result`."""

    name: str


@dataclass(frozen=True, slots=True)
class Number:
    """A number (True and False for conditions that are decided)."""

    value: Any


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """An array that a formula makes of shapes alone, such as a matrix of ones below the diagonal."""

    array: np.ndarray


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of `_LEVELS` and what it is applied to."""

    sign: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function of the library. Arguments are terms, or what is no tensor: shapes, dimensions, None, dtypes."""

    name: str
    args: tuple[Any, ...]
    options: tuple[tuple[str, Any], ...] = ()


Term = Name | Number | Constant | Apply | Call
KINDS = (Name, Number, Constant, Apply, Call)

ZERO, ONE = Number(0), Number(1)

#: how tightly the operators bind, the loosest first
_LEVELS = {"∨": 1, "∧": 2, "=": 3, "≠": 3, "<": 3, "≤": 3, ">": 3, "≥": 3, "+": 4, "-": 4, "·": 5, "/": 5, "when": 5}
_LEVELS |= {"@": 5, "neg": 6, "^": 8, "¬": 9, "ᵀ": 9, "?": 10, "||": 10, "√": 10, "item": 9}
_ATOM = 10
_FLIPPED = {"=": "≠", "≠": "=", "<": "≥", "≥": "<", ">": "≤", "≤": ">"}
_CONDITIONS = frozenset((*_FLIPPED, "∧", "∨", "¬"))

# -- building ----------------------------------------------------------------------------------------------------------


def _number(term: Term) -> Any:
    """The number that a term is, or None."""
    return term.value if isinstance(term, Number) and not isinstance(term.value, (bool, np.bool_)) else None


def _is(term: Term, sign: str) -> TypeGuard[Apply]:
    return isinstance(term, Apply) and term.sign == sign


def negative(x: Term) -> Term:
    if _is(x, "neg"):
        return x.args[0]
    value = _number(x)
    return Number(-value) if value is not None else Apply("neg", (x,))


def total(x: Term, y: Term) -> Term:
    """x + y, without zeros, and with - where what is added is negative."""
    a, b = _number(x), _number(y)
    if a is not None and b is not None:
        return Number(a + b)
    if _nothing(a):
        return y
    if _nothing(b):
        return x
    if _is(y, "neg"):
        return Apply("-", (x, y.args[0]))
    if b is not None and _below(b):
        return Apply("-", (x, Number(-b)))
    if b is not None and not isinstance(b, complex) and _is(x, "neg"):
        return Apply("-", (y, x.args[0]))
    return Apply("+", (x, y))


def difference(x: Term, y: Term) -> Term:
    if _nothing(_number(x)):
        return negative(y)
    return total(x, negative(y))


def _nothing(value: Any) -> bool:
    return value is not None and bool(value == 0)


def _below(value: Any) -> bool:
    return not isinstance(value, complex) and bool(value < 0)


def product(x: Term, y: Term) -> Term:
    """x·y: signs in front, fractions drawn together, equal neighbours as a power."""
    for a, b in ((x, y), (y, x)):
        if _number(a) is not None and bool(_number(a) == 1):
            return b
    if _is(x, "neg"):
        return negative(product(x.args[0], y))
    if _is(y, "neg"):
        return negative(product(x, y.args[0]))
    first, *others = _factors(y)
    if _number(first) is not None and _below(_number(first)) and _number(x) is None:
        positive: Term = negative(first)
        for other in others:
            positive = product(positive, other)
        return negative(product(x, positive))
    if _is(y, "/"):
        return quotient(product(x, y.args[0]), y.args[1])
    if _is(y, "when"):
        return guarded(product(x, y.args[0]), y.args[1])
    if _is(x, "when"):
        return guarded(product(x.args[0], y), x.args[1])
    for a, b in ((x, y), (y, x)):
        if isinstance(a, Number) and isinstance(a.value, (bool, np.bool_)):
            return b if a.value else ZERO
    if _condition(x):
        x, y = y, x
    for a, b in ((x, y), (y, x)):
        if _part(_number(b)):
            return quotient(a, Number(round(1 / _number(b))))
    factors = [*_factors(x)]
    for factor in _factors(y):
        _multiply(factors, factor)
    return factors[0] if len(factors) == 1 else Apply("·", tuple(factors))


def _part(value: Any) -> bool:
    """Whether a number is a third, a sixth … that formulas calculate from a count: 0.3333333333333333."""
    return isinstance(value, float) and 0 < value < 0.4 and len(repr(value)) > 12 and 1 / round(1 / value) == value


def _condition(term: Term) -> bool:
    return isinstance(term, Apply) and term.sign in _CONDITIONS


def _factors(term: Term) -> tuple[Term, ...]:
    return term.args if _is(term, "·") else (term,)


def _multiply(factors: list[Term], factor: Term) -> None:
    last = factors[-1]
    a, b = _number(last), _number(factor)
    if a is not None and b is not None:
        factors[-1] = Number(a * b)
        return
    base, exponent = _powered(last)
    same, more = _powered(factor)
    if base == same and a is None and base != Name("g"):
        factors[-1] = power(base, Number(exponent + more))
    else:
        factors.append(factor)


def _powered(term: Term) -> tuple[Term, Any]:
    if _is(term, "^") and _number(term.args[1]) is not None:
        return term.args[0], _number(term.args[1])
    return term, 1


def quotient(x: Term, y: Term) -> Term:
    """x / y, with signs and conditions outside, and one fraction where there were two."""
    if _number(y) is not None and bool(_number(y) == 1):
        return x
    if _is(x, "neg"):
        return negative(quotient(x.args[0], y))
    if _is(y, "neg"):
        return negative(quotient(x, y.args[0]))
    if _is(x, "when"):
        return guarded(quotient(x.args[0], y), x.args[1])
    if _is(x, "/"):
        return quotient(x.args[0], product(x.args[1], y))
    if _is(y, "/") and _number(y.args[0]) is not None and bool(_number(y.args[0]) == 1):
        return product(x, y.args[1])
    return Apply("/", (x, y))


def power(x: Term, n: Term) -> Term:
    """x ^ n, or what is shorter for n = 0, 1 or a half."""
    value = _number(n)
    if value is not None and not isinstance(value, complex):
        if value == 1:
            return x
        if value == 0:
            return ONE
        if value == 0.5:
            return Apply("√", (x,))
    return Apply("^", (x, n))


def matrix_product(x: Term, y: Term) -> Term:
    if _is(x, "neg"):
        return negative(matrix_product(x.args[0], y))
    return Apply("@", (x, y))


def transposed(x: Term) -> Term:
    """The transposed matrix; of a product the product of the transposed ones."""
    if _is(x, "ᵀ"):
        return x.args[0]
    if _is(x, "@"):
        a, b = x.args
        return matrix_product(transposed(b), transposed(a))
    return Apply("ᵀ", (x,))


def compared(sign: str, x: Term, y: Term) -> Term:
    return Apply(sign, (x, y))


def conjunction(x: Term, y: Term) -> Term:
    return _joined("∧", x, y, True)


def disjunction(x: Term, y: Term) -> Term:
    return _joined("∨", x, y, False)


def _joined(sign: str, x: Term, y: Term, neutral: bool) -> Term:
    for a, b in ((x, y), (y, x)):
        if isinstance(a, Number) and isinstance(a.value, (bool, np.bool_)):
            return b if bool(a.value) is neutral else a
    return Apply(sign, (x, y))


def negated(x: Term, ordered: bool = False) -> Term:
    """The opposite of a condition. `ordered`: no NaN is in it, so that not < is ≥."""
    if isinstance(x, Number):
        return Number(not x.value)
    if isinstance(x, Apply):
        if x.sign == "¬":
            return x.args[0]
        if x.sign in ("=", "≠") or (ordered and x.sign in _FLIPPED):
            return Apply(_FLIPPED[x.sign], x.args)
        if ordered and x.sign in ("∧", "∨"):
            a, b = (negated(arg, ordered) for arg in x.args)
            return disjunction(a, b) if x.sign == "∧" else conjunction(a, b)
    return Apply("¬", (x,))


def guarded(x: Term, condition: Term) -> Term:
    """x where a condition holds, else 0."""
    if isinstance(condition, Number):
        return x if condition.value else ZERO
    if _is(x, "neg"):
        return negative(guarded(x.args[0], condition))
    if _is(x, "when"):
        return guarded(x.args[0], conjunction(x.args[1], condition))
    return Apply("when", (x, condition))


def chosen(condition: Term, x: Term, y: Term) -> Term:
    """x where a condition holds, else y."""
    if isinstance(condition, Number):
        return x if condition.value else y
    if _nothing(_number(y)):
        return guarded(x, condition)
    return Apply("?", (condition, x, y))


def split(term: Term) -> tuple[tuple[Term, ...], tuple[str, ...]]:
    """What a product or quotient is made of, and the signs between: of g·h/2 (g, h, 2) and (·, /)."""
    if _is(term, "neg"):
        (first, *others), signs = split(term.args[0])
        return (negative(first), *others), signs
    if _is(term, "·"):
        return term.args, ("·",) * (len(term.args) - 1)
    if _is(term, "@"):
        return term.args, ("@",)
    if _is(term, "/") or _is(term, "when"):
        parts, signs = split(term.args[0])
        if "@" not in signs:
            return (*parts, term.args[1]), (*signs, "/" if term.sign == "/" else "·")
        return term.args, ("/" if term.sign == "/" else "·",)
    return (term,), ()


def leaves(term: Any) -> Iterator[Term]:
    """The names and numbers of a term, from left to right."""
    pending = [term]
    while pending:
        one = pending.pop()
        if isinstance(one, (Name, Number)):
            yield one
        elif isinstance(one, Apply):
            pending += reversed(one.args)
        elif isinstance(one, Call):
            pending += [value for _, value in reversed(one.options)] + list(reversed(one.args))
        elif isinstance(one, (tuple, list)):
            pending += reversed(one)


# -- printing ----------------------------------------------------------------------------------------------------------

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
#: numbers that formulas calculate and people know by name
_CONSTANTS = {
    math.log(2): "log(2)",
    math.log(10): "log(10)",
    math.pi: "π",
    math.pi**2: "π²",
    math.sqrt(math.pi): "√π",
    2 / math.sqrt(math.pi): "2/√π",
    math.sqrt(math.pi) / 2: "√π/2",
    math.sqrt(2 * math.pi): "√(2·π)",
    math.sqrt(2 / math.pi): "√(2/π)",
    math.pi / 180: "π/180",
    180 / math.pi: "180/π",
    1 / math.log(2): "1/log(2)",
}


def _fraction(value: float | np.floating[Any]) -> str | None:
    """A number that formulas calculate from counts, 0.6666666666666666 say, as a fraction."""
    if len(repr(float(value))) < 12 or not 0 < abs(value) < 100:
        return None
    found = Fraction(float(value)).limit_denominator(1000)
    return str(found) if type(value)(found.numerator / found.denominator) == value else None


def _written(value: Any) -> str:
    """A number, shape or other plain value as programs write it."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, (float, np.floating)):
        known = _CONSTANTS.get(float(value)) or _fraction(value)
        if known is not None:
            return known
        return f"{value:g}"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, np.ndarray):
        return _written(value.item()) if not value.ndim else np.array2string(value, separator=", ", threshold=8)
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, slice):
        parts = ["" if v is None else str(v) for v in (value.start, value.stop)]
        return ":".join(parts) + (f":{value.step}" if value.step not in (None, 1) else "")
    if value is Ellipsis:
        return "…"
    return str(value)


def _matrix(array: np.ndarray) -> str:
    """A constant array: the identity and its like by name, a small one in numbers."""
    if array.ndim == 2 and np.array_equal(array, np.eye(*array.shape)):
        return "I"
    if array.size and (array == array.flat[0]).all():
        return _written(array.flat[0])
    return _listed(array)


def _listed(array: np.ndarray) -> str:
    """A small constant array in numbers; as places of others it is so even where all are the same."""
    if array.size > 16:
        return f"constant{array.shape}".replace(",)", ")")
    return " ".join(np.array2string(array, separator=", ").split()).replace("[ ", "[")


class _Printer:
    """Writes a term in one line. `names` says how names are written; `spaced` leaves room around operators."""

    def __init__(self, names: Mapping[str, str], spaced: bool) -> None:
        self.names = names
        gap = " " if spaced else ""
        self.signs = {s: f"{gap}{s}{gap}" for s in _LEVELS} | {"@": " @ ", "∧": " ∧ ", "∨": " ∨ "}

    def all(self, term: Any) -> tuple[str, int]:
        """The text, and how tightly it holds together."""
        match term:
            case Name(name):
                return self._name(self.names.get(name, name))
            case Number(value):
                return self._number(value)
            case Constant(array):
                return _matrix(array), _ATOM
            case Apply():
                return self._operator(term)
            case Call():
                return self._call(term), _ATOM
            case tuple() | list():
                inner = ", ".join(self.all(v)[0] for v in term)
                if isinstance(term, list):
                    return f"[{inner}]", _ATOM
                return (f"({inner},)" if len(term) == 1 else f"({inner})"), _ATOM
        return _written(term), _ATOM

    def at(self, term: Any, level: int) -> str:
        text, own = self.all(term)
        return text if own >= level else f"({text})"

    def _name(self, text: str) -> tuple[str, int]:
        if text.startswith("-"):
            return text, _LEVELS["neg"]
        return text, _ATOM if whole(text) else 0

    def _number(self, value: Any) -> tuple[str, int]:
        text = _written(value)
        if text.startswith("-"):
            return text, _LEVELS["neg"]
        return text, _LEVELS["/"] if "/" in text else _ATOM

    def _operator(self, term: Apply) -> tuple[str, int]:
        sign, args = term.sign, term.args
        level = _LEVELS[sign]
        match sign:
            case "neg":
                return "-" + self.at(args[0], _LEVELS["·"]), level
            case "¬":
                return "¬" + self.at(args[0], level), level
            case "ᵀ":
                turned = self.at(args[0], level)
                return turned.removesuffix(".T") if turned.endswith(".T") else f"{turned}ᵀ", level
            case "^":
                return self._power(*args), level
            case "√":
                text, own = self.all(args[0])
                return f"√({text})" if own < _ATOM or len(text) > 1 else f"√{text}", level
            case "||":
                return f"|{self.all(args[0])[0]}|", level
            case "?":
                condition, x, y = (self.all(arg)[0] for arg in args)
                return f"[{condition} ? {x} : {y}]", level
            case "when":
                return self._factor(args[0], level) + self.signs["·"] + f"[{self.all(args[1])[0]}]", level
            case "·" | "/" | "@":
                left = self._factor(args[0], level, sign)
                return self.signs[sign].join([left, *(self._factor(a, level + 1, sign) for a in args[1:])]), level
            case "item":
                return f"{self.at(args[0], level)}[{self._key(args[1])}]", level
            case "∧" if _between(*args):
                above: Any
                below: Any
                above, below = args
                low, middle, high = (
                    self.at(one, _LEVELS["+"]) for one in (above.args[1], above.args[0], below.args[1])
                )
                less = {"≥": "≤", ">": "<"}[above.sign]
                return f"{low}{self.signs[less]}{middle}{self.signs[below.sign]}{high}", _LEVELS["<"]
        first, *others = args
        return self.signs[sign].join([self._factor(first, level), *(self._factor(o, level + 1) for o in others)]), level

    def _key(self, term: Any) -> str:
        value = term.value if isinstance(term, Number) else term
        keys = value if isinstance(value, tuple) else (value,)
        return ", ".join(_listed(v.array) if isinstance(v, Constant) else self.all(v)[0] for v in keys)

    def _factor(self, term: Term, level: int, sign: str = "") -> str:
        """An operand; a condition that is calculated with stands in brackets, as 1 or 0."""
        if _condition(term) and level > _LEVELS["≥"]:
            return f"[{self.all(term)[0]}]"
        mixed = sign in ("·", "/") and _is(term, "@") or sign == "@" and _is(term, "·")
        if level > _LEVELS["·"] and _is(term, "neg"):
            return f"({self.all(term)[0]})"
        return self.at(term, _ATOM if mixed else level if level <= _LEVELS["·"] else _LEVELS["^"])

    def _power(self, base: Term, exponent: Term) -> str:
        below = self.at(base, _LEVELS["ᵀ"])
        n = _number(exponent)
        if n is not None and not isinstance(n, complex) and float(n).is_integer() and abs(n) < 100:
            return below + str(int(n)).translate(_RAISED)
        return f"{below}^{self.at(exponent, _LEVELS['ᵀ'])}"

    def _call(self, term: Call) -> str:
        """`cos(x)`; with arguments that are no tensors as a method: `g.expand(2, 3)`."""
        if term.name in _PLACES:
            return self._places(term)
        args = list(term.args)
        options = [f"{key}={self.all(value)[0]}" for key, value in term.options]
        plain = args[1:] + [value for _, value in term.options]
        head = term.name.lstrip("_")
        if plain and args and isinstance(args[0], KINDS) and not any(_tensor(a) for a in plain):
            head = f"{self.at(args.pop(0), _LEVELS['ᵀ'])}.{head}"
            if len(args) == 1 and isinstance(args[0], tuple) and args[0]:
                args = list(args[0])
        return f"{head}({', '.join([*(self.all(a)[0] for a in args), *options])})"

    def _places(self, term: Call) -> str:
        """Zeros with a gradient at some places: `g at [0:2]`; `g added at rows`, where a place can come twice."""
        where = _PLACES[term.name](*term.args[1:])
        words = self.all(where)[0] if isinstance(where, KINDS) else f"[{self._key(where)}]"
        added = " added" if term.name in _ADDED else ""
        return f"{self.at(term.args[0], _LEVELS['^'])}{added} at {words}"


def _behind(dim: int, key: Any) -> Any:
    return (
        key if dim == 0 else (*(slice(None),) * dim, key) if dim > 0 else (Ellipsis, key, *(slice(None),) * (-1 - dim))
    )


#: calls that put a gradient into zeros, and the places where they put it
_PLACES: dict[str, Callable[..., Any]] = {
    "put_at": lambda dim, indices, *_: indices,
    "place_at": lambda dim, indices, *_: indices,
    "select_backward": lambda shape, dim, index: _behind(dim, index),
    "slice_backward": lambda shape, dim, start, end, step: _behind(dim, _cut(shape[dim], start, end, step)),
    "index_backward": lambda shape, indices, *_: (
        indices if isinstance(indices, KINDS) else tuple(slice(None) if i is None else i for i in indices)
    ),
    "index_select_backward": lambda shape, dim, index: index,
    "masked_select_backward": lambda mask, *_: mask,
    "embedding_dense_backward": lambda indices, *_: indices,
}
#: those whose places are listed, so that one can come several times
_ADDED = frozenset({"index_backward", "index_select_backward", "embedding_dense_backward"})


def _cut(size: int, start: int | None, end: int | None, step: int) -> slice:
    """A slice as one writes it: what is left out in the program is left out here."""
    return slice(start or None, None if end is None or end >= size else end, step)


def _between(x: Term, y: Term) -> bool:
    """Whether two conditions together say low ≤ value ≤ high."""
    if not (isinstance(x, Apply) and isinstance(y, Apply)):
        return False
    return x.sign in ("≥", ">") and y.sign in ("≤", "<") and x.args[0] == y.args[0]


def _tensor(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_tensor, value))
    return isinstance(value, KINDS) and not isinstance(value, Number)


def whole(text: str) -> bool:
    """Whether a text holds together without parentheses: a name, a number, something in brackets."""
    depth = 0
    for i, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and (letter in "+*/@% " or (letter == "-" and i and text[i - 1] not in "eE")):
            return False
    return True


def text(term: Any, names: Mapping[str, str] | None = None, spaced: bool = False) -> str:
    """A term in one line. `names` says what is written for names: variables, numbers."""
    return _Printer(names or {}, spaced).all(term)[0]


def mathml(term: Any, names: Mapping[str, str] | None = None) -> str:
    """A term as MathML: fractions and roots drawn, powers raised."""
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML">{_drawn(term, names or {}, 0)}</math>'


def _drawn(term: Any, names: Mapping[str, str], level: int) -> str:
    if not isinstance(term, Apply) or term.sign not in ("/", "^", "√", "·", "+", "-", "neg", "@", "ᵀ"):
        return f"<mtext>{_escaped(text(term, names, spaced=True))}</mtext>"
    own = _LEVELS[term.sign]
    if term.sign == "/":
        top, below = (_drawn(arg, names, 0) for arg in term.args)
        return f"<mfrac><mrow>{top}</mrow><mrow>{below}</mrow></mfrac>"
    if term.sign == "√":
        return f"<msqrt>{_drawn(term.args[0], names, 0)}</msqrt>"
    if term.sign == "^":
        base, raised = _drawn(term.args[0], names, _ATOM), _drawn(term.args[1], names, 0)
        return f"<msup><mrow>{base}</mrow><mrow>{raised}</mrow></msup>"
    if term.sign == "ᵀ":
        return f"<msup><mrow>{_drawn(term.args[0], names, _ATOM)}</mrow><mi>T</mi></msup>"
    if term.sign == "neg":
        inner = f"<mo>−</mo>{_drawn(term.args[0], names, _LEVELS['·'])}"
    else:
        sign = "−" if term.sign == "-" else term.sign
        parts = [_drawn(arg, names, own + (i > 0)) for i, arg in enumerate(term.args)]
        inner = f"<mo>{sign}</mo>".join(parts)
    return f"<mrow>{inner}</mrow>" if own >= level else f"<mrow><mo>(</mo>{inner}<mo>)</mo></mrow>"


def _escaped(words: str) -> str:
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# -- calculating -------------------------------------------------------------------------------------------------------

_OPERATORS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "/": np.true_divide,
    "@": np.matmul,
    "neg": np.negative,
    "^": np.power,
    "√": np.sqrt,
    "||": np.abs,
    "=": np.equal,
    "≠": np.not_equal,
    "<": np.less,
    "≤": np.less_equal,
    ">": np.greater,
    "≥": np.greater_equal,
    "∧": np.logical_and,
    "∨": np.logical_or,
    "¬": np.logical_not,
    "?": np.where,
    "ᵀ": lambda x: np.swapaxes(x, -1, -2),
    "when": lambda x, condition: np.where(condition, x, 0),
}


def calculate(term: Any, values: Mapping[str, Any], function: Callable[[str], Callable[..., Any]]) -> Any:
    """The value of a term on arrays. `values` gives those of its names, `function` the functions that it calls."""
    match term:
        case Name(name):
            return values[name]
        case Number(value) | Constant(value):
            return value
        case Apply("·", args):
            factors = [calculate(arg, values, function) for arg in args]
            r = factors[0]
            for factor in factors[1:]:
                r = np.multiply(r, factor)
            return r
        case Apply("item", (of, Number(key))):
            return calculate(of, values, function)[key]
        case Apply(sign, args):
            return _OPERATORS[sign](*(calculate(arg, values, function) for arg in args))
        case Call(name, args, options):
            given = {key: calculate(value, values, function) for key, value in options}
            wanted = [calculate(arg, values, function) for arg in args]
            arrays = (np.asarray(v, float) if isinstance(a, Number) else v for a, v in zip(args, wanted, strict=True))
            return function(name)(*arrays, **given)
        case tuple():
            return tuple(calculate(arg, values, function) for arg in term)
        case list():
            return [calculate(arg, values, function) for arg in term]
    return term
