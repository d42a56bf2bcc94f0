# SPDX-License-Identifier: Apache-2.0
"""``wirecost columns advise``: how lists are best stored in columns."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option
from wirecost.cli.trace_options import FORMATS, TRACE, Topic, Type, warn
from wirecost.data.advisor.errors import Errors
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.advisor.advice import Advice, ListAdvice
    from wirecost.data.advisor.sources import ListSource

EXAMPLE = "wirecost columns advise drive.mcap"

FRAMES = 16
HIGHEST_LEVEL = 22


@answering()
def command(
    file: Annotated[
        Path,
        argument("FILE", f"{FORMATS}; or .pcd, .ply, KITTI's .bin"),
        TRACE,
    ],
    only: Annotated[
        str | None,
        option(
            "The only list to look at, such as lidar_sensor_view.reflection.",
            "--list",
            metavar="PATH",
        ),
    ] = None,
    error: Annotated[
        list[str] | None,
        option(
            "Allowed error of a field, 0 for none; default: by its unit. FIELD can be *; can be "
            "repeated.",
            metavar="FIELD=E",
        ),
    ] = None,
    frames: Annotated[
        int,
        option(
            "Number of frames to measure, spread evenly over the trace; 0 measures all.",
            metavar="N",
        ),
    ] = FRAMES,
    zstd: Annotated[int, option("Level of the compression that is compared.", metavar="LEVEL")] = 3,
    topic: Topic = None,
    type_name: Type = None,
) -> Answer:
    """Measure the lists of a trace or point cloud in all forms of columns, and recommend options.

    A point cloud is treated as a lidar's reflections and detections.
    """
    from wirecost.cli import columns_tables as tables
    from wirecost.data.advisor.advice import advise
    from wirecost.data.clouds.scan_files import is_scan

    if frames < 0:
        raise UserError(f"--frames {frames}: at least 1 frame is needed, or 0 for all")
    if not 1 <= zstd <= HIGHEST_LEVEL:
        raise UserError(f"--zstd {zstd}: there are levels 1 to {HIGHEST_LEVEL}")
    errors = Errors.parse(error or ())
    with progress() as advance, _source(file, only, frames, topic, type_name) as source:
        advice = advise(source, errors, zstd, advance)
    if not advice.lists:
        absence = f"no list {only}" if only else "no list that has columns"
        raise UserError(
            f"{file}: {absence} in the measured frames: {advice.sampled}; "
            "`wirecost trace info` prints the lists"
        )
    again = shell_line("wirecost", "columns", "advise", file)
    more = f"All fields and options: {again} --all"
    times = "codecs" if is_scan(file) else "message"
    return Answer(
        _sentence(advice),
        tables.summary(advice),
        hints=[
            f"This measures bytes only. To measure times:\nwirecost bench {times} "
            f"{shell_line(file)}"
        ],
        more=more,
        sections=[
            Section(
                [columns_table, totals], lines=_options(list_advice, is_trace=not is_scan(file))
            )
            for list_advice, columns_table, totals in tables.tables(advice)
        ],
        heading=f"How to store the lists of {file}",
        document=tables.document(file, advice),
    )


def _options(advice: ListAdvice, *, is_trace: bool) -> list[str]:
    """Return what to write where the list is compiled, or converted."""
    lines = ["For wirecost compile --wire protobuf,columns:"]
    lines += [f"  {line}" for line in advice.to_compile()]
    if is_trace:
        lines.append("For wirecost trace convert, with the same --reduce:")
        lines.append(f"  {advice.to_convert()[0]}")
    return lines


def _sentence(advice: Advice) -> str:
    """Say whether columns save bytes, and where."""
    saving = [item for item in advice.lists.values() if item.saves]
    if not saving:
        return "Rows are smaller: with so few elements, columns give you arrays but save no bytes."
    first = max(saving, key=lambda item: item.totals["rows"].bytes)
    others = len(advice.lists) - len(saving)
    rest = f"; for {counted(others, 'other list')} rows are smaller" if others else ""
    lists = counted(len(saving), "list")
    return f"Columns save bytes for {lists}, above all {', '.join(first.paths)}{rest}."


@contextmanager
def _source(
    file: Path, only: str | None, frames: int, topic: str | None, type_name: str | None
) -> Iterator[ListSource]:
    from wirecost.data.advisor.sources import CloudSource, TraceSource
    from wirecost.data.clouds.scan_files import is_scan
    from wirecost.data.traces import open_trace

    if is_scan(file):
        if topic is not None or type_name is not None:
            raise UserError(f"{file}: a point cloud has no topic and no type; leave them out")
        yield CloudSource(file, only)
        return
    with open_trace(file, topic, type_name) as trace:
        yield TraceSource(trace, frames, only)
        warn(trace)
