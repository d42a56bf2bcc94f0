# SPDX-License-Identifier: Apache-2.0
"""A comparison as tables: what changed first, what did not as a number."""

from __future__ import annotations

from wirecost.analysis.compare.comparison import (
    FALSE_DISCOVERIES,
    SAME,
    UNDECIDED,
    Comparison,
    TimeChange,
)
from wirecost.analysis.compare.runs import Key
from wirecost.report.compare.rows import (
    Labels,
    changed_first,
    interval,
    not_changed,
    percent,
    tally,
)
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

TIME_HEADINGS = ["row", "percentile", "A", "B", "change [95 %]", "verdict"]
CHANGED = "Changed"
ALL = 1_000_000


def method(comparison: Comparison) -> str:
    """How verdicts came about, in two sentences."""
    margin = f"{100 * comparison.settings.margin:g} %"
    if comparison.noise:
        apart = ", ".join(f"{name} {100 * share:.3g} %" for name, share in comparison.noise.items())
        margin += f" and the noise between two runs of A ({apart}: 95 % of rows change less)"
    if comparison.drift:
        moved = ", ".join(f"{name} {100 * share:.3g} %" for name, share in comparison.drift.items())
        margin += f" and what rows of the other contenders moved by (at most {moved})"
    return (
        "Intervals: percentile bootstrap of the ratio, unpaired, since these are two runs. A "
        f"verdict needs an interval without 0, a change beyond {margin}, and a "
        "probability (two-sample quantile test) "
        f"that keeps false verdicts below {100 * FALSE_DISCOVERIES:g} % of all verdicts "
        "(Benjamini and Hochberg)."
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
            spread = (
                f"{found.b - found.a:+.4g}"
                if found.ci95 is None
                else f"{found.b - found.a:+.4g} [{found.ci95[0]:+.4g}, {found.ci95[1]:+.4g}]"
            )
            name = one.counter.removeprefix("counter:")
            body.append(
                [labels(one.row), name, f"{found.a:.4g}", f"{found.b:.4g}", spread, one.verdict]
            )
    for plain in comparison.plain:
        if every or plain.verdict != SAME:
            show = _size if plain.is_size else _number
            body.append(
                [
                    labels(plain.row),
                    plain.what.removesuffix("_bytes").replace("_", " "),
                    show(plain.a),
                    show(plain.b),
                    percent(plain.change),
                    "REGRESSION" if plain.regression else plain.verdict,
                ]
            )
    total = len(comparison.counts) + len(comparison.plain)
    if not total:
        return None
    headings = ["row", "what", "A", "B", "change [95 %]", "verdict"]
    title = "All counters and sizes" if every else "Changed counters and sizes"
    notes = [] if every else [f"{len(body):,} of {total:,} changed."]
    return Table(title, headings, body, notes, ("A", "B"))


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
    return (
        [(True, f"Outputs of A and B are equal, every byte: {count:,} messages")] if count else []
    )


def environment(comparison: Comparison) -> Table | None:
    """What differs beside the numbers."""
    body = [
        [one.what.replace("_", " "), one.a or "–", one.b or "–"] for one in comparison.differences
    ]
    if not body:
        return None
    notes = ["Not only the code differs: a change can come from any of these."]
    return Table("Different environments", ["", "A", "B"], body, notes)


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
    different = [one for one in comparison.outputs or [] if one.first_difference]
    lines += [f"outputs differ: {one.topic}, {one.first_difference}" for one in different]
    return lines


def _size(value: float) -> str:
    return units.size(round(value))


def _number(value: float) -> str:
    return f"{value:.6g}"
