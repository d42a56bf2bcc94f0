# SPDX-License-Identifier: Apache-2.0
"""YARP's library, and the one name server that a process uses."""

from __future__ import annotations

import importlib
import os
import re
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from wirecost.messaging.transport.shared.server_process import host_and_port, reachable
from wirecost.system import scratch
from wirecost.system.errors import UserError

ROOT = "/root"
"""YARP's usual namespace, and its name server's port."""
DEFAULT_PORT = 10_000

_state = threading.Lock()
_server = ""
"""The name server that this process uses; YARP has one in a process."""
_users = 0
"""Transports that use it."""


@cache
def yarp() -> Any:
    """Return YARP, without its messages on standard output."""
    with _environment(YARP_QUIET="1"):
        return importlib.import_module("yarp")


def _configured() -> str:
    """Return the name server that YARP is set to, ``host:port``.

    Raises UserError if it is set to none.
    """
    network = yarp().Network
    namespace = network.getNameServerName()
    stem = "yarp" if namespace == ROOT else re.sub("[^A-Za-z0-9]", "_", namespace)
    path = Path(network.getConfigFile(f"{stem}.conf"))
    with suppress(OSError, ValueError):
        host, port, *_ = path.read_text().split()
        return f"{host}:{port}"
    raise UserError(
        f"YARP is set to no name server, there is no {path}: start yarpserver, or give its address"
    )


@contextmanager
def _environment(**variables: str | None) -> Iterator[None]:
    """Set variables for a moment; None takes one away."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: dict[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _configuration(host: str, port: int) -> Iterator[dict[str, str | None]]:
    """Yield variables that set YARP to a name server, by a folder that is there meanwhile."""
    with scratch.folder("yarp") as folder:
        (folder / "yarp.conf").write_text(f"{host} {port} yarp\n")
        yield {"YARP_CONFIG_HOME": str(folder), "YARP_NAMESPACE": None}


def use(address: str | None) -> str:
    """Make this process use a name server, until ``leave``; return its address."""
    global _server, _users  # noqa: PLW0603
    with _state:
        host, port = host_and_port(address or _configured(), DEFAULT_PORT)
        if not reachable(host, port):
            raise UserError(f"no YARP name server at {host}:{port}: start yarpserver there")
        address = f"{host}:{port}"
        if address != _server:
            if _users:
                raise UserError(
                    f"yarp: this process uses the name server at {_server} already, and can use"
                    f" none at {address}: use another process"
                )
            with _configuration(host, port) as variables, _environment(**variables):
                yarp().Network.init()
                # Reads the configuration again; what it writes lies in that folder, too.
                yarp().Network.setNameServerName(ROOT)
            _server = address
        _users += 1
    return address


def leave() -> None:
    global _users  # noqa: PLW0603
    with _state:
        _users -= 1


# A message lies in a grey image, the one type whose memory Python can give and take: rows of 4096
# bytes, the message's size as u64 and 56 zeros, the message, and zeros.
ROW = 4096
SIZE = struct.Struct("<Q56x")
