# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace convert``: a trace in another format, with columns or rows, whole or in part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from wirecost.cli.choices import completing
from wirecost.cli.trace_options import FORMATS, Topic, Type, trace_progress, warn
from wirecost.errors import UserError
from wirecost.report.shared import units
from wirecost.traces import open_trace
from wirecost.traces.conversion import Wanted
from wirecost.traces.convert import Bound, convert
from wirecost.traces.mcap_writer import COMPRESSIONS


def command(
    source: Annotated[Path, typer.Argument(metavar="IN", help=f"The trace to read: {FORMATS}")],
    out: Annotated[Path, typer.Argument(metavar="OUT", help=f"The trace to write: {FORMATS}")],
    columns: Annotated[
        str | None,
        typer.Option(metavar="FIELDS", help="Lists to store as columns: comma-separated, or all."),
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="Turn columns back into rows.")] = False,
    reduce: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD=HOW", help="How to store a column: exact, auto, float32 or error:E."
        ),
    ] = None,
    also_rows: Annotated[
        bool, typer.Option("--also-rows", help="Keep the rows beside the columns, for old readers.")
    ] = False,
    compression: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Compression of .mcap: zstd, lz4 or none.",
            autocompletion=completing(COMPRESSIONS),
        ),
    ] = "zstd",
    type_name: Type = None,
    topic: Topic = None,
    start: Annotated[
        str, typer.Option("--from", metavar="N", help="First frame: a number, or a time (2.5s).")
    ] = "0",
    stop: Annotated[
        str | None,
        typer.Option("--to", metavar="N", help="Frame to stop before: a number, or a time."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite OUT if it exists.")] = False,
) -> None:
    """Write a trace in another format, with columns or rows, or a part of it."""
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    if compression not in COMPRESSIONS:
        raise UserError(f"--compression {compression}: choose one of {', '.join(COMPRESSIONS)}")
    wanted = Wanted(
        tuple(columns.split(",")) if columns else (), rows, tuple(reduce or ()), also_rows
    )
    wanted.check()
    bounds = Bound.parse("--from", start), Bound.parse("--to", stop) if stop else Bound()
    with trace_progress() as advance, open_trace(source, topic, type_name, advance) as trace:
        done = convert(trace, out, wanted, compression, *bounds, advance)
    warn(trace)
    messages_before, messages_after = map(units.size, done.message_bytes)
    before, after = map(units.size, done.file_bytes)
    Console(soft_wrap=True).print(
        f"{out}: {done.frames:,} frames of {trace.type_name}, messages {messages_before} → "
        f"{messages_after}, file {before} → {after}",
        highlight=False,
        markup=False,
    )
