# SPDX-License-Identifier: Apache-2.0
"""Arguments, options, progress and warnings of the commands on traces."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.options import RecordingPath, argument, option
from wirecost.data.traces.choices import SUFFIXES, TYPES
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.data.traces import Trace

STDERR = Console(stderr=True)
"""Console of progress and warnings: standard output is for results."""
FORMATS = f"{', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}"
TRACE = RecordingPath("OSI")

Files = Annotated[list[Path], argument("FILE", f"Traces: {FORMATS}"), TRACE]
File = Annotated[Path, argument("FILE", f"A trace: {FORMATS}"), TRACE]
Topic = Annotated[str | None, option("The channel, if an .mcap file has several.", metavar="TOPIC")]
Type = Annotated[
    str | None,
    option(
        "The message type, such as SensorView; default: detected.",
        "--type",
        metavar="TYPE",
        known=TYPES.values(),
    ),
]


def warn(trace: Trace) -> None:
    for warning in trace.warnings:
        say_whole(STDERR, f"warning: {warning}")
