# SPDX-License-Identifier: Apache-2.0
"""ROS 1 without its libraries: the XML-RPC APIs of master and nodes, and TCPROS."""

from __future__ import annotations

from wirecost.replay.middleware import IsolatedSystem, Recorder

MCAP_NAMES = ("ros1", "ros1", "ros1msg")
"""Profile, message encoding and schema encoding of its recordings."""
PLUGIN_ORDER = 1


def new_recorder(domain: int | None, interfaces: tuple[str, ...] = ()) -> Recorder:  # noqa: ARG001
    """Record in the system of $ROS_MASTER_URI; ROS 1 has no domains and names its hosts."""
    from wirecost.replay.ros1.recorder import Ros1Recorder  # noqa: PLC0415

    return Ros1Recorder()


def new_isolated_system() -> IsolatedSystem:
    """Return a system of its own, on loopback; nothing is started before it is entered."""
    from wirecost.replay.ros1.isolated_system import Ros1IsolatedSystem  # noqa: PLC0415

    return Ros1IsolatedSystem()
