# SPDX-License-Identifier: Apache-2.0
"""One file a framework, under its name in frames; each imports its framework where it needs it.

A module's facts are literals: ``ROOTS``, the root packages of its types, of which the first is
imported; ``INSTALL``, what pip calls that, where it is another name; ``HAS_TABLES``. Its functions
are those of ``wirecost.tensor.matching.Framework``, as far as it has them.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from wirecost.system.plugins import load_plugin, plugin_facts, plugin_names

_FOLDER = Path(__file__).parent
ROOTS: dict[str, tuple[str, ...]] = plugin_facts(_FOLDER, "ROOTS")
INSTALL: dict[str, str] = {
    ROOTS[name][0]: package for name, package in plugin_facts(_FOLDER, "INSTALL").items()
}
"""Names for pip of the packages that are imported under another name."""
TENSORS = frozenset(plugin_names(_FOLDER, "tensor"))
TABLES = frozenset(plugin_names(_FOLDER, "HAS_TABLES"))


def by_root(function: str) -> dict[str, str]:
    """Return the frameworks that have a function, by the root packages of their types."""
    names = plugin_names(_FOLDER, function)
    return {root: name for name in names for root in ROOTS[name]}


@cache
def module(name: str) -> Any:
    """Import the file of one framework."""
    return load_plugin(__name__, name)
