# SPDX-License-Identifier: Apache-2.0
"""Sections of a node that has no probes: hooks record its callbacks while it is played to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wirecost.errors import UserError
from wirecost.probe.run.environment import hooks_named, prepare
from wirecost.probe.run.hook import Request
from wirecost.probe.run.target import find

OF_SYSTEM = {"ros1": ("ros1", "rospy"), "dds": ("ros2", "rclpy")}
"""By the names of systems."""


def hooked(
    system: str, program: str, environment: Mapping[str, str], probes: Path
) -> dict[str, str]:
    """``environment`` with hooks that record into ``probes``; as it is where there are none for the
    system or the program cannot have any: the node runs in any case."""
    names = OF_SYSTEM.get(system, ())
    try:
        target = find([program], environment.get("PATH"))
        prepared = prepare(target, hooks_named(names), Request(probed=True), probes, environment)
    except UserError:
        return dict(environment)
    return prepared.environment
