# SPDX-License-Identifier: Apache-2.0
"""``wirecost topics``: what is sent on this machine, by whom, since when."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from rich import box
from rich.table import Table
from rich.text import Text

from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.system.printable import printable
from wirecost.system.terminal import Console

if TYPE_CHECKING:
    from wirecost.messaging.api.topics import OpenTopic

EXAMPLE = "wirecost topics"

NOWHERE = "–"


def command(json_file: JsonFile = None) -> None:
    """List your open topics on this machine: senders, messages."""
    from wirecost.messaging.api.topics import topics

    open_topics = topics()
    console = console_beside(json_file)
    if open_topics:
        console.print(_table(open_topics))
    else:
        _say(console, "No process of yours on this machine publishes a topic of wirecost.")
    write_json(json_file, {"topics": [asdict(topic) for topic in open_topics]})


def _table(open_topics: list[OpenTopic]) -> Table:
    with_address = any(topic.address is not None for topic in open_topics)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("transport", no_wrap=True)
    table.add_column("topic", overflow="fold")
    if with_address:
        table.add_column("address", overflow="fold")
    table.add_column("carries", overflow="fold", ratio=1)
    table.add_column("process", overflow="fold")
    table.add_column("since", no_wrap=True)
    table.add_column("sent", justify="right", no_wrap=True)
    for topic in open_topics:
        table.add_row(*(Text(printable(cell)) for cell in _cells(topic, with_address)))
    return table


def _cells(topic: OpenTopic, with_address: bool) -> Iterator[str]:
    yield topic.transport
    yield topic.topic
    if with_address:
        yield topic.address or NOWHERE
    yield topic.carries or NOWHERE
    yield f"{topic.pid} {topic.program}"
    yield _time(topic.since)
    yield f"{topic.sent:,}"


def _time(since: float) -> str:
    """Return the time of day, or the date of a former day."""
    then = datetime.fromtimestamp(since)
    today = then.date() == datetime.now().date()
    return f"{then:%H:%M:%S}" if today else f"{then:%Y-%m-%d}"


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False)
