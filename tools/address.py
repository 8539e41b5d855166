"""The project's address: one fact, `Repository` of pyproject.toml, from which every link to the project follows.

    python tools/address.py                                   say what it is, and where it is used
    python tools/address.py https://github.com/NAME/PROJECT   change it: every use is written anew
    python tools/address.py --release                         fail as long as it is the placeholder

Until the project has a home, its owner is OWNER: links that hold it lead nowhere, and nothing can be published.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PLACEHOLDER = "OWNER"
ADDRESS = re.compile(r"https://github\.com/([\w.-]+)/([\w.-]+?)/?")
#: The forms in which the address occurs: the repository, its files, Binder's and Colab's doors, the site, containers.
FORMS = [
    "https://github.com/{owner}/{name}",
    "https://raw.githubusercontent.com/{owner}/{name}",
    "https://mybinder.org/v2/gh/{owner}/{name}",
    "https://colab.research.google.com/github/{owner}/{name}",
    "https://{owner}.github.io/{name}",
    "ghcr.io/{owner}/{name}",
]
#: What is generated text or another project's is not searched.
SEARCHED = {".md", ".toml", ".cff", ".yml", ".yaml", ".py", ".html", ".cfg", ".ipynb"}


def address() -> tuple[str, str]:
    """Owner and name of the project's repository."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["urls"]
    return parts(urls["Repository"])


def parts(url: str) -> tuple[str, str]:
    found = ADDRESS.fullmatch(url)
    if found is None:
        raise SystemExit(f"{url}: an address is https://github.com/NAME/PROJECT")
    return found[1], found[2]


def pattern(name: str) -> re.Pattern[str]:
    """Every form of an address of a project of that name, whoever owns it."""
    forms = [re.escape(f).replace(r"\{owner\}", r"[\w.-]+").replace(r"\{name\}", re.escape(name)) for f in FORMS]
    return re.compile(rf"(?:{'|'.join(forms)})(?![\w-])")


def uses(name: str) -> list[tuple[Path, str]]:
    """Where the address occurs: each file with each form in it."""
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard"], capture_output=True, text=True
    )
    paths = [ROOT / line for line in listed.stdout.splitlines()] if listed.returncode == 0 else list(ROOT.rglob("*"))
    found = []
    for path in paths:
        if path.is_file() and path.suffix in SEARCHED and path != Path(__file__).resolve():
            found += [(path, use) for use in pattern(name).findall(path.read_text(encoding="utf-8"))]
    return found


def strangers() -> list[str]:
    """Uses that do not follow from the one address."""
    owner, name = address()
    own = {form.format(owner=owner, name=name) for form in FORMS}
    return [f"{path.relative_to(ROOT)}: {use}" for path, use in uses(name) if use not in own]


def move(url: str) -> int:
    """Write every use anew; how many files have changed."""
    (owner, name), (new_owner, new_name) = address(), parts(url)
    pairs = [(f.format(owner=owner, name=name), f.format(owner=new_owner, name=new_name)) for f in FORMS]
    changed = {path for path, _ in uses(name)}
    for path in changed:
        text = path.read_text(encoding="utf-8")
        for before, after in pairs:
            text = re.sub(rf"{re.escape(before)}(?![\w-])", after, text)
        path.write_text(text, encoding="utf-8", newline="\n")
    return len(changed)


def main(argv: Sequence[str] | None = None) -> int:
    """The command."""
    given = list(sys.argv[1:] if argv is None else argv)
    if given and given[0] != "--release":
        print(f"{move(given[0])} files written")
    owner, name = address()
    found = strangers()
    for path in sorted({path for path, _ in uses(name)}):
        print(path.relative_to(ROOT))
    print(f"https://github.com/{owner}/{name}", *found, sep="\n")
    if given == ["--release"] and owner == PLACEHOLDER:
        print("this is the placeholder: python tools/address.py https://github.com/NAME/PROJECT")
        return 1
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
