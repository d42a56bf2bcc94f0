# SPDX-License-Identifier: Apache-2.0
"""The faults by name, found by iterating over this package's modules."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from functools import cache
from pathlib import Path

from wirecost.bench.transport.faults.fault import Fault
from wirecost.errors import UserError

ALL = "all"


@cache
def faults() -> dict[str, Fault]:
    """All, by name."""
    found = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        fault = getattr(importlib.import_module(f"{__package__}.{module.name}"), "FAULT", None)
        if isinstance(fault, Fault):
            found[fault.name] = fault
    return found


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
