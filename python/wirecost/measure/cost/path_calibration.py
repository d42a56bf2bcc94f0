# SPDX-License-Identifier: Apache-2.0
"""Prices of a path on this machine: stand-ins with the real client library send and take."""

from __future__ import annotations

import struct
from collections.abc import Callable, Generator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from statistics import mean

from wirecost.data.messages.anatomy import anatomy
from wirecost.data.messages.ros.definitions import RosDefinitions, completed
from wirecost.data.messages.ros.known import KnownTypes
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject
from wirecost.measure.cost.path_fit import PathObservation, fitted_path
from wirecost.measure.cost.paths import DEFAULTS, PLAIN, PathPrice, usual_hz
from wirecost.measure.cost.prices import PriceList
from wirecost.measure.standins.description import ClientLibrary, StandIn
from wirecost.measure.standins.processes import StandInProcesses
from wirecost.measure.standins.programs import PYTHON
from wirecost.schema.compile.frontends.ros.packages import Finder

SIZES = (64, 4 << 10, 32 << 10, 60_000, 128 << 10, 500_000, 1_000_000, 2_000_000)
"""Bytes of the messages that one subscriber takes."""
FASTER = ((64, 200.0), (64, 400.0), (32 << 10, 400.0))
"""The same at higher rates than usual, in hertz."""
SIZES_OF_SEVERAL, SEVERAL = (4 << 10, 128 << 10, 1_000_000), 3
"""Bytes of the messages that several subscribers take, and how many these are."""
ROUNDS, TURN_S = 2, 1.0
"""Rounds of turns of each: what slows the machine does so for seconds."""
PACKAGE, TYPE = "std_msgs", "UInt8MultiArray"

Say = Callable[[str], None]


@dataclass(frozen=True)
class MeasuredPath:
    """``transport``: the stand-in's name; ``environment``: of its processes."""

    client: str
    middleware: str
    transport: str
    environment: dict[str, str]

    @property
    def wire(self) -> str:
        return "ros1" if self.middleware == DEFAULTS["ros1"] else "cdr"

    def library(self, python: Path | None) -> ClientLibrary:
        return ClientLibrary(self.transport, python, self.environment)


MEASURED = (
    MeasuredPath("rclpy", "fastdds", "rclpy", {}),
    MeasuredPath("rclpy", "fastdds-udp", "rclpy", {"FASTDDS_BUILTIN_TRANSPORTS": "UDPv4"}),
    MeasuredPath("rclpy", "cyclonedds", "rclpy", {"RMW_IMPLEMENTATION": "rmw_cyclonedds_cpp"}),
    MeasuredPath("rclpy", "zenoh", "rclpy", {"RMW_IMPLEMENTATION": "rmw_zenoh_cpp"}),
    MeasuredPath(PLAIN, "fastdds", "dds", {}),
    MeasuredPath(PLAIN, "cyclonedds", "cyclone", {}),
    MeasuredPath(PLAIN, "iceoryx2", "iceoryx2", {}),
    MeasuredPath(PLAIN, "zenoh", "zenoh", {}),
    MeasuredPath("roscpp", "tcpros", "ros1", {}),
    MeasuredPath("rospy", "tcpros", "rospy", {}),
)
"""Paths that stand-ins can measure."""


def paths_of(client: str, middleware: str) -> list[MeasuredPath]:
    """Return the paths to measure for a client library: itself, else the plain middleware."""
    own = [path for path in MEASURED if (path.client, path.middleware) == (client, middleware)]
    return own or [
        path for path in MEASURED if path.middleware == middleware and path.transport not in PYTHON
    ]


def measured_path(
    path: MeasuredPath, python: Path | None, codecs: PriceList, about: dict[str, str], say: Say
) -> PathPrice:
    """Measure a path in about half a minute. Raises UserError, ProgramFailedError.

    ``codecs``: prices by which the messages' own encoding and decoding are taken out.
    """
    with closing(path_rounds(path, python, codecs, say)) as rounds:
        seen = list(chain.from_iterable(islice(rounds, ROUNDS)))
    return fitted_path(path.client, path.middleware, seen, about)


def path_rounds(
    path: MeasuredPath, python: Path | None, codecs: PriceList, say: Say
) -> Generator[list[PathObservation]]:
    """Yield what a turn of each size says, as often as it is asked for."""
    library = path.library(python)
    alone = [*((size, None) for size in SIZES), *FASTER]
    several = [(size, None) for size in SIZES_OF_SEVERAL]
    with ExitStack() as stack:
        groups = [
            (stack.enter_context(StandInProcesses(library, subscribers)), subscribers, turns)
            for subscribers, turns in ((1, alone), (SEVERAL, several))
        ]
        while True:
            seen = []
            for processes, subscribers, turns in groups:
                for size, hz in turns:
                    say(f"{path.client} over {path.middleware}: {size:,} bytes to {subscribers}")
                    data = _message(size, path.wire)
                    rate_hz = hz or usual_hz(size)
                    processes.open(
                        StandIn(library, f"{PACKAGE}/msg/{TYPE}", [data], rate_hz, subscribers)
                    )
                    turn = processes.turn(TURN_S)
                    encode_ns, decode_ns = _codec_ns(path, codecs, data)
                    send_ns = turn.publisher.message_ns - encode_ns
                    take_ns = mean(end.message_ns for end in turn.subscribers) - decode_ns
                    seen.append(PathObservation(size, subscribers, send_ns, take_ns, hz))
            yield seen


def _message(size: int, wire: str) -> bytes:
    """Return a list of bytes on the wire: no dimensions, no offset."""
    header = b"" if wire == "ros1" else b"\0\1\0\0"
    count = max(0, size - len(header) - 12)
    return header + struct.pack("<III", 0, 0, count) + bytes(count)


def _codec_ns(path: MeasuredPath, codecs: PriceList, data: bytes) -> tuple[float, float]:
    """Return what the stand-in's own encoding and decoding take: bytes are sent as they are."""
    if path.transport not in PYTHON:
        return 0.0, 0.0
    parts = anatomy(_subject(path.wire), [data], len(data))
    priced = codecs.of("python", path.wire, parts) if parts is not None else None
    return (priced.encode_ns, priced.decode_ns) if priced is not None else (0.0, 0.0)


def _subject(wire: str) -> Subject:
    dialect = "ros1" if wire == "ros1" else "ros2"
    name, finder = f"{PACKAGE}/{TYPE}", Finder([], [], dialect)
    text = KnownTypes(dialect, finder).text(name)
    assert text is not None
    definitions = RosDefinitions(dialect, {name: text}, PACKAGE)
    return ros_subject(completed(definitions, finder), PACKAGE, name)
