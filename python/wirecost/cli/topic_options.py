# SPDX-License-Identifier: Apache-2.0
"""What the commands on topics share: the topic, where it is, and when to stop."""

from __future__ import annotations

from typing import Annotated

import typer

from wirecost.cli.choices import completing, transport_names
from wirecost.errors import UserError


def _complete_topics(incomplete: str) -> list[str]:
    from wirecost.messaging.topics import topics

    try:
        found = topics()
    except UserError:
        return []
    return sorted({one.topic for one in found if one.topic.startswith(incomplete)})


Topic = Annotated[
    str,
    typer.Argument(
        metavar="TOPIC",
        help="Name of the topic, as wirecost topics lists it.",
        autocompletion=_complete_topics,
    ),
]
TransportName = Annotated[
    str | None,
    typer.Option(
        "--transport",
        metavar="NAME",
        help="Its transport; default: that of its sender on this machine.",
        autocompletion=completing(transport_names),
    ),
]
Address = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", help="Its address; default: that of its sender on this machine."
    ),
]
Count = Annotated[
    int | None, typer.Option(metavar="N", help="Stop after N messages; default: at Ctrl-C.")
]


def check_count(option: str, count: float | None) -> None:
    """Raises UserError for what is no positive number."""
    if count is not None and not 0 < count < float("inf"):
        raise UserError(f"{option} {count:g}: must be positive")
