# SPDX-License-Identifier: Apache-2.0
"""Facts that ``probe run`` finds out about a program before it starts it."""

from __future__ import annotations

import os
import stat
import struct
from pathlib import Path

import pytest

from wirecost.observe.probe.run.elf import read_elf
from wirecost.observe.probe.run.target import find
from wirecost.system.errors import UserError

TRUE = Path("/usr/bin/true")
MACHINE, INTERPRETER, DYNAMIC = 18, 3, 2
PROGRAM_HEADERS, HEADER = 64, 56


def program(path: Path, content: bytes, mode: int = 0o755) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def without_segments(*kinds: int) -> bytes:
    """Return ``true`` with segments of these kinds made null."""
    content = bytearray(TRUE.read_bytes())
    (count,) = struct.unpack_from("<H", content, 56)
    for start in range(PROGRAM_HEADERS, PROGRAM_HEADERS + count * HEADER, HEADER):
        if struct.unpack_from("<I", content, start)[0] in kinds:
            struct.pack_into("<I", content, start, 0)
    return bytes(content)


def refusal(path: Path) -> str | None:
    return find([str(path)]).refusal


def test_a_program_of_this_machine_is_fine() -> None:
    target = find(["true"])
    assert target.refusal is None
    assert target.program.name == "true"
    assert not target.is_python


def test_static_programs(tmp_path: Path) -> None:
    static = program(tmp_path / "static", without_segments(INTERPRETER, DYNAMIC))
    assert "linked statically" in str(refusal(static))
    static_pie = program(tmp_path / "static-pie", without_segments(INTERPRETER))
    assert "linked statically" in str(refusal(static_pie))


def test_another_c_library_and_architecture(tmp_path: Path) -> None:
    content = TRUE.read_bytes()
    elf = read_elf(TRUE)
    assert elf is not None
    assert elf.loader is not None
    loader = elf.loader.encode()
    musl = b"/lib/ld-musl-x86_64.so.1".ljust(len(loader), b"\0")[: len(loader)]
    assert "than glibc (ld-musl" in str(
        refusal(program(tmp_path / "musl", content.replace(loader, musl)))
    )
    other = bytearray(content)
    struct.pack_into("<H", other, MACHINE, 243)  # RISC-V
    assert "another architecture" in str(refusal(program(tmp_path / "other", bytes(other))))


def test_other_rights(tmp_path: Path) -> None:
    copy = program(tmp_path / "copy", TRUE.read_bytes())
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to another user")
    os.chown(copy, 65534, 65534)
    assert refusal(copy) is None
    copy.chmod(0o755 | stat.S_ISUID)
    assert "other rights" in str(refusal(copy))
    copy.chmod(0o755 | stat.S_ISGID)
    assert "other rights" in str(refusal(copy))


@pytest.mark.parametrize(
    ("line", "chain"),
    [
        (b"#!/bin/sh\n", ["script", "sh"]),
        (b"#! /usr/bin/env  true\n", ["script", "env", "true"]),
        (b"#!/usr/bin/env -S A=1 true x\n", ["script", "env", "true"]),
        (b"#!/usr/bin/true", ["script", "true"]),
    ],
)
def test_a_script_is_what_interprets_it(tmp_path: Path, line: bytes, chain: list[str]) -> None:
    target = find([str(program(tmp_path / "script", line))])
    assert [path.name for path in target.chain] == chain
    assert target.refusal is None


def test_python(tmp_path: Path) -> None:
    assert find([str(program(tmp_path / "node.py", b"#!/usr/bin/env python3\n"))]).is_python


def test_scripts_that_interpret_each_other_end(tmp_path: Path) -> None:
    path = tmp_path / "loop"
    program(path, b"#!" + os.fsencode(path) + b"\n")
    assert (refusal(path) or "").endswith("no ELF program")


def test_what_is_not_there() -> None:
    with pytest.raises(UserError, match="no-such-program: no such program; give the program"):
        find(["no-such-program"])


def test_damaged_programs(tmp_path: Path) -> None:
    content = TRUE.read_bytes()
    for length in (0, 3, 4, 51, 63, 64, 200):
        path = program(tmp_path / f"cut-{length}", content[:length])
        assert "ELF" in str(refusal(path)) or "statically" in str(refusal(path))
    for place in range(4, 200, 3):
        damaged = bytearray(content)
        damaged[place : place + 8] = b"\xff" * 8
        refusal(program(tmp_path / "damaged", bytes(damaged)))
