# SPDX-License-Identifier: Apache-2.0
"""Results of ``doctor --noise`` and ``doctor --prices``, as tables and as a figure."""

from __future__ import annotations

import altair as alt
import numpy as np

from wirecost.results.records.recorded_machine import CpuNoise, MachinePrices
from wirecost.results.report.shared import units
from wirecost.results.report.shared.axes import keyed, numbers, plot
from wirecost.results.report.shared.figure import PALETTE, WIDTH, Figure
from wirecost.results.report.shared.table import Column, Table

LISTED = 5
"""Gaps of a CPU in the notes."""
MEANING = (
    "waited: another thread ran; stolen: another virtual machine ran; other: interrupts, firmware."
)
COLOURS = [PALETTE[i] for i in (0, 3, 2, 4, 5, 1, 6, 7)]
"""Neighbours apart, not the two blues together."""


def noise_table(noise: list[CpuNoise]) -> Table:
    """Return a row for each CPU; below them the longest gaps and what the kernel counted."""
    columns: list[Column[CpuNoise]] = [
        Column("", lambda cpu: f"CPU {cpu.cpu}"),
        Column("gaps", lambda cpu: str(cpu.gaps)),
        Column("lost", lambda cpu: f"{100 * cpu.lost_ns / cpu.elapsed_ns:.3g} %"),
        Column("longest", lambda cpu: units.time(cpu.longest[0][1] if cpu.longest else None)),
        Column("switches", lambda cpu: str(cpu.switches)),
        Column("waited", lambda cpu: _time(cpu.waited_ns)),
        Column("stolen", lambda cpu: _time(cpu.stolen_ns)),
        Column("other", lambda cpu: units.time(_other_ns(cpu))),
    ]
    seconds = max((cpu_noise.elapsed_ns for cpu_noise in noise), default=0) / 1e9
    notes = [MEANING, *(note for cpu_noise in noise for note in _notes(cpu_noise))]
    return Table.of(f"Noise over {seconds:.3g} s", noise, columns, notes)


def _notes(cpu: CpuNoise) -> list[str]:
    longest = [
        f"{units.time(length)} at {start / 1e9:.4f} s" for start, length in cpu.longest[:LISTED]
    ]
    counted = [
        f"{count} {source}"
        for counts in (cpu.interrupts, cpu.softirqs)
        for source, count in counts.items()
    ]
    parts = {"longest gaps": longest, "counted by the kernel": counted}
    return [f"CPU {cpu.cpu}, {what}: {', '.join(texts)}." for what, texts in parts.items() if texts]


def _other_ns(cpu: CpuNoise) -> int:
    """Return what neither scheduler nor hypervisor accounts for; they count in coarser steps."""
    accounted = (cpu.waited_ns or 0) + (cpu.stolen_ns or 0)
    return max(0, cpu.lost_ns - accounted)


def _time(ns: int | None) -> str:
    return "n/a" if ns is None else units.time(ns)


def noise_figure(noise: list[CpuNoise]) -> Figure:
    return Figure("noise", MEANING, noise_chart(noise))


def noise_chart(noise: list[CpuNoise]) -> alt.VConcatChart:
    """Draw the longest gaps against time over all gaps by length, a colour for each CPU."""
    names = [f"CPU {cpu_noise.cpu}" for cpu_noise in noise]
    shades = [COLOURS[i % len(COLOURS)] for i in range(len(names))]
    colour = keyed(alt.Color, "cpu", names, shades, columns=8)
    points = [
        {"cpu": name, "s": start / 1e9, "us": length / 1e3}
        for name, cpu_noise in zip(names, noise, strict=True)
        for start, length in cpu_noise.longest
    ]
    bars = [
        {"cpu": name, "us": low / 1e3, "count": count}
        for name, cpu_noise in zip(names, noise, strict=True)
        for low, count in cpu_noise.histogram
    ]
    over_time = plot(points).mark_point(filled=True, size=18, opacity=0.7).encode(
        x=alt.X("s:Q", title="time [s]"),
        y=alt.Y("us:Q", title="length of the gap [µs]", scale=alt.Scale(type="log")),
        color=colour,
        tooltip=["cpu:N", *numbers("s", form=".6f"), *numbers("us")],
    ).properties(width=WIDTH, height=260, title="Longest gaps of each CPU")  # fmt: skip
    at_least = alt.X("us:Q", title="at least that long, less than twice [µs]",
                     scale=alt.Scale(type="log", base=2))  # fmt: skip
    by_length = plot(bars).mark_line(point=True).encode(
        x=at_least,
        y=alt.Y("count:Q", title="gaps", scale=alt.Scale(type="symlog")),
        color=colour,
        tooltip=["cpu:N", *numbers("us"), "count:Q"],
    ).properties(width=WIDTH, height=180, title="All gaps by length")  # fmt: skip
    both: alt.VConcatChart = alt.vconcat(over_time, by_length)
    return both


def price_table(prices: MachinePrices) -> Table:
    """Return the median and the quartiles of each event's samples."""
    body, notes = [], []
    for name, event in prices.events.items():
        cells: list[str] = [units.NONE] * 3
        if event.ns:
            cells = [units.time(float(ns)) for ns in np.percentile(event.ns, [25, 50, 75])]
        body.append([name, *cells])
        notes.append(f"{name}: {event.reason or event.what}")
    headings = ["event", "p25", "median", "p75"]
    return Table(f"Cost of one event, measured {prices.measured}", headings, body, notes)
