# SPDX-License-Identifier: Apache-2.0
"""Nodes of ROS 1 read what is published, and see images.

Each side is a process, as rospy has one node in a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support import needs
from wirecost.messaging.transport import find, open_transport
from wirecost.system.errors import UserError

needs.transport("ros1")

SECONDS = 60
LISTENER = """
import json, sys, rospy
from {module}.msg import {kind}
rospy.init_node("listener", disable_signals=True, disable_rosout=True)
message = rospy.wait_for_message(sys.argv[1], {kind}, {seconds})
print(json.dumps({what}))
"""
TALKER = """
import sys, rospy
from std_msgs.msg import UInt8MultiArray
rospy.init_node("talker", disable_signals=True, disable_rosout=True)
topic = rospy.Publisher(sys.argv[1], UInt8MultiArray, queue_size=1)
while True:
    topic.publish(UInt8MultiArray(data=b"x" * 100))
    rospy.sleep(0.05)
"""
OURS = """
import sys
import numpy as np
from wirecost.tensor import encode
from wirecost.transport import open_transport
transport = open_transport("ros1", sys.argv[1])
"""


@pytest.fixture(scope="module")
def master() -> Iterator[str]:
    with needs.server("ros1") as address:
        assert address
        yield address


class Node:
    """A Python program that knows the master."""

    def __init__(self, program: str, master: str, folder: Path, *arguments: str) -> None:
        environment = {
            **os.environ,
            "ROS_MASTER_URI": master,
            "ROS_HOSTNAME": "127.0.0.1",
            "ROS_LOG_DIR": str(folder),
        }
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", program, *arguments],
            env=environment,
            stdout=subprocess.PIPE,
        )

    def last(self) -> Any:
        """Return what it printed last, as JSON."""
        output, _ = self._process.communicate(timeout=SECONDS)
        assert self._process.returncode == 0
        return json.loads(output.splitlines()[-1])

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def start(master: str, tmp_path: Path) -> Iterator[Any]:
    nodes: list[Node] = []

    def begin(program: str, *arguments: str) -> Node:
        nodes.append(Node(program, master, tmp_path, *arguments))
        return nodes[-1]

    yield begin
    for node in nodes:
        node.end()


def test_rospy_reads_a_frame_in_a_byte_array(start: Any, master: str) -> None:
    what = "[len(message.layout.dim), message.layout.data_offset, bytes(message.data).hex()]"
    listener = start(
        LISTENER.format(module="std_msgs", kind="UInt8MultiArray", seconds=SECONDS, what=what),
        "/bytes",
    )
    ours = start(
        OURS
        + """
with transport.publisher("/bytes") as topic:
    assert topic.wait_for_subscriber(60)
    frame = encode(np.arange(5.0))
    topic.send(frame)
    print('"' + frame.tobytes().hex() + '"')
    while topic.wait_for_subscriber(0):
        pass
""",
        master,
    )
    dimensions, offset, data = listener.last()
    frame = ours.last()
    assert (dimensions, offset) == (0, 0)
    # Four bytes of padding before, the trailer behind.
    assert data.startswith("00000000" + frame)
    assert len(data) == 2 * (4 + 24) + len(frame)


def test_a_strangers_message_is_refused(start: Any, master: str) -> None:
    start(TALKER, "/strange")
    ours = start(
        OURS
        + """
import json
from wirecost.system.errors import UserError
with transport.subscriber("/strange") as topic:
    try:
        topic.receive(60)
    except UserError as error:
        print(json.dumps(str(error)))
""",
        master,
    )
    assert "of 100 bytes" in ours.last()


def test_a_process_is_a_node_of_one_master(start: Any, master: str) -> None:
    with find("ros1").server() as another:
        assert another
        ours = start(
            OURS
            + """
import json
from wirecost.system.errors import UserError
open_transport("ros1", sys.argv[1])
try:
    open_transport("ros1", sys.argv[2])
except UserError as error:
    print(json.dumps(str(error)))
""",
            master,
            another,
        )
        assert "use another process" in ours.last()


@pytest.mark.parametrize("address", ["127.0.0.1:80", "http://", "http://x:y", "http://h:99999"])
def test_an_address_is_checked(address: str) -> None:
    with pytest.raises(UserError, match="the master's is needed"):
        open_transport("ros1", address)


def test_a_master_that_is_away_is_named() -> None:
    with needs.server("ros1") as address:
        assert address
    with pytest.raises(UserError, match=r"no ROS master at .*: start roscore"):
        open_transport("ros1", address)


def test_the_master_ends_with_its_user() -> None:
    with needs.server("ros1") as address:
        assert address
        port = address.rpartition(":")[2]
        assert f"-p\0{port}\0" in command_lines()
    assert f"-p\0{port}\0" not in command_lines()


def command_lines() -> str:
    lines = ""
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            lines += process.read_text(errors="replace")
    return lines
