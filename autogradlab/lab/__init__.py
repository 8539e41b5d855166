"""The learner's side: predictions, recall, puzzles, exercises and progress;
and the command that lays the lessons out."""

import sys

from autogradlab.inspectors.extension import load_ipython_extension
from autogradlab.inspectors.snapshot.names import notebook

from . import cells
from .exercises import Check, Help, check, hint, solution
from .film import Film, moons
from .predictions import Prediction, predict
from .puzzles import Parsons, parsons
from .quizzes import Quiz, quiz
from .records import Progress, learners_folder, progress
from .tracebacks import shorten

__all__ = [
    "Check",
    "Film",
    "Help",
    "Parsons",
    "Prediction",
    "Progress",
    "Quiz",
    "check",
    "hint",
    "moons",
    "parsons",
    "predict",
    "progress",
    "quiz",
    "solution",
]

shorten()
cells.watch()
# In a learner's copies errors are explained, until lab.explain(False). Not in a browser's kernel, which shows a
# traceback after all that a cell displays: the explanation would stand above it.
if notebook() is not None and learners_folder() is not None and sys.platform != "emscripten":
    load_ipython_extension(notebook())
