# SPDX-License-Identifier: Apache-2.0
"""Stacks in probe logs, made from the format's text: whole, torn, hostile."""

from __future__ import annotations

import struct
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.probe_logs import HEADER, header, record
from wirecost.results.records.probe_log import read_log
from wirecost.results.records.probe_stacks import (
    Address,
    Priorities,
    SourceLine,
    Stack,
    Stopped,
    stacks_of,
    stopped_in,
)

PYTHON = 'Stack (most recent call first):\n  File "/node.py", line 12 in on_cycle'
WHERE = [(0 << 48) + 0x10 + i for i in range(9)] + [(0xFFFF << 48) + 0x7F00]


def text(sequence: int, number: int, kind: int, content: str) -> list[bytes]:
    """Return the records of a text, 64 bytes each."""
    content_bytes = content.encode()
    parts = [content_bytes[at : at + 64] for at in range(0, len(content_bytes), 64)]
    return [
        record(
            sequence + part, section=number, parent=kind, part=part, kind=7,
            value=len(content_bytes), counters=struct.unpack("<8Q", piece.ljust(64, b"\0")),
        )
        for part, piece in enumerate(parts)
    ]  # fmt: skip


def log_content() -> bytes:
    counters = [("allocations", 1), ("frees", 1), ("allocated-bytes", 1)]
    records = [*text(1, 0, 0, "/bin/node"), *text(2, 0, 1, PYTHON)]
    for part in range(2):
        words = WHERE[8 * part : 8 * part + 8]
        records.append(
            record(
                len(records) + 1, 500, 900, section=1, part=part, kind=6, counted=0b101, loop=7,
                value=3, counters=words,
            )
        )  # fmt: skip
    records += text(len(records) + 1, 0, 2, "allocations 4 update all")
    records.append(record(len(records) + 1, 400, 1000, loop=7))
    return header(counters, [(1, "update all")], offset=10**18) + b"".join(records)


def test_a_stack_is_read_and_is_no_event(tmp_path: Path) -> None:
    path = tmp_path / "a.wprobe"
    path.write_bytes(log_content())
    log = read_log(path)
    assert (log.events()["section"].to_list(), len(log.values())) == (["update all"], 0)
    stack = Stack(
        process=7,
        section="update all",
        parent=None,
        counters=("allocations", "allocated-bytes"),
        count=3,
        loop=7,
        first_ns=500,
        last_ns=900,
        wall_ns=10**18 + 500,
        addresses=(*(Address("/bin/node", 0x10 + i) for i in range(9)), Address("", 0x7F00)),
        python=(SourceLine("on_cycle", "/node.py", 12),),
    )
    assert stacks_of([log]) == [stack]
    assert stopped_in([log]) == Stopped("update all", "allocations", 4, stack)


def test_a_stack_names_a_system_call_or_whoever_held_a_lock(tmp_path: Path) -> None:
    counters = [("system-calls", 1), ("lock-waits", 1)]
    lock = {"section": 1, "kind": 6, "counted": 0b10, "value": 2, "loop": 1}
    inverted, inherited = (80 << 7) + 1, (80 << 7) + 10 + (1 << 14) + 1
    records = [
        *text(1, 0, 0, "/bin/node"),
        record(2, section=1, kind=6, counted=0b01, value=9, detail=1 + 35, counters=[0x10]),
    ]
    for number, detail in enumerate((inverted, inherited, 0), 1):
        message = struct.pack("<Q", number)
        for part, address in enumerate((0x20, 0x30)):
            content = record(
                len(records) + 1, part=part, scaled=part, detail=detail, counters=[address], **lock
            )
            records.append(content[:56] + message + content[64:])
    path = tmp_path / "a.wprobe"
    path.write_bytes(header(counters, [(1, "update")]) + b"".join(records))
    called, *waited = stacks_of([read_log(path)])
    assert (called.call, called.holder, called.priorities) == ("nanosleep", (), None)
    assert [one.holder for one in waited] == [(Address("/bin/node", 0x30),)] * 3
    assert {one.addresses for one in waited} == {(Address("/bin/node", 0x20),)}
    first, second = (one.priorities for one in waited[:2])
    assert (first, second) == (Priorities(80, 0, False), Priorities(80, 10, True))
    assert first is not None and first.are_inverted
    assert second is not None and not second.are_inverted
    assert (waited[2].call, waited[2].priorities) == (None, None)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), max_size=40))
def test_whatever_stands_in_a_log_ends_no_reader(
    tmp_path: Path, changes: list[tuple[int, int]]
) -> None:
    content = bytearray(log_content())
    for at, byte in changes:
        content[HEADER + at % (len(content) - HEADER)] = byte
    path = tmp_path / "a.wprobe"
    path.write_bytes(content)
    log = read_log(path)
    assert len(stacks_of([log])) <= log.count
    stopped_in([log])
