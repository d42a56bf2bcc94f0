# SPDX-License-Identifier: Apache-2.0
"""A comparison as tables: what changed first, what did not as a number."""

from __future__ import annotations

from collections.abc import Callable

from wirecost.results.analysis.compare.comparison import (
    FALSE_DISCOVERIES,
    SAME,
    UNDECIDED,
    Comparison,
    CountChange,
    TimeChange,
)
from wirecost.results.analysis.compare.context import Difference, busy
from wirecost.results.analysis.compare.message_types import are_other_messages, difference
from wirecost.results.analysis.compare.noise import LEAST_ROWS
from wirecost.results.analysis.compare.outputs import TopicOutputs
from wirecost.results.analysis.compare.plain import PlainChange
from wirecost.results.analysis.compare.quantiles import FEW
from wirecost.results.analysis.compare.runs import Key
from wirecost.results.report.compare.rows import (
    DEPENDENT,
    Labels,
    by_importance,
    changed_first,
    ends,
    interval,
    not_changed,
    percent,
    plain_name,
    plain_sides,
    processes_of_side,
    same_size,
    tally,
    too_few,
    verdict_of,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

CHANGED = "Changed"
DOCTOR = "doctor"
IN_NANOSECONDS = ("-ns", "TASK-CLOCK", "CPU-CLOCK")
"""Ends of the names of counters that count time."""


def method(comparison: Comparison) -> str:
    """Say how verdicts came about, in one sentence."""
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
        + "".join(f" {text}" for text in two_messages(comparison))
    )


def two_messages(comparison: Comparison) -> list[str]:
    """Say in what the messages differ, where the runs are of two."""
    a, b = comparison.a, comparison.b
    return [f"{difference(a, b)}."] if are_other_messages(a, b) else []


def listed(comparison: Comparison) -> str:
    """Say in a line what a change has to be to be listed."""
    margin = f"{100 * comparison.settings.margin:g} %"
    return f"Listed: changes above {margin} that noise does not explain{_noise(comparison)}."


def same(comparison: Comparison) -> str:
    """Say in a line what no difference means, where all rows are listed."""
    margin = f"{100 * comparison.settings.margin:g} %"
    return f"{SAME.capitalize()}: no change above {margin} is certain{_noise(comparison)}."


def _noise(comparison: Comparison) -> str:
    apart = (comparison.noise or comparison.drift).get("p50")
    what = "between two runs of A" if comparison.noise else "of other contenders"
    return f" (medians {what} move by up to {100 * apart:.3g} %)" if apart else ""


def changed(comparison: Comparison) -> Table:
    """Return regressions, slower and faster percentiles."""
    notes = [f"{tally(comparison)}, of {len(comparison.times):,} percentiles."]
    return _times(CHANGED, changed_first(comparison), comparison, notes)


def unchanged(comparison: Comparison) -> Table:
    """Return the percentiles without a verdict against them."""
    return _times("Not changed", not_changed(comparison.times), comparison, [])


def undecided(comparison: Comparison) -> Table | None:
    """Return the percentiles of which nothing can be said, and why; None where there is none."""
    rows = [change for change in comparison.times if change.verdict == UNDECIDED]
    if not rows:
        return None
    labels = Labels(comparison)
    columns: list[Column[TimeChange]] = [
        Column("row", lambda change: labels(change.row)),
        Column("percentile", lambda change: change.quantile),
        Column("change", lambda change: percent(change.shift.change)),
        Column("executions", _executions),
    ]
    notes = []
    if any(
        change.shift.few and change.shift.few.worth < change.shift.few.executions for change in rows
    ):
        notes.append(DEPENDENT)
    return Table.of("Cannot tell", rows, columns, notes, cut="middle")


def _executions(change: TimeChange) -> str:
    return (
        change.shift.why.removeprefix(FEW)
        if change.shift.few is None
        else too_few(change.shift.few)
    )


def _times(
    title: str, changes: list[TimeChange], comparison: Comparison, notes: list[str]
) -> Table:
    labels = Labels(comparison)
    columns: list[Column[TimeChange]] = [
        Column("row", lambda change: labels(change.row)),
        Column("percentile", lambda change: change.quantile),
        Column("A", lambda change: units.time(change.shift.a), optional=1),
        Column("B", lambda change: units.time(change.shift.b), optional=2),
        Column("change [95 %]", interval),
        Column("verdict", verdict_of),
    ]
    return Table.of(title, changes, columns, notes, cut="middle")


def counts(comparison: Comparison, every: bool) -> Table | None:
    """Return counters of the samples by their means, and numbers that a run has once."""
    total = len(comparison.counts) + len(comparison.plain)
    if not total:
        return None
    labels = Labels(comparison)
    body = [
        [labels(change.row), change.name, *count_cells(change), verdict_of(change)]
        for change in sorted(comparison.counts, key=by_importance(comparison))
        if every or change.verdict not in {SAME, UNDECIDED}
    ]
    body += [
        [_rows(changes, labels), *plain_cells(changes[0]), verdict_of(changes[0])]
        for changes in same_size(sorted(comparison.plain, key=by_importance(comparison)))
        if every or changes[0].verdict != SAME
    ]
    headings = ["row", "what", "A", "B", "change", "95 % interval", "verdict"]
    title = "All counters and sizes" if every else "Changed counters and sizes"
    unchanged_too = [change.verdict in {SAME, UNDECIDED} for change in comparison.counts]
    unchanged_too += [change.verdict == SAME for change in comparison.plain]
    notes = [] if every else [f"{unchanged_too.count(False):,} of {total:,} changed."]
    return Table(title, headings, body, notes, ("95 % interval", "change"), cut="middle")


def _rows(changes: list[PlainChange], labels: Labels) -> str:
    """Name the row of a size, or the first of several with the same change."""
    more = f" and {len(changes) - 1:,} more" if len(changes) > 1 else ""
    return labels(changes[0].row) + more


def count_cells(change: CountChange) -> list[str]:
    """Return both means, their change and its interval.

    They are in percent where there is anything to be a share of, else in what is counted.
    """
    means = change.difference
    show = _time if change.name.endswith(IN_NANOSECONDS) else _count
    sides = [show(means.a), show(means.b)]
    if means.a >= 1 and means.change95 is not None:
        return [*sides, percent(means.change), ends(means.change95)]
    low_high = ", ".join(map(_signed(show), means.ci95 or ()))
    return [*sides, _signed(show)(means.b - means.a), low_high and f"[{low_high}]"]


def plain_cells(change: PlainChange) -> list[str]:
    """Return what changed, both values and the change."""
    return [plain_name(change), *plain_sides(change), percent(change.change), ""]


def outputs(comparison: Comparison) -> Table | None:
    """Return whether the outputs are the same messages; None where there are none."""
    if comparison.outputs is None:
        return None
    columns: list[Column[TopicOutputs]] = [
        Column("topic", lambda output: output.topic),
        Column("in A", lambda output: f"{output.messages_a:,}", optional=1),
        Column("in B", lambda output: f"{output.messages_b:,}", optional=2),
        Column("equal", lambda output: f"{output.equal:,}"),
        Column("first difference", lambda output: output.first_difference or "equal"),
    ]
    return Table.of("Outputs", comparison.outputs, columns, cut="middle")


def equal_outputs(comparison: Comparison) -> list[tuple[bool, str]]:
    """Say whether both versions of a node sent the same messages; nothing where none were kept."""
    compared = comparison.outputs or []
    differ = [output for output in compared if output.first_difference]
    if differ:
        topics = ", ".join(output.topic for output in differ)
        return [(False, f"Outputs of A and B differ on {topics}: {differ[0].first_difference}")]
    count = sum(output.equal for output in compared)
    return [(True, f"Outputs of A and B are equal: {counted(count, 'message')}")] if count else []


def environment(comparison: Comparison) -> Table | None:
    """Return what differs beside the numbers; None where nothing does."""
    differences = _without_one_doctor(comparison.differences)
    columns: list[Column[Difference]] = [
        Column("what", lambda difference: difference.what.replace("_", " ")),
        Column("A", lambda difference: difference.a or units.NONE, is_text=True),
        Column("B", lambda difference: difference.b or units.NONE, is_text=True),
    ]
    notes = ["More than the code differs: a change can come from any of these."]
    return Table.of("Different environments", differences, columns, notes) if differences else None


def _without_one_doctor(differences: list[Difference]) -> list[Difference]:
    """Put one row in place of the doctor's verdicts where one run alone has them."""
    doctor = [difference for difference in differences if difference.what.startswith(DOCTOR)]
    if len(doctor) < 2 or not (
        all(difference.a is None for difference in doctor)
        or all(difference.b is None for difference in doctor)
    ):
        return differences
    whole = next(
        (difference for difference in doctor if difference.what == f"{DOCTOR} verdict"), doctor[0]
    )
    text = f"{whole.a or whole.b}, {len(doctor)} verdicts"
    row = Difference(DOCTOR, whole.a and text, whole.b and text)
    return [*(other for other in differences if other not in doctor), row]


def one_sided(comparison: Comparison) -> list[tuple[str, list[str]]]:
    """Return the rows that one run alone has, by its name."""
    labels = Labels(comparison)

    def names(keys: list[Key]) -> list[str]:
        return list(dict.fromkeys(labels(key) for key in keys))

    sides = (("A", comparison.only_a), ("B", comparison.only_b))
    return [(name, names(keys)) for name, keys in sides if keys]


def warnings(comparison: Comparison) -> list[str]:
    """Return what a reader must know before believing a verdict, one line each."""
    lines = list(comparison.notes)
    if comparison.other_contents and not are_other_messages(comparison.a, comparison.b):
        count = len(comparison.other_contents)
        lines.insert(
            0,
            f"{count:,} contents differ, so not the same work was measured: "
            f"{comparison.other_contents[0]}" + (" and others" if count > 1 else ""),
        )
    lines += _busy(comparison)
    different = [output for output in comparison.outputs or [] if output.first_difference]
    lines += [f"outputs differ: {output.topic}, {output.first_difference}" for output in different]
    return lines


def _busy(comparison: Comparison) -> list[str]:
    a, b = busy(comparison.a), busy(comparison.b)
    if a is None and b is None:
        return []
    loads = [load for load in (a, b) if load is not None]
    name = "both runs" if len(loads) > 1 else "run B" if a is None else "run A"
    load = ", then ".join(loads)
    turns = "" if processes_of_side(comparison) else " in turns,"
    return [f"{name} on a busy machine (load {load}): measure again{turns} when idle"]


def _time(ns: float) -> str:
    return units.time(ns).replace("-", "−")


def _count(value: float) -> str:
    for factor, unit in ((1e9, " G"), (1e6, " M")):
        if abs(value) >= factor:
            return f"{value / factor:.4g}{unit}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def _signed(show: Callable[[float], str]) -> Callable[[float], str]:
    return lambda value: ("+" if value > 0 else "") + show(value)
