# SPDX-License-Identifier: Apache-2.0
"""What the commands on traces share: arguments, options, progress and warnings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from wirecost.cli.choices import completing
from wirecost.traces.choices import TYPES

if TYPE_CHECKING:
    from wirecost.traces import Trace

STDERR = Console(stderr=True)
"""Progress and warnings: standard output is for results."""
FORMATS = ".osi, .mcap or .txth"

Files = Annotated[list[Path], typer.Argument(metavar="FILE", help=f"Traces: {FORMATS}")]
File = Annotated[Path, typer.Argument(metavar="FILE", help=f"A trace: {FORMATS}")]
Topic = Annotated[
    str | None, typer.Option(metavar="TOPIC", help="The channel, if an .mcap file has several.")
]
Type = Annotated[
    str | None,
    typer.Option(
        "--type",
        metavar="TYPE",
        help="The message type, such as SensorView; default: detected.",
        autocompletion=completing(TYPES.values()),
    ),
]


def warn(trace: Trace) -> None:
    for warning in trace.warnings:
        STDERR.print(f"warning: {warning}", soft_wrap=True, highlight=False, markup=False)
