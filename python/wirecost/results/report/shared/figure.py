# SPDX-License-Identifier: Apache-2.0
"""A figure as every report draws it, into HTML, SVG, PNG and PDF alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt

from wirecost.results.report.shared.page_text import in_figure
from wirecost.system.whole_file import replaced

WIDTH = 640
WIDEST_TEXT = 640
"""Pixels of a title or a label within a figure; more of it is cut."""
LONGEST_NAME = 200
"""Characters; a file's name has at most 255."""
PAPER_INK = "#222222"
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

Specification = dict[str, Any]
"""A chart as Vega-Lite has it."""


@dataclass(frozen=True)
class Figure:
    """A chart with its name and what a reader should see in it."""

    name: str
    caption: str
    chart: alt.TopLevelMixin
    group: str = ""
    """Heading under which a page shows it, behind the tables; empty: it stands above them."""

    def file(self, form: str) -> str:
        """Return the name of its file in a format; no name from a result leads elsewhere."""
        safe = "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in self.name)
        return f"{safe[:LONGEST_NAME]}.{form}"


def shades(count: int) -> list[str]:
    """Return colours for so many series, again from the first where there are more."""
    return [PALETTE[i % len(PALETTE)] for i in range(count)]


def themed(chart: alt.TopLevelMixin, ink: str) -> Specification:
    """Return the Vega-Lite specification with all text and lines in ``ink``."""
    specification: Specification = in_figure(chart.to_dict())
    text = {"labelColor": ink, "titleColor": ink}
    axis = text | {
        "domainColor": ink,
        "tickColor": ink,
        "gridColor": "#8C8C8C",
        "gridOpacity": 0.3,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 240,
    }
    title = {"color": ink, "subtitleColor": ink, "anchor": "start", "fontSize": 14}
    specification["config"] = {
        "background": "transparent",
        "font": "system-ui, sans-serif",
        "axis": axis,
        "legend": text | {"labelFontSize": 12, "labelLimit": 240, "titleLimit": 320},
        "header": text | {"labelLimit": 240, "titleLimit": 240},
        "title": title | {"limit": WIDEST_TEXT},
        "view": {"stroke": None},
        "rule": {"color": ink},
        "text": {"color": ink, "limit": WIDEST_TEXT},
        "style": {"box": {"filled": False, "stroke": ink, "strokeWidth": 1}},
    }
    return specification


def draw(chart: alt.TopLevelMixin, path: Path) -> Path:
    """Write a chart for paper; the suffix is its format, .html or one of ``FIGURE_FORMATS``.

    Raises OSError, and ImportError without the extra ``figures``.
    """
    import vl_convert as vlc  # noqa: PLC0415 - of an extra

    specification = themed(chart, PAPER_INK)
    specification["config"]["background"] = "white"
    with replaced(path) as file:
        if path.suffix == ".svg":
            file.write_text(vlc.vegalite_to_svg(specification), encoding="utf-8")
        elif path.suffix == ".png":
            file.write_bytes(vlc.vegalite_to_png(specification, scale=2))
        elif path.suffix == ".pdf":
            file.write_bytes(vlc.vegalite_to_pdf(specification))
        else:
            file.write_text(vlc.vegalite_to_html(specification, bundle=True), encoding="utf-8")
    return path
