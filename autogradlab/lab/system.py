"""What the system refuses, in the learner's language."""

from __future__ import annotations

import errno

from autogradlab.inspectors.words import catalogue, say

__all__ = ["reason"]


def reason(error: OSError) -> str:
    """What the system refuses, in the chosen language; in its own words where it says something seldom."""
    name = errno.errorcode.get(error.errno or 0, "")
    return say(f"system.{name}") if name in catalogue("system") else error.strerror or str(error)
