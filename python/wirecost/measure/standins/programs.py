# SPDX-License-Identifier: Apache-2.0
"""The program that is one end of a client library, its environment, and where its ends meet."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from wirecost.data.messages.ros.installed import MISSING
from wirecost.measure.bench.engine.program import PROGRAMS
from wirecost.measure.standins.description import ClientLibrary
from wirecost.measure.standins.leftovers import remove_dead_ports
from wirecost.messaging.transport import find
from wirecost.system import scratch
from wirecost.system.channel.process import Channel
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError
from wirecost.system.free_domain import FreeDomain
from wirecost.system.installation import installation
from wirecost.system.parts import TRANSPORT, installed

RCLPY, ROSPY, DDS, CYCLONE, ROS1 = "rclpy", "rospy", "dds", "cyclone", "ros1"
PYTHON = (RCLPY, ROSPY)
"""Client libraries of Python, which stand in with message objects."""
NATIVE = {
    DDS: "fastdds", CYCLONE: "cyclone", ROS1: "ros1", "iceoryx2": "iceoryx2", "zenoh": "zenoh",
    "zenoh-shm": "zenoh",
}  # fmt: skip
"""Transports whose native client of ``bench transport`` stands in, and which program it is."""
FIRST = "programs/transport_tcp"
"""The native client that needs no library; a checkout builds all of them together."""
SCRIPT = Path(__file__).with_name("python_end.py")
_QUIET = {"RUST_LOG": "error", "PYTHONWARNINGS": "ignore"}
_NEAR = {"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}


@dataclass(frozen=True)
class EndProgram:
    """``command`` takes a role as its last word; ``address``: where all ends of a topic meet."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    address: str | None = None

    def start(self, role: str, log: Path) -> Channel:
        """Start an end that waits for commands."""
        variables = {**os.environ, **_QUIET, **self.environment}
        return Channel(f"{self.name} {role}", [*self.command, role], variables, log)


def missing(library: ClientLibrary) -> str | None:
    """Return how to get a client library that is not here. Starts nothing."""
    if library.name in PYTHON:
        has_it = library.python is not None or find_spec(library.name) is not None
        return None if has_it else remedy(library)
    if library.name not in NATIVE:
        return f"has no stand-in; {', '.join((*PYTHON, *NATIVE))} have one"
    if not _native(library).is_file() and not _will_be_built():
        return "its native client is not installed: build wirecost with its C or C++ library"
    return None


def remedy(library: ClientLibrary) -> str:
    """Return how to get a client library of Python."""
    return MISSING if library.name == RCLPY else find(ROS1).package.install


def _will_be_built() -> bool:
    """Return whether the clients are a part that this checkout has not built yet."""
    present = installation()
    return present.checkout is not None and not (present.folder / FIRST).is_file()


@contextmanager
def end_program(library: ClientLibrary) -> Iterator[EndProgram]:
    """Yield the program, whose ends meet nobody else. Raises UserError, ProgramFailedError."""
    if library.name in NATIVE:
        installed(FIRST, TRANSPORT)
    if why := missing(library):
        raise UserError(f"{library.name}: {why}")
    if library.name == RCLPY:
        with FreeDomain() as domain:
            remove_dead_ports(domain.number)
            variables = {**_NEAR, **library.environment, "ROS_DOMAIN_ID": str(domain.number)}
            yield EndProgram(library.name, _python_command(library), variables)
        return
    if library.name == ROSPY:
        with find(ROS1).server() as master, scratch.folder("rospy") as folder:
            variables = {
                "ROS_HOSTNAME": "127.0.0.1", "ROS_LOG_DIR": str(folder), **library.environment,
                "ROS_MASTER_URI": str(master),
            }  # fmt: skip
            yield EndProgram(library.name, _python_command(library), variables)
        return
    kind = find(DDS if library.name == CYCLONE else library.name)
    with kind.server() as address:
        if library.name == DDS:
            remove_dead_ports(int(address or 0))
        yield EndProgram(library.name, (str(_native(library)),), library.environment, address)


def _python_command(library: ClientLibrary) -> tuple[str, ...]:
    # Not resolved: the link in a virtual environment is what makes it one.
    python = (library.python or Path(sys.executable)).absolute()
    return (str(python), str(SCRIPT), library.name)


def _native(library: ClientLibrary) -> Path:
    return PROGRAMS / f"transport_{NATIVE[library.name]}"


def ended(library: ClientLibrary, error: ProgramFailedError) -> Exception:
    """Return why an end did not come up; UserError where its library is missing there."""
    if library.name in PYTHON and "status 3" in str(error):
        return UserError(f"{library.python}: has no {library.name}; {remedy(library)}")
    return error
