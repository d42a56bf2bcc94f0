# SPDX-License-Identifier: Apache-2.0
"""Names and order of a comparison's rows wherever they are shown."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    MORE,
    QUANTILES,
    SAME,
    SLOWER,
    UNDECIDED,
    CompareSettings,
    Comparison,
    CountChange,
    TimeChange,
)
from wirecost.results.analysis.compare.gate import Gated, gated, looks_at_times, unseen
from wirecost.results.analysis.compare.plain import PlainChange
from wirecost.results.analysis.compare.quantiles import TooFew, least_samples
from wirecost.results.analysis.compare.runs import STAGE, Key, in_use
from wirecost.results.report.shared import units
from wirecost.system.counted import counted
from wirecost.system.function_names import short_names

Change = TimeChange | CountChange | PlainChange
GREW = {SLOWER, MORE, "larger"}
SECTION = "section"
MOST_TURNS = 50
"""Most times as many turns as anybody would take."""
DEPENDENT = (
    "count as: executions that follow one another, and those of one process, depend on each other, "
    "so they say only as much as so many independent ones"
)
STEADY = ("instructions", "task-clock", "cpu-clock", "processor-ns")
"""Parts of the names of counters that hardly depend on other programs."""
OBVIOUS = ("wire", "factor", "elements", "build", "variant")
"""Columns that usually follow from others: the first to be left out of a row's label."""


class Labels:
    """A row's label has what distinguishes it from the others and nothing else.

    A row that is alone has the words that chose it.
    """

    def __init__(self, comparison: Comparison, has_one_side: bool = True) -> None:
        self._names = comparison.names
        only = comparison.settings.only
        self._chosen_by = only[0] if len(only) == 1 else ""
        keys = [change.row for change in comparison.times]
        keys += [change.row for change in comparison.counts]
        keys = [key for key in keys if has_one_side or comparison.may_fail(key)]
        distinct = set(keys + (comparison.only_a + comparison.only_b if has_one_side else []))
        self._shown = list(range(len(self._names)))
        order = sorted(self._shown, key=lambda i: (self._names[i] not in OBVIOUS, -i))
        for i in order:
            fewer = [j for j in self._shown if j != i]
            if len({tuple(key[j] for j in fewer) for key in distinct}) == len(distinct):
                self._shown = fewer

        sections = [i for i in self._shown if self._names[i] == SECTION]
        self._names_of_functions = short_names(str(key[i]) for i in sections for key in distinct)

    def __call__(self, row: Key) -> str:
        """Return ``protobuf · decode``, without the columns that are the same everywhere."""
        if not self._shown and self._chosen_by:
            return self._chosen_by
        parts = [
            self._names_of_functions.get(row[i], str(row[i]))
            for i in self._shown
            if row[i] not in {None, ""}
        ]
        return " · ".join(parts) or " · ".join(str(v) for v in row if v not in {None, ""}) or "all"

    def named(self, row: Key) -> dict[str, object]:
        """Return every naming column with its value."""
        return dict(zip(self._names, row, strict=True))


def by_importance(comparison: Comparison) -> Callable[[Change], tuple[float, ...]]:
    """Return a key that sorts changes by what matters to decide.

    Regressions come first, then what grew, then what shrank; among these what is in use before
    other contenders, totals before stages, and what surely changed most.
    """
    used = in_use(comparison.a)
    contenders = {contender for _, contender, _ in used}

    def key(change: Change) -> tuple[float, ...]:
        named = dict(zip(comparison.names, change.row, strict=True))
        who = (named.get("lang") or "", named.get("contender"), named.get("mode") or "")
        return (
            0 if change.regression else 1 if change.verdict in GREW else 2,
            not comparison.may_fail(change.row),
            0 if who in used else 1 if who[1] in contenders else 2,
            named.get(STAGE) not in {None, "total"},
            -sure(change),
        )

    return key


def sure(change: Change) -> float:
    """Return the size of a change that its interval is sure of, as a logarithm."""
    interval95 = interval_of(change)
    if interval95 is None:
        return math.inf
    low, high = interval95
    nearest = low if low > 0 else min(high, 0.0)
    return abs(math.log1p(nearest)) if nearest > -1 else math.inf


def interval_of(change: Change) -> tuple[float, float] | None:
    """Return the 95 % interval of a change, as shares; a size's has no width."""
    if isinstance(change, TimeChange):
        return change.shift.ci95
    if isinstance(change, CountChange):
        return change.difference.change95
    return None if change.change is None else (change.change, change.change)


def changed_first(comparison: Comparison) -> list[TimeChange]:
    """Return times with a verdict, the most important first."""
    changes = [change for change in comparison.times if change.verdict in {SLOWER, FASTER}]
    return sorted(changes, key=by_importance(comparison))


def plain_name(change: PlainChange) -> str:
    """Return ``message`` of ``message_bytes``."""
    return change.what.removesuffix("_bytes").replace("_", " ")


def plain_sides(change: PlainChange) -> tuple[str, str]:
    """Return both values, of sizes with as many digits as tell them apart."""
    if not change.is_size:
        return f"{change.a:.6g}", f"{change.b:.6g}"
    a, b = units.size(round(change.a)), units.size(round(change.b))
    if a != b or change.a == change.b:
        return a, b
    return f"{change.a:,.1f} B", f"{change.b:,.1f} B"


def same_size(changes: Iterable[PlainChange]) -> list[list[PlainChange]]:
    """Return changes together that are the same one: every library's message grew from X to Y."""
    together: dict[tuple[object, ...], list[PlainChange]] = {}
    for change in changes:
        which = change.what, change.a, change.b, change.verdict
        together.setdefault(which, []).append(change)
    return list(together.values())


def not_changed(changes: list[TimeChange]) -> list[TimeChange]:
    """Return the rest, in the order of the runs."""
    return [change for change in changes if change.verdict not in {SLOWER, FASTER}]


def most_changed_rows(comparison: Comparison, most: int) -> list[Key]:
    """Return rows with a verdict first, then those that changed most, at most so many."""
    changes = changed_first(comparison)
    changes += sorted(not_changed(comparison.times), key=lambda c: -abs(c.shift.change or 0.0))
    return list(dict.fromkeys(change.row for change in changes))[:most]


def tally(comparison: Comparison) -> str:
    """Return ``2 slower, 6 faster, 82 no difference``, without rows that only explain."""
    verdicts = Counter(change.verdict for change in whole_times(comparison))
    return ", ".join(
        f"{verdicts[verdict]:,} {verdict}"
        for verdict in (SLOWER, FASTER, SAME, UNDECIDED)
        if verdicts[verdict] or verdict in {SLOWER, FASTER}
    )


def whole_times(comparison: Comparison) -> list[TimeChange]:
    """Return the percentiles, without those of messages that lack a field."""
    return [change for change in comparison.times if comparison.may_fail(change.row)]


def verdict_line(comparison: Comparison) -> str | None:
    """Return the result of ``--fail-above``; None without it."""
    limit = comparison.settings.fail_above
    if limit is None:
        return None
    regressions = comparison.regressions()
    grown = [change for change in regressions if isinstance(change, PlainChange)]
    sizes = _grown(grown, comparison.settings)
    if count := len(regressions) - len(grown):
        limits = f"{100 * limit:g} %{'' if sizes else _size_limit(comparison.settings)}"
        return ". ".join([f"{counted(count, 'regression')} above {limits}", *sizes])
    return ". ".join([*sizes, _not_seen(comparison, limit) or _seen(comparison, limit)])


def _grown(changes: list[PlainChange], settings: CompareSettings) -> list[str]:
    """Say which size grew most beyond its limit, and how many others did."""
    groups = same_size(sorted(changes, key=lambda change: -sure(change)))
    if not groups:
        return []
    first = groups[0][0]
    more = f" and {counted(len(groups) - 1, 'more size')}" if len(groups) > 1 else ""
    sides = " → ".join(plain_sides(first))
    return [
        f"Size grew, limit {100 * (settings.size_limit or 0):g} %: {plain_name(first)} {sides}, "
        f"{percent(first.change)}{more}"
    ]


def _size_limit(settings: CompareSettings) -> str:
    """Name the limit of sizes, where it is not that of times."""
    limit = settings.fail_size_above
    return "" if limit is None else f" (sizes: {100 * limit:g} %)"


def _regression(comparison: Comparison) -> str:
    """Name what there was none of: beside a size that grew, only times are left."""
    if not comparison.regressions():
        return "regression"
    return "slowdown" if looks_at_times(comparison) else "other regression"


def _seen(comparison: Comparison, limit: float) -> str:
    """Say that no time and no counter fails a gate, and what it looked at."""
    sizes = "" if comparison.regressions() else _size_limit(comparison.settings)
    said = f"There is no {_regression(comparison)} above {100 * limit:g} %{sizes}"
    looked_at = gated(comparison)
    first = looked_at[0] if looked_at else None
    if first is None or first.change95 is None:
        return said
    nearest = f"the highest of {len(looked_at):,} is " if len(looked_at) > 1 else ""
    label = f"{Labels(comparison)(first.row)} {first.what}"
    return f"{said}: {nearest}{label}, {percent(first.change)} {ends(first.change95)}"


def _not_seen(comparison: Comparison, limit: float) -> str | None:
    """Say what a gate that passes could not have seen; None where it could have seen all."""
    unnoticed = unseen(comparison)
    if not unnoticed:
        return None
    worst = unnoticed[0]
    label = f"{Labels(comparison)(worst.row)} {worst.what}"
    if worst.change95 is None:
        bound = f"{label} has no interval"
    elif worst.highest <= limit:
        bound = f"{label} moved by {100 * worst.noise:.3g} % between two runs of A"
    else:
        bound = f"{label} is known to {ends(worst.change95)} %{_noise(comparison, worst.what)}"
    others = (
        f" and {len(unnoticed) - 1:,} more reach beyond the limit" if len(unnoticed) > 1 else ""
    )
    said = (
        f"A growth is certain, but not whether it is more than {100 * limit:g} %"
        if worst.grew
        else f"No {_regression(comparison)} shown, but this comparison could not have seen "
        f"{100 * limit:g} %"
    )
    more = _more(comparison, worst.turns_needed(limit))
    return f"{said}: {bound}{others}; {more}{_steadier(comparison, unnoticed)}"


def _more(comparison: Comparison, times: float) -> str:
    """Say how much more to measure: by the option of ``bench``, else in turns."""
    processes = processes_of_side(comparison)
    if not math.isfinite(times) or times > MOST_TURNS:
        return "measure with more --processes" if processes else "take more turns"
    factor = max(2, math.ceil(times))
    if processes:
        return f"measure with --processes {factor * processes}"
    return f"take about {factor} times as many turns"


def processes_of_side(comparison: Comparison) -> int:
    """Return what ``--processes`` of ``bench`` was; 0 where it was one, or none was asked for."""
    most = max(int(getattr(run.meta, "processes", 0)) for run in (comparison.a, comparison.b))
    return most if most > 1 else 0


def _steadier(comparison: Comparison, unnoticed: list[Gated]) -> str:
    """Name a counter that both runs have and that other programs hardly disturb."""
    if any(change.what not in QUANTILES for change in unnoticed):
        return ""
    names = dict.fromkeys(change.name for change in comparison.counts)
    steady = [name for name in names if any(part in name.lower() for part in STEADY)]
    return f", or compare {steady[0]} (--of {steady[0]})" if steady else ""


def _noise(comparison: Comparison, what: str) -> str:
    share = comparison.noise.get(what)
    return f", where two runs of A differ by up to {100 * share:.3g} %" if share else ""


def headline(comparison: Comparison) -> str:
    """Return the result of the comparison, one sentence without its full stop."""
    verdict = verdict_line(comparison)
    if verdict is not None:
        return verdict
    verdicts = Counter(change.verdict for change in whole_times(comparison))
    if verdicts[SLOWER] or verdicts[FASTER]:
        slower, faster = verdicts[SLOWER], verdicts[FASTER]
        return f"{slower:,} slower and {faster:,} faster of {verdicts.total():,} times"
    if verdicts[SAME]:
        counts = sum(change.verdict not in {SAME, UNDECIDED} for change in comparison.counts)
        counts += sum(change.verdict != SAME for change in comparison.plain)
        what = "counters or sizes" if counts > 1 else "counter or size"
        also = f", but {counts:,} {what} changed" if counts else ""
        return f"There is no significant change{' of times' if also else ''}{also}"
    if any(change.shift.ci95 is not None for change in comparison.times):
        return "Nothing can be concluded: the changes are no larger than noise"
    medians = [
        min(change.n_a, change.n_b) for change in comparison.times if change.quantile == "p50"
    ]
    needed = least_samples(0.5)
    if medians and max(medians) < needed:
        return (
            f"Nothing to conclude: {max(medians)} samples of a row at most, {needed} are needed; "
            "measure both again with more steps, repetitions or processes"
        )
    return "Nothing can be concluded: no time could be compared"


def percent(share: float | None) -> str:
    """Return ``+12.3 %``; a dash where there is none."""
    if share is None:
        return units.NONE
    return f"{_signed(100 * share)} %"


def interval(change: TimeChange) -> str:
    """Return ``+12.3 % [+10.1, +14.8]``, or why there is no interval."""
    shift = change.shift
    if shift.ci95 is None:
        return f"{percent(shift.change)} ({shift.why})" if shift.why else percent(shift.change)
    return f"{percent(shift.change)} {ends(shift.ci95)}"


def ends(interval95: tuple[float, float]) -> str:
    """Return ``[+10.1, +14.8]``, shares in percent."""
    low, high = interval95
    return f"[{_signed(100 * low)}, {_signed(100 * high)}]"


def _signed(value: float) -> str:
    sign = "+" if value > 0 else "−" if value < 0 else "±"
    return sign + (units.significant(abs(value)) if value else "0")


def verdict_of(change: Change) -> str:
    """Return a row's verdict; what fails a gate is a regression."""
    return "REGRESSION" if change.regression else change.verdict


def too_few(few: TooFew) -> str:
    """Return ``600 count as 149, 368 needed: 15 runs, not 6``."""
    text = f"{few.executions:,}"
    if few.worth < few.executions:
        text += f" count as {few.worth:,}"
    return f"{text}, {few.needed:,} needed: {longer(few)}"


def longer(few: TooFew) -> str:
    """Return how much has to be measured for a percentile: ``15 runs, not 6``."""
    times = few.needed / few.worth
    if few.processes > 1:
        return f"{math.ceil(times * few.processes):,} runs, not {few.processes:,}"
    return f"{times:.1f} times as long a run"
