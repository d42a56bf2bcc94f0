# SPDX-License-Identifier: Apache-2.0
"""The topics of this user that are open on this machine, as their senders announce them."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from wirecost.messaging.transport.shared.announced import Announced, announced
from wirecost.system.errors import UserError
from wirecost.system.printable import is_unicode, printable

MOST_LETTERS = 1024
"""Most letters of a text in an announcement."""
_LATEST = 32_503_680_000
"""The year 3000: what is later is no time."""


@dataclass(frozen=True)
class OpenTopic:
    """One sender of a topic; a topic may have several."""

    transport: str
    topic: str
    address: str | None
    """The ``address`` of ``publish``."""
    pid: int
    """Number of its process as that knows itself: in a container, not as others do."""
    program: str
    since: float
    """Seconds since 1970."""
    carries: str = ""
    """Kinds, types of elements and shapes of its first message; empty before that."""
    sent: int = 0


def opened(transport: str, topic: str, address: str | None) -> OpenTopic:
    """Return a sender in this process, from now on."""
    return OpenTopic(transport, topic, address, os.getpid(), _program(), time.time())


def _program() -> str:
    """Return the script, or what ``python -m`` was given."""
    script = Path(sys.argv[0] if sys.argv else "")
    name = script.parent.name if script.name == "__main__.py" else script.name
    return "python" if not name or name.startswith("-") else name


def announcement(one: OpenTopic) -> bytes:
    """Return what ``topics`` reads of it."""
    fields = asdict(one)
    del fields["sent"]
    return json.dumps(fields).encode()


def topics() -> list[OpenTopic]:
    """Return all open topics, by transport and name, without what was damaged. Raises UserError."""
    open_topics = [topic for each in announced() if (topic := _read(each)) is not None]
    return sorted(open_topics, key=lambda topic: (topic.transport, topic.topic, topic.since))


def _read(found: Announced) -> OpenTopic | None:
    try:
        fields = json.loads(found.text)
    except (ValueError, RecursionError):
        return None
    if type(fields) is not dict or fields.keys() != _KINDS.keys():
        return None
    if not all(type(fields[name]) in kinds for name, kinds in _KINDS.items()):
        return None
    if any(type(value) is str and len(value) > MOST_LETTERS for value in fields.values()):
        return None
    if not (0 < fields["pid"] < 1 << 31 and 0 <= fields["since"] < _LATEST):
        return None
    return replace(OpenTopic(**fields), sent=found.sent)


_KINDS: dict[str, tuple[type, ...]] = {
    "transport": (str,),
    "topic": (str,),
    "address": (str, type(None)),
    "pid": (int,),
    "program": (str,),
    "since": (float, int),
    "carries": (str,),
}


def check_names(topic: str, address: str | None) -> None:
    """Raise UserError for one that is no text: no transport could carry its name."""
    for what, name in (("topic", topic), ("address", address or "")):
        if not is_unicode(name):
            raise UserError(f"{what} {printable(name)}: not UTF-8; name it in UTF-8")


def find_topic(
    topic: str, transport: str | None = None, address: str | None = None
) -> tuple[str, str | None]:
    """Return transport and address that a topic is published at on this machine.

    With a transport given, a topic that nobody publishes yet has the given address. Raises
    UserError where nobody publishes it, or over several transports or addresses, which it names.
    """
    check_names(topic, address)
    open_now = [open_topic for open_topic in topics() if open_topic.topic == topic]
    usable = sorted(
        {
            (open_topic.transport, open_topic.address or "")
            for open_topic in open_now
            if transport in (None, open_topic.transport) and address in (None, open_topic.address)
        }
    )
    if not usable:
        if transport is None:
            raise UserError(_nobody(topic, address, open_now))
        return transport, address
    transports = sorted({name for name, _ in usable})
    if len(transports) > 1:
        raise UserError(
            f"{topic}: published over {' and '.join(transports)}; give --transport"
            f" {' or '.join(transports)}"
        )
    if len(usable) > 1:
        places = " and ".join(place or "its usual address" for _, place in usable)
        raise UserError(f"{topic}: published over {transports[0]} at {places}; give --address")
    return transports[0], usable[0][1] or None


def _nobody(topic: str, address: str | None, open_now: list[OpenTopic]) -> str:
    remedy = "start its sender, or give --transport, and --address for one on another machine"
    if open_now and address is not None:
        places = sorted({open_topic.address or "its usual address" for open_topic in open_now})
        return f"{topic}: not published at {address} but at {' and '.join(places)}; {remedy}"
    return f"{topic}: no process of yours on this machine publishes it; {remedy}"
