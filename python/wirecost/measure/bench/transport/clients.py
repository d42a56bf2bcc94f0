# SPDX-License-Identifier: Apache-2.0
"""Programs that speak ``protocol``: the Python client, and native ones that are installed."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from wirecost.measure.bench.engine.program import PROGRAMS
from wirecost.measure.bench.transport.choices import NATIVE, NATIVE_PROGRAMS, PYTHON
from wirecost.measure.bench.transport.ground import Spot
from wirecost.measure.bench.transport.protocol import PROTOCOL, ROLES
from wirecost.system import scratch
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.parts import TRANSPORT, installed

NATIVE_PREFIX = "transport_"
MODULE = "wirecost.measure.bench.transport.client"
HELLO_S = 20.0
ENVIRONMENT = {"RUST_LOG": "error", "PYTHONWARNINGS": "ignore"}


@dataclass(frozen=True)
class ClientProgram:
    """Client program; ``versions`` of libraries are those that it reports."""

    kind: str
    command: tuple[str, ...]
    transports: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    roles: tuple[str, ...] = ROLES

    def start(
        self, name: str, spot: Spot, log: Path, environment: Mapping[str, str] | None = None
    ) -> Channel:
        """Start its process, which waits for commands; ``environment`` adds to this process's."""
        return started(self.command, name, spot, log, environment)


def started(
    command: Sequence[str],
    name: str,
    spot: Spot,
    log: Path,
    environment: Mapping[str, str] | None = None,
) -> Channel:
    """Start a process that waits for commands."""
    more = {**ENVIRONMENT, "TMPDIR": str(scratch.make("client")), **(environment or {})}
    return Channel(name, [*spot.prefix, *command], {**os.environ, **more}, log)


def python(command: Sequence[str] = (sys.executable, "-P", "-m", MODULE)) -> ClientProgram:
    """Return the Python client; ``command``: that of a client with other transports."""
    return _greeted(PYTHON, tuple(command))


def native() -> list[ClientProgram]:
    """Return the native clients that are installed and answer; a checkout builds them first.

    Raises UserError where that fails.
    """
    installed(f"programs/{NATIVE_PREFIX}tcp", TRANSPORT)
    return _answering("*")


def floors() -> list[ClientProgram]:
    """Return the client of the floors, if it is installed and answers. Builds nothing."""
    return _answering("floors")


def _answering(name: str) -> list[ClientProgram]:
    programs = []
    for path in sorted(PROGRAMS.glob(f"{NATIVE_PREFIX}{name}")):
        try:
            programs.append(_greeted(NATIVE, (str(path),)))
        except ProgramFailedError:
            continue
    return programs


def native_installed() -> dict[str, bool]:
    """Return by transport with a native client whether its program is here. Starts nothing."""
    return {
        mware: (PROGRAMS / f"{NATIVE_PREFIX}{program}").is_file()
        for mware, program in NATIVE_PROGRAMS.items()
    }


@cache
def _greeted(kind: str, command: tuple[str, ...]) -> ClientProgram:
    """Return a client once it has answered. Raises ProgramFailedError."""
    with scratch.folder("hello") as folder:
        process = ClientProgram(kind, command).start(kind, Spot(), folder / "log")
        try:
            hello: JsonObject = process.ask("hello", HELLO_S)
            if hello.get("protocol") != PROTOCOL:
                raise ProgramFailedError(f"{command[0]} speaks another protocol; install it anew")
            return ClientProgram(
                kind,
                command,
                tuple(hello["transports"]),
                dict(hello["versions"]),
                tuple(hello.get("roles", ROLES)),
            )
        finally:
            process.end()
