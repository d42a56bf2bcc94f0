# SPDX-License-Identifier: Apache-2.0
"""What remedies gained, as tables and as a JSON document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from wirecost.analysis.compare.quantiles import Shift
from wirecost.analysis.gains import Effects, Gain
from wirecost.report.shared import units
from wirecost.report.shared.table import Table
from wirecost.report.shared.too_few import DEPENDENT, too_few

NONE = "–"
FEWEST_FOR_P99 = 100
"""Executions with fewer of which p99 is the longest one."""
CHANCE = 0.05
"""A verdict on p99 needs a quantile test with at most this probability."""


def gain_table(gains: list[Gain]) -> Table:
    """One row a case under a remedy, the largest gain of the median first in each case."""
    order = list(dict.fromkeys(gain.case for gain in gains))
    ranked = sorted(gains, key=lambda gain: (order.index(gain.case), gain.median.change or 0.0))
    body = []
    for gain in ranked:
        cells = [gain.case, gain.remedy]
        for one in (gain.median, gain.p99):
            if one is gain.p99 and gain.count < FEWEST_FOR_P99:
                cells += [NONE, NONE]
                continue
            cells += [f"{units.time(one.a)} → {units.time(one.b)}", _change(one)]
        body.append([*cells, _verdicts(gain)])
    headings = ["case", "remedy", "median", "change [95 %]", "p99", "change of p99 [95 %]", "so"]
    notes = ["Turns of one process each, in an order that changes from round to round"]
    if any(gain.count < FEWEST_FOR_P99 for gain in gains):
        notes.append(f"{NONE}: p99 needs {FEWEST_FOR_P99} executions")
    notes += _without_interval([gain.p99 for gain in gains if gain.count >= FEWEST_FOR_P99])
    # What is the finding is shown on a narrow terminal too.
    of_tail = any(tail_verdict(gain) not in (None, verdict(gain)) for gain in gains)
    optional = ("p99", "median") if of_tail else ("p99", "change of p99 [95 %]")
    return Table("What remedies gained", headings, body, notes, optional)


def _without_interval(shifts: list[Shift]) -> list[str]:
    """Why, one line a reason; of those with too few executions, that which lacks most."""
    lacking = [one.few for one in shifts if one.few is not None]
    reasons = sorted({one.why for one in shifts if one.why and one.few is None})
    notes = [f"p99 without interval: {reason}" for reason in reasons]
    if lacking:
        most = max(lacking, key=lambda few: few.needed / few.worth)
        notes.append(f"p99 without interval, at most: {too_few(most)}")
        if most.worth < most.executions:
            notes.append(DEPENDENT)
    return notes


def effect_table(effects: list[Effects], about: Mapping[str, str]) -> Table:
    """One row a remedy: what its processes took of the kernel, and whether they did the same."""
    body = [
        [
            one.remedy,
            f"{one.processes}",
            _count(one.minor_faults),
            _count(one.switches),
            one.outputs,
        ]
        for one in effects
    ]
    notes = [f"{name}: {text}" for name, text in about.items()]
    headings = ["remedy", "processes", "minor faults", "switches", "outputs"]
    return Table("Of a whole process", headings, body, notes)


def verdict(gain: Gain) -> str:
    """What the interval of the median allows to say."""
    interval = gain.median.ci95
    if interval is None:
        return "not known"
    if interval[1] < 0:
        return "faster"
    return "slower" if interval[0] > 0 else "no difference"


def tail_verdict(gain: Gain) -> str | None:
    """What the interval of p99 allows to say; None where it allows nothing."""
    found = gain.p99
    if gain.count < FEWEST_FOR_P99 or found.ci95 is None or found.p is None or found.p > CHANCE:
        return None
    if found.ci95[1] < 0:
        return "faster"
    return "slower" if found.ci95[0] > 0 else None


def _verdicts(gain: Gain) -> str:
    """Of the median, and of p99 where that says something else: ``p99 faster``."""
    of_median, of_tail = verdict(gain), tail_verdict(gain)
    if of_tail is None or of_tail == of_median:
        return of_median
    if of_median in ("faster", "slower"):
        return f"{of_median}; p99 {of_tail}"
    return f"p99 {of_tail}"


def document(
    gains: list[Gain], effects: list[Effects], refused: Mapping[str, str]
) -> dict[str, Any]:
    """What ``--json`` writes. Times in nanoseconds; ``change`` is b / a - 1."""
    return {
        "gains": [
            asdict(one) | {"verdict": verdict(one), "verdict_p99": tail_verdict(one)}
            for one in gains
        ],
        "remedies": [asdict(one) for one in effects],
        "refused": dict(refused),
    }


def _change(one: Shift) -> str:
    if one.change is None:
        return NONE
    text = f"{100 * one.change:+.1f} %".replace("-", "−")
    if one.ci95 is None:
        return text
    low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in one.ci95)
    return f"{text} [{low}, {high}]"


def _count(mean: float | None) -> str:
    return NONE if mean is None else f"{mean:,.0f}"
