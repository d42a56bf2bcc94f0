# SPDX-License-Identifier: Apache-2.0
"""A comparison as tables: what changed first, what did not as a number."""

from __future__ import annotations

from collections.abc import Callable

from wirecost.analysis.compare.comparison import (
    FALSE_DISCOVERIES,
    SAME,
    UNDECIDED,
    Comparison,
    TimeChange,
)
from wirecost.analysis.compare.context import Difference, busy
from wirecost.analysis.compare.noise import LEAST_ROWS
from wirecost.analysis.compare.quantiles import FEW
from wirecost.analysis.compare.runs import Key
from wirecost.counted import counted
from wirecost.report.compare.rows import (
    Labels,
    changed_first,
    ends,
    interval,
    not_changed,
    percent,
    tally,
)
from wirecost.report.shared import units
from wirecost.report.shared.table import Table
from wirecost.report.shared.too_few import DEPENDENT, too_few

TIME_HEADINGS = ["row", "percentile", "A", "B", "change [95 %]", "verdict"]
CHANGED = "Changed"
DOCTOR = "doctor"
IN_NANOSECONDS = ("-ns", "TASK-CLOCK", "CPU-CLOCK")
"""How the names of counters end that count time."""
ALL = 1_000_000


def method(comparison: Comparison) -> str:
    """How verdicts came about, in one sentence."""
    margin = f"{100 * comparison.settings.margin:g} %"
    beyond = {name: share for name, share in comparison.noise.items() if share}
    if beyond:
        apart = ", ".join(f"{name} {100 * share:.3g} %" for name, share in beyond.items())
        margin += f" and the noise between two runs of A ({apart}: 95 % of rows change less; "
        margin += f"of fewer than {LEAST_ROWS} rows, the far end of each one's interval)"
    elif comparison.noise:
        margin += " (two runs of A differ by no more than their intervals allow)"
    if comparison.drift:
        moved = ", ".join(f"{name} {100 * share:.3g} %" for name, share in comparison.drift.items())
        margin += f" and what rows of the other contenders moved by (at most {moved})"
    return (
        "A verdict needs a 95 % interval (bootstrap, unpaired) without 0, a change beyond "
        f"{margin}, and a quantile test that keeps false verdicts below "
        f"{100 * FALSE_DISCOVERIES:g} % (Benjamini and Hochberg)."
    )


def changed(comparison: Comparison, most: int = ALL) -> Table:
    """Regressions, slower and faster percentiles, at most so many."""
    shown = changed_first(comparison.times)
    notes = [f"{tally(comparison)}, of {len(comparison.times):,} percentiles."]
    if len(shown) > most:
        notes.append(f"{len(shown) - most:,} more: --json, --markdown and --report have all.")
    return _times(CHANGED, shown[:most], comparison, notes)


def unchanged(comparison: Comparison) -> Table:
    """The percentiles without a verdict against them."""
    return _times("Not changed", not_changed(comparison.times), comparison, [])


def undecided(comparison: Comparison, most: int = ALL) -> Table | None:
    """The percentiles of which nothing can be said, and why; None where there is none."""
    found = [one for one in comparison.times if one.verdict == UNDECIDED]
    if not found:
        return None
    labels = Labels(comparison)
    body = [
        [
            labels(one.row),
            one.quantile,
            percent(one.shift.change),
            one.shift.why.removeprefix(FEW) if one.shift.few is None else too_few(one.shift.few),
        ]
        for one in found[:most]
    ]
    notes = []
    if any(one.shift.few and one.shift.few.worth < one.shift.few.executions for one in found):
        notes.append(DEPENDENT)
    if len(found) > most:
        notes.append(f"{len(found) - most:,} more: --json has all.")
    return Table("Cannot tell", ["row", "percentile", "change", "executions"], body, notes)


def _times(
    title: str, changes: list[TimeChange], comparison: Comparison, notes: list[str]
) -> Table:
    labels = Labels(comparison)
    body = [
        [
            labels(one.row),
            one.quantile,
            units.time(one.shift.a),
            units.time(one.shift.b),
            interval(one),
            "REGRESSION" if one.regression else one.verdict,
        ]
        for one in changes
    ]
    return Table(title, TIME_HEADINGS, body, notes, ("A", "B"))


def counts(comparison: Comparison, every: bool) -> Table | None:
    """Counters of the samples by their means, and numbers that a run has once."""
    labels = Labels(comparison)
    body = []
    for one in comparison.counts:
        found = one.difference
        if every or one.verdict not in {SAME, UNDECIDED}:
            show = _time if one.name.endswith(IN_NANOSECONDS) else _count
            if found.a >= 1 and found.change95 is not None:
                change, between = percent(found.change), ends(found.change95)
            else:
                change = _signed(show)(found.b - found.a)
                between = ", ".join(map(_signed(show), found.ci95 or ()))
                between = between and f"[{between}]"
            verdict = "REGRESSION" if one.regression else one.verdict
            body.append(
                [labels(one.row), one.name, show(found.a), show(found.b), change, between, verdict]
            )
    for plain in comparison.plain:
        if every or plain.verdict != SAME:
            written = _size if plain.is_size else _number
            body.append(
                [
                    labels(plain.row),
                    plain.what.removesuffix("_bytes").replace("_", " "),
                    written(plain.a),
                    written(plain.b),
                    percent(plain.change),
                    "",
                    "REGRESSION" if plain.regression else plain.verdict,
                ]
            )
    total = len(comparison.counts) + len(comparison.plain)
    if not total:
        return None
    headings = ["row", "what", "A", "B", "change", "95 % interval", "verdict"]
    title = "All counters and sizes" if every else "Changed counters and sizes"
    notes = [] if every else [f"{len(body):,} of {total:,} changed."]
    return Table(title, headings, body, notes, ("95 % interval", "change"))


def outputs(comparison: Comparison) -> Table | None:
    """Whether the outputs are the same messages."""
    if comparison.outputs is None:
        return None
    body = [
        [
            one.topic,
            f"{one.messages_a:,}",
            f"{one.messages_b:,}",
            f"{one.equal:,}",
            one.first_difference or "equal",
        ]
        for one in comparison.outputs
    ]
    headings = ["topic", "in A", "in B", "equal", "first difference"]
    return Table("Outputs", headings, body, [], ("in A", "in B"))


def equal_outputs(comparison: Comparison) -> list[tuple[bool, str]]:
    """Whether both versions of a node sent the same messages; nothing where none were kept."""
    found = comparison.outputs or []
    differ = [one for one in found if one.first_difference]
    if differ:
        topics = ", ".join(one.topic for one in differ)
        return [(False, f"Outputs of A and B differ on {topics}: {differ[0].first_difference}")]
    count = sum(one.equal for one in found)
    return [(True, f"Outputs of A and B are equal: {counted(count, 'message')}")] if count else []


def environment(comparison: Comparison) -> Table | None:
    """What differs beside the numbers."""
    found = _without_one_doctor(comparison.differences)
    body = [[one.what.replace("_", " "), one.a or "–", one.b or "–"] for one in found]
    if not body:
        return None
    notes = ["Not only the code differs: a change can come from any of these."]
    return Table("Different environments", ["what", "A", "B"], body, notes)


def _without_one_doctor(found: list[Difference]) -> list[Difference]:
    """Where one run alone has the doctor's verdicts, one row instead of a row for each."""
    doctor = [one for one in found if one.what.startswith(DOCTOR)]
    if len(doctor) < 2 or not (
        all(one.a is None for one in doctor) or all(one.b is None for one in doctor)
    ):
        return found
    whole = next((one for one in doctor if one.what == f"{DOCTOR} verdict"), doctor[0])
    text = f"{whole.a or whole.b}, {len(doctor)} verdicts"
    one = Difference(DOCTOR, whole.a and text, whole.b and text)
    return [*(other for other in found if other not in doctor), one]


def one_sided(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """Rows that one run alone has, and where."""
    labels = Labels(comparison)

    def names(keys: list[Key]) -> list[str]:
        return list(dict.fromkeys(labels(key) for key in keys))

    sides = (("A", comparison.only_a), ("B", comparison.only_b))
    return [(name, names(keys)) for name, keys in sides if keys]


def warnings(comparison: Comparison) -> list[str]:
    """What a reader must know before believing a verdict, one line each."""
    lines = list(comparison.notes)
    if comparison.other_contents:
        count = len(comparison.other_contents)
        lines.insert(
            0,
            f"{count:,} contents differ, so not the same work was measured: "
            f"{comparison.other_contents[0]}" + (" and others" if count > 1 else ""),
        )
    lines += _busy(comparison)
    different = [one for one in comparison.outputs or [] if one.first_difference]
    lines += [f"outputs differ: {one.topic}, {one.first_difference}" for one in different]
    return lines


def _busy(comparison: Comparison) -> list[str]:
    a, b = busy(comparison.a), busy(comparison.b)
    if a is None and b is None:
        return []
    advice = "measure again in turns on a quiet machine, see wirecost doctor"
    if a is not None and b is not None:
        return [f"both runs were on a busy machine (load {a}, then {b}): {advice}"]
    name, load = ("A", a) if a is not None else ("B", b)
    return [f"run {name} was on a busy machine (load {load}): {advice}"]


def _size(value: float) -> str:
    return units.size(round(value))


def _time(ns: float) -> str:
    return units.time(ns).replace("-", "−")


def _count(value: float) -> str:
    for factor, unit in ((1e9, " G"), (1e6, " M")):
        if abs(value) >= factor:
            return f"{value / factor:.4g}{unit}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def _signed(show: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: ("+" if value > 0 else "") + show(value)


def _number(value: float) -> str:
    return f"{value:.6g}"
