"""The ``autogradlab`` command, in this process with JupyterLab replaced by a recorder."""

from __future__ import annotations

import io
import os
import re
import socket
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from autogradlab.inspectors.words import catalogue
from autogradlab.lab import cli, copying, doctor, opening, speaking
from tests.conftest import ROOT


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The command lines with which JupyterLab would have been started."""
    calls: list[list[str]] = []
    monkeypatch.setattr(opening, "start", lambda command, folder: calls.append(command) or 0)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path / "home"))
    monkeypatch.setenv("JUPYTERLAB_WORKSPACES_DIR", "undone at the end")
    monkeypatch.delenv("JUPYTERLAB_WORKSPACES_DIR")
    return calls


def test_lab_copies_and_starts(started: list[list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    folder = tmp_path / "work"
    assert cli.main(["lab", "--dir", str(folder), "--no-browser", "--port", "8899", "--allow-root", "--foo=1"]) == 0
    first = "--LabApp.default_url=/lab/tree/en/00-welcome.ipynb"
    own = ["--no-browser", "--ServerApp.port=8899", "--allow-root", "--foo=1"]
    assert started == [[f"--ServerApp.root_dir={folder}", first, *opening.QUIET, *own]]
    copies = sorted((folder / "en").glob("*.ipynb"))
    assert [p.name for p in copies] == [x.path.name for x in copying.lessons() if x.key.startswith("en/")]
    assert capsys.readouterr().out == ""  # the one line comes when the server is there
    assert os.environ["JUPYTERLAB_WORKSPACES_DIR"] == str(
        tmp_path / "home" / "lab" / "autogradlab"
    )  # theirs stay as they are


def test_lab_defaults(started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab"]) == 0
    assert started[0][0] == f"--ServerApp.root_dir={tmp_path / 'autogradlab-lessons'}"
    assert (tmp_path / "autogradlab-lessons" / "en").is_dir()


def test_lab_without_jupyterlab(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(doctor, "installed", lambda name: None)
    assert cli.main(["lab", "--dir", str(tmp_path / "work")]) == 1
    said = capsys.readouterr()
    (line,) = said.err.splitlines()
    assert line.endswith('pip install "autogradlab[lab]"')
    assert sys.executable in line
    assert started == []
    assert not (tmp_path / "work").exists()


def test_lessons_copy_says_what_became_of_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    count = len(copying.lessons())
    assert cli.main(["lessons", "copy", "--dir", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("  new    ") >= count
    first = tmp_path / copying.lessons()[0].key
    first.write_text("mine")
    assert cli.main(["lessons", "copy", "--dir", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert out.count("(yours, left as it is)") >= count - 1
    assert re.search(rf"newer  .*\.2\.ipynb \(this lesson has changed; your {first.name} is left as it is\)", out)
    assert first.read_text() == "mine"


def test_lessons_list(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["lessons", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == [x.key for x in copying.lessons()]
    assert all(len(line.split(maxsplit=1)) == 2 for line in lines)


def test_ctrl_c(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(copying, "copy_lessons", interrupted)
    assert cli.main(["lessons", "copy", "--dir", str(tmp_path)]) == 130
    assert "Interrupted" in capsys.readouterr().err


def test_errors_are_one_message(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "file").touch()
    assert cli.main(["lessons", "copy", "--dir", str(tmp_path / "file")]) == 1
    assert "Choose another folder with --dir." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lab", "--port", "many"], "a port is a number from 0 to 65535, not 'many'"),
        (["lab", "--port", "70000"], "a port is a number"),
        (["lessons"], "required: ACTION"),
        (["lessons", "list", "--foo"], "unrecognized arguments: --foo"),
        (["lessons", "copy", "mine"], "unrecognized arguments: mine. A folder is named by an option: --dir mine"),
        (["lessons", "list", "mine"], "unrecognized arguments: mine\n"),
        (["learn"], "invalid choice: 'learn'"),
    ],
)
def test_wrong_usage(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        cli.main(arguments)
    assert stop.value.code == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.startswith(
        f"usage: autogradlab {' '.join(a for a in arguments if a in ('lab', 'lessons', 'list', 'copy'))}"
    )


def test_the_names_of_a_lesson():
    called = {"14-backward": ("14", "back", "backward", "14-b"), "01-lesson": ("1", "01", "lesson"), "0a": ("0a", "0")}
    for stem, names in called.items():
        assert all(copying.is_called(stem, name) for name in names)
    assert not any(copying.is_called("14-backward", name) for name in ("1", "4", "ward", "", "140"))


def test_version_and_help(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as stop:
        cli.main(["--version"])
    assert stop.value.code == 0
    stated = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert capsys.readouterr().out == f"autogradlab {stated}\n"
    assert cli.main([]) == 0
    assert "lab" in capsys.readouterr().out


def test_module_runs_as_the_command(tmp_path: Path):
    run = subprocess.run(
        [sys.executable, "-m", "autogradlab", "lessons", "list"], capture_output=True, text=True, cwd=tmp_path
    )
    assert (run.returncode, run.stderr) == (0, "")
    assert "en/01-" in run.stdout


def test_command_modules_import_no_core():
    """Only the package's own __init__ may load the core; the command does without it."""
    import ast

    for module in (cli, copying, opening):
        tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
        names = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
        names += [str(n.module) for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        assert [
            n
            for n in names
            if n.startswith("autogradlab") and not n.startswith(("autogradlab.lab", "autogradlab.inspectors.words"))
        ] == []
        assert "numpy" not in names


def test_lab_in_chinese(
    started: list[list[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_lessons: Path
):
    monkeypatch.setenv("AUTOGRADLAB_LANG", "en")
    assert cli.main(["lab", "--dir", str(tmp_path / "work"), "--lang", "zh"]) == 0
    assert "--LabApp.default_url=/lab/tree/zh/00-welcome.ipynb" in started[0]
    assert str(opening.SETTINGS / "zh") in os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)
    assert os.environ["AUTOGRADLAB_LANG"] == "zh"
    assert (tmp_path / "work" / "zh" / "00-welcome.ipynb").is_file()


def test_the_windows_as_the_learner_left_them_stay(started: list[list[str]], tmp_path: Path):
    command = ["lab", "--dir", str(tmp_path / "work")]
    assert cli.main(command) == 0
    (arranged,) = (tmp_path / "home" / "lab" / "autogradlab").iterdir()
    assert arranged.read_text(encoding="utf-8").count('"collapsed": true') == 2
    arranged.write_text("the learner's", encoding="utf-8")
    assert cli.main(command) == 0
    assert arranged.read_text(encoding="utf-8") == "the learner's"


def test_the_grammar_of_addresses_is_built_when_one_is_checked():
    code = """if True:
        import sys
        from autogradlab.lab.light import GRAMMAR, lighten
        lighten()
        light = sys.modules.get(GRAMMAR)  # none where an older jsonschema does without
        import jsonschema
        checks = jsonschema.FormatChecker()
        print("lark" in sys.modules, light and not checks.conforms("a b", "iri"), checks.conforms("http://a/b", "iri"))
        print(light and sys.modules[GRAMMAR] is light)
    """
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert made.stdout.split() in (["False", "True", "True", "False"], ["False", "None", "True", "None"])


@pytest.mark.parametrize(("lang", "said"), [("en", "Not a directory"), ("zh", "不是文件夹")])
def test_why_a_folder_cannot_be_used_is_said_in_the_language(
    lang: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("AUTOGRADLAB_LANG", lang)
    (tmp_path / "file").write_text("")
    assert cli.main(["lessons", "copy", "--dir", str(tmp_path / "file" / "folder")]) == 1
    assert said in capsys.readouterr().err


def test_a_server_starts_light():
    script = Path(opening.__file__).with_name("light.py")
    command = [sys.executable, "-P", str(script), "jupyterlab", "--version"]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    assert made.stdout.strip() == doctor.installed("jupyterlab")


@pytest.mark.skipif(os.name != "posix", reason="a program that is a shell script")
def test_no_start_of_jupyterlab_asks_node(tmp_path: Path):
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\n")
    node.chmod(0o755)
    code = """if True:
        from autogradlab.lab.light import lighten, without_node
        lighten()
        if {light}:
            without_node()
        from jupyterlab.commands import AppOptions
        print(AppOptions().registry)
    """
    for light in (True, False):  # the second: it is this that asks
        made = subprocess.run(
            [sys.executable, "-c", code.format(light=light)],
            env=os.environ | {"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert made.stdout.startswith("https://registry.")
        assert (tmp_path / "asked").exists() is not light


def test_list_of_a_language(sample_lessons: Path, capsys: pytest.CaptureFixture[str]):
    assert cli.main(["lessons", "list", "--lang", "zh"]) == 0
    assert capsys.readouterr().out.split() == ["zh/00-welcome.ipynb", "欢迎"]


def test_check_says_what_became_of_the_copies(
    sample_lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    folder = tmp_path / "work"
    arguments = ["lessons", "compare", "--dir", str(folder)]
    for action in ("compare", "progress"):
        assert cli.main(["lessons", action, *arguments[2:]]) == 1
        assert "no copies of lessons" in capsys.readouterr().err
    monkeypatch.setattr(copying, "version", lambda: "0.0.9")
    assert cli.main(["lessons", "copy", "--dir", str(folder)]) == 0
    assert cli.main(arguments) == 0
    said = capsys.readouterr().out
    assert said.count("up to date") == 2  # which is so of a course of one's own, too, where nothing is installed
    assert "made by" not in said
    monkeypatch.undo()
    monkeypatch.setenv("AUTOGRADLAB_LESSONS", str(sample_lessons))
    assert cli.main(arguments) == 0  # another version, the same lessons
    assert f"Some copies were made by autogradlab 0.0.9; installed is {copying.version()}." in capsys.readouterr().out
    shipped = sample_lessons / "en" / "00-welcome.ipynb"
    shipped.write_text(shipped.read_text(encoding="utf-8").replace("6 * 7", "6 * 8"), encoding="utf-8")
    (folder / "zh" / "00-welcome.ipynb").unlink()
    assert cli.main(arguments) == 1
    assert capsys.readouterr().out.count("missing; autogradlab lessons copy adds it") == 1
    (folder / "zh" / "00-welcome.ipynb").write_text("my notes", encoding="utf-8")
    assert cli.main(arguments) == 1
    said = capsys.readouterr().out
    assert "made by autogradlab 0.0.9; the lesson has changed since, and yours stays as it is" in said
    assert "yours, and no copy of a lesson" in said
    assert cli.main(["lessons", "copy", "--dir", str(folder)]) == 0
    assert "were made by autogradlab 0.0.9; installed is" in capsys.readouterr().out
    assert (folder / "zh" / "00-welcome.ipynb").read_text(encoding="utf-8") == "my notes"
    assert cli.main(arguments) == 0
    assert "en/00-welcome.2.ipynb" in capsys.readouterr().out


def test_progress(
    sample_lessons: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("AUTOGRADLAB_LANG", "zh")
    folder = tmp_path / "work"
    arguments = ["lessons", "progress", "--dir", str(folder), "--lang", "en"]
    folder.mkdir()
    assert cli.main(arguments) == 0
    assert "this is not a learner's copy" in capsys.readouterr().out
    cli.main(["lessons", "copy", "--dir", str(folder)])
    capsys.readouterr()
    assert cli.main(arguments) == 0
    assert "Nothing yet." in capsys.readouterr().out


def test_doctor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    from autogradlab.lab import doctor

    status = cli.main(["doctor", "--dir", str(tmp_path)])
    said = capsys.readouterr().out
    assert re.search(r"^ok  Python: 3\.\d+", said, re.MULTILINE)
    assert re.search(r"^ok  numpy \(.*\): \d", said, re.MULTILINE)
    assert status == int("Something that the lessons need is missing" in said)

    versions = {"numpy": "1.26.4", "jupyterlab": None, "torch": None}
    true = doctor.installed
    monkeypatch.setattr(doctor, "installed", lambda name: versions.get(name, true(name)))
    monkeypatch.setattr(doctor, "_data_folders", lambda: [tmp_path])
    assert cli.main(["doctor", "--dir", str(tmp_path)]) == 1
    said = capsys.readouterr().out
    for words in (
        "--  numpy (the arrays under every tensor): 1.26.4, older than 2.0\n      to get it:  pip install -U numpy",
        "--  jupyterlab (where the lessons are opened): missing",
        "no  torch (only to compare with the real PyTorch): missing\n      not needed; to get it:",
        "--  front end of anywidget in JupyterLab: missing",
        "in the Python that runs JupyterLab, then reload the page",
        "Something that the lessons need is missing; see above.",
    ):
        assert words in said


def test_doctor_sees_a_kernel_of_another_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from autogradlab.lab import doctor

    monkeypatch.setattr(doctor, "_data_folders", lambda: [tmp_path])
    spec = tmp_path / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    for program, well in (("/elsewhere/bin/python", False), (sys.executable, True), ("python3", True)):
        spec.write_text(f'{{"argv": ["{program}", "-m", "ipykernel"]}}')
        (finding,) = [f for f in doctor.examine(tmp_path) if f.what == "kernel python3"]
        assert finding.well is well
    (finding,) = [f for f in doctor.examine(tmp_path / "none" / "such") if f.what == "working folder"]
    assert finding.well
    monkeypatch.setattr(doctor, "installed", lambda name: None)
    kernel = next(f for f in doctor.examine(tmp_path) if f.what == "kernel python3")
    assert (kernel.found, kernel.well, kernel.cure) == ("missing", False, doctor.LAB)


class Console:
    """Runs the command as in a console of an encoding and a language."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch

    def __call__(self, arguments: list[str], encoding: str, lang: str = "zh_CN.UTF-8") -> tuple[int | str | None, str]:
        streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True) for _ in range(2)]
        with self.patch.context() as patch:
            for name in speaking.VARIABLES:
                patch.delenv(name, raising=False)
            patch.setenv("LANG", lang)
            patch.setattr(sys, "stdout", streams[0])
            patch.setattr(sys, "stderr", streams[1])
            try:
                status: int | str | None = cli.main(arguments)
            except SystemExit as stop:
                status = stop.code
        return status, "".join(stream.buffer.getvalue().decode(encoding) for stream in streams)  # type: ignore[attr-defined]


@pytest.fixture
def console(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Console:
    monkeypatch.chdir(tmp_path)
    return Console(monkeypatch)


def is_chinese(said: str) -> bool:
    return bool(re.search(r"[\u4e00-\u9fff]", said))


@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_any_console(encoding: str, console: Console):
    for arguments, due in (
        (["lessons", "list"], 0),
        (["lessons", "copy"], 0),
        (["lessons", "compare"], 0),
        (["doctor"], None),
        (["--help"], 0),
        (["learn"], 2),
        (["lab", "--port"], 2),
    ):
        status, said = console(arguments, encoding)
        assert due in (None, status), arguments
        if arguments != ["lessons", "list"]:  # Chinese where the console has it
            assert is_chinese(said) == (encoding == "gbk"), arguments


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lesson in two languages, with a wrong number at a cell."""
    folder = tmp_path_factory.mktemp("course")
    assert cli.main(["lessons", "new", "坡度", "--in", "en,zh", "--dir", str(folder)]) == 0
    (path,) = (folder / "en").glob("*.ipynb")
    path.write_text(
        path.read_text(encoding="utf-8").replace('"execution_count": 1,', '"execution_count": 7,'), encoding="utf-8"
    )
    return folder


@pytest.mark.turns(3)
@pytest.mark.parametrize("encoding", ["cp1252", "gbk", "ascii"])
def test_authors_and_teachers_in_any_console(
    encoding: str, course: Path, console: Console, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(course)
    for arguments, due, own in (  # own: whether words of the command's own are in it
        (["lessons", "check"], 1, True),
        (["lessons", "unpack", "01"], 0, False),
        (["lessons", "catalog"], 0, True),
        (["lessons", "try", "07"], 1, True),
        (["lessons", "new", "--in", "de", "Steigung"], 1, True),
        (["lessons", "pack", "no draft", "a.ipynb"], 1, True),
        (["lessons", "html", "--to", "questions/none/" + "x" * 300, "01"], 1, True),
        (["lessons", "worksheet", "99"], 1, True),
        (["lessons", "class", "nowhere"], 1, True),
        (["lessons", "assignment"], 2, True),
    ):
        status, said = console(arguments, encoding)
        assert (status, "Traceback" in said) == (due, False), (arguments, said)
        assert not own or is_chinese(said) == (encoding == "gbk"), (arguments, said)
        status, said = console(arguments, encoding, "de_DE.UTF-8")
        assert not own or not is_chinese(said.replace("坡度", "")), (arguments, said)


def test_the_streams_of_a_process(tmp_path: Path):
    """What Python itself opens in such a console, not what a test puts in its place."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "AUTOGRADLAB_LANG"))}
    env |= {"PYTHONIOENCODING": "cp1252", "LANG": "zh_CN.UTF-8"}
    command = [sys.executable, "-m", "autogradlab", "lessons", "list"]
    made = subprocess.run(command, capture_output=True, cwd=tmp_path, env=env)
    assert (made.returncode, made.stderr) == (0, b"")
    assert b"zh/01-" in made.stdout
    assert b"????" in made.stdout


def test_a_pipe_that_closes(tmp_path: Path):
    code = "import subprocess, sys; p = subprocess.Popen([sys.executable, '-m', 'autogradlab', 'lessons', 'list'], "
    code += "stdout=subprocess.PIPE, stderr=subprocess.PIPE); p.stdout.close(); print(p.wait(), p.stderr.read())"
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert made.stdout.strip() == "1 b''"


#: Lists the lessons on a stream that is what follows.
ON = """
import errno, io, sys
from autogradlab.lab import cli

class Full(io.StringIO):
    def write(self, text):
        raise OSError(errno.ENOSPC, "")

sys.stdout = {}
sys.exit(cli.main(["lessons", "list"]))
"""


@pytest.mark.parametrize(
    ("stream", "status", "said"),
    [("Full()", 1, "What is said cannot be written: No space left on device"), ("None", 0, "")],
)
def test_a_full_disk_and_no_console(stream: str, status: int, said: str, tmp_path: Path):
    env = dict(os.environ, AUTOGRADLAB_LANG="en")
    made = subprocess.run(
        [sys.executable, "-c", ON.format(stream)], capture_output=True, text=True, cwd=tmp_path, env=env
    )
    assert (made.returncode, made.stderr.strip(), made.stdout) == (status, said, "")


#: Runs command after command, each with a pipe as its output that nobody reads; their statuses go to stderr.
UNREAD = """\
import os, sys
from autogradlab.lab import cli
unread_outputs = []  # from Python 3.13 on a file says so when it cannot write what is left in it as it goes
for line in sys.stdin.read().splitlines():
    unread, output = os.pipe()
    os.close(unread)
    os.dup2(output, 1)
    os.close(output)
    unread_outputs.append(sys.stdout)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)
    try:
        status = cli.main(line.split())
    except SystemExit as stop:
        status = stop.code
    print(line, status, file=sys.stderr)
"""


def test_no_command_minds_a_pipe_that_closes(course: Path):
    commands = ["--help", "lessons --help", "--version", "doctor", "lessons list", "lessons copy", "lessons compare"]
    commands += ["lessons progress", "lessons check", "lessons unpack 01", "lessons catalog"]
    commands += ["lessons worksheet 14 --to sheets"]
    made = subprocess.run(
        [sys.executable, "-c", UNREAD], input="\n".join(commands), capture_output=True, text=True, cwd=course
    )
    assert made.stderr.splitlines() == [f"{command} 1" for command in commands]


def test_wrong_usage_in_chinese(console: Console):
    for arguments, words in (
        (["learn"], "不能是 'learn'"),
        (["lessons"], "还需要参数：ACTION"),
        (["lab", "--port", "x"], "--port：端口是 0 到 65535 之间的数，不是 'x'"),
        (["lab", "--port"], "--port 后面要跟一个值"),
        (["doctor", "--foo"], "不认识的参数：--foo"),
    ):
        status, said = console(arguments, "utf-8")
        assert status == 2
        assert words in said
        assert said.startswith("用法：autogradlab")


def test_chinese_has_its_own_colons(console: Console):
    for arguments in (["--help"], ["lessons", "--help"], ["lab", "--help"], ["doctor"]):
        _, said = console(arguments, "utf-8")
        assert "：" in said
        assert re.findall(r"[\u3400-\u9fff）]:.*", said) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_line_for_each_trouble(
    started: list[list[str]],
    lang: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    def says(*arguments: str) -> str:
        assert cli.main(["lab", "--lang", lang, *arguments]) == 1
        said = capsys.readouterr()
        assert said.out == ""
        return said.err.strip()

    with socket.socket() as busy:
        busy.bind(("localhost", 0))
        busy.listen()
        port = busy.getsockname()[1]
        assert str(port) in says("--dir", str(tmp_path), "--port", str(port)).splitlines()[-1]
    (tmp_path / "file").touch()
    assert "--dir" in says("--dir", str(tmp_path / "file"))
    if Path("/proc/self").is_dir():  # where nobody can make a folder, not even root
        assert (
            says("--dir", "/proc/lessons")
            .splitlines()[-1]
            .endswith({"en": "with --dir.", "zh": "另选一个文件夹。"}[lang])
        )
    monkeypatch.setattr(doctor, "installed", lambda name: "3.6.1")
    old = says("--dir", str(tmp_path))
    assert old.count("\n") == 0
    assert "3.6.1" in old
    assert "4.2" in old
    assert started == []


def test_the_language_is_the_systems(monkeypatch: pytest.MonkeyPatch):
    for name in speaking.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    for system, lang in (("Chinese (Simplified)_China", "zh"), ("zh_CN", "zh"), ("de_DE", "en"), (None, "en")):
        monkeypatch.setattr(speaking.locale, "getlocale", lambda system=system: (system, None))
        assert speaking.learners_language() == lang
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert speaking.learners_language() == "zh"
    assert speaking.learners_language("en") == "en"


@pytest.mark.parametrize("name", ["cli", "author"])
def test_every_word_of_the_command_is_used(name: str):
    folder = Path(str(cli.__file__)).parent
    code = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    made = {f"doctor_{name}" for name, *_ in doctor.PACKAGES} | {"doctor_language_pack"}
    made |= {f"compared_{state}" for state in ("current", "missing", "changed", "foreign")}
    unused = [
        key for key in catalogue(name) if key not in made and not re.search(rf"[\"'](?:{name}\.)?{key}[\"']", code)
    ]
    assert unused == []
    for key in re.findall(rf"[\"']{name}\.(\w+)[\"']", code):
        assert key in catalogue(name)
    for key, words in catalogue(name).items():
        fields = {lang: sorted(set(re.findall(r"\{(\w+)", said))) for lang, said in words.items()}
        assert fields["en"] == fields["zh"], key


@pytest.mark.slow
def test_root_is_told_how_to_start(tmp_path: Path):
    """The server refuses root after its words have gone into a file. No configuration names JupyterLab here, as in an
    environment that borrows it from another one."""
    code = (
        "import os, sys; os.geteuid = lambda: 0\n"
        "from jupyter_core import paths; paths.ENV_CONFIG_PATH = paths.SYSTEM_CONFIG_PATH = sys.argv[1:]\n"
        "from autogradlab.lab import cli\n"
        "sys.exit(cli.main(['lab', '--dir', sys.argv[1], '--no-browser']))"
    )
    env = {**os.environ, "JUPYTER_CONFIG_DIR": str(tmp_path / "home"), "JUPYTER_RUNTIME_DIR": str(tmp_path / "run")}
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "lessons")], capture_output=True, text=True, env=env, timeout=120
    )
    assert (run.returncode, run.stdout, run.stderr.strip()) == (1, "", speaking.told("as_root"))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no SIGTERM here")
def test_a_server_that_is_stopped_while_it_answers_ends(tmp_path: Path):
    """Python waits for the threads that work for an answer, and these for a task that nobody would have ended."""
    places = {f"JUPYTER_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "RUNTIME", "DATA")}
    command = [sys.executable, "-m", "autogradlab", "lab", "--no-browser", "--port", "0", "--allow-root"]
    server = subprocess.Popen(
        [*command, "--dir", str(tmp_path / "lessons")], env={**os.environ, **places}, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        found = re.search(r"http://[^:]+:(\d+)\S*token=(\w+)", server.stdout.readline())
        assert found
        with socket.create_connection(("localhost", int(found[1]))) as asked:  # what it can export takes it a while
            asked.sendall(f"GET /api/nbconvert?token={found[2]} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            time.sleep(0.3)
            server.terminate()
            assert server.wait(timeout=120) == 0
    finally:
        server.kill()
        server.stdout.close()
