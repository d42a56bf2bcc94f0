# SPDX-License-Identifier: Apache-2.0
"""Why one execution took longer than usual: the counter that costs most beyond its usual count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wirecost.results.analysis.causes.kinds import is_duration, kind_of
from wirecost.results.records.probe_log import COUNTER

MUCH = 0.3
"""Share of the excess that a reason must account for."""
Row = Mapping[str, Any]


def reason_of(execution: Row, usual: Row, prices: Mapping[str, float]) -> tuple[str | None, float]:
    """Return the answer in words, with its nanoseconds.

    It is None where no counter costs more than usual.

    ``usual``: medians of the same columns; ``prices``: nanoseconds by counter or by its
    ``Kind.event``.
    """
    best: tuple[str | None, float] = (None, 0.0)
    for column in (name for name in usual if name.startswith(COUNTER)):
        name = column.removeprefix(COUNTER)
        price = _price(name, prices)
        if price is None or execution[column] is None or usual[column] is None:
            continue
        ns = price * (execution[column] - usual[column])
        if ns > best[1]:
            counted = "" if is_duration(name) else f"{execution[column]:,} "
            best = (f"{counted}{name}", float(ns))
    return best


def _price(name: str, prices: Mapping[str, float]) -> float | None:
    if is_duration(name):
        return 1.0
    return prices.get(name, prices.get(kind_of(name).event or ""))
