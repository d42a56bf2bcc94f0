# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe budget``: a first budget file from a good run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.options import option
from wirecost.cli.output_files import write_text
from wirecost.cli.probe_show import Files

EXAMPLE = "wirecost probe budget LOGS --out budget.toml"


def command(
    files: Files,
    out: Annotated[
        Path, option("The file to write; - writes to stdout.", metavar="FILE.toml")
    ] = Path("-"),
) -> None:
    """Write limits for every section of a good run, with margins from the run's own noise."""
    import polars as pl

    from wirecost.results.analysis.budget.first_budget import first_budget
    from wirecost.results.records.recorded import event_tables, read_recorded

    events = pl.concat(event_tables(read_recorded(files)), how="diagonal")
    write_text("--out", out, first_budget(events))
