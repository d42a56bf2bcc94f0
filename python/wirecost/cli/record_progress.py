# SPDX-License-Identifier: Apache-2.0
"""Output of ``wirecost record`` while it records, and at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.live import Live

from wirecost.cli.console import LINE_EVERY_S
from wirecost.replay.record.session import Report
from wirecost.replay.record.topics import TopicProgress
from wirecost.replay.recording.origin import seal
from wirecost.replay.recording.snapshot import Snapshot, read_snapshot
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.results.report.shared.terminal import laid_out, say_whole
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line
from wirecost.system.terminal import Console

CACHE_STEP = "Give it a larger cache, or write to a faster disk\nwirecost record NODE --cache 1GB"


@contextmanager
def recording_progress(console: Console) -> Iterator[Report]:
    """Show a table on a terminal, a line now and then elsewhere; notes as they come."""
    if console.is_terminal:
        with Live(console=console, transient=True, auto_refresh=False) as live:

            def show(topics: list[TopicProgress], notes: list[str]) -> None:
                _print_notes(console, notes)
                live.update(laid_out(_table(topics), console.width), refresh=True)

            yield show
        return
    last = time.monotonic()

    def line(topics: list[TopicProgress], notes: list[str]) -> None:
        nonlocal last
        _print_notes(console, notes)
        now = time.monotonic()
        if now - last >= LINE_EVERY_S:
            last = now
            total = sum(topic.messages for topic in topics)
            dropped = sum(topic.dropped for topic in topics)
            what = f"{counted(total, 'message')} of {counted(len(topics), 'topic')}"
            say_whole(console, f"{what}, {dropped:,} dropped")

    yield line


def recording_answer(folder: Path, snapshot: Snapshot) -> Answer:
    """Return what was recorded, topic by topic, and how to replay it."""
    inputs = sum(topic.messages for topic in snapshot.inputs)
    outputs = sum(topic.messages for topic in snapshot.outputs)
    recorded = [
        *((t, "input") for t in snapshot.inputs),
        *((t, "output") for t in snapshot.outputs),
    ]
    dropped = sum(topic.dropped for topic, _ in recorded)
    notes = [] if inputs else ["the node received nothing; is the rest of the system running?"]
    if not read_snapshot(folder).made_here:
        notes.append(f"{_why_not_ours()}; replay asks before it starts the node")
    rows = [
        [entry.topic.name, role, f"{entry.messages:,}", f"{entry.dropped:,}"]
        for entry, role in recorded
    ]
    overflowed = sum(topic.overflowed for topic, _ in recorded)
    of_cache = f", {overflowed:,} of them as its cache was full" if overflowed else ""
    return Answer(
        f"{folder}: {counted(inputs, 'message')} to and {outputs:,} from {snapshot.node} in "
        f"{snapshot.duration_s:.1f} s, {dropped:,} dropped{of_cache} ({snapshot.ended})",
        Table("Topics", ["topic", "role", "messages", "dropped"], rows, []),
        [CACHE_STEP] if overflowed else [],
        doubts=[(f"note: {note}", "") for note in notes],
        more=f"To replay it: wirecost replay {shell_line(folder)}",
        heading=f"Recording of {snapshot.node}",
    )


def _table(topics: list[TopicProgress]) -> Table:
    columns = [
        Column[TopicProgress]("topic", lambda topic: topic.name),
        Column[TopicProgress]("role", lambda topic: topic.role),
        Column[TopicProgress]("messages", lambda topic: f"{topic.messages:,}"),
        Column[TopicProgress]("rate", lambda topic: f"{topic.rate:.1f} Hz"),
        Column[TopicProgress]("bytes", lambda topic: units.size(topic.bytes)),
        Column[TopicProgress]("dropped", lambda topic: f"{topic.dropped:,}"),
    ]
    return Table.of("", topics, columns, ["Ctrl-C ends the recording."])


def _print_notes(console: Console, notes: list[str]) -> None:
    for note in notes:
        say_whole(console, f"note: {note}")


def _why_not_ours() -> str:
    try:
        seal({})
    except UserError as error:
        return str(error)
    return "this process belongs to another user"
