"""The learner's side: predictions, recall, puzzles, exercises and progress;
and the command that lays the lessons out."""

from . import cells
from .exercises import Check, Help, check, hint, solution
from .film import Film, moons
from .predictions import Prediction, predict
from .puzzles import Parsons, parsons
from .quizzes import Quiz, quiz
from .records import Progress, progress
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
