# SPDX-License-Identifier: Apache-2.0
"""Numbers as a person reads them: three significant digits, the unit beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence

from wirecost.results.report.shared.table import Amount

TIME_UNITS = ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s"))
SIZE_UNITS = ((1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"))
NEAR = 1.1
"""Ratio up to which a difference is given in per cent."""
NONE, UNKNOWN = "–", "?"
"""Texts in place of a number that there is not, and of one that nobody knows."""


def time(ns: float | None) -> Amount:
    """Return ``43.2 ms`` from nanoseconds."""
    return Amount(NONE) if ns is None else Amount(_in_units(ns, TIME_UNITS), ns)


def size(count: int | None) -> Amount:
    """Return ``23.2 MB`` from bytes (decimal units, as network and report figures are)."""
    if count is None:
        return Amount(NONE)
    text = f"{count} B" if count < SIZE_UNITS[1][0] else _in_units(count, SIZE_UNITS)
    return Amount(text, count)


def distance(metres: float) -> str:
    """Return ``0.5 mm`` from metres; what is not finite stands for a point that was lost."""
    if not math.isfinite(metres):
        return "NaN lost"
    return f"{1000 * metres:.3g} mm" if metres < 1 else f"{metres:.3g} m"


def amount(value: float | None, form: str = ",") -> Amount:
    """Return a number in the form that ``format`` takes."""
    return Amount(NONE) if value is None else Amount(format(value, form), value)


def significant_amount(value: float | None) -> Amount:
    """Return a number with three significant digits."""
    return Amount(NONE) if value is None else Amount(significant(value), value)


def span(values: Collection[float], show: Callable[[float], str], between: str = "–") -> str:
    """Return the least and the greatest value, ``2.1–3.4``; one number where they read the same."""
    low, high = show(min(values)), show(max(values))
    return low if low == high else f"{low}{between}{high}"


def _in_units(value: float, units: Sequence[tuple[float, str]]) -> str:
    """Use the first unit of which it is less than a thousand once it is rounded."""
    texts = ((significant(value / factor), unit) for factor, unit in units)
    text, unit = next((scaled for scaled in texts if abs(float(scaled[0])) < 1000), ("", ""))
    if not unit:
        factor, unit = units[-1]
        text = significant(value / factor)
    return f"{text} {unit}"


def significant(value: float) -> str:
    """Return three significant digits without an exponent."""
    return "0" if value == 0 else _rounded(value, (0.1, 10, 100))


def two_digits(value: float) -> str:
    """Return two significant digits, for tables beside figures that have no more."""
    return _rounded(value, (1, 10))


def _rounded(value: float, ends: Sequence[float]) -> str:
    """Use as many decimals as there are ``ends`` above the rounded value."""
    for decimals, end in zip(range(len(ends), 0, -1), ends, strict=True):
        if abs(round(value, decimals)) < end:
            return f"{value:.{decimals}f}"
    return f"{value:.0f}"


def percentile_title(percent: float) -> str:
    """Return ``median`` or ``p99.9``, as headings have it."""
    return "median" if percent == 50 else f"p{percent:g}"


def percent(share: float) -> str:
    """Return ``37.5 %``; 100 % and 0 % stand for all and nothing only."""
    text = f"{100 * share:.1f}"
    if share < 1 and text == "100.0":
        return "> 99.9 %"
    return "< 0.1 %" if share > 0 and text == "0.0" else f"{text} %"


def quotient(value: float, low: float, high: float) -> str:
    """Return a ratio with its interval: ``0.42 [0.41, 0.43]``."""
    return f"{significant(value)} [{significant(low)}, {significant(high)}]"


def speed(ratio: float) -> str:
    """Return a ratio of times in words: ``44× faster``, ``1.8× slower``, ``2 % slower``."""
    if 0.995 < ratio < 1.005:
        return "as fast"
    what, by = ("faster", 1 / ratio) if ratio < 1 else ("slower", ratio)
    if by < NEAR:
        return f"{max(100 * (by - 1), 1):.0f} % {what}"
    return f"{two_digits(by)}× {what}"


def speeds(low: float, high: float) -> str:
    """Return the interval of such a ratio, in the direction of ``speed``: ``41–47×``."""
    ends = (1 / high, 1 / low) if low + high < 2 else (low, high)
    digits = significant if min(ends) < NEAR else two_digits
    return f"{digits(ends[0])}–{digits(ends[1])}×"
