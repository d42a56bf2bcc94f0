# SPDX-License-Identifier: Apache-2.0
"""A user's own message: what it costs in each library and mode, and which of its fields cost it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import polars as pl

from wirecost.analysis.message_doubts import Key, doubts, process_ends
from wirecost.analysis.message_fields import STAGES, Shares, shares
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.records.scenarios import with_all_columns
from wirecost.records.schemas.message import ALL
from wirecost.report.scenarios import Content, built_with
from wirecost.report.scenarios.message.at_rate import at_rate
from wirecost.report.scenarios.message.changes import changes, languages_asked, many_fields
from wirecost.report.scenarios.message.field_table import field_table, percent
from wirecost.report.scenarios.message.stages import stage_tables
from wirecost.report.scenarios.message.wires import wire_of
from wirecost.report.shared import units
from wirecost.report.shared.races import FEWEST, LANGUAGES, races, stages_table
from wirecost.report.shared.table import Table


def content(results: Results, rows: list[Row]) -> Content:
    meta = results.meta
    whole = [row for row in rows if row.variant == ALL]
    samples = with_all_columns(results.samples)
    found = shares(samples)
    of_all = samples.filter(pl.col("variant") == ALL)
    doubted = doubts(whole, of_all)
    tables = [
        *stage_tables(meta, whole, doubted),
        changes(meta, whole, doubted, process_ends(of_all)),
        at_rate(meta, whole),
        field_table(meta, found, languages_asked(meta)),
    ]
    has_programs = bool(meta["environment"].get("compiler"))
    return Content(
        f"{meta['type']}: what a message costs",
        " ".join(filter(None, (_ended(meta, whole), _lead(meta, whole, found, doubted)))) or None,
        [table for table in tables if table is not None],
        [
            *([named] if (named := many_fields(meta)) else []),
            _contenders(meta),
            *(stages_table(rows, race) for race in races(rows)),
        ],
        f"C++ programs: {built_with(meta['environment'])}." if has_programs else "",
        begins_with_lead=True,
    )


def _ended(meta: dict[str, Any], rows: list[Row]) -> str:
    """What an interrupted run lacks."""
    if not meta["interrupted"]:
        return ""
    failed = {(run["lang"], run["contender"], run["mode"]) for run in meta["runs"]
              if run["failure"]}  # fmt: skip
    measured = {(row.lang, row.contender, row.mode) for row in rows} | failed
    lacking = [name for name in meta["contenders"] if tuple(name.split(" ", 2)) not in measured]
    text = f"Incomplete: the run ended early ({meta['interrupted']})"
    return f"{text}; not measured: {', '.join(lacking)}." if lacking else f"{text}."


def _contenders(meta: dict[str, Any]) -> Table:
    body = [[name, about["wire"], about["library"]] for name, about in meta["contenders"].items()]
    return Table("Contenders", ["contender", "wire", "library"], body, [])


def _lead(
    meta: dict[str, Any], rows: list[Row], found: list[Shares], doubted: Collection[Key]
) -> str | None:
    totals = [row for row in rows if row.stage == "total"]
    if not totals:
        return None
    said = []
    for lang in dict.fromkeys(row.lang for row in totals):
        mine = [row for row in totals if row.lang == lang]
        base = next((row for row in mine if row.ratio and row.ratio.to == row.name), mine[0])
        language = LANGUAGES.get(lang, lang)
        sure = [row for row in mine if (lang, row.name) not in doubted]
        text = (
            f"In {language} one {meta['type']} of {units.size(base.bytes)} takes "
            f"{units.time(base.median_ns)} with {base.name}"
        )
        if (lang, base.name) in doubted:
            said.append(f"{text}; this time is in doubt, as the note below its table says.")
            continue
        same = [row for row in sure if wire_of(meta, row) == wire_of(meta, base)]
        quickest = [min(group, key=lambda row: row.median_ns) for group in (same, sure)]
        for best in dict.fromkeys(row.name for row in quickest if row.name != base.name):
            row = next(one for one in sure if one.name == best)
            text += f", {units.time(row.median_ns)} with {best}"
            if wire_of(meta, row) != wire_of(meta, base):
                text += " on another wire"
            if row.ratio is not None and row.repetitions >= FEWEST:
                text += f" ({units.speed(row.ratio.median)})"
        said.append(text + ".")
    heaviest = max(
        (f for f in meta["fields"] if f["all"] < meta["counted_bytes"]),
        key=lambda field: field["all"],
        default=None,
    )
    if heaviest is not None:
        share = percent(heaviest["all"] / meta["counted_bytes"])
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
