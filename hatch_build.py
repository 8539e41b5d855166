"""Lays JupyterLab's extension (inspectors/labextension) into the wheel, where JupyterLab looks for prebuilt ones, and a
part of nbconvert's templates where nbconvert looks for them.

JupyterLab lets browsers keep an extension's files for a year, so they lie in a folder named after their contents.
"""

from __future__ import annotations

import hashlib
import json
import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: the extension itself, and the modules and style sheets that draw cards live
FILES = ("autogradlab/inspectors/labextension/*.js", "autogradlab/inspectors/static/*", "autogradlab/lab/static/*")
PLACE = "share/jupyter/labextensions/autogradlab"
#: the part of nbconvert's templates for pages (slides take that of "lab") in which an output is shown
TEMPLATES = [f"share/jupyter/nbconvert/templates/{name}/display_priority.j2" for name in ("lab", "classic")]


class LabExtension(BuildHookInterface):  # type: ignore[type-arg]
    """The build hook of `[tool.hatch.build.targets.wheel.hooks.custom]`."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        texts = {p.name: p.read_text(encoding="utf-8") for pattern in FILES for p in sorted(root.glob(pattern))}
        inspectors = root / "autogradlab" / "inspectors"
        texts["theme.css"] = runpy.run_path(str(inspectors / "theme.py"))["css"]()
        texts["words.js"] = runpy.run_path(str(inspectors / "words" / "page.py"))["module"]()
        mark = hashlib.sha256("".join(texts.values()).encode()).hexdigest()[:12]
        build = {"load": f"static/{mark}/remoteEntry.js", "mimeExtension": "./cards"}
        package = {
            "name": "autogradlab",
            "version": self.metadata.version,
            "description": self.metadata.core.description,
            "license": "BSD-3-Clause",
            "jupyterlab": {"mimeExtension": True, "_build": build},
        }
        install = {
            "packageManager": "python",
            "packageName": "autogradlab",
            "uninstallInstructions": "pip uninstall autogradlab",
        }
        placed = {
            "package.json": json.dumps(package, indent=2) + "\n",
            "install.json": json.dumps(install, indent=2) + "\n",
        }
        placed |= {f"static/{mark}/{name}": text for name, text in texts.items()}
        page = (inspectors / "labextension" / "page.j2").read_text(encoding="utf-8")
        placed = {f"{PLACE}/{place}": text for place, text in placed.items()} | dict.fromkeys(TEMPLATES, page)
        self.folder = tempfile.TemporaryDirectory()
        for number, (place, text) in enumerate(placed.items()):
            made = Path(self.folder.name) / str(number)
            made.write_text(text, encoding="utf-8", newline="\n")
            build_data["shared_data"][str(made)] = place

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        self.folder.cleanup()
