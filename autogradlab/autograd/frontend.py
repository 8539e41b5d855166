"""backward() and grad(): checks of what they are given, then one walk of the engine."""

from __future__ import annotations

import math
import operator
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..core.arguments.mismatch import typename
from ..core.backward.engine import Event, Task
from ..core.backward.validate import checked
from ..core.graph.node import NO_EDGE, AccumulateGrad, Node, Pair, pair, reachable
from ..core.memory.rows import Rows, levels_of, new_level
from ..core.recording.record import TENSORS
from ..core.recording.views import passed_on, shown, with_history
from ..core.runtime import errors, modes
from ..core.runtime.warn import warn_once
from ..core.tensor.dispatching import instead
from ..core.tensor.tensor import Size, Tensor, gradient_edge, requires_grad, wrap
from ..core.types import dtypes
from ..core.types.layouts import FORMATS
from ..ops.table.rows import ROWS
from .context import transforms
from .edge import GradientEdge

__all__ = ["_EngineBase", "backward", "grad", "inputs_of", "running", "weights", "will_run"]

_BATCHED = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch dimension. The "
    "sizes of "
    "the remaining dimensions are expected to match the shape of corresponding output, but a mismatch was detected: "
    "grad_output[{0}] has a shape of {1} and output[{0}] has a shape of {2}. If you only want some tensors in "
    "`grad_output` "
    "to be considered batched, consider using vmap."
)
_NO_DIM = (
    "vmap(vjp, in_dims=0, ...)(<inputs>): Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0 "
    "so "
    "expected in_dim to satisfy 0 <= in_dim < 0."
)
#: backward inside backward goes into a new thread at this depth, so that Python's stack does not overflow
_DEEP = 40


class _Running(threading.local):
    def __init__(self) -> None:
        #: the backward passes of a thread, each begun within the one before. A pass enters and leaves by an assignment,
        #: at which no interruption comes.
        self.tasks: tuple[Task, ...] = ()


_RUNNING = _Running()


def running() -> Task | None:
    """The innermost backward pass of this thread."""
    tasks = _RUNNING.tasks
    return tasks[-1] if tasks else None


class _EngineBase:
    """The engine as PyTorch shows it, `Variable._execution_engine`."""

    __module__ = "torch._C"

    def queue_callback(self, callback: Callable[[], Any], /) -> None:
        """Let a function be called when the backward pass that runs now is over; hooks and Functions queue them."""
        task = running()
        if task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        task.callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether the pass that runs now goes to the leaves, as reentrant checkpoints need."""
        task = running()
        return task is None or task.reach.needed is None


def will_run(task: Task, node: Node) -> bool:
    """Whether `node` takes part in a backward pass, as PyTorch counts it: where there is one root, without that."""
    needed, roots = task.reach.needed, task.reach.roots
    if len(roots) == 1 and roots[0][0] is node:
        return False
    if needed is not None and (node not in needed or node not in reachable(root for root, _ in roots)):
        return False
    if needed is not None and node.accumulates and not needed[node]:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return node in reachable(root for root, _ in roots)


def _run(task: Task) -> dict[int, Any]:
    before = _RUNNING.tasks
    if before and len(before) % _DEEP == 0:
        return _run_aside(task)
    try:
        _RUNNING.tasks = (*before, task)
        found = task.run()
        if task.callbacks:
            _call_back(task)
        return found
    finally:
        _RUNNING.tasks = before


def _call_back(task: Task) -> None:
    """What `queue_callback` has queued during the pass, at its end; a callback may queue another one."""
    for callback in task.callbacks:
        callback()


def _run_aside(task: Task) -> dict[int, Any]:
    """Run a pass in a thread of its own, with the modes of this one, and wait for it."""
    tasks, state = _RUNNING.tasks, modes.current()
    failed: list[BaseException] = []

    def work() -> None:
        before, modes.LOCAL.state = modes.LOCAL.state, state
        _RUNNING.tasks = (*tasks, task)
        try:
            task.run()
            _call_back(task)
        except BaseException as error:
            failed.append(error)
        finally:
            modes.LOCAL.state = before

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return task.reach.captured


def inputs_of(given: Any, function: str) -> tuple[Any, ...]:
    """The tensors of `inputs=`, which may be one, a sequence of them, or a dict."""
    if type(given) is dict:
        found = tuple(given.values())
    elif not isinstance(given, (Tensor, tuple, list)) and isinstance(given, Mapping):
        raise TypeError(
            f"`inputs` argument to `{function}()` must be a dict, not {type(given).__name__}. Other Mapping types are "
            "not supported."
        )
    else:
        found = _tuple(given)
    if not found:
        raise RuntimeError(f"`inputs` argument to `{function}()` cannot be empty.")
    return found


def _tuple(given: Any) -> tuple[Any, ...]:
    return (given,) if isinstance(given, (Tensor, GradientEdge)) else tuple(given)


def _grads(given: Any, count: int) -> tuple[Any, ...]:
    """What was given as gradients: one tensor, a sequence of them, or nothing."""
    if given is None:
        return (None,) * count
    return (given,) if isinstance(given, Tensor) else tuple(given)


def _flag(value: Any) -> bool:
    """What PyTorch reads as one byte."""
    if isinstance(value, bool):
        return value
    number = operator.index(value)
    if not 0 <= number < 256:
        limit = "less than minimum" if number < 0 else "greater than maximum"
        raise OverflowError(f"unsigned byte integer is {limit}")
    return number != 0


def _about(out: Any) -> tuple[tuple[int, ...], dtypes.dtype, bool]:
    """Shape and dtype of an output, and whether a gradient can enter at it."""
    if isinstance(out, GradientEdge):
        about = out.node._input_metadata[out.output_nr]
        return tuple(about.shape), about.dtype, True
    if not isinstance(out, Tensor):
        raise AssertionError("Expected output to be a torch.Tensor")
    return out._array.shape, out.dtype, requires_grad(out)


def _root_gradients(outputs: Sequence[Any], grads: Sequence[Any], batched: bool = False) -> list[Tensor | None]:
    """The gradients at the roots: those given, after checks, and ones for scalars without one."""
    found: list[Tensor | None] = []
    for i, (out, g) in enumerate(zip(outputs, grads, strict=False)):
        shape, kind, wants = _about(out)
        if isinstance(g, Tensor):
            size = g._array.shape
            if batched and (not size or size[1:] != shape):
                raise RuntimeError(_BATCHED.format(i, Size(size[2:]), Size(shape)))
            if not batched and size != shape:
                i = list(grads).index(g)  # PyTorch looks both up, which compares tensors, and may fail at that
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{i}] has a shape of {Size(size)} and "
                    f"output[{list(outputs).index(out)}] has a shape of {Size(shape)}."
                )
            if kind.is_complex != g.dtype.is_complex:
                raise RuntimeError(
                    "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in "
                    "dtype: "
                    f"grad_output[{i}] has a dtype of {g.dtype} and output[{i}] has a dtype of {kind}."
                )
            found.append(g)
        elif g is None:
            if not wants:
                found.append(None)
                continue
            if math.prod(shape) != 1:
                raise RuntimeError(errors.GRAD_IMPLICIT)
            if not kind.is_floating_point:
                raise RuntimeError(errors.GRAD_IMPLICIT_REAL.format(kind))
            found.append(_one(out, shape, kind))
        else:
            raise TypeError(f"gradients can be either Tensors or None, but got {type(g).__name__}")
    if len(found) != len(outputs):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(found)} gradients")
    return found


@instead(lambda call, args, kwargs: TENSORS.ones_like(args[0], memory_format=FORMATS["preserve_format"]))
def _one(out: Any, shape: tuple[int, ...], kind: Any) -> Tensor:
    """The gradient of a scalar at the root."""
    return wrap(np.ones(shape, kind.numpy) if shape else np.array(1, kind.numpy))


@instead(lambda call, args, kwargs: None)
def _entry(out: Tensor, gradient: Any) -> tuple[Pair, Tensor] | None:
    """Where the gradient of an output enters the graph, and that gradient: the usual case, in which none of the checks
    of outputs and gradients can fail; else None."""
    x = out._array
    if gradient is None:
        fits = x.size == 1 and x.dtype.kind == "f"
    else:
        fits = isinstance(gradient, Tensor) and (g := gradient._array).dtype is x.dtype and g.shape == x.shape
    if not fits:
        return None
    node: Any = gradient_edge(out)
    nr = 0
    if type(node) is tuple:
        node, nr = node
        if node is None:
            return None
    if node.shape != x.shape or node.dtype is not x.dtype:  # which are several where a Node has several outputs
        if not node.multi or node.shape[nr] != x.shape or node.dtype[nr] is not x.dtype:
            return None
    if gradient is None:
        one = np.empty(x.shape, x.dtype)
        one.fill(1)
        gradient = wrap(one)
    return (node, nr), gradient


def _roots(outputs: Sequence[Any]) -> list[Pair]:
    edges: list[Pair] = []
    for i, out in enumerate(outputs):
        edge = (out.node, out.output_nr) if isinstance(out, GradientEdge) else pair(gradient_edge(out))
        if edge[0] is None:
            raise RuntimeError(errors.NO_GRAD_FN.format(i))
        edges.append(edge)
    return edges


def _root_checked(edges: Sequence[Pair], grads: Sequence[Tensor | None]) -> list[Tensor | None]:
    """Root gradients against the metadata of the Nodes they enter, which `.data` may have left behind."""
    found = []
    for i, ((node, nr), g) in enumerate(zip(edges, grads, strict=True)):
        if g is not None and node is not None:
            shape, numpy = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)
            if g._array.shape != shape or g._array.dtype is not numpy:
                g = checked(None, i, g, shape, numpy)
        found.append(g)
    return found


def _targets(inputs: Sequence[Any], retain: bool) -> list[Pair]:
    """The edges of `inputs`; those of backward() keep their gradients."""
    edges: list[Pair] = []
    for t in inputs:
        if isinstance(t, GradientEdge):
            if not isinstance(t.node, Node):
                kind = typename(t.node)
                raise RuntimeError(f"GradientEdge's first object must be an autograd.graph.Node but got {kind}")
            edges.append((t.node, t.output_nr))
            continue
        if not isinstance(t, Tensor):
            raise RuntimeError(f"all inputs have to be Tensors or GradientEdges, but got {typename(t)}")
        if retain:
            t.retain_grad()
        edge = pair(gradient_edge(t))
        if edge[0] is None:
            if not requires_grad(t):
                raise RuntimeError("One of the differentiated Tensors does not require grad")
            edge = AccumulateGrad.of(t), 0  # a view made while nothing was recorded: no graph leads there
        edges.append(edge)
    return edges


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    grad_variables: Any = None,
    inputs: Any = None,
) -> None:
    """Goes back through the graph from tensors, and adds derivatives to the .grad of leaves: Tensor.backward
    for several tensors at once.

    Note: grad_tensors are the weights of their elements; None for one element. inputs names the leaves (or
        others) that are wanted.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([2.], requires_grad=True)
        >>> torch.autograd.backward([w * 3, w * w])
        >>> w.grad
        tensor([7.])

    Mirrors `torch.autograd.backward`.
    """
    _backward(tensors, weights(grad_tensors, grad_variables, stacklevel=3), retain_graph, create_graph, inputs)


def weights(grad_tensors: Any, grad_variables: Any, stacklevel: int) -> Any:
    """What was given as gradients, under its name or the old one."""
    if grad_variables is None:
        return grad_tensors
    warnings.warn("`grad_variables` is deprecated. Use `grad_tensors` instead.", FutureWarning, stacklevel=stacklevel)
    if grad_tensors is not None:
        raise RuntimeError(
            "`grad_tensors` and `grad_variables` (deprecated) arguments both passed to `backward()`. Please only use "
            "`grad_tensors`."
        )
    return grad_variables


def _backward(tensors: Any, grad_tensors: Any, retain_graph: Any, create_graph: Any, inputs: Any) -> None:
    if transforms.depth:
        raise RuntimeError(errors.WITHIN_BACKWARD)
    task = _task(tensors, grad_tensors, retain_graph, create_graph, inputs)
    try:
        _run(task)
    finally:
        _warn_of_cycle(task)


def _warn_of_cycle(task: Task) -> None:
    """PyTorch keeps the warnings of its compiled part until a call is over."""
    if task.create_graph:
        warn_once(errors.CREATE_GRAPH_CYCLE, at="torch/csrc/autograd/engine.cpp:1307")


def backward_steps(
    tensors: Any, grad_tensors: Any = None, retain_graph: Any = None, create_graph: Any = False, inputs: Any = None
) -> Iterator[Event]:
    """`backward` as a generator, which pauses after every Node: what has run has run, and the rest when it goes on.

    Between two steps anything else may run, other backward passes too. A pass that is not taken to its end stays where
    it is: `.grad` has what arrived, and Nodes that ran have freed what they saved.
    """
    return _stepwise(_task(tensors, grad_tensors, retain_graph, create_graph, inputs))


def _stepwise(task: Task) -> Iterator[Event]:
    steps = task.steps()
    while True:
        before = _RUNNING.tasks
        try:
            _RUNNING.tasks = (*before, task)
            event = next(steps)
        except StopIteration:
            _call_back(task)
            _warn_of_cycle(task)
            return
        finally:
            _RUNNING.tasks = before
        yield event


def _task(tensors: Any, grad_tensors: Any, retain_graph: Any, create_graph: Any, inputs: Any) -> Task:
    if inputs is not None:
        inputs = inputs_of(inputs, "backward")
    outputs = _tuple(tensors)
    grads = _root_gradients(outputs, _grads(grad_tensors, len(outputs)))
    keep = _flag(create_graph if retain_graph is None else retain_graph)
    create = _flag(create_graph)
    roots = _roots(outputs)
    targets = None if inputs is None else _targets(inputs, retain=True)
    return Task(roots, _root_checked(roots, grads), keep, create, targets, accumulate=True)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> Any:
    """The derivatives of outputs with respect to inputs, as a result: no .grad changes.

    Note: create_graph=True makes them part of a graph, for higher derivatives; an input that outputs do not
        depend on needs allow_unused=True, and gives None.

    Example:
        >>> import autogradlab as torch
        >>> x = torch.tensor(3., requires_grad=True)
        >>> (first,) = torch.autograd.grad(x ** 3, x, create_graph=True)
        >>> first
        tensor(27., grad_fn=<MulBackward0>)
        >>> torch.autograd.grad(first, x)
        (tensor(18.),)

    Mirrors `torch.autograd.grad`.
    """
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )
    if allow_unused is None:
        allow_unused = materialize_grads
    outs = _tuple(outputs)
    ins = inputs_of(inputs, "grad")
    keys = tuple(inputs) if type(inputs) is dict else None
    if not only_inputs:
        warnings.warn(
            "only_inputs argument is deprecated and is ignored now (defaults to True). To accumulate "
            "gradient for "
            "other parts of the graph, please use torch.autograd.backward.",
            FutureWarning,
            stacklevel=2,
        )
    given = _grads(grad_outputs, len(outs))
    entry = None
    if len(outs) == len(given) == 1 and not is_grads_batched and type(getattr(outs[0], "_array", None)) is np.ndarray:
        entry = _entry(outs[0], given[0])
    grads = _root_gradients(outs, given, is_grads_batched) if entry is None else entry[1:]
    keep = _flag(create_graph if retain_graph is None else retain_graph)
    create, allow_unused = _flag(create_graph), _flag(allow_unused)
    if is_grads_batched:
        found = _batched(outs, ins, grads, keep, create, allow_unused)
    else:
        found = _grad(outs, ins, grads, keep, create, allow_unused, entry)
    if materialize_grads:
        for i, (g, t) in enumerate(zip(found, ins, strict=True)):
            if g is None:
                if isinstance(t, GradientEdge):
                    raise RuntimeError("materialize_grads cannot be used when the given input is a GradientEdge")
                found[i] = wrap(np.zeros_like(t._array)).requires_grad_(create)
    return tuple(found) if keys is None else dict(zip(keys, found, strict=True))


def _grad(
    outs: Any, ins: Any, grads: Any, keep: bool, create: bool, allow_unused: bool, entry: Any = None
) -> list[Tensor | None]:
    roots = _roots(outs) if entry is None else entry[:1]
    targets = _targets(ins, retain=False)
    given = _root_checked(roots, grads) if entry is None else grads
    captured = _run(Task(roots, given, keep, create, targets, accumulate=False))
    found: list[Tensor | None] = []
    for i in range(len(ins)):
        g = captured.get(i)
        if g is None and not allow_unused:
            raise RuntimeError(errors.UNUSED.format(i))
        found.append(None if g is None else _arrived(g, given))
    return found


def _arrived(g: Any, given: Sequence[Tensor | None]) -> Tensor:
    """The tensor of a gradient: the one given for the root, if it came through unchanged."""
    if isinstance(g, Tensor):  # recorded: another tensor on the root's memory has a history of its own
        return g
    recorded = False
    for root in given:
        if root is not None:
            if root._array is g:
                return root
            recorded = recorded or root._edge is not NO_EDGE
    known = passed_on(g, with_history(given)) if recorded else None
    return shown(g) if known is None else known


def _batched(outs: Any, ins: Any, grads: Any, keep: bool, create: bool, allow_unused: bool) -> list[Tensor | None]:
    """A gradient for each of a batch of grad_outputs, stacked."""
    sizes = []
    for g in grads:
        if g is not None:
            if not g._array.ndim:
                raise ValueError(_NO_DIM)
            sizes.append(g._array.shape[0])
    if len(set(sizes)) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
            f"{sizes} for the mapped dimension"
        )
    together = None if create else _together(outs, ins, grads, sizes[0], keep, allow_unused)
    if together is not None:
        return together
    if create or _of_rows(outs):
        return _in_rows(outs, ins, grads, sizes[0], keep, create, allow_unused)
    rows = [
        _grad(outs, ins, [None if g is None else g[i] for g in grads], keep or i + 1 < sizes[0], create, allow_unused)
        for i in range(sizes[0])
    ]
    return [None if column[0] is None else TENSORS.stack(column) for column in zip(*rows, strict=True)]


def _of_rows(outs: Any) -> bool:
    """Whether there are Nodes of rows (`core/memory/rows.py`) below outputs."""
    return modes.FLAGS.rows and any(levels_of(node.shape) for node in reachable([node for node, _ in _roots(outs)]))


def _in_rows(
    outs: Any, ins: Any, grads: Any, count: int, keep: bool, create: bool, allow_unused: bool
) -> list[Tensor | None]:
    """The same by one pass on rows, which can be recorded."""
    return mapped(lambda given: _grad(outs, ins, given, keep, create, allow_unused), grads, count)


def mapped(
    func: Callable[[list[Tensor | None]], Sequence[Tensor | None]], given: Sequence[Tensor | None], count: int
) -> list[Tensor | None]:
    """What a function gives for each of `count` rows of tensors, by one call of it."""
    level, local = new_level(), modes.current()
    before = local.levels, local.mapped
    try:
        local.levels = (*local.levels, level)
        local.mapped = (*local.mapped, (level, count, "never", local.entered() + 1))
        rows = [None if t is None else TENSORS._add_batch_dim(t, 0, level) for t in given]
        return [None if t is None else TENSORS._remove_batch_dim(t, level, count, 0) for t in func(rows)]
    finally:
        local.levels, local.mapped = before


def _together(
    outs: Any, ins: Any, grads: Any, count: int, keep: bool, allow_unused: bool
) -> list[Tensor | None] | None:
    """The same by one pass, where neither the graph nor the gradients ask for more."""
    roots, targets = _roots(outs), _targets(ins, retain=False)
    for (node, nr), g in zip(roots, grads, strict=True):
        if g is not None and node is not None:
            shape, numpy = (node.shape[nr], node.dtype[nr]) if node.multi else (node.shape, node.dtype)
            if g._array.shape[1:] != shape or g._array.dtype is not numpy or type(g._array) is Rows:
                return None
    given = [None if g is None else Rows(g._array) for g in grads]
    if not count or _of_rows(outs):
        return None
    captured = Task(roots, given, keep, False, targets, accumulate=False).run_together(count, ROWS)
    if captured is None:
        return None
    found: list[Tensor | None] = []
    for i in range(len(ins)):
        g = captured.get(i)
        if g is None and not allow_unused:
            raise RuntimeError(errors.UNUSED.format(i))
        found.append(None if g is None else wrap(np.array(g.whole, order="C")))
    return found


def _method(
    self: Tensor, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None
) -> None:
    """Goes back through the graph from this tensor, and adds to the .grad of each leaf the derivative of this
    tensor with respect to it.

    Note: a tensor with more than one element needs `gradient`, the weight of each of its elements. The
        graph's saved values are freed, if retain_graph is not True; create_graph=True makes the gradients
        part of a graph themselves.
    Errors: RuntimeError without gradient for more than one element, on a tensor without grad_fn, or for a
        graph that is freed.

    Example:
        >>> import autogradlab as torch
        >>> w = torch.tensor([1., 2.], requires_grad=True)
        >>> (w * w).sum().backward()
        >>> w.grad
        tensor([2., 4.])
        >>> (3 * w).backward(torch.tensor([1., 10.]))
        >>> w.grad
        tensor([ 5., 34.])

    Mirrors `torch.Tensor.backward`.
    """
    if inputs is None and create_graph is False and (retain_graph is None or type(retain_graph) is bool):
        entry = None if transforms.depth else _entry(self, gradient)
        if entry is not None:
            _run(Task((entry[0],), (entry[1],), retain_graph is True, False))
            return
    _backward(self, gradient, retain_graph, create_graph, inputs)


_method.__name__ = "backward"
_method.__qualname__ = "Tensor.backward"
Tensor.backward = _method  # type: ignore[assignment, method-assign]
