# SPDX-License-Identifier: Apache-2.0
"""``wirecost echo``: the messages of a topic in short, as they come."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

from wirecost.cli.options import option
from wirecost.cli.topic_options import Address, Count, Topic, TransportName, check_count
from wirecost.system.errors import UserError
from wirecost.system.printable import printable

if TYPE_CHECKING:
    from wirecost.messaging.api import Subscription

EXAMPLE = "wirecost echo camera --count 3"

BETWEEN = "---"


def command(
    topic: Topic,
    transport: TransportName = None,
    address: Address = None,
    count: Count = None,
    as_json: Annotated[bool, option("Print each message as one line of JSON.", "--json")] = False,
) -> None:
    """Print a topic's messages: types, shapes, first values."""
    from wirecost.cli.message_summary import summary
    from wirecost.cli.message_text import lines
    from wirecost.messaging.api import subscribe
    from wirecost.messaging.api.topics import find_topic
    from wirecost.results.records import json_document

    check_count("--count", count)
    name, place = find_topic(topic, transport, address)
    # Neither the sender's frameworks nor devices are needed here.
    with subscribe(name, topic, address=place, as_="numpy") as messages:
        number = 0
        while count is None or number < count:
            message, why = _next(messages)
            number += 1
            if why is not None:
                print(f"wirecost: {printable(why)}", file=sys.stderr, flush=True)
                continue
            if as_json:
                print(json_document.text(summary(message), None), flush=True)
            else:
                print(*lines(summary(message)), BETWEEN, sep="\n", flush=True)
            del message  # its memory is the transport's


def _next(messages: Subscription) -> tuple[Any, str | None]:
    """Return the next message, or why it cannot be read."""
    try:
        return messages.receive(), None
    except UserError as error:
        return None, str(error)
