# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign status``: what a store has, and whether measurements met."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import polars as pl
import typer
from rich.console import Console

from wirecost.campaign.store import DONE, FAILED, Store, overlaps
from wirecost.cli.json_file import write_json
from wirecost.errors import EndedError, UserError
from wirecost.printable import printable
from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table

MOST_SHOWN = 20


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="A campaign's store.")],
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write it as JSON; - is standard output."),
    ] = None,
) -> None:
    """Show what a store has, and check that no two measurements of a host overlapped.

    Exits with 1 if some did.
    """
    records = Store(store).records()
    if records.is_empty():
        raise UserError(f"{store}: no store, or an empty one; name one that a campaign has filled")
    console = Console(stderr=json_file == Path("-"))
    print_table(console, _counts(records))
    failed = records.filter(outcome=FAILED)
    for task, failure in failed.select("task", "failure").head(MOST_SHOWN).iter_rows():
        console.print(printable(f"{task} failed: {failure}"), highlight=False, markup=False)
    met = overlaps(records)
    for host, task, other in met.head(MOST_SHOWN).iter_rows():
        line = f"{host}: {task} began while {other} was measured"
        console.print(printable(line), highlight=False, markup=False)
    write_json(
        json_file,
        {
            "records": records.drop("meta").to_dicts(),
            "overlaps": met.to_dicts(),
        },
    )
    if len(met):
        raise EndedError(f"{len(met):,} measurements overlapped: measure them again", 1)
    hosts = records.n_unique(["host", "boot"])
    console.print(
        f"No two of {len(records):,} measurements overlapped on a host ({hosts} boots of hosts).",
        highlight=False,
    )


def _counts(records: pl.DataFrame) -> Table:
    body = []
    for (campaign, scenario, host), part in records.group_by(
        "campaign", "scenario", "host", maintain_order=True
    ):
        minutes = float((part["end_ns"] - part["start_ns"]).sum()) / 60e9
        counts = [f"{len(part.filter(outcome=one)):,}" for one in (DONE, FAILED)]
        body.append([str(campaign), str(scenario), str(host), *counts, f"{minutes:.1f} min"])
    headings = ["campaign", "scenario", "host", "done", "failed", "measured for"]
    return Table("Tasks", headings, body, [])
