# SPDX-License-Identifier: Apache-2.0
"""Reading and setting the parameters of a running node."""

from __future__ import annotations

from collections.abc import Mapping

from wirecost import _dds
from wirecost.replay.dds import parameters
from wirecost.replay.dds.client import Client
from wirecost.replay.dds.discovery import FoundNode
from wirecost.replay.dds.graph import graph_of
from wirecost.replay.middleware import Service

_PATIENCE_S = 5.0


class NodeParameters:
    """Parameters of a node, through its own services.

    What asks raises ``NoReplyError`` where no reply comes in time and ``CdrError`` where it has
    another form than expected.
    """

    def __init__(self, participant: _dds.Participant, node: FoundNode) -> None:
        self._participant = participant
        self._node = node
        self._provided = {service.name for service in graph_of(node, ()).provides}

    def readable(self) -> bool:
        return self._provides(parameters.LIST_SERVICE) and self._provides(parameters.GET_SERVICE)

    def settable(self) -> bool:
        return self._provides(parameters.SET_SERVICE) and self._provides(parameters.GET_SERVICE)

    def read(self) -> dict[str, parameters.Value]:
        """Return all that are set."""
        listed = self._ask(parameters.LIST_SERVICE, parameters.list_request())
        present = self._present(parameters.read_names(listed))
        return {name: typed.value for name, typed in present.items() if typed.value is not None}

    def set(self, values: Mapping[str, object]) -> list[str]:
        """Set what differs, since a node may refuse to have some set at all; return the refused."""
        present = self._present(list(values))
        changes, refused = [], []
        for name, value in values.items():
            now = present.get(name, parameters.Typed(0, None))
            if now.value == value:
                continue
            new = parameters.typed(value, now)
            if new is None:
                refused.append(f"parameter {name}: {value!r} is no value of a parameter")
            else:
                changes.append((name, new))
        if changes:
            reply = self._ask(parameters.SET_SERVICE, parameters.set_request(changes))
            for (name, _), reason in zip(changes, parameters.read_results(reply), strict=False):
                if reason is not None:
                    refused.append(
                        f"parameter {name}: the node refused the recorded value: {reason}"
                    )
        return refused

    def _present(self, names: list[str]) -> dict[str, parameters.Typed]:
        reply = self._ask(parameters.GET_SERVICE, parameters.get_request(names))
        return dict(zip(names, parameters.read_values(reply), strict=False))

    def _provides(self, service: tuple[str, str]) -> bool:
        return f"{self._node.name}/{service[0]}" in self._provided

    def _ask(self, service: tuple[str, str], request: bytes) -> bytes:
        name, type_ = service
        client = Client(self._participant, Service(f"{self._node.name}/{name}", type_))
        try:
            return client.call(request, lambda: self._node.participant.vendor, _PATIENCE_S)
        finally:
            client.close()
