# SPDX-License-Identifier: Apache-2.0
"""How well times between two machines are known, and how late messages were started."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

NONE = "–"


def clocks(meta: dict[str, Any], rows: list[Row]) -> Table | None:
    """A row for each contender between two machines; None where one clock served both ends."""
    transits = [row for row in rows if row.stage == "transit"]
    crossed = [row for row in transits if row.facts["clock_bound_ns"] is not None]
    if not crossed:
        return None
    runs = {(run["case"], run["contender"], run["mode"]): run for run in meta["runs"]}
    body = []
    for row in crossed:
        run = runs[row.case, row.contender, row.mode]
        body.append(
            [
                f"{row.case} {row.name}",
                units.time(row.median_ns),
                f"± {units.time(row.facts['clock_bound_ns'])}",
                "below the bound" if row.facts["below_clock_bound"] else "yes",
                f"{run['clock_offset_ns'] / 1e9:+.6f} s",
            ]
        )
    notes = [
        f"The listener was on {meta['listener']['host']}. Its clock was compared with the "
        "publisher's by ping before and after each block: the error of transit, and of every "
        "time that contains it, is at most the bound. Below the bound: the latency is smaller "
        "than the bound, and no more is known."
    ]
    headings = ["contender and object", "transit", "bound", "resolved", "clock ahead"]
    return Table("Clocks of two machines", headings, body, notes, ("clock ahead",), ("transit",))


def schedule(meta: dict[str, Any]) -> Table | None:
    """A row for each run that started messages late; None if there is none."""
    late = [run for run in meta["runs"] if run.get("late")]
    if not late:
        return None
    body = [
        [
            f"{run['case']} {run['contender']} {run['mode']}".rstrip(),
            f"{run['late']} of {run['sent']}",
            units.time(run["most_lag_ns"]),
            f"{run['asked_rate']:.4g}",
            f"{run['rate']:.4g}" if run["rate"] else NONE,
        ]
        for run in late
    ]
    notes = [
        "Late: started a tenth of a period or more after it was due, because the contender was "
        "still busy with the message before or the machine with something else; overdue messages "
        "follow back to back. Hz: rate of whole blocks, from when the first message was due."
    ]
    headings = ["contender and object", "late", "at most", "Hz asked", "Hz"]
    optional, bars = ("at most", "Hz asked"), ("at most",)
    return Table("Messages started late", headings, body, notes, optional, bars)
