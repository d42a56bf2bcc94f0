# SPDX-License-Identifier: Apache-2.0
"""First answer about two runs: did anything grow, what is in use, what changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    SAME,
    SLOWER,
    UNDECIDED,
    Comparison,
    CountChange,
    TimeChange,
)
from wirecost.results.analysis.compare.gate import MEDIAN, looks_at_times
from wirecost.results.analysis.compare.plain import PlainChange
from wirecost.results.analysis.compare.processes import LEAST_PROCESSES
from wirecost.results.analysis.compare.runs import PROCESS, STAGE, in_use
from wirecost.results.records.schemas.message import MessageMeta
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.document import document
from wirecost.results.report.compare.rows import (
    Change,
    Labels,
    by_importance,
    ends,
    headline,
    interval_of,
    longer,
    percent,
    plain_name,
    same_size,
    tally,
    verdict_line,
    verdict_of,
    whole_times,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.races import LANGUAGES
from wirecost.results.report.shared.table import Column, Table, present
from wirecost.system.counted import counted

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

MOST_ROWS = 12
MOST_UNCHANGED = 2000
"""Rows of the fold; a page with more is slow to open, and ``--json`` has all."""
UNCHANGED = frozenset({SAME, UNDECIDED})
MOST_DOUBTS = 3
"""Warnings that are printed; the others are in all tables."""
LONGEST = 155
"""Characters of a line below the table: two lines of a terminal."""

Line = tuple[list[Change], str]
"""Changes that are one line of the table, and its name."""


def comparison_answer(comparison: Comparison) -> Answer:
    """Return the verdict, what became of the contender in use, what changed most; then all."""
    a, b = comparison.a, comparison.b
    first = _first(comparison)
    return replace(
        first,
        doubts=doubts(comparison),
        more="--all prints everything; --report FILE.html adds figures",
        sections=_sections(comparison),
        heading=f"Comparison of two runs · {a.scenario}",
        about=[
            f"{name}: {run.path}{f' · {run.meta.created}' if run.meta.created else ''}"
            for name, run in (("A", a), ("B", b))
        ],
        figures=lambda _: _figures(comparison),
        document=document(comparison),
    )


def store_answer(compared: Mapping[tuple[str, str], Comparison]) -> Answer:
    """Return the answers of several comparisons, which are called by scenario and machine."""
    answers = {" on ".join(key): comparison_answer(each) for key, each in compared.items()}
    first = next(iter(answers.values()))
    verdicts = [[name, answer.sentence] for name, answer in answers.items()]
    sections = []
    for name, answer in answers.items():
        lines = [answer.sentence, *(text for text, _ in answer.doubts)]
        sections.append(Section([answer.table], name, lines))
        sections += [section for section in answer.sections if not section.is_folded]
    several = Table("Comparisons", ["scenario and machine", "verdict"], verdicts, [],
                    texts=("verdict",))  # fmt: skip
    return replace(
        first,
        sentence=first.sentence if len(answers) == 1 else f"{len(answers)} machines compared.",
        table=first.table if len(answers) == 1 else several,
        sections=sections,
        heading="Two revisions, machine by machine",
        document={
            "comparisons": [
                {"scenario": scenario, "machine": machine, **document(each)}
                for (scenario, machine), each in compared.items()
            ]
        },
    )


def _figures(comparison: Comparison) -> list[Figure]:
    from wirecost.results.report.compare.figures import comparison_figures  # noqa: PLC0415 - a second to import

    return [
        replace(figure, group="More figures") if number else figure
        for number, figure in enumerate(comparison_figures(comparison))
    ]


def _sections(comparison: Comparison) -> list[Section]:
    """Return all tables; what did not change is folded away unless it was asked for."""
    every = lists_every_row(comparison)
    environment = tables.environment(comparison)
    unchanged = _at_most(tables.unchanged(comparison))
    counts, outputs = tables.counts(comparison, every=every), tables.outputs(comparison)
    warned = tables.warnings(comparison)
    every_count = None if every else tables.counts(comparison, every=True)
    undecided = tables.undecided(comparison) if looks_at_times(comparison) else None
    sections = [
        Section(present(environment), lines=warned if len(warned) > MOST_DOUBTS else []),
        Section(
            [tables.changed(comparison), *present(counts, outputs)],
            "Results",
            [tables.method(comparison)],
        ),
    ]
    if unchanged.rows:
        title = f"Not changed: {len(unchanged.rows):,}"
        sections.append(Section([unchanged], title, is_folded=True, is_apart=not every))
    if undecided is not None and not every:
        sections.append(Section([_at_most(undecided)], "Cannot tell", is_folded=True))
    if every_count is not None and every_count.rows:
        title = f"Counters and sizes: {len(every_count.rows):,}"
        sections.append(Section([every_count], title, is_folded=True, is_apart=True))
    return sections + [
        Section(title=f"Only in {side}: {len(rows):,}", lines=rows, is_folded=True)
        for side, rows in tables.one_sided(comparison)
    ]


def _at_most(table: Table) -> Table:
    if len(table.rows) <= MOST_UNCHANGED:
        return table
    notes = [*table.notes, f"{len(table.rows) - MOST_UNCHANGED:,} more are in --json."]
    return replace(table, rows=table.rows[:MOST_UNCHANGED], notes=notes)


def _first(comparison: Comparison) -> Answer:
    answer = f"{result(comparison)}."
    if used := _in_use(comparison):
        answer += f" {used}."
    every = lists_every_row(comparison)
    lines = list(_lines(comparison, every))
    columns: list[Column[Line]] = [
        Column("compared" if every else "changed", lambda line: line[1]),
        Column("A", lambda line: _sides(line[0][0])[0], optional=1),
        Column("B", lambda line: _sides(line[0][0])[1], optional=2),
        Column("change [95 %]", lambda line: _change(line[0][0])),
        Column("verdict", lambda line: verdict_of(line[0][0])),
    ]
    listed = lines[:MOST_ROWS]
    more = len(lines) - len(listed)
    notes = [f"{counted(more, 'more row')}."] if more else []
    title = "Compared" if every else "Changed"
    table = Table.of(title, listed, columns, notes, cut="middle")
    return Answer(answer, table, _steps(comparison))


def lists_every_row(comparison: Comparison) -> bool:
    """Say whether rows without a change are listed, too: where few were chosen."""
    if not comparison.settings.only:
        return False
    return len(list(islice(_lines(comparison, every=True), MOST_ROWS + 1))) <= MOST_ROWS


def result(comparison: Comparison) -> str:
    """Return the verdict and how many times changed, without a full stop."""
    whole = whole_times(comparison)
    what = "median" if all(change.quantile == MEDIAN for change in whole) else "percentile"
    times = f"{tally(comparison)}, of {counted(len(whole), what)}"
    verdict = verdict_line(comparison)
    if verdict is not None:
        return f"{verdict}. {times if looks_at_times(comparison) else f'Outside the gate: {times}'}"
    if any(change.verdict in {SLOWER, FASTER} for change in comparison.times):
        return times
    return f"{headline(comparison)}: {times}"


def doubts(comparison: Comparison) -> list[tuple[str, str]]:
    """Return what to know before believing the table, a line or two each, with styles."""
    outputs = [
        (text, "" if holds else "bold red") for holds, text in tables.equal_outputs(comparison)
    ]
    sides = [
        (f"Only in {side}: {counted(len(rows), 'row')}, such as {rows[0]}.", "")
        for side, rows in tables.one_sided(comparison)
    ]
    environment = tables.environment(comparison)
    apart = [] if environment is None else [(_apart(environment), "bold red")]
    warned = [(f"Warning: {text}.", "bold red") for text in tables.warnings(comparison)]
    if len(warned) > MOST_DOUBTS:
        rest = len(warned) - MOST_DOUBTS
        warned = [*warned[:MOST_DOUBTS], (f"{counted(rest, 'more warning')}.", "bold red")]
    facts = (
        *tables.two_messages(comparison), *_undecided(comparison), *_few_processes(comparison)
    )  # fmt: skip
    said = [(text, "dim") for text in facts]
    which = tables.same if lists_every_row(comparison) else tables.listed
    listed = (which(comparison), "dim")
    lines = [*outputs, *sides, *apart, *warned, *said, listed]
    return [(_shortened(text), style) for text, style in lines]


def _lines(comparison: Comparison, every: bool) -> Iterator[Line]:
    """Yield what changed, the most important first; the same change of a size once.

    ``every``: what did not change follows.
    """
    labels = Labels(comparison, has_one_side=False)
    quantiles = {change.quantile for change in comparison.times}
    changes: list[Change] = [*comparison.times, *comparison.counts, *comparison.plain]
    changes = [
        change
        for change in changes
        if (every or change.verdict not in UNCHANGED) and comparison.may_fail(change.row)
    ]
    changes.sort(key=by_importance(comparison))
    changes.sort(key=lambda change: change.verdict in UNCHANGED)
    sizes = same_size(change for change in changes if isinstance(change, PlainChange))
    together = {id(group[0]): group for group in sizes}
    rows_of = Counter(size.what for size in comparison.plain if comparison.may_fail(size.row))
    for change in changes:
        if isinstance(change, PlainChange):
            if group := together.get(id(change)):
                rows = f"{len(group):,} rows" if len(group) > 1 else labels(change.row)
                which = f": {rows}" if rows_of[change.what] > 1 else ""
                yield [*group], plain_name(change) + which
        elif isinstance(change, CountChange):
            yield [change], f"{labels(change.row)} {change.name}"
        else:
            quantile = f" {change.quantile}" if len(quantiles) > 1 else ""
            yield [change], labels(change.row) + quantile


def _sides(change: Change) -> tuple[str, str]:
    if isinstance(change, TimeChange):
        return units.time(change.shift.a), units.time(change.shift.b)
    cells = (
        tables.count_cells(change)
        if isinstance(change, CountChange)
        else tables.plain_cells(change)[1:]
    )
    return cells[0], cells[1]


def _change(change: Change) -> str:
    if isinstance(change, CountChange):
        return " ".join(tables.count_cells(change)[2:]).strip()
    share = change.shift.change if isinstance(change, TimeChange) else change.change
    interval95 = interval_of(change) if isinstance(change, TimeChange) else None
    return f"{percent(share)} {ends(interval95)}" if interval95 else percent(share)


def _in_use(comparison: Comparison) -> str:
    """Say what became of the library that others are compared with; nothing of other scenarios."""
    if not isinstance(comparison.a.meta, MessageMeta):
        return ""
    used = in_use(comparison.a)
    parts = []
    for change in comparison.times:
        named = dict(zip(comparison.names, change.row, strict=True))
        who = (named.get("lang"), named.get("contender"), named.get("mode"))
        is_whole = named.get(STAGE) == "total" and comparison.may_fail(change.row)
        if who in used and is_whole and change.quantile == "p50":
            lang, contender, mode = map(str, who)
            sides = " → ".join(_sides(change))
            parts.append(
                f"{LANGUAGES.get(lang, lang)} ({contender} {mode}) {sides}, {_change(change)}, "
                f"{change.verdict}"
            )
    return f"In use: {'; '.join(parts)}" if parts else ""


def _steps(comparison: Comparison) -> list[str]:
    """Say how to compare the library in use alone, where others are compared, too."""
    if comparison.settings.only or not isinstance(comparison.a.meta, MessageMeta):
        return []
    modes = dict.fromkeys(f"{contender} {mode}" for _, contender, mode in in_use(comparison.a))
    return [f"To compare only what is in use: --only '{name}'" for name in list(modes)[:1]]


def _apart(environment: Table) -> str:
    """Say in one line in what the runs differ beside the code."""
    differences = [f"{what} {a} → {b}" for what, a, b in environment.rows]
    text = f"Not only the code differs: {'; '.join(differences)}"
    if len(text) <= LONGEST:
        return f"{text}."
    return f"Not only the code differs: {', '.join(what for what, *_ in environment.rows)} (--all)."


def _undecided(comparison: Comparison) -> list[str]:
    """Say of how many percentiles nothing is known, and what the first one needs."""
    undecided = [change for change in whole_times(comparison) if change.verdict == UNDECIDED]
    if not undecided or not looks_at_times(comparison):
        return []
    first = undecided[0]
    name = f"{Labels(comparison, has_one_side=False)(first.row)} {first.quantile}"
    needs = f"needs {longer(first.shift.few)}" if first.shift.few else f"({first.shift.why})"
    count = counted(len(undecided), "percentile")
    return [f"Cannot tell: {count}; {name} {needs}."]


def _few_processes(comparison: Comparison) -> list[str]:
    """Say that intervals lack what processes differ by, where there are too few to show it."""
    counts = [
        run.samples[PROCESS].n_unique()
        for run in (comparison.a, comparison.b)
        if PROCESS in run.samples.columns
    ]
    if not counts or min(counts) >= LEAST_PROCESSES or comparison.noise:
        return []
    which = "processes" if min(counts) > 1 else "process"
    return [
        f"With {min(counts)} {which} per side, variation between processes is not covered: run "
        f"at least {LEAST_PROCESSES}."
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
