"""The third backend of derivative formulas: run on symbols, a formula says in words what it does.

    >>> rules("SinBackward0", 1)[0].text()
    'g·cos(self)'

A formula is written once, against a namespace. On arrays it calculates, on Tensors it is recorded, on `Symbol`s it
builds a term. A symbol may know the array that it stands for: of a Node at hand shapes and dtypes are known, so a
formula takes the way that it takes for this Node. Arrays are calculated only when a formula asks (for a shape, or which
way to go).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ...core.graph.backend import HELPERS, RAW, TENSORS
from ...core.recording.record import PROPERTIES, Formula, array_property
from ...core.tensor.tensor import Tensor
from . import terms
from .families import FUNCTIONS, NODES, OPS, LazyName, load_all
from .terms import KINDS, ONE, ZERO, Apply, Call, Constant, Name, Number, Term

__all__ = [
    "SYMBOLS",
    "UNREAD",
    "Rule",
    "Symbol",
    "Unsayable",
    "entries",
    "inputs_of",
    "public",
    "rules",
    "steady_result",
    "value_of",
]


class Unsayable(TypeError):
    """A formula asks a symbol for something that only arrays have."""


def _lifted(value: Any) -> Any:
    """A term for what stands in a formula: a symbol's own, a number's, or the plain value itself."""
    if isinstance(value, Symbol):
        return value.short
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return Number(value)
    if isinstance(value, np.ndarray):
        return Constant(value) if value.ndim else Number(value[()])
    if isinstance(value, (tuple, list)):
        return type(value)(map(_lifted, value)) if type(value) in (tuple, list) else tuple(map(_lifted, value))
    return value


def _plain(value: Any) -> Any:
    """The same as an argument of a call: numbers stay numbers, and nothing but zeros is an array of them."""
    if isinstance(value, Symbol):
        if isinstance(value.short, Number):
            if value.term in (ZERO, ONE) and value.known_shape and value.shape:
                return Call("zeros" if value.term == ZERO else "ones", (value.shape,))
            return value.term
        return value.short
    if isinstance(value, (tuple, list)):
        return type(value)(map(_plain, value)) if type(value) in (tuple, list) else tuple(map(_plain, value))
    term = _lifted(value)
    return term.value if isinstance(term, Number) else term


def _operand(value: Any) -> Term:
    term = _lifted(value)
    if isinstance(term, KINDS):
        return term
    raise Unsayable(f"no operand: {type(value).__name__}")


def _arrays(value: Any) -> Any:
    if isinstance(value, Symbol):
        return value.array
    if isinstance(value, (tuple, list)):
        return type(value)(map(_arrays, value)) if type(value) in (tuple, list) else tuple(map(_arrays, value))
    return value


def _complex(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return any(map(_complex, value))
    return isinstance(value, complex) or (isinstance(value, Symbol) and value.is_complex)


class Symbol:
    """A term where a formula expects an array. `make` gives the array, where it is known."""

    __slots__ = ("_array", "_make", "compares", "is_complex", "short", "term")
    __hash__ = object.__hash__

    def __init__(self, term: Term, make: Callable[[], Any] | None = None, is_complex: bool = False) -> None:
        self.term = term
        self._make = make
        self._array: Any = None
        self.is_complex = is_complex
        #: of a condition: what is left of it where parts are decided by what is known
        self.short = term
        #: of a condition: what it compares
        self.compares: tuple[Any, ...] = ()

    @staticmethod
    def of(term: Term, array: np.ndarray | None) -> Symbol:
        """A symbol for a known array (None: nothing is known of it)."""
        if array is None:
            return Symbol(term)
        return Symbol(term, lambda: array, array.dtype.kind == "c")

    @property
    def array(self) -> Any:
        if self._array is None:
            if self._make is None:
                raise Unsayable(f"nothing is known of {terms.text(self.term)}")
            with np.errstate(all="ignore"):
                self._array = np.asarray(self._make())
        return self._array

    @property
    def known(self) -> Any:
        """The array of a name, None of anything else or where it is not known."""
        return self.array if isinstance(self.term, Name) and self._make is not None else None

    @property
    def known_shape(self) -> bool:
        try:
            return self.shape is not None
        except Exception:
            return False

    # what arrays tell of themselves

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def dtype(self) -> Any:
        return np.dtype(np.float64) if self._make is None else self.array.dtype

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def T(self) -> Symbol:
        return made(terms.transposed(self.term), np.transpose, self)

    @property
    def real(self) -> Symbol:
        return SYMBOLS.real_part(self)

    @property
    def imag(self) -> Symbol:
        return SYMBOLS.imag(self)

    def numel(self) -> int:
        return self.size

    def __len__(self) -> int:
        return len(self.array)

    def __bool__(self) -> bool:
        return bool(self.array)

    def conjugate(self) -> Symbol:
        return SYMBOLS.conj(self)

    def astype(self, dtype: Any) -> Symbol:
        kept = Symbol(self.term, lambda: self.array.astype(dtype))
        kept.is_complex = np.dtype(dtype).kind == "c"
        return kept

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in _TELLING or not hasattr(np.ndarray, name):
            raise AttributeError(name)
        return partial(getattr(SYMBOLS, name), self)

    def __getitem__(self, key: Any) -> Symbol:
        return made(Apply("item", (self.term, Number(key))), lambda x: x[key], self)

    def __iter__(self) -> Any:
        return iter([self[i] for i in range(len(self.array))])

    # arithmetic

    def __neg__(self) -> Symbol:
        return made(terms.negative(self.term), np.negative, self)

    def __abs__(self) -> Symbol:
        return SYMBOLS.abs(self)

    def __invert__(self) -> Symbol:
        ordered = _ordered(self)
        opposite = made(terms.negated(self.term, ordered), np.logical_not, self)
        opposite.short = terms.negated(self.short, ordered)
        opposite.compares = self.compares
        return opposite

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Symbol:
        options.pop("out", None)  # a kernel that says where a result goes uses what the ufunc returns
        if method == "reduce" and ufunc is np.add and len(inputs) == 1 and set(options) <= {"axis", "keepdims"}:
            return SYMBOLS.sum(self, options.get("axis"), options.get("keepdims", False))
        if method != "__call__" or options:
            raise Unsayable(f"{ufunc.__name__}.{method}")
        return getattr(SYMBOLS, _UFUNCS.get(ufunc.__name__, ufunc.__name__))(*inputs)

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise Unsayable("np.asarray")

    def __array_function__(self, fn: Any, kinds: Any, args: Any, options: Any) -> Any:
        word = _ARRAY_FUNCTIONS.get(fn.__name__)
        if word is None or options:
            raise Unsayable(f"np.{fn.__name__}")
        return getattr(SYMBOLS, word)(*args)


#: methods of arrays that take the numbers out of them
_TELLING = frozenset(("item", "tolist", "tobytes", "fill", "put", "view", "itemset", "resize", "partition"))
#: NumPy's names of functions that are PyTorch's under another
_UFUNCS = {
    "absolute": "abs",
    "arccos": "acos",
    "arcsin": "asin",
    "arctan": "atan",
    "arctan2": "atan2",
    "conjugate": "conj",
    "divide": "div",
    "equal": "eq",
    "greater": "gt",
    "greater_equal": "ge",
    "less": "lt",
    "less_equal": "le",
    "multiply": "mul",
    "negative": "neg",
    "not_equal": "ne",
    "power": "pow",
    "subtract": "sub",
    "true_divide": "div",
}
_ARRAY_FUNCTIONS = {"where": "pick", "zeros_like": "nought", "ones_like": "ones_of", "clip": "clip", "isnan": "isnan"}


def made(term: Term, fn: Callable[..., Any], *args: Any) -> Symbol:
    """A symbol for what a function makes of others; its array is calculated when it is asked for."""
    return Symbol(term, lambda: fn(*_arrays(args)), _complex(args))


def _binary(name: str, build: Callable[[Term, Term], Term], ufunc: Any) -> Callable[[Any, Any], Symbol]:
    def word(x: Any, y: Any) -> Symbol:
        r = made(build(_operand(x), _operand(y)), ufunc, x, y)
        if name in ("and", "or"):
            r.term = build(*(v.term if isinstance(v, Symbol) else _operand(v) for v in (x, y)))
            r.compares = tuple(c for v in (x, y) for c in getattr(v, "compares", ()))
        return r

    word.__name__ = name
    return word


def _comparison(sign: str, ufunc: Any) -> Callable[[Any, Any], Symbol]:
    def word(x: Any, y: Any) -> Symbol:
        r = made(terms.compared(sign, _operand(x), _operand(y)), ufunc, x, y)
        r.compares = (x, y)
        known = x.known if isinstance(x, Symbol) else None
        if sign in ("=", "≠") and known is not None and isinstance(y, (int, float)) and known.size:
            decided = ufunc(known, y)
            if decided.all() or not decided.any():  # a case that does not occur here is left out
                r.short = Number(bool(decided.all()))
        return r

    return word


_ARITHMETIC: dict[str, Callable[[Any, Any], Symbol]] = {
    name: _binary(name, build, ufunc)
    for name, build, ufunc in (
        ("add", terms.total, np.add),
        ("sub", terms.difference, np.subtract),
        ("mul", terms.product, np.multiply),
        ("div", terms.quotient, np.true_divide),
        ("pow", terms.power, np.power),
        ("matmul", terms.matrix_product, np.matmul),
        ("and", terms.conjunction, np.logical_and),
        ("or", terms.disjunction, np.logical_or),
    )
}
_COMPARISONS = {
    name: _comparison(sign, ufunc)
    for name, sign, ufunc in (
        ("lt", "<", np.less),
        ("le", "≤", np.less_equal),
        ("gt", ">", np.greater),
        ("ge", "≥", np.greater_equal),
        ("eq", "=", np.equal),
        ("ne", "≠", np.not_equal),
    )
}
for _name, _word in (*_ARITHMETIC.items(), *_COMPARISONS.items()):
    setattr(Symbol, f"__{'truediv' if _name == 'div' else _name}__", lambda x, y, word=_word: word(x, y))
    if _name not in _COMPARISONS:
        reflected = f"__r{'truediv' if _name == 'div' else _name}__"
        setattr(Symbol, reflected, lambda y, x, word=_word: word(x, y))


# -- the namespace -----------------------------------------------------------------------------------------------------


class _Symbols:
    """The namespace that formulas get: what has a sign of its own, then the helpers of formulas, then calls by name."""

    def __init__(self) -> None:
        words: dict[str, Any] = {name: word for name, word in _ARITHMETIC.items() if name != "div"} | _COMPARISONS
        words |= {"bitwise_and": words["and"], "bitwise_or": words["or"], "logical_and": words["and"]}
        words |= {"logical_or": words["or"], "mm": words["matmul"], "bmm": words["matmul"], "mv": words["matmul"]}
        words |= {"add_number": words["add"], "sub_number": words["sub"], "div_number": _ARITHMETIC["div"]}
        words["mul_number"] = lambda x, number: _ARITHMETIC["mul"](number, x)
        words["special_erfcx"] = partial(_call, "special_erfcx")
        self.__dict__.update(words)

    # what changes nothing in words

    def conj(self, x: Any) -> Any:
        if not isinstance(x, Symbol):
            return x.conjugate()
        if isinstance(x.short, Number):
            return Symbol(Number(x.short.value.conjugate()), lambda: x.array.conjugate())
        return _call("conj", x) if x.is_complex else x

    def real_part(self, x: Any) -> Any:
        if not _complex(x):
            return x
        real = _call("real", x)
        real.is_complex = False
        return real

    def imag(self, x: Any) -> Any:
        made_ = _call("imag", x)
        made_.is_complex = False
        return made_

    def _same(self, x: Any, *_: Any) -> Any:
        return x

    contiguous = view_grad = alias = resolve_conj = floats_like = places = _same

    def to(self, x: Any, dtype: Any) -> Symbol:
        return made(Call("to", (x.term, _plain(dtype))), lambda a: a.astype(getattr(dtype, "numpy", dtype)), x)

    _to_copy = to

    # signs

    def neg(self, x: Any) -> Any:
        return -x

    def square(self, x: Any) -> Any:
        return self.pow(x, 2)

    def reciprocal(self, x: Any) -> Any:
        return 1 / x

    def sqrt(self, x: Any) -> Symbol:
        return made(Apply("√", (_operand(x),)), np.sqrt, x)

    def rsqrt(self, x: Any) -> Any:
        return 1 / self.sqrt(x)

    def abs(self, x: Any) -> Symbol:
        r = made(Apply("||", (_operand(x),)), np.abs, x)
        r.is_complex = False
        return r

    def div(self, x: Any, y: Any, rounding_mode: str | None = None) -> Any:
        if rounding_mode == "floor":
            return _call("floor_divide", x, y)
        if rounding_mode is not None:
            return _call(rounding_mode, _ARITHMETIC["div"](x, y))
        return _ARITHMETIC["div"](x, y)

    def reversed(self, x: Any, dim: int) -> Any:
        return _call("flip", x, (dim,))

    def linalg_inverse(self, x: Any) -> Any:
        return _call("inverse", x)

    def t(self, x: Any) -> Symbol:
        if x.known is not None and x.ndim < 2:
            return x
        return made(terms.transposed(_operand(x)), np.transpose, x)

    def transpose(self, x: Any, dim0: int, dim1: int) -> Symbol:
        swap = partial(np.swapaxes, axis1=dim0, axis2=dim1)
        if {dim0, dim1} == {-1, -2} or {dim0, dim1} == {0, 1} and x.ndim == 2:
            return made(terms.transposed(_operand(x)), swap, x)
        return made(Call("transpose", (x.term, dim0, dim1)), swap, x)

    def logical_not(self, x: Any) -> Any:
        return ~x

    bitwise_not = logical_not

    def logical_xor(self, x: Any, y: Any) -> Any:
        return x != y

    # choices

    def nought(self, x: Any) -> Symbol:
        return Symbol(ZERO, lambda: np.zeros(x.shape, x.dtype))

    def zero_dim(self, x: Any) -> Symbol:
        return Symbol(ZERO, lambda: np.zeros((), x.dtype))

    def new_zeros_of(self, like: Any, shape: Any) -> Symbol:
        return self.zeros_of(like, shape)

    def zeros_of(self, like: Any, shape: Any) -> Symbol:
        return Symbol(ZERO, lambda: np.zeros(shape, like.dtype))

    def ones_of(self, x: Any) -> Symbol:
        return Symbol(ONE, lambda: np.ones(x.shape, x.dtype))

    def zeros_like(self, x: Any) -> Symbol:
        return self.nought(x)

    def ones_like(self, x: Any) -> Symbol:
        return self.ones_of(x)

    def only(self, mask: Any, x: Any) -> Symbol:
        return made(terms.guarded(_operand(x), _operand(mask)), lambda m, v: np.where(m, v, 0), mask, x)

    kept = only

    def pick(self, mask: Any, x: Any, y: Any) -> Symbol:
        condition, a, b = map(_operand, (mask, x, y))
        if isinstance(a, Number) and not isinstance(a.value, bool) and a.value == 0:
            term = terms.guarded(b, terms.negated(condition, _ordered(mask)))
        elif b is ZERO:
            term = terms.guarded(a, condition)
        else:
            term = terms.chosen(condition, a, b)
        return made(term, np.where, mask, x, y)

    where = pick

    def masked_fill(self, x: Any, mask: Any, value: Any) -> Symbol:
        return self.pick(mask, value, x)

    def threshold_backward(self, grad: Any, input: Any, threshold: Any) -> Symbol:
        """Its kernel works on bits, which have no words."""
        return self.pick(input <= threshold, Symbol(ZERO, lambda: np.zeros((), grad.dtype)), grad)

    def _softmax_backward_data(self, grad: Any, output: Any, dim: Any) -> Symbol:
        """What its kernel computes, which is one of PyTorch's Nodes where the backward is recorded."""
        r: Symbol = (grad - self.sum(grad * output, dim, True)) * output
        return r

    def _log_softmax_backward_data(self, grad: Any, output: Any, dim: Any) -> Symbol:
        """As `_softmax_backward_data`."""
        r: Symbol = grad - self.exp(output) * self.sum(grad, dim, True)
        return r

    def isnan(self, x: Any) -> Symbol:
        r: Symbol = _call("isnan", x)
        if x.known is not None and not np.isnan(x.known).any():  # a case that does not occur here is left out
            r.short = Number(False)
        return r

    def is_complex(self, x: Any) -> bool:
        return _complex(x)

    def any_zero(self, x: Any) -> bool:
        return not np.all(x.array)

    def restored(self, grad: Any, shape: Any, dim: Any, keepdim: Any) -> Any:
        """In words the gradient of a reduction has its place at every element."""
        return self.spread(grad, shape, dim, keepdim)

    def __getattr__(self, name: str) -> Any:
        """A helper of formulas is run on symbols; a function of the library is called; else its kernel is run."""
        if name.startswith("__"):
            raise AttributeError(name)
        word: Callable[..., Any]
        if name in FUNCTIONS or hasattr(Tensor, name):
            word = partial(_call, name)
        else:
            _load(name)
            helper = HELPERS.get(name)
            word = partial(helper, self) if helper is not None else partial(_run_kernel, name)
        self.__dict__[name] = word
        return word


def _ordered(mask: Any) -> bool:
    """Whether no NaN is known to be compared, so that the opposite of < may be written as ≥."""
    if not isinstance(mask, Symbol):
        return False
    try:
        return bool(mask.compares) and not any(np.isnan(_arrays(v)).any() for v in mask.compares)
    except Unsayable:
        return True  # the numbers are not known, so there may be NaNs
    except TypeError:
        return False


def _load(name: str) -> None:
    """Load the family of a name that stands for one still to come."""
    found = TENSORS.__dict__.get(name)
    if type(found) is LazyName:
        found.found()


def _call(name: str, *args: Any, **options: Any) -> Any:
    """A function of the library, called by its name; as many symbols as it has outputs."""
    term = Call(name, tuple(map(_plain, args)), tuple((key, _plain(value)) for key, value in options.items()))
    whole = made(term, lambda *arrays: value_of(name)(*arrays, **_arrays_of(options)), *args)
    outputs = OPS[name].outputs if dict.__contains__(OPS, name) else ()
    if len(outputs) < 2:
        return whole
    return tuple(
        made(Apply("item", (term, Number(i))), lambda *a, i=i: value_of(name)(*a, **_arrays_of(options))[i], *args)
        for i in range(len(outputs))
    )


def _arrays_of(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _arrays(value) for key, value in options.items()}


def _run_kernel(name: str, *args: Any, **options: Any) -> Symbol:
    """An operation that only formulas know: its kernel run on symbols, or where that cannot be its name."""
    kernel: Any = OPS[name].kernel if name in OPS else getattr(RAW, name)
    try:
        r = inspect.unwrap(kernel)(*args, **options)
    except (Unsayable, TypeError, AttributeError, ValueError, IndexError, KeyError):
        return _call(name, *args, **options)
    whole = isinstance(r, Symbol) or (isinstance(r, tuple) and all(isinstance(v, Symbol) for v in r))
    return r if whole else _call(name, *args, **options)


def value_of(name: str) -> Callable[..., Any]:
    """The function on arrays that a term calls by a name."""
    if name in _ON_ARRAYS:
        return _ON_ARRAYS[name]
    for backend in (RAW, np):
        try:
            found: Any = getattr(backend, name)
            return found.found() if hasattr(found, "found") else found
        except AttributeError:  # a name that only Tensors have
            continue
    raise Unsayable(f"no function on arrays: {name}")


#: functions on arrays that RAW has under another name, or for other arguments
_ON_ARRAYS: dict[str, Callable[..., Any]] = {
    "inverse": lambda x: RAW.linalg_inverse(x),
    "to": lambda x, dtype: x.astype(getattr(dtype, "numpy", dtype)),
}

#: what formulas get in place of RAW and TENSORS
SYMBOLS = _Symbols()

# -- rules of Nodes ----------------------------------------------------------------------------------------------------

_BACKWARD = re.compile(r"^(.*?Backward\d+)(?:_copy)?$")
#: stands for a saved tensor that cannot be read: freed, or changed since
UNREAD: Any = object()


@dataclass(frozen=True, slots=True)
class Rule:
    """What a Node does to the gradient for one of its inputs. `file` and `line` are where the formula stands."""

    input: str  #: PyTorch's name of the input
    term: Any
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    complete: bool = True  #: whether the words say how it is calculated, not only of what
    brief: Any = None  #: what it is calculated of: `native_layer_norm_backward(g, input, weight)`
    #: what a formula says of itself in words, English and Chinese; {weight} is the name of a saved value
    words: tuple[str, str] | None = field(default=None, compare=False)

    @property
    def elementwise(self) -> bool:
        """Whether each element of the gradient comes from the elements at its place alone: then it is summed afterwards
        where the input was broadcast."""
        return _pointwise(self.term)

    @property
    def in_numbers(self) -> bool:
        """Whether the words can be followed with numbers in place of names: signs and functions of numbers only."""
        return _worked(self.term) and not (isinstance(self.term, Apply) and self.term.sign == "ᵀ")

    def text(self, names: Mapping[str, str] | None = None, spaced: bool = False) -> str:
        """The rule in one line."""
        return terms.text(self.term, names, spaced)

    def parts(
        self, names: Mapping[str, str], values: Mapping[str, Any]
    ) -> tuple[list[tuple[str, np.ndarray]], tuple[str, ...]] | None:
        """The factors of the rule, written and calculated, and the signs between them: of g·(1-result²) the numbers of
        g and those of 1-result². None where something is not known."""
        factors, signs = terms.split(self.term)
        try:
            with np.errstate(all="ignore"):
                numbers = [np.asarray(terms.calculate(factor, values, value_of)) for factor in factors]
        except Exception:  # a value that was not kept, or a function that asks for more than numbers
            return None
        return [(terms.text(factor, names), value) for factor, value in zip(factors, numbers, strict=True)], signs

    def calculated(self, values: Mapping[str, Any]) -> np.ndarray | None:
        """The gradient for the input, of numbers for all the names; None where it takes more than numbers."""
        try:
            with np.errstate(all="ignore"):
                return np.asarray(terms.calculate(self.term, values, value_of))
        except Exception:
            return None

    @property
    def of(self) -> list[str]:
        """The names of what it is calculated of."""
        return list(
            dict.fromkeys(leaf.name for leaf in terms.leaves(self.brief or self.term) if isinstance(leaf, Name))
        )


def _pointwise(term: Any) -> bool:
    if isinstance(term, Apply):
        return term.sign not in ("@", "ᵀ", "item") and all(map(_pointwise, term.args))
    if isinstance(term, Call):
        entry = OPS.get(term.name)
        return entry is not None and entry.elementwise and all(map(_pointwise, term.args))
    return True


def _worked(term: Any) -> bool:
    if isinstance(term, Apply):
        return term.sign != "item" and all(map(_worked, term.args))
    return _pointwise(term) if isinstance(term, Call) else not isinstance(term, Constant)


def public(name: str) -> bool:
    """Whether a function or method of the library has a name."""
    return name in FUNCTIONS or (hasattr(Tensor, name) and not name.startswith("_"))


def without_derivative(name: str) -> bool:
    """Whether an operation has no derivative, as argmax and comparisons have none."""
    try:
        return not OPS[name].differentiates and OPS[name].creation is None
    except KeyError:  # no entry of the table
        return False


def entries(node: str) -> list[Any]:
    """The entries of the op table whose Node has a name."""
    found = _BACKWARD.match(node)
    if found is None:  # AccumulateGrad, the Node of a Function of the learner's
        return []
    if found[1] not in NODES:
        load_all()
    return NODES.get(found[1], [])


def _fitting(node: str, saved: tuple[str, ...]) -> Any:
    """Of several entries with one Node name that whose saved values are most like the Node's."""
    return _best(node, saved, len(entries(node)))  # more of them may be loaded later


@lru_cache(2048)
def _best(node: str, saved: tuple[str, ...], count: int) -> Any:
    best, score = None, (-1, 0)
    for entry in entries(node):
        names = [n for n in entry.node_class.saved_names if n]
        unlike = len(set(saved).symmetric_difference(names)) if saved else 0
        fit = (-unlike, len(names))
        if best is None or fit > score:
            best, score = entry, fit
    return best


def inputs_of(node: str) -> tuple[str, ...]:
    """PyTorch's names of the inputs of a Node, as far as the table knows it."""
    return _inputs_of(_fitting(node, ()))


@lru_cache(1024)
def _inputs_of(entry: Any) -> tuple[str, ...]:
    if entry is None or entry.list_place is not None:
        return ("tensors",) if entry is not None else ()
    return tuple(_theirs(entry, entry.names[place]) for place in entry.edge_places)


def results_of(node: str, saved: tuple[str, ...]) -> list[str]:
    """The names under which a Node that saves these values keeps its own results."""
    entry = _fitting(node, saved)
    kept = [] if entry is None else zip(entry.savers, entry.fields, entry.node_class.saved_names, strict=True)
    return [shown or name for (kind, _), name, shown in kept if kind == "output"]


#: what a result is tried with that may be the same whatever it is computed from: small and large, of both signs
_TRIED = (0.0, 1e-3, -1.0, 40.0, -1e6, 1e30)


def steady_result(node: str, saved: Mapping[str, Any], shape: tuple[int, ...]) -> np.ndarray | None:
    """The result of a Node's operation if it is the same whatever its input of that shape is, as that of a softmax over
    a dimension of size 1; None if it is not, or if that takes more than the settings that the Node has saved."""
    entry = _fitting(node, tuple(saved))
    if entry is None or len(entry.edge_places) != 1 or len(entry.outputs) > 1 or entry.list_place is not None:
        return None
    arguments = []
    for place, name in enumerate(entry.names):
        known = saved.get(_theirs(entry, name), UNREAD)
        if place not in entry.edge_places and known is UNREAD:
            break  # the rest is as it is by default
        arguments.append(known)
    found = None
    uneven = np.linspace(0.5, 1.5, int(np.prod(shape))).reshape(shape)
    for size in _TRIED:
        arguments[entry.edge_places[0]] = uneven * size
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(value_of(entry.name)(*arguments))
        except Exception:  # other settings than those that were saved are needed
            return None
        if found is not None and not np.array_equal(result, found):
            return None
        found = result
    return found


def _theirs(entry: Any, name: str) -> str:
    fields, shown = entry.fields, entry.node_class.saved_names
    return (name in fields and shown[fields.index(name)]) or ("self" if name == "input" else name)


def rules(
    node: str,
    count: int,
    saved: Mapping[str, Any] | None = None,
    grads: Sequence[np.ndarray | None] = (None,),
    wanted: Sequence[bool] | None = None,
    inputs: Sequence[np.ndarray | None] = (),
) -> tuple[Rule | None, ...]:
    """The rules of a Node with `count` inputs, None where the table has none.

    node: the name of the Node, such as "MulBackward0", which autogradlab and PyTorch share.
    saved: what it saved, by PyTorch's names: arrays, plain values, UNREAD for a tensor that cannot be read.
    grads: for each gradient that comes in an array like it, None where its shape is not known.
    wanted: for each input whether its gradient is asked for; None for all.
    inputs: for each input an array like it, as far as that is known.
    """
    known = {key: _signed(value) for key, value in (saved or {}).items()}
    entry = _fitting(node, tuple(known))
    found: list[Rule | None] = [None] * count
    if entry is None:
        return tuple(found)
    facts = _Facts(entry, known, grads, tuple(inputs) or (None,) * count)
    needs = list(wanted) if wanted is not None else [True] * count
    for formula in entry.formulas:
        places = range(count) if formula.joint and not formula.edges else formula.edges
        if any(needs[i] for i in places if i < count):
            for i, rule in zip(places, facts.rules(formula, needs), strict=False):
                if i < count and needs[i]:
                    found[i] = rule
    return tuple(found)


def _signed(value: Any) -> Any:
    """A saved value as one writes it: PyTorch keeps dimensions unsigned."""
    if isinstance(value, int) and not isinstance(value, bool) and value >= 2**63:
        return value - 2**64
    if isinstance(value, tuple) and any(isinstance(v, int) and v >= 2**63 for v in value):
        return tuple(map(_signed, value))
    return value


class _Facts:
    """What is known of one Node: what it saved, what comes in, what its inputs are like."""

    def __init__(
        self,
        entry: Any,
        known: Mapping[str, Any],
        grads: Sequence[np.ndarray | None],
        inputs: Sequence[np.ndarray | None],
    ) -> None:
        self.entry = entry
        self.known = known
        self.inputs = inputs
        self.grad: Any = Symbol.of(Name("g"), grads[0] if grads else None)
        if entry.multi_node:
            self.grad = [Symbol.of(Name(f"g[{i}]"), g) for i, g in enumerate(grads)]

    def rules(self, formula: Formula, needs: list[bool]) -> list[Rule | None]:
        """What a formula says, one rule for each of its inputs."""
        names = self.edge_names(formula)
        code = formula.fn.__code__
        where = (code.co_filename, code.co_firstlineno)
        given = [self.saved(name) for name in formula.names]
        if formula.needs:
            given.append([needs[i] for i in formula.edges] if formula.edges else needs)
        words = self.words(formula, given, len(names))
        try:
            out = formula.fn(SYMBOLS, self.grad, *given)
            outs = list(out) if formula.joint else [out]
            return [
                None if o is None else Rule(n, _operand(o), *where, brief=self.named(formula, i), words=words[i])
                for i, (n, o) in enumerate(zip(names, outs, strict=True))
            ]
        except Exception as error:
            if isinstance(error, RuntimeError) and "derivative" in str(error):  # it has none
                return [None] * len(names)
            return [
                Rule(n, self.named(formula, i), *where, complete=False, words=words[i]) for i, n in enumerate(names)
            ]

    def words(self, formula: Formula, given: Sequence[Any], count: int) -> list[tuple[str, str] | None]:
        """What a formula of reals says of itself, for each of its inputs."""
        found: list[tuple[str, str] | None] = []
        known = dict(zip(formula.names, given, strict=False))
        for words in getattr(formula.fn, "words", ()) if not _complex(self.grad) else ():
            try:
                found.append(
                    words(*map(known.__getitem__, inspect.signature(words).parameters)) if callable(words) else words
                )
            except (Unsayable, LookupError, TypeError, ValueError):  # what would decide is not known
                found.append(None)
        return found + [None] * (count - len(found))

    def named(self, formula: Formula, number: int) -> Term:
        """What can be said of a formula that symbols do not pass: whose it is, and of what it is made."""
        entry = self.entry
        parts: list[Term] = [Name(f"g[{i}]") for i in range(len(self.grad))] if entry.multi_node else [Name("g")]
        for name in formula.names:
            place = entry.fields.index(name)
            shown = entry.node_class.saved_names[place] or name
            tensors = entry.savers[place][0] in ("tensor", "output", "list", "results")
            if tensors and self.known.get(shown, UNREAD) is not None:
                parts.append(Name(shown))
        whole = Call(f"{entry.name}_backward", tuple(parts))
        return Apply("item", (whole, Number(number))) if formula.joint and len(formula.edges) != 1 else whole

    def edge_names(self, formula: Formula) -> list[str]:
        """PyTorch's names of the inputs that a formula differentiates by."""
        entry = self.entry
        if entry.list_place is not None:
            return [f"{_theirs(entry, entry.names[entry.list_place])}[{i}]" for i in range(len(self.inputs))]
        return [_theirs(entry, entry.names[entry.edge_places[i]]) for i in formula.edges]

    def saved(self, name: str) -> Any:
        """What a formula gets for a parameter: a symbol for a tensor, the value itself for anything else."""
        entry = self.entry
        place = entry.fields.index(name)
        shown = entry.node_class.saved_names[place] or name
        kind, of = entry.savers[place]
        value = self.known.get(shown, UNREAD)
        if kind in ("list", "results"):
            arrays = value if isinstance(value, (list, tuple)) else [None] * len(self.inputs)
            return [Symbol.of(Name(f"{shown}[{i}]"), a) for i, a in enumerate(arrays)]
        if kind in ("tensor", "output"):
            if value is None:  # an optional tensor that was not given
                return None
            return Symbol.of(Name(shown), value if isinstance(value, np.ndarray) else None)
        if value is not UNREAD:
            return value
        shapes = [x.shape for x in self.inputs if x is not None]
        if kind == "shapes" and len(shapes) == len(self.inputs):
            return shapes
        if kind in ("shape", *PROPERTIES) and of in entry.edge_places:
            like = self.inputs[entry.edge_places.index(of)]
            if like is not None:
                return array_property(like, kind)
        constant = entry.node_class.constants.get(shown, UNREAD)
        return Symbol(Name(shown)) if constant is UNREAD or callable(constant) else constant
