# SPDX-License-Identifier: Apache-2.0
"""What a message with a tensor costs by plugin and middleware, beside floors and Wrapyfi."""

from __future__ import annotations

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report import units
from wirecost.report.scenarios import Content
from wirecost.report.table import Race, Table, contenders, races, ratio_text, stages_table

TITLE = "Tensors over middlewares"
WRAPYFI = "wrapyfi"


def content(results: Results, rows: list[Row]) -> Content:
    """``rows``: one a case, contender, plugin and stage."""
    told = f"Listener and publisher: {results.meta['gc']}."
    shown = races(rows)
    return Content(
        TITLE,
        _lead(rows),
        [_table(rows, race) for race in shown],
        [stages_table(rows, race) for race in shown],
        told,
    )


def _table(rows: list[Row], race: Race) -> Table:
    body = []
    for name, stages in contenders(rows, race):
        total = stages["total"]
        body.append(
            [
                name,
                *(_time(stages.get(stage)) for stage in ("encode", "transit", "decode")),
                units.time(total.median_ns),
                units.time(total.p99_ns),
                ratio_text(total, "ratio"),
                ratio_text(total, "ratio_floor"),
                ratio_text(total, "ratio_best"),
                f"{total.rate:.1f}" if total.rate else "–",
                str(total.lost),
            ]
        )
    headings = [
        "way and object", "encode", "transit", "decode", "total", "p99", "× shm", "× raw",
        "× best Wrapyfi", "Hz", "lost",
    ]  # fmt: skip
    notes = [
        f"Medians of {rows[0].n} messages of {race[1]}, contenders in turns; total: from the "
        "finished object to the received one. × shm: to shared memory with one copy and an "
        "eventfd; × raw: to the same library sending as many bytes by itself (in process: to a "
        "copy); with 95 % intervals. In process, messages follow each other without pause. "
        "Every message's content was compared outside the times."
    ]
    optional = ("× best Wrapyfi", "encode", "decode", "transit", "Hz", "× shm", "p99")
    return Table(race[0], headings, body, notes, optional)


def _time(row: Row | None) -> str:
    return units.time(row.median_ns) if row else "–"


def _lead(rows: list[Row]) -> str | None:
    """In each race the quickest of ours beside the best that Wrapyfi does there."""
    told = []
    for race in races(rows):
        ours = [
            row
            for row in rows
            if row.race == race and row.stage == "total" and row.plugin and row.ratio_best
        ]
        ours = [row for row in ours if not row.contender.startswith(WRAPYFI)]
        if ours:
            best = min(ours, key=lambda row: row.median_ns)
            assert best.ratio_best is not None
            told.append(
                f"{best.case}: {best.name} {units.time(best.median_ns)}, "
                f"1/{1 / best.ratio_best.median:.0f} of {best.ratio_best.to}."
            )
    return " ".join(told) or None
