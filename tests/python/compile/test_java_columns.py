# SPDX-License-Identifier: Apache-2.0
"""Generated Java writes and reads the columns of our vectors and of an independent reference."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from google.protobuf.message import Message
from osi3.osi_sensorview_pb2 import LidarSensorView

from support.columns_reference import (
    BASE,
    COUNT,
    OFFSETS,
    PADDING,
    SCALE,
    Reduction,
    columns,
    tag,
    varint,
)
from support.compiled import ROOT, google_class
from support.programs import JAVA, JAVAC
from support.random_protobuf import fill
from wirecost.schema.compile.compiler import Columns, compile_schema, write
from wirecost.schema.compile.emit import Request

CONFORMANCE = ROOT / "tests" / "conformance"
SAMPLES = ("conformance.columns2.Sample", "conformance.columns3.Sample")
REFLECTION = "osi3.LidarSensorView.Reflection"
REDUCTIONS = {
    "exact": Reduction(),
    "auto": Reduction("auto"),
    "float32": Reduction("float32"),
    "error:0.25": Reduction("error", 0.25),
    "error:1e-7": Reduction("error", 1e-7),
}

pytestmark = pytest.mark.skipif(
    shutil.which("javac") is None, reason="no javac: apt install openjdk-17-jdk-headless"
)

Run = Callable[..., None]
"""``run(lines, option)``: runs vectors through the generated classes."""


def build(
    folder: Path, inputs: list[str], names: tuple[str, ...], programs: tuple[str, ...] = ()
) -> Path:
    """Compile generated classes and programs of ``tests/conformance/java``."""
    request = Request(("protobuf",), preserve_unknown=True)
    write(compile_schema(inputs, ["java"], request, columns=Columns(names)), folder)
    sources = [str(path) for path in (folder / "java").rglob("*.java")]
    sources += [str(CONFORMANCE / "java" / f"{name}.java") for name in programs]
    command = [*JAVAC, "-Xlint:all", "-Werror"]
    subprocess.run([*command, "-d", str(folder / "classes"), *sources], check=True)
    return folder / "classes"


def java(classes: Path, *words: str) -> str:
    command = [*JAVA, str(classes), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
    return done.stdout


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("java")
    schemas = [str(CONFORMANCE / "schemas" / f"columns_proto{n}.proto") for n in (2, 3)]
    programs = ("Conformance", "ColumnsConformance", "ColumnsUse")
    return build(folder, [*schemas, "osi3"], (*SAMPLES, REFLECTION), programs)


@pytest.fixture(scope="module")
def run(classes: Path) -> Run:
    def run(lines: list[str], *options: str) -> None:
        vectors = classes.parent / "vectors.txt"
        vectors.write_text("\n".join(lines))
        printed = java(classes, "ColumnsConformance", *options, str(vectors))
        assert printed.strip().endswith(f"{len(lines)} vectors, 0 failed")

    return run


def vectors(folder: str) -> list[str]:
    texts = [path.read_text() for path in sorted((CONFORMANCE / folder).glob("*.txt"))]
    lines = [line for text in texts for line in text.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def rows_hex(rows: list[Message]) -> str:
    texts = [row.SerializeToString(deterministic=True) for row in rows]
    return b"".join(tag(1, 2) + varint(len(text)) + text for text in texts).hex()


def line(rows: list[Message], how: str) -> str:
    type_ = rows[0].DESCRIPTOR
    stored = columns(rows, type_, REDUCTIONS[how])
    return f"{type_.full_name} {how} {stored.hex()} {rows_hex(rows)}"


def test_the_vectors_pass(run: Run):
    lines = vectors("vectors-columns")
    assert len(lines) > 40
    run(lines)


def test_what_is_no_columns_is_refused(run: Run):
    lines = vectors("refused-columns")
    assert len(lines) > 60
    run(lines, "--refuse")


@pytest.mark.parametrize("name", SAMPLES)
def test_random_rows_become_the_columns_of_the_reference(run: Run, name: str):
    cls = google_class(name)
    lines = []
    for seed in range(40):
        chance = random.Random(f"{name} {seed}")
        rows = [fill(cls(), chance) for _ in range(chance.choice((1, 3, 8, 65)))]
        lines += [line(rows, how) for how in REDUCTIONS]
    run(lines)


def few(chance: random.Random) -> float:
    return chance.choice((0.0, -0.0, 0.5, 1e-9, 3.25, 1 / 3, float("nan"), float("-inf"), 7e300))


def test_reflections_in_every_form_become_the_columns_of_the_reference(run: Run):
    lines = []
    for seed in range(60):
        chance = random.Random(seed)
        whole = LidarSensorView()
        length, spread = chance.choice((1, 2, 7, 30)), chance.choice((0, 3, 200, 70_000, 2**33))
        start = chance.choice((0, 2**53 - 1, 2**63, 2**64 - 2**34))
        for i in range(chance.choice((1, 2, 100, 300))):
            row = whole.reflection.add()
            if i % length == 0:
                real, whole_number = few(chance), start + chance.randint(0, spread)
            row.time_of_flight = real if seed % 2 else chance.random() * spread
            row.object_id.value = whole_number
            if chance.random() < 0.9 or seed % 3:
                row.normal_to_surface.x = chance.choice((1.0, 1.0, 1.5)) if seed % 5 else i // 50
            if seed % 4:
                row.signal_strength = chance.uniform(-20, 20)
        lines += [line(list(whole.reflection), how) for how in REDUCTIONS]
    run(lines)


def field(number: int, data: bytes) -> bytes:
    return tag(number, 2) + varint(len(data)) + data


@pytest.mark.parametrize(
    "pieces",
    [
        # The count comes last, the column in two pieces with an empty one between.
        field(1, bytes(8)) + field(1, b"") + field(1, bytes(8)) + tag(COUNT, 0) + b"\x02",
        # Offsets in pieces, and a field and a band that nobody knows.
        tag(COUNT, 0) + b"\x02" + field(OFFSETS + 1, bytes(4)) + field(PADDING, b"any")
        + field(OFFSETS + 1, b"\x02\0\0\0") + field(1, bytes(8))
        + field(40, b"?") + tag(4000, 3) + tag(7, 0) + b"\x05" + tag(4000, 4)
        + field(PADDING + 1, b"?") + field(SCALE * 2 + 1, b"?"),
        # Scaled runs whose sum is 0.
        tag(COUNT, 0) + b"\x02" + field(OFFSETS + 1, b"\0\0\0\0\x02\0\0\0") + field(1, b"\x03")
        + tag(SCALE + 1, 1) + bytes.fromhex("000000000000f03f")
        + tag(BASE + 1, 1) + bytes.fromhex("00000000000008c0"),
    ],
)  # fmt: skip
def test_unusual_columns_are_read(run: Run, pieces: bytes):
    row = LidarSensorView.Reflection(signal_strength=0)
    run([f"{REFLECTION} read {pieces.hex()} {rows_hex([row, row])}"])


def test_damaged_columns_are_read_or_refused(run: Run):
    """Neither another exception than WireException nor more memory than allowed."""
    chance = random.Random(17)
    lines = []
    for good in vectors("vectors-columns"):
        name, _, columns_hex = good.split()[:3]
        for _ in range(60):
            content = bytearray.fromhex(columns_hex)
            # Most of a message is values; what can be damaged lies near its tags.
            tags = [i for i in range(len(content) - 1) if content[i] & 0x80]
            for _ in range(chance.randint(1, 3)):
                near = chance.choice(tags) + chance.randrange(12)
                at = near if near < len(content) else chance.randrange(len(content))
                content[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, content[at] ^ 1))
            cut = len(content) if chance.random() < 0.8 else chance.randrange(len(content))
            lines.append(f"{name} {content[:cut].hex()}")
    run(lines, "--damaged")


def test_views_and_builders_serve_a_user(classes: Path):
    assert java(classes, "ColumnsUse").strip() == "done"


def test_ros_messages_have_columns(tmp_path: Path):
    """Small integers, fixed arrays, and defaults that a row leaves out."""
    source = tmp_path / "msg" / "Small.msg"
    source.parent.mkdir()
    source.write_text(
        'int8 a -3\nuint8 b\nint16 c\nuint16 d 65535\nfloat32 e 0.5\nstring f "ab"\nbool g true\n'
        "int16[3] h\nuint8[] i\nstring[] j\n"
    )
    (tmp_path / "package.xml").write_text("<package><name>small</name></package>")
    inputs, name = [str(source)], "small.Small"
    built = build(tmp_path / "out", inputs, (name,))
    program = tmp_path / "Roundtrip.java"
    program.write_text(ROUNDTRIP)
    assert java(built, str(program)).strip() == "done"


ROUNDTRIP = """import wire.runtime.Reduction;
import wire.small.*;
class Roundtrip {
    public static void main(String[] words) throws Exception {
        for (Reduction how : new Reduction[] {Reduction.EXACT, Reduction.AUTO}) {
            Small[] rows = new Small[50];
            for (int i = 0; i < rows.length; i++) {
                rows[i] = new Small();
                if (i > 9) {
                    rows[i].a = (byte) (i * 7); rows[i].b = (byte) (i * 9); rows[i].c = (short) -i;
                    rows[i].d = (short) (i * 2000); rows[i].e = 0; rows[i].g = i % 2 == 0;
                    rows[i].f = i < 20 ? "" : "x" + i;
                    rows[i].h[1] = (short) i; rows[i].i = new byte[i % 3];
                    rows[i].j = new String[i % 4]; java.util.Arrays.fill(rows[i].j, "y" + i);
                }
            }
            for (int n = 0; n <= rows.length; n += 10) {
                Small[] some = java.util.Arrays.copyOf(rows, n);
                byte[] made = SmallColumns.fromRows(java.util.List.of(some)).reduce(how).toBytes();
                SmallColumns columns = SmallColumns.read(made, 0, made.length);
                if (!java.util.Arrays.equals(columns.toRows(), some)) throw new AssertionError(how);
                for (int i = 10; i < n; i++) {
                    if (columns.b().get(i) != (some[i].b & 0xFF)) throw new AssertionError(i);
                    if (columns.a().get(i) != some[i].a) throw new AssertionError(i);
                }
            }
        }
        System.out.println("done");
    }
}
"""


def test_names_of_methods_are_no_trouble(tmp_path: Path):
    names = "size has begin end elements read find toRows builder reduce present toBytes values out"
    names += " offsets index data all node doubles texts within set getClass wait DoubleColumn in"
    fields = [f"optional double {name} = {i};" for i, name in enumerate(names.split(), 1)]
    fields += [f"repeated Column {name}s_ = {i};" for i, name in enumerate(names.split(), 50)]
    source = tmp_path / "names.proto"
    source.write_text(
        'syntax = "proto2"; package names; message Column { optional ColumnNode node = 1; }\n'
        f"message ColumnNode {{ optional int32 x = 1; }} message List {{ {' '.join(fields)} }}\n"
        "message ListColumns { repeated List list = 1; } message Nothing {}\n"
    )
    build(tmp_path, [str(source)], ("names.List", "names.Column", "names.Nothing"))


def test_output_says_what_reductions_were_asked_for():
    schema = str(CONFORMANCE / "schemas" / "columns_proto2.proto")
    requested = Columns((SAMPLES[0],), ("*=auto", "real=error:0.001"))
    texts = compile_schema([schema], ["java"], Request(("protobuf",)), columns=requested)
    (text,) = [t for path, t in texts.items() if path.name == "SampleColumns.java"]
    assert re.search(r'"real", 1, .*reduced\(Reduction\.error\(0\.001\)\)', text)
    assert re.search(r'"a_bool", 13, .*reduced\(Reduction\.AUTO\)', text)
