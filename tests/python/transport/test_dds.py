# SPDX-License-Identifier: Apache-2.0
"""Another vendor's DDS reads what is published, under the names and types of ROS 2."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import needs
from wirecost.messaging.tensor import encode
from wirecost.messaging.transport import Transport, find, open_transport
from wirecost.system.errors import UserError

needs.transport("dds")

SECONDS = 60
NODES = Path(__file__).parents[2] / "nodes" / "dds"
READER = """
import json, sys, time, zlib
import ros_messages
from cyclonedds.domain import DomainParticipant
from cyclonedds.qos import Policy, Qos
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

participant = DomainParticipant(int(sys.argv[1]))
reliable = Qos(Policy.Reliability.Reliable(10**9), Policy.History.KeepLast(10))
topic = Topic(participant, sys.argv[2], getattr(ros_messages, sys.argv[3]))
reader = DataReader(participant, topic, reliable)
message = None
while message is None:
    for message in reader.take(1):
        pass
    time.sleep(0.01)
"""


@pytest.fixture(scope="module")
def domain() -> Iterator[str]:
    with find("dds").server() as address:
        assert address
        yield address


@pytest.fixture
def transport(domain: str) -> Iterator[Transport]:
    with open_transport("dds", domain) as transport:
        yield transport


def read_by_cyclone(
    domain: str, topic: str, kind: str, what: str, send: Callable[[], object]
) -> Any:
    """Return what a reader of Cyclone's prints of the first message that it gets.

    ``send`` is repeated until then."""
    from wirecost.replay.dds.domain import environment

    process = subprocess.Popen(
        [sys.executable, "-c", f"{READER}\nprint(json.dumps({what}))", domain, topic, kind],
        env={**os.environ, **environment(int(domain)), "PYTHONPATH": str(NODES)},
        stdout=subprocess.PIPE,
    )
    try:
        end = time.monotonic() + SECONDS
        while process.poll() is None and time.monotonic() < end:
            send()
            time.sleep(0.05)
        output, _ = process.communicate(timeout=1)
    finally:
        process.kill()
        process.wait()
    return json.loads(output)


@pytest.mark.parametrize("size", [0, 5, 200_000])
def test_another_vendor_reads_a_frame(domain: str, transport: Transport, size: int) -> None:
    frame = encode(np.arange(size, dtype=np.uint8))
    with transport.publisher(f"/frames_{size}") as topic:
        output = read_by_cyclone(
            domain,
            f"rt/frames_{size}",
            "UInt8MultiArray",
            "[len(message.layout.dim), len(message.data), zlib.crc32(bytes(message.data[:-24]))]",
            lambda: topic.send(frame),
        )
    # Behind the frame is the trailer.
    assert output == [0, frame.nbytes + 24, zlib.crc32(frame.tobytes())]


@pytest.mark.parametrize("address", ["x", "-1", "233", "²", "1.5", "@127.0.0.1"])
def test_a_domain_that_is_none(address: str) -> None:
    with pytest.raises(UserError, match="a DDS domain is needed"):
        open_transport("dds", address)


def test_an_interface_that_is_none(domain: str) -> None:
    with pytest.raises(UserError, match="is no interface's here"):
        open_transport("dds", f"{domain}@203.0.113.7")


@pytest.mark.parametrize("topic", ["", "/", "a//b", "a b", "ä", "x" * 300])
def test_a_topic_that_is_none(transport: Transport, topic: str) -> None:
    with pytest.raises(UserError, match="words of letters"):
        transport.publisher(topic)
    with pytest.raises(UserError, match="words of letters"):
        transport.subscriber(topic)
