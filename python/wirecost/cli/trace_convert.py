# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace convert``: traces in another format, with columns or rows, whole or in part."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, each, option, reductions
from wirecost.cli.trace_options import FORMATS, TRACE, Topic, Type, warn
from wirecost.data.traces.batch.inputs import is_pattern
from wirecost.data.traces.choices import COMPRESSIONS, SUFFIXES
from wirecost.data.traces.choices import FORMATS as FORMAT_NAMES
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.data.traces.conversion import Wanted
    from wirecost.data.traces.convert import Bound, Converted

EXAMPLE = "wirecost trace convert drive.osi drive.mcap --columns all"

MOST_WORKERS = 1024


@answering()
def command(
    sources: Annotated[
        list[str],
        argument(
            "IN",
            f"Traces to read: {FORMATS}, or a pattern such as 'fleet/**/*.osi'.",
        ),
        TRACE,
    ],
    out: Annotated[
        Path, argument("OUT", f"The trace to write: {FORMATS}; of several traces, a folder.")
    ],
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
    workers: Annotated[
        int, option("With several traces: number of worker processes.", metavar="N")
    ] = 1,
    format_name: Annotated[
        str | None,
        option(
            "With several traces: osi, mcap or txth; default: as the inputs.",
            "--format",
            metavar="NAME",
            known=FORMAT_NAMES,
        ),
    ] = None,
    resume: Annotated[
        bool,
        option("With several traces: leave outputs that are newer than their traces.", "--resume"),
    ] = False,
) -> Answer:
    """Write traces in another format, with columns or rows, or a part of them.

    With several traces, or a pattern, OUT is a folder. Outputs have the same relative paths in it
    as the inputs have in their common folder. Exit status 1 if a trace could not be converted.
    """
    from wirecost.cli.trace_convert_many import convert_all
    from wirecost.data.traces.batch.jobs import Options
    from wirecost.data.traces.conversion import Wanted
    from wirecost.data.traces.convert import Bound

    if compression not in COMPRESSIONS:
        raise UserError(f"--compression {compression}: choose one of {', '.join(COMPRESSIONS)}")
    conversion = Wanted(each(columns), rows, reductions(reduce), also_rows)
    conversion.check()
    bounds = Bound.parse("--from", start), Bound.parse("--to", stop) if stop else Bound()
    if static_once and (columns or rows or out.suffix.lower() != ".mcap"):
        raise UserError(
            "--static-once: writes an .mcap, without --columns or --rows; name such an OUT"
        )
    if len(sources) == 1 and not is_pattern(sources[0]) and not out.is_dir():
        of_many = {"--workers": workers != 1, "--format": format_name}
        for option in [name for name, value in of_many.items() if value] + ["--resume"] * resume:
            raise UserError(f"{option}: is for several traces; {out} is one. Give a folder")
        source = Path(sources[0])
        done, type_name = _convert_one(
            source, out, conversion, compression, type_name, topic, bounds, force, static_once
        )
        return _answer(source, out, done, type_name)
    if static_once:
        raise UserError(f"--static-once: takes one trace; {out} is a folder, name an .mcap")
    if out.suffix.lower() in SUFFIXES and not out.is_dir():
        raise UserError(f"{out}: is one trace; name a folder for several, without such a suffix")
    if not 1 <= workers <= MOST_WORKERS:
        raise UserError(f"--workers {workers}: give 1 to {MOST_WORKERS}")
    if resume and force:
        raise UserError("--resume and --force: choose one")
    options = Options(conversion, compression, format_name, type_name, topic, *bounds)
    return convert_all(sources, out, options, workers, resume=resume, force=force)


def _convert_one(
    source: Path,
    out: Path,
    conversion: Wanted,
    compression: str,
    type_name: str | None,
    topic: str | None,
    bounds: tuple[Bound, Bound],
    force: bool,
    static_once: bool,
) -> tuple[Converted, str]:
    """Convert one trace; return counts and sizes, and the message type."""
    from wirecost.data.traces import open_trace
    from wirecost.data.traces.convert import convert
    from wirecost.data.traces.split import split

    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    with progress() as advance, open_trace(source, topic, type_name, advance) as trace:
        if static_once:
            done: Converted = split(
                trace,
                out,
                advance,
                repeat_every=0,
                apart=True,
                compression=compression,
                start=bounds[0],
                stop=bounds[1],
            )
        else:
            done = convert(trace, out, conversion, compression, *bounds, advance)
    warn(trace)
    return done, trace.type_name


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
