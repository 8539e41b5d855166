"""Products with Jacobians and Hessians, and these matrices themselves, by calls of `grad`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.recording.record import TENSORS
from ..core.runtime import errors
from ..core.tensor.tensor import Size, Tensor, requires_grad, wrap
from .forward_ad import refuse_mapped
from .frontend import grad
from .grad_mode import enable_grad, is_grad_enabled, set_grad_enabled

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Func = Callable[..., Any]
Tensors = tuple[Tensor, ...]
_STRICT = " This is not allowed in strict mode."
_OUTPUTS = "outputs of the user-provided function"


def _as_tuple(value: Any, what: str, name: str) -> tuple[bool, Tensors]:
    """A tensor or tuple of tensors as a tuple, and which of them it was."""
    several = isinstance(value, tuple)
    values = value if several else (value,)
    for i, t in enumerate(values):
        if not isinstance(t, Tensor):
            where = f"value at index {i} has type {type(t)}" if several else f"given {what} has type {type(t)}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {where}."
            )
    return several, values


def _prepared(tensors: Tensors, create_graph: bool, need_graph: bool) -> Tensors:
    """Stand-ins for the inputs: part of the caller's graph with `create_graph`, else new leaves."""
    found: list[Any] = []
    for t in tensors:
        if create_graph:
            found.append(t.view_as(t) if requires_grad(t) else t.detach().requires_grad_(need_graph))
        else:
            found.append(t.detach().requires_grad_(need_graph))
    return tuple(found)


def _finished(tensors: Tensors, create_graph: bool) -> Tensors:
    return tensors if create_graph else tuple(t.detach() for t in tensors)


def _unpacked(value: Tensors, several: bool) -> Any:
    return value if several else value[0]


def _check_v(v: Tensors, other: Tensors, several: bool) -> None:
    if len(v) != len(other):
        if several:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(other)} but got {len(v)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (a, b) in enumerate(zip(v, other, strict=True)):
        if a.shape != b.shape:
            where = f"Entry {i} in " if several else ""
            raise RuntimeError(f"{where}v has invalid size: should be {b.shape} but got {a.shape}.")


_INDEPENDENT = {
    "outputs": "Output {0} of the user-provided function does not require gradients. The outputs must be computed in a "
    "differentiable manner from the input when running in strict mode.",
    "grad_inputs": "The gradient with respect to input {0} is independent of the inputs of the user-provided function."
    + _STRICT,
    "jacobian": "While computing the hessian, found that the jacobian of the user-provided function with respect to "
    "input {0} is "
    "independent of the input. This is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable "
    "and that the jacobian depends on the inputs (this would be violated by a linear function for example).",
    "hessian": "The hessian of the user-provided function with respect to input {0} is independent of the input. This "
    "is not "
    "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
    "depends on the "
    "inputs.",
}
_BACK = "The output of the user-provided function is independent of input {0}." + _STRICT
_UNUSED = {
    "back": _BACK,
    "back_trick": "The gradient with respect to the input is independent of entry {0} in the grad_outputs when using "
    "the double "
    "backward trick to compute forward mode gradients." + _STRICT,
    "double_back": "The jacobian of the user-provided function is independent of input {0}." + _STRICT,
    "double_back_trick": "The hessian of the user-provided function is independent of entry {0} in the grad_jacobian. "
    "This is "
    "not allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD.",
}


def _check_recorded(tensors: tuple[Tensor | None, ...], kind: str, strict: bool) -> None:
    if strict:
        for i, t in enumerate(tensors):
            if t is None:
                raise RuntimeError(_BACK.format(i))
            if not requires_grad(t):
                raise RuntimeError(_INDEPENDENT[kind].format(i))


def _gradients(
    outputs: tuple[Tensor | None, ...], inputs: Tensors, v: Any = None, create_graph: bool = False
) -> tuple[Tensor | None, ...]:
    """`grad` of those outputs that require grad; None for all inputs if there are none."""
    pairs = [
        (o, w) for o, w in zip(outputs, v or (None,) * len(outputs), strict=True) if o is not None and requires_grad(o)
    ]
    if not pairs:
        return (None,) * len(inputs)
    outs, weights = zip(*pairs, strict=True)
    found: tuple[Tensor | None, ...] = grad(
        outs, inputs, weights, allow_unused=True, create_graph=create_graph, retain_graph=True
    )
    return found


def _filled(grads: tuple[Tensor | None, ...], like: Tensors, strict: bool, create_graph: bool, stage: str) -> Tensors:
    """Zeros for the gradients that are not there, or an error in strict mode."""
    found = []
    for i, (g, t) in enumerate(zip(grads, like, strict=True)):
        if g is None:
            if strict:
                raise RuntimeError(_UNUSED[stage].format(i))
            g = wrap(np.zeros_like(t._array))
        elif strict and create_graph and not requires_grad(g):
            what = "hessian" if "double" in stage else "jacobian"
            raise RuntimeError(
                f"The {what} of the user-provided function is independent of input {i}. This is not allowed in strict "
                "mode when create_graph=True."
            )
        found.append(g)
    return tuple(found)


def vjp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The output, and a vector times the Jacobian: what backward computes.

    Shapes: v has the output's shape, the product the input's.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.vjp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    Mirrors `torch.autograd.functional.vjp`.
    """
    with enable_grad():
        several, given = _as_tuple(inputs, "inputs", "vjp")
        given = _prepared(given, create_graph, True)
        out_several, outputs = _as_tuple(func(*given), _OUTPUTS, "vjp")
        _check_recorded(outputs, "outputs", strict)
        weights = None
        if v is not None:
            _, weights = _as_tuple(v, "v", "vjp")
            weights = _prepared(weights, create_graph, False)
            _check_v(weights, outputs, out_several)
        elif len(outputs) != 1 or outputs[0]._array.size != 1:
            raise RuntimeError(
                "The vector v can only be None if the user-provided function returns a single Tensor "
                "with a "
                "single element."
            )
    with set_grad_enabled(True if create_graph else is_grad_enabled()):
        found = _filled(_gradients(outputs, given, weights, create_graph), given, strict, create_graph, "back")
    outputs, found = _finished(outputs, create_graph), _finished(found, create_graph)
    return _unpacked(outputs, out_several), _unpacked(found, several)


def _direction(v: Any, given: Tensors, several: bool, create_graph: bool, name: str) -> Tensors:
    """The vector by which a matrix with a column for each input element is multiplied; 1 for a single element."""
    if v is not None:
        _, direction = _as_tuple(v, "v", name)
        direction = _prepared(direction, create_graph, False)
        _check_v(direction, given, several)
        return direction
    if len(given) != 1 or given[0]._array.size != 1:
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
    return tuple(wrap(np.ones_like(t._array)) for t in given)


def jvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The output, and the Jacobian times a vector: the change of the output in its direction.

    Shapes: v has the input's shape, the product the output's.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.jvp(lambda x: x ** 2, torch.tensor([1., 2.]), torch.tensor([1., 10.]))
        (tensor([1., 4.]), tensor([ 2., 40.]))

    Mirrors `torch.autograd.functional.jvp`.
    """
    with enable_grad():
        several, given = _as_tuple(inputs, "inputs", "jvp")
        given = _prepared(given, create_graph, True)
        direction = _direction(v, given, several, create_graph, "jvp")
        out_several, outputs = _as_tuple(func(*given), _OUTPUTS, "jvp")
        _check_recorded(outputs, "outputs", strict)
        # the gradient is linear in these weights; its derivative by them is the product
        weights = tuple(TENSORS.zeros_like(o, requires_grad=True) for o in outputs)
        first = _gradients(outputs, given, weights, True)
        _check_recorded(first, "grad_inputs", strict)
    with set_grad_enabled(True if create_graph else is_grad_enabled()):
        found = _gradients(first, weights, direction, create_graph)
        products = _filled(found, outputs, strict, create_graph, "back_trick")
    outputs, products = _finished(outputs, create_graph), _finished(products, create_graph)
    return _unpacked(outputs, out_several), _unpacked(products, out_several)


def jacobian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """The derivatives of each output element with respect to each input element.

    Shapes: (*output's, *input's); nested tuples for several inputs or outputs.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.jacobian(lambda x: x ** 2, torch.tensor([1., 2.]))
        tensor([[2., 0.],
                [0., 4.]])

    Mirrors `torch.autograd.functional.jacobian`.
    """
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function '
            "has more "
            'outputs than inputs, "forward-mode" tends to be more performant. Otherwise, prefer to '
            "use "
            '"reverse-mode".'
        )
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(
                "torch.autograd.functional.jacobian: `create_graph=True` and "
                '`strategy="forward-mode"` are '
                "not supported together (yet). Please either set `create_graph=False` or "
                '`strategy="reverse-mode"`.'
            )
        if strict:
            raise RuntimeError(
                'torch.autograd.functional.jacobian: `strict=True` and `strategy="forward-mode"` are '
                "not "
                "supported together (yet). Please either set `strict=False` or "
                '`strategy="reverse-mode"`.'
            )
    with enable_grad():
        several, given = _as_tuple(inputs, "inputs", "jacobian")
        if strategy == "forward-mode" and not vectorize:
            raise NotImplementedError(
                "Computing Jacobian using forward-AD or forward-over-reverse Hessian isonly implemented for "
                "`vectorize=True`."
            )
        if strategy == "forward-mode":
            refuse_mapped(*given)
        given = _prepared(given, create_graph, True)
        names = ("outputs", "None") if strategy == "forward-mode" else (_OUTPUTS, "jacobian")  # as PyTorch calls them
        out_several, outputs = _as_tuple(func(*given), *names)
        _check_recorded(outputs, "outputs", strict)
        if strict and vectorize:
            raise RuntimeError(
                "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported "
                "together. "
                "Please either set `strict=False` or `vectorize=False`."
            )
        rows = tuple(_rows(k, o, given, create_graph, strict) for k, o in enumerate(outputs))
    rows = tuple(_finished(r, create_graph) for r in rows)
    nest: Any = tuple
    if strategy == "forward-mode":  # tangents have the dtypes of outputs; PyTorch leaves in lists what is not unpacked
        rows = tuple(tuple(_in_columns(b.to(o.dtype), o) for b in r) for o, r in zip(outputs, rows, strict=True))
        nest = list if several else tuple
    return _unpacked(nest(_unpacked(nest(r), several) for r in rows), out_several)


def _in_columns(block: Tensor, o: Tensor) -> Tensor:
    """A block in the order in which forward mode makes it: all of an output for one element of the input, then for the
    next."""
    array, n = block._array, o._array.ndim
    columns = (*range(n, array.ndim), *range(n))
    return wrap(np.array(array.transpose(columns), order="C").transpose(np.argsort(columns)))


#: elements of gradients that go through the graph together at most
_MOST = 1 << 20


def blocks_of(o: Tensor, given: Sequence[Tensor], create_graph: bool = False) -> list[Tensor | None]:
    """The Jacobian of an output that requires grad, on request with its history: a block for each input, None for one
    that it does not depend on."""
    n, shape = o._array.size, o._array.shape
    if create_graph and n == 1:  # a single row is a gradient
        weight = wrap(np.ones(shape, o._array.dtype))
        single = grad((o,), given, (weight,), True, True, allow_unused=True)
        return [
            None if g is None else TENSORS.reshape(g, (*shape, *t._array.shape))
            for g, t in zip(single, given, strict=True)
        ]
    step = max(1, _MOST // max([1, n, *[t._array.size for t in given]]))
    parts = []
    for first in range(0, n, step):
        ones = np.zeros((min(step, n - first), n), o._array.dtype)
        np.fill_diagonal(ones[:, first:], 1)
        weights = wrap(ones.reshape(len(ones), *shape))
        found = grad((o,), given, (weights,), True, create_graph, allow_unused=True, is_grads_batched=True)
        parts.append(found)
    blocks: list[Tensor | None] = []
    for t, *column in zip(given, *parts, strict=True):
        wanted = (*shape, *t._array.shape)
        if not column:
            blocks.append(wrap(np.zeros(wanted, t._array.dtype)))
        elif column[0] is None:
            blocks.append(None)
        elif create_graph:
            blocks.append(TENSORS.reshape(column[0] if len(column) == 1 else TENSORS.cat(column), wanted))
        else:
            whole = column[0]._array if len(column) == 1 else np.concatenate([part._array for part in column])
            blocks.append(wrap(whole.reshape(wanted)))
    return blocks


def _rows(k: int, o: Tensor, given: Tensors, create_graph: bool, strict: bool) -> Tensors:
    """The Jacobian of the k-th output, a block for each input."""
    if o._array.dtype.kind == "c" and o._array.size and requires_grad(o):
        raise RuntimeError(errors.GRAD_IMPLICIT_REAL.format(o.dtype))
    if not create_graph and not strict and requires_grad(o) and o._array.size:
        return tuple(
            wrap(np.zeros((*o._array.shape, *t._array.shape), t._array.dtype)) if g is None else g
            for g, t in zip(blocks_of(o, given), given, strict=True)
        )
    blocks: list[list[Tensor]] = [[] for _ in given]
    flat = o.reshape(-1)
    for j in range(o._array.size):
        found = _gradients((flat[j],), given, None, create_graph)
        for i, (g, t) in enumerate(zip(found, given, strict=True)):
            if g is None:
                if strict:
                    raise RuntimeError(
                        f"Output {k} of the user-provided function is independent of input {i}." + _STRICT
                    )
                g = wrap(np.zeros_like(t._array))
            elif strict and create_graph and not requires_grad(g):
                raise RuntimeError(
                    "The jacobian of the user-provided function is independent of input "
                    f"{i}. This is not allowed in strict mode when create_graph=True."
                )
            blocks[i].append(g)
    shape = o._array.shape
    return tuple(
        TENSORS.stack(block).view(Size(shape + t._array.shape)) for block, t in zip(blocks, given, strict=True)
    )


def _number(value: Any, name: str, strict: bool) -> Tensor:
    """The single number that a function whose Hessian is wanted must return."""
    several, outputs = _as_tuple(value, _OUTPUTS, name)
    if several or not isinstance(outputs[0], Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    _check_recorded(outputs, "outputs", strict)
    if outputs[0]._array.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return outputs[0]


def hessian(
    func: Func,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """The second derivatives of a function with one output element.

    Shapes: (*input's, *input's); nested tuples for several inputs.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]))
        tensor([[ 6.,  0.],
                [ 0., 12.]])

    Mirrors `torch.autograd.functional.hessian`.
    """
    several, given = _as_tuple(inputs, "inputs", "hessian")
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')

    def first(*args: Tensor) -> Tensors:
        if outer_jacobian_strategy == "forward-mode":
            args = tuple(a.requires_grad_(True) for a in args)
        out = _number(func(*args), "hessian", strict)
        grads = _gradients((out.reshape(()),), args, None, True)
        found = tuple(wrap(np.zeros_like(t._array)) if g is None else g for g, t in zip(grads, args, strict=True))
        _check_recorded(found, "jacobian", strict)
        return found

    found = jacobian(first, given, create_graph, strict, vectorize, outer_jacobian_strategy)
    return found if several else found[0][0]


def _first(
    func: Func, inputs: Any, v: Any, create_graph: bool, strict: bool, name: str
) -> tuple[bool, Tensors, Tensors, Any, Any]:
    """What vhp and hvp begin with: the inputs, v, the output and its recorded gradient."""
    several, given = _as_tuple(inputs, "inputs", name)
    given = _prepared(given, create_graph, True)
    direction = _direction(v, given, several, create_graph, name)
    out = _number(func(*given), name, strict)
    first = _gradients((out,), given, None, True)
    _check_recorded(first, "jacobian", strict)
    return several, given, direction, out, first


def vhp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The output, and a vector times the Hessian of a function with one output element.

    Shapes: v and the product have the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.vhp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))

    Mirrors `torch.autograd.functional.vhp`.
    """
    with enable_grad():
        several, given, direction, out, first = _first(func, inputs, v, create_graph, strict, "vhp")
    with set_grad_enabled(True if create_graph else is_grad_enabled()):
        found = _gradients(first, given, direction, create_graph)
        products = _filled(found, given, strict, create_graph, "double_back")
    return _finished((out,), create_graph)[0], _unpacked(_finished(products, create_graph), several)


def hvp(func: Func, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False) -> tuple[Any, Any]:
    """The output, and the Hessian of a function with one output element times a vector.

    Shapes: v and the product have the input's shape.

    Example:
        >>> import autogradlab as torch
        >>> torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), torch.tensor([1., 2.]), torch.ones(2))
        (tensor(9.), tensor([ 6., 12.]))

    Mirrors `torch.autograd.functional.hvp`.
    """
    with enable_grad():
        several, given, direction, out, first = _first(func, inputs, v, create_graph, strict, "hvp")
        weights = tuple(wrap(np.zeros_like(t._array)).requires_grad_() for t in given)
        second = _gradients(first, given, weights, True)
        _check_recorded(second, "hessian", strict)
    with set_grad_enabled(True if create_graph else is_grad_enabled()):
        found = _gradients(second, weights, direction, create_graph)
        products = _filled(found, given, strict, create_graph, "double_back_trick")
    return _finished((out,), create_graph)[0], _unpacked(_finished(products, create_graph), several)
