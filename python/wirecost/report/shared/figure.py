# SPDX-License-Identifier: Apache-2.0
"""A figure as every report draws it, into HTML, SVG, PNG and PDF alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from wirecost.report.shared.page_text import in_figure

WIDTH = 640
WIDEST_TEXT = 640
"""Pixels of a title or a label within a figure; more of it is cut."""
LONGEST_NAME = 200
"""Characters; a file's name has at most 255."""
PALETTE = ["#0072B2", "#56B4E9", "#009E73", "#D55E00", "#E69F00", "#CC79A7", "#8C8C8C", "#999933"]
STAGE_COLOURS = {
    "source_generation": "#0072B2",
    "source_serialization": "#56B4E9",
    "transfer": "#8C8C8C",
    "model_deserialization": "#D55E00",
    "model_calculation": "#E69F00",
    "model_serialization": "#CC79A7",
    "release": "#009E73",
}
"""Okabe and Ito's palette, distinguishable with every common colour blindness."""


@dataclass(frozen=True)
class Figure:
    """A chart with its name and what a reader should see in it."""

    name: str
    caption: str
    chart: alt.TopLevelMixin

    def file(self, form: str) -> str:
        """The name of the file it is exported to; what came from a file leads nowhere else."""
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in self.name)
        return f"{safe[:LONGEST_NAME]}.{form}"


def themed(chart: alt.TopLevelMixin, ink: str) -> dict[str, Any]:
    """The Vega-Lite specification with all text and lines in ``ink``."""
    specification: dict[str, Any] = in_figure(chart.to_dict())
    axis = {
        "labelColor": ink,
        "titleColor": ink,
        "domainColor": ink,
        "tickColor": ink,
        "gridColor": "#8C8C8C",
        "gridOpacity": 0.3,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 240,
    }
    specification["config"] = {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "axis": axis,
        "legend": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12, "labelLimit": 240},
        "header": {"labelColor": ink, "titleColor": ink, "labelLimit": 240, "titleLimit": 240},
        "title": {
            "color": ink,
            "subtitleColor": ink,
            "anchor": "start",
            "fontSize": 14,
            "limit": WIDEST_TEXT,
        },
        "view": {"stroke": None},
        "rule": {"color": ink},
        "text": {"color": ink, "limit": WIDEST_TEXT},
        "style": {"box": {"filled": False, "stroke": ink, "strokeWidth": 1}},
    }
    return specification
