# SPDX-License-Identifier: Apache-2.0
"""Options of the commands on topics: the topic, where it is, and when to stop."""

from __future__ import annotations

from typing import Annotated

from wirecost.cli.options import argument, option, transport_names
from wirecost.system.errors import UserError


def _topic_names() -> list[str]:
    from wirecost.messaging.api.topics import topics

    try:
        return sorted({topic.topic for topic in topics()})
    except UserError:
        return []


Topic = Annotated[
    str, argument("TOPIC", "Name of the topic, as wirecost topics lists it.", known=_topic_names)
]
TransportName = Annotated[
    str | None,
    option(
        "Its transport; default: that of its sender on this machine.",
        "--transport",
        metavar="NAME",
        known=transport_names,
    ),
]
Address = Annotated[
    str | None,
    option("Its address; default: that of its sender on this machine.", metavar="ADDRESS"),
]
Count = Annotated[int | None, option("Stop after N messages; default: at Ctrl-C.", metavar="N")]


def check_count(name: str, count: float | None) -> None:
    """Raise UserError for what is no positive number."""
    if count is not None and not 0 < count < float("inf"):
        raise UserError(f"{name} {count:g}: must be positive")
