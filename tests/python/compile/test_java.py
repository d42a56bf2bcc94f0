# SPDX-License-Identifier: Apache-2.0
"""Generated Java reads and writes the bytes of Google, genpy and our rules, and refuses others."""

from __future__ import annotations

import importlib
import random
import re
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message

from support.compiled import ROOT
from support.plan_interpreter import PlanInterpreter
from support.programs import JAVA, JAVAC
from support.random_messages import RandomMessages
from support.random_protobuf import fill
from support.sequential_reference import encode
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.java.names import LOCALS

WIRES = ("protobuf", "ros1", "cdr")
CONFORMANCE = ROOT / "tests" / "conformance"
SCHEMAS = [CONFORMANCE / "schemas" / f"every_type_proto{n}.proto" for n in (2, 3)]
CHAIN = CONFORMANCE / "schemas" / "chain.proto"
RSB = ROOT / "schemas" / "rsb" / "notification.proto"
DEBIAN = Path("/usr/share")
ROS_PACKAGES = ("std_msgs", "geometry_msgs", "sensor_msgs")
ROS = [
    path for package in ROS_PACKAGES for path in sorted((DEBIAN / package / "msg").glob("*.msg"))
]
SAMPLES = 40
TRACES = {
    "acc-test.osi": "GroundTruth",
    "alks_cut-in.osi": "GroundTruth",
    "small_test.osi": "SensorData",
    "20210818T150542Z_sv_312_50_one_moving_object.osi": "SensorData",
}
"""Types of traces that hold no sensor views."""

pytestmark = pytest.mark.skipif(
    shutil.which("javac") is None, reason="no javac: apt install openjdk-17-jdk-headless"
)

Check = Callable[..., str]
"""``check(lines, refuse=False)``: runs vectors through the generated classes."""


ROOM = """import java.nio.BufferOverflowException;
class Room {
    public static void main(String[] words) throws Exception {
        Class<?> type = Class.forName(words[0]), range[] = {byte[].class, int.class, int.class};
        for (int w = 2; w < words.length; w++) {
            byte[] in = java.util.HexFormat.of().parseHex(words[w]), out = {};
            Object made = type.getMethod("from" + words[1], range).invoke(null, in, 0, in.length);
            for (int end = 3, i; end < in.length + 3; end++) try {
                out = new byte[in.length + 9];
                type.getMethod("encode" + words[1], range).invoke(made, out, 3, end);
                throw new AssertionError(end);
            } catch (java.lang.reflect.InvocationTargetException e) {
                for (i = 0; i < out.length && (out[i] == 0 || i >= 3 && i < end); i++) {}
                if (i < out.length || !(e.getCause() instanceof BufferOverflowException)) throw e;
            }
        }
    }
}
"""
"""Encodes into too little room in the midst of an array, of which nothing else may change."""


def build(folder: Path, inputs: list[str], request: Request) -> Path:
    """Compile generated classes and the conformance runner."""
    write(compile_schema(inputs, ["java"], request), folder)
    sources = [str(path) for path in (folder / "java").rglob("*.java")]
    sources.append(str(CONFORMANCE / "java" / "Conformance.java"))
    command = [*JAVAC, "-Xlint:all", "-Werror"]
    subprocess.run([*command, "-d", str(folder / "classes"), *sources], check=True)
    return folder / "classes"


def checker(classes: Path, folder: Path) -> Check:
    def check(lines: list[str], refuse: bool = False) -> str:
        vectors = folder / "vectors.txt"
        vectors.write_text("\n".join(lines))
        option = ["--refuse"] if refuse else []
        command = [*JAVA, str(classes), "Conformance", *option, str(vectors)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stdout[-3000:], done.stderr[-3000:])
        assert done.stdout.strip().endswith("vectors, 0 failed")
        return done.stdout

    return check


@pytest.fixture(scope="module")
def classes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Everything on every wire; unknown fields are kept."""
    folder = tmp_path_factory.mktemp("java")
    inputs = [*map(str, SCHEMAS), str(RSB), *map(str, ROS), "osi3"]
    return build(folder, inputs, Request(WIRES, preserve_unknown=True))


@pytest.fixture(scope="module")
def check(classes: Path) -> Check:
    return checker(classes, classes.parent)


@pytest.fixture(scope="module")
def check_chain(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Return the check of a message inside itself; unknown fields are dropped."""
    folder = tmp_path_factory.mktemp("chain")
    return checker(build(folder, [str(CHAIN)], Request(("protobuf",))), folder)


@pytest.fixture(scope="module")
def google(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """``google(module)``: what protoc makes of our schemas."""
    folder = tmp_path_factory.mktemp("google")
    sources = [*SCHEMAS, RSB, CHAIN]
    roots = [f"-I{path}" for path in {source.parent for source in sources}]
    subprocess.run(["protoc", f"--python_out={folder}", *roots, *map(str, sources)], check=True)
    sys.path.insert(0, str(folder))
    yield importlib.import_module
    sys.path.remove(str(folder))


def line(message: Message, wire: str) -> str:
    name = message.DESCRIPTOR.full_name
    if wire == "protobuf":
        return f"{name} {wire} {message.SerializeToString(deterministic=True).hex()}"
    return f"{name} {wire} {encode(message, wire).hex()}"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("every_type_proto2_pb2", "EveryType"),
        ("every_type_proto3_pb2", "EveryType"),
        ("notification_pb2", "Notification"),
        ("osi3.osi_sensorview_pb2", "SensorView"),
        ("osi3.osi_trafficcommand_pb2", "TrafficCommand"),
    ],
)
def test_random_messages_keep_their_bytes(
    google: Callable[[str], Any], check: Check, module: str, name: str, wire: str
):
    chance = random.Random(f"{module} {wire}")
    cls = getattr(google(module), name)
    depth = 2 if module.startswith("osi3") else 4
    check([line(fill(cls(), chance, depth), wire) for _ in range(SAMPLES)])


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("package", ["proto2", "proto3"])
def test_too_little_room_is_refused(google: Any, classes: Path, package: str, wire: str):
    chance = random.Random(f"room {package} {wire}")
    every_type = google(f"every_type_{package}_pb2").EveryType
    vectors = [
        line(fill(every_type(), chance, 2), wire).partition(f" {wire} ")[2] for _ in range(8)
    ]
    (source := classes.parent / "Room.java").write_text(ROOM)
    words = [f"wire.conformance.{package}.EveryType", wire.capitalize(), *vectors]
    command = [*JAVA, str(classes), str(source), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_ros_messages_keep_their_bytes(check: Check, wire: str):
    for package in ROS_PACKAGES:
        if not (DEBIAN / package).is_dir():
            pytest.skip(f"no {package}: apt install ros-{package.replace('_', '-')}")
    schema = frontends.load(list(map(str, ROS)))
    contents, interpreter = RandomMessages(schema, 1), PlanInterpreter(schema, wire)
    check(
        [
            f"{name} {wire} {interpreter.encode(name, contents.message(name)).hex()}"
            for name in sorted(m.full_name for m in schema.messages())
            for _ in range(5)
        ]
    )


def test_real_traces_keep_their_bytes(osi_data: Path, check: Check):
    lines = []
    for path in sorted(osi_data.rglob("*.osi")):
        name = TRACES.get(path.name, "SensorView")
        module = re.sub("(?<!^)", "", name).lower()
        cls = getattr(importlib.import_module(f"osi3.osi_{module}_pb2"), name)
        content, at = path.read_bytes(), 0
        while at < len(content):
            (size,) = struct.unpack_from("<I", content, at)
            message = cls.FromString(content[at + 4 : at + 4 + size])
            lines.append(line(message, "protobuf"))
            at += 4 + size
    assert len(lines) > 100
    check(lines)


def test_cdr_reads_both_orders(google: Callable[[str], Any], check: Check):
    """A big-endian message has the content of the little-endian one but not its bytes."""
    every_type = google("every_type_proto3_pb2").EveryType
    message = every_type(an_int32=1, a_double=2, floats=[3], by_int64={4: 5}, chosen_string="six")
    little, big = encode(message, "cdr"), encode(message, "cdr", ">")
    name = message.DESCRIPTOR.full_name
    check([f"{name} cdr {big.hex()} {little.hex()}"])


UNKNOWN = "c03e05c13e0102030405060708c23e03616263c33e0801c43ec53e01020304"
"""Field 1000 of each wire type."""


def test_unknown_fields_are_kept(google: Callable[[str], Any], check: Check):
    chance = random.Random(3)
    every_type = google("every_type_proto3_pb2").EveryType
    lines = [line(fill(every_type(), chance), "protobuf") + UNKNOWN for _ in range(SAMPLES)]
    inner = every_type.Inner(id=1).SerializeToString() + bytes.fromhex(UNKNOWN)
    wrapped = every_type(an_inner=every_type.Inner.FromString(inner))
    lines.append(line(wrapped, "protobuf"))
    assert UNKNOWN in lines[-1]
    check(lines)


def test_numbers_a_closed_enum_lacks_are_unknown(google: Callable[[str], Any], check: Check):
    every_type = google("every_type_proto2_pb2").EveryType
    lines = []
    for raw in (
        "800102",  # a_color
        "c00302 c00301 c0037f",  # colors, one by one
        "8a0403010702",  # packed_colors
        "d00407",  # chosen_color
        "8a05050a01611007",  # color_of
    ):
        message = every_type.FromString(bytes.fromhex(raw) + required(every_type))
        lines.append(line(message, "protobuf"))
    check(lines)


def required(made: Any) -> bytes:
    """Return a message with its required fields alone."""
    message = made(a_required_number=1, a_required_string="", a_required_bytes=b"")
    message.a_required_color = 1
    message.a_required_inner.id = 2
    content: bytes = message.SerializeToString()
    return content


@pytest.mark.parametrize(
    "raw",
    [
        "920102080192010412027878",  # an_inner twice: merged
        "ca0402080ac8040b",  # a oneof's last member wins
        "ca0402080aca040412026161",  # the same member twice: merged
        "da0203010203d80204da020105",  # packed and unpacked mixed
        "ea03020001e80305",  # unpacked_int32s packed
        "8a050408011200",  # an entry
        "8a05021200",  # an entry without its key
        "8a050008818080808010",  # an empty entry; a number longer than it needs to be
        "18ffffffffffffffffff01",  # -1
        "18ffffffff0f",  # -1 in 32 bits
        "6802",  # a bool that is 2
        "809a9e01ff",  # not a message of ours
    ],
)
def test_unusual_bytes_mean_what_they_mean_to_google(
    google: Callable[[str], Any], check: Check, raw: str
):
    from google.protobuf.message import DecodeError

    every_type = google("every_type_proto3_pb2").EveryType
    name = every_type.DESCRIPTOR.full_name
    try:
        expected = every_type.FromString(bytes.fromhex(raw)).SerializeToString(deterministic=True)
    except DecodeError:
        check([f"{name} protobuf {raw}"], refuse=True)
    else:
        check([f"{name} protobuf {raw} {expected.hex()}"])


def test_what_is_no_message_is_refused(google: Callable[[str], Any], check: Check):
    proto2, proto3 = "conformance.proto2.EveryType", "conformance.proto3.EveryType"
    every_type = google("every_type_proto3_pb2").EveryType
    full = fill(every_type(), random.Random(5))
    lines = [
        f"{proto2} protobuf ",  # required fields are missing
        f"{proto3} protobuf 00",  # field 0
        f"{proto3} protobuf 0f",  # wire type 7
        f"{proto3} protobuf 18ffffffffffffffffffff01",  # 11 bytes
        f"{proto3} protobuf 7280",  # no end of a length
        f"{proto3} protobuf 7205ffff",  # too short
        f"{proto3} protobuf 72ffffffff0f",  # absurd length
        f"{proto3} protobuf 7202c328",  # no UTF-8
        f"{proto3} protobuf c33e",  # a group without end
        f"{proto3} protobuf c43e",  # an end without group
        f"{proto3} protobuf c33ecc3e",  # another group's end
        f"{proto3} protobuf ca020701020304050607",  # packed doubles of 7 bytes
        f"{proto3} ros1 {encode(full, 'ros1').hex()}00",  # a byte behind
        f"{proto3} cdr {encode(full, 'cdr').hex()}00000000",  # more than padding
        f"{proto3} cdr 000700{encode(full, 'cdr')[3:].hex()}",  # another representation
        "std_msgs.String ros1 ffffffff",
        "std_msgs.String ros1 02000000c328",
        "std_msgs.String cdr 00010000020000006161",  # no NUL
        "sensor_msgs.JointState ros1 " + "00" * 16 + "ffffff7f",
    ]
    for wire in ("ros1", "cdr"):
        content = encode(full, wire).hex()
        lines += [f"{proto3} {wire} {content[: 2 * n]}" for n in range(0, len(content) // 2, 7)]
    check(lines, refuse=True)


def test_damaged_messages_are_read_or_refused(google: Callable[[str], Any], check: Check):
    """Neither another exception than WireException nor more memory than allowed."""
    chance = random.Random(11)
    every_type = google("every_type_proto2_pb2").EveryType
    lines = []
    for wire in WIRES:
        for _ in range(150):
            content = bytearray.fromhex(line(fill(every_type(), chance), wire).split()[-1])
            for _ in range(chance.randint(1, 3)):
                content[chance.randrange(len(content))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))
            lines.append(f"{every_type.DESCRIPTOR.full_name} {wire} {content.hex()}")
    try:
        check(lines)
    except AssertionError as shown:
        assert "vectors, " in str(shown)
        assert not re.search(r"java\.lang\.(?!String)\w+", str(shown)), shown


def nested(depth: int) -> str:
    """Return a chain of that many messages below the first one."""
    content = b""
    for _ in range(depth):
        size, prefix = len(content), bytearray()
        while size > 0x7F:
            prefix.append(size & 0x7F | 0x80)
            size >>= 7
        content = b"\x0a" + bytes([*prefix, size]) + content
    return f"conformance.Chain protobuf {content.hex()}"


def test_depth_is_bounded(check_chain: Check):
    check_chain([nested(1), nested(100)])
    check_chain([nested(101), nested(500)], refuse=True)
    groups = "".join("c33e" for _ in range(101)) + "".join("c43e" for _ in range(101))
    check_chain([f"conformance.Chain protobuf {groups}"], refuse=True)


def test_unknown_fields_are_dropped_unless_asked_for(check_chain: Check):
    check_chain([f"conformance.Chain protobuf {UNKNOWN}1805 1805"])


def test_the_vectors_pass(check: Check):
    """Every language must read and write these vectors of the schemas compiled here."""
    lines = []
    for path in sorted((CONFORMANCE / "vectors").glob("*.txt")):
        lines += [text for text in path.read_text().splitlines() if text[:1] not in ("", "#")]
    packages = ("conformance.proto2.", "conformance.proto3.", "rsb.protocol.", "osi3.")
    lines = [text for text in lines if text.startswith(packages)]
    assert lines
    check(lines)


def test_output_is_the_same_again():
    inputs = [*map(str, SCHEMAS), str(RSB)]
    request = Request(WIRES, maven=True)
    assert compile_schema(inputs, ["java"], request) == compile_schema(inputs, ["java"], request)


def test_names_of_java_are_no_trouble(tmp_path: Path):
    source = tmp_path / "names.proto"
    source.write_text(
        'syntax = "proto3"; package interface.new;\n'
        "message String { string string = 1; String Object = 2; bytes b = 3; int32 p = 4; }\n"
        "message Object { message Object { Wire wire = 1; } Object java = 1; bool in = 2; }\n"
        "/* A \\u0041 and *\\/ and <b> @x {@y} */ message Wire { map<string, Wire> end = 1;\n"
        "  optional int32 foo = 2; bool has_foo = 3; oneof n { int32 n_case = 4; Math m = 5; } }\n"
        "message Math { repeated Integer override = 1; optional double ABSENT = 2; }\n"
        "message ArrayList { repeated string Arrays = 1; int32 clear = 2; }\n"
        "enum Integer { default = 0; Arrays = 1; }\n"
    )
    build(tmp_path, [str(source)], Request(("protobuf",), preserve_unknown=True))


def test_fields_may_have_the_names_of_our_variables(tmp_path: Path):
    names = [*sorted(LOCALS - {"valueStop"}), "unknown", "foo", "foo_at"]
    source = tmp_path / "locals.proto"
    lines = ['syntax = "proto2"; package locals;', "message Inner { optional int32 b = 1; }"]
    for kind in ("optional int64", "optional bytes", "repeated uint32", "repeated Inner"):
        fields = [f"{kind} {name} = {i};" for i, name in enumerate(names, 1)]
        title = kind.title().replace(" ", "")
        lines.append(f"message {title} {{ {' '.join(fields)} }}")
    source.write_text("\n".join(lines))
    build(tmp_path, [str(source)], Request(WIRES, preserve_unknown=True))


MANY = ["int32", "string", "optional double", "repeated sint64", "repeated string", "Part"]
MANY_MAIN = """
public class Main {
    public static void main(String[] words) throws Exception {
        byte[] bytes = System.in.readAllBytes();
        wire.many.Many many = wire.many.Many.fromProtobuf(bytes, 0, bytes.length);
        byte[] cdr = many.toCdr(), ros1 = many.toRos1();
        wire.many.Many again = wire.many.Many.fromCdr(cdr, 0, cdr.length);
        wire.many.Many last = wire.many.Many.fromRos1(ros1, 0, ros1.length);
        if (!last.equals(again) || last.hashCode() != again.hashCode()) System.exit(1);
        if (last.toString().length() < 3000) System.exit(2);
        System.out.write(many.toProtobuf());
        System.out.write(again.toProtobuf());
        last.clear();
        if (last.sizeProtobuf() != 0) System.exit(3);
    }
}
"""


def test_methods_of_more_than_64_kb_are_parted(tmp_path: Path) -> None:
    """Java refuses longer ones; a message of 3,000 fields has some."""
    count = 3000
    fields = "".join(f"{MANY[i % len(MANY)]} f{i} = {i + 1};" for i in range(count))
    parts = 'syntax = "proto3"; package many; message Part { int32 a = 1; }'
    (tmp_path / "many.proto").write_text(f"{parts} message Many {{{fields}}}")
    request = Request(WIRES)
    write(compile_schema([str(tmp_path / "many.proto")], ["java"], request), tmp_path)
    (tmp_path / "Main.java").write_text(MANY_MAIN)
    sources = [tmp_path / "Main.java", *(tmp_path / "java").rglob("*.java")]
    subprocess.run([*JAVAC, "-nowarn", "-d", tmp_path / "classes", *sources], check=True)
    command = ["protoc", f"-I{tmp_path}", "--encode=many.Many", "many.proto"]
    text = "".join(_many_text(i) for i in range(count))
    wire = subprocess.run(command, input=text.encode(), capture_output=True, check=True).stdout
    done = subprocess.run(
        [*JAVA, tmp_path / "classes", "Main"], input=wire, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == wire + wire


def _many_text(i: int) -> str:
    values = ["1", '"x"', "0.5", "[-1, 2]", '["a", "b"]', "{ a: 7 }"]
    return f"f{i}: {values[i % len(values)]}\n"
