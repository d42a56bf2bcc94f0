# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign status``: what a store has, and whether measurements met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wirecost.cli.ending import answering
from wirecost.cli.options import Store
from wirecost.results.report.shared.answer import BAD, Answer, Section, few
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import polars as pl

EXAMPLE = "wirecost campaign status STORE"


@answering()
def command(store: Store) -> Answer:
    """Show what a store has, and check that no two measurements of a host overlapped.

    Exits with 1 if some did.
    """
    import polars as pl

    from wirecost.results.store.store import FAILED, Store, overlaps

    records = Store(store).records()
    if records.is_empty():
        raise UserError(f"{store}: no store, or an empty one; name one that a campaign has filled")
    failed = records.filter(outcome=FAILED).select("task", "failure").iter_rows()
    failures = [f"{task} failed: {failure}" for task, failure in failed]
    met = overlaps(records)
    overlapped = [
        f"{host}: {task} started while {other} was measured"
        for host, task, other in met.iter_rows()
    ]
    timed = records.filter(pl.col("boot") != "")
    boots = counted(timed.n_unique(["host", "boot"]), "boot")
    sentence = (
        f"No two of {counted(len(timed), 'measurement')} overlapped on a host ({boots} of hosts)."
    )
    if len(met):
        sentence = f"{counted(len(met), 'measurement')} of {len(timed):,} overlapped on a host."
    notes = _notes(records)
    return Answer(
        sentence,
        _counts(records),
        doubts=[(line, BAD) for line in (*few(failures), *few(overlapped))]
        + [(note, "dim") for note in notes],
        more="--all lists every task, failure and overlap",
        sections=[Section([_counts(records)], lines=[*failures, *overlapped])],
        heading=f"Campaign · {store}",
        document={"records": records.drop("meta").to_dicts(), "overlaps": met.to_dicts()},
        status=1 if len(met) else 0,
        failure=f"{counted(len(met), 'measurement')} overlapped: measure again" if len(met) else "",
    )


def _notes(records: pl.DataFrame) -> list[str]:
    """Return influences beside the contenders that the numbers may show."""
    import polars as pl

    from wirecost.results.report.campaign.content import incomplete_recordings

    notes = incomplete_recordings(records)
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
