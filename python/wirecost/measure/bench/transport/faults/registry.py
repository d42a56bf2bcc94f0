# SPDX-License-Identifier: Apache-2.0
"""The faults by name, found by iterating over this package's modules."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.system.errors import UserError

if TYPE_CHECKING:  # the command line lists the names
    from wirecost.measure.bench.transport.faults.fault import Fault

ALL = "all"


def names() -> list[str]:
    """Of all, without importing them: a fault has the name of its module."""
    folder = Path(__file__).parent
    modules = [module.name for module in pkgutil.iter_modules([str(folder)])]
    texts = {name: (folder / f"{name}.py").read_text(encoding="utf-8") for name in modules}
    return [name.replace("_", "-") for name, text in texts.items() if "\nFAULT = " in text]


@cache
def faults() -> dict[str, Fault]:
    """All, by name."""
    return {name: _imported(name) for name in names()}


def _imported(name: str) -> Fault:
    fault: Fault = importlib.import_module(f"{__package__}.{name.replace('-', '_')}").FAULT
    return fault


def chosen(text: str) -> list[Fault]:
    """Of ``NAME,…`` or ``all``. Raises UserError."""
    known = faults()
    if text == ALL:
        return list(known.values())
    for name in text.split(","):
        if name not in known:
            near = difflib.get_close_matches(name, known, 3, 0.4) or [*known, ALL]
            raise UserError(f"--faults: {name!r} is unknown: did you mean {', '.join(near)}?")
    return [known[name] for name in dict.fromkeys(text.split(","))]
