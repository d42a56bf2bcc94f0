# SPDX-License-Identifier: Apache-2.0
"""Messages under test, and the files that carry them to the programs that decode them."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cache
from pathlib import Path

from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import Schema

ROOT = Path(__file__).parents[3]
SCHEMAS = ROOT / "tests" / "conformance" / "schemas"
BOUNDED = ROOT / "tests" / "cpp" / "compile" / "bounds_msgs" / "msg" / "Bounded.msg"
NESTED = (SCHEMAS / "chain.proto",)
"""What only a wire with presence can write: its messages hold themselves."""
PROTOS = tuple(
    SCHEMAS / f"{name}.proto"
    for name in ("every_type_proto2", "every_type_proto3", "hollow", "parts")
)
"""What has a class of Google's, and all wires."""

MESSAGES = (
    "conformance.proto2.EveryType",
    "conformance.proto3.EveryType",
    "conformance.hollow.Hollow",
    "conformance.parts.Whole",
    "conformance.Chain",
    "bounds_msgs.Bounded",
)
"""Programs know them by their place."""
WIRES = ("protobuf", "ros1", "cdr")
DEFAULT = 0x80
"""Beside the wire: no bytes are decoded, the message that was just made is encoded."""


class Status(IntEnum):
    """Fate of a message."""

    REFUSED = 0
    ACCEPTED = 1
    """Its content, encoded anew, is beside it."""
    SEEN = 2
    """The same of a view, which cannot be encoded."""
    NOT_FOR_IT = 3
    """The program has no such message or wire."""
    SPLIT = 4
    """A view refused a message that comes in parts."""
    BROKEN = 5
    """Something else than a refusal happened; what it was is beside it."""


@dataclass(frozen=True)
class Case:
    """``data`` as a message; None: the message of defaults."""

    message: str
    wire: str
    data: bytes | None

    @property
    def line(self) -> str:
        """Return the case as a line of a corpus."""
        content = "default" if self.data is None else self.data.hex()
        return f"{self.message} {self.wire} {content}".rstrip()

    @classmethod
    def of_line(cls, line: str) -> Case:
        message, wire, *content = line.split()
        if content == ["default"]:
            return cls(message, wire, None)
        return cls(message, wire, bytes.fromhex("".join(content)))


@dataclass(frozen=True)
class Result:
    status: Status
    content: bytes = b""

    def __str__(self) -> str:
        if self.status is Status.BROKEN:
            return f"broken: {self.content.decode(errors='replace')}"
        return f"{self.status.name.lower()} {self.content.hex()}".rstrip()


@cache
def schema() -> Schema:
    """Return the schema of all messages."""
    return frontends.load([str(path) for path in (*PROTOS, *NESTED, BOUNDED)])


def wires(message: str) -> tuple[str, ...]:
    return WIRES[:1] if message == "conformance.Chain" else WIRES


def write_cases(path: Path, cases: Iterable[Case]) -> None:
    """Write a record for each case: place of the message, wire, length, bytes."""
    with path.open("wb") as file:
        for case in cases:
            data = case.data or b""
            wire = WIRES.index(case.wire) | DEFAULT * (case.data is None)
            file.write(struct.pack("<BBI", MESSAGES.index(case.message), wire, len(data)) + data)


def read_cases(path: Path) -> Iterator[Case]:
    content, at = path.read_bytes(), 0
    while at < len(content):
        message, wire, size = struct.unpack_from("<BBI", content, at)
        at += 6
        data = None if wire & DEFAULT else content[at : at + size]
        yield Case(MESSAGES[message], WIRES[wire & ~DEFAULT], data)
        at += size


def write_results(path: Path, results: Iterable[Result]) -> None:
    """Write a record for each result: status, length, content."""
    with path.open("wb") as file:
        for result in results:
            file.write(struct.pack("<BI", result.status, len(result.content)) + result.content)


def read_results(path: Path) -> Iterator[Result]:
    """Return the results that a program wrote before it ended, however it did."""
    content, at = path.read_bytes() if path.exists() else b"", 0
    while at + 5 <= len(content):
        status, size = struct.unpack_from("<BI", content, at)
        at += 5
        yield Result(Status(status), content[at : at + size])
        at += size
