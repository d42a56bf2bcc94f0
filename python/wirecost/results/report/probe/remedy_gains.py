# SPDX-License-Identifier: Apache-2.0
"""Gains of remedies: the answer on a terminal, tables, a page and a JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import msgspec

from wirecost.results.analysis.compare.comparison import (
    FALSE_DISCOVERIES,
    FASTER,
    FEWER,
    MORE,
    SAME,
    SLOWER,
)
from wirecost.results.analysis.compare.quantiles import Shift
from wirecost.results.analysis.gains import (
    LEAST_EXECUTIONS,
    MEDIAN,
    MISSES,
    NOT_KNOWN,
    P99,
    WHOLE,
    Effects,
    Gain,
    effects_of,
    gains_of,
    rounds_needed,
)
from wirecost.results.records.recorded_machine import Started
from wirecost.results.records.remedy_trial import Trial, TrialAbout
from wirecost.results.report.compare.rows import ends, percent
from wirecost.results.report.probe.trial_figure import gain_figure
from wirecost.results.report.shared import markdown, units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.page import page
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shell_line
from wirecost.system.function_names import own_functions
from wirecost.system.whole_file import write_text

LONG_TAIL = 2.0
"""Times its median, from which on a section's p99 comes first: it is slow sometimes."""
MOST_STEPS = 3
SMALL, LEAST_SHARE = 0.1, 5e-5
"""Shares that are written with two decimals."""
FORMATS = ("html", "md")
NAMES = {MEDIAN: "median", P99: "p99", MISSES: "misses"}
RULE = (
    f"A difference: an interval without 0, and p ≤ {100 * FALSE_DISCOVERIES:.0f} % "
    "corrected for all remedies"
)
DISTURBED = 0.05
"""Share of a process's time without a processor, from which on others disturbed it."""
LESS = 0.5
"""Times as much waiting as it is, up to which a remedy made it wait less."""
OF_MISSES = {FASTER: FEWER, SLOWER: MORE}
VERDICTS = (FASTER, SAME, NOT_KNOWN, SLOWER)


@dataclass(frozen=True)
class Judged:
    """A percentile of a gain."""

    gain: Gain
    quantile: float

    @property
    def shift(self) -> Shift:
        return self.gain.shift(self.quantile)

    @property
    def verdict(self) -> str:
        return self.gain.verdict_of(self.quantile)

    @property
    def name(self) -> str:
        return NAMES[self.quantile]

    @property
    def said(self) -> str:
        """Verdict in words that fit what is judged."""
        return (
            OF_MISSES.get(self.verdict, self.verdict) if self.quantile == MISSES else self.verdict
        )


def cases_of(gains: list[Gain]) -> list[list[Gain]]:
    """Return the gains of each case: the case that took most time first, whole programs last."""
    by_case: dict[str, list[Gain]] = {}
    for gain in gains:
        by_case.setdefault(gain.case, []).append(gain)
    return sorted(
        by_case.values(), key=lambda of_case: (of_case[0].case == WHOLE, -of_case[0].total_ns)
    )


def trial_answer(trial: Trial) -> Answer:
    """Return which remedy helps, then all gains."""
    gains = trial_gains(trial)
    figure = gain_figure(gains)
    first = first_answer(trial, gains) if gains else Answer("Nothing was compared.")
    return replace(
        first,
        doubts=doubts(trial, gains),
        more=(
            f"To print all sections and remedies: wirecost report {shell_line(trial.folder)} "
            "--tables"
        ),
        sections=[Section(trial_tables(trial, gains))],
        heading=f"Remedies tried: {shell_line(*trial.about.command) or trial.about.recording}",
        figures=lambda _: [figure] if figure else [],
        kept_free=1,
        document=document(trial, gains),
    )


def first_answer(trial: Trial, gains: list[Gain]) -> Answer:
    """Say which remedy helps the case that took most time. ``gains``: not empty."""
    of_case = cases_of(gains)[0]
    rows = _judged(trial, of_case)
    changing = [row for row in rows if row.verdict != SAME]
    listed = changing or rows
    notes = [RULE, *_explained(trial, rows)]
    if less := len(rows) - len(listed):
        notes.insert(1, f"Without {counted(less, 'row')} of no difference")
    return Answer(
        _answer(rows),
        _table(_title(trial, of_case[0]), listed, notes, has_case=False),
        _steps(trial, rows),
    )


def _explained(trial: Trial, rows: list[Judged]) -> list[str]:
    """Return a note of what those remedies are that change something."""
    about = trial.about.remedies_about
    changing = dict.fromkeys(row.gain.remedy for row in rows if row.verdict in (FASTER, SLOWER))
    texts = [f"{name}: {about[name]}" for name in changing if about.get(name)]
    return ["; ".join(texts)] if texts else []


def _title(trial: Trial, gain: Gain) -> str:
    return f"{gain.case}: {gain.count:,} executions of each, {counted(trial.rounds, 'round')}"


def doubts(trial: Trial, gains: list[Gain]) -> list[tuple[str, str]]:
    """Return lines below the answer, and their styles: what is not known, or not the same."""
    lines = []
    if gains:
        rows = _judged(trial, cases_of(gains)[0])
        lines += [(line, "bold yellow") for line in _rounds_lacking(trial, rows)]
        lines += [(line, "bold yellow") for line in _disturbed(trial)]
        lines += [(line, "dim") for line in _of_limit(trial, rows)]
    other = [effect.remedy for effect in effects(trial) if effect.outputs == "different"]
    if other:
        lines.append(
            (f"The program printed something else with: {', '.join(other)}.", "bold yellow")
        )
    absent = trial.about.refused | trial.about.not_compared
    lines += [(f"{name} was not compared: {reason}.", "dim") for name, reason in absent.items()]
    return lines


def trial_tables(trial: Trial, gains: list[Gain]) -> list[Table]:
    """Return a table of all gains, and one of whole processes."""
    rows = [judged for of_case in cases_of(gains) for judged in _judged(trial, of_case)]
    notes = [RULE, "Turns of one process each, in an order that changes from round to round"]
    if not all(gain.has(P99) for gain in gains):
        notes.append(f"p99 is left out: fewer than {LEAST_EXECUTIONS[P99]} executions")
    tables = [_table("What remedies gained", rows, notes)] if rows else []
    return [*tables, effect_table(effects(trial), trial.about.remedies_about)]


def trial_gains(trial: Trial) -> list[Gain]:
    return gains_of(trial.samples, trial.about.plain, trial.about.deadline_ns)


def effects(trial: Trial) -> list[Effects]:
    return effects_of(trial.processes, trial.about.plain)


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


def write_trial(trial: Trial, formats: list[str]) -> list[Path]:
    """Write the trial's report into its folder, in each format. Raises UserError."""
    for form in formats:
        if form not in FORMATS:
            raise UserError(
                f"--format {form}: of a trial of remedies there are {', '.join(FORMATS)}"
            )
    answer = trial_answer(trial)
    texts = {"html": page, "md": markdown.answer}
    paths = {form: trial.folder / f"report.{form}" for form in formats}
    try:
        for form, path in paths.items():
            write_text(path, texts[form](answer))
    except OSError as error:
        raise failed_write(trial.folder, error, "make the folder writable") from error
    return list(paths.values())


def document(trial: Trial, gains: list[Gain]) -> dict[str, object]:
    """Return what ``--json`` writes. Times in nanoseconds; ``change`` is b / a - 1."""
    return {
        "gains": [
            asdict(gain)
            | {"verdict_misses": OF_MISSES.get(gain.verdict_misses, gain.verdict_misses)}
            for gain in gains
        ],
        "remedies": [asdict(effect) for effect in effects(trial)],
    } | trial.about.document()


def _waiting_less(trial: Trial) -> list[str]:
    """Return the remedies that waited much less for a processor, where others disturbed it."""
    waited = trial.about.waited
    as_it_is = waited.get(trial.about.plain, 0.0)
    if as_it_is < DISTURBED:
        return []
    return [name for name, share in waited.items() if share <= LESS * as_it_is]


def _disturbed(trial: Trial) -> Iterator[str]:
    """Yield a line where other processes took the processor, since times depend on that."""
    waited = trial.about.waited
    if not waited or max(waited.values()) < DISTURBED:
        return
    plain, less = trial.about.plain, _waiting_less(trial)
    others = less or [max(waited, key=lambda name: waited[name])]
    shares = [f"{units.percent(waited.get(plain, 0.0))} of its time {plain}"]
    shares += [f"{units.percent(waited[name])} with {name}" for name in others if name != plain]
    end = "; repeat it while it is idle."
    if less:
        end = f"; on an idle machine {' and '.join(less)} would gain less."
    yield f"Other processes disturbed this run: it waited for a CPU {', '.join(shares)}{end}"


def _of_limit(trial: Trial, rows: list[Judged]) -> Iterator[str]:
    """Yield which remedies leave first calls alone, and how to judge by a limit."""
    first = [row.gain.remedy for row in rows if row.quantile == MISSES and row.gain.only_first]
    if first:
        yield f"With {', '.join(first)} only the first call of a process misses it."
    if trial.about.command and trial.about.deadline_ns is None and rows[0].gain.case != WHOLE:
        yield "--deadline TIME counts the calls that take too long, and ranks by them."


def _judged(trial: Trial, of_case: list[Gain]) -> list[Judged]:
    """Return each percentile of a case's gains: that which is the problem first, then the best.

    Those that gained by waiting less for others come behind: they need a busy machine for that.
    """
    order = _order(of_case)
    patient = _waiting_less(trial)
    rows = [Judged(gain, quantile) for quantile in order for gain in of_case]
    return sorted(
        (row for row in rows if row.gain.has(row.quantile)),
        key=lambda row: (
            order.index(row.quantile),
            VERDICTS.index(row.verdict),
            row.gain.remedy in patient,
            row.shift.change or 0.0,
        ),
    )


def _order(of_case: list[Gain]) -> list[float]:
    order = [P99, MEDIAN] if _has_long_tail(of_case) else [MEDIAN, P99]
    return [MISSES, *order]


def _has_long_tail(of_case: list[Gain]) -> bool:
    return any(gain.has(P99) and gain.p99.a >= LONG_TAIL * gain.median.a for gain in of_case)


def _table(
    title: str, rows: list[Judged], notes: list[str] | None = None, *, has_case: bool = True
) -> Table:
    columns: list[Column[Judged]] = [
        Column("case", lambda row: row.gain.case, shown=has_case),
        Column("remedy", lambda row: row.gain.remedy),
        Column("judged", lambda row: row.name),
        Column("without", lambda row: _value(row, row.shift.a)),
        Column("with it", lambda row: _value(row, row.shift.b)),
        Column("change [95 %]", lambda row: _change(row.shift)),
        Column("verdict", lambda row: row.said),
    ]
    return Table.of(title, rows, columns, notes or [])


def _value(row: Judged, value: float) -> str:
    return _share(value) if row.quantile == MISSES else units.time(value)


def _share(share: float) -> str:
    """Return ``1.04 %``, of small shares two decimals, so that their quotient is the change."""
    if share == 0 or share >= SMALL:
        return units.percent(share)
    return f"{100 * share:.2f} %" if share >= LEAST_SHARE else "< 0.01 %"


def _answer(rows: list[Judged]) -> str:
    """Return what a case takes, and for each percentile which remedy is best."""
    gain = rows[0].gain
    text = f"{gain.case}: median {units.time(gain.median.a)}."
    quantiles = list(dict.fromkeys(row.quantile for row in rows))
    if gain.misses is not None:
        text = (
            f"{gain.case}: {_share(gain.misses.a)} of the calls miss the deadline, median "
            f"{units.time(gain.median.a)}."
        )
    elif quantiles[0] == P99:
        text = (
            f"{gain.case} is slow sometimes: p99 {units.time(gain.p99.a)}, "
            f"median {units.time(gain.median.a)}."
        )
    return " ".join([text, *_results(rows)])


def _results(rows: list[Judged]) -> Iterator[str]:
    """Yield ``p99: malloc 8.7× faster (−88.5 % [−88.8, −86.6]), heap as well.``."""
    for quantile in dict.fromkeys(row.quantile for row in rows):
        of_quantile = [row for row in rows if row.quantile == quantile]
        best, *others = of_quantile
        name = best.name if quantile == P99 else best.name.capitalize()
        if best.verdict == FASTER and best.shift.a > 0:
            also = [row.gain.remedy for row in others if row.verdict == FASTER]
            text = f"{best.gain.remedy} {_gained(best)}"
            yield f"{name}: {text}{', also ' + ' and '.join(also) if also else ''}."
            continue
        by_verdict: dict[str, list[str]] = {}
        for row in of_quantile:
            by_verdict.setdefault(row.said, []).append(row.gain.remedy)
        if len(by_verdict) == 1:
            yield f"{name}: {best.said}{' with any' if others else ''}."
        else:
            verdicts = [f"{verdict} with {', '.join(of)}" for verdict, of in by_verdict.items()]
            yield f"{name}: {'; '.join(verdicts)}."


def _gained(row: Judged) -> str:
    """Return ``8.7× faster (−88.5 % [−88.8, −86.6])``; of misses the change alone."""
    if row.quantile == MISSES:
        return _change(row.shift)
    return f"{units.speed(row.shift.b / row.shift.a)} ({_change(row.shift)})"


def _steps(trial: Trial, rows: list[Judged]) -> list[str]:
    """Return what to do: each remedy that helps, else how to find the cause.

    Where some make slow calls fewer, those that do not are no steps.
    """
    about = trial.about
    helping = [row for row in rows if row.verdict == FASTER]
    fewer = [row for row in helping if row.quantile == MISSES]
    steps: dict[str, str] = {}
    for row in fewer or helping:
        name = row.gain.remedy
        price = f" ({about.prices[name]})" if name in about.prices else ""
        how = f"\n{about.commands[name]}" if name in about.commands else ""
        how = how or f" {about.remedies_about.get(name, '')}"
        gained = f"{row.name} {percent(row.shift.change)}"
        steps.setdefault(name, f"{name}, {gained}{price}:{how}".removesuffix(": "))
    if steps or not trial.about.command:
        return list(steps.values())[:MOST_STEPS]
    return [_find_cause(trial.about, rows[0].gain.case)]


def _find_cause(about: TrialAbout, case: str) -> str:
    """Say how to learn more: of a program that was judged as a whole, by its functions."""
    started = Started(
        words=tuple(about.command),
        functions=tuple(about.functions),
        options=tuple(about.options),
    )
    if case != WHOLE:
        return f"To find the cause:\n{started.run()}"
    pattern = own_functions(about.command)
    inside = "NAME" if pattern in about.functions else pattern
    functions = (*about.functions, inside)
    judged = msgspec.structs.replace(started, functions=functions)
    return f"To compare its functions instead of the whole program:\n{judged.trial()}"


def _rounds_lacking(trial: Trial, rows: list[Judged]) -> Iterator[str]:
    """Yield ``p99 needs 9 rounds: --rounds 9.`` for each percentile without a verdict."""
    option = "--rounds" if trial.about.command else "--repeat"
    for quantile in dict.fromkeys(row.quantile for row in rows):
        needed = {
            row.gain.remedy: count
            for row in rows
            if row.quantile == quantile
            and (count := rounds_needed(row.gain, quantile, trial.rounds)) is not None
        }
        if needed:
            most = max(needed.values())
            name = next(row.name for row in rows if row.quantile == quantile)
            yield (f"{name} of {', '.join(needed)} needs {most} rounds: {option} {most}.")


def _change(shift: Shift) -> str:
    if shift.ci95 is None:
        return percent(shift.change)
    return f"{percent(shift.change)} {ends(shift.ci95)}"
