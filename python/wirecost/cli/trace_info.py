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
    write_json(json_file, [_document(one) for one in infos])


def _tables(infos: list[TraceInfo]) -> Iterable[Table]:
    """Return all traces in one table, then the lists of each."""
    headings = ["trace", "type", "frames", "duration", "rate", "min", "median", "max", "OSI"]
    warnings = [text for one in infos for text in one.warnings]
    yield Table("Traces", headings, [_row(one) for one in infos], warnings, ("min", "max"))
    for one in infos:
        if one.lists:
            rows = [
                [path, *(f"{count:,}" for count in asdict(spread).values())]
                for path, spread in one.lists.items()
            ]
            note = f"in {one.parsed} of {counted(one.frames, 'frame')}, spread evenly"
            notes = [note] if one.parsed < one.frames else []
            headings = ["elements per frame", "min", "median", "max"]
            yield Table(one.file.name, headings, rows, notes)


def _row(one: TraceInfo) -> list[str]:
    sizes = asdict(one.frame_bytes).values() if one.frame_bytes else ()
    return [
        without_middle(one.file.name),
        one.type,
        f"{one.frames:,}",
        units.time(one.duration_ns) if one.duration_ns is not None else "–",
        f"{units.significant(one.rate_hz)} Hz" if one.rate_hz else "–",
        *([units.size(size) for size in sizes] or "–––"),
        ", ".join(one.osi_versions) or "–",
    ]


def _document(one: TraceInfo) -> dict[str, object]:
    derived = {"file": str(one.file), "duration_ns": one.duration_ns, "rate_hz": one.rate_hz}
    return asdict(one) | derived
