# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace info``: what traces hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.trace_options import Files, Topic, Type
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.foreign import without_middle

if TYPE_CHECKING:
    from wirecost.data.traces.info import TraceInfo

EXAMPLE = "wirecost trace info drive.osi"


@answering()
def command(files: Files, topic: Topic = None, type_name: Type = None) -> Answer:
    """Print what traces hold: frames, duration, message sizes, lengths of lists."""
    from wirecost.data.traces import open_trace
    from wirecost.data.traces.info import info

    infos = []
    with progress() as advance:
        for path in files:
            with open_trace(path, topic, type_name, advance) as trace:
                infos.append(info(trace, advance))
    traces = _traces(infos)
    lists = [_lists(trace) for trace in infos if trace.lists]
    frames = sum(trace.frames for trace in infos)
    return Answer(
        f"{counted(len(infos), 'trace')} with {counted(frames, 'frame')}.",
        traces,
        doubts=[(text, "dim") for trace in infos for text in trace.warnings],
        more="--all prints the lengths of all lists",
        sections=[Section([traces, *lists])],
        heading="Traces",
        document=[_document(item) for item in infos],
    )


def _traces(infos: Iterable[TraceInfo]) -> Table:
    headings = ["trace", "type", "frames", "duration", "rate", "min", "median", "max", "OSI"]
    return Table("Traces", headings, [_row(trace) for trace in infos], [], ("min", "max"))


def _lists(trace: TraceInfo) -> Table:
    rows = [
        [path, *(f"{count:,}" for count in asdict(spread).values())]
        for path, spread in trace.lists.items()
    ]
    note = f"in {trace.parsed} of {counted(trace.frames, 'frame')}, spread evenly"
    notes = [note] if trace.parsed < trace.frames else []
    return Table(trace.file.name, ["elements per frame", "min", "median", "max"], rows, notes)


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
