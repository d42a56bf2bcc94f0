# SPDX-License-Identifier: Apache-2.0
"""The OSI co-simulation: its tables and the comparison with the published report."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.report.scenarios import ScenarioContent, built_with, joined
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.races import (
    FEWEST,
    Contender,
    Race,
    best_codec,
    best_of,
    by_race,
    contenders,
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
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

from .schema import OsiMeta, OsiRun

Pair = tuple[float, float]
"""Milliseconds of source and model."""


@dataclass(frozen=True)
class PublishedRow:
    """A row of Table 1 of the ASAM OSI FlatBuffers performance report (Persival, 2022).

    It says which of our measurements stands for it.
    """

    subject: str
    reflections: int
    objects: int
    build: str
    contender: str
    flatbuffers: Pair
    protobuf: Pair | None
    player: bool = False

    @property
    def case(self) -> str:
        content = f"{counted(self.reflections, 'reflection')}, {counted(self.objects, 'object')}"
        return f"trace player, {content}" if self.player else content


TABLE1 = (
    PublishedRow(
        "829,440 reflections", 829_440, 10, "release", "flatbuffers-table", (43, 9), (27, 66)
    ),
    PublishedRow(
        "400,000 reflections", 400_000, 10, "release", "flatbuffers-table", (20, 4), (13, 32)
    ),
    PublishedRow(
        "100,000 reflections", 100_000, 10, "release", "flatbuffers-table", (5, 1), (3, 8)
    ),
    PublishedRow("10 objects", 0, 10, "release", "flatbuffers-table", (0, 0), (0, 0)),
    PublishedRow("200 objects", 0, 200, "release", "flatbuffers-table", (1, 1), (1, 1)),
    PublishedRow("500 objects", 0, 500, "release", "flatbuffers-table", (2, 2), (2, 2)),
    PublishedRow("debug build", 829_440, 10, "debug", "flatbuffers-table", (352, 117), (132, 258)),
    PublishedRow("object API", 829_440, 10, "release", "flatbuffers-object", (68, 9), None),
    PublishedRow("structs", 829_440, 10, "release", "flatbuffers-struct", (28, 5), None),
    PublishedRow(
        "trace player", 668_052, 10, "release", "flatbuffers-table", (1, 7), (7, 49), player=True
    ),
)
"""Rows in the report's order: its figures 1 to 10. The three before the last send 829,440."""

PUBLISHED_RATIO = (43 + 9) / (27 + 66)
"""FlatBuffers to Protobuf, source + model at 829,440 reflections: the report's 0.56."""

BASELINE = "protobuf"
STAGES = {"source": 0, "transfer": 2, "model": 0, "release": 3, "total": 0}
"""With their ranks among the columns that a narrow terminal leaves out."""
BESIDE_BEST, INTERVAL = "vs. best Protobuf", "95 % interval"
FLOORS = {"arrays"}
"""Nobody can choose them: they have no schema."""
NOT_THE_SAME = {"columns-reduced", "columns-to-old", "also-rows-to-old"}
"""Contenders that carry less, or to another reader."""
FEWEST_SIZES = 3
"""Fewest sizes of messages for a table by size."""
ARRAYS = "columns: arrays throughout; `bench message` also converts from and to rows."
TITLE = "OSI co-simulation: what a sensor view costs"
NOTES = {
    "protobuf-view": "protobuf-view: the unchanged Protobuf wire, written row by row and read in "
    "place by wirecost's own codec.",
    "flatbuffers-table-verified": "flatbuffers-table-verified: read after FlatBuffers' verifier, "
    "as Protobuf's and the columns' readers check what they read; its others do not.",
    "columns": "columns, arrays, protobuf-view: their buffers ask the kernel for huge pages; "
    "--pages small denies them to all.",
    "columns-reduced": "columns-reduced: within 1 mm of range and 0.1 dB of signal, checked.",
    "columns-to-old": "columns-to-old: the sensor has the official OSI classes, sees "
    "the objects and copies the field it does not know; no reflections, so no detections.",
    "also-rows-to-old": "also-rows-to-old: the same sensor with rows as well as columns: all of "
    "its work, and the copy.",
    "arrays": "arrays: the floor, plain structs and arrays without any schema; its messages are "
    "read back and compared like all others.",
}


def content(results: Results, rows: list[Row]) -> ScenarioContent:
    meta = results.meta_as(OsiMeta)
    own = by_race(rows)
    overviews = [overview(here, race) for race, here in own.items()]
    beside = table1(rows)
    flags = meta.environment.get("flags")
    builds = dict.fromkeys(row.build for row in rows)
    used = [
        f"{build} {flags[build]}" for build in builds if isinstance(flags, dict) and build in flags
    ]
    lead = published_comparison(rows) or joined(*(choice(here, race) for race, here in own.items()))
    tables = beside or [*growths(meta, rows), *overviews]
    return ScenarioContent(
        TITLE,
        lead,
        tables,
        [*(overviews if beside else []), *(stages_table(here, race) for race, here in own.items())],
        "All contenders were built with "
        f"{built_with(meta.environment | {'flags': '; '.join(used)})}.",
        first=Answer(lead, _with_note(tables[0], rows)) if lead and tables else None,
    )


def _with_note(table: Table, rows: list[Row]) -> Table:
    """Return a table that also says why columns gain less where a program has rows."""
    has_columns = any(row.contender == "columns" for row in rows)
    return replace(table, notes=[*([ARRAYS] if has_columns else []), *table.notes])


def overview(rows: list[Row], race: Race) -> Table:
    """Compare source, model and total of a race with Protobuf at its best, and sizes."""
    here = list(contenders(rows, race))
    winners = stage_winners(rows, race)
    best = best_of(of_race(rows, race))

    def speed(total: Row) -> str:
        return "best Protobuf" if total.name == best else speed_text(total, total.ratio_best)

    columns = [
        Column[Contender]("contender", lambda of: of[0] + " (floor)" * _is_floor(of[0])),
        *(stage_column(stage, winners, optional) for stage, optional in STAGES.items()),
        total_column(BESIDE_BEST, speed),
        total_column(INTERVAL, lambda total: speed_interval(total, total.ratio_best), optional=5),
        ratio_column(BASELINE, optional=1),
        *(
            total_column(
                f"× {name}", lambda total: ratio_text(total, total.ratio_best_codec), optional=4
            )
            for name in best_codec(rows, race)
        ),
        total_column("view", lambda total: units.size(total.bytes), bar=True),
    ]
    names = [name for name, _ in here]
    notes = [
        f"Medians of {samples_taken(here[-1][1]['total'], 'steps')}, contenders in turns. vs. "
        f"best Protobuf: total compared with {best or 'Protobuf'}'s, {INTERVAL} by bootstrap; × = "
        "ratio of totals; * marks the fastest; view = sensor view on the wire."
    ]
    under = dict.fromkeys(name.split(" ")[1] for name in names if " " in name)
    if under:
        notes.append(f"{', '.join(under)} behind a name: the allocator it runs with.")
    codecs = dict.fromkeys(name.partition(" ")[0] for name in names)
    notes += [NOTES[codec] for codec in codecs if codec in NOTES]
    return Table.of(race_title(race), here, columns, notes)


def _is_floor(name: str) -> bool:
    return name.partition(" ")[0] in FLOORS


def choice(rows: list[Row], race: Race) -> str | None:
    """Say what to choose for the content of a race, and by how much.

    It is None where too little is known.
    """
    rivals = [
        total
        for name, stages in contenders(rows, race)
        if not _is_floor(name) and name not in NOT_THE_SAME
        and (total := stages["total"]).ratio_best and total.repetitions >= FEWEST
    ]  # fmt: skip
    if not rivals:
        return None
    first = min(rivals, key=lambda row: row.median_ns)
    ratio = first.ratio_best
    if ratio is None or ratio.to == first.name:
        return f"{first.case}: nothing is faster than {first.name}."
    if ratio.ci95[1] >= 1:
        return f"{first.case}: {first.name} and {ratio.to} do not differ in these samples."
    return (
        f"{first.case}: {first.name} is {units.speed(ratio.median)} than {ratio.to}, the best "
        f"Protobuf (95 % interval {units.speeds(*ratio.ci95)})."
    )


def table1(rows: list[Row]) -> list[Table]:
    """Return the report's Table 1 beside ours, a table for each variant whose races were run."""
    tables = []
    for variant in dict.fromkeys(row.variant for row in rows):
        measured = {
            (row.case, row.build, row.contender, row.stage): row.median_ns / 1e6
            for row in rows
            if row.variant == variant
        }
        run = {key[:3] for key in measured}
        if sum((p.case, p.build, p.contender) in run for p in TABLE1) <= len(TABLE1) // 2:
            continue
        body = [_table1_row(measured, published) for published in TABLE1]
        headings = ["", "FB report", "FB here", "PB report", "PB here", "FB : PB"]
        notes = [
            "source / model in ms, medians here; FB : PB = ratio of source + model, report → here; "
            "FB FlatBuffers, PB Protobuf"
        ]
        title = f"Table 1 of the report and this machine · {variant}"
        tables.append(Table(title, headings, body, notes))
    return tables


def _table1_row(
    measured: dict[tuple[str, str, str, str], float], published: PublishedRow
) -> list[str]:
    """Return a row. ``measured``: milliseconds by case, build, contender and stage."""

    def here(contender: str) -> Pair | None:
        which = (published.case, published.build, contender)
        is_measured = any(key[:3] == which for key in measured)
        return (measured[*which, "source"], measured[*which, "model"]) if is_measured else None

    ours = here(published.contender)
    other = here(BASELINE) if published.protobuf else None
    quotients = _quotient(published.flatbuffers, published.protobuf), _quotient(ours, other)
    return [
        published.subject,
        *map(_pair, (published.flatbuffers, ours, published.protobuf, other)),
        " → ".join(quotients) if published.protobuf else units.NONE,
    ]


def _pair(pair: Pair | None) -> str:
    if pair is None:
        return units.NONE
    return " / ".join(str(v) if isinstance(v, int) else units.two_digits(v) for v in pair)


def _quotient(pair: Pair | None, other: Pair | None) -> str:
    if pair is None or other is None or sum(other) == 0:
        return units.NONE
    return f"{sum(pair) / sum(other):.2f}"


def published_comparison(rows: list[Row]) -> str | None:
    """Compare the report's headline ratio with ours, if its first case was run as published."""

    def here(variant: str, stages: tuple[str, ...]) -> str | None:
        medians = {
            (row.contender, row.stage): row.median_ns
            for row in rows
            if (row.case, row.variant, row.build) == (TABLE1[0].case, variant, "release")
        }
        names = (TABLE1[0].contender, BASELINE)
        if not all((name, "total") in medians for name in names):
            return None
        ours, other = (sum(medians[name, stage] for stage in stages) for name in names)
        return f"{ours / other:.2f}" if other else None

    counted, whole = ("source", "model"), ("total",)
    if here("published", counted) is None:
        return None
    text = (
        "FlatBuffers to Protobuf at 829,440 reflections, source + model: "
        f"{PUBLISHED_RATIO:.2f} in the report, {here('published', counted)} here with its code"
    )
    same = here("same-work", counted)
    if same:
        text += f", {same} when both do the same work"
    text += ". With transfer and the release of messages, which the report left out: "
    text += str(here("published", whole))
    return f"{text} and {here('same-work', whole)}." if same else f"{text}."


_Group = tuple[str, str, int | None, int, str]
"""Variant, build, FMI version, objects, and what is said of the way of reading and the pages."""


def growths(meta: OsiMeta, rows: list[Row]) -> list[Table]:
    """Compare contenders as the message grows, where several sizes were measured.

    There is a table for each variant, build, number of objects, way of reading and size of pages.
    """
    runs = {run.case: run for run in meta.runs if not run.player}
    groups: dict[_Group, list[Row]] = {}
    for row in rows:
        if row.stage == "total" and (run := runs.get(row.case)) is not None:
            key = row.variant, row.build, row.fmi, run.objects, unusual(run)
            groups.setdefault(key, []).append(row)
    counts = {case: run.reflections for case, run in runs.items()}
    return [
        _growth(group, here, counts)
        for group, here in groups.items()
        if len({row.case for row in here}) >= FEWEST_SIZES
    ]


def unusual(run: OsiRun) -> str:
    """Return what a title says of a race that is not the usual one."""
    return ", all read" * (run.read == "all") + ", small pages" * (run.pages == "small")


def _growth(group: _Group, rows: list[Row], counts: dict[str, int]) -> Table:
    cases = sorted({row.case for row in rows}, key=lambda case: counts[case])
    by_name = {(row.name, row.case): row for row in rows}
    best = {case: best_of([row for row in rows if row.case == case]) for case in cases}
    times = (
        units.time(row.median_ns if (row := by_name.get((name, case))) else None)
        for case, name in best.items()
    )
    body: list[list[str]] = [["best Protobuf", *times]]
    for name in dict.fromkeys(row.name for row in rows):
        body.append([name, *(_speed(by_name.get((name, case))) for case in cases)])
    variant, build, fmi, objects, how = group
    names = dict.fromkeys(filter(None, best.values()))
    notes = [
        f"First row: total of the best Protobuf of each size ({', '.join(names)}). Below it: how "
        "many times faster than that; = no difference by its 95 % interval."
    ]
    headings = ["contender", *(f"{counts[case]:,}" for case in cases)]
    title = f"By number of reflections, {counted(objects, 'object')}{how}"
    return Table(f"{title} · {variant} · {build} · FMI {fmi}", headings, body, notes)


def _speed(row: Row | None) -> str:
    if row is None or row.ratio_best is None or row.ratio_best.median <= 0:
        return units.NONE
    if row.ratio_best.to == row.name:
        return "1"
    low, high = row.ratio_best.ci95
    if row.repetitions >= FEWEST and low <= 1 <= high:
        return "="
    return f"{units.two_digits(1 / row.ratio_best.median)}×"
