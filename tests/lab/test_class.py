"""The configuration for a class: who may log in, in which language they arrive, what is laid out. A hub is not started
here."""

from __future__ import annotations

import asyncio
import getpass
import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from autogradlab.lab import cli, copying, doctor
from tests.conftest import ROOT

CONFIG = ROOT / "docs" / "class" / "jupyterhub_config.py"
pytestmark = pytest.mark.skipif(os.name != "posix", reason="a hub's learners are system users: POSIX only")


class Settings:
    """What JupyterHub gives a configuration: attributes that come into being when they are set."""

    def __getattr__(self, name: str) -> Any:
        self.__dict__[name] = made = Settings()
        return made


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("CLASS_PASSWORD", "a word")
    monkeypatch.setenv("CLASS_SIZE", "12")
    made = Settings()
    runpy.run_path(str(CONFIG), init_globals={"get_config": lambda: made})
    return made


def test_only_seats_log_in(config: Any):
    assert config.Authenticator.allowed_users == {f"learner{n:02}" for n in range(1, 13)}
    assert config.SharedPasswordAuthenticator.user_password == "a word"


@pytest.mark.parametrize(("accepted", "lang"), [("zh-CN,zh;q=0.9", "zh"), ("de,en;q=0.5", "en"), ("", "en")])
def test_learners_arrive_in_their_browsers_language(config: Any, accepted: str, lang: str):
    handler = SimpleNamespace(request=SimpleNamespace(headers={"Accept-Language": accepted}))
    spawner = SimpleNamespace(
        user=SimpleNamespace(name=getpass.getuser()), handler=handler, environment={}, default_url=""
    )
    asyncio.run(config.Spawner.pre_spawn_hook(spawner))
    lesson = spawner.default_url.removeprefix("/lab/tree/")
    assert lesson in {x.key for x in copying.lessons()}
    assert lesson.startswith(f"{lang}/")
    folders = spawner.environment["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert [Path(f).name for f in folders] == ["all", lang]
    assert (Path(folders[0]) / "labconfig" / "default_setting_overrides.json").is_file()
    assert "AUTOGRADLAB_LANG" not in {**config.Spawner.environment, **spawner.environment}


def test_what_is_started_lays_the_lessons_out(config: Any, tmp_path: Path):
    command = config.Spawner.cmd[config.Spawner.cmd.index("-c") + 1]
    found = re.match(
        r"autogradlab (lessons copy --dir) ~/autogradlab-lessons && exec (.*) jupyterhub.singleuser", command
    )
    assert found
    version = f"{found[2]} jupyterlab --version"
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    said = subprocess.run(
        version, shell=True, capture_output=True, text=True, check=True, env={**os.environ, "PATH": path}
    )
    assert said.stdout.strip() == doctor.installed("jupyterlab")
    assert config.Spawner.notebook_dir == "~/autogradlab-lessons"
    assert cli.main([*found[1].split(), str(tmp_path)]) == 0
    values = (ROOT / "docs" / "class" / "values.yaml").read_text(encoding="utf-8")
    assert command.replace(' "$@"', "") in values
    assert command.replace(' "$@"', "") in (ROOT / "binder" / "Dockerfile.hub").read_text(encoding="utf-8")
