# SPDX-License-Identifier: Apache-2.0
"""Generated Python: its bytes are Google's and our rules', and no input breaks a decoder."""

from __future__ import annotations

import array
import importlib
import struct
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import sequential_reference
from support.columns_reference import varint
from support.compiled import (
    ROOT,
    compile_python,
    differences,
    filled,
    google_class,
    holder_of,
    module_of,
    random_message,
)
from support.programs import execute
from support.traces import messages, ros_definitions
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

EVERY_TYPE = ("conformance.proto2.EveryType", "conformance.proto3.EveryType")
MESSAGES = (*EVERY_TYPE, "rsb.protocol.Notification")
SEQUENTIAL = ("ros1", "cdr")
WIRES = ("protobuf", *SEQUENTIAL)
SEEDS = 40


def encode(message: Any, wire: str) -> bytes:
    encoded: bytes = getattr(message, f"encode_{wire}")()
    return encoded


def decode(holder: Any, wire: str, data: bytes) -> Any:
    return getattr(holder, f"decode_{wire}")(data)


def wire_error(holder: Any) -> type[ValueError]:
    """Each namespace has its own error."""
    namespace = holder.__module__.partition(".")[0]
    error: type[ValueError] = importlib.import_module(namespace).WireError
    return error


@pytest.mark.parametrize("name", MESSAGES)
def test_protobuf_bytes_are_googles(name: str):
    holder, module = holder_of(name), module_of(name.rpartition(".")[0])
    for seed in range(SEEDS):
        reference = random_message(name, seed)
        data = reference.SerializeToString(deterministic=True)
        ours = holder.decode_protobuf(data)
        assert differences(ours, reference) == []
        assert ours.encode_protobuf() == data
        assert ours.encoded_size_protobuf() == len(data)
        assert filled(reference, module).encode_protobuf() == data


@pytest.mark.parametrize("name", MESSAGES)
@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_sequential_bytes_follow_the_rules(name: str, wire: str):
    holder, module = holder_of(name), module_of(name.rpartition(".")[0])
    for seed in range(SEEDS):
        reference = random_message(name, seed)
        data = sequential_reference.encode(reference, wire)
        assert encode(filled(reference, module), wire) == data
        ours = decode(holder, wire, data)
        assert encode(ours, wire) == data
        if wire == "cdr":
            big = sequential_reference.encode(reference, wire, ">")
            assert decode(holder, wire, big) == ours


def test_map_entries_are_ordered_by_their_keys():
    holder = holder_of(EVERY_TYPE[1])
    keys = (1 << 32) - 1, 0, 300, 5
    ours = holder(by_uint32=dict.fromkeys(keys, 1))
    one_by_one = b"".join(holder(by_uint32={k: 1}).encode_protobuf() for k in sorted(keys))
    assert ours.encode_protobuf() == one_by_one
    for wire in WIRES:
        assert decode(holder, wire, encode(ours, wire)).by_uint32 == ours.by_uint32


@pytest.mark.parametrize(
    ("factor", "protobuf", "ros1"),
    [(4, 55, 104), (8, 83, 132), (16, 139, 188), (32, 251, 300), (64, 477, 524), (128, 933, 972)],
)
def test_notification_sizes(factor: int, protobuf: int, ros1: int):
    module, text = module_of("rsb.protocol"), bytes(factor)
    meta = module.EventMetaData(1, 2, user_infos=[module.EventMetaData.UserInfo(text, text)])
    ours = module.Notification(module.EventId(text, 1), text, text, text, text, meta_data=meta)
    assert (ours.encoded_size_protobuf(), ours.encoded_size_ros1()) == (protobuf, ros1)


def test_holders_are_typed_dataclasses():
    module = module_of("conformance.proto2")
    ours = module.EveryType()
    assert ours.with_default_number is None
    assert module.EveryType.WITH_DEFAULT_NUMBER_DEFAULT == -7
    assert module.EveryType.Nested.SECOND == 4
    assert module.EveryType.Inner is module.EveryType_Inner
    assert isinstance(ours.int64s, array.array)
    assert not hasattr(ours, "__dict__")
    assert module.EveryType(class_=1) != ours
    notice = "SPDX-License-Identifier: Apache-2.0"
    assert module.__doc__ == f"{notice}\nEvery type of field that proto2 has.\n"


def test_absent_fields_are_present_behind_wires_without_presence():
    holder = holder_of(EVERY_TYPE[0])
    for wire in ("ros1", "cdr"):
        ours = decode(holder, wire, encode(holder(), wire))
        assert ours.with_default_number == -7
        assert ours.with_default_string.split() == ["quote", '"', "and", "é"]
        assert ours.an_inner.id == 0
        assert ours.chosen_number is None


def test_unknown_fields_are_kept_on_request():
    unknown = bytes.fromhex("c03e01 ca3e0161 d33ed43e")
    data = holder_of(EVERY_TYPE[1])(an_int32=3).encode_protobuf()
    keeping = module_of("conformance.proto3", preserve_unknown=True).EveryType
    ours = keeping.decode_protobuf(unknown + data)
    assert ours.unknown_fields == unknown
    assert ours.encode_protobuf() == data + unknown
    assert keeping.decode_cdr(ours.encode_cdr()).unknown_fields == b""
    assert holder_of(EVERY_TYPE[1]).decode_protobuf(unknown + data).encode_protobuf() == data


def test_undeclared_numbers_of_closed_enums_are_unknown_fields():
    keeping = module_of("conformance.proto2", preserve_unknown=True).EveryType
    ours = keeping.decode_protobuf(holder_of(EVERY_TYPE[0])().encode_protobuf() + b"\x80\x01\x09")
    assert ours.a_color is None
    assert ours.unknown_fields == b"\x80\x01\x09"
    assert ours.encode_protobuf().endswith(b"\x80\x01\x09")


def test_parts_of_a_message_are_merged_and_the_last_of_a_oneof_wins():
    for name in EVERY_TYPE:
        google, holder = google_class(name), holder_of(name)
        first, second = random_message(name, 1), random_message(name, 2)
        data = first.SerializeToString() + second.SerializeToString()
        assert differences(holder.decode_protobuf(data), google.FromString(data)) == []


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"an_int32": 1 << 31}, "out of range"),
        ({"a_uint32": -1}, "out of range"),
        ({"a_string": 5}, "encode"),
        ({"a_double": "x"}, "float"),
        ({"chosen_number": 1, "chosen_string": "x"}, "oneof choice"),
    ],
)
def test_values_that_cannot_be_encoded(values: dict[str, Any], complaint: str):
    ours = holder_of(EVERY_TYPE[1])(**values)
    for wire in WIRES:
        with pytest.raises(wire_error(type(ours)), match=r"EveryType cannot|more than one") as it:
            encode(ours, wire)
        assert it.value.position is None
    with pytest.raises(wire_error(type(ours)), match=complaint):
        ours.encode_protobuf()


def test_messages_in_themselves_cannot_be_encoded():
    chain = module_of("conformance").Chain()
    chain.next = chain
    with pytest.raises(wire_error(type(chain)), match="without end"):
        chain.encode_protobuf()


@pytest.mark.parametrize(("depth", "fits"), [(100, True), (101, False), (50_000, False)])
def test_nesting_is_bounded(depth: int, fits: bool):
    holder = holder_of("conformance.Chain")
    data = b""
    for _ in range(depth):
        data = b"\x0a" + varint(len(data)) + data
    if fits:
        assert holder.decode_protobuf(data).encode_protobuf() == data
        return
    with pytest.raises(wire_error(holder), match="deep"):
        holder.decode_protobuf(data)


def test_unknown_groups_are_bounded():
    holder = holder_of("conformance.Chain")
    with pytest.raises(wire_error(holder), match="deep"):
        holder.decode_protobuf(b"\x43" * 101 + b"\x44" * 101)
    assert holder.decode_protobuf(b"\x43" * 100 + b"\x44" * 100) == holder()


def test_memory_is_bounded():
    """Two bytes of input ask for an empty message with dozens of lists."""
    holder = compile_python(["osi3"], ("protobuf",))("osi3.osi_groundtruth").GroundTruth
    moving_objects = b"\x2a\x00" * 400_000  # each takes two kilobytes
    ours = holder.decode_protobuf(moving_objects[:20_000])
    assert len(ours.moving_object) == 10_000
    with pytest.raises(wire_error(holder), match="memory"):
        holder.decode_protobuf(moving_objects)


def test_counts_are_refused_before_anything_is_made():
    holder = holder_of("rsb.protocol.Notification")
    data = bytearray(holder().encode_ros1())
    for at in range(0, len(data) - 3):
        data[at : at + 4] = b"\xff" * 4
        try:
            holder.decode_ros1(bytes(data))
        except wire_error(holder) as error:
            assert 0 <= error.position <= len(data)  # type: ignore[attr-defined]
        data[at : at + 4] = bytes(4)


@pytest.mark.parametrize("wire", ["ros1", "cdr"])
def test_leftover_and_missing_bytes_are_refused(wire: str):
    for name in MESSAGES:
        holder = holder_of(name)
        data = encode(holder(), wire)
        more_than_padding = 4 if wire == "cdr" else 1
        with pytest.raises(wire_error(holder), match="left over"):
            decode(holder, wire, data + b"\0" * more_than_padding)
        for end in range(len(data)):
            with pytest.raises(wire_error(holder)):
                decode(holder, wire, data[:end])


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(MESSAGES), st.sampled_from(WIRES), st.binary(max_size=300))
def test_any_bytes_are_a_message_or_an_error(name: str, wire: str, data: bytes):
    _value_or_error(holder_of(name), wire, data)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(MESSAGES), st.sampled_from(WIRES), st.integers(0, 9), st.data())
def test_damaged_bytes_are_a_message_or_an_error(name: str, wire: str, seed: int, draw: Any):
    holder = holder_of(name)
    reference = random_message(name, seed, 1)
    data = bytearray(encode(filled(reference, module_of(name.rpartition(".")[0])), wire))
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(data)))
        data[at : at + draw.draw(st.integers(0, 4))] = draw.draw(st.binary(max_size=5))
    _value_or_error(holder, wire, bytes(data))


def _value_or_error(holder: Any, wire: str, data: bytes) -> None:
    """Check that a decoded message is encoded, and then decoded to the same bytes."""
    try:
        ours = decode(holder, wire, data)
    except wire_error(holder) as error:
        assert 0 <= error.position <= len(data)  # type: ignore[attr-defined]
        if wire in SEQUENTIAL:
            with pytest.raises(wire_error(holder)) as caught:
                getattr(holder, f"decode_{wire}")(bytearray(data), views=True)
            assert str(caught.value) == str(error)
        return
    encoded = encode(ours, wire)
    if wire in SEQUENTIAL:
        viewed = getattr(holder, f"decode_{wire}")(bytearray(data), views=True)
        assert encode(viewed, wire) == encoded
    assert encode(decode(holder, wire, encoded), wire) == encoded


LONGEST = 40
"""Messages of one trace that also go over the other wires."""


def test_real_traces(osi_data: Path):
    """Every message of every trace keeps its bytes, if its writer has our order of fields.

    Otherwise it becomes what Google's library writes."""
    load = compile_python(["osi3"])
    read = 0
    for path in sorted([*osi_data.rglob("*.osi"), *osi_data.rglob("*.mcap")]):
        for number, (name, data) in enumerate(messages(path)):
            ours = getattr(load(f"osi3.osi_{name.lower()}"), name).decode_protobuf(data)
            again = ours.encode_protobuf()
            if again != data:
                module = importlib.import_module(f"osi3.osi_{name.lower()}_pb2")
                reference = getattr(module, name).FromString(data)
                assert again == reference.SerializeToString(deterministic=True), path.name
            for wire in ("ros1", "cdr") if number < LONGEST else ():
                encoded = encode(ours, wire)
                assert encode(decode(type(ours), wire, encoded), wire) == encoded
            read += 1
    assert read > 4000


def test_a_real_ros_recording(osi_data: Path, tmp_path: Path):
    """OSI as ROS 1 messages, compiled from the definitions that the recording carries."""
    recording = osi_data / "asam-osi-converter" / "only_osi_topic.mcap"
    if not recording.is_file():
        pytest.skip(f"{recording} is not there")
    root, definitions = ros_definitions(recording, tmp_path)
    holder = compile_python([str(root)], ("ros1",))("osi_3_msgs").osi_GroundTruth
    for data in definitions[:LONGEST]:
        assert holder.decode_ros1(data).encode_ros1() == data


def test_output_is_the_same_again_and_passes_the_type_checker(tmp_path: Path):
    schema = [str(ROOT / "schemas" / "rsb" / "notification.proto")]
    texts = compile_schema(schema, ["python"], Request(WIRES))
    assert texts == compile_schema(schema, ["python"], Request(WIRES))
    write(texts, tmp_path)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "wire"]
    checked = execute(command, cwd=tmp_path / "python")
    assert checked.returncode == 0, checked.stdout


ODD_NAMES = """
syntax = "proto2";
package odd.lambda;
message Any { required double x = 1; }
message Struct {
  enum E { name = 0; mro = 1; None = 2; }
  message Other {
    message Any {}
    required Struct outer = 1; required odd.lambda.Any inner = 2;
  }
  optional int32 m = 1; repeated int32 parts = 2 [packed = true]; optional string pos = 3;
  required bytes data = 4; optional int32 len = 5; optional int32 self = 6; optional int32 cls = 7;
  repeated string n = 8; repeated odd.lambda.Any value = 9; optional int32 tag = 10;
  optional int32 in = 11; optional int32 __init__ = 12; optional int32 field = 13;
  optional int32 encode_ros1 = 14; map<string, odd.lambda.Any> sorted = 15;
  optional int32 bytes = 16; required odd.lambda.Any Any = 17; repeated double item = 18;
  optional E end = 19; repeated bool order = 20; optional int32 unknown_fields = 21;
  optional int32 list = 22; optional int32 _pack_I = 23; repeated Other depth = 24;
  required odd.lambda.Any second = 25;
}
"""


def test_names_that_python_or_the_codecs_use(tmp_path: Path):
    path = tmp_path / "import.proto"
    path.write_text(ODD_NAMES)
    module = compile_python([str(path)], preserve_unknown=True)("odd.lambda_.import_")
    assert (module.Struct.E.mro_, module.Struct.E.None_) == (1, 2)
    ours = module.Struct(
        m=1, parts=[-1], pos="p", data=b"d", len=2, self=3, cls=4, n=["n"], value=[module.Any(0.5)],
        tag=5, in_=6, field__init__=7, field=8, encode_ros1_=9, sorted={"k": module.Any(1)},
        bytes_=10, item=[1.5], end=2, order=[True], unknown_fields_=11, list_=12, _pack_I=13,
    )  # fmt: skip
    data = ours.encode_protobuf()
    assert module.Struct.decode_protobuf(data).encode_protobuf() == data
    assert type(module.Struct.Other().inner) is module.Any
    assert module.Struct.decode_protobuf(data).field__init__ == 7


def test_all_of_osi_can_be_imported():
    load = compile_python(["osi3"], preserve_unknown=True)
    folder = Path(load("osi3").__file__).parent
    modules = sorted(path.stem for path in folder.glob("osi_*.py"))
    assert len(modules) > 25
    for module in modules:
        assert load(f"osi3.{module}").__doc__


def test_messages_without_content_are_bounded(tmp_path: Path):
    path = tmp_path / "empties.proto"
    path.write_text('syntax = "proto3"; message Empties { message E {} repeated E all = 1; }')
    holder = compile_python([str(path)])("empties").Empties
    for count in (100, 65_536):
        ours = holder(all=[holder.E()] * count)
        for wire in ("ros1", "cdr"):
            assert decode(holder, wire, encode(ours, wire)) == ours
    for wire, head in (("ros1", ""), ("cdr", "00010000")):
        with pytest.raises(wire_error(holder), match="elements"):
            decode(holder, wire, bytes.fromhex(head) + struct.pack("<I", 65_537))
        with pytest.raises(wire_error(holder), match="elements"):
            decode(holder, wire, bytes.fromhex(head + "ffffffff"))
