# SPDX-License-Identifier: Apache-2.0
"""How the time of finding points in areas grows with points and with vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wirecost.analysis.summary import Row

PLAIN, HEAP = "plain", "heap"


@dataclass(frozen=True)
class Growth:
    """A version's medians where only ``over`` differs, and the power that the times grow with."""

    version: str
    over: str
    """points or vertices"""
    held: str
    """What else there is, the same for all."""
    sizes: list[int]
    ns: list[float]
    order: float
    """Slope of the least-squares line through logarithms."""


def growths(rows: list[Row], meta: dict[str, Any]) -> list[Growth]:
    """Of plain runs that looked for all points, wherever at least two sizes were measured."""
    about = {run["case"]: run for run in meta["runs"] if run["study"] == "area"}
    chosen = [
        (row, about[row.case])
        for row in rows
        if row.mode == PLAIN
        and row.case in about
        and about[row.case]["ask"] == "all"
        # On logarithms there is no 0.
        and row.median_ns
        and about[row.case]["points"]
        and about[row.case]["vertices"]
    ]
    found = []
    for over, other in (("points", "vertices"), ("vertices", "points")):
        groups: dict[tuple[str, int, float], list[tuple[int, float]]] = {}
        for row, run in chosen:
            key = (row.contender, run[other], run["inside"])
            groups.setdefault(key, []).append((run[over], row.median_ns))
        for (version, held, inside), pairs in groups.items():
            sizes, ns = zip(*sorted(pairs), strict=True)
            if len(set(sizes)) < 2:
                continue
            order = float(np.polyfit(np.log(sizes), np.log(ns), 1)[0])
            text = f"{held} {other}, {100 * inside:g} % inside"
            found.append(Growth(version, over, text, list(sizes), list(ns), order))
    return found
