# SPDX-License-Identifier: Apache-2.0
"""The OSI co-simulation: its tables and the comparison with the published report."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.osi.growth import growths
from wirecost.report.scenarios.osi.published import PUBLISHED_RATIO, TABLE1, PublishedRow
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    FEWEST,
    Race,
    best_codec,
    contenders,
    race_title,
    races,
    ratio_text,
    samples_taken,
    speed_interval,
    speed_text,
    stage_winners,
    stages_table,
)
from wirecost.report.shared.table import Table

BASELINE = "protobuf"
STAGES = ("source", "transfer", "model", "release", "total")
BESIDE_BEST, INTERVAL = "beside best Protobuf", "95 % interval"
FLOORS = {"arrays"}
"""Nobody can choose them: they have no schema."""
NOT_THE_SAME = {"columns-reduced", "columns-to-old", "also-rows-to-old"}
"""Contenders that carry less, or to another reader."""
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
    "also-rows-to-old": "also-rows-to-old: the same sensor with rows "
    "beside the columns: all its work, and the copy.",
    "arrays": "arrays: the floor, plain structs and arrays without any schema; its messages are "
    "read back and compared like all others.",
}


def content(results: Results, rows: list[Row]) -> Content:
    every = races(rows)
    overviews = [overview(rows, race) for race in every]
    beside = table1(rows)
    where = results.meta["environment"]
    flags = where.get("flags")
    builds = dict.fromkeys(row.build for row in rows)
    used = [f"{one} {flags[one]}" for one in builds if isinstance(flags, dict) and one in flags]
    return Content(
        TITLE,
        published_comparison(rows) or _choices(rows, every),
        beside or [*growths(results.meta, rows), *overviews],
        [*(overviews if beside else []), *(stages_table(rows, race) for race in every)],
        f"Every contender: {built_with(where | {'flags': '; '.join(used)})}.",
    )


def overview(rows: list[Row], race: Race) -> Table:
    """Source, model and total of a race, how much quicker than Protobuf at its best, and sizes."""
    body, best, taken = [], "", ""
    winners = stage_winners(rows, race)
    yardsticks = best_codec(rows, race)
    for name, stages in contenders(rows, race):
        total = stages["total"]
        taken = samples_taken(total, "steps")
        best = total.ratio_best.to if total.ratio_best else best
        cells = [
            units.time(stages[stage].median_ns) + ("*" if winners[stage] == name else "")
            for stage in STAGES
        ]
        body.append(
            [
                f"{name} (floor)" if name.partition(" ")[0] in FLOORS else name,
                *cells,
                "best Protobuf" if name == best else speed_text(total, total.ratio_best),
                speed_interval(total, total.ratio_best),
                ratio_text(total, total.ratio),
                *(ratio_text(total, total.ratio_best_codec) for _ in yardsticks),
                units.size(total.bytes),
            ]
        )
    headings = ["contender", *STAGES]
    headings += [BESIDE_BEST, INTERVAL, f"× {BASELINE}", *(f"× {y}" for y in yardsticks), "view"]
    notes = [
        f"Medians of {taken}, contenders in turns. Beside best Protobuf: total beside "
        f"{best or 'Protobuf'}'s, {INTERVAL} by bootstrap; × = ratio of totals; * the quickest; "
        "view = sensor view on the wire."
    ]
    present = {name.partition(" ")[0]: name for name, _ in contenders(rows, race)}
    under = [name.split(" ")[1] for name, _ in contenders(rows, race) if " " in name]
    if under:
        notes.append(
            f"{', '.join(dict.fromkeys(under))} behind a name: the allocator it runs with."
        )
    notes += [NOTES[name] for name in present if name in NOTES]
    optional = (f"× {BASELINE}", "transfer", "release", *(f"× {y}" for y in yardsticks), INTERVAL)
    return Table(race_title(race), headings, body, notes, optional, (STAGES, "view"))


def _choices(rows: list[Row], every: list[Race]) -> str | None:
    return " ".join(filter(None, (choice(rows, race) for race in every))) or None


def choice(rows: list[Row], race: Race) -> str | None:
    """What to choose for the content of a race, and by how much; None where too little is known."""
    totals = {
        name: stages["total"]
        for name, stages in contenders(rows, race)
        if name.partition(" ")[0] not in FLOORS and name not in NOT_THE_SAME
    }
    rivals = [row for row in totals.values() if row.ratio_best and row.repetitions >= FEWEST]
    if not rivals:
        return None
    first = min(rivals, key=lambda row: row.median_ns)
    ratio = first.ratio_best
    if ratio is None or ratio.to == first.name:
        return f"{first.case}: nothing is quicker than {first.name}."
    if ratio.ci95[1] >= 1:
        return f"{first.case}: {first.name} and {ratio.to} do not differ by these samples."
    return (
        f"{first.case}: {first.name} is {units.speed(ratio.median)} than {ratio.to}, the best "
        f"Protobuf (95 % interval {units.speeds(*ratio.ci95)})."
    )


def table1(rows: list[Row]) -> list[Table]:
    """The report's Table 1 beside ours, one table a variant whose races were run."""
    tables = []
    for variant in dict.fromkeys(row.variant for row in rows):
        measured = {(r.case, r.build, r.contender) for r in rows if r.variant == variant}
        if sum((p.case, p.build, p.contender) in measured for p in TABLE1) <= len(TABLE1) // 2:
            continue
        body = [_table1_row(rows, variant, published) for published in TABLE1]
        headings = ["", "FB report", "FB here", "PB report", "PB here", "FB : PB"]
        notes = [
            "source / model in ms, medians here; FB : PB = ratio of source + model, report → here; "
            "FB FlatBuffers, PB Protobuf"
        ]
        title = f"Table 1 of the report and this machine · {variant}"
        tables.append(Table(title, headings, body, notes))
    return tables


def _table1_row(rows: list[Row], variant: str, published: PublishedRow) -> list[str]:
    def here(contender: str) -> tuple[float, float] | None:
        which = (published.case, variant, published.build, contender)
        found = {
            row.stage: row.median_ns / 1e6
            for row in rows
            if (row.case, row.variant, row.build, row.contender) == which
        }
        return (found["source"], found["model"]) if found else None

    mine = here(published.contender)
    other = here(BASELINE) if published.protobuf else None
    quotients = _quotient(published.flatbuffers, published.protobuf), _quotient(mine, other)
    return [
        published.subject,
        _pair(published.flatbuffers),
        _pair(mine),
        _pair(published.protobuf),
        _pair(other),
        " → ".join(quotients) if published.protobuf else "–",
    ]


def _pair(values: tuple[float, float] | None) -> str:
    if values is None:
        return "–"
    return " / ".join(str(v) if isinstance(v, int) else units.two_digits(v) for v in values)


def _quotient(one: tuple[float, float] | None, other: tuple[float, float] | None) -> str:
    if one is None or other is None or sum(other) == 0:
        return "–"
    return f"{sum(one) / sum(other):.2f}"


def published_comparison(rows: list[Row]) -> str | None:
    """The report's headline ratio beside ours, if its first case was run as published."""

    def here(variant: str, stages: tuple[str, ...]) -> str | None:
        medians = {
            (row.contender, row.stage): row.median_ns
            for row in rows
            if (row.case, row.variant, row.build) == (TABLE1[0].case, variant, "release")
        }
        names = (TABLE1[0].contender, BASELINE)
        if not all((name, "total") in medians for name in names):
            return None
        mine, theirs = (sum(medians[name, stage] for stage in stages) for name in names)
        return f"{mine / theirs:.2f}" if theirs else None

    counted, whole = ("source", "model"), ("total",)
    if here("published", counted) is None:
        return None
    text = (
        "FlatBuffers to Protobuf at 829,440 reflections, source + model: "
        f"{PUBLISHED_RATIO:.2f} in the report, {here('published', counted)} here with its code"
    )
    same = here("same-work", counted)
    text += f", {same} when both do the same work" if same else ""
    text += ". With transfer and the release of messages, which the report left out: "
    text += (
        f"{here('published', whole)} and {here('same-work', whole)}"
        if same
        else (f"{here('published', whole)}")
    )
    return text + "."
