"""Tries a lesson out: every answer that it computes, every solution in the notebook's context,
every stub as it stands."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import nbformat

from autogradlab.inspectors.words import language, say

from .book import execute, on_torch, read

MARK = "lesson-audit: "
AUDIT = f"""\
import json as _json
from autogradlab.lab.author.audit import latest as _latest
print({MARK!r} + _json.dumps(_latest(Out, get_ipython().user_ns)))"""
CALLS = {"predict", "quiz", "parsons", "check"}


def attempt(path: Path, torch: bool = False) -> tuple[list[str], int]:
    """What is wrong with the answers, puzzles and exercises of a lesson, and how many there were to try."""
    stored = read(path)
    cells = []
    for number, cell in enumerate(c for c in stored.cells if c.cell_type == "code"):
        after = nbformat.v4.new_code_cell(AUDIT)
        after["id"] = f"audit-{number}"
        after.metadata["tags"] = ["raises-exception"]
        cells += [cell, after]
    audited = nbformat.from_dict({**stored, "cells": cells})
    ran = execute(audited, path.parent, rewrite=on_torch if torch else None, language=language())
    found, tried = [], 0
    for cell in ran.cells:
        if cell["id"].startswith("audit-"):
            said = [o.text for o in cell.outputs if o.output_type == "stream" and MARK in o.text]
            if not said:
                found.append(say("author.audit_failed", outputs=cell.outputs))
            for text in said:
                told = json.loads(text.partition(MARK)[2])
                tried += told["tried"]
                found += told["faults"]
    asked = sum(calls(cell.source) for cell in stored.cells if cell.cell_type == "code")
    if tried != asked:
        found.append(say("author.not_shown", asked=asked, tried=tried))
    elif not asked:
        found.append(say("author.nothing_to_try"))
    return found, tried


def calls(source: str) -> int:
    """How many questions and exercises a cell calls."""
    try:
        tree = ast.parse(re.sub(r"^\s*[%!].*$", "", source, flags=re.MULTILINE))
    except SyntaxError:  # a cell that shows a mistake
        return 0
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return sum((f.id if isinstance(f, ast.Name) else getattr(f, "attr", "")) in CALLS for f in called)
