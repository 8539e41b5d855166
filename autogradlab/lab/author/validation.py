"""Notebooks as tests: nbval's comparison of stored and new outputs, in kernels that number cells as Jupyter does.

`pytest_autogradlab` hands notebooks over to it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, RunningKernel, start_new_kernel
from nbval.plugin import IPyNbCell, IPyNbFile

from autogradlab.inspectors.labextension import CARD
from pytest_autogradlab import wanted

from .book import CPP_PLACE, kernel_environment, language_of, on_torch, sanitise
from .guard import unfaithful

__all__ = ["LessonCell", "LessonFile", "LessonKernel", "WholeItem"]

#: Sets the number that the next cell has. Numbers left out are cells that were run and are gone: `In` has nothing
#: there.
NUMBERED = """\
_ = get_ipython()
_.execution_count = {number}
_.history_manager.input_hist_parsed.extend([""] * ({number} - len(_.history_manager.input_hist_parsed)))
_.history_manager.input_hist_raw.extend([""] * ({number} - len(_.history_manager.input_hist_raw)))
del _"""


class LessonKernel(RunningKernel):  # type: ignore[misc]  # nbval is not typed
    """nbval's kernel, with an environment of its own; it runs cells with history,
    so they have numbers and are in `In`."""

    def __init__(self, name: str, folder: Path, startup: float, language: str) -> None:
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            self.km, self.kc = start_new_kernel(
                startup_timeout=startup,
                kernel_name=name,
                stderr=nowhere,
                cwd=str(folder),
                env=kernel_environment(language),
            )
        self._ensure_iopub_up()
        self.upcoming: int | None = 1  #: the number that the next cell has by itself, where it is known

    def get_message(self, stream: str, timeout: float | None = None) -> Any:
        """The next message. nbval's own method also pretty-prints each one for a log, pictures included."""
        return (self.kc.get_iopub_msg if stream == "iopub" else self.kc.get_shell_msg)(timeout=timeout)

    def execute_cell_input(self, cell_input: str, allow_stdin: bool | None = None) -> str:
        options = {"store_history": True, "allow_stdin": allow_stdin, "stop_on_error": False}
        return str(self.kc.execute(cell_input, **options))

    def number_next(self, number: int) -> None:
        """The number of the cell that runs next."""
        asked = self.kc.execute(NUMBERED.format(number=number), silent=True, store_history=False)
        self.await_reply(asked, timeout=60)
        self.await_idle(asked, 5)


class WholeItem(pytest.Item):
    """One notebook is whole: a stripped one would pass nbval."""

    def __init__(self, notebook: Any, **more: Any) -> None:
        super().__init__(**more)
        self.notebook = notebook

    def runtest(self) -> None:
        if found := unfaithful(self.notebook):
            raise NotWhole("\n".join(found))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        return str(excinfo.value) if isinstance(excinfo.value, NotWhole) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"{self.path.name} is whole"


class NotWhole(Exception):
    """What is wrong with a stored notebook."""


class NothingToCompare(pytest.Item):
    """Stands for a notebook that does not import autogradlab, where PyTorch is to take its place."""

    def runtest(self) -> None:
        pytest.skip("no cell imports autogradlab")


class LessonFile(IPyNbFile):  # type: ignore[misc]
    """A notebook and its cells; with `torch` asked for, on the real PyTorch."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.skip_compare += (CARD,)  # the state of a page; what it says stands beside it as text and HTML

    def collect(self) -> Iterator[pytest.Item]:
        asked = wanted(self.config)
        cells = list(super().collect())
        if "guards" in asked:
            yield WholeItem.from_parent(self, name="whole", notebook=self.nb)
        rewrite = on_torch if "torch" in asked else str
        sources = [rewrite(item.cell.source) for item in cells]
        if "torch" in asked and sources == [item.cell.source for item in cells]:
            yield NothingToCompare.from_parent(self, name="no import")
            return
        for item, source in zip(cells, sources, strict=True):
            cell = nbformat.from_dict({**item.cell, "source": source})
            yield LessonCell.from_parent(self, name=item.name, cell_num=item.cell_num, cell=cell, options=item.options)

    def setup(self) -> None:
        option = self.config.option
        name = CURRENT_ENV_KERNEL_NAME
        if not option.nbval_current_env:
            name = option.nbval_kernel_name or self.nb.metadata.get("kernelspec", {}).get("name", "python")
        language = option.autogradlab_lang or language_of(self.nb, self.path)
        self.kernel = LessonKernel(name, self.path.parent, option.nbval_kernel_startup_timeout, language)
        self.setup_sanitize_files()


class LessonCell(IPyNbCell):  # type: ignore[misc]
    """A cell that runs under the number it is stored with."""

    def runtest(self) -> None:
        kernel, number = self.parent.kernel, self.cell.execution_count
        if number is not None and number != kernel.upcoming and kernel.is_alive():
            kernel.number_next(number)
        kernel.upcoming = None
        super().runtest()
        if number is not None and self.cell.source.strip():
            kernel.upcoming = number + 1

    def sanitize(self, s: Any) -> Any:
        """What may differ by chance masked, in pictures inside of HTML and in the words of JSON too."""
        match s:
            case str():
                return CPP_PLACE.sub("", sanitise(super().sanitize(s)))
            case dict():
                return {key: self.sanitize(value) for key, value in s.items()}
            case list():
                return [self.sanitize(value) for value in s]
        return s
