# SPDX-License-Identifier: Apache-2.0
"""The transport ``ros2`` with rclpy; runs in its Python: ``transport_scenario.py WHAT …``."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))

import pytest

from support.transport_peer import PATIENCE, Peer, content
from wirecost.messaging.transport import open_transport
from wirecost.messaging.transport.shared.loopback import may_become_open, own_sockets
from wirecost.system.errors import UserError

SIZES = [0, 1, 64, 5000, 60_000, 65_536, 320_000]
LARGE = 8_000_000
IN_FLIGHT = 8
SETTLED_PACKETS = 20
"""Of the kernel itself, when an interface is new: Fast DDS would send hundreds."""


def sent_elsewhere() -> int:
    """Packets that left by another interface than loopback."""
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    counters = {line.split(":")[0].strip(): line.split(":")[1].split() for line in lines}
    return sum(int(numbers[9]) for name, numbers in counters.items() if name != "lo")


def carry(count: int) -> None:
    """Send messages while another process takes them; the last is killed and another follows."""
    before = sent_elsewhere()
    peer = Peer("ros2", None)
    peer.call("subscriber", topic="carried")
    with open_transport("ros2") as transport, transport.publisher("carried") as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        sizes = [SIZES[k % len(SIZES)] if k % 50 else LARGE for k in range(count)]
        for first in range(0, count, IN_FLIGHT):
            batch = [content(size, 0) for size in sizes[first : first + IN_FLIGHT]]
            for frame in batch:
                publisher.send(frame)
            got = peer.call("receive", topic="carried", count=len(batch))
            assert [size for size, _ in got] == [frame.nbytes for frame in batch]
        seen = peer.call("count", topic="carried")
        assert (seen["received"], seen["lost"]) == (count, 0)
        assert [str(opened) for _, opened in own_sockets() if may_become_open(opened)] == []
        assert peer.call("open_to_all") == []
        peer.end()
    assert sent_elsewhere() - before < SETTLED_PACKETS


def begin() -> None:
    """Check that a message sent right after waiting for the subscriber reaches it."""
    peer = Peer("ros2", None)
    with open_transport("ros2") as transport:
        for topic in ("first", "second", "third"):
            peer.call("publisher", topic=topic)
            with transport.subscriber(topic, depth=1000) as subscriber:
                assert peer.call("wait", topic=topic)
                assert peer.call("send", topic=topic, sizes=[100] * 200, period=0.0002) == 200
                for number in range(200):
                    sample = subscriber.receive(PATIENCE)
                    assert sample is not None
                    assert sample.number == number
    peer.end()


def refuse() -> None:
    for address in ("x", "300", "5@no.such.machine.invalid", "5@"):
        with pytest.raises(UserError, match=r"^address .*: (a ROS domain|.*no machine's name)"):
            open_transport("ros2", address)
    with open_transport("ros2", "5") as transport:
        for topic in ("a b", "", "1x"):
            for make in transport.publisher, transport.subscriber:
                with pytest.raises(UserError, match=r"^ros2: topic .*: Invalid topic name[^\n]*$"):
                    make(topic)


if __name__ == "__main__":
    scenarios = {
        "begin": begin,
        "carry": lambda: carry(int(sys.argv[2])),
        "refuse": refuse,
    }
    scenarios[sys.argv[1]]()
