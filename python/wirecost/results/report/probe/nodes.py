# SPDX-License-Identifier: Apache-2.0
"""Callbacks as ROS engineers name them, and what a system of nodes spends its time on."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirecost.results.analysis.causes import Explanation
from wirecost.results.analysis.chains.listed import Listed
from wirecost.results.analysis.misses import Missed, SlowCalls
from wirecost.results.analysis.probe_sections import PERCENTILES, SectionSummary
from wirecost.results.analysis.ros_names import RosPlace
from wirecost.results.records.recorded_machine import Started
from wirecost.results.report.shared import units
from wirecost.results.report.shared.cause_lead import cause_lead, slow_lead, slow_steps
from wirecost.results.report.shared.causes import record_next
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted

OPTIONAL = {99.99: 2, 95.0: 3, 99.9: 4, 99.0: 6}
"""Percentiles that a narrow terminal leaves out, by rank."""
LINES, OTHER_LINES, FEWEST_ROWS = 24, 8, 4
"""Lines of the first answer: in all, around its rows and the text above them; rows that it has at
least, for which the text may lack what explains the time."""
INFRASTRUCTURE = "infrastructure"
INFRASTRUCTURE_NOTE = "infrastructure: /parameter_events, /rosout, /clock, unknown publishers"


def node_table(
    sections: Sequence[SectionSummary],
    places: Mapping[str, RosPlace],
    notes: Sequence[str],
    *,
    rows: int | None = None,
) -> Table:
    """Return a row for each section, what took most in all first.

    ``rows``: of callbacks and publishing alone, at most, with one row for what every node has;
    None: of everything.
    """
    ordered = sorted(sections, key=lambda section: -section.total_ns)
    every = [section for section in ordered if _is_background(section.section, places)]
    background = [section for section in every if _is_work(section.section, places)]
    ends = list(notes)
    if rows is not None:
        work = [
            section
            for section in ordered
            if section not in every and _is_work(section.section, places)
        ]
        ordered = work[: rows - bool(background)]
        if background:
            ends.append(INFRASTRUCTURE_NOTE)
        if more := len(work) - len(ordered):
            ends.append(f"{counted(more, 'more row')}.")
    measured = [
        p
        for p in PERCENTILES
        if any(section.percentiles_ns.get(p) is not None for section in ordered)
    ]
    if background and rows is not None:
        ordered.append(_together(background))
    return Table.of("Callbacks by total time", ordered, _columns(sections, places, measured), ends)


def _columns(
    sections: Sequence[SectionSummary], places: Mapping[str, RosPlace], measured: Sequence[float]
) -> list[Column[SectionSummary]]:
    """Return the columns. ``measured``: percentiles that any of the rows has."""

    def name(section: SectionSummary) -> str:
        return places[section.section].name if section.section in places else section.section

    def time(section: SectionSummary, ns: float | None) -> str:
        # How long publishing took is not recorded by every version.
        place = places.get(section.section)
        is_timed = place is None or place.kind != "publish" or section.maximum_ns > 0
        return units.time(ns if is_timed else None)

    def misses(section: SectionSummary) -> str:
        place = places.get(section.section)
        return units.amount(section.misses if place is None or place.is_callback else None)

    def symbol(section: SectionSummary) -> str:
        return places[section.section].symbol if section.section in places else ""

    def percentile(percent: float) -> Column[SectionSummary]:
        title, optional = units.percentile_title(percent), OPTIONAL.get(percent, 0)
        return Column(
            title,
            lambda section: time(section, section.percentiles_ns.get(percent)),
            optional=optional,
        )

    return [
        Column("node · topic or period · kind", name),
        Column("count", lambda section: f"{section.count:,}"),
        Column("rate", lambda section: _rate(section.rate_hz)),
        Column("total", lambda section: time(section, section.total_ns), bar=True, optional=5),
        *map(percentile, measured),
        Column("max", lambda section: time(section, section.maximum_ns)),
        Column("misses", misses, shown=any(section.misses is not None for section in sections)),
        Column("symbol", symbol, optional=1),
    ]


def _together(background: Sequence[SectionSummary]) -> SectionSummary:
    """Return all of them as one section, which has neither percentiles nor a rate."""
    return SectionSummary(
        INFRASTRUCTURE,
        count=sum(section.count for section in background),
        percentiles_ns={},
        maximum_ns=max(section.maximum_ns for section in background),
        misses=None,
        scaled=0,
        counters={},
        total_ns=sum(section.total_ns for section in background),
    )


def node_answer(
    sections: Sequence[SectionSummary],
    places: Mapping[str, RosPlace],
    lead: str,
    causes: list[Explanation],
    notes: Sequence[str],
    width: int | None,
    slow: str = "",
) -> tuple[str, Table]:
    """Return the text above all and the first table, which fit a terminal.

    The terminal has this ``width`` and ``LINES``; None: with all rows. ``causes``: with their names
    as shown; ``slow``: what slow callbacks have in common.
    """
    order = sorted(sections, key=lambda section: -section.total_ns)
    names = [
        places[section.section].name if section.section in places else section.section
        for section in order
    ]
    cause = slow or cause_lead([c for c in causes if c.costs], names)
    text = " ".join(filter(None, [lead, cause]))
    if width is None:
        return text, node_table(sections, places, notes)
    around = [record_next(causes) or "", *notes]
    room = LINES - OTHER_LINES - sum(len(textwrap.wrap(line, width)) for line in around)
    if lead and room - len(textwrap.wrap(text, width)) < FEWEST_ROWS:
        text = lead
    rows = max(FEWEST_ROWS, room - len(textwrap.wrap(text, width)))
    return text, node_table(sections, places, notes, rows=rows)


def slow_callback(
    slow: Sequence[SlowCalls],
    causes: Sequence[Explanation],
    places: Mapping[str, RosPlace],
    started: Started,
    *,
    is_deadline: bool,
) -> str:
    """Say what the slow ones of a callback have in common, or that they come regularly; what to do.

    It is of the first callback of which something is known; empty where nothing is.
    """
    for calls in slow:
        place = places.get(calls.section)
        if place is None or not place.is_callback or not (calls.common or calls.every):
            continue
        explanation = next((e for e in causes if e.section == calls.section), None)
        named = replace(calls, section=place.name)
        lead = slow_lead(named, explanation, is_deadline=is_deadline)
        if not calls.common:
            return lead
        step = next(slow_steps(named, explanation, started)).replace("\n", " ")
        return f"{lead} {step}"
    return ""


def node_lead(
    sections: Sequence[SectionSummary],
    places: Mapping[str, RosPlace],
    chains: Listed | None,
    deadline_ns: float | None,
    misses: Sequence[Missed],
) -> str:
    """Say which node takes most, which chain takes longest, how many deadlines were missed.

    ``misses``: the longest first.
    """
    totals: dict[str, int] = {}
    missed = 0
    for section in sections:
        place = places.get(section.section)
        if place is not None and place.is_callback:
            totals[place.node] = totals.get(place.node, 0) + section.total_ns
            missed += section.misses or 0
    parts = []
    whole = sum(totals.values())
    if whole > 0:
        node = max(totals, key=lambda name: totals[name])
        parts.append(
            f"{node} takes most: {units.time(totals[node])} of {units.time(whole)} in callbacks "
            f"({100 * totals[node] / whole:.0f} %)."
        )
    if chains is not None and chains.chains:
        longest = chains.chains[0]
        more = f"; {counted(len(chains.chains), 'chain')} in all" if len(chains.chains) > 1 else ""
        parts.append(
            f"Longest chain: {longest.name}: {units.time(longest.median_ns)} in the median, "
            f"{units.time(longest.maximum_ns)} at worst{more} (wirecost probe chain)."
        )
    if deadline_ns is not None:
        parts.append(_missed(missed, deadline_ns, misses, places))
    return " ".join(parts)


def _missed(
    count: int, deadline_ns: float, misses: Sequence[Missed], places: Mapping[str, RosPlace]
) -> str:
    if not count:
        return f"No callback took longer than {units.time(deadline_ns)}."
    text = f"{counted(count, 'callback')} took longer than {units.time(deadline_ns)}"
    longest = next((miss for miss in misses if miss.section in places), None)
    if longest is None:
        return f"{text}."
    text += f", the longest {units.time(longest.ns)}: {places[longest.section].name}"
    if longest.reason is not None:
        text += f", {longest.reason} for {units.time(longest.reason_ns)}"
    return f"{text}."


def _is_background(section: str, places: Mapping[str, RosPlace]) -> bool:
    place = places.get(section)
    return place is not None and place.is_infrastructure


def _is_work(section: str, places: Mapping[str, RosPlace]) -> bool:
    """Distinguish callbacks, publishing and sections of the program's own from waiting."""
    place = places.get(section)
    return place is None or place.is_callback or place.kind == "publish"


def _rate(hz: float | None) -> str:
    return units.NONE if hz is None else f"{units.significant(hz)} Hz"
