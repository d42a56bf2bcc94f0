# SPDX-License-Identifier: Apache-2.0
"""A found node as the contract describes it."""

from __future__ import annotations

import socket
from collections.abc import Iterable, Sequence
from pathlib import Path

import psutil

from wirecost import _dds
from wirecost.replay.dds import names, qos
from wirecost.replay.dds.definitions import definition
from wirecost.replay.dds.discovery import FoundNode
from wirecost.replay.middleware import NodeGraph, Service, Topic


def graph_of(node: FoundNode, everything: Iterable[_dds.FoundEndpoint]) -> NodeGraph:
    """Return the node's topics and services; ``everything``: all endpoints of the domain.

    Where the node announces no type hash, that of another endpoint of the same topic is taken.
    """
    hashes = {
        (each.topic, each.type): hash_
        for each in everything
        if (hash_ := names.type_hash(each.user_data))
    }
    return NodeGraph(
        name=node.name,
        pid=process_of(node.participant),
        subscribed=_topics(node.readers, hashes),
        published=_topics(node.writers, hashes),
        provides=_services(node.readers, node.writers, hashes),
        calls=_services(node.writers, node.readers, hashes),
    )


def _topics(
    endpoints: Sequence[_dds.FoundEndpoint], hashes: dict[tuple[str, str], str]
) -> list[Topic]:
    topics: dict[str, Topic] = {}
    for each in endpoints:
        name = names.topic_from_dds(each.topic)
        if name is None or name in topics:
            continue
        type_ = names.type_from_dds(each.type)
        hash_ = names.type_hash(each.user_data) or hashes.get((each.topic, each.type), "")
        topics[name] = Topic(name, type_, hash_, definition(type_, hash_), qos.from_dds(each.qos))
    return [topics[name] for name in sorted(topics)]


def _services(
    requests: Sequence[_dds.FoundEndpoint],
    replies: Sequence[_dds.FoundEndpoint],
    hashes: dict[tuple[str, str], str],
) -> list[Service]:
    """Services that the node has both ends of: requests in and replies out, or the reverse."""
    replied = {names.service_of_reply(each.topic) for each in replies}
    services: dict[str, Service] = {}
    for each in requests:
        service = names.service_of_request(each.topic, each.type)
        if service is not None and service[0] in replied:
            hash_ = names.type_hash(each.user_data) or hashes.get((each.topic, each.type), "")
            services[service[0]] = Service(*service, hash_)
    return [services[name] for name in sorted(services)]


_MACHINE_ID = Path("/etc/machine-id")
_MOST_DIGITS = 10


def process_of(participant: _dds.FoundParticipant) -> int | None:
    """Return the process's number; None where it is not announced or is not here.

    A process is here if it has one of the participant's sockets: a container has process numbers of
    its own, and may have our host name.
    """
    announced = participant.properties
    pid = announced.get("__Pid") or announced.get("fastdds.physical_data.process", "")
    host = announced.get("__Hostname") or announced.get("fastdds.physical_data.host", "")
    if not (pid.isascii() and pid.isdigit() and len(pid) <= _MOST_DIGITS and _is_here(host)):
        return None
    try:
        sockets = psutil.Process(int(pid)).net_connections("udp")
    except psutil.AccessDenied:
        return int(pid)  # another user's, which is said where it cannot be recorded
    except psutil.Error:
        return None
    own = {each.laddr.port for each in sockets if each.laddr}
    return int(pid) if own & participant.ports else None


def _is_here(host: str) -> bool:
    """Return whether that names this host.

    Cyclone gives the host's name, Fast DDS 2 the name and a number, Fast DDS 3 the machine's
    identity.
    """
    here = socket.gethostname()
    if host in {here, f"{here}:{host.rpartition(':')[2]}"}:
        return True
    try:
        return bool(host) and host == _MACHINE_ID.read_text().strip()
    except OSError:
        return False
