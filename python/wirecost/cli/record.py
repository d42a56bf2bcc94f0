# SPDX-License-Identifier: Apache-2.0
"""``wirecost record``: what one node of a running system receives and sends, for replay."""

from __future__ import annotations

import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.empty_folder import empty_folder
from wirecost.cli.ending import Output, answering
from wirecost.cli.options import argument, duration, option, size
from wirecost.replay.systems import SYSTEMS, system_named
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    from wirecost.replay.recording.snapshot import Snapshot

EXAMPLE = "wirecost record /planner --out recording"


@answering()
def command(
    node: Annotated[str, argument("NODE", "Name of the node to record.")],
    launch: Annotated[
        list[str] | None, argument("-- COMMAND", "With --launch: the command that starts the node.")
    ] = None,
    system: Annotated[
        str,
        option(
            "The middleware: ros1, or dds (which includes ROS 2).", metavar="NAME", known=SYSTEMS
        ),
    ] = "ros1",
    pid: Annotated[
        int | None,
        option(
            "The number of the node's process, if the middleware does not report it.", metavar="PID"
        ),
    ] = None,
    launched: Annotated[
        bool, option("Start the node with the COMMAND after --.", "--launch")
    ] = False,
    out: Annotated[
        Path | None, option("Folder to create; default recordings/<time>-<node>.", metavar="DIR")
    ] = None,
    seconds: Annotated[
        float | None,
        duration("How long to record; default: until Ctrl-C.", "--for"),
    ] = None,
    domain: Annotated[
        int | None,
        option(
            "With --system dds: the domain; default: ROS_DOMAIN_ID, or else 0.",
            metavar="N",
            min=0,
            max=232,
        ),
    ] = None,
    interface: Annotated[
        list[str] | None,
        option(
            "With --system dds: also use this IPv4 address of the machine, not just loopback; "
            "can be repeated.",
            metavar="ADDRESS",
        ),
    ] = None,
    cache: Annotated[
        int | None, size("Memory for messages that wait for the disk.", "--cache", "256MiB")
    ] = None,
    *,
    output: Output,
) -> Answer:
    """Record one node's inputs and outputs, and how it was started."""
    from wirecost.cli.record_progress import recording_answer, recording_progress
    from wirecost.replay.record.record import Request, record
    from wirecost.replay.record.topics import CACHE_BYTES

    if launched != bool(launch):
        raise UserError("--launch: give the command that starts the node after --")
    for name, is_given in (("--domain", domain is not None), ("--interface", bool(interface))):
        if is_given and system == "ros1":
            raise UserError(f"{name}: is for --system dds; leave it out")
    request = Request(
        system_named(system), node, pid, launch or [], seconds, domain, _addresses(interface or []),
        CACHE_BYTES if cache is None else cache,
    )  # fmt: skip
    folder = out or _dated(node)
    output.check(folder)
    with empty_folder(folder):
        try:
            with _stop_by_signals() as stopped, recording_progress(output.console) as report:
                snapshot = record(request, folder, report, stopped)
        except UserError as error:
            if not any(folder.iterdir()):
                raise
            raise UserError(f"{error}; what was recorded before is in {folder}") from error
    return replace(recording_answer(folder, snapshot), document=_document(folder, snapshot))


def _addresses(texts: list[str]) -> tuple[str, ...]:
    import psutil

    own = {
        address.address
        for addresses in psutil.net_if_addrs().values()
        for address in addresses
        if address.family == socket.AF_INET
    }
    for text in texts:
        if text not in own:
            here = ", ".join(sorted(own))
            raise UserError(f"--interface {text}: not an address of this machine, which has {here}")
    return tuple(texts)


def _dated(node: str) -> Path:
    name = re.sub(r"\W+", "-", node).strip("-")
    return Path("recordings") / f"{datetime.now():%Y-%m-%dT%H-%M-%S}-{name}"


@contextmanager
def _stop_by_signals() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C and SIGTERM end the recording in order."""
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


def _document(folder: Path, snapshot: Snapshot) -> dict[str, object]:
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
                "name": entry.topic.name,
                "type": entry.topic.type,
                "role": role,
                "qos": asdict(entry.topic.qos),
                "after_s": entry.after_s,
                "messages": entry.messages,
                "dropped": entry.dropped,
                "overflowed": entry.overflowed,
            }
            for role, topics in (("input", snapshot.inputs), ("output", snapshot.outputs))
            for entry in topics
        ],
        "services": {
            "provides": [service.name for service in snapshot.provides],
            "calls": [service.name for service in snapshot.calls],
        },
    }
