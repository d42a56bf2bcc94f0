# SPDX-License-Identifier: Apache-2.0
"""Nodes of a domain and what belongs to them."""

from __future__ import annotations

import threading
from collections.abc import Container, Sequence
from dataclasses import dataclass

from wirecost import _dds
from wirecost.data.messages.cdr_values import CdrError
from wirecost.replay.dds import entities, names, qos
from wirecost.system.waiting import Deadline, wait_until

RECORDER, REPLAYER = "wirecost_record", "wirecost_replay"
OWN_NAMES = (RECORDER, REPLAYER)

_PREFIX_BYTES = 12
_INBOX_BYTES = 16 << 20
# A participant answers within some milliseconds; a busy machine takes longer.
_FIRST_S = 1.5
_QUIET_S = 0.4
# Fast DDS repeats every second what was not acknowledged.
_CONFIRMED_S = 3.0
_LOOK_S = 0.01


@dataclass(frozen=True)
class FoundNode:
    """``complete``: all readers and writers that it announces have been found."""

    name: str
    participant: _dds.FoundParticipant
    readers: Sequence[_dds.FoundEndpoint]
    writers: Sequence[_dds.FoundEndpoint]
    complete: bool


class Discovery:
    """Nodes by ``ros_discovery_info``, as ROS 2 announces them.

    A participant without it is one node by its own name or its process's.
    """

    def __init__(self, participant: _dds.Participant) -> None:
        self._participant = participant
        self._lock = threading.Lock()
        self._announcements = 0
        self._announced: dict[bytes, Sequence[entities.NodeEntities]] = {}
        self._inbox = _dds.Inbox(
            participant,
            names.DISCOVERY_TOPIC,
            names.DISCOVERY_TYPE,
            qos.KEPT,
            b"",
            _INBOX_BYTES,
        )

    def close(self) -> None:
        self._inbox.close()

    def settle(self) -> None:
        """Wait until a participant answers, nothing new is announced, and all have acknowledged us.

        What is announced from then on arrives at once; an announcement that came too early is
        repeated a second later.
        """
        first = Deadline(_FIRST_S)
        seen, changes = -1, 0
        while not first.passed and (changes != seen or not self._participant.endpoints()):
            seen = changes
            changes = self._participant.wait(seen, _QUIET_S)
        wait_until(lambda: not self._inbox.unconfirmed(), _CONFIRMED_S, _LOOK_S)

    def vendor(self, guid: bytes) -> int:
        """Return the vendor of the participant that the endpoint belongs to; 0 where it is gone."""
        for participant in self._participant.participants():
            if participant.guid[:_PREFIX_BYTES] == guid[:_PREFIX_BYTES]:
                return participant.vendor
        return 0

    def wait(self, seen: tuple[int, int], timeout_s: float) -> tuple[int, int]:
        """Wait for changes in the domain and ask for announcements; return the counts of both."""
        changes = self._participant.wait(seen[0], timeout_s)
        with self._lock:
            self._read_announcements()
            return changes, self._announcements

    def nodes(self) -> list[FoundNode]:
        with self._lock:
            return self._nodes()

    def _nodes(self) -> list[FoundNode]:
        self._read_announcements()
        participants = {each.guid: each for each in self._participant.participants()}
        self._forget_all_but(participants.keys())
        endpoints = {each.guid: each for each in self._participant.endpoints()}
        nodes = []
        for guid, participant in participants.items():
            announced = self._announced.get(guid)
            if announced is None:
                if participant.name in OWN_NAMES:
                    continue
                announced = [_as_one_node(participant, list(endpoints.values()))]
            for node in announced:
                readers = [endpoints[each] for each in node.readers if each in endpoints]
                writers = [endpoints[each] for each in node.writers if each in endpoints]
                all_found = len(readers) + len(writers) == len(node.readers) + len(node.writers)
                nodes.append(FoundNode(node.name, participant, readers, writers, all_found))
        return sorted(nodes, key=lambda node: node.name)

    def writers_of(self, node: str) -> tuple[set[bytes], set[bytes]]:
        """Return writers of the nodes with that name, and their participants' unclaimed writers."""
        nodes = self.nodes()
        own = {each.guid for other in nodes if other.name == node for each in other.writers}
        homes = {other.participant.guid[:_PREFIX_BYTES] for other in nodes if other.name == node}
        claimed = {each.guid for other in nodes for each in other.writers}
        unclaimed = {
            each.guid
            for each in self._participant.endpoints()
            if each.writer and each.guid[:_PREFIX_BYTES] in homes and each.guid not in claimed
        }
        return own, unclaimed

    def topics_read(self) -> set[str]:
        """Return topics that others read, recorders left out."""
        recorders = {
            each.guid[:_PREFIX_BYTES]
            for each in self._participant.participants()
            if each.name == RECORDER
        }
        return {
            each.topic
            for each in self._participant.endpoints()
            if not each.writer and each.guid[:_PREFIX_BYTES] not in recorders
        }

    def owner(self, guid: bytes) -> str:
        """Return the node that a reader or writer belongs to; empty where unknown."""
        for node in self.nodes():
            if any(guid == each.guid for each in (*node.readers, *node.writers)):
                return node.name
        return ""

    def _read_announcements(self) -> None:
        for _, _, writer, _, _, _, message in self._inbox.take(0):
            try:
                announced = entities.read(message)
            except CdrError:
                continue
            # Each participant announces only itself, which bounds what is kept.
            if announced.participant[:_PREFIX_BYTES] == writer[:_PREFIX_BYTES]:
                self._announced[announced.participant] = announced.nodes
                self._announcements += 1

    def _forget_all_but(self, present: Container[bytes]) -> None:
        for guid in [guid for guid in self._announced if guid not in present]:
            del self._announced[guid]


def _as_one_node(
    participant: _dds.FoundParticipant, endpoints: Sequence[_dds.FoundEndpoint]
) -> entities.NodeEntities:
    own = [
        each for each in endpoints if each.guid[:_PREFIX_BYTES] == participant.guid[:_PREFIX_BYTES]
    ]
    name = participant.name.strip("/") or participant.properties.get("__ProcessName", "")
    return entities.NodeEntities(
        f"/{name or 'participant_' + participant.guid[:_PREFIX_BYTES].hex()}",
        [each.guid for each in own if not each.writer],
        [each.guid for each in own if each.writer],
    )
