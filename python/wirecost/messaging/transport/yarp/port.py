# SPDX-License-Identifier: Apache-2.0
"""Ports, which listen on one address alone, and what the name server knows of others."""

from __future__ import annotations

import ctypes
import ipaddress
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from wirecost.messaging.transport.shared.loopback import kept_on_loopback, own_sockets
from wirecost.messaging.transport.shared.server_process import host_and_port, reachable
from wirecost.messaging.transport.yarp.library import DEFAULT_PORT, ROOT, yarp
from wirecost.system.errors import UserError

_ANSWER_S = 2.0
_ANSWER_BYTES = 4096
_CARRIER = "fast_tcp"
_NAME = re.compile(r"[A-Za-z0-9_./-]+")
_PORTS_TRIED = 5
_BACKLOG = 64
_DESCRIPTORS = 512
"""Above which no port is opened: YARP waits with select(), which writes beyond its memory for a
descriptor from 1,024 on, and each port gets connections, too."""


def port_name(topic: str) -> str:
    """Return the name of a topic's port. Raises UserError."""
    name = topic.strip("/")
    if not _NAME.fullmatch(name):
        raise UserError(f"topic {topic!r}: YARP's names are of letters, digits and _ . / -")
    if "/" + name in {ROOT, yarp().Network.getNameServerName()}:
        raise UserError(f"topic {topic!r}: the port of YARP's name server has that name")
    return "/" + name


@contextmanager
def _own_children() -> Iterator[None]:
    """Keep the process's handling of ended children.

    YARP sets one in its place that takes every child's exit status, whoever waits for it.
    """
    library = ctypes.CDLL(None)
    handling = ctypes.create_string_buffer(256)  # larger than any struct sigaction
    library.sigaction(signal.SIGCHLD, None, handling)
    try:
        yield
    finally:
        library.sigaction(signal.SIGCHLD, handling, None)


def _free_port(host: str) -> int:
    with socket.socket() as probe:
        if probe.fileno() >= _DESCRIPTORS:
            raise UserError(
                f"yarp: this process has {_DESCRIPTORS} files and connections open, and YARP fails"
                " beyond 1,024, with those to come: open fewer topics in a process"
            )
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def _host_towards(server: str) -> str:
    """Return this machine's address that the name server's machine reaches.

    That is loopback for one on it.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(host_and_port(server, DEFAULT_PORT))
        return str(probe.getsockname()[0])


class Port:
    """An open port, which listens on one address alone.

    It can be reached from other machines only where the name server is not on loopback.
    """

    def __init__(self, name: str, server: str, reader: Any = None) -> None:
        library = yarp()
        host = _host_towards(server)
        self.name = name
        self.port = library.Port()
        if reader is not None:
            self.port.setReader(reader)
        for _ in range(_PORTS_TRIED):
            # Name servers give away ports without looking whether another has them.
            contact = library.Contact(name, "tcp", host, _free_port(host))
            is_loopback = ipaddress.ip_address(host).is_loopback
            with _own_children(), kept_on_loopback() if is_loopback else nullcontext():
                opened = self.port.open(contact)
            if opened:
                _widen(contact.getHost(), contact.getPort())
                if library.Network.registerContact(contact).getPort() > 0:
                    return
                self.port.close()
                raise UserError(f"no YARP name server at {server} any more: start yarpserver there")
        raise UserError(f"yarp: port {name} cannot be opened at {host}")

    def close(self) -> None:
        self.port.interrupt()
        self.port.close()
        yarp().Network.unregisterName(self.name)


def _widen(host: str, port: int) -> None:
    """Let more callers wait than the one that YARP has room for: others try again after 1 s."""
    for _, own_socket in own_sockets():
        if own_socket.family == socket.AF_INET and own_socket.getsockname() == (host, port):
            own_socket.listen(_BACKLOG)


def style() -> Any:
    """Return how this process talks to ports of others, which may be stopped."""
    style = yarp().ContactStyle()
    style.quiet = True
    style.timeout = _ANSWER_S
    style.carrier = _CARRIER
    return style


def is_there(name: str, server: str) -> bool:
    """Return whether a port that has this name listens.

    Those that were killed are still registered. Asks by itself: YARP would print errors for what is
    not there.
    """
    with (
        suppress(OSError),
        socket.create_connection(host_and_port(server, DEFAULT_PORT), _ANSWER_S) as link,
    ):
        link.sendall(f"NAME_SERVER query {name}\n".encode())
        answer = link.recv(_ANSWER_BYTES)
        if registered := re.match(rb'registration name \S+ ip "?([\d.]+)"? port (\d+)', answer):
            return reachable(registered[1].decode(), int(registered[2]), _ANSWER_S)
    return False


def known_ports() -> set[tuple[str, int]]:
    """Return addresses of all ports that the name server knows."""
    library = yarp()
    reply, how = library.Bottle(), style()
    how.carrier = "name_ser"
    library.Network.write(
        library.Network.getNameServerContact(), library.Bottle("bot list"), reply, how
    )
    addresses = re.findall(r'\(ip "?([\d.]+)"?\) \(port_number (\d+)\)', reply.toString())
    return {(host, int(port)) for host, port in addresses}
