# SPDX-License-Identifier: Apache-2.0
"""``wirecost record``: what one node of a running system receives, to be replayed to it alone."""

from __future__ import annotations

import json
import re
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich import box
from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table as RichTable

from wirecost.cli.choices import completing
from wirecost.cli.console import LINE_EVERY_S
from wirecost.errors import UserError
from wirecost.printable import printable
from wirecost.replay.origin import seal
from wirecost.replay.record import Request, TopicProgress, record
from wirecost.replay.snapshot import Snapshot, read_snapshot
from wirecost.replay.systems import SYSTEMS, system_named
from wirecost.report.shared import units


def command(
    node: Annotated[str, typer.Argument(metavar="NODE", help="The node's name.")],
    launch: Annotated[
        list[str] | None, typer.Argument(metavar="[-- COMMAND]", help="With --launch.")
    ] = None,
    system: Annotated[
        str,
        typer.Option(help="ros1, or dds as ROS 2 speaks it.", autocompletion=completing(SYSTEMS)),
    ] = "ros1",
    pid: Annotated[
        int | None, typer.Option(metavar="PID", help="Its process, where the system tells none.")
    ] = None,
    launched: Annotated[
        bool, typer.Option("--launch", help="Start the node by the COMMAND after --.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder to make; default recordings/<time>-<node>."),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", help="Default: until Ctrl-C.")
    ] = None,
    domain: Annotated[
        int | None, typer.Option(metavar="N", min=0, max=232, help="DDS domain.")
    ] = None,
    interface: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ADDRESS",
            help="With dds: this IPv4 address of the machine too, not loopback only.",
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the summary; - is standard output."),
    ] = None,
) -> None:
    """Record the inputs, outputs and service calls of one node, and how it was started."""
    if launched != bool(launch):
        raise UserError("--launch: give the command that starts the node after --")
    if seconds is not None and not 0 < seconds < float("inf"):
        raise UserError(f"--for {seconds:g}: must be positive seconds")
    request = Request(
        system_named(system), node, pid, launch or [], seconds, domain, _addresses(interface or [])
    )
    folder = _new_folder(node, out)
    console = Console(stderr=json_file == Path("-"))
    try:
        with _stop_by_signals() as stopped, _progress(console) as tell:
            snapshot = record(request, folder, tell, stopped)
    except UserError:
        _remove_empty(folder)
        raise
    _tell_end(console, folder, snapshot)
    if json_file is not None:
        _write_json(json_file, _document(folder, snapshot))


def _addresses(texts: list[str]) -> tuple[str, ...]:
    here = {
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family == socket.AF_INET
    }
    for text in texts:
        if text not in here:
            raise UserError(f"--interface {text}: this machine has {', '.join(sorted(here))}")
    return tuple(texts)


def _new_folder(node: str, out: Path | None) -> Path:
    name = re.sub(r"\W+", "-", node).strip("-")
    folder = out or Path("recordings") / f"{datetime.now():%Y-%m-%dT%H-%M-%S}-{name}"
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UserError(f"{folder}: exists and is not empty; name another folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{folder}: {reason}; name a writable --out") from error
    return folder


def _remove_empty(folder: Path) -> None:
    if not any(folder.iterdir()):
        folder.rmdir()


@contextmanager
def _stop_by_signals() -> Iterator[Callable[[], bool]]:
    """Ctrl-C and SIGTERM end the recording in order."""
    seen: list[int] = []
    former = {
        which: signal.signal(which, lambda number, _: seen.append(number))
        for which in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield lambda: bool(seen)
    finally:
        for which, handler in former.items():
            signal.signal(which, handler)


@contextmanager
def _progress(console: Console) -> Iterator[Callable[[list[TopicProgress], list[str]], None]]:
    """A table on a terminal, a line now and then elsewhere; notes as they come."""
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
            total = sum(one.messages for one in topics)
            dropped = sum(one.dropped for one in topics)
            console.print(
                f"{total:,} messages of {len(topics)} topics, {dropped:,} dropped", highlight=False
            )

    yield line


def _table(topics: list[TopicProgress]) -> RichTable:
    table = RichTable(box=box.SIMPLE_HEAD, show_edge=False, caption="Ctrl-C ends the recording.")
    table.add_column("topic")
    for heading in ("is", "messages", "a second", "bytes", "dropped"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one in topics:
        table.add_row(
            escape(printable(one.name)),
            one.role,
            f"{one.messages:,}",
            f"{one.rate:.1f}",
            units.size(one.bytes),
            f"{one.dropped:,}",
        )
    return table


def _print_notes(console: Console, notes: list[str]) -> None:
    for note in notes:
        console.print(f"note: {printable(note)}", markup=False, highlight=False, soft_wrap=True)


def _tell_end(console: Console, folder: Path, snapshot: Snapshot) -> None:
    inputs = sum(one.messages for one in snapshot.inputs)
    outputs = sum(one.messages for one in snapshot.outputs)
    dropped = sum(one.dropped for one in (*snapshot.inputs, *snapshot.outputs))
    console.print(
        f"{folder}: {inputs:,} messages to and {outputs:,} from {snapshot.node} in "
        f"{snapshot.duration_s:.1f} s, {dropped:,} dropped ({snapshot.ended})",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )
    if not inputs:
        console.print("note: nothing came to the node; is the rest of the system running?")
    if not read_snapshot(folder).made_here:
        _print_notes(console, [f"{_why_not_ours()}; replay asks before it starts the node"])
    console.print(
        f"Replay: wirecost replay {folder}", markup=False, highlight=False, soft_wrap=True
    )


def _why_not_ours() -> str:
    try:
        seal({})
    except UserError as error:
        return str(error)
    return "this was another user's process"


def _document(folder: Path, snapshot: Snapshot) -> dict[str, Any]:
    return {
        "recording": str(folder),
        "node": snapshot.node,
        "system": snapshot.system,
        "pid": snapshot.pid,
        "pid_found": snapshot.pid_found,
        "duration_s": snapshot.duration_s,
        "ended": snapshot.ended,
        "notes": snapshot.notes,
        "topics": [
            {
                "name": one.topic.name,
                "type": one.topic.type,
                "role": role,
                "qos": asdict(one.topic.qos),
                "after_s": one.after_s,
                "messages": one.messages,
                "dropped": one.dropped,
            }
            for role, topics in (("input", snapshot.inputs), ("output", snapshot.outputs))
            for one in topics
        ],
        "services": {
            "provides": [service.name for service in snapshot.provides],
            "calls": [service.name for service in snapshot.calls],
        },
    }


def _write_json(path: Path, document: dict[str, Any]) -> None:
    text = json.dumps(document, indent=2) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error
