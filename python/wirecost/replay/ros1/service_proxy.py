# SPDX-License-Identifier: Apache-2.0
"""Takes services' places at the master, hands calls on, and gives the places back."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from wirecost.replay.ros1 import rpc
from wirecost.replay.ros1.master import Master
from wirecost.replay.ros1.rpc import RefusedError
from wirecost.replay.ros1.server import TcprosServer, refuse
from wirecost.replay.ros1.service import (
    exchange,
    read_frame,
    send_reply,
    shake_hands_with_provider,
)
from wirecost.replay.ros1.sockets import GoneError, PeerError, deadline, send
from wirecost.replay.ros1.tcpros import HANDSHAKE_S, encode
from wirecost.replay.system import Call

PROVIDER_CHECK_S = 1.0


@dataclass(frozen=True)
class Place:
    """Who a service's place was taken from."""

    owner: str
    owner_uri: str
    service_uri: str


class ServiceProxy:
    """``finished`` hears of every call whose caller is the one asked for by ``take``, or of all
    calls where none is."""

    def __init__(
        self, master: Master, own_uri: str, host: str, finished: Callable[[Call], None]
    ) -> None:
        self._master = master
        self._own_uri = own_uri
        self._finished = finished
        self._lock = threading.Lock()
        self._places: dict[str, Place | None] = {}
        self._callers: dict[str, str | None] = {}
        self._server = TcprosServer(host, self._serve)
        self._service_uri = f"rosrpc://{host}:{self._server.port}"

    def __enter__(self) -> ServiceProxy:
        self._server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.__exit__()

    def take(self, service: str, caller: str | None) -> Place:
        """From now on calls of the service come through here.

        Raises:
            PeerError: nobody provides it.
        """
        with self._lock:
            self._callers[service] = caller
            place = self._who_has(service)
            self._places[service] = place
            self._master.provide(service, self._service_uri, self._own_uri)
        return place

    def follow_providers(self) -> None:
        """Takes the places again of services whose providers came anew, and gives up those whose
        providers are gone. To be called now and then."""
        with self._lock:
            for service, place in list(self._places.items()):
                with suppress(PeerError):
                    self._follow(service, place)

    def give_back(self) -> None:
        """The places are as they would be without us; connections that stand are served on."""
        with self._lock:
            for service, place in self._places.items():
                # A master that was only slow is asked again: there is no later chance.
                for _ in range(3):
                    with suppress(PeerError):
                        if place is not None and self._is_ours(service):
                            self._return(service, place)
                        break
            self._places = dict.fromkeys(self._places)
        self._server.stop_listening()

    def connections(self) -> int:
        return self._server.connections()

    def _who_has(self, service: str) -> Place:
        uri = self._master.service_uri(service)
        owners = self._master.system_state().services.get(service, [])
        if not owners or uri == self._service_uri:
            raise PeerError(f"{service}: nobody provides it")
        return Place(owners[0], self._master.node_uri(owners[0]), uri)

    def _is_ours(self, service: str) -> bool:
        try:
            return self._master.service_uri(service) == self._service_uri
        except RefusedError:
            return False

    def _follow(self, service: str, place: Place | None) -> None:
        if not self._is_ours(service):
            self._places[service] = None
            self._places[service] = self._who_has(service)
            self._master.provide(service, self._service_uri, self._own_uri)
        elif place is not None and not _lives(place):
            self._return(service, place)
            self._places[service] = None

    def _return(self, service: str, place: Place) -> None:
        # In the owner's name, and without a moment in which nobody has the place.
        as_owner = Master(self._master.uri, place.owner)
        as_owner.provide(service, place.service_uri, place.owner_uri)
        if not _lives(place):
            as_owner.withdraw(service, place.service_uri)

    def _serve(self, client: socket.socket, header: dict[str, str]) -> None:
        service = header.get("service", "")
        place = self._places.get(service)
        if place is None:
            refuse(client, f"{service or 'a topic'} is not provided here")
            return
        caller = header.get("callerid", "")
        try:
            provider, answer = shake_hands_with_provider(place.service_uri, service, caller, header)
        except PeerError as error:
            refuse(client, str(error))
            return
        with provider:
            send(client, encode(answer), deadline(HANDSHAKE_S))
            if header.get("probe") != "1":
                self._hand_on(service, caller, client, provider)

    def _hand_on(
        self, service: str, caller: str, client: socket.socket, provider: socket.socket
    ) -> None:
        """Calls of one connection until either side closes it."""
        ready = select.poll()
        for side in (client, provider):
            ready.register(side, select.POLLIN)
        while not any(number == provider.fileno() for number, _ in ready.poll()):
            request = read_frame(client)
            request_ns = time.time_ns()
            reply = exchange(provider, request)
            reply_ns = time.time_ns()
            send_reply(client, reply)
            wanted = self._callers.get(service)
            if wanted is None or wanted == caller:
                times = (request_ns, reply_ns)
                contents = (request, reply.content if reply.ok else b"")
                error = None if reply.ok else reply.content.decode(errors="replace")
                self._finished(Call(service, caller, *times, *contents, error))


def _lives(place: Place) -> bool:
    try:
        rpc.call(place.owner_uri, "getPid", place.owner, timeout_s=PROVIDER_CHECK_S)
    except GoneError:
        return False
    except PeerError:
        # Slow or odd, but there: a node at work is not to lose its place.
        pass
    return True
