# SPDX-License-Identifier: Apache-2.0
"""Makes the golden vectors of the columns wire.

A line of ``vectors-columns`` is ``<message> <reduction> <columns hex> <rows hex>``: the content of
a columns field at position 0, and the same list as field 1 of a message. Google's library writes
the rows, ``columns_reference`` the columns. A line of ``refused-columns`` is ``<message> <columns
hex>`` below a comment that says what is wrong. Run it from anywhere::

    python tests/conformance/make_columns_vectors.py
"""

from __future__ import annotations

import random
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from google.protobuf.message import Message
from osi3.osi_sensorview_pb2 import LidarSensorView

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "python"))

from support.columns_reference import (  # noqa: E402
    BASE,
    CONSTANT,
    COUNT,
    OFFSETS,
    PADDING,
    PRESENCE,
    SCALE,
    Reduction,
    columns,
    tag,
    varint,
)
from support.compiled import google_class  # noqa: E402
from support.random_protobuf import fill  # noqa: E402

HEAD = "# SPDX-License-Identifier: Apache-2.0\n# Made by make_columns_vectors.py. Do not edit.\n"
REDUCTIONS = {
    "exact": Reduction(),
    "auto": Reduction("auto"),
    "float32": Reduction("float32"),
    "error:0.01": Reduction("error", 0.01),
}
SAMPLES = {
    "conformance.columns2.Sample": "conformance.columns2.Samples",
    "conformance.columns3.Sample": "conformance.columns3.Samples",
}


def line(name: str, reduction: str, rows: Sequence[Message], whole: Message) -> str:
    content = columns(rows, rows[0].DESCRIPTOR if rows else row_type(whole), REDUCTIONS[reduction])
    return f"{name} {reduction} {content.hex()} {rows_hex(rows)}".rstrip()


def row_type(whole: Message) -> object:
    return next(f for f in whole.DESCRIPTOR.fields if f.name in ("rows", "reflection")).message_type


def rows_hex(rows: Sequence[Message]) -> str:
    texts = [row.SerializeToString(deterministic=True) for row in rows]
    return b"".join(tag(1, 2) + varint(len(text)) + text for text in texts).hex()


def samples(name: str) -> Iterator[str]:
    whole = google_class(SAMPLES[name])()
    yield "# No element."
    yield line(name, "exact", [], whole)
    for seed, count in enumerate((1, 2, 9, 20)):
        whole.Clear()
        chance = random.Random(seed)
        for _ in range(count):
            fill(whole.rows.add(), chance)
        for reduction in REDUCTIONS:
            yield f"# {count} of random content, {reduction}."
            yield line(name, reduction, list(whole.rows), whole)
    yield from regular(name, whole)


def regular(name: str, whole: Message) -> Iterator[str]:
    """Content that can be reduced: constants, runs, small ranges, some of it absent."""
    whole.Clear()
    for i in range(40):
        row = whole.rows.add()
        row.real = 10 + 0.37 * i
        row.small_real = 0.125 * (i // 8)
        row.an_int32 = -4
        row.an_int64 = 1_700_000_000_000 + i * 900
        row.a_uint64 = 7 + i // 10
        row.a_bool = i >= 20
        row.a_color = (0, 1)[i // 20]
        row.a_string = "the same"
        if i % 3 == 0:
            row.place.x = 1e-3 * i
        if i % 4:
            row.sint64s.extend([5, -5]) if hasattr(row, "sint64s") else row.uint64s.append(9)
        if hasattr(row, "a_required_number"):
            row.a_required_number = 3_000_000_000 + i
            row.a_required_place.y = 0.5
            row.strings.extend(["x"] * (i % 2))
            row.doubles.append(1.5)
    for reduction in REDUCTIONS:
        yield f"# Regular content, {reduction}."
        yield line(name, reduction, list(whole.rows), whole)


def reflections() -> Iterator[str]:
    name = "osi3.LidarSensorView.Reflection"
    whole = LidarSensorView()
    for i in range(9):
        whole.reflection.add(time_of_flight=(10 + 0.01 * i) * 2 / 299792458, signal_strength=-15.0)
    whole.reflection[4].object_id.value = 7
    whole.reflection[5].normal_to_surface.SetInParent()
    for reduction in REDUCTIONS:
        yield f"# {reduction}"
        yield line(name, reduction, list(whole.reflection), whole)


def field(number: int, data: bytes) -> bytes:
    return tag(number, 2) + varint(len(data)) + data


def count(n: int) -> bytes:
    return tag(COUNT, 0) + varint(n)


def real(number: int, value: float) -> bytes:
    return tag(number, 1) + struct.pack("<d", value)


def doubles(n: int) -> bytes:
    return struct.pack(f"<{n}d", *range(n))


def starts(*at: int) -> bytes:
    return struct.pack(f"<{len(at)}I", *at)


Fault = tuple[str, bytes]
"""What is wrong, and bytes of conformance.columns2.Sample that are wrong so.

real is field 1, an_int32 3, a_bool 13, a_string 14, place 18, sint64s 48, strings 54, places 57.
"""

REALS = count(3) + field(1, doubles(3))


def faults_of_counts() -> Iterator[Fault]:
    for cut in (1, 5, len(count(3)) + 2, len(REALS) - 1, len(REALS) - 24):
        yield f"Cut off after {cut} bytes.", REALS[:cut]
    yield "No element count.", field(1, doubles(3))
    yield "Nothing at all.", b""
    yield "Two element counts.", count(3) + REALS
    yield "An element count of 2^31.", count(1 << 31)
    yield "An element count of ten bytes.", tag(COUNT, 0) + b"\xff" * 9 + b"\x01"
    yield "A varint that does not end.", tag(COUNT, 0) + b"\xff" * 11
    yield "More elements than a reader takes.", count((1 << 31) - 1) + real(CONSTANT + 1, 0.5)
    yield "The count says more than the column holds.", count(4) + field(1, doubles(3))
    yield "The count says less than the column holds.", count(2) + field(1, doubles(3))
    yield "A column of elements that are none.", count(0) + field(1, doubles(1))
    yield "A column of no width.", count(3) + field(1, b"")
    yield "A width of 5.", count(3) + field(1, bytes(15))
    yield "A width that does not divide.", count(3) + field(1, bytes(25))
    yield "A length beyond the message.", count(3) + tag(1, 2) + varint(1000) + doubles(3)
    yield "A length that overflows.", count(3) + tag(1, 2) + b"\xff" * 9 + b"\x01"
    yield "A length of 2^32 + 24.", count(3) + tag(1, 2) + varint((1 << 32) + 24) + doubles(3)


def faults_of_fields() -> Iterator[Fault]:
    yield "A column given twice as a whole.", REALS + field(1, doubles(3))
    yield "A bytes column given twice.", count(3) + field(13, bytes(3)) + field(13, bytes(3))
    yield (
        "Presence given twice.",
        REALS + field(PRESENCE + 1, b"\x05") + field(PRESENCE + 1, b"\x05"),
    )
    yield "Presence too short.", count(9) + field(1, doubles(9)) + field(PRESENCE + 1, b"\x05")
    yield "Presence too long.", REALS + field(PRESENCE + 1, b"\x05\x00")
    yield "Presence of a column that is not there.", count(3) + field(PRESENCE + 1, b"\x05")
    yield "A piece that is no whole number of values.", count(3) + field(1, bytes(12)) * 2
    yield "An unpacked value.", count(1) + tag(1, 1) + bytes(8)
    yield "A column as a varint.", count(3) + tag(1, 0) + b"\x01"
    yield "A group.", count(3) + tag(1, 3) + tag(1, 4)
    yield "Wire type 6.", count(3) + b"\x0e"
    yield "Field number 0.", count(3) + b"\x02\x00"


def faults_of_values() -> Iterator[Fault]:
    yield "Column and constant.", REALS + real(CONSTANT + 1, 0.5)
    yield "Two constants.", count(3) + real(CONSTANT + 1, 0.5) * 2
    yield "A constant of another wire type.", count(3) + field(CONSTANT + 1, bytes(8))
    yield "Scale without base.", count(3) + field(1, bytes(3)) + real(SCALE + 1, 0.5)
    yield "Base without scale.", count(3) + field(1, bytes(3)) + real(BASE + 1, 0.5)
    scaled = real(SCALE + 1, 0.5) + real(BASE + 1, 1.0)
    yield "A scaled column of width 8.", count(3) + field(1, doubles(3)) + scaled
    yield (
        "A scale that is not finite.",
        (count(3) + field(1, bytes(3)) + real(SCALE + 1, float("inf")) + real(BASE + 1, 1.0)),
    )
    yield (
        "A base that is not a number.",
        (count(3) + field(1, bytes(3)) + real(SCALE + 1, 1.0) + real(BASE + 1, float("nan"))),
    )
    yield "Scale and base without a column.", count(3) + scaled
    yield (
        "An integer column of scale 2.",
        (count(3) + field(3, bytes(3)) + real(SCALE + 3, 2.0) + real(BASE + 3, 1.0)),
    )
    yield (
        "An integer column whose base is no whole number.",
        (count(3) + field(3, bytes(3)) + real(SCALE + 3, 1.0) + real(BASE + 3, 1.5)),
    )
    yield (
        "An integer column whose base is too large.",
        (count(3) + field(3, bytes(3)) + real(SCALE + 3, 1.0) + real(BASE + 3, 2.0**54)),
    )
    yield (
        "A scaled bool.",
        (count(3) + field(13, bytes(3)) + real(SCALE + 13, 1.0) + real(BASE + 13, 0.0)),
    )
    yield "An integer column without scale of width 2.", count(3) + field(3, bytes(6))
    yield "A bool of width 2.", count(3) + field(13, bytes(6))
    yield "An enum of width 2.", count(3) + field(16, bytes(6))


def faults_of_runs() -> Iterator[Fault]:
    yield (
        "Runs that do not start at 0.",
        (count(3) + field(OFFSETS + 1, starts(1, 3)) + field(1, doubles(1))),
    )
    yield (
        "Runs that do not end at the count.",
        (count(3) + field(OFFSETS + 1, starts(0, 2)) + field(1, doubles(1))),
    )
    yield (
        "A run without elements.",
        (count(3) + field(OFFSETS + 1, starts(0, 1, 1, 3)) + field(1, doubles(3))),
    )
    yield (
        "Fewer values than runs.",
        (count(3) + field(OFFSETS + 1, starts(0, 1, 2, 3)) + field(1, doubles(1))),
    )
    yield "Runs without a column.", count(3) + field(OFFSETS + 1, starts(0, 1, 3))
    yield (
        "Runs of a constant.",
        (count(3) + field(OFFSETS + 1, starts(0, 3)) + real(CONSTANT + 1, 0.5)),
    )


def faults_of_offsets() -> Iterator[Fault]:
    yield "Texts without offsets.", count(3) + field(14, b"abc")
    yield (
        "Offsets that decrease.",
        (count(3) + field(OFFSETS + 14, starts(0, 2, 1, 3)) + field(14, b"abc")),
    )
    yield (
        "Offsets that do not start at 0.",
        (count(3) + field(OFFSETS + 14, starts(1, 2, 2, 3)) + field(14, b"abc")),
    )
    yield (
        "Offsets beyond the texts.",
        (count(3) + field(OFFSETS + 14, starts(0, 2, 2, 4)) + field(14, b"abc")),
    )
    yield (
        "Texts beyond the offsets.",
        (count(3) + field(OFFSETS + 14, starts(0, 1, 2, 2)) + field(14, b"abc")),
    )
    yield "One offset too few.", count(3) + field(OFFSETS + 14, starts(0, 1, 3)) + field(14, b"abc")
    yield (
        "Offsets that are no whole number of them.",
        (count(3) + field(OFFSETS + 14, starts(0, 1, 2, 3) + b"\0") + field(14, b"abc")),
    )
    yield (
        "Offsets of a repeated field without its values.",
        (count(2) + field(OFFSETS + 48, starts(0, 1, 2))),
    )
    yield "A repeated field without offsets.", count(2) + field(48, bytes(16))
    yield (
        "Last offset beyond what a reader takes.",
        (count(1) + field(OFFSETS + 54, starts(0, (1 << 32) - 1)) + field(54, b"")),
    )
    yield (
        "Offsets of a message that is not there.",
        (count(2) + field(OFFSETS + 57, starts(0, 1, 2))),
    )


def faults_of_messages() -> Iterator[Fault]:
    yield "A message given twice.", count(1) + field(18, field(1, doubles(1))) + field(18, b"")
    yield "A count inside.", count(1) + field(18, count(1) + field(1, doubles(1)))
    yield "A column cut off inside.", count(1) + field(18, field(1, doubles(1))[:-1])
    yield "An inner column that is too long.", count(1) + field(18, field(1, doubles(2)))
    yield "Padding as a varint.", count(1) + tag(PADDING, 0) + b"\0"
    yield "Padding beyond the message.", count(1) + tag(PADDING, 2) + b"\x05"


def write(path: Path, lines: Iterator[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(HEAD + "\n".join(lines) + "\n")


def refused_lines() -> Iterator[str]:
    for faults in (
        faults_of_counts,
        faults_of_fields,
        faults_of_values,
        faults_of_runs,
        faults_of_offsets,
        faults_of_messages,
    ):
        for what, content in faults():
            yield f"# {what}"
            yield f"conformance.columns2.Sample {content.hex()}".rstrip()


if __name__ == "__main__":
    makers: dict[str, Callable[[], Iterator[str]]] = {"reflection": reflections}
    for sample in SAMPLES:
        makers[sample.split(".")[1]] = lambda sample=sample: samples(sample)
    for name, make in makers.items():
        write(HERE / "vectors-columns" / f"{name}.txt", make())
    write(HERE / "refused-columns" / "refused.txt", refused_lines())
