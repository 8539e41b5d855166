"""Functions of functions (mirrors `torch.func`): gradients, products with Jacobians, Jacobians, vmap.

>>> import autogradlab as torch
>>> torch.func.grad(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
tensor([ 3., 12.])
"""

from __future__ import annotations

import functools
import operator
import types
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from ..autograd.edge import GradientEdge
from ..autograd.forward_ad import Level as Forward
from ..autograd.forward_ad import check_dual, dual_level, make_dual, reaches_others, refuse_nested, unpack_dual
from ..autograd.function import transforms
from ..autograd.grad_mode import enable_grad, inference_mode
from ..autograd.trees import flat, like, sketch, structure
from ..core.graph.node import LeafStart, Start, pair, reachable
from ..core.memory.rows import levels_of
from ..core.memory.versions import of_inference
from ..core.recording.record import TENSORS as F
from ..core.recording.views import share
from ..core.runtime import errors, modes
from ..core.tensor import overriding
from ..core.tensor.edges import made_by, was_leaf
from ..core.tensor.tensor import Tensor, gradient_edge, requires_grad, set_requires_grad, wrap
from ..utils._pytree import tree_structure, tree_unflatten
from .functionalizing import functionalize
from .mapping import check_randomness, end, puts_back, vmap
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from .rearranging import rearrange

__all__ = [
    "debug_unwrap",
    "functional_call",
    "functionalize",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "rearrange",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

Function = Callable[..., Any]


#: the leaves that derivatives hold which `vjp` and `linearize` have made: to others they are constants
_held: weakref.WeakValueDictionary[int, Tensor] = weakref.WeakValueDictionary()


class _Level:
    """A transform that runs: the tensors it differentiates by, apart from those that require grad outside."""

    #: whether code is at work that lies beneath the transform
    hidden = False

    def __init__(self, func: Function, forward: bool = False) -> None:
        self.func = func
        self.own: set[int] = set()
        #: the Nodes where the history of tensors begins that require grad outside
        self.starts: set[Any] = set()
        self.kept: list[Tensor] = []
        #: the tensors that the function is given in the place of others
        self.given: list[Tensor] = []
        self.forward = forward

    def __enter__(self) -> _Level:
        local = modes.current()
        if not self.forward:
            if local.saved_hooks:
                raise RuntimeError(errors.WITHIN_SAVED_HOOKS)
            self.refusal, local.saved_hooks_disabled = local.saved_hooks_disabled, errors.WITHIN_SAVED_HOOKS
            local.reverse += 1
        transforms.depth += 1
        transforms.stack += (self,)
        #: whether what the transform computes is recorded outside of it
        self.recorded = local.record
        self.modes = inference_mode(False), enable_grad()
        for mode in self.modes:
            mode.__enter__()
        local.captured = (*local.captured, self._captures)
        local.refresh()
        return self

    def __exit__(self, *exc: object) -> None:
        local = modes.current()
        if not self.forward:
            local.saved_hooks_disabled = self.refusal
            local.reverse -= 1
        local.captured = local.captured[:-1]
        local.refresh()
        for mode in reversed(self.modes):
            mode.__exit__(*exc)
        transforms.stack = transforms.stack[:-1]
        transforms.depth -= 1
        if not self.forward:
            leaves = [pair(gradient_edge(leaf))[0] for leaf in self.kept]
            end([*self.starts, *[node for node in leaves if node is not None]])

    def around(self, t: Tensor, every: bool = False) -> tuple[str, Tensor]:
        """How tensors print that the function is given or makes, and what they are outside; "" for others, unless
        `every` tensor has been wrapped."""
        if not every and self._captures(t):
            return "", t
        given = any(t is own for own in self.given)
        return "GradTrackingTensor(lvl={}, value=\n{}\n)", t._stands_for if given else t

    def _captures(self, t: Tensor) -> bool:
        """Whether the function gets a tensor, or the base of a view, in another way than as an argument."""
        wanted = {id(t)} if t._view is None else {id(t), id(t._view.base)}
        return any(id(x) in wanted for x in _reached(self.func))

    def fresh(self, tree: Any, within: Forward | None = None) -> Any:
        """Tensors to differentiate by, for the transform or for a level of forward mode, which may change them in
        place; those that require grad outside keep their history.

        Errors: RuntimeError (ValueError in forward mode) for dtypes without derivatives; ValueError for what is no
        tensor.
        """
        if not self.forward:
            _only_tensors(tree)
        return like(tree, iter([self._one(t, within) if isinstance(t, Tensor) else t for t in flat(tree)]))

    def _one(self, t: Tensor, within: Forward | None) -> Tensor:
        if requires_grad(t):
            return self.begun(t)
        if not (t.is_floating_point() or t.is_complex()):
            if self.forward:
                raise ValueError(f"Expected primal to be floating point or complex, but got: {t.dtype}")
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        made = wrap(t._array) if of_inference(t) else self._alias(t)
        made._stands_for = t
        self.given.append(made)
        if within is not None:
            begun = within.begin(made)
            begun._stands_for = t
            return begun
        self.own.add(id(_leaf(made)))
        self.kept.append(made)
        return made

    def _alias(self, t: Tensor) -> Tensor:
        """Another tensor on the same memory, without history; where gradients are asked for, of no subclass."""
        if self.forward or not overriding.overrides(type(t)):
            made: Tensor = F.detach(t)
            return made
        with overriding.DisableTorchFunctionSubclass():
            made = F.detach(t)
        return made

    def begun(self, t: Tensor) -> Tensor:
        """A tensor in the place of one that requires grad outside, on the same memory."""
        made = self._alias(t)
        made._stands_for = t
        self.given.append(made)
        kind = Start if self.forward and not was_leaf(t) else LeafStart
        start = kind.after(gradient_edge(t), t._array)
        made._edge = start
        self.starts.add(start)
        return made

    def released(self, t: Any) -> Any:
        """A result without the history that ends at this transform's own tensors; with it where others require grad
        and it is recorded outside. An argument that comes back is the tensor that it stood for, a view one outside."""
        if not isinstance(t, Tensor):
            return t
        given = any(t is own for own in self.given)
        if given and made_by(t) in (None, *self.starts):
            return t._stands_for
        if not requires_grad(t) or (self.recorded and self._from_outside(t)):
            return t
        if t._view is None or given:
            return F.detach(t)
        return share(self.released(t._view.base), t._array, None)

    def release(self, tree: Any) -> Any:
        """`released` of all tensors of a tree."""
        return like(tree, iter([self.released(t) for t in flat(tree)]))

    def outlasts(self, t: Tensor) -> bool:
        """Whether derivatives of a result are to have a history: that of others, who may differentiate once more; or,
        where code of the user runs on the way, since it sees that the pass is recorded, as in PyTorch each one is."""
        return requires_grad(t) and self._from_outside(t, self.recorded, watched=True)

    def _from_outside(self, t: Tensor, leaves: bool = True, watched: bool = False) -> bool:
        """Whether a tensor's history leads to tensors of others (`leaves`), or to hooks or Functions (`watched`)."""
        made = made_by(t)
        if made is None:  # a leaf, or a view of one that is not recorded
            return leaves and id(t if t._view is None else t._view.base) not in self.own
        nodes: Iterator[Any] = reachable([made])
        for node in nodes:
            if node.accumulates:
                own = id(node.variable) in self.own or _held.get(id(node.variable)) is node.variable
                if leaves and not own:
                    return True
            elif watched and (node.user_code or node.hooks is not None):
                return True
        return False


def debug_unwrap(tensor: Tensor, *, recurse: bool = True) -> Tensor:
    """The tensor outside of a transform that an argument of its function stands for; with `recurse` outside of all
    transforms.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.ones(2)
        >>> torch.func.vmap(lambda t: print(torch.func.debug_unwrap(t) is x) or t)(x)
        True
        tensor([1., 1.])

    Mirrors `torch.func.debug_unwrap`.
    """
    found = tensor
    while (outer := getattr(found, "_stands_for", None)) is not None:
        found = outer
        if not recurse:
            break
    return found


def _leaf(t: Tensor) -> Tensor:
    """A tensor that requires grad from now on."""
    set_requires_grad(t, True, "method")
    return t


def _is_own(func: Any) -> bool:
    """Whether a function is the library's: it reaches no tensor of the user's."""
    return str(func.__globals__.get("__name__")).partition(".")[0] == __name__.partition(".")[0]


def _reached(func: Any) -> list[Tensor]:
    """The tensors that a function has by its closure, its globals, its defaults, or the object whose method it is."""
    found: list[Tensor] = []
    seen: set[int] = set()
    stack: list[Any] = [func]
    while stack:
        item = stack.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, Tensor):
            found.append(item)
        elif isinstance(item, (list, tuple)):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
        elif isinstance(item, functools.partial):
            stack += [item.func, item.args, item.keywords]
        elif isinstance(item, types.MethodType):
            stack += [item.__func__, item.__self__]
        elif isinstance(item, types.FunctionType) and not _is_own(item):
            stack += [item.__defaults__ or (), item.__kwdefaults__ or {}]
            stack += [cell.cell_contents for cell in item.__closure__ or () if cell != types.CellType()]
            codes = [item.__code__]
            for code in codes:
                stack += [item.__globals__[name] for name in code.co_names if name in item.__globals__]
                codes += [c for c in code.co_consts if isinstance(c, types.CodeType)]
        elif hasattr(item, "_parameters") and hasattr(item, "_buffers"):
            stack += [item.__dict__]
    return found


def _gradients(
    outs: list[Tensor],
    ins: list[Tensor],
    cotangents: list[Any],
    keep: bool,
    retain: bool = True,
    places: list[GradientEdge] | None = None,
) -> list[Tensor]:
    """The gradients of the inputs, or of their `places` in the graph if the inputs may have been changed since."""
    from ..autograd import grad as gradient

    pairs = []
    for o, c in zip(outs, cotangents, strict=True):
        if requires_grad(o):
            if c is None and levels_of(o._array.shape):
                if o._array.dtype.kind == "c":
                    raise RuntimeError(errors.GRAD_IMPLICIT_REAL.format(o.dtype))
                c = F.ones_like(o)
            pairs.append((o, c))
    if not pairs:
        return [F.zeros_like(t) for t in ins]
    found = gradient(
        [o for o, _ in pairs],
        places or ins,
        [c for _, c in pairs],
        create_graph=keep,
        retain_graph=retain,
        allow_unused=True,
    )
    for g in found:
        if not keep and g is not None and g._view is None:
            g._counter = [0]  # PyTorch records the pass, so that its sums are new tensors
    return [F.zeros_like(t) if g is None else g for t, g in zip(ins, found, strict=True)]


def _numbers(argnums: Any, count: int) -> tuple[int, ...]:
    """Which arguments `argnums` means, of so many."""
    if not isinstance(argnums, (int, tuple)):
        raise RuntimeError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    found = []
    for n in (argnums,) if isinstance(argnums, int) else argnums:
        if not isinstance(n, int):
            raise RuntimeError(f"argnum must be int, got: {type(n)}")
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
        found.append(n % count)
    if not found:
        raise RuntimeError("argnums must be non-empty")
    if len(set(found)) != len(found):
        raise RuntimeError(f"argnums elements must be unique, got {tuple(found)}")
    return tuple(found)


_VJP, _JVP = "vjp(f, *primals)", "jvp(f, primals, tangents)"


def _parts(made: Any, has_aux: bool, api: str) -> tuple[Any, Any]:
    """What a function has returned, after checks: its value, of tensors alone, and what comes beside it."""
    if has_aux and not (isinstance(made, tuple) and len(made) == 2):
        raise RuntimeError(f"{api}: output of function f should be a tuple: (output, aux) if has_aux is True")
    value, aux = made if has_aux else (made, None)
    if value is None or not flat(value):
        nothing = [] if value is not None else [None]
        raise RuntimeError(f"{api}: Expected f to be a function that has non-empty output (got output = {nothing})")
    for t in flat(value):
        if not isinstance(t, Tensor):
            raise RuntimeError(f"{api}: expected f(*primals) to return only tensors, got unsupported type {type(t)}")
        if api == _VJP and not (t.is_floating_point() or t.is_complex()):
            raise RuntimeError(
                "vjp(f, ...): All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{t.dtype}"
            )
    _only_tensors_beside(aux, has_aux)
    return value, aux


def _only_tensors_beside(aux: Any, has_aux: bool) -> None:
    for t in flat(aux) if has_aux else ():
        if not isinstance(t, Tensor):
            raise RuntimeError(f"Expected tensors, got unsupported type {type(t)}")


def _only_tensors(tree: Any) -> None:
    for t in flat(tree):
        if not isinstance(t, Tensor):
            raise ValueError(f"Thing passed to transform API must be Tensor, got {type(t)}")


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """The function that gives derivative and value.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.grad_and_value(lambda x: x ** 3)(torch.tensor(2.))
        (tensor(12.), tensor(8.))

    Mirrors `torch.func.grad_and_value`.
    """

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:

        numbers = _numbers(argnums, len(args))
        with _Level(func) as level:
            given = list(args)
            for i in numbers:
                given[i] = level.fresh(args[i])
            made = func(*given, **kwargs)
            if has_aux and not (isinstance(made, tuple) and len(made) == 2):
                raise RuntimeError(
                    "grad_and_value(f)(*args): output of function f should be a tuple: (output, aux) if has_aux is True"
                )
            value, aux = made if has_aux else (made, None)
            if not isinstance(value, Tensor):
                raise RuntimeError(f"grad_and_value(f)(*args): Expected f(*args) to return a Tensor, got {type(value)}")
            if value._array.ndim:
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar Tensor, got tensor with "
                    f"{value._array.ndim} dims. Maybe you wanted to use the vjp or jacrev APIs instead?"
                )
            _only_tensors_beside(aux, has_aux)
            chosen = [given[i] for i in numbers]
            found = _gradients([value], flat(chosen), [None], level.outlasts(value))
        found, value, aux = level.release(found), level.released(value), level.release(aux)
        trees = like(chosen, iter(found))
        result = trees[0] if isinstance(argnums, int) else tuple(trees)
        return (result, (value, aux)) if has_aux else (result, value)

    return transformed


def grad(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """The function that gives the derivative of a function with one output element, with respect to argument
    argnums.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.grad(lambda x: x ** 3)(torch.tensor(2.))
        tensor(12.)
        >>> torch.func.grad(torch.func.grad(lambda x: x ** 3))(torch.tensor(2.))
        tensor(12.)

    Mirrors `torch.func.grad`.
    """
    both = grad_and_value(func, argnums, has_aux)

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any, **kwargs: Any) -> Any:
        result, value = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return transformed


@puts_back
def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of a function, and the function that multiplies a vector with its Jacobian.

    Example:
        >>> import autogradlab as torch
        >>> value, pull = torch.func.vjp(lambda x: x ** 2, torch.tensor([1., 2.]))
        >>> pull(torch.tensor([1., 10.]))
        (tensor([ 2., 40.]),)

    Mirrors `torch.func.vjp`.
    """

    _only_tensors(list(primals))
    shown, pull, aux = _pulled(func, primals, None, has_aux)
    return (shown, pull, aux) if has_aux else (shown, pull)


def _pulled(func: Function, primals: tuple[Any, ...], argnums: Any, has_aux: bool) -> tuple[Any, Function, Any]:
    """The value of a function, the function that multiplies a vector with its Jacobian by the arguments `argnums`
    (None: by all), and what comes beside it."""
    numbers = range(len(primals)) if argnums is None else _numbers(argnums, len(primals))
    with _Level(func) as level:
        given = list(primals)
        for i in numbers:
            given[i] = level.fresh(primals[i])
        value, aux = _parts(func(*given), has_aux, _VJP)
    _held.update((id(t), t) for t in level.kept)
    chosen = [given[i] for i in numbers]
    outs, ins = flat(value), flat(chosen)

    def pull(cotangents: Any, retain_graph: Any = True, create_graph: Any = None) -> Any:
        if sketch(cotangents) != sketch(value):
            raise RuntimeError(
                "Expected pytree structure of cotangents to be the same as pytree structure of outputs to the "
                f"function. cotangents: {sketch(cotangents)}, primal output: {sketch(value)}"
            )
        level.recorded = modes.current().grad  # where the product is asked for decides on its history
        create = level.recorded if create_graph is None else operator.index(create_graph) != 0
        found = _gradients(
            outs, ins, flat(cotangents), create or bool(transforms.forward), operator.index(retain_graph) != 0
        )
        return tuple(like(chosen, iter(level.release(found))))

    pull.__qualname__ = "_vjp_with_argnums.<locals>.wrapper"  # as errors of its arguments name it
    return level.release(value), pull, level.release(aux) if has_aux else None


def _check_directions(primals: list[Any], tangents: list[Any]) -> None:
    if not primals:
        raise RuntimeError(f"{_JVP}: Expected primals to contain at least one Tensor.")
    for name, leaves in (("primals", primals), ("tangents", tangents)):
        for t in leaves:
            if not isinstance(t, Tensor):
                raise RuntimeError(f"{_JVP}: Expected {name} to only contain Tensors, got {type(t)}")
    for t, d in zip(primals, tangents, strict=True):
        check_dual(t, d)


@puts_back
def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of a function, and its Jacobian times tangents.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jvp(lambda x: x ** 2, (torch.tensor([1., 2.]),), (torch.tensor([1., 10.]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    Mirrors `torch.func.jvp`.
    """
    value, slopes, aux = _pushed(func, primals, tangents, None, has_aux, strict)
    return (value, slopes, aux) if has_aux else (value, slopes)


def _pushed(
    func: Function, primals: Any, tangents: Any, argnums: Any, has_aux: bool, strict: bool = False
) -> tuple[Any, Any, Any]:
    """The value of a function, its Jacobian by the arguments `argnums` (None: by all) times tangents, and what comes
    beside it."""
    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    numbers = range(len(primals)) if argnums is None else _numbers(argnums, len(primals))
    chosen = tuple([primals[i] for i in numbers])
    if structure(chosen) != structure(tangents):
        raise RuntimeError(
            f"{_JVP}: Expected primals and tangents to have the same python structure. For example, if primals is a "
            f"tuple of 3 tensors, tangents also must be. Got primals with structure {structure(chosen)} and tangents "
            f"with structure {structure(tangents)}"
        )
    _check_directions(flat(chosen), flat(tangents))
    with _Level(func, forward=True) as level:
        if not any(t.forward for t in transforms.stack[:-1] if isinstance(t, _Level)):
            refuse_nested()
        forward = Forward()
        enabled = transforms.forward_enabled
        try:
            transforms.forward_enabled = True
            forward.open()
            given = level.fresh(list(chosen), within=forward)
            for t, d in zip(flat(given), flat(list(tangents)), strict=True):
                direction = wrap(d._array) if of_inference(d) else d
                forward.add(t, level.begun(d) if requires_grad(d) and level.recorded else direction)
            called = list(primals)
            for i, arg in zip(numbers, given, strict=True):
                called[i] = arg
            value, aux = _parts(func(*called), has_aux, _JVP)
            outs = flat(value)
            found = [forward.tangent(o) for o in outs]
            level.own |= set(forward.own)
            level.kept += forward.own.values()
            if strict and any(t is None for t in found):
                raise RuntimeError(
                    "jvp(f, primals, tangents, strict=True): The output of f is independent of the inputs. This is not "
                    "allowed with strict=True."
                )
            shown, aux = level.release(value), level.release(aux)
        finally:
            transforms.forward_enabled = enabled
            forward.close()
    each = [F.zeros_like(o) if t is None else level.released(t) for o, t in zip(outs, found, strict=True)]
    shown = like(value, iter([F.alias(t) for t in flat(shown)]))  # the primal is another tensor on the same memory
    return shown, like(value, iter(each)), aux


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of a function, and the linear function that is its derivative there.

    Example:
        >>> import autogradlab as torch
        >>> value, slope = torch.func.linearize(torch.sin, torch.tensor([0., 1.]))
        >>> slope(torch.tensor([2., 0.]))
        tensor([2., 0.])

    Mirrors `torch.func.linearize`.
    """

    output = func(*primals)
    leaves = flat(primals)
    linear = _Linear(func, primals)

    def jvp_fn(*tangents: Any) -> Any:
        if structure(tangents) != structure(primals):
            raise RuntimeError(
                f"Expected the tangents {structure(tangents)} to have the same argspec as the primals "
                f"{structure(primals)}"
            )
        for i, (t, d) in enumerate(zip(leaves, flat(tangents), strict=True)):
            for what in ("shape", "device", "dtype"):
                is_, was = getattr(d, what), getattr(t, what)
                if is_ != was:
                    raise RuntimeError(
                        f"tangent:{i} with {what} {is_} in flattened pytree doesn't match the {what} {was} of the "
                        "corresponding primal."
                    )
        return like(output, iter(linear.at(flat(tangents))))

    return output, jvp_fn


class _Linear:
    """The derivative of a function, as a graph that leads from its tangents, which are held open, to those of its
    results."""

    def __init__(self, func: Function, primals: tuple[Any, ...]) -> None:
        for t in flat(primals):
            t.new_empty(())
        #: leaves in the place of the arguments: what the derivative keeps of these has no other history
        self.points = [_leaf(F.detach(t)) if requires_grad(t) else F.detach(t) for t in flat(primals)]
        with enable_grad(), dual_level():
            self.holes = [F.zeros_like(t) for t in self.points]
            for hole in self.holes:
                if hole.is_floating_point() or hole.is_complex():  # of others there are no dual tensors
                    _leaf(hole)
            duals = [make_dual(t, hole) for t, hole in zip(self.points, self.holes, strict=True)]
            self.found = [self._tangent(t) for t in flat(func(*like(primals, iter(duals))))]
            hidden = [t for level in transforms.forward for t in level.own.values()]
        for _ in {id(t) for t in flat(primals)}:
            warnings.warn(errors.FOLDED, stacklevel=3)
        leading = [t for t in self.found if isinstance(t, Tensor) and requires_grad(t)]
        with enable_grad():
            self.dummies = [_leaf(F.zeros_like(t)) for t in leading]
            self.back = _gradients(leading, self.holes, self.dummies, True)
        #: leaves that are nobody's else
        self.own = {id(t): t for t in (*hidden, *self.holes, *self.dummies)}
        _held.update(self.own)
        if transforms.stack:
            _held.update((id(t), t) for t in self.points)

    @staticmethod
    def _tangent(t: Any) -> Any:
        if not isinstance(t, Tensor):
            return t
        made = unpack_dual(t).tangent
        return F.zeros_like(t) if made is None else made

    def at(self, tangents: list[Tensor]) -> list[Any]:
        """What it gives for tangents."""
        given = [
            t if not t.dim() else F.clone(t) if levels_of(t._array.shape) else F.zeros_like(p).copy_(t)
            for p, t in zip(self.points, tangents, strict=True)
        ]
        made = iter(_gradients(self.back, self.dummies, given, modes.current().grad))
        own = set(self.own)
        found = [next(made) if isinstance(t, Tensor) and requires_grad(t) else t for t in self.found]
        return [F.detach(t) if isinstance(t, Tensor) and not reaches_others(t, own) else t for t in found]


def jacrev(
    func: Function,
    argnums: Any = 0,
    *,
    has_aux: bool = False,
    chunk_size: Any = None,
    _preallocate_and_copy: bool = False,
) -> Function:
    """The function that gives the Jacobian, row by row.

    Note: `chunk_size` says how many rows are computed at a time, `_preallocate_and_copy` whether each is then written
        into one tensor for all, rather than kept until the last one is there.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jacrev(lambda x: x ** 2)(torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])

    Mirrors `torch.func.jacrev`.
    """
    if not (chunk_size is None or chunk_size > 0):
        raise ValueError("jacrev: `chunk_size` should be greater than 0.")

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any) -> Any:
        _only_real("jacrev", "inputs", args)
        value, pull, aux = _pulled(func, args, argnums, has_aux)
        _only_real("jacrev", "outputs", value)
        chosen = [args[i] for i in _numbers(argnums, len(args))]
        outs, ins = flat(value), flat(chosen)
        if not ins:
            tree_unflatten([], tree_structure(value))  # which raises, as in PyTorch
        sizes = [t.numel() for t in outs]
        units = _unit_vectors(outs, sizes)
        chunks = [units]
        if chunk_size is not None:
            chunks = [[u[i : i + chunk_size] for u in units] for i in range(0, sum(sizes), chunk_size)]
        rows = (_rows(pull, like(value, iter(chunk)), chunk_size == 1) for chunk in chunks)
        whole = _copied(rows, ins, sum(sizes)) if _preallocate_and_copy and len(chunks) > 1 else _joined(list(rows))
        columns = [
            [part.view((*o.shape, *t.shape)) for part, o in zip(F.split_with_sizes(w, sizes, 0), outs, strict=True)]
            for w, t in zip(whole, ins, strict=True)
        ]
        blocks = [like(chosen, iter(row)) for row in zip(*columns, strict=True)]
        result = like(value, iter([row[0] if isinstance(argnums, int) else tuple(row) for row in blocks]))
        return (result, aux) if has_aux else result

    return transformed


def _joined(rows: list[list[Tensor]]) -> list[Tensor]:
    """The parts of Jacobians, one below the other."""
    return rows[0] if len(rows) == 1 else [F.cat(list(parts), 0) for parts in zip(*rows, strict=True)]


def _copied(rows: Iterator[list[Tensor]], ins: list[Tensor], count: int) -> list[Tensor]:
    """The same, each part written into place as soon as it is computed."""
    whole = [t.new_zeros(count, *t.shape) for t in ins]
    first = 0
    for parts in rows:
        last = first + parts[0]._array.shape[0]
        for target, part in zip(whole, parts, strict=True):
            target[first:last].copy_(part)
        first = last
    return whole


def _rows(pull: Function, units: Any, single: bool = False) -> list[Tensor]:
    """Some rows of a Jacobian, of each input; `single`: one alone, for which no vmap is entered."""
    if single:
        found = pull(like(units, iter([F.squeeze(u, 0) for u in flat(units)])))
        return [F.unsqueeze(t, 0) for t in flat(found)]
    return flat(vmap(pull)(units))


def _only_real(name: str, what: str, tree: Any) -> None:
    """Refuse complex tensors, whose Jacobian would need a convention."""
    for i, t in enumerate(flat(tree)):
        if isinstance(t, Tensor) and t.is_complex():
            raise RuntimeError(
                f"{name}: Expected all {what} to be real but received complex tensor at flattened input idx: {i}"
            )


def jacfwd(func: Function, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """The function that gives the Jacobian, column by column.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jacfwd(lambda x: x ** 2)(torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])

    Mirrors `torch.func.jacfwd`.
    """
    check_randomness(randomness)

    @puts_back
    @functools.wraps(func)
    def transformed(*args: Any) -> Any:
        _only_real("jacfwd", "inputs", args)
        chosen = [args[i] for i in _numbers(argnums, len(args))]
        ins = flat(chosen)
        sizes = [t.numel() for t in ins]

        def pushed(*directions: Any) -> Any:
            value, slopes, aux = _pushed(func, args, directions, argnums, has_aux)
            _only_real("jacfwd", "outputs", value)
            return (slopes, aux) if has_aux else slopes

        found = vmap(pushed, randomness=randomness)(*like(chosen, iter(_unit_vectors(ins, sizes))))
        columns, aux = found if has_aux else (found, None)
        blocks = []
        for out in flat(columns):
            parts = F.split_with_sizes(F.movedim(out, 0, -1), sizes, -1)
            trees = like(chosen, iter([_unflatten(p, t.shape) for p, t in zip(parts, ins, strict=True)]))
            blocks.append(trees[0] if isinstance(argnums, int) else tuple(trees))
        result = like(columns, iter(blocks))
        return (result, like(aux, iter([t[0] for t in flat(aux)]))) if has_aux else result

    return transformed


def _unit_vectors(ins: list[Tensor], sizes: list[int]) -> list[Tensor]:
    """For each tensor one side of a unit matrix: all elements of all of them, one after the other."""
    if not ins:
        raise AssertionError("tensors must have at least one element")
    total, made, first = sum(sizes), [], 0
    for t, n in zip(ins, sizes, strict=True):
        columns = t.new_zeros(total, n)
        F.diagonal(columns, -first).fill_(1)
        made.append(columns.view(total, *t.shape))
        first += n
    return made


def _unflatten(t: Tensor, shape: Any) -> Tensor:
    """The last dimension as several, or none."""
    return F.squeeze(t, -1) if not len(shape) else t.unflatten(-1, shape)


def hessian(func: Function, argnums: Any = 0) -> Function:
    """The function that gives the second derivatives.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.hessian(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])

    Mirrors `torch.func.hessian`.
    """
    return jacfwd(jacrev(func, argnums), argnums)
