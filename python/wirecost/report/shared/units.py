# SPDX-License-Identifier: Apache-2.0
"""Numbers as a person reads them: three significant digits, the unit beside them."""

from __future__ import annotations

from wirecost.report.shared.table import Amount

TIME_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))


def time(ns: float) -> Amount:
    """``43.2 ms`` from nanoseconds."""
    factor, unit = next((u for u in TIME_UNITS if abs(ns) >= u[0]), TIME_UNITS[-1])
    return Amount(f"{significant(ns / factor)} {unit}", ns)


def size(count: int) -> Amount:
    """``23.2 MB`` from bytes (decimal units, as network and report figures are)."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return Amount(f"{significant(count / factor)} {unit}", count)
    return Amount(f"{count} B", count)


def significant(value: float) -> str:
    """Three significant digits without an exponent."""
    if value == 0:
        return "0"
    if abs(value) >= 100:
        return f"{value:.0f}"
    if abs(value) >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if abs(value) >= 0.1 else f"{value:.3f}"


def two_digits(value: float) -> str:
    """Two significant digits, for tables beside figures that have no more."""
    if abs(value) >= 10:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"


def quotient(value: float, low: float, high: float) -> str:
    """A ratio with its interval: ``0.42 [0.41, 0.43]``."""
    return f"{significant(value)} [{significant(low)}, {significant(high)}]"


def speed(ratio: float) -> str:
    """A ratio of times as people say it: ``44× faster``, ``1.8× slower``."""
    if 0.995 < ratio < 1.005:
        return "as fast"
    return f"{two_digits(1 / ratio)}× faster" if ratio < 1 else f"{two_digits(ratio)}× slower"


def speeds(low: float, high: float) -> str:
    """The interval of such a ratio, in the direction of ``speed``: ``41–47×``."""
    ends = (1 / high, 1 / low) if low + high < 2 else (low, high)
    return f"{two_digits(ends[0])}–{two_digits(ends[1])}×"
