# SPDX-License-Identifier: Apache-2.0
"""The gaps of spinning threads: when they came, and how many of each length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import altair as alt

from wirecost.errors import UserError
from wirecost.failed_write import failed_write
from wirecost.report.choices import FIGURE_FORMATS
from wirecost.report.shared.drawing import draw
from wirecost.report.shared.figure import PALETTE, WIDTH
from wirecost.report.shared.legend import keyed

COLOURS = [PALETTE[i] for i in (0, 3, 2, 4, 5, 1, 6, 7)]
"""Neighbours apart, not the two blues together."""
SUFFIXES = (*(f".{form}" for form in FIGURE_FORMATS), ".html")


def check_suffix(path: Path) -> None:
    """To be called before measuring. Raises UserError on a format that cannot be drawn."""
    if path.suffix not in SUFFIXES:
        raise UserError(f"--figure {path}: name a file that ends in {', '.join(SUFFIXES)}")


def write_noise_figure(noise: list[dict[str, Any]], path: Path) -> None:
    """Draw what ``doctor --noise`` measured; the suffix decides the format. Raises UserError."""
    try:
        draw(noise_chart(noise), path)
    except OSError as error:
        raise failed_write(path, error, "name a writable --figure file") from error


def noise_chart(noise: list[dict[str, Any]]) -> alt.VConcatChart:
    """The longest gaps against time over all gaps by length, a colour for each CPU."""
    names = [f"CPU {one['cpu']}" for one in noise]
    colour = keyed(
        alt.Color, "cpu", names, [COLOURS[i % len(COLOURS)] for i in range(len(names))], columns=8
    )
    points = [
        {"cpu": name, "s": start / 1e9, "us": length / 1e3}
        for name, one in zip(names, noise, strict=True)
        for start, length in one["longest"]
    ]
    bars = [
        {"cpu": name, "us": low / 1e3, "count": count}
        for name, one in zip(names, noise, strict=True)
        for low, count in one["histogram"]
    ]
    over_time = (
        alt.Chart(alt.Data(values=points), title="Longest gaps of each CPU")
        .mark_point(filled=True, size=18, opacity=0.7)
        .encode(
            x=alt.X("s:Q", title="time [s]"),
            y=alt.Y("us:Q", title="length of the gap [µs]", scale=alt.Scale(type="log")),
            color=colour,
            tooltip=["cpu:N", alt.Tooltip("s:Q", format=".6f"), alt.Tooltip("us:Q", format=".4~g")],
        )
        .properties(width=WIDTH, height=260)
    )
    by_length = (
        alt.Chart(alt.Data(values=bars), title="All gaps by length")
        .mark_line(point=True)
        .encode(
            x=alt.X(
                "us:Q",
                title="at least that long, less than twice [µs]",
                scale=alt.Scale(type="log", base=2),
            ),
            y=alt.Y("count:Q", title="gaps", scale=alt.Scale(type="symlog")),
            color=colour,
            tooltip=["cpu:N", alt.Tooltip("us:Q", format=".4~g"), "count:Q"],
        )
        .properties(width=WIDTH, height=180)
    )
    chart: alt.VConcatChart = alt.vconcat(over_time, by_length)
    return chart
