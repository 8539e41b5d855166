"""What can be checked of binder/ without Docker: repo2docker accepts it, and its steps, replayed,
open the first lesson.

    python tools/bindercheck.py

1. `jupyter-repo2docker --no-build` (no daemon needed, in an environment of its own) says what it would build: the
   Python of
   runtime.txt, our requirements, our postBuild.
2. The same steps by hand: a clean copy of the repository as the home folder, an empty environment with that Python
   where the
   machine has one, requirements.txt, postBuild; then the first lesson of each language is run from its cleared copy.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPO2DOCKER = "jupyter-repo2docker==2026.4.0"
#: What repo2docker must say that it would do.
STEPS = ('pip install --no-cache-dir -r "binder/requirements.txt"', "./binder/postBuild")


def run(*command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None) -> str:
    """Run a command; its output, or the end of the program with that output shown."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")
    return done.stdout + done.stderr


def wanted_python() -> str:
    """The Python that runtime.txt asks for: "3.12"."""
    text = (ROOT / "binder" / "runtime.txt").read_text(encoding="utf-8")
    found = re.fullmatch(r"python-(3\.\d+)\s*", text)
    if not found:
        sys.exit(f"runtime.txt says {text!r}")
    return found[1]


def copy(target: Path) -> None:
    """The repository as a visitor's machine has it: what git tracks, nothing else."""
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def dockerfile_faults(said: str, python: str) -> list[str]:
    """What is missing from what repo2docker says that it would build."""
    found = [f"no step: {step}" for step in STEPS if step not in said]
    if not re.search(rf"python[= ]{re.escape(python)}", said):
        found.append(f"it does not take Python {python}")
    if "Python version unspecified" in said:
        found.append("it takes its own Python")
    return found


def more_than_locked(frozen: str) -> list[str]:
    """What an environment has that requirements.txt does not name in that version."""
    lines = (ROOT / "binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return sorted({line for line in frozen.splitlines() if "==" in line} - set(lines))


def python_program(version: str) -> str:
    """A Python of that version on this machine, else this one."""
    pyenv = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")).glob(f"versions/{version}.*/bin/python"))
    for program in (*map(str, pyenv), shutil.which(f"python{version}"), sys.executable):
        if program and subprocess.run([program, "-c", ""], capture_output=True).returncode == 0:
            return program
    return sys.executable


def replay(work: Path, python: str) -> None:
    """The steps of the build, one after the other, then the first lesson of each language."""
    home, venv = work / "home", work / "env"
    run(python_program(python), "-m", "venv", venv)
    kept = {
        k: v
        for k, v in os.environ.items()
        if re.match(r"(PIP_|SSL_|REQUESTS_|HTTPS?_PROXY|NO_PROXY)", k, re.IGNORECASE)
    }
    env = {
        **kept,
        "PATH": f"{venv / 'bin'}:/usr/bin:/bin",
        "HOME": str(home),
        "REPO_DIR": str(home),
        "LANG": "C.UTF-8",
        "NB_USER": "jovyan",
        "SHELL": "/bin/bash",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    run("pip", "install", "-q", "--no-cache-dir", "-r", "binder/requirements.txt", cwd=home, env=env)
    if unlocked := more_than_locked(run("pip", "freeze", cwd=home, env=env)):
        sys.exit(f"installed, but not in requirements.txt: {', '.join(unlocked)}")
    print(run("./binder/postBuild", cwd=home, env=env)[-1500:])
    run("pip", "check", cwd=home, env=env)
    for folder in sorted((home / "autogradlab-lessons").glob("??")):
        first = min(folder.glob("*.ipynb"))
        fresh = json.loads(first.read_text(encoding="utf-8"))
        if any(cell.get("outputs") for cell in fresh["cells"]):
            sys.exit(f"{first.name} shows its answers")
        run("jupyter", "execute", first, cwd=folder, env=env)
        print(f"ran {folder.name}/{first.name} with {run('python', '--version', cwd=home, env=env).strip()}")


def main() -> int:
    """Both checks; the exit status is 0 if both hold."""
    python = wanted_python()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "home").mkdir()
        copy(work / "home")
        run(sys.executable, "-m", "venv", work / "r2d")
        run(work / "r2d" / "bin" / "pip", "install", "-q", REPO2DOCKER)
        said = run(work / "r2d" / "bin" / "jupyter-repo2docker", "--no-build", "--debug", work / "home")
        if faults := dockerfile_faults(said, python):
            sys.exit("\n".join(["repo2docker:", *faults]))
        print(f"repo2docker would build it with Python {python}")
        replay(work, python)
    return 0


if __name__ == "__main__":
    sys.exit(main())
