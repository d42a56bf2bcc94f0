# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all contenders carry the content, then measure them."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import zstandard

from wirecost import scratch
from wirecost.bench.contenders import SCHEMAS
from wirecost.bench.lists import program
from wirecost.bench.lists.content import Content
from wirecost.bench.lists.program import Case, Contender, Field, List, Report, Sample
from wirecost.bench.lists.readers import READERS
from wirecost.bench.notification.backend import BackendFailedError
from wirecost.verification import IndependentReader, first_difference

ZSTD_LEVEL = 3


@dataclass
class Lane:
    """A contender's outcome; sizes in bytes a message, 0 for the floors, which have no wire."""

    contender: Contender
    bytes: int = 0
    compressed_bytes: int = 0
    digest: str = ""
    expected_sum: int = 0
    failure: str | None = None
    allocations: float | None = None


Keep = Callable[[list[Sample]], None]
"""Called with the samples of each round as it ends."""


def run_race(
    list_: List,
    content: Content,
    lanes: list[Lane],
    repetitions: int,
    report: Report,
    keep: Keep,
) -> None:
    """Fills the lanes."""
    count = len(content[list_.fields[0].name])
    with scratch.folder("lists") as folder:
        case = Case(list_, count, folder / "content")
        case.path.write_bytes(program.packed(list_.fields, content))
        try:
            report(0, "verifying")
            _verify(case, content, lanes, folder)
            running = [lane.contender.key for lane in lanes if lane.failure is None]
            if not running:
                return
            sums: dict[str, int] = {}
            for samples in program.measure(case, running, repetitions, sums, report):
                keep(samples)
            report(0, "counting")
            counted = program.allocations(case, running)
            for lane in lanes:
                lane.allocations = counted.get(lane.contender.key)
                if sums.get(lane.contender.key, lane.expected_sum) != lane.expected_sum:
                    lane.failure = "what it read when timed is not what it read when verified"
        except BackendFailedError as error:
            for lane in lanes:
                lane.failure = lane.failure or str(error)


def _verify(case: Case, content: Content, lanes: list[Lane], folder: Path) -> None:
    by_key = {lane.contender.key: lane for lane in lanes}
    fields = case.schema.fields
    # As the contenders got it: in the fields' own types.
    exact = program.unpacked(fields, program.packed(fields, content), case.count)
    checked: dict[bytes, str | None] = {}
    rows = b""
    for key, encoded, decoded in program.carry(case, folder):
        lane = by_key[key]
        wire = lane.contender.wire
        name = hashlib.blake2b(encoded).digest() + bytes([lane.contender.reduced])
        if lane.contender.floor:
            checked[name] = None
        if name not in checked:
            checked[name] = _sent_fault(lane.contender, case.schema, encoded, exact, rows)
        if wire == "protobuf" and checked[name] is None:
            rows = encoded
        values = program.unpacked(fields, decoded, case.count)
        fault = checked[name] or difference(fields, values, exact, lane.contender.reduced)
        lane.failure = lane.failure or fault
        lane.digest = hashlib.blake2b(decoded, digest_size=8).hexdigest()
        lane.expected_sum = _sum(values)
        if not lane.contender.floor:
            lane.bytes = len(encoded)
            lane.compressed_bytes = len(zstandard.compress(encoded, ZSTD_LEVEL))


def _sent_fault(
    contender: Contender, list_: List, encoded: bytes, exact: Content, rows: bytes
) -> str | None:
    """What is wrong with a message; ``rows``: the same list on Protobuf, already verified."""
    try:
        if contender.wire == "flatbuffers":
            return _flatbuffers_fault(list_, encoded, rows)
        found = READERS[contender.wire](list_, encoded)
    except (ValueError, IndexError) as error:
        return f"its message is not what {contender.wire} prescribes: {error}"
    fault = difference(list_.fields, found, exact, contender.reduced)
    return f"its message: {fault}" if fault else None


def _flatbuffers_fault(list_: List, encoded: bytes, rows: bytes) -> str | None:
    if not rows:
        return "there is no verified Protobuf message to compare it with"
    message = list_.message.rpartition(".")[2]
    forms = []
    wires = ("flatbuffers", "osi_table.bfbs", encoded), ("protobuf", "osi.fds", rows)
    for wire, schema, data in wires:
        buffer = ctypes.create_string_buffer(data, len(data))
        reader = IndependentReader(wire, SCHEMAS / schema)
        forms.append(reader.read(message, ctypes.addressof(buffer), len(data)))
    one, other = forms
    # Long lists take long to be walked, and equal ones need not be.
    return None if one.content == other.content else first_difference(one, other)


def difference(
    fields: tuple[Field, ...], found: Content, exact: Content, reduced: bool
) -> str | None:
    """The first field that is not what it must be: equal bit for bit, or, reduced, within the
    field's stated error."""
    for one in fields:
        mine, theirs = found[one.name], exact[one.name]
        if len(mine) != len(theirs):
            return f"{one.name} has {len(mine)} values instead of {len(theirs)}"
        if reduced and one.error > 0:
            apart = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
            wrong = np.flatnonzero(~(apart <= one.error))
        else:
            bits = np.dtype(f"<u{theirs.itemsize}")
            wrong = np.flatnonzero(mine.view(bits) != theirs.view(bits))
        if wrong.size:
            at = int(wrong[0])
            return f"{one.name} of element {at} is {mine[at]!r} instead of {theirs[at]!r}"
    return None


def _sum(values: Content) -> int:
    """The bits of all values, added up modulo 2^64: what the program's reading comes to."""
    total = 0
    for array in values.values():
        kind = "u" if array.dtype.kind == "f" else array.dtype.kind
        whole = array.view(f"<{kind}{array.itemsize}")
        # Signed numbers count with their sign, extended to 64 bits.
        extended = whole.astype(np.int64 if kind == "i" else np.uint64).view(np.uint64)
        total += int(np.sum(extended, dtype=np.uint64))
    return total % 2**64
