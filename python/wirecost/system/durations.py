# SPDX-License-Identifier: Apache-2.0
"""Times that a person types, as ``10ms``, ``250us`` or ``1.5s``; a number may have no unit."""

from __future__ import annotations

import re

from wirecost.system.errors import UserError

TIME = "TIME"
"""Name of such a value in help."""
UNITS = {"ns": 1.0, "us": 1e3, "µs": 1e3, "μs": 1e3, "ms": 1e6, "s": 1e9}
"""Nanoseconds by unit; both of Unicode's micro signs."""
_TEXT = re.compile(r"\s*(\d+(?:\.\d*)?|\.\d+)(?:e([+-]?\d{1,3}))?\s*([a-zµμ]*)\s*", re.ASCII)


def seconds(option: str, text: str, unit: str = "s", may_be_zero: bool = False) -> float:
    """Parse a time, in seconds; as ``nanoseconds``."""
    return nanoseconds(option, text, unit, may_be_zero) / 1e9


def spelled(time_s: float) -> str:
    """Write a time as ``seconds`` reads it, such as ``10ms``."""
    unit = next((unit for unit in ("s", "ms", "us") if time_s * 1e9 >= UNITS[unit]), "ns")
    return f"{time_s * 1e9 / UNITS[unit]:.12g}{unit}"


def nanoseconds(option: str, text: str, unit: str = "ms", may_be_zero: bool = False) -> float:
    """Parse a time, in nanoseconds; ``unit``: that of a number without one.

    Raises:
        UserError: the text is no time, or the time is not finite, or zero where it may not be.
    """
    match = _TEXT.fullmatch(text)
    factor = UNITS.get(match[3] or unit) if match else None
    ns = float(f"{match[1]}e{match[2] or 0}") * factor if match and factor else -1.0
    if not 0 <= ns < float("inf") or not (ns or may_be_zero):
        raise UserError(f"{option} {text}: give a positive time such as 10ms, 250us or 1.5s")
    return ns
