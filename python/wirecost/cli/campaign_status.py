# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign status``: what a store has, and whether measurements met."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from wirecost.cli.json_file import JsonFile, write_json
from wirecost.cli.options import Store
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.counted import counted
from wirecost.system.errors import EndedError, UserError
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    import polars as pl

EXAMPLE = "wirecost campaign status STORE"

MOST_SHOWN = 20


def command(
    store: Store,
    json_file: JsonFile = None,
) -> None:
    """Show what a store has, and check that no two measurements of a host overlapped.

    Exits with 1 if some did.
    """
    import polars as pl

    from wirecost.results.store.store import FAILED, Store, overlaps

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
    for note in _notes(records):
        console.print(printable(note), highlight=False, markup=False)
    if len(met):
        raise EndedError(f"{counted(len(met), 'measurement')} overlapped: measure again", 1)
    timed = records.filter(pl.col("boot") != "")
    hosts = timed.n_unique(["host", "boot"])
    console.print(
        f"No two of {counted(len(timed), 'measurement')} overlapped on a host "
        f"({counted(hosts, 'boot')} of hosts).",
        highlight=False,
    )


def _notes(records: pl.DataFrame) -> list[str]:
    """Return influences beside the contenders that the numbers may show."""
    import polars as pl

    notes = []
    beside = records.filter(pl.col("beside") != "").group_by("beside", "host").len()
    for what, host, count in beside.sort("beside", "host").iter_rows():
        notes.append(f"{host}: {count:,} measured while the campaign's {what} ran on that host")
    for revision, part in records.sort("revision").group_by("revision", maintain_order=True):
        installed = sorted(set(part["wirecost"]))
        if len(installed) > 1:
            named = f"revision {revision[0]}" if revision[0] else "this campaign"
            notes.append(f"{named}: measured by different installations: {'; '.join(installed)}")
    if imported := len(records.filter(pl.col("boot") == "")):
        notes.append(f"{imported:,} were imported: nothing shows whether they overlapped")
    return notes


def _counts(records: pl.DataFrame) -> Table:
    from wirecost.results.store.store import DONE, FAILED

    body = []
    for (campaign, scenario, host), part in records.group_by(
        "campaign", "scenario", "host", maintain_order=True
    ):
        minutes = float((part["end_ns"] - part["start_ns"]).sum()) / 60e9
        counts = [f"{len(part.filter(outcome=outcome)):,}" for outcome in (DONE, FAILED)]
        body.append([str(campaign), str(scenario), str(host), *counts, f"{minutes:.1f} min"])
    headings = ["campaign", "scenario", "host", "done", "failed", "measured for"]
    return Table("Tasks", headings, body, [])
