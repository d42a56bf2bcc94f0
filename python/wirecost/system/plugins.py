# SPDX-License-Identifier: Apache-2.0
"""Plug-ins: modules of one folder, discovered by what each declares at its top.

What a module declares is read from its text, so that names can be listed where the libraries of
most plug-ins are missing. A folder's plug-ins are in the order of their ``PLUGIN_ORDER``, followed
by those without one in the order of their names.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from functools import lru_cache
from pathlib import Path
from typing import Any


def module_names(folder: Path) -> list[str]:
    """Return the names of all modules and packages in a folder."""
    return sorted(module.name for module in pkgutil.iter_modules([str(folder)]))


def plugin_names(folder: Path, declaration: str) -> list[str]:
    """Return the modules of a folder that declare a variable, function or class of that name."""
    declared = re.compile(rf"^(class |def )?{declaration}\b", re.MULTILINE)
    return [name for name, text in _texts(folder).items() if declared.search(text)]


def plugin_facts(folder: Path, fact: str) -> dict[str, Any]:
    """Return the literal that each module assigns to ``fact`` on one line, by the module's name."""
    values = {name: _literal(text, fact) for name, text in _texts(folder).items()}
    return {name: value for name, value in values.items() if value is not None}


def load_plugin(package: str, name: str) -> Any:
    """Import a plug-in of a package and return its module."""
    return importlib.import_module(f"{package}.{name}")


def load_plugins(package: str, folder: Path, declaration: str) -> dict[str, Any]:
    """Import the plug-ins of a package, and return what each declares, by the module's name."""
    names = plugin_names(folder, declaration)
    return {name: getattr(load_plugin(package, name), declaration) for name in names}


@lru_cache(maxsize=1)
def _texts(folder: Path) -> dict[str, str]:
    """Return the source text of each module in a folder, in the order of the plug-ins."""
    texts = {}
    for name in module_names(folder):
        package = folder / name / "__init__.py"
        path = package if package.is_file() else folder / f"{name}.py"
        texts[name] = path.read_text(encoding="utf-8")
    order = {name: _literal(text, "PLUGIN_ORDER") or len(texts) for name, text in texts.items()}
    return {name: texts[name] for name in sorted(texts, key=lambda name: order[name])}


def _literal(text: str, name: str) -> Any:
    line = re.search(rf"^{name} = (.+)$", text, re.MULTILINE)
    return None if line is None else ast.literal_eval(line[1])
