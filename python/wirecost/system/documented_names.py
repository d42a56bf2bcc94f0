# SPDX-License-Identifier: Apache-2.0
"""The names by which programs import parts of wirecost, whatever room a part lies in."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from collections.abc import Sequence
from types import ModuleType

HOMES = {
    "wirecost.cloud": "wirecost.data.clouds",
    "wirecost.notebook": "wirecost.results.notebook",
    "wirecost.osi": "wirecost.data.osi",
    "wirecost.probe": "wirecost.observe.probe",
    "wirecost.tensor": "wirecost.messaging.tensor",
    "wirecost.traces": "wirecost.data.traces",
    "wirecost.transport": "wirecost.messaging.transport",
}
"""Module that a documented name stands for; its parts keep their names below it."""


class DocumentedNames(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finder of a room's module under its documented name; both names are one module."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of a documented name or a module below it, None of any other."""
        del path, target
        if _home(fullname) is None:
            return None
        return importlib.machinery.ModuleSpec(fullname, self)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        """Import the module from its room. Raises ModuleNotFoundError."""
        module = importlib.import_module(_home(spec.name) or spec.name)
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Leave the module as it was: it has run, and keeps the name of its room."""
        alias = module.__spec__
        if alias is not None and alias.loader is self:
            module.__spec__ = alias.loader_state


def _home(name: str) -> str | None:
    """Return where a module of a documented name lies, if it is one."""
    words = name.split(".")
    room = HOMES.get(".".join(words[:2]))
    return None if room is None else ".".join([room, *words[2:]])


def install() -> None:
    """Make the documented names importable."""
    if not any(isinstance(finder, DocumentedNames) for finder in sys.meta_path):
        sys.meta_path.insert(0, DocumentedNames())
