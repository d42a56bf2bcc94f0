# SPDX-License-Identifier: Apache-2.0
"""Quality of service between the contract and the endpoints."""

from __future__ import annotations

from dataclasses import replace

from wirecost import _dds
from wirecost.replay.middleware import Qos

# Reliable, and not kept for late joiners.
SERVICE = _dds.Qos(reliable=True, transient_local=False, depth=10)
KEPT = _dds.Qos(reliable=True, transient_local=True, depth=1)


def to_dds(qos: Qos) -> _dds.Qos:
    return _dds.Qos(
        reliable=qos.reliability == "reliable",
        transient_local=qos.durability == "transient_local",
        depth=qos.depth or 0,
        deadline_ns=qos.deadline_ns or 0,
        lifespan_ns=qos.lifespan_ns or 0,
        lease_ns=qos.lease_ns or 0,
        manual_liveliness=qos.liveliness == "manual_by_topic",
    )


def to_send_all(qos: Qos) -> _dds.Qos:
    """Return the QoS as offered, but keep all that a reliable reader has not taken yet.

    A replay is to bring what the recording brought. Late readers get as much as before.
    """
    patient = qos.reliability == "reliable" and qos.durability == "volatile"
    return to_dds(replace(qos, depth=None) if patient else qos)


def from_dds(qos: _dds.Qos) -> Qos:
    """Return a QoS as discovered; discovery does not carry the depth.

    It is ROS 2's default where only present readers count, all messages where late readers get
    them.
    """
    return Qos(
        reliability="reliable" if qos.reliable else "best_effort",
        durability="transient_local" if qos.transient_local else "volatile",
        depth=None if qos.transient_local else 10,
        deadline_ns=qos.deadline_ns or None,
        lifespan_ns=qos.lifespan_ns or None,
        liveliness="manual_by_topic" if qos.manual_liveliness else "automatic",
        lease_ns=qos.lease_ns or None,
    )


def any_of_class(reliable: bool, transient_local: bool) -> _dds.Qos:
    """Return a reader that every writer matches which offers just that."""
    return _dds.Qos(reliable=reliable, transient_local=transient_local, depth=0)


def why_not(offered: _dds.Qos, asked: _dds.Qos) -> str:
    """Return what of a writer's QoS does not suffice for a reader, empty where all does."""
    later = float("inf")  # what 0 stands for
    too_weak = {
        "reliability": asked.reliable and not offered.reliable,
        "durability": asked.transient_local and not offered.transient_local,
        "deadline": (offered.deadline_ns or later) > (asked.deadline_ns or later),
        "liveliness": asked.manual_liveliness and not offered.manual_liveliness,
        "liveliness lease": (offered.lease_ns or later) > (asked.lease_ns or later),
    }
    names = [name for name, is_too_weak in too_weak.items() if is_too_weak]
    return f"the publisher offers less {', '.join(names)}" if names else ""
