# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace convert``: a trace in another format, with columns or rows, whole or in part."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, each, option, reductions
from wirecost.cli.trace_options import FORMATS, TRACE, Topic, Type, warn
from wirecost.data.traces.choices import COMPRESSIONS
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.data.traces.convert import Converted

EXAMPLE = "wirecost trace convert drive.osi drive.mcap --columns all"


@answering()
def command(
    source: Annotated[Path, argument("IN", f"The trace to read: {FORMATS}."), TRACE],
    out: Annotated[Path, argument("OUT", f"The trace to write: {FORMATS}.")],
    columns: Annotated[
        list[str] | None,
        option(
            "Lists to store as columns, comma-separated, or all; can be repeated.",
            metavar="FIELD,…",
        ),
    ] = None,
    rows: Annotated[bool, option("Turn columns back into rows.", "--rows")] = False,
    reduce: Annotated[
        list[str] | None,
        option(
            "With --columns: how one is stored: exact, auto, float32 or error:E; can be repeated.",
            metavar="FIELD=HOW",
        ),
    ] = None,
    also_rows: Annotated[
        bool, option("Write the rows as well as the columns, for older readers.", "--also-rows")
    ] = False,
    static_once: Annotated[
        bool,
        option(
            "Write static data, such as lanes, only once, on a channel of its own.", "--static-once"
        ),
    ] = False,
    compression: Annotated[
        str, option("Compression of .mcap: zstd, lz4 or none.", metavar="NAME", known=COMPRESSIONS)
    ] = "zstd",
    type_name: Type = None,
    topic: Topic = None,
    start: Annotated[
        str, option("First frame: a number, or a time such as 2.5s.", "--from", metavar="N")
    ] = "0",
    stop: Annotated[
        str | None, option("Frame to stop before: a number, or a time.", "--to", metavar="N")
    ] = None,
    force: Annotated[bool, option("Overwrite OUT if it exists.", "--force")] = False,
) -> Answer:
    """Write a trace in another format, with columns or rows, or a part of it."""
    from wirecost.data.traces import open_trace
    from wirecost.data.traces.conversion import Wanted
    from wirecost.data.traces.convert import Bound, convert
    from wirecost.data.traces.split import split

    if compression not in COMPRESSIONS:
        raise UserError(f"--compression {compression}: choose one of {', '.join(COMPRESSIONS)}")
    conversion = Wanted(each(columns), rows, reductions(reduce), also_rows)
    conversion.check()
    bounds = Bound.parse("--from", start), Bound.parse("--to", stop) if stop else Bound()
    if static_once and (columns or rows or out.suffix.lower() != ".mcap"):
        raise UserError(
            "--static-once: writes an .mcap, without --columns or --rows; name such an OUT"
        )
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    with progress() as advance, open_trace(source, topic, type_name, advance) as trace:
        done: Converted
        if static_once:
            done = split(
                trace, out, advance, repeat_every=0, apart=True, compression=compression,
                start=bounds[0], stop=bounds[1],
            )  # fmt: skip
        else:
            done = convert(trace, out, conversion, compression, *bounds, advance)
    warn(trace)
    return _answer(source, out, done, trace.type_name)


def _answer(source: Path, out: Path, done: Converted, type_name: str) -> Answer:
    messages_before, messages_after = map(units.size, done.message_bytes)
    before, after = map(units.size, done.file_bytes)
    return Answer(
        f"{counted(done.frames, 'frame')} of {type_name}: messages {messages_before} → "
        f"{messages_after}, file {before} → {after}.",
        heading=f"{source} converted",
        written=[str(out)],
        document={"file": str(source), "out": str(out), "type": type_name} | asdict(done),
    )
