# SPDX-License-Identifier: Apache-2.0
"""One goal: what is asked, what was measured, whether that meets it."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost.results.analysis.intervals import Estimate
from wirecost.results.report.shared import units


@dataclass(frozen=True)
class Goal:
    """``met`` is None where the measured interval holds the limit itself."""

    what: str
    asked: str
    measured: str
    met: bool | None


def at_most(what: str, limit: float, asked: str, found: Estimate) -> Goal:
    """Return a goal on a ratio whose whole 95 % interval must not exceed the limit."""
    met = True if found.high <= limit else False if found.low > limit else None
    return Goal(what, f"≤ {asked}", _quotient(found), met)


def _quotient(found: Estimate) -> str:
    """Small ones as ``1/25 [1/27, 1/23]``."""
    parts = (found.value, found.low, found.high)
    if found.high >= 0.5 or found.low <= 0:
        return units.quotient(*parts)
    value, low, high = (f"1/{units.significant(1 / part)}" for part in parts)
    return f"{value} [{low}, {high}]"
