# SPDX-License-Identifier: Apache-2.0
"""Scenarios: one folder each, in the package and in folders that the user names.

A scenario's folder has the modules ``settings``, ``race`` and ``schema``; where it answers in words
of its own, also ``content`` and ``figures``. Those of the user are loaded as parts of one package,
in which no name can meet another's; they import each other relatively.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from wirecost.system.errors import UserError
from wirecost.system.plugins import module_names

VARIABLE = "WIRECOST_SCENARIOS"
"""Folders of the user's scenarios, for processes that this one starts as well."""
MODULES = {"settings", "race", "schema"}
NAME = re.compile(r"[a-z][a-z0-9_]*")
_FOLDER = Path(__file__).parents[1] / "measure" / "bench"
_INSIDE, _OUTSIDE = "wirecost.measure.bench", "wirecost_scenarios"


def look_in(folder: Path) -> None:
    """Find the scenarios in a folder from now on, also in child processes. Raises UserError."""
    if not list(_names(folder)):
        needed = ", ".join(f"{name}.py" for name in sorted(MODULES))
        raise UserError(
            f"--from {folder}: none of its folders is a scenario, with {needed}; name the folder "
            "that holds the scenario's"
        )
    folders = [*_folders(), folder.absolute()]
    os.environ[VARIABLE] = os.pathsep.join(dict.fromkeys(map(str, folders)))


def own_packages() -> dict[str, str]:
    """Return the packages of the scenarios of an installation, by the scenario's name."""
    return {name: f"{_INSIDE}.{name}" for name in _names(_FOLDER)}


def packages() -> dict[str, str]:
    """Return the package of every scenario, by the scenario's name. Raises UserError."""
    inside = own_packages()
    others = outside()
    for folder in _folders():
        for name in inside.keys() & set(_names(folder)):
            raise UserError(f"{folder / name}: there is a scenario {name}; rename this folder")
    return inside | others


def outside() -> dict[str, str]:
    """Return the packages of the user's scenarios, by their names. Raises UserError."""
    there = sys.modules.setdefault(_OUTSIDE, ModuleType(_OUTSIDE))
    there.__path__ = list(map(str, _folders()))
    folders: dict[str, Path] = {}
    for folder in _folders():
        for name in _names(folder):
            if name in folders:
                raise UserError(f"{folder / name}: {folders[name]} is called so, too; rename one")
            folders[name] = folder / name
    return {name: f"{_OUTSIDE}.{name}" for name in folders}


def has_module(package: str, name: str) -> bool:
    """Return whether a scenario has one of the modules that it may leave out."""
    __import__(package)
    return name in module_names(Path(sys.modules[package].__path__[0]))


def _folders() -> list[Path]:
    return [Path(text) for text in os.environ.get(VARIABLE, "").split(os.pathsep) if text]


def _names(folder: Path) -> Iterable[str]:
    for name in module_names(folder):
        if NAME.fullmatch(name) and set(module_names(folder / name)) >= MODULES:
            yield name
