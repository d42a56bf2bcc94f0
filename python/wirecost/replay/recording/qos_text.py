# SPDX-License-Identifier: Apache-2.0
"""Quality of service as rosbag2 writes it into a channel's ``offered_qos_profiles``."""

from __future__ import annotations

from wirecost.replay.middleware import Qos

INFINITE_S, INFINITE_NS = 9223372036, 854775807
KEEP_LAST, KEEP_ALL = 1, 2
RELIABILITY = {"reliable": 1, "best_effort": 2}
DURABILITY = {"transient_local": 1, "volatile": 2}
LIVELINESS = {"automatic": 1, "manual_by_topic": 3}


def profiles(qos: Qos) -> str:
    """Return a YAML list of one profile, with the numbers of rmw."""
    lines = [
        f"history: {KEEP_ALL if qos.depth is None else KEEP_LAST}",
        f"depth: {qos.depth or 0}",
        f"reliability: {RELIABILITY[qos.reliability]}",
        f"durability: {DURABILITY[qos.durability]}",
        *_duration("deadline", qos.deadline_ns),
        *_duration("lifespan", qos.lifespan_ns),
        f"liveliness: {LIVELINESS[qos.liveliness]}",
        *_duration("liveliness_lease_duration", qos.lease_ns),
        "avoid_ros_namespace_conventions: false",
    ]
    return "- " + "\n  ".join(lines) + "\n"


def _duration(name: str, ns: int | None) -> list[str]:
    seconds, rest = (INFINITE_S, INFINITE_NS) if ns is None else divmod(ns, 10**9)
    return [f"{name}:", f"  sec: {seconds}", f"  nsec: {rest}"]
