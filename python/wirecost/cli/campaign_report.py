# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign report``: a store as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.campaign_show import Baseline, Revision, content_of
from wirecost.cli.json_file import write_text
from wirecost.cli.options import Store, argument
from wirecost.system.terminal import Console

EXAMPLE = "wirecost campaign report STORE page.html"


def command(
    store: Store,
    out: Annotated[Path, argument("FILE.html", "The page to write.")] = Path("campaign.html"),
    baseline: Baseline = None,
    revision: Revision = None,
) -> None:
    """Write a page with tables and figures: machines side by side, and each series over time."""
    from wirecost.results.report.campaign.figures import figures
    from wirecost.results.report.shared.page import render

    content = content_of(store, baseline, revision)
    drawn = figures(content.across, content.series)
    page = render("campaign.html.j2", drawn, store=store, content=content, figures=drawn)
    write_text("FILE.html", out, page)
    Console(stderr=True).print(f"{out}: {content.lead}", highlight=False, markup=False)
