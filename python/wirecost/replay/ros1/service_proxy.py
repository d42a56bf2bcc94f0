# SPDX-License-Identifier: Apache-2.0
"""Intercepts services: registers in place of their providers, forwards calls, and hands back."""

from __future__ import annotations

import select
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from wirecost.replay.middleware import Call
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

PROVIDER_CHECK_S = 1.0


@dataclass(frozen=True)
class Provider:
    """Provider of a service before it was intercepted."""

    node: str
    node_uri: str
    service_uri: str


class ServiceProxy:
    """Proxy of services between their callers and providers.

    ``finished`` gets every call whose caller is the one given to ``intercept``, or all calls where
    none was.
    """

    def __init__(
        self, master: Master, own_uri: str, host: str, finished: Callable[[Call], None]
    ) -> None:
        self._master = master
        self._own_uri = own_uri
        self._finished = finished
        self._lock = threading.Lock()
        self._former: dict[str, Provider | None] = {}
        self._callers: dict[str, str | None] = {}
        self._server = TcprosServer(host, self._serve)
        self._service_uri = f"rosrpc://{host}:{self._server.port}"

    def __enter__(self) -> ServiceProxy:
        self._server.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._server.__exit__()

    def intercept(self, service: str, caller: str | None) -> Provider:
        """Let calls of the service come through here from now on.

        Raises:
            PeerError: no node provides it.
        """
        with self._lock:
            self._callers[service] = caller
            provider = self._who_has(service)
            self._former[service] = provider
            self._master.provide(service, self._service_uri, self._own_uri)
        return provider

    def follow_providers(self) -> None:
        """Intercept services again whose providers restarted, and give up those without providers.

        To be called now and then.
        """
        with self._lock:
            for service, provider in list(self._former.items()):
                with suppress(PeerError):
                    self._follow(service, provider)

    def hand_back(self) -> None:
        """Register providers as they would be without us; open connections are still served."""
        with self._lock:
            for service, provider in self._former.items():
                # A master that was only slow is asked again: there is no later chance.
                for _ in range(3):
                    with suppress(PeerError):
                        if provider is not None and self._is_ours(service):
                            self._return(service, provider)
                        break
            self._former = dict.fromkeys(self._former)
        self._server.stop_listening()

    def connections(self) -> int:
        return self._server.connections()

    def _who_has(self, service: str) -> Provider:
        uri = self._master.service_uri(service)
        owners = self._master.system_state().services.get(service, [])
        if not owners or uri == self._service_uri:
            raise PeerError(f"{service}: no node provides it")
        return Provider(owners[0], self._master.node_uri(owners[0]), uri)

    def _is_ours(self, service: str) -> bool:
        try:
            return self._master.service_uri(service) == self._service_uri
        except RefusedError:
            return False

    def _follow(self, service: str, provider: Provider | None) -> None:
        if not self._is_ours(service):
            self._former[service] = None
            self._former[service] = self._who_has(service)
            self._master.provide(service, self._service_uri, self._own_uri)
        elif provider is not None and not _lives(provider):
            self._return(service, provider)
            self._former[service] = None

    def _return(self, service: str, provider: Provider) -> None:
        # In the provider's name, and without a moment in which the service is missing.
        as_provider = Master(self._master.uri, provider.node)
        as_provider.provide(service, provider.service_uri, provider.node_uri)
        if not _lives(provider):
            as_provider.withdraw(service, provider.service_uri)

    def _serve(self, client: socket.socket, header: dict[str, str]) -> None:
        service = header.get("service", "")
        former = self._former.get(service)
        if former is None:
            refuse(client, f"{service or 'a topic'} is not provided here")
            return
        caller = header.get("callerid", "")
        try:
            provider, answer = shake_hands_with_provider(
                former.service_uri, service, caller, header
            )
        except PeerError as error:
            refuse(client, str(error))
            return
        with provider:
            send(client, encode(answer), deadline(HANDSHAKE_S))
            if header.get("probe") != "1":
                self._forward(service, caller, client, provider)

    def _forward(
        self, service: str, caller: str, client: socket.socket, provider: socket.socket
    ) -> None:
        """Call of one connection until either side closes it."""
        ready = select.poll()
        for side in (client, provider):
            ready.register(side, select.POLLIN)
        while not any(number == provider.fileno() for number, _ in ready.poll()):
            request = read_frame(client)
            request_ns = time.time_ns()
            reply = exchange(provider, request)
            reply_ns = time.time_ns()
            send_reply(client, reply)
            recorded_caller = self._callers.get(service)
            if recorded_caller is None or recorded_caller == caller:
                times = (request_ns, reply_ns)
                contents = (request, reply.content if reply.ok else b"")
                error = None if reply.ok else reply.content.decode(errors="replace")
                self._finished(Call(service, caller, *times, *contents, error))


def _lives(provider: Provider) -> bool:
    try:
        rpc.call(provider.node_uri, "getPid", provider.node, timeout_s=PROVIDER_CHECK_S)
    except GoneError:
        return False
    except PeerError:
        # Slow or odd, but there: a node at work must stay registered.
        pass
    return True
