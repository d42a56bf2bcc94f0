# SPDX-License-Identifier: Apache-2.0
"""Two runs row by row: what became slower, faster, larger or smaller beyond chance."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
import polars as pl

from wirecost.results.analysis.compare.choices import MARGIN
from wirecost.results.analysis.compare.context import (
    Difference,
    differences,
    failures,
    other_contents,
)
from wirecost.results.analysis.compare.counters import MeanDifference, mean_difference
from wirecost.results.analysis.compare.drift import drift
from wirecost.results.analysis.compare.message_types import aligned, are_other_messages
from wirecost.results.analysis.compare.noise import Noise, noise, size
from wirecost.results.analysis.compare.outputs import TopicOutputs, compare_outputs
from wirecost.results.analysis.compare.plain import PlainChange, plain_changes
from wirecost.results.analysis.compare.quantiles import (
    NOTHING,
    Shift,
    least_samples,
    shift,
)
from wirecost.results.analysis.compare.runs import (
    TIME,
    Array,
    ComparedRun,
    Key,
    common_names,
    finite,
    is_explanatory,
    processes_of,
    rows_of,
    with_words,
    without_stage,
)
from wirecost.results.analysis.significance import adjusted
from wirecost.results.records.probe_log import COUNTER
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

QUANTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999}
FALSE_DISCOVERIES = 0.05
DRIFT_ROWS, DRIFT_SHARE = 8, 0.8
"""Number of rows, and share of them in one direction, that make a change of the machine likely."""
UNKNOWN_NOISE = "noise is not known, as the messages differ: measure A again, for --again"

SLOWER, FASTER, SAME = "slower", "faster", "no difference"
UNDECIDED = "cannot tell"
NOISY = "noise alone moves as much"
BY_CHANCE = "by chance, among so many percentiles"
MORE, FEWER = "more", "fewer"


@dataclass(frozen=True)
class CompareSettings:
    """Settings of a comparison, as shares, not percent.

    ``fail_above`` None: nothing fails; ``fail_size_above``: limit of sizes, if another. ``of``:
    percentiles and counters that may fail, beside sizes; without any, all percentiles. ``only``:
    words of the rows that are compared; without any, all, of which those that explain a message's
    cost fail nothing.
    """

    margin: float = MARGIN
    fail_above: float | None = None
    fail_size_above: float | None = None
    of: tuple[str, ...] = ()
    only: tuple[str, ...] = ()

    @property
    def size_limit(self) -> float | None:
        """Share by which a size on the wire may grow."""
        return self.fail_above if self.fail_size_above is None else self.fail_size_above

    def fails(self, what: str, low: float) -> bool:
        """Say whether an increase by ``low`` at least is a regression."""
        gated = what in (self.of or QUANTILES)
        return gated and self.fail_above is not None and low > self.fail_above


@dataclass(frozen=True)
class TimeChange:
    """A percentile of a row; ``q``: its probability after the correction for many rows."""

    row: Key
    quantile: str
    n_a: int
    n_b: int
    shift: Shift
    q: float | None = None
    verdict: str = UNDECIDED
    regression: bool = False


@dataclass(frozen=True)
class CountChange:
    """The mean of a counter over a row's samples."""

    row: Key
    counter: str
    n_a: int
    n_b: int
    difference: MeanDifference
    q: float | None = None
    verdict: str = UNDECIDED
    regression: bool = False

    @property
    def name(self) -> str:
        """Name that the program that counted gives it."""
        return self.counter.removeprefix(COUNTER)


C = TypeVar("C", TimeChange, CountChange, PlainChange)


@dataclass(frozen=True)
class Comparison:
    """All that ``wirecost compare`` reports. ``names``: of the values of a row's key."""

    a: ComparedRun
    b: ComparedRun
    settings: CompareSettings
    names: list[str]
    samples: dict[Key, tuple[pl.DataFrame, pl.DataFrame]]
    """Samples of each row that both runs have, in the order of run A."""
    times: list[TimeChange]
    counts: list[CountChange]
    plain: list[PlainChange]
    only_a: list[Key]
    only_b: list[Key]
    differences: list[Difference]
    other_contents: list[str]
    outputs: list[TopicOutputs] | None
    noise: dict[str, float]
    """Margins of the comparison by percentile and counter, if they are larger, where A was measured
    again; of rows that have one each, the largest."""
    drift: dict[str, float]
    """Margins likewise by percentile, where A was not measured again and there are contenders
    enough: what rows of others moved by at most."""
    notes: list[str]
    row_noise: Noise = field(default_factory=dict)
    """Share by which two runs of A differ, by row and percentile or counter."""

    def series(self, row: Key) -> tuple[Array, Array]:
        """Return a row's times in both runs, in nanoseconds, in the order of measuring."""
        ours, after = self.samples[row]
        return finite(ours, TIME), finite(after, TIME)

    def may_fail(self, row: Key) -> bool:
        """Say whether a gate looks at a row."""
        return bool(self.settings.only) or not is_explanatory(row, self.names)

    def regressions(self) -> list[TimeChange | CountChange | PlainChange]:
        changes: list[TimeChange | CountChange | PlainChange]
        changes = [*self.times, *self.counts, *self.plain]
        return [change for change in changes if change.regression]


def compare(
    a: ComparedRun, b: ComparedRun, settings: CompareSettings, again: ComparedRun | None = None
) -> Comparison:
    """Compare two runs row by row. ``again``: A once more, whose difference from A is noise.

    Raises UserError on runs that have nothing in common.
    """
    if a.scenario != b.scenario:
        raise UserError(
            f"{a.path} holds {a.scenario}, {b.path} {b.scenario}: only runs of one scenario can be "
            "compared"
        )
    other_message = are_other_messages(a, b)
    if other_message:
        again = None if again is None else aligned(again, b)[0]
        a, b = aligned(a, b)
    names = common_names(a, b)
    ours, of_b = rows_of(a, names), rows_of(b, names)
    both = {key: (ours[key], of_b[key]) for key in ours if key in of_b}
    if not both:
        raise UserError(f"{a.path} and {b.path}: no row is in both; measure the same cases twice")
    rows = list(dict.fromkeys([*ours, *of_b]))
    chosen = with_words(rows, names, settings.only) if settings.only else set(rows)
    times = [change for key, sides in both.items() for change in _times(key, *sides)]
    counters = [name for name in a.counters() if name in b.counters()]
    counts = [
        change
        for key, sides in both.items()
        if key in chosen
        for name in counters
        for change in _count(key, name, *sides)
    ]
    plain = plain_changes(a, b, names, settings.margin, settings.size_limit)
    if settings.only:
        contenders = {without_stage(key, names) for key in chosen}
        plain = [change for change in plain if without_stage(change.row, names) in contenders]
    _check_gate(settings, counts, (a, b))
    apart = noise(a, again, names, _quantiles, counters) if again is not None else {}
    # Another message changes the rows of all contenders.
    has_drift = again is None and not other_message
    moved = drift(_ratios(times, names)) if has_drift else {}

    def least(change: TimeChange) -> float:
        own = moved.get((_contender(change.row, names), change.quantile), 0.0)
        return max(own, apart.get((change.row, change.quantile), 0.0))

    times = [change for change in times if change.row in chosen]
    judged_times = judged(times, settings, least)
    if other_message:
        caused_by_machine = [] if again is not None else [UNKNOWN_NOISE]
    else:
        caused_by_machine = _moved(judged(times, settings), judged_times, moved) or _drift(
            judged_times, settings
        )
    comparison = Comparison(
        a=a,
        b=b,
        settings=settings,
        names=names,
        samples={key: sides for key, sides in both.items() if key in chosen},
        times=judged_times,
        counts=_judged_counts(counts, settings, apart),
        plain=plain,
        only_a=[key for key in ours if key not in of_b and key in chosen],
        only_b=[key for key in of_b if key not in ours and key in chosen],
        differences=differences(a, b),
        other_contents=other_contents(a, b),
        outputs=compare_outputs(a.path, b.path),
        noise=_largest(apart, [*QUANTILES, *counters]),
        drift=_largest(moved, QUANTILES),
        notes=[*a.notes, *b.notes, *_dropped_values(a), *_dropped_values(b), *caused_by_machine,
               *_failed(a, b)],
        row_noise=apart,
    )  # fmt: skip
    return replace(
        comparison,
        times=_spared(comparison, comparison.times),
        counts=_spared(comparison, comparison.counts),
        plain=_spared(comparison, comparison.plain),
    )


def _spared(comparison: Comparison, changes: list[C]) -> list[C]:
    """Return the same without regressions of rows that fail nothing."""
    return [
        change if comparison.may_fail(change.row) else replace(change, regression=False)
        for change in changes
    ]


def _largest(shares: Mapping[tuple[Any, str], float], order: Iterable[str]) -> dict[str, float]:
    """Return the largest share of each percentile or counter, by its name without prefix."""
    largest: dict[str, float] = {}
    for (_, what), share in shares.items():
        largest[what] = max(share, largest.get(what, share))
    return {what.removeprefix(COUNTER): largest[what] for what in order if what in largest}


def judged(
    changes: list[TimeChange],
    settings: CompareSettings,
    least: Callable[[TimeChange], float] = lambda _: 0.0,
) -> list[TimeChange]:
    """Return the same with verdicts.

    A verdict needs an interval without 0, a change beyond the margin and ``least``, and a
    probability that stays small when all rows are considered together. A change that lacks only
    the last two is not known: no difference is never said of an interval beyond the margin.
    """
    tested = [change.shift.p for change in changes if change.shift.p is not None]
    corrected = iter(adjusted(tested))
    out = []
    for change in changes:
        moved, q = change.shift, None if change.shift.p is None else next(corrected)
        if moved.ci95 is None or q is None or moved.change is None:
            out.append(replace(change, verdict=SAME if moved.why == NOTHING else UNDECIDED))
            continue
        low, high = moved.ci95
        is_noise, is_chance = size(moved.change) <= least(change), q > FALSE_DISCOVERIES
        if is_beyond(moved.ci95, settings.margin) and (is_noise or is_chance):
            why = NOISY if is_noise else BY_CHANCE
            out.append(replace(change, q=q, shift=replace(moved, why=why)))
            continue
        certain = not is_noise and not is_chance and abs(moved.change) > settings.margin
        slower, faster = certain and low > 0, certain and high < 0
        fails = slower and settings.fails(change.quantile, low)
        verdict = SLOWER if slower else FASTER if faster else SAME
        out.append(replace(change, q=q, verdict=verdict, regression=fails))
    return out


def is_beyond(interval: tuple[float, float], margin: float) -> bool:
    """Return whether all of a change's interval is larger than the margin, up or down."""
    low, high = interval
    return low > margin or high < -margin


def _check_gate(
    settings: CompareSettings, counts: list[CountChange], runs: tuple[ComparedRun, ComparedRun]
) -> None:
    """Check that the gate looks at something: else it would always pass. Raises UserError."""
    there = [*QUANTILES, *dict.fromkeys(count.name for count in counts)]
    for what in settings.of:
        if what not in there:
            raise UserError(
                f"--of {what}: {runs[0].path} and {runs[1].path} do not both have it; there are "
                f"{', '.join(there)}"
            )


def _times(key: Key, ours: pl.DataFrame, theirs: pl.DataFrame) -> list[TimeChange]:
    a, b = finite(ours, TIME), finite(theirs, TIME)
    taken_by = processes_of(ours, TIME), processes_of(theirs, TIME)
    return [
        TimeChange(key, name, len(a), len(b), shift(a, b, q, taken_by))
        for name, q in _quantiles(min(len(a), len(b))).items()
    ]


def _quantiles(n: int) -> dict[str, float]:
    """Return the percentiles that so many samples allow; their median in any case."""
    if n == 0:
        return {}
    return {name: q for name, q in QUANTILES.items() if name == "p50" or n >= least_samples(q)}


def _count(key: Key, counter: str, ours: pl.DataFrame, theirs: pl.DataFrame) -> list[CountChange]:
    a, b = finite(ours, counter), finite(theirs, counter)
    if not len(a) or not len(b):
        return []
    taken_by = processes_of(ours, counter), processes_of(theirs, counter)
    difference = mean_difference(a, b, taken_by)
    return [CountChange(key, counter, len(a), len(b), difference)]


def _judged_counts(
    changes: list[CountChange], settings: CompareSettings, least: Noise
) -> list[CountChange]:
    corrected = iter(adjusted([c.difference.p for c in changes if c.difference.p is not None]))
    out = []
    for change in changes:
        difference = change.difference
        if difference.ci95 is None:
            out.append(replace(change, verdict=SAME if difference.a == difference.b else UNDECIDED))
            continue
        q = next(corrected)
        low, high = difference.change95 or difference.ci95
        noise_share = least.get((change.row, change.counter), 0.0)
        is_noise = difference.change is not None and size(difference.change) <= noise_share
        is_chance = q > FALSE_DISCOVERIES
        is_large = abs(difference.b - difference.a) > settings.margin * abs(difference.a)
        certain = is_large and not is_noise and not is_chance
        verdict = MORE if certain and low > 0 else FEWER if certain and high < 0 else SAME
        if verdict == SAME and difference.change95 is not None:
            verdict = UNDECIDED if is_beyond((low, high), settings.margin) else SAME
        by = difference.change95[0] if difference.change95 is not None else float("inf")
        fails = verdict == MORE and settings.fails(change.name, by)
        out.append(replace(change, q=q, verdict=verdict, regression=fails))
    return out


def _dropped_values(run: ComparedRun) -> list[str]:
    missing = len(run.samples) - len(finite(run.samples, TIME))
    return [f"{run.path}: {counted(missing, 'sample')} without a time left out"] if missing else []


def _drift(times: list[TimeChange], settings: CompareSettings) -> list[str]:
    """Say whether nearly all rows moved in the same direction."""
    ratios = np.array(
        [c.shift.b / c.shift.a for c in times if c.quantile == "p50" and c.shift.a > 0], np.float64
    )
    if len(ratios) < DRIFT_ROWS:
        return []
    middle = float(np.median(ratios)) - 1
    one_way = float(np.mean(np.sign(ratios - 1) == np.sign(middle)))
    if abs(middle) <= settings.margin / 2 or one_way < DRIFT_SHARE:
        return []
    return [
        f"{100 * one_way:.0f} % of the medians moved one way, by {100 * middle:+.1f} %: likely "
        "caused by the machine, not the code; measure again, in turns"
    ]


def _contender(row: Key, names: list[str]) -> str:
    return str(dict(zip(names, row, strict=True)).get("contender", ""))


def _ratios(times: list[TimeChange], names: list[str]) -> list[tuple[str, str, float]]:
    return [
        (_contender(change.row, names), change.quantile, 1 + change.shift.change)
        for change in times
        if change.shift.change is not None
    ]


def _moved(
    before: list[TimeChange], after: list[TimeChange], moved: dict[tuple[str, str], float]
) -> list[str]:
    """Say what would have been changes if the other contenders had not moved as far."""
    changed = sum(change.verdict in (SLOWER, FASTER) for change in before)
    remaining = sum(change.verdict in (SLOWER, FASTER) for change in after)
    if not moved or remaining == changed:
        return []
    most = 100 * max(moved.values())
    return [
        f"{changed - remaining} of {changed} changes are no larger than those of the other "
        f"contenders (up to {most:.0f} %), so likely the machine's: measure A twice, --again"
    ]


def _failed(a: ComparedRun, b: ComparedRun) -> list[str]:
    ours, of_b = failures(a), failures(b)
    return [f"not measured in A: {text}" for text in ours if text not in of_b] + [
        f"not measured in B: {text}" for text in of_b if text not in ours
    ]
