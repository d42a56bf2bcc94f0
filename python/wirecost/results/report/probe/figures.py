# SPDX-License-Identifier: Apache-2.0
"""Probe logs in figures: all sections together, then each by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from wirecost.results.analysis.probe_sections import summary, turnarounds
from wirecost.results.analysis.probe_tree import Node, tree
from wirecost.results.analysis.ros_names import places_of, shown_names
from wirecost.results.records.probe_log import ProbeLog
from wirecost.results.report.probe.graph import topic_graph
from wirecost.results.report.probe.judged import DRAWN
from wirecost.results.report.shared.executions import section_figures, valid
from wirecost.results.report.shared.executions.distribution import latencies
from wirecost.results.report.shared.executions.series import Options
from wirecost.results.report.shared.figure import Figure
from wirecost.results.report.shared.icicle import boxes, icicle

COMPARED = 6
"""Sections whose times stand in one figure."""
INSIDE = " › "
"""Between the names of sections inside each other."""


def probe_figures(
    executed: pl.DataFrame, logs: list[ProbeLog], deadline_ns: float | None
) -> list[Figure]:
    """Draw all sections together, then at most ``DRAWN``, the one that took most in all first.

    The executions are those of ``probe_sections.executions``.
    """
    dropped: dict[str, int] = {}
    for log in logs:
        dropped[str(log.process)] = dropped.get(str(log.process), 0) + log.dropped
    options = Options(deadline_ns, dropped=dropped)
    total = pl.col("ns").cast(pl.Float64).sum()
    sums = executed.group_by("section", maintain_order=True).agg(total)
    longest = sums.sort("ns", descending=True, maintain_order=True)["section"].head(DRAWN)
    names = shown_names(sums["section"])
    drawn = _overview(executed, list(longest), deadline_ns)
    for at, name in enumerate(longest, start=1):
        rows = executed.filter(section=name)
        judged = options if len(turnarounds(rows)) else replace(options, deadline_ns=None)
        figures = section_figures(at, name, rows, judged)
        drawn += [replace(figure, group=names[name]) for figure in figures]
    return drawn


def _overview(
    executed: pl.DataFrame, longest: Sequence[str], deadline_ns: float | None
) -> list[Figure]:
    """Draw nodes with their topics, and the times of the sections that took most."""
    sections = summary(executed)
    names = shown_names(section.section for section in sections)
    timed = turnarounds(executed)
    series = {
        names[name]: ns.to_numpy()
        for name in longest
        if len(ns := valid(timed.filter(section=name))["ns"].cast(pl.Float64))
    }
    figures = [topic_graph(sections, places_of(names)), nested_sections(tree(executed), names)]
    if series:
        first = dict(list(series.items())[:COMPARED])
        figures.append(
            latencies("times", "Times of the sections that take most", first, deadline_ns)
        )
    # The times come before their parts, as they show deadlines.
    figures.sort(key=lambda figure: figure is not None and figure.name == "sections")
    return [figure for figure in figures if figure is not None]


def nested_sections(nodes: Sequence[Node], names: Mapping[str, str]) -> Figure | None:
    """Draw sections inside sections as boxes; all of it was measured, nothing is estimated."""
    whole = sum(node.ns for node in nodes if node.level == 0)
    if whole <= 0 or all(node.level == 0 for node in nodes):
        return None
    shares: dict[str, float] = {}
    around: list[str] = []
    for node in nodes:
        outer = INSIDE.join(around := around[: node.level])
        of_outer = shares.get(outer, 0.0) / node.parent_ns if node.parent_ns else 1 / whole
        around = [*around, names.get(node.section, node.section)]
        shares[INSIDE.join(around)] = node.ns * of_outer
    paths = list(shares)
    caption = (
        "The total time of all sections. Each box is as wide as its share and lies below the "
        "section in which it ran; time with nothing below it is the section's own."
    )
    chart = boxes(paths, shares, INSIDE)
    return Figure("sections", caption, icicle("Sections inside sections", chart, paths, INSIDE))
