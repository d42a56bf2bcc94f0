# SPDX-License-Identifier: Apache-2.0
"""Lengths that a person types, as ``1mm`` or ``0.5 cm``; a number without a unit is in metres."""

from __future__ import annotations

import re

from wirecost.system.errors import UserError

LENGTH = "LENGTH"
"""Name of such a value in help."""
UNITS = {"um": 1e-6, "µm": 1e-6, "μm": 1e-6, "mm": 1e-3, "cm": 1e-2, "m": 1.0}
"""Metres by unit; both of Unicode's micro signs."""
_TEXT = re.compile(r"\s*(\d{1,18}(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?\s*([a-zµμ]*)\s*", re.ASCII)


def metres(option: str, text: str) -> float:
    """Parse a positive length, in metres.

    Raises:
        UserError: the text is no length, or the length is not positive and finite.
    """
    match = _TEXT.fullmatch(text)
    factor = UNITS.get(match[3] or "m") if match else None
    length = float(f"{match[1]}e{match[2] or 0}") * factor if match and factor else 0.0
    if not 0 < length < float("inf"):
        raise UserError(f"{option} {text}: give a length such as 1mm, 0.5 mm or 0.001 (metres)")
    return length
