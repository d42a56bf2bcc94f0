# SPDX-License-Identifier: Apache-2.0
"""Times that a person types, as ``10ms``, ``250us`` or ``1.5s``; a number may have no unit."""

from __future__ import annotations

import re

from wirecost.system.errors import UserError

UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds by unit; both of Unicode's micro signs."""
_TEXT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?\s*([a-zµμ]*)\s*")


def nanoseconds(option: str, text: str, unit: str = "ms") -> float:
    """Parse a positive time, in nanoseconds; ``unit``: that of a number without one.

    Raises:
        UserError: the text is no time, or the time is not positive and finite.
    """
    match = _TEXT.fullmatch(text)
    factor = UNITS.get(match[3] or unit) if match else None
    ns = float(f"{match[1]}e{match[2] or 0}") * factor if match and factor else 0.0
    if not 0 < ns < float("inf"):
        raise UserError(f"{option} {text}: give a positive time such as 10ms, 250us or 1.5s")
    return ns
