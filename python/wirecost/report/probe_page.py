# SPDX-License-Identifier: Apache-2.0
"""Probe logs as an HTML page that works offline, and its figures as files."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from wirecost.analysis.causes import Explanation
from wirecost.analysis.probe_sections import SectionSummary
from wirecost.errors import UserError
from wirecost.records.probe_log import ProbeLog
from wirecost.report.export import draw
from wirecost.report.figures import Figure, themed
from wirecost.report.figures.executions import Options, section_figures
from wirecost.report.html import bundle, script_json
from wirecost.report.probe_causes import cause_table, sentences
from wirecost.report.probe_machine import UNKNOWN, RecordedMachine
from wirecost.report.probe_table import counter_table, log_table, losses, time_table

DRAWN = 16
"""Sections with figures: those that took most of the time in all."""
FORMATS = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Drawn:
    """A section's figures, each with its number on the page."""

    name: str
    figures: list[tuple[int, Figure]]


def probe_figures(
    executed: pl.DataFrame, logs: list[ProbeLog], deadline_ns: float | None
) -> list[Drawn]:
    """The figures of ``probe_sections.executions``, at most ``DRAWN`` sections, the one that took
    most time in all first."""
    dropped: dict[str, int] = {}
    for log in logs:
        dropped[str(log.process)] = dropped.get(str(log.process), 0) + log.dropped
    options = Options(deadline_ns, dropped=dropped)
    total = pl.col("ns").cast(pl.Float64).sum()
    sums = executed.group_by("section", maintain_order=True).agg(total)
    longest = sums.sort("ns", descending=True, maintain_order=True)["section"].head(DRAWN)
    drawn = []
    number = 0
    for at, name in enumerate(longest, start=1):
        figures = section_figures(at, name, executed.filter(section=name), options)
        drawn.append(Drawn(name, list(enumerate(figures, start=number))))
        number += len(figures)
    return drawn


def page(
    logs: list[ProbeLog],
    summaries: list[SectionSummary],
    explanations: list[Explanation],
    drawn: list[Drawn],
    machines: list[RecordedMachine],
) -> str:
    """The whole report of what ``wirecost probe show`` prints, with figures."""
    environment = Environment(
        loader=PackageLoader("wirecost.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    told = [text for one in explanations for text in sentences(one)]
    tables = (
        time_table(summaries, []),
        counter_table(summaries, logs),
        cause_table(explanations),
    )
    shown = [one.name for one in drawn]
    charts = [figure.chart for one in drawn for _, figure in one.figures]
    return environment.get_template("probe.html.j2").render(
        programs=", ".join(dict.fromkeys(log.program or "a program" for log in logs)),
        recorded=_recorded(logs),
        lead=_lead(explanations, drawn),
        lost=losses(logs),
        tables=[table for table in tables if table is not None],
        sentences=told,
        sections=drawn,
        left_out=[one.section for one in summaries if one.section not in shown],
        machines=machines,
        unknown=UNKNOWN,
        logs=log_table(logs),
        specifications=Markup(script_json([themed(chart, "currentColor") for chart in charts])),
        bundle=bundle(),
    )


def write_figures(drawn: list[Drawn], folder: Path, formats: tuple[str, ...]) -> list[Path]:
    """Every figure as a file of each format. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [
            draw(figure, folder / figure.file(form))
            for one in drawn
            for _, figure in one.figures
            for form in formats
        ]
    except OSError as error:
        raise UserError(f"{folder}: {error.strerror}; name a folder for figures") from error


def _lead(explanations: list[Explanation], drawn: list[Drawn]) -> str | None:
    """What is known best of the section that took most time."""
    known = {one.section: one for one in explanations if one.causes}
    return next((sentences(known[one.name])[0] + "." for one in drawn if one.name in known), None)


def _recorded(logs: list[ProbeLog]) -> str:
    begins = [
        int(log.records["begin_ns"].min()) + log.wall_minus_monotonic_ns
        for log in logs
        if len(log.records)
    ]
    count = sum(len(log.records) for log in logs)
    told = f"{count:,} records of {len(logs)} threads"
    try:
        begin = datetime.fromtimestamp(min(begins) / 1e9, UTC)
    except (ValueError, OverflowError, OSError):
        return told
    return f"recorded {begin:%Y-%m-%d %H:%M:%S} UTC · {told}"
