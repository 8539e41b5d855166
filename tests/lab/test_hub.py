"""A hub of the shipped configuration, a real login, and a lesson run through its proxy.

It makes system users, so it has to be asked for, as root, where jupyterhub and configurable-http-proxy are installed:
`AUTOGRADLAB_HUB=1 pytest tests/lab/test_hub.py`.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import need

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def hub() -> Iterator[Any]:
    need("hub")
    from tests.benchmarks import hub

    assert hub.lacks() == ""
    with hub.hub(2) as running:
        yield running


@pytest.mark.parametrize(("accepted", "lang", "name"), [("en-US", "en", "learner01"), ("zh-CN,zh", "zh", "learner02")])
def test_a_learner_logs_in_and_runs_a_lesson(hub: Any, accepted: str, lang: str, name: str):
    from tests.benchmarks.hub import Learner

    with Learner(hub, name, accepted) as learner:
        learner.log_in()
        assert learner.arrived == f"/lab/tree/{lang}/00-welcome.ipynb"
        learner.run(f"{lang}/14-backward.ipynb")
        assert learner.errors == []
        assert len(learner.seconds) > 10
    home = Path(pwd.getpwnam(name).pw_dir)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert (home / "autogradlab-lessons" / lang / "00-welcome.ipynb").stat().st_uid == pwd.getpwnam(name).pw_uid


def test_who_has_no_seat_stays_outside(hub: Any):
    from tests.benchmarks.hub import Learner

    for name in ("learner03", "root", os.environ.get("USER", "daemon")):
        with Learner(hub, name) as stranger, pytest.raises(RuntimeError, match="403"):
            stranger.log_in()
