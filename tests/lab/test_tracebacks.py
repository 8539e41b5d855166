"""In a learner's notebook a traceback shows the learner's code and no frame of autogradlab."""

from __future__ import annotations

import re
import subprocess
import sys
import traceback
from typing import Any

import pytest

import autogradlab as torch
from autogradlab.lab.tracebacks import trimmed
from tests.conftest import need

SHELL = """
import sys
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.HistoryManager.enabled = False
shell = InteractiveShell.instance(config=config, colors="nocolor")
for cell in sys.stdin.read().split("%%"):
    shell.run_cell(cell.strip(), store_history=True)
"""
START = "import autogradlab as torch\nfrom autogradlab.lab import check"


def run(*cells: str) -> str:
    """What a notebook of these cells prints, in a process of its own."""
    need("IPython")
    ran = subprocess.run(
        [sys.executable, "-c", SHELL], input="%%".join(cells), capture_output=True, text=True, check=True
    )
    return ran.stdout + ran.stderr


def frames(text: str) -> list[str]:
    return re.findall(r"^(?:Cell|File) .*$", text, re.MULTILINE)


def failing(call: Any) -> BaseException:
    with pytest.raises(Exception) as caught:
        call()
    return caught.value


def test_frames_of_the_package_are_left_out():
    error = failing(lambda: torch.ones(2).backward())
    files = {f.filename for f in traceback.extract_tb(error.__traceback__)}
    assert any("autogradlab/autograd" in f.replace("\\", "/") for f in files)
    assert {f.filename for f in traceback.extract_tb(trimmed(error.__traceback__))} == {__file__}
    assert trimmed(None) is None


def test_functions_of_the_learner_stay():
    def hook(grad: Any) -> None:
        raise KeyError("mine")

    w = torch.ones(2, requires_grad=True)
    y = w * 2
    y.register_hook(hook)
    error = failing(y.sum().backward)
    names = [f.name for f in traceback.extract_tb(trimmed(error.__traceback__))]
    assert names[0] == "failing"
    assert names[-1] == "hook"
    assert len(names) == 2


def test_a_notebook_shows_the_cell():
    text = run(START, "a = torch.ones(2)\na.backward()", "torch.sum(a, a)")
    assert frames(text) == ["Cell In[2], line 2", "Cell In[3], line 1"]
    assert "----> 2 a.backward()" in text
    assert "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn" in text
    assert " * (Tensor input, *, torch.dtype dtype = None)" in text


def test_what_led_to_an_error_is_short_too_and_stays_whole():
    text = run(
        START,
        "a = torch.ones(2)\ntry:\n    a.backward()\nexcept RuntimeError as error:\n    raise KeyError('k') from error",
        "import sys, traceback\nprint(len(traceback.extract_tb(sys.last_value.__cause__.__traceback__)) > 2)",
    )
    assert frames(text) == ["Cell In[2], line 3", "Cell In[2], line 5"]
    assert text.endswith("True\n")


def test_verbose_shows_everything():
    text = run(START, "%xmode Verbose", "torch.ones(2).backward()")
    assert [f for f in frames(text) if "frontend.py" in f]


def test_another_handler_has_the_say():
    before = (
        "get_ipython().set_custom_exc((ValueError,), lambda shell, kind, error, trace, tb_offset=None: print('theirs'))"
    )
    text = run(before, START, "raise ValueError('v')", "torch.ones(2).backward()")
    assert "theirs" in text
    assert [f for f in frames(text) if "frontend.py" in f]
