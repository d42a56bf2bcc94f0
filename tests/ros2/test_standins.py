# SPDX-License-Identifier: Apache-2.0
"""Stand-ins of rclpy: message objects of the real types, in the Python of a ROS 2."""

from __future__ import annotations

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


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_each_process_pays_for_real_messages(distribution: str) -> None:
    python = python_of(distribution)
    library = ClientLibrary("rclpy", python)
    types = get_typestore(Stores.ROS2_JAZZY)
    messages = [
        bytes(types.serialize_cdr(types.types[TEXT](data="x" * length), TEXT))
        for length in (10, 2000)
    ]
    with scratch.run(), StandInProcesses(library, 1) as processes:
        processes.open(StandIn(library, TEXT, messages, 100.0))
        account = processes.turn(0.5)
        assert account.publisher.messages == 50
        assert account.bytes_per_s == pytest.approx(sum(map(len, messages)) / len(messages) * 100)
        assert account.received == 1
        assert len(account.latencies_ns) == 50
        assert (account.latencies_ns > 0).all()
        (subscriber,) = account.subscribers
        assert 0 < account.publisher.message_ns < subscriber.message_ns  # whose executor is rclpy's
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
