# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace info``: what traces hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.trace_options import Files, Topic, Type
from wirecost.results.report.shared import units
from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.counted import counted
from wirecost.system.printable import without_middle

if TYPE_CHECKING:
    from wirecost.data.traces.info import TraceInfo

EXAMPLE = "wirecost trace info drive.osi"


def command(
    files: Files, topic: Topic = None, type_name: Type = None, json_file: JsonFile = None
) -> None:
    """Print what traces hold: frames, duration, message sizes, lengths of lists."""
    from wirecost.data.traces import open_trace
    from wirecost.data.traces.info import info

    infos = []
    with progress() as advance:
        for path in files:
            with open_trace(path, topic, type_name, advance) as trace:
                infos.append(info(trace, advance))
    console = console_beside(json_file)
    for table in _tables(infos):
        print_table(console, table)
    write_json(json_file, [_document(item) for item in infos])


def _tables(infos: list[TraceInfo]) -> Iterable[Table]:
    """Yield a table of all traces, then one of each trace's lists."""
    headings = ["trace", "type", "frames", "duration", "rate", "min", "median", "max", "OSI"]
    warnings = [text for trace in infos for text in trace.warnings]
    yield Table("Traces", headings, [_row(trace) for trace in infos], warnings, ("min", "max"))
    for trace in infos:
        if trace.lists:
            rows = [
                [path, *(f"{count:,}" for count in asdict(spread).values())]
                for path, spread in trace.lists.items()
            ]
            note = f"in {trace.parsed} of {counted(trace.frames, 'frame')}, spread evenly"
            notes = [note] if trace.parsed < trace.frames else []
            headings = ["elements per frame", "min", "median", "max"]
            yield Table(trace.file.name, headings, rows, notes)


def _row(trace: TraceInfo) -> list[str]:
    sizes = asdict(trace.frame_bytes).values() if trace.frame_bytes else ()
    return [
        without_middle(trace.file.name),
        trace.type,
        f"{trace.frames:,}",
        units.time(trace.duration_ns) if trace.duration_ns is not None else "–",
        f"{units.significant(trace.rate_hz)} Hz" if trace.rate_hz else "–",
        *([units.size(size) for size in sizes] or "–––"),
        ", ".join(trace.osi_versions) or "–",
    ]


def _document(trace: TraceInfo) -> dict[str, object]:
    derived = {"file": str(trace.file), "duration_ns": trace.duration_ns, "rate_hz": trace.rate_hz}
    return asdict(trace) | derived
