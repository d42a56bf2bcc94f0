# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all contenders carry the content, then measure them."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import zstandard

from wirecost import scratch
from wirecost.bench.entry import Entry, Sample
from wirecost.bench.processes import Plan, measured
from wirecost.bench.program import SCHEMAS
from wirecost.bench.repeated import program
from wirecost.bench.repeated.content import Content
from wirecost.bench.repeated.program import Contender, Field, RepeatedField, Values
from wirecost.bench.repeated.readers import READERS
from wirecost.bench.scenario import Case
from wirecost.verification import IndependentReader, first_difference

ZSTD_LEVEL = 3


@dataclass(frozen=True)
class Work:
    """A list with its content. ``variant``: the list's name, or the scan's with it."""

    schema: RepeatedField
    variant: str
    content: Content

    @property
    def count(self) -> int:
        return len(self.content[self.schema.fields[0].name])

    @property
    def name(self) -> str:
        return f"{self.variant}, {self.count} {'element' if self.count == 1 else 'elements'}"

    def entry(self, contender: Contender) -> Entry[Contender]:
        """Sizes stay 0 for the floors, which have no wire."""
        who = {
            "case": self.name,
            "variant": self.variant,
            "build": "release",
            "contender": contender.name,
            "mode": contender.mode,
            "wire": contender.wire,
            "elements": self.count,
        }
        facts = {"list": self.schema.name, "compressed_bytes": 0, "allocations": None}
        return Entry(contender.key, contender, who, facts)


def run_race(work: Work, case: Case[Contender], plan: Plan) -> None:
    """Fills the entries. Raises ProgramFailedError."""
    with scratch.folder("lists") as folder:
        values = Values(work.schema, work.count, folder / "content")
        values.path.write_bytes(program.packed(work.schema.fields, work.content))
        case.report("verifying")
        expected = _verify(values, work.content, case)
        if not case.running:
            return
        running = [entry.key for entry in case.running]

        def measure(keys: list[str], repetitions: int) -> Iterator[list[Sample]]:
            sums: dict[str, int] = {}
            yield from program.measure(values, keys, repetitions, sums, case.report)
            for entry in case.running:
                if sums.get(entry.key, expected.get(entry.key)) != expected.get(entry.key):
                    entry.failure = "what it read when timed is not what it read when verified"

        for samples in measured(plan, running, measure):
            case.keep(samples)
        case.report("counting")
        allocations = program.allocations(values, running)
        for entry in case.running:
            entry.facts["allocations"] = allocations.get(entry.key)


def _verify(values: Values, content: Content, case: Case[Contender]) -> dict[str, int]:
    """What each contender's reading must add up to."""
    entries = {entry.key: entry for entry in case.entries}
    sums: dict[str, int] = {}
    fields = values.schema.fields
    # As the contenders got it: in the fields' own types.
    exact = program.unpacked(fields, program.packed(fields, content), values.count)
    checked: dict[bytes, str | None] = {}
    rows = b""
    for key, encoded, decoded in program.carry(values, values.path.parent):
        entry, contender = entries[key], entries[key].contender
        name = hashlib.blake2b(encoded).digest() + bytes([contender.reduced])
        if contender.floor:
            checked[name] = None
        if name not in checked:
            checked[name] = _sent_fault(contender, values.schema, encoded, exact, rows)
        if contender.wire == "protobuf" and checked[name] is None:
            rows = encoded
        read = program.unpacked(fields, decoded, values.count)
        fault = checked[name] or difference(fields, read, exact, contender.reduced)
        entry.failure = entry.failure or fault
        entry.digest = hashlib.blake2b(decoded, digest_size=8).hexdigest()
        sums[key] = _sum(read)
        if not contender.floor:
            entry.bytes = len(encoded)
            entry.facts["compressed_bytes"] = len(zstandard.compress(encoded, ZSTD_LEVEL))
    return sums


def _sent_fault(
    contender: Contender, repeated: RepeatedField, encoded: bytes, exact: Content, rows: bytes
) -> str | None:
    """What is wrong with a message; ``rows``: the same list on Protobuf, already verified."""
    try:
        if contender.wire == "flatbuffers":
            return _flatbuffers_fault(repeated, encoded, rows)
        found = READERS[contender.wire](repeated, encoded)
    except (ValueError, IndexError) as error:
        return f"its message is not what {contender.wire} prescribes: {error}"
    fault = difference(repeated.fields, found, exact, contender.reduced)
    return f"its message: {fault}" if fault else None


def _flatbuffers_fault(repeated: RepeatedField, encoded: bytes, rows: bytes) -> str | None:
    if not rows:
        return "there is no verified Protobuf message to compare it with"
    message = repeated.message.rpartition(".")[2]
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
