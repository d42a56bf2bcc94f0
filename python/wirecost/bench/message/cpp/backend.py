# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders of a message: what their programs are asked and what they print."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import wirecost
from wirecost.bench.entry import Sample
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.cpp.programs import Built
from wirecost.bench.program import ProgramFailedError, run

MODES = {"wirecost": ("new", "reused", "view"), "protobuf": ("new", "reused", "arena")}
LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class Carried:
    """Messages as a contender sent them, and as it sent them again once it had read them; None
    where its mode reads without making a message."""

    sent: list[bytes]
    back: list[bytes] | None


def write_content(path: Path, messages: Sequence[bytes]) -> None:
    """What the programs read."""
    with path.open("wb") as file:
        for message in messages:
            file.write(LENGTH.pack(len(message)) + message)


def contenders(built: Built, wire: str) -> list[Contender]:
    versions = {"wirecost": f"wirecost {wirecost.__version__}", "protobuf": _protobuf()}
    return [
        Contender("cpp", library, mode, wire, versions[library])
        for library, modes in MODES.items()
        if library in built.programs
        for mode in modes
    ]


def carried(program: Path, folder: Path, content: Path) -> dict[str, Carried]:
    """By mode. Raises ProgramFailedError."""
    list(run([str(program), "verify", str(folder), str(content)]))
    found = {}
    for sent in folder.glob("*.sent"):
        back = sent.with_suffix(".back")
        found[sent.stem] = Carried(_messages(sent), _messages(back) if back.is_file() else None)
        sent.unlink()
        back.unlink(missing_ok=True)
    return found


def measured(
    program: Path, mode: str, contents: Sequence[Path], keys: Sequence[str], repetitions: int
) -> Iterator[Sample]:
    """``keys``: of the entries, one for each content. Raises ProgramFailedError."""
    command = [str(program), "measure", str(repetitions), mode, *map(str, contents)]
    for line in run(command):
        at, repetition, stage, ns = line.split("\t")
        yield Sample(keys[int(at)], int(repetition), stage, float(ns))


def _messages(path: Path) -> list[bytes]:
    data = path.read_bytes()
    found, at = [], 0
    while at < len(data):
        (size,) = LENGTH.unpack_from(data, at)
        at += LENGTH.size
        found.append(data[at : at + size])
        at += size
    return found


def _protobuf() -> str:
    """Of the headers that the programs were compiled with."""
    try:
        (line,) = run(["protoc", "--version"])
    except (ProgramFailedError, OSError, ValueError):  # a version that is not known stops nobody
        return "protobuf"
    return line.replace("libprotoc", "protobuf")
