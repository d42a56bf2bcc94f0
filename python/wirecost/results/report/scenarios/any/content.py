# SPDX-License-Identifier: Apache-2.0
"""Content of a scenario that has none of its own: totals, stages, bytes, ratios with intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas import scenario_of
from wirecost.results.report.scenarios import ScenarioContent, built_with
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import (
    NAME,
    Contender,
    Race,
    baseline,
    best_column,
    best_of,
    by_race,
    contenders,
    contenders_table,
    interval,
    of_race,
    race_title,
    ratio_column,
    ratio_text,
    samples_taken,
    speed_interval,
    speed_text,
    stage_column,
    stage_winners,
    stages_table,
    total_column,
)
from wirecost.results.report.shared.table import Column, Table, present
from wirecost.system.counted import counted

TOTAL = "total"


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    """Make the report of a folder. ``rows``: of all its races."""
    meta = results.meta
    title = scenario_of(meta).title or meta.scenario
    own = by_race(rows)
    each = [race_table(here, race) for race, here in own.items()]
    first = cases_table(title, rows) if len(each) > 1 else each[0]
    lead = answer(rows)
    return ScenarioContent(
        title,
        lead,
        [first] if len(each) > 1 else each,
        present(
            contenders_table(meta.contenders, {"library": lambda about: about.library})
            if meta.contenders
            else None,
            *(stages_table(here, race) for race, here in own.items()),
        ),
        f"All contenders were built with {built_with(meta.environment)}.",
        each if len(each) > 1 else [],
        first=Answer(lead or "No measurement ran to its end.", first),
    )


def race_table(
    rows: list[Row],
    race: Race,
    title: str = "",
    notes: Iterable[str] = (),
) -> Table:
    """Return a race: each contender's bytes, stages, total, and ratios with their intervals.

    ``notes``: they come first.
    """
    here = of_race(rows, race)
    winners = stage_winners(rows, race)
    stages = [stage for stage in dict.fromkeys(row.stage for row in here) if stage != TOTAL]
    to, best = baseline(rows, race), best_of(here)
    columns: list[Column[Contender]] = [
        NAME,
        replace(total_column("bytes", _size, "bytes"), shown=any(row.bytes for row in here)),
        *(stage_column(stage, winners, optional=3) for stage in stages),
        stage_column(TOTAL, winners),
        replace(ratio_column(to, optional=1), shown=_has(here, lambda row: row.ratio)),
        replace(best_column(best, optional=2), shown=best not in ("", to)),
    ]
    samples_note = (
        f"Medians of {samples_taken(here[0], 'samples')}, contenders in turns; * marks the fastest."
    )
    return Table.of(
        title or _title(race),
        [contender for contender in contenders(rows, race) if TOTAL in contender[1]],
        columns,
        [*notes, samples_note],
    )


def cases_table(title: str, rows: list[Row]) -> Table:
    """Return the quickest contender of each case, and how it compares."""
    fastest = quickest(rows)
    columns: list[Column[Row]] = [
        Column("case", lambda row: _title(row.race)),
        Column("fastest", lambda row: row.name),
        Column(TOTAL, lambda row: units.time(row.median_ns)),
        Column("95 % interval", interval, optional=2),
        Column("compared with", lambda row: row.ratio.to if row.ratio else units.NONE, optional=3),
        Column("it is", lambda row: speed_text(row, row.ratio)),
        Column(
            "× best rival",
            lambda row: ratio_text(row, row.ratio_best),
            optional=1,
            shown=_has(fastest, lambda row: row.ratio_best),
        ),
    ]
    return Table.of(title, fastest, columns, ["Medians; each case's contenders ran in turns."])


def quickest(rows: list[Row]) -> list[Row]:
    """Return the quickest total of every race."""
    totals = [row for row in rows if row.stage == TOTAL]
    return [min(here, key=lambda row: row.median_ns) for here in by_race(totals).values()]


def answer(rows: list[Row]) -> str | None:
    """Say in a sentence which contender is the quickest, and by how much; None of nothing."""
    fastest = quickest(rows)
    if not fastest:
        return None
    if len(fastest) > 1:
        name, wins = Counter(row.name for row in fastest).most_common(1)[0]
        return f"{name} is the fastest in {wins} of {counted(len(fastest), 'case')}."
    (row,) = fastest
    said = compared(row, row.ratio)
    if row.ratio is None or said == units.NONE:
        return f"{row.name} is the fastest: {units.time(row.median_ns)}."
    return f"{row.name} is the fastest: {said} than {row.ratio.to}."


def compared(row: Row, ratio: Ratio | None) -> str:
    """Return ``44× faster (41–47×)``, without an interval where too few repetitions have none."""
    within = speed_interval(row, ratio)
    return speed_text(row, ratio) + (f" ({within})" if within != units.NONE else "")


def _title(race: Race) -> str:
    """Return a race's title, without the build that most have."""
    return race_title(race).replace(" · release", "")


def _size(row: Row) -> str:
    return units.size(row.bytes)


def _has(rows: Iterable[Row], of: Callable[[Row], object]) -> bool:
    return any(of(row) is not None for row in rows)
