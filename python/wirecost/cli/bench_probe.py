# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench probe``: measure, then print and keep the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wirecost.bench import probe
from wirecost.cli.results import measure_and_report


def command(
    samples: Annotated[
        int, typer.Option(metavar="N", help="Samples of each contender, 500 sections each.")
    ] = 200,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Result folder; default results/<time>-probe."),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="FILE", help="Write the summary rows; - is standard output."
        ),
    ] = None,
) -> None:
    """A section that is timed and counted: the probe, pmu_analyzer's schemes and floors."""
    settings = probe.Settings(samples)
    settings.check()
    measure_and_report(
        probe.SCENARIO,
        out,
        json_file,
        lambda journal, advance: probe.run(settings, journal, advance),
    )
