# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench probe``: measure, then print and keep the report."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from wirecost.cli.bench import JsonFile, Out, Processes
from wirecost.measure.bench.engine.processes import PROCESSES

EXAMPLE = "wirecost bench probe"


def command(
    samples: Annotated[
        int,
        typer.Option(
            metavar="N", help="Samples of each contender, 500 sections each, in all processes."
        ),
    ] = 200,
    processes: Processes = PROCESSES,
    seed: Annotated[int, typer.Option(help="Seed of the processes' order.")] = 1,
    out: Out = None,
    json_file: JsonFile = None,
) -> None:
    """Cost of timing a section and reading counters: the probe, pmu_analyzer's schemes, floors."""
    from wirecost.cli.measuring import measure_and_report
    from wirecost.measure.bench.probe import scenario as probe

    settings = probe.ProbeSettings(samples, processes, seed)
    settings.check()
    measure_and_report(probe.SCENARIO, out, json_file, partial(probe.run, settings))
