# SPDX-License-Identifier: Apache-2.0
"""``wirecost report``: a result folder as a page, figures or tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.analysis.summary import summarize
from wirecost.records.reading import read_results
from wirecost.report.results.export import write_report


def command(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A result folder.")],
    format_: Annotated[
        str,
        typer.Option("--format", help="Formats, comma-separated: html, svg, png, pdf, md, csv."),
    ] = "html",
) -> None:
    """Write the report of a result folder into it, in any format."""
    results = read_results(folder)
    for path in write_report(results, summarize(results), format_.split(",")):
        Console(soft_wrap=True).print(str(path), highlight=False)
