# SPDX-License-Identifier: Apache-2.0
"""Figures as files."""

from __future__ import annotations

from pathlib import Path

import altair as alt
import vl_convert as vlc

from wirecost.report.shared.figure import themed
from wirecost.whole_file import replaced

PAPER_INK = "#222222"


def draw(chart: alt.TopLevelMixin, path: Path) -> Path:
    """Write a chart for paper; the suffix is its format, .html or one of ``FIGURE_FORMATS``.

    Raises OSError.
    """
    specification = themed(chart, PAPER_INK)
    specification["config"]["background"] = "white"
    with replaced(path) as made:
        if path.suffix == ".svg":
            made.write_text(vlc.vegalite_to_svg(specification), encoding="utf-8")
        elif path.suffix == ".png":
            made.write_bytes(vlc.vegalite_to_png(specification, scale=2))
        elif path.suffix == ".pdf":
            made.write_bytes(vlc.vegalite_to_pdf(specification))
        else:
            made.write_text(vlc.vegalite_to_html(specification, bundle=True), encoding="utf-8")
    return path
