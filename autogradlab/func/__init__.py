"""Functions of functions (mirrors `torch.func`): gradients, products with Jacobians, Jacobians, vmap.

>>> import autogradlab as torch
>>> torch.func.grad(lambda x: (x ** 3).sum())(torch.tensor([1., 2.]))
tensor([ 3., 12.])
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd.function import transforms
from ..core.random.generator import Generator, default_generator
from ..core.recording.record import TENSORS as F
from ..core.runtime import modes
from ..core.tensor.tensor import Tensor, requires_grad
from .modules import functional_call, replace_all_batch_norm_modules_, stack_module_state

__all__ = [
    "functional_call",
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "replace_all_batch_norm_modules_",
    "stack_module_state",
    "vjp",
    "vmap",
]

Function = Callable[..., Any]


def _flat(tree: Any) -> list[Any]:
    """The tensors of nested tuples, lists and dicts, in order."""
    if isinstance(tree, dict):
        return [t for key in sorted(tree) for t in _flat(tree[key])]
    if isinstance(tree, (tuple, list)):
        return [t for item in tree for t in _flat(item)]
    return [tree]


def _like(tree: Any, leaves: Any) -> Any:
    """The same nesting with other leaves, taken from an iterator."""
    if isinstance(tree, dict):
        made = {key: _like(tree[key], leaves) for key in sorted(tree)}
        return type(tree)((key, made[key]) for key in tree)
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(_like(item, leaves) for item in tree))
    if isinstance(tree, (tuple, list)):
        return type(tree)([_like(item, leaves) for item in tree])
    return next(leaves)


class _Level:
    """A transform that runs: the tensors it differentiates by, apart from those that require grad outside."""

    def __init__(self, func: Function, forward: bool = False) -> None:
        self.func = func
        self.own: set[int] = set()
        self.kept: list[Tensor] = []
        self.forward = forward

    def __enter__(self) -> _Level:
        transforms.depth += 1
        local = modes.current()
        local.captured = (*local.captured, self._captures)
        return self

    def __exit__(self, *exc: object) -> None:
        local = modes.current()
        local.captured = local.captured[:-1]
        transforms.depth -= 1

    def _captures(self, t: Tensor) -> bool:
        """Whether the function gets a tensor, or the base of a view, in another way than as an argument."""
        wanted = {id(t)} if t._view is None or requires_grad(t._view.base) else {id(t), id(t._view.base)}
        return any(id(x) in wanted for x in _reached(self.func))

    def fresh(self, tree: Any) -> Any:
        """Tensors to differentiate by; those that require grad outside keep their history.

        Errors: RuntimeError (ValueError in forward mode) for dtypes without derivatives.
        """
        return _like(tree, iter([self._one(t) if isinstance(t, Tensor) else t for t in _flat(tree)]))

    def _one(self, t: Tensor) -> Tensor:
        if requires_grad(t):
            return F.view_as(t, t)
        if not (t.is_floating_point() or t.is_complex()):
            if self.forward:
                raise ValueError(f"Expected primal to be floating point or complex, but got: {t.dtype}")
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        made = F.detach(t).requires_grad_()
        self.own.add(id(made))
        self.kept.append(made)
        return made

    def released(self, t: Any) -> Any:
        """A result without the history that ends at this transform's own tensors; with it where others require grad."""
        return t if not isinstance(t, Tensor) or not requires_grad(t) or self._from_outside(t) else F.detach(t)

    def release(self, tree: Any) -> Any:
        """`released` of all tensors of a tree."""
        return _like(tree, iter([self.released(t) for t in _flat(tree)]))

    def _from_outside(self, t: Tensor) -> bool:
        if t.grad_fn is None:
            return id(t) not in self.own
        stack, seen = [t.grad_fn], {id(t.grad_fn)}
        while stack:
            for node, _ in stack.pop().next_functions:
                if node is None or id(node) in seen:
                    continue
                seen.add(id(node))
                leaf = getattr(node, "variable", None)
                if leaf is None:
                    stack.append(node)
                elif id(leaf) not in self.own:
                    return True
        return False


def _puts_back(run: Function) -> Function:
    """The function, after which all modes are as before, wherever it is interrupted."""

    @functools.wraps(run)
    def guarded(*args: Any, **kwargs: Any) -> Any:
        local, level = modes.current(), transforms
        before = local.grad, local.record, local.captured, level.depth, level.mapping
        try:
            return run(*args, **kwargs)
        finally:
            local.grad, local.record, local.captured, level.depth, level.mapping = before
            local.refresh()

    return guarded


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


def _gradients(outs: list[Tensor], ins: list[Tensor], cotangents: list[Any], keep: bool) -> list[Tensor]:
    from ..autograd import grad as gradient

    pairs = [(o, c) for o, c in zip(outs, cotangents, strict=True) if requires_grad(o)]
    if not pairs:
        return [F.zeros_like(t) for t in ins]
    found = gradient(
        [o for o, _ in pairs], ins, [c for _, c in pairs], create_graph=keep, retain_graph=True, allow_unused=True
    )
    return [F.zeros_like(t) if g is None else g for t, g in zip(ins, found, strict=True)]


def _numbers(argnums: Any, count: int) -> tuple[int, ...]:
    """Which arguments `argnums` means, of so many."""
    found = []
    for n in (argnums,) if isinstance(argnums, int) else tuple(argnums):
        if not -count <= n < count:
            raise RuntimeError(f"Got argnum={n}, but only {count} positional inputs")
        found.append(n % count)
    return tuple(found)


def grad_and_value(func: Function, argnums: Any = 0, has_aux: bool = False) -> Function:
    """The function that gives derivative and value.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.grad_and_value(lambda x: x ** 3)(torch.tensor(2.))
        (tensor(12.), tensor(8.))

    Mirrors `torch.func.grad_and_value`.
    """

    @_puts_back
    def transformed(*args: Any, **kwargs: Any) -> Any:
        from ..autograd import enable_grad

        numbers = _numbers(argnums, len(args))
        with enable_grad(), _Level(func) as level:
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
            chosen = [given[i] for i in numbers]
            found = _gradients([value], _flat(chosen), [None], True)
        found, value, aux = level.release(found), level.released(value), level.release(aux)
        trees = _like(chosen, iter(found))
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

    @_puts_back
    def transformed(*args: Any, **kwargs: Any) -> Any:
        result, value = both(*args, **kwargs)
        return (result, value[1]) if has_aux else result

    return transformed


@_puts_back
def vjp(func: Function, *primals: Any, has_aux: bool = False) -> Any:
    """The value of a function, and the function that multiplies a vector with its Jacobian.

    Example:
        >>> import autogradlab as torch
        >>> value, pull = torch.func.vjp(lambda x: x ** 2, torch.tensor([1., 2.]))
        >>> pull(torch.tensor([1., 10.]))
        (tensor([ 2., 40.]),)

    Mirrors `torch.func.vjp`.
    """
    from ..autograd import enable_grad

    with enable_grad(), _Level(func) as level:
        given = level.fresh(list(primals))
        made = func(*given)
    value, aux = made if has_aux else (made, None)
    outs, ins = _flat(value), _flat(given)

    def pull(*cotangents: Any, retain_graph: bool = True, create_graph: bool = True) -> Any:
        tree = cotangents[0] if len(cotangents) == 1 else cotangents
        found = _gradients(outs, ins, _flat(tree), True)
        return tuple(_like(given, iter(level.release(found))))

    shown = level.release(value)
    return (shown, pull, level.release(aux)) if has_aux else (shown, pull)


@_puts_back
def jvp(func: Function, primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The value of a function, and its Jacobian times tangents.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jvp(lambda x: x ** 2, (torch.tensor([1., 2.]),), (torch.tensor([1., 10.]),))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    Mirrors `torch.func.jvp`.
    """
    from ..autograd import enable_grad
    from ..autograd import grad as gradient

    if not isinstance(primals, tuple):
        raise RuntimeError(
            "jvp(f, primals, tangents): Expected primals to be a tuple. E.g. it should be valid to call f(*primals)."
        )
    with enable_grad(), _Level(func, forward=True) as level:
        given = level.fresh(list(primals))
        made = func(*given)
        value, aux = made if has_aux else (made, None)
        outs, ins = _flat(value), _flat(given)
        dummies = [F.zeros_like(o).requires_grad_() for o in outs]
        level.own |= {id(d) for d in dummies}
        firsts = _gradients(outs, ins, dummies, True)
        pairs = [(g, t) for g, t in zip(firsts, _flat(list(tangents)), strict=True) if requires_grad(g)]
        found = (
            gradient([g for g, _ in pairs], dummies, [t for _, t in pairs], create_graph=True, allow_unused=True)
            if pairs
            else ([None] * len(outs))
        )
    each = [F.zeros_like(o) if t is None else level.released(t) for o, t in zip(outs, found, strict=True)]
    shown, slopes = level.release(value), _like(value, iter(each))
    return (shown, slopes, level.release(aux)) if has_aux else (shown, slopes)


def linearize(func: Function, *primals: Any) -> tuple[Any, Function]:
    """The value of a function, and the linear function that is its derivative there.

    Example:
        >>> import autogradlab as torch
        >>> value, slope = torch.func.linearize(torch.sin, torch.tensor([0., 1.]))
        >>> slope(torch.tensor([2., 0.]))
        tensor([2., 0.])

    Mirrors `torch.func.linearize`.
    """

    def slope(*tangents: Any) -> Any:
        return jvp(func, primals, tangents)[1]

    return func(*primals), slope


def jacrev(func: Function, argnums: Any = 0, *, has_aux: bool = False, chunk_size: Any = None) -> Function:
    """The function that gives the Jacobian, row by row.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jacrev(lambda x: x ** 2)(torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])

    Mirrors `torch.func.jacrev`.
    """
    return _jacobian(func, argnums, has_aux, False)


def _jacobian(func: Function, argnums: Any, has_aux: bool, forward: bool) -> Function:
    """jacrev, or jacfwd, whose results are the same; `forward` says which words errors use."""

    @_puts_back
    def transformed(*args: Any, **kwargs: Any) -> Any:
        from ..autograd import enable_grad

        numbers = _numbers(argnums, len(args))
        with enable_grad(), _Level(func, forward) as level:
            given = list(args)
            for i in numbers:
                given[i] = level.fresh(args[i])
            made = func(*given, **kwargs)
            value, aux = made if has_aux else (made, None)
            chosen = [given[i] for i in numbers]
            ins = _flat(chosen)
            rows = []
            for out in _flat(value):
                each: list[list[Tensor]] = [[] for _ in ins]
                for element in F.unbind(F.reshape(out, (-1,))):
                    for column, g in zip(each, _gradients([element], ins, [None], True), strict=True):
                        column.append(g)
                whole = [
                    F.reshape(F.stack(column), (*out._array.shape, *t._array.shape))
                    if column
                    else out.new_zeros((*out._array.shape, *t._array.shape))
                    for column, t in zip(each, ins, strict=True)
                ]
                whole = [level.released(w) for w in whole]
                trees = _like(chosen, iter(whole))
                rows.append(trees[0] if isinstance(argnums, int) else tuple(trees))
        result = _like(value, iter(rows))
        return (result, level.release(aux)) if has_aux else result

    return transformed


def jacfwd(func: Function, argnums: Any = 0, has_aux: bool = False, *, randomness: str = "error") -> Function:
    """The function that gives the Jacobian, column by column.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.jacfwd(lambda x: x ** 2)(torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])

    Mirrors `torch.func.jacfwd`.
    """
    return _jacobian(func, argnums, has_aux, True)


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


def vmap(
    func: Function, in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *, chunk_size: Any = None
) -> Function:
    """The function that applies a function to each slice along a dimension.

    Example:
        >>> import autogradlab as torch
        >>> torch.func.vmap(torch.dot)(torch.ones(3, 2), torch.ones(3, 2))
        tensor([2., 2., 2.])

    Other names: vmap.

    Mirrors `torch.func.vmap`.
    """

    if randomness not in ("error", "different", "same"):
        raise RuntimeError(f"Only allowed values for randomness are 'error', 'different', or 'same'. Got {randomness}")

    @_puts_back
    def transformed(*args: Any, **kwargs: Any) -> Any:
        name = _name(func)
        spread, size = _spread(name, args, in_dims)
        results: list[Any] = []
        state = None if randomness == "different" else Generator.get_state(default_generator)
        for i in range(size):
            call = [_like(arg, iter([p if d is None else p[i] for p, d in parts])) for arg, parts in spread]
            with _Mapping():
                results.append(func(*call, **kwargs))
            if state is not None:
                _same_draws(state, randomness)
            for out in _flat(results[-1]):
                if not isinstance(out, Tensor) and out_dims is not None:
                    raise ValueError(
                        f"vmap({name}, ...): `{name}` must only return Tensors, got type {type(out)}. Did you "
                        "mean to set out_dims= to None for output?"
                    )
        first = results[0]
        columns = zip(*(_flat(r) for r in results), strict=True)
        places = _flat(out_dims) if not isinstance(out_dims, int) else [out_dims] * len(_flat(first))
        return _like(
            first, iter([c[0] if d is None else F.stack(list(c), d) for c, d in zip(columns, places, strict=True)])
        )

    return transformed


class _Mapping:
    """A call of the function that vmap maps."""

    def __enter__(self) -> None:
        transforms.depth += 1
        transforms.mapping += 1

    def __exit__(self, *exc: object) -> None:
        transforms.depth -= 1
        transforms.mapping -= 1


def _name(func: Any) -> str:
    if isinstance(func, functools.partial):
        return f"functools.partial({_name(func.func)}, ...)"
    return str(getattr(func, "__name__", None) or repr(func))


def _same_draws(state: Any, randomness: str) -> None:
    """Let every element draw the same numbers, or none."""
    if randomness == "same":
        Generator.set_state(default_generator, state)
    elif not np.array_equal(Generator.get_state(default_generator), state):
        raise RuntimeError(
            "vmap: called random operation while in randomness error mode. Please either use the 'same' or "
            "'different' randomness flags on vmap or perform the randomness operation out of vmap"
        )


def _spread(name: str, args: tuple[Any, ...], in_dims: Any) -> tuple[list[tuple[Any, list[tuple[Any, Any]]]], int]:
    """Each argument with its leaves, those that are mapped over taken apart; and the number of elements."""
    start = f"vmap({name}, in_dims={in_dims}, ...)(<inputs>): "
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            start + "expected `in_dims` to be int or a (potentially nested) tuple matching the structure of "
            f"inputs, got: {type(in_dims)}."
        )
    if not args:
        raise ValueError(
            f"vmap({name})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are trying to vmap "
            "over a function with no inputs. The latter is unsupported."
        )
    dims = (in_dims,) * len(args) if isinstance(in_dims, int) else in_dims
    if len(dims) != len(args):
        raise ValueError(start + "in_dims is not compatible with the structure of inputs.")
    spread: list[tuple[Any, list[tuple[Any, Any]]]] = []
    sizes: list[int] = []
    for arg, dim in zip(args, dims, strict=True):
        leaves = _flat(arg)
        each = [dim] * len(leaves) if isinstance(dim, int) or dim is None else _flat(dim)
        parts: list[tuple[Any, Any]] = []
        for t, d in zip(leaves, each, strict=True):
            if d is not None:
                t = _mapped(start, t, d)
                sizes.append(len(t))
            parts.append((t, d))
        spread.append((arg, parts))
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if len(set(sizes)) != 1:
        raise ValueError(
            f"vmap: Expected all tensors to have the same size in the mapped dimension, got sizes {sizes} for the "
            "mapped dimension"
        )
    return spread, sizes[0]


def _mapped(start: str, t: Any, dim: Any) -> Any:
    """The elements of one argument along the dimension that is mapped over."""
    if not isinstance(dim, int):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None."
        )
    if not isinstance(t, Tensor):
        raise ValueError(
            f"{start}Got in_dim={dim} for an input but the input is of type {type(t)}. We cannot vmap over "
            "non-Tensor arguments, please use None as the respective in_dim"
        )
    n = t._array.ndim
    if not -n <= dim < n:
        raise ValueError(
            f"{start}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {n} so "
            f"expected in_dim to satisfy -{n} <= in_dim < {n}."
        )
    return F.unbind(t, dim)
