"""What anomaly mode does while the engine runs: where Nodes were made, warnings on errors, the search for nan."""

from __future__ import annotations

import os
import sys
import warnings
from typing import Any

import numpy as np

from ..graph.node import Node
from ..memory.rows import all_rows
from ..runtime import modes

__all__ = ["check_nan", "note", "report"]

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))) + os.sep
_TRIGGERED = " (Triggered internally at /__w/pytorch/pytorch/torch/csrc/autograd/python_anomaly_mode.cpp:{}.)"


def note(node: Node) -> None:
    """Record on a new Node the lines that made it and, if a backward made it, the Node that was running."""
    import traceback  # not needed before

    frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
    node.metadata["traceback_"] = traceback.format_list(frames)
    parent = modes.current().evaluating
    if parent is not None:
        node.metadata["parent_"] = parent


def report(node: Node) -> None:
    """Warn where the failing Node was created, then where the Nodes that led to it were."""
    _warn(f"Error detected in {node.name()}. ", "caused the error", node)
    parent = node.metadata.get("parent_")
    while parent is not None:
        _warn(f"\n\nPrevious calculation was induced by {parent.name()}. ", "induced the previous calculation", parent)
        parent = parent.metadata.get("parent_")


def _warn(start: str, what: str, node: Node) -> None:
    lines = node.metadata.get("traceback_")
    if lines is None:
        text = "No forward pass information available. Enable detect anomaly during forward pass for more information."
        text += _TRIGGERED.format(100)
    else:
        text = f"Traceback of forward call that {what}:\n{''.join(lines)}{_TRIGGERED.format(122)}"
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):  # the line that called backward
        level, frame = level + 1, frame.f_back
    try:
        warnings.warn(start + text, UserWarning, stacklevel=level)
    except UserWarning as refused:  # warnings are errors here: the Node's own error is the one that is raised
        print(f"{type(refused).__name__}: {refused}", file=sys.stderr)


def check_nan(node: Node, outs: tuple[Any, ...]) -> None:
    """Raise if one of the gradients that the Node returned contains a nan."""
    for i, g in enumerate(outs):
        array = np.asarray(all_rows(getattr(g, "_array", g)))
        if array.dtype.kind in "fc" and np.isnan(array).any():
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
