# SPDX-License-Identifier: Apache-2.0
"""Losses of a slow subscriber where nothing comes behind it, over every transport."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from support import needs
from support.transport_peer import Peer, runtime_folder
from wirecost.messaging.transport import names


@pytest.fixture(params=names())
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, str | None]]:
    """Return a transport's name and where it is."""
    with runtime_folder(), needs.server(request.param) as address:
        yield request.param, address


@pytest.mark.parametrize("end", ["closed", "killed"])
def test_what_is_lost_at_the_end_is_counted(place: tuple[str, str | None], end: str) -> None:
    sender, receiver = Peer(*place), Peer(*place)
    topic = f"losses/{end}"
    receiver.call("subscriber", topic=topic, depth=4)
    sender.call("publisher", topic=topic)
    assert sender.call("wait", topic=topic)
    sender.call("send", topic=topic, sizes=[10])
    assert receiver.call("receive", topic=topic, count=1)
    # More than sockets and queues have room for, so that somebody must lose or wait; nobody
    # receives meanwhile, unless the sender waits for that.
    sender.begin("send", topic=topic, sizes=[200_000] * 300)
    time.sleep(0.5)
    while not sender.answered():
        receiver.call("drain", topic=topic, silence=0.1)
    sender.answer()
    sent = 301  # what the publisher itself dropped has a number too
    count = receiver.call("count", topic=topic)
    assert count["received"] + count["lost"] + count["outstanding"] == sent
    if end == "killed":
        sender.signal(signal.SIGKILL)
    sender.end()
    receiver.call("drain", topic=topic, silence=0.5)
    count = receiver.call("count", topic=topic)
    assert count["outstanding"] == 0
    assert count["received"] + count["lost"] == sent
    assert receiver.end() == 0
