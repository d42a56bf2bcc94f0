# SPDX-License-Identifier: Apache-2.0
"""Gains of remedies, as tables and as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from wirecost.results.analysis.compare.quantiles import Shift
from wirecost.results.analysis.gains import Effects, Gain
from wirecost.results.report.compare.rows import DEPENDENT, too_few
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Column, Table
from wirecost.results.report.shared.units import NONE

FEWEST_FOR_P99 = 100
"""Executions with fewer of which p99 is the longest one."""
CHANCE = 0.05
"""A verdict on p99 needs a quantile test with at most this probability."""


def gain_table(gains: list[Gain]) -> Table:
    """Return a row for each case under a remedy, the largest gain of the median first in a case."""
    order = list(dict.fromkeys(gain.case for gain in gains))
    ranked = sorted(gains, key=lambda gain: (order.index(gain.case), gain.median.change or 0.0))
    # What the tail shows is on a narrow terminal too, if it says something else.
    of_tail = any(tail_verdict(gain) not in (None, verdict(gain)) for gain in gains)
    columns: list[Column[Gain]] = [
        Column("case", lambda gain: gain.case),
        Column("remedy", lambda gain: gain.remedy),
        Column("median", lambda gain: _times(gain.median), optional=2 if of_tail else 0),
        Column("change [95 %]", lambda gain: _change(gain.median)),
        Column("p99", lambda gain: _times(gain.p99) if _has_p99(gain) else NONE, optional=1),
        Column(
            "change of p99 [95 %]",
            lambda gain: _change(gain.p99) if _has_p99(gain) else NONE,
            optional=0 if of_tail else 2,
        ),
        Column("so", _verdicts),
    ]
    notes = ["Turns of one process each, in an order that changes from round to round"]
    if not all(map(_has_p99, gains)):
        notes.append(f"{NONE}: p99 needs {FEWEST_FOR_P99} executions")
    notes += _without_interval([gain.p99 for gain in gains if _has_p99(gain)])
    return Table.of("What remedies gained", ranked, columns, notes)


def _has_p99(gain: Gain) -> bool:
    return gain.count >= FEWEST_FOR_P99


def _times(shift: Shift) -> str:
    return f"{units.time(shift.a)} → {units.time(shift.b)}"


def _without_interval(shifts: list[Shift]) -> list[str]:
    """Say why, in a line for each reason; of those with too few executions, for what lacks most."""
    lacking = [shift.few for shift in shifts if shift.few is not None]
    reasons = sorted({shift.why for shift in shifts if shift.why and shift.few is None})
    notes = [f"p99 without interval: {reason}" for reason in reasons]
    if lacking:
        most = max(lacking, key=lambda few: few.needed / few.worth)
        notes.append(f"p99 without interval, at most: {too_few(most)}")
        if most.worth < most.executions:
            notes.append(DEPENDENT)
    return notes


def effect_table(effects: list[Effects], about: Mapping[str, str]) -> Table:
    """Return what each remedy's processes took of the kernel, and whether they did the same."""
    columns: list[Column[Effects]] = [
        Column("remedy", lambda effect: effect.remedy),
        Column("processes", lambda effect: f"{effect.processes}"),
        Column("minor faults", lambda effect: units.amount(effect.minor_faults, ",.0f")),
        Column("switches", lambda effect: units.amount(effect.switches, ",.0f")),
        Column("outputs", lambda effect: effect.outputs),
    ]
    notes = [f"{name}: {text}" for name, text in about.items()]
    return Table.of("Of a whole process", effects, columns, notes)


def verdict(gain: Gain) -> str:
    """Return what the interval of the median allows to say."""
    interval = gain.median.ci95
    if interval is None:
        return "not known"
    if interval[1] < 0:
        return "faster"
    return "slower" if interval[0] > 0 else "no difference"


def tail_verdict(gain: Gain) -> str | None:
    """Return what the interval of p99 allows to say; None where it allows nothing."""
    shift = gain.p99
    if gain.count < FEWEST_FOR_P99 or shift.ci95 is None or shift.p is None or shift.p > CHANCE:
        return None
    if shift.ci95[1] < 0:
        return "faster"
    return "slower" if shift.ci95[0] > 0 else None


def _verdicts(gain: Gain) -> str:
    """Return the verdict of the median, and of p99 where that differs: ``p99 faster``."""
    of_median, of_tail = verdict(gain), tail_verdict(gain)
    if of_tail is None or of_tail == of_median:
        return of_median
    if of_median in ("faster", "slower"):
        return f"{of_median}; p99 {of_tail}"
    return f"p99 {of_tail}"


def document(
    gains: list[Gain], effects: list[Effects], refused: Mapping[str, str]
) -> dict[str, object]:
    """Return what ``--json`` writes. Times in nanoseconds; ``change`` is b / a - 1."""
    return {
        "gains": [
            asdict(gain) | {"verdict": verdict(gain), "verdict_p99": tail_verdict(gain)}
            for gain in gains
        ],
        "remedies": [asdict(effect) for effect in effects],
        "refused": dict(refused),
    }


def _change(shift: Shift) -> str:
    if shift.change is None:
        return NONE
    text = f"{100 * shift.change:+.1f} %".replace("-", "−")
    if shift.ci95 is None:
        return text
    low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in shift.ci95)
    return f"{text} [{low}, {high}]"
