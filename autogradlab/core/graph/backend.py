"""The namespaces on which derivative formulas run: kernels on arrays, and operations on Tensors.

A formula is written once, against a namespace: `lambda F, grad, input: grad * F.cos(input)`. In a plain backward `F` is
RAW and the arguments are arrays; in a recorded one `F` is TENSORS and they are Tensors. (The op table has two more: of
symbols, for the words of the inspectors, `ops/table/symbols.py`; and of many gradients at once, `ops/table/rows.py`.)
The op table fills them; the core only hands them to Nodes and never looks up a name in them.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

__all__ = ["HELPERS", "RAW", "TENSORS"]

#: kernels by operation name, for plain backward
RAW = SimpleNamespace()
#: operations by name, for recorded backward
TENSORS = SimpleNamespace()
#: helpers of formulas that are themselves written against a namespace: `fn(F, ...)`
HELPERS: dict[str, Callable[..., Any]] = {}
