# SPDX-License-Identifier: Apache-2.0
"""A server that runs as long as it is needed, on a free port of loopback."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

LOOPBACK = "127.0.0.1"
_START_S = 20
_END_S = 5
_PORTS_TRIED = 5


class NoServerError(UserError):
    """The program that a transport needs between its peers is not installed."""


def program(name: str) -> str | None:
    """Return the path of a program, also one that only administrators have on theirs."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def reachable(host: str, port: int, timeout: float = 4) -> bool:
    """Return whether something listens there.

    A lost first packet is sent again after 1 and 3 seconds.
    """
    try:
        socket.create_connection((host, port), timeout).close()
    except OSError:
        return False
    return True


def host_and_port(address: str, default_port: int) -> tuple[str, int]:
    """Split ``host`` or ``host:port``. Raises UserError for what is neither."""
    host, _, port = address.rpartition(":") if ":" in address else (address, "", str(default_port))
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise UserError(f"address {address!r}: host:port is needed")
    return host, int(port)


@contextmanager
def running(
    command: Callable[[int], Sequence[str]],
    log: Path,
    environment: Mapping[str, str] | None = None,
    host: str = LOOPBACK,
) -> Iterator[int]:
    """Run ``command(port)`` until it listens there, give the port, and end it afterwards.

    ``host``: an address of this machine's. It ends with this process even if that is killed.
    ``log`` takes what it prints. Raises UserError with its last line if it does not start.
    """
    for _ in range(_PORTS_TRIED):
        with socket.socket() as probe:
            probe.bind((host, 0))
            port: int = probe.getsockname()[1]
        words = list(command(port))
        if setpriv := program("setpriv"):
            words = [setpriv, "--pdeathsig", "KILL", *words]
        with log.open("wb") as output:
            process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment
            )
        try:
            end = Deadline(_START_S)
            while process.poll() is None and not end.passed:
                # Something else may have taken the port meanwhile; then the server ends.
                if reachable(host, port) and process.poll() is None:
                    yield port
                    return
                time.sleep(0.02)
        finally:
            _end(process)
    printed = log.read_text(errors="replace").strip().splitlines()[-1:]
    raise UserError(f"{command(0)[0]} does not start: {''.join(printed) or 'it prints nothing'}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
