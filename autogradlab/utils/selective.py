"""Which results a checkpointed call keeps and which it computes again, decided operation by operation; and what it
tells when the second time is not as the first. `torch.utils.checkpoint` hands on the public names."""

from __future__ import annotations

import enum
import sys
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ..core.tensor.tensor import Tensor
from ..ops.operators.namespaces import namespace
from ..ops.operators.overloads import OpOverload, OpOverloadPacket
from ._python_dispatch import TorchDispatchMode
from ._pytree import tree_map

__all__ = [
    "CheckpointPolicy",
    "SAC_IGNORED_OPS",
    "SelectiveCheckpointContext",
    "create_selective_checkpoint_contexts",
]

_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend on global state that "
    "changed between forward and backward."
)
_AGAIN = (
    "Trying to backward an extra time. You are only allowed to backward once on any region computed under selective "
    "activation checkpoint."
)
_PACKET = (
    "Please update the OpOverloadPacket to a specific OpOverload.For example, if you have `torch.ops.aten.mm`, change "
    "it to `torch.ops.aten.mm.default`."
)


class CheckpointPolicy(enum.Enum):
    """What becomes of the result of an operation in a checkpointed call: kept, or computed again.

    Mirrors `torch.utils.checkpoint.CheckpointPolicy`.
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


class SelectiveCheckpointContext:
    """What a policy is told beside the operation and its arguments: `op_output`, its result.

    Mirrors `torch.utils.checkpoint.SelectiveCheckpointContext`.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


for _class in (CheckpointPolicy, SelectiveCheckpointContext):
    _class.__module__ = "torch.utils.checkpoint"

#: operations that no policy is asked about: checkpoints detach a different number of times in forward and again
SAC_IGNORED_OPS = {namespace("aten").detach.default}

#: in the place of a kept result: it is to be computed again, or it was handed out
_RECOMPUTE, _CONSUMED = object(), object()
_KEPT = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class _Version:
    """A kept result, with the version that it had."""

    def __init__(self, val: Any) -> None:
        self.val = val.detach() if isinstance(val, Tensor) else val
        self.version = self.val._version if isinstance(val, Tensor) else None

    def get(self, changed: bool) -> Any:
        """The result; an error if it was changed in place and may not be."""
        if self.version is not None and not changed and self.val._version != self.version:
            raise RuntimeError("Tensor cached during selective activation checkpoint has been mutated")
        return self.val


class _CachingTorchDispatchMode(TorchDispatchMode):
    """Keeps, in forward, the results that the policy says."""

    def __init__(self, policy_fn: Callable[..., Any], storage: Any) -> None:
        self.policy_fn = policy_fn
        self.storage = storage

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        if func in SAC_IGNORED_OPS:
            return out
        context = SelectiveCheckpointContext(is_recompute=False, op_output=out)
        policy = self.policy_fn(context, func, *args, **kwargs)
        kept = policy if isinstance(policy, bool) else policy in _KEPT
        results = self.storage[func]
        results[len(results)] = tree_map(_Version, out) if kept else _RECOMPUTE
        return out


class _CachedTorchDispatchMode(TorchDispatchMode):
    """Hands out, when the call is computed again, what was kept."""

    def __init__(self, policy_fn: Any, storage: Any, allow_cache_entry_mutation: bool = False) -> None:
        self.storage = storage
        self.allow_cache_entry_mutation = allow_cache_entry_mutation
        self.func_counter: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        self.func_counter.clear()
        return super().__enter__()

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        if func in SAC_IGNORED_OPS:
            return func(*args, **(kwargs or {}))
        number = self.func_counter[func]
        self.func_counter[func] += 1
        results = self.storage.get(func)
        if results is None:
            raise RuntimeError(f"{func} encountered during backward but not found in storage. {_MISMATCH}")
        entry = results.get(number)
        if entry is None:
            raise RuntimeError(
                f"{func} invocation index {number} encountered during backward but not found in storage. {_MISMATCH}"
            )
        if entry is _CONSUMED:
            raise RuntimeError(_AGAIN)
        if entry is _RECOMPUTE:
            return func(*args, **(kwargs or {}))
        results[number] = _CONSUMED
        return tree_map(lambda kept: kept.get(self.allow_cache_entry_mutation), entry)


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[TorchDispatchMode, TorchDispatchMode]:
    """The contexts of a checkpointed call that keeps the results of some operations: of those in a list, or of those
    for which a policy, which gets a SelectiveCheckpointContext, the operation and its arguments, says so.

    Errors: RuntimeError in backward when a kept result was changed in place, unless that is allowed.

    Example:
        >>> import autogradlab as torch
        >>> from functools import partial
        >>> from autogradlab.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
        >>> x = torch.ones(1, requires_grad=True)
        >>> def policy(context, op, *args, **kwargs):
        ...     print(op, context.op_output)
        ...     return op == torch.ops.aten.exp.default
        ...
        >>> contexts = partial(create_selective_checkpoint_contexts, policy)
        >>> y = checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False, context_fn=contexts)
        aten.exp.default tensor([2.7183])
        aten.sin.default tensor([0.4108])

    Mirrors `torch.utils.checkpoint.create_selective_checkpoint_contexts`.
    """
    if isinstance(policy_fn_or_list, list):
        for op in policy_fn_or_list:
            if not isinstance(op, OpOverload):
                hint = _PACKET if isinstance(op, OpOverloadPacket) else ""
                raise ValueError(
                    f"Expected op in `op_list` to be an OpOverload but got: {op} of type {type(op)}. {hint}"
                )

        def policy(context: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
            return op in policy_fn_or_list

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    storage: dict[Any, dict[int, Any]] = defaultdict(dict)
    return (
        _CachingTorchDispatchMode(policy, storage),
        _CachedTorchDispatchMode(None, storage, allow_cache_entry_mutation),
    )


class Told(TorchDispatchMode):
    """Notes each operation with its tensors, and where it was called."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: list[list[str]] = []
        self.seen: list[Tensor] = []

    def _name(self, value: Any) -> str:
        if isinstance(value, (tuple, list)):
            inside = ", ".join(map(self._name, value))
            return f"[{inside}]" if isinstance(value, list) else f"({inside})"
        if not isinstance(value, Tensor):
            return repr(value)
        number = next((i for i, t in enumerate(self.seen) if t is value), len(self.seen))
        if number == len(self.seen):
            self.seen.append(value)
        return f"${number}"

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        given = ", ".join([*map(self._name, args), *(f"{k}={self._name(v)}" for k, v in kwargs.items())])
        out = func(*args, **kwargs)
        made = ", ".join(f"{self._name(o)}: {_short(o)}" for o in (out if isinstance(out, (tuple, list)) else (out,)))
        self.lines.append(f"{made} = torch._ops.{func}({given})")
        self.places.append(_called_from(sys._getframe(1)))
        return out


#: dtypes whose letters are not those of their kind
_SHORT = {"torch.bool": "b8", "torch.uint8": "u8", "torch.bfloat16": "bf16"}


def _short(value: Any) -> str:
    """The dtype and shape of a tensor in a few letters."""
    if not isinstance(value, Tensor):
        return type(value).__name__
    letter = "f" if value.dtype.is_floating_point else "c" if value.dtype.is_complex else "i"
    short = _SHORT.get(str(value.dtype)) or f"{letter}{value.dtype.itemsize * 8}"
    return f"{short}[{', '.join(map(str, value.shape))}]"


def _called_from(frame: Any) -> list[str]:
    """The calls that lead to a frame, the innermost first."""
    found = []
    while frame is not None:
        code = frame.f_code
        found.append(f"{code.co_filename}:{frame.f_lineno}:{code.co_name}")
        frame = frame.f_back
    return found


_LOGS = """ \
An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.
Scroll all the way down for guidance on how to navigate these logs.

+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        1. Stack traces of the operators that ran in the original forward     |
+------------------------------------------------------------------------------+

{}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|        2. Stack traces of the operators that ran during recomputation        |
+------------------------------------------------------------------------------+

{}
+~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~+
|       3. Log of operators in the original forward and recomputation          |
+------------------------------------------------------------------------------+
(Scroll up to correlate stack traces with each operation listed below. This
 helps identify their source in the code.)

IMPORTANT: Differences in "detach" calls between the original forward and the
           recomputation are expected. They are introduced by the checkpointing
           mechanism and can be ignored.

Operations executed during the original forward:

{}

Operations executed during recomputation:

{}

+------------------------------------------------------------------------------+
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To identify where the mismatch may be coming from, you can do the following:

 1) Compare the operators ran during original forward and recomputation to
    see where they differ. These operators are printed above in the order they
    were executed.

 2) Review the stack trace for each operator to locate its invocation source.
    Each operator's stack trace is printed in their execution order.

 Note that the logs can be quite long. Here's how they are structured:
 (Tip: you can Ctrl-f for these headers)

 1. Stack traces of the operators that ran in the original forward
 2. Stack traces of the operators that ran during recomputation
 3. Log of operators in the original forward and recomputation
 4. Error message                                             <--- You are here
--------------------------------------------------------------------------------
"""


def logs(first: Told, again: Told) -> str:
    """What the operations of a checkpointed call were, the first time and again."""

    def traces(told: Told, when: str) -> str:
        count = len(told.lines)
        return "".join(
            f"{line}   ({i} of {count} in {when})\n\n" + "".join(f"{place}\n" for place in places) + "\n\n"
            for i, (line, places) in enumerate(zip(told.lines, told.places, strict=True), 1)
        )

    return _LOGS.format(
        traces(first, "original"), traces(again, "recompute"), "\n".join(first.lines), "\n".join(again.lines)
    )
