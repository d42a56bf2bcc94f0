# SPDX-License-Identifier: Apache-2.0
"""A store in words and tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
import polars as pl

from wirecost.data.recordings.mcap.recorders import OUT_OF_CACHE
from wirecost.results.analysis.campaign.change_points import ENOUGH
from wirecost.results.analysis.campaign.history import (
    HistoryChange,
    HistorySeries,
    Point,
    history,
    moved_together,
)
from wirecost.results.analysis.campaign.machines import Across, Flip, across
from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.race import Name, Ratio, label
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import BAD, NO_TABLE, Answer, Section, few
from wirecost.results.report.shared.table import Column, Table, named, present
from wirecost.system.counted import counted
from wirecost.system.foreign import printable, shell_line

if TYPE_CHECKING:
    from wirecost.results.report.shared.figure import Figure

MOST_FAILURES = 50
MOST_CHANGES = 200


def campaign_answer(content: CampaignContent, store: str, document: object) -> Answer:
    """Return what a store says, machine by machine and over time."""
    sections = [
        Section(title="What does not transfer", lines=content.flips),
        Section(present(content.changes), "Over time", [f"{line}." for line in content.moved]),
        Section(content.machines, "Machines"),
        Section(title="Missing", lines=content.missing),
    ]
    return Answer(
        content.lead,
        content.machines[0] if content.machines else NO_TABLE,
        doubts=[(f"{line}.", BAD) for line in few([*content.flips, *content.moved])],
        more=f"To show all machines and changes: wirecost campaign show {shell_line(store)} --all",
        sections=[section for section in sections if section.tables or section.lines],
        heading=f"Campaign · {store}",
        figures=lambda _: _figures(content),
        document=document,
    )


def _figures(content: CampaignContent) -> list[Figure]:
    from wirecost.results.report.campaign.figures import figures  # noqa: PLC0415 - a second to import

    drawn = figures(content.across, content.series)
    return [
        replace(figure, group="More figures") if number else figure
        for number, figure in enumerate(drawn)
    ]


@dataclass(frozen=True)
class CampaignContent:
    """Content of a campaign's report.

    ``machines``: one table for each subject; ``changes``: None where no series is long enough;
    ``flips``, ``moved`` and ``missing``: sentences.
    """

    lead: str
    across: list[Across]
    series: list[HistorySeries]
    machines: list[Table]
    flips: list[str]
    changes: Table | None
    moved: list[str]
    missing: list[str]


def content(
    records: pl.DataFrame,
    samples: pl.LazyFrame | None,
    rows: pl.LazyFrame | None,
    baseline: str | None,
    revision: str | None,
) -> CampaignContent:
    """Summarize a store. ``revision``: whose machines are compared; None for the latest."""
    chosen = records.filter(revision=latest(records) if revision is None else revision)
    transfers = [] if samples is None else across(chosen, samples, baseline)
    series = [] if rows is None else history(records, rows)
    flips = [_flip(transfer, flip) for transfer in transfers for flip in transfer.flips]
    return CampaignContent(
        _lead(transfers, series, flips),
        transfers,
        series,
        [_machines(transfer) for transfer in transfers],
        flips,
        _changes(series),
        [
            f"{move.host}: {move.changed} of {move.of} series changed on {move.created}"
            f"{f' with {move.revision}' if move.revision else ''}: more likely because of the"
            " machine than of what was measured"
            for move in moved_together(series)
        ],
        _missing(records),
    )


def latest(records: pl.DataFrame) -> str:
    """Return the revision that was measured last."""
    return str(records.sort("created")["revision"][-1])


def ratio_text(ratio: Ratio) -> str:
    """Return a ratio with its 95 % interval."""
    return _interval(Estimate(ratio.median, *ratio.ci95))


def _lead(found: list[Across], series: list[HistorySeries], flips: list[str]) -> str:
    hosts = {host for transfer in found for host in transfer.hosts}
    parts = []
    if len(hosts) > 1:
        what = "no two contenders change places"
        if flips:
            pairs = (
                "1 pair of contenders changes" if len(flips) == 1 else f"{len(flips)} pairs change"
            )
            what = f"{pairs} places between them"
        parts.append(f"{len(hosts)} machines: {what}")
    changed = sum(bool(entry.changes) for entry in series)
    if any(len(entry.points) >= ENOUGH for entry in series):
        parts.append(f"{changed} of {len(series)} series changed over time")
    if not parts:
        parts.append(
            f"{counted(len(found), 'comparison')} on one machine; a second machine, or {ENOUGH} "
            "runs of each comparison, would show what transfers and what changed"
        )
    return "; ".join(parts) + "."


def _machines(transfer: Across) -> Table:
    runs = ", ".join(f"{host} {count}" for host, count in sorted(transfer.runs.items()))
    notes = [
        f"Median total, and its ratio to {label(transfer.baseline)} of the same machine, with the"
        f" 95 % interval. Runs: {runs}."
    ]
    return Table.matrix(
        printable(str(transfer.subject)),
        "contender",
        [(label(name), name) for name in transfer.names],
        named(transfer.hosts),
        lambda name, host: _cell(transfer, host, name),
        notes,
        bars=(tuple(transfer.hosts),),
    )


def _cell(transfer: Across, host: str, name: Name) -> str:
    median, ratio = transfer.medians.get((host, name)), transfer.ratios.get((host, name))
    time = units.time(median.value if median else None)
    has_ratio = median is not None and ratio is not None and name != transfer.baseline
    return time + f" · {ratio_text(ratio)}" if has_ratio and ratio else time


def _flip(transfer: Across, flip: Flip) -> str:
    return printable(
        f"{transfer.subject}: {label(flip.a)} takes {ratio_text(flip.quicker)} of {label(flip.b)}'s"
        f" time on {flip.quicker_on}, and {ratio_text(flip.slower)} on {flip.slower_on}"
    )


def _changes(series: list[HistorySeries]) -> Table | None:
    long = [entry for entry in series if len(entry.points) >= ENOUGH]
    if not long:
        return None
    changes = [
        (entry, change, entry.points[change.at]) for entry in long for change in entry.changes
    ]
    columns: list[Column[tuple[HistorySeries, HistoryChange, Point]]] = [
        Column("series", lambda of: printable(f"{of[0].subject} · {label(of[0].name)}")),
        Column("host", lambda of: of[0].host),
        Column("revision", lambda of: of[2].revision or units.NONE),
        Column("from", lambda of: of[2].created[:16].replace("T", " ")),
        Column("factor", lambda of: _interval(of[1].factor)),
        Column("q", lambda of: f"{of[1].q:.2g}"),
    ]
    left_out = len(changes) - MOST_CHANGES
    notes = [
        f"Of {len(long):,} series of {ENOUGH} runs and more. Factor: median of the runs from "
        "there on, compared with the median of those before, with its 95 % interval. q: how "
        "likely by chance, considering all series (Pettitt's test by permutation; Benjamini and "
        "Hochberg)."
    ]
    notes += [f"{left_out:,} more."] if left_out > 0 else []
    return Table.of("Changes over time", changes[:MOST_CHANGES], columns, notes)


def _interval(factor: Estimate) -> str:
    return f"{factor.value:.3g} [{factor.low:.3g}, {factor.high:.3g}]"


def _missing(records: pl.DataFrame) -> list[str]:
    failed = records.filter(outcome="failed").select("host", "task", "scenario", "failure")
    lines = [
        printable(f"{host}: {scenario} {task} failed: {failure}")
        for host, task, scenario, failure in failed.iter_rows()
    ]
    more = len(lines) - MOST_FAILURES
    lines = lines[:MOST_FAILURES] + ([f"{more:,} more failed"] if more > 0 else [])
    return lines + incomplete_recordings(records)


def incomplete_recordings(records: pl.DataFrame) -> list[str]:
    """Return what measured recordings say of messages that fell out of their recorder's cache."""
    lines: dict[str, None] = {}
    for meta in records.filter(pl.col("meta").str.contains(OUT_OF_CACHE, literal=True))["meta"]:
        with suppress(msgspec.DecodeError):
            recording, *said = str(msgspec.json.decode(meta).get("content", "")).split("; ")
            own = (f"{recording}: {text}" for text in said if OUT_OF_CACHE in text)
            lines |= dict.fromkeys(map(printable, own))
    return [*lines]
