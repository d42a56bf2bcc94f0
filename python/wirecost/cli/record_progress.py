# SPDX-License-Identifier: Apache-2.0
"""Output of ``wirecost record`` while it records, and at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich import box
from rich.live import Live
from rich.table import Table

from wirecost.cli.console import LINE_EVERY_S
from wirecost.replay.record.session import Report
from wirecost.replay.record.topics import TopicProgress
from wirecost.replay.recording.origin import seal
from wirecost.replay.recording.snapshot import Snapshot, read_snapshot
from wirecost.results.report.shared import units
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.printable import printable
from wirecost.system.terminal import Console


@contextmanager
def recording_progress(console: Console) -> Iterator[Report]:
    """Show a table on a terminal, a line now and then elsewhere; notes as they come."""
    if console.is_terminal:
        with Live(console=console, transient=True, auto_refresh=False) as live:

            def show(topics: list[TopicProgress], notes: list[str]) -> None:
                _print_notes(console, notes)
                live.update(_table(topics), refresh=True)

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
            _print(console, f"{what}, {dropped:,} dropped")

    yield line


def print_end(console: Console, folder: Path, snapshot: Snapshot) -> None:
    inputs = sum(topic.messages for topic in snapshot.inputs)
    outputs = sum(topic.messages for topic in snapshot.outputs)
    dropped = sum(topic.dropped for topic in (*snapshot.inputs, *snapshot.outputs))
    _print(
        console,
        f"{folder}: {counted(inputs, 'message')} to and {outputs:,} from {snapshot.node} in "
        f"{snapshot.duration_s:.1f} s, {dropped:,} dropped ({snapshot.ended})",
    )
    notes = [] if inputs else ["the node received nothing; is the rest of the system running?"]
    if not read_snapshot(folder).made_here:
        notes.append(f"{_why_not_ours()}; replay asks before it starts the node")
    _print_notes(console, notes)
    _print(console, f"Replay: wirecost replay {folder}")


def _table(topics: list[TopicProgress]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, caption="Ctrl-C ends the recording.")
    table.add_column("topic")
    for heading in ("role", "messages", "rate", "bytes", "dropped"):
        table.add_column(heading, justify="right", no_wrap=True)
    for topic in topics:
        table.add_row(
            topic.name,
            topic.role,
            f"{topic.messages:,}",
            f"{topic.rate:.1f} Hz",
            units.size(topic.bytes),
            f"{topic.dropped:,}",
        )
    return table


def _print_notes(console: Console, notes: list[str]) -> None:
    for note in notes:
        _print(console, f"note: {printable(note)}")


def _print(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def _why_not_ours() -> str:
    try:
        seal({})
    except UserError as error:
        return str(error)
    return "this process belongs to another user"
