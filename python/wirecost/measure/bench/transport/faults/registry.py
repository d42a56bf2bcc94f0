# SPDX-License-Identifier: Apache-2.0
"""Faults by name; a fault has the name of its module."""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.system.errors import UserError
from wirecost.system.plugins import load_plugins, plugin_names

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.transport.faults.fault import InjectedFault

ALL = "all"
_FOLDER = Path(__file__).parent


def names() -> list[str]:
    """Return the names of all faults, without importing them."""
    return [name.replace("_", "-") for name in plugin_names(_FOLDER, "FAULT")]


@cache
def faults() -> dict[str, InjectedFault]:
    """Return all faults by name."""
    every = load_plugins(f"{__package__}", _FOLDER, "FAULT")
    return {name.replace("_", "-"): fault for name, fault in every.items()}


def chosen(option: str, text: str) -> list[str]:
    """Return the names of the faults of ``NAME,…`` or ``all``. Raises UserError."""
    faults = names()
    if text == ALL:
        return faults
    for name in text.split(","):
        if name not in faults:
            near = difflib.get_close_matches(name, faults, 3, 0.4) or [*faults, ALL]
            raise UserError(f"{option}: {name!r} is unknown: did you mean {', '.join(near)}?")
    return list(dict.fromkeys(text.split(",")))
