# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of rclpy: message objects of the real types, in the Python of a ROS 2."""

from __future__ import annotations

import mmap
import sys
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

from support.ros2_wheels import DISTRIBUTIONS, python_of
from wirecost.measure.standins.description import ClientLibrary, StandIn
from wirecost.measure.standins.processes import StandInProcesses
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

TEXT = "std_msgs/msg/String"
TYPES = get_typestore(Stores.ROS2_JAZZY)
LARGE = 2_000_000


def _text(data: str) -> bytes:
    return bytes(TYPES.serialize_cdr(TYPES.types[TEXT](data=data), TEXT))


def minor_faults(processes: StandInProcesses) -> int:
    """Return those of all subscribers until now."""
    stats = [Path(f"/proc/{one.pid}/stat").read_text() for one in processes._receivers]
    return sum(int(text.rpartition(")")[2].split()[7]) for text in stats)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_each_process_pays_for_real_messages(distribution: str) -> None:
    python = python_of(distribution)
    library = ClientLibrary("rclpy", python)
    messages = [_text("x" * length) for length in (10, 2000)]
    with scratch.run(), StandInProcesses(library, 1) as processes:
        processes.open(StandIn(library, TEXT, messages, 100.0))
        account = processes.turn(0.5)
        sent = account.publisher.messages
        assert 10 <= sent <= 50  # a timer leaves out what it is late for on a busy machine
        each = sum(map(len, messages)) / len(messages)
        assert account.bytes_per_s == pytest.approx(each * sent / 0.5, rel=0.05)
        assert account.received == 1
        assert len(account.latencies_ns) == sent
        assert (account.latencies_ns > 0).all()
        (subscriber,) = account.subscribers
        assert 0 < account.publisher.message_ns < subscriber.message_ns  # whose executor is rclpy's
        processes.open(StandIn(library, TEXT, [_text("x" * LARGE)], 10.0))
        before = minor_faults(processes)
        account = processes.turn(1.0)
        taken = account.subscribers[0].messages
        # As in a node that works with what it takes, memory stays with the process.
        assert minor_faults(processes) - before < taken * LARGE / mmap.PAGESIZE / 4
        with pytest.raises(ProgramFailedError, match="nowhere_msgs/msg/Nothing is not in"):
            processes.open(StandIn(library, "nowhere_msgs/msg/Nothing", messages, 100.0))


def test_a_python_without_rclpy_is_refused() -> None:
    library = ClientLibrary("rclpy", Path(sys.executable))
    with (
        scratch.run(),
        StandInProcesses(library, 1) as processes,
        pytest.raises(UserError, match="has no rclpy"),
    ):
        processes.open(StandIn(library, TEXT, [b""], 100.0))
