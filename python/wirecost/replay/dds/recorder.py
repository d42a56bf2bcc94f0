# SPDX-License-Identifier: Apache-2.0
"""Listening in a running DDS domain."""

from __future__ import annotations

import difflib
import time
from typing import Self

from wirecost import _dds
from wirecost._middleware import Queue
from wirecost.data.messages.cdr_values import CdrError
from wirecost.replay.dds.client import NoReplyError
from wirecost.replay.dds.discovery import RECORDER, Discovery, FoundNode
from wirecost.replay.dds.domain import LOOPBACK, addresses, domain_number
from wirecost.replay.dds.graph import graph_of
from wirecost.replay.dds.listening import Listening
from wirecost.replay.dds.node_parameters import NodeParameters
from wirecost.replay.dds.watching import Watching
from wirecost.replay.middleware import ALL, Call, NodeGraph, Publishers, Topic
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

ENCLAVE = b"enclave=/;"
# A node that has just come announces itself by then.
_PATIENCE_S = 1.5
_CHECK_S = 0.05
# In which nodes on Fast DDS find each other: they repeat their announcements every 3 s.
_NEWCOMERS_WAIT_S = 3.5


class DdsRecorder:
    """A ``Recorder`` of ROS 2 and of other DDS programs on this machine.

    ``domain`` None is ``ROS_DOMAIN_ID``, else 0. ``interfaces`` are IPv4 addresses of this machine
    in addition to loopback, for programs that do not listen there.
    """

    def __init__(self, domain: int | None, interfaces: tuple[str, ...] = ()) -> None:
        self._domain = domain_number(domain)
        self._interfaces = (LOOPBACK, *interfaces)

    def __enter__(self) -> Self:
        try:
            self._participant = _dds.Participant(self._domain, RECORDER, ENCLAVE, self._interfaces)
        except RuntimeError as error:
            raise UserError(f"{error}; choose another ROS_DOMAIN_ID") from error
        self._discovery = Discovery(self._participant)
        self._listening = Listening(self._participant, self._discovery, live_only=True)
        self._late = _dds.Participant(
            self._domain, RECORDER, ENCLAVE, self._interfaces, _NEWCOMERS_WAIT_S
        )
        self._watching = Watching(self._participant, self._late, self._discovery)
        self._notes: dict[str, None] = {}
        self._reported: set[str] = set()
        self._discovery.settle()
        return self

    def __exit__(self, *raised: object) -> None:
        self._listening.close()
        self._watching.close()
        self._late.close()
        self._discovery.close()
        self._participant.close()

    def nodes(self) -> list[str]:
        return sorted({node.name for node in self._discovery.nodes()})

    def graph(self, node: str) -> NodeGraph:
        discovered = self._find(node)
        graph = graph_of(discovered, self._participant.endpoints())
        if graph.pid is not None:
            self._notes.setdefault(f"{graph.name}: process {graph.pid}, as its DDS announces it")
        return graph

    def listen(self, topic: Topic, channel: int, queue: Queue, of: Publishers = ALL) -> None:
        self._listening.add(topic, channel, queue, of)

    def watch_services(self, graph: NodeGraph) -> None:
        self._watching.watch(graph)

    def calls(self) -> list[Call]:
        return self._watching.calls()

    def parameters(self, node: str) -> dict[str, object]:
        discovered = self._find(node)
        parameters = NodeParameters(self._participant, discovered)
        if not parameters.readable():
            return {}
        try:
            return dict(parameters.read())
        except (NoReplyError, CdrError) as error:
            self._notes.setdefault(f"{discovered.name}: its parameters could not be read ({error})")
            return {}

    def notes(self) -> list[str]:
        notes = [*self._notes, *self._listening.notes, *self._watching.notes]
        new = [note for note in notes if note not in self._reported]
        self._reported.update(new)
        return new

    def _find(self, name: str) -> FoundNode:
        full_name = name if name.startswith("/") else f"/{name}"
        end = Deadline(_PATIENCE_S)
        while True:
            nodes = self._discovery.nodes()
            matches = [node for node in nodes if node.name == full_name]
            late = end.passed
            if matches and (late or all(node.complete for node in matches)):
                break
            if late:
                raise UserError(self._not_found(full_name, [node.name for node in nodes]))
            time.sleep(_CHECK_S)
        if len(matches) > 1:
            self._notes.setdefault(
                f"{full_name}: {len(matches)} nodes have that name; one of them is recorded"
            )
        return matches[0]

    def _not_found(self, name: str, present: list[str]) -> str:
        where = f"DDS domain {self._domain} on {', '.join(self._interfaces)}"
        if others := addresses() - set(self._interfaces):
            where += (
                f" (not looked at: {', '.join(f'--interface {each}' for each in sorted(others))})"
            )
        if not present:
            return f"no program is in {where}; start the system, or set ROS_DOMAIN_ID"
        present = sorted(set(present))
        near = difflib.get_close_matches(name, present, n=3, cutoff=0.4) or present[:3]
        return f"no node {name} in {where}; the nearest names are {', '.join(near)}"
