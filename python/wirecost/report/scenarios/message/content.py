# SPDX-License-Identifier: Apache-2.0
"""A user's own message: what it costs in each library and mode, and which of its fields cost it."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.message_fields import STAGES, Share, Shares, shares
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.records.scenarios import with_all_columns
from wirecost.records.schemas.message import ALL, TOGETHER
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.message.at_rate import at_rate
from wirecost.report.shared import units
from wirecost.report.shared.races import (
    FEWEST,
    LANGUAGES,
    contenders,
    races,
    ratio_text,
    samples_taken,
    stage_winners,
    stages_table,
)
from wirecost.report.shared.table import Table

STEPS = ("fill", "encode", "decode", "read", "destroy")
INDENT = "· "
SHOWN = 25
"""Fields in the table that a terminal shows."""


def content(results: Results, rows: list[Row]) -> Content:
    meta = results.meta
    whole = [row for row in rows if row.variant == ALL]
    found = shares(with_all_columns(results.samples))
    tables = [*_totals(meta, whole), _fields(meta, found), _changes(meta, whole)]
    tables.append(at_rate(meta, whole))
    return Content(
        f"{meta['type']}: what a message costs",
        _lead(meta, whole, found),
        [table for table in tables if table is not None],
        [_contenders(meta), *(stages_table(rows, race) for race in races(rows))],
        f"Every program: {built_with(meta['environment'])}.",
    )


def _totals(meta: dict[str, Any], rows: list[Row]) -> list[Table]:
    """Stages and total of every contender, a table per language."""
    tables = []
    for race in races(rows):
        winners = stage_winners(rows, race)
        body = []
        for name, stages in contenders(rows, race):
            total = stages["total"]
            cells = [
                units.time(stages[stage].median_ns) + ("*" if winners[stage] == name else "")
                for stage in (*STEPS, "total")
            ]
            body.append([name, *cells, ratio_text(total, total.ratio), units.size(total.bytes)])
        to = next((row.ratio.to for row in rows if row.race == race and row.ratio), "baseline")
        notes = [
            f"{meta['content']}. Medians of {samples_taken(rows[0], 'samples')}, per message; in "
            "each round every contender has a new process. total: all stages of each message in a "
            f"row; × = ratio of totals with its 95 % interval; * quickest. new: new objects for "
            "each message; reused: the same objects again; view: reading where the bytes lie; "
            "arena: objects on an arena that is reset."
        ]
        title = f"{LANGUAGES.get(race[4], race[4])} · {meta['type']} · time per message"
        tables.append(
            Table(title, ["contender", *STEPS, "total", f"× {to}", "size"], body, notes,
                  ("destroy", "read", "fill"))
        )  # fmt: skip
    return tables


def _fields(meta: dict[str, Any], found: list[Shares]) -> Table | None:
    """Bytes and time of the fields that have most."""
    counted = meta["counted_bytes"]
    if not meta["fields"] or not counted:
        return None
    known = {field for one in found for field, _ in one.of}
    listed = sorted(meta["fields"], key=lambda field: -field["all"])
    shown = [f for f in listed if f["path"] in known or f["all"] >= counted / 100][:SHOWN]
    order = {field["path"]: place for place, field in enumerate(meta["fields"])}
    shown.sort(key=lambda field: order[field["path"]])
    body = [
        [
            INDENT * field["path"].count(".") + field["path"].rpartition(".")[2],
            units.size(round(field["all"] / max(1, meta["messages"]))),
            _percent(field["all"] / counted),
            *(_share(one.of.get((field["path"], stage))) for one in found for stage in STAGES[:2]),
        ]
        for field in shown
    ]
    rest = [*(_share(one.of.get((TOGETHER, stage))) for one in found for stage in STAGES[:2])]
    if any(cell != "–" for cell in rest):
        body.append(["all measured ones at once", "", "", *rest])
    headings = ["field", "bytes", "share"]
    headings += [f"{one.contender} {stage}" for one in found for stage in STAGES[:2]]
    errors = [
        abs(e) for one in found for stage in STAGES[:2] if (e := one.error(stage)) is not None
    ]
    note = (
        "bytes: of the field in a message, with its tag, length and inner fields; share: of all "
        "bytes, exact. Times: how much time is saved without the field, measured in turns with "
        "the whole message; ± half the 95 % interval; negative where a message is slower without "
        "the field."
    )
    if errors:
        note += (
            " The shares of the outermost fields, summed, differ from that of all these fields "
            "together by up to "
            f"{100 * max(errors):.0f} points."
        )
    return Table("Where it goes, by field", headings, body, [note])


def _changes(meta: dict[str, Any], rows: list[Row]) -> Table | None:
    """Other code first, then other messages, what saves most on top."""
    totals = [row for row in rows if row.stage == "total" and row.ratio is not None]
    quicker = sorted(
        (row for row in totals if row.ratio is not None and row.ratio.ci95[1] < 1),
        key=lambda row: (row.lang, row.ratio.median if row.ratio else 0.0),
    )
    body = [
        [
            f"{LANGUAGES.get(row.lang, row.lang)}: {row.name} instead of {row.ratio.to}",
            units.speed(row.ratio.median),
            units.size(row.bytes),
            "measured",
        ]
        for row in quicker
        if row.ratio is not None
    ]
    body += [
        [
            change["what"],
            "–" if change["ns"] is None else f"{units.time(change['ns'])} more",
            units.size(round(change["bytes"])),
            change["how"],
        ]
        for change in meta["changes"]
    ]
    if not body:
        return None
    notes = [
        "time: of all stages of a message, or what compressing and decompressing it takes besides, "
        "by Python's packages of the libraries in C. estimated: by what the fields hold, without "
        "the changed schema."
    ]
    return Table("What to change", ["change", "time", "bytes", "how"], body, notes)


def _percent(value: float) -> str:
    return f"{100 * value:.1f} %" if value < 0.0995 else f"{100 * value:.0f} %"


def _share(share: Share | None) -> str:
    if share is None:
        return "–"
    return f"{100 * share.value:.0f} ± {50 * (share.high - share.low):.0f} %"


def _contenders(meta: dict[str, Any]) -> Table:
    body = [[name, about["wire"], about["library"]] for name, about in meta["contenders"].items()]
    return Table("Contenders", ["contender", "wire", "library"], body, [])


def _lead(meta: dict[str, Any], rows: list[Row], found: list[Shares]) -> str | None:
    totals = [row for row in rows if row.stage == "total"]
    if not totals:
        return None
    said = []
    for lang in dict.fromkeys(row.lang for row in totals):
        mine = [row for row in totals if row.lang == lang]
        best = min(mine, key=lambda row: row.median_ns)
        base = next((row for row in mine if row.ratio and row.ratio.to == row.name), mine[0])
        text = (
            f"In {LANGUAGES.get(lang, lang)} a {meta['type']} of {units.size(base.bytes)} takes "
            f"{units.time(base.median_ns)} with {base.name}"
        )
        if best.name != base.name and best.ratio is not None:
            text += f", {units.time(best.median_ns)} with {best.name}"
            if best.repetitions >= FEWEST:
                text += f" ({units.speed(best.ratio.median)})"
        said.append(text + ".")
    heaviest = max(
        (f for f in meta["fields"] if f["all"] < meta["counted_bytes"]),
        key=lambda field: field["all"],
        default=None,
    )
    if heaviest is not None:
        share = _percent(heaviest["all"] / meta["counted_bytes"])
        text = f"{share} of its bytes are `{heaviest['path']}`"
        for one in found[:1]:
            parts = [
                f"{100 * of.value:.0f} % of {stage[:-1]}ing"
                for stage in STAGES[:2]
                if (of := one.of.get((heaviest["path"], stage))) is not None
            ]
            if parts:
                text += f", which is {' and '.join(parts)} with {one.contender}"
        said.append(text + ".")
    return " ".join(said)
