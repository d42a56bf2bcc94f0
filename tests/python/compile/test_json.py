# SPDX-License-Identifier: Apache-2.0
"""Canonical JSON of generated Python: its texts are Google's, and no text breaks the reader."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from hypothesis import given, settings
from hypothesis import strategies as st

from support.compiled import (
    PROTOS,
    SCHEMAS,
    compile_python,
    google_class,
    module_name,
    random_message,
)
from support.json_texts import HOSTILE, REFUSED, TEXTS
from support.native import native_class
from support.programs import execute
from support.traces import messages
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.schema import CompileError
from wirecost.system.errors import UserError

MESSAGES = (
    "conformance.proto2.EveryType",
    "conformance.proto3.EveryType",
    "rsb.protocol.Notification",
)
SEEDS = 40


@cache
def holder_of(full_name: str) -> Any:
    package, _, name = full_name.rpartition(".")
    load = compile_python([str(PROTOS[package])], ("protobuf",), json=True)
    return getattr(load(module_name(package)), name)


@cache
def known() -> Any:
    schema = str(SCHEMAS / "well_known.proto")
    return compile_python([schema], ("protobuf",), json=True)("conformance.known.well_known")


def wire_error(holder: Any) -> type[ValueError]:
    error: type[ValueError] = importlib.import_module(holder.__module__.partition(".")[0]).WireError
    return error


@pytest.mark.parametrize("name", MESSAGES)
def test_google_reads_what_is_written_and_the_reverse(name: str):
    holder = holder_of(name)
    for seed in range(SEEDS):
        reference = random_message(name, seed)
        data = reference.SerializeToString(deterministic=True)
        ours = holder.decode_protobuf(data)
        for options in ({}, {"indent": 2}, {"proto_names": True}, {"defaults": True}):
            text = ours.to_json(**options)
            again = json_format.Parse(text, google_class(name)())
            assert again.SerializeToString(deterministic=True) == data
            assert holder.from_json(text) == ours
        text = json_format.MessageToJson(reference)
        assert holder.from_json(text) == ours
        assert holder.from_json(text.encode()).encode_protobuf() == data
        shorter = text.replace("1.4013e-45", "1e-45")  # Google writes six digits
        assert json.loads(ours.to_json()) == json.loads(shorter)


@pytest.mark.parametrize("name", MESSAGES)
def test_native_objects_write_and_read_the_same(name: str):
    native, holder = native_class(name), holder_of(name)
    for seed in range(SEEDS):
        data = random_message(name, seed).SerializeToString(deterministic=True)
        text = holder.decode_protobuf(data).to_json()
        assert native.decode_protobuf(data).to_json() == text
        assert native.from_json(text).encode_protobuf() == data
    with pytest.raises(wire_error(native), match="no field 'none'"):
        native.from_json('{"none": 1}')


@pytest.mark.parametrize("texts", TEXTS, ids=lambda texts: texts[0])
def test_forms(texts: tuple[str, ...]):
    message = known().Known.from_json(texts[0])
    assert message.to_json() == texts[-1]
    again = known().Known.decode_protobuf(message.encode_protobuf())
    assert again.to_json() == texts[-1]


@pytest.mark.parametrize(("text", "reason"), REFUSED)
def test_refused(text: str, reason: str):
    with pytest.raises(wire_error(known().Known), match=reason) as caught:
        known().Known.from_json(text)
    position = caught.value.position  # type: ignore[attr-defined]
    assert (position is None) == (reason != "not JSON")


def test_bytes_that_are_no_text():
    holder = known().Known
    assert holder.from_json(memoryview(b'{"text":"\xc3\xa4"}')).text == "ä"
    for data, position in ((b'{"text":"\xff"}', 9), (b'{"text":"\xed\xa0\x80"}', 9)):
        with pytest.raises(wire_error(holder), match="not UTF-8") as caught:
            holder.from_json(data)
        assert caught.value.position == position  # type: ignore[attr-defined]
    with pytest.raises(wire_error(holder), match="neither text nor bytes"):
        holder.from_json(5)


def test_what_is_unknown_is_skipped_if_that_is_asked():
    text = (
        '{"new":[{"a":{}}],"wide":"1","color":"NEW","colors":["NEW","RED"],"byTruth":{"true":""}}'
    )
    with pytest.raises(wire_error(known().Known), match="no field 'new'"):
        known().Known.from_json(text)
    message = known().Known.from_json(text, ignore_unknown=True)
    assert message.to_json() == '{"colors":["RED"],"wide":"1"}'


def test_options_of_writing():
    module = known()
    message = module.Known(no_choice=0, wide=1, colors=[5])
    assert message.to_json(proto_names=True) == '{"no_choice":null,"colors":[5],"wide":"1"}'
    assert message.to_json(indent=1) == json.dumps(json.loads(message.to_json()), indent=1)
    assert module.Known(null=5).to_json() == '{"null":null}'
    assert module.Known.from_json('{"null":null}') == module.Known()
    every = json.loads(module.Known().to_json(defaults=True))
    assert every == {
        "values": [], "byName": {}, "null": None, '@"\\??/\nä': 0, "color": "NONE", "colors": [],
        "byTruth": {}, "byNumber": {}, "singles": [], "class": "", "wide": "0",
    }  # fmt: skip


def test_what_cannot_be_written():
    module = known()
    holder, error = module.Known, wire_error(module.Known)
    parts = importlib.import_module(f"{module.__name__.partition('.')[0]}.google.protobuf.struct")
    nested = holder()
    nested.by_number[0] = nested
    boxed = holder()
    for _ in range(17):
        box = type(holder.from_json('{"any":{}}').any)
        boxed = holder(any=box("a/conformance.known.Known", boxed.encode_protobuf()))
    for message, reason in (
        (holder(wide=-1), "wide: -1 is out of range for uint64"),
        (holder(wide="x"), "wide: "),
        (holder(wide=None), "wide: "),
        (holder(text="\ud800"), "not Unicode"),
        (holder(text="", no_choice=0), "more than one member of the oneof choice"),
        (holder(color=1 << 31), "out of range for int32"),
        (holder(value=parts.Value(number_value=float("nan"))), "NaN is no number"),
        (holder(value=parts.Struct()), "is not Value"),
        (holder(singles=[1e39]), r"singles: \[0\]"),
        (nested, "nested without end"),
        (boxed, "in an Any are nested deeper than 16"),
    ):
        with pytest.raises(error, match=reason):
            message.to_json()


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_texts_are_refused_in_one_short_line(kind: str):
    with pytest.raises(wire_error(known().Known)) as caught:
        known().Known.from_json(HOSTILE[kind])
    assert len(str(caught.value)) < 1000


def test_messages_that_take_far_more_memory_than_their_text_are_refused(tmp_path: Path):
    path = tmp_path / "wide.proto"
    fields = "".join(f"int32 f{i} = {i}; " for i in range(1, 200))
    path.write_text(f'syntax = "proto3"; message Wide {{ {fields} repeated Wide all = 200; }}')
    holder = compile_python([str(path)], ("protobuf",), json=True)("wide").Wide
    many = ",".join(["{}"] * 100_000)
    with pytest.raises(wire_error(holder), match="far more memory"):
        holder.from_json(f'{{"all":[{many}]}}')


def test_nesting_ends_where_it_does_on_the_wire():
    holder = known().Known
    message = holder()
    for _ in range(50):  # an entry of a map and its message are two levels
        message = holder(by_number={1: message})
    assert holder.from_json(message.to_json()) == message
    assert holder.decode_protobuf(message.encode_protobuf()) == message
    deeper = holder(by_number={1: message})
    with pytest.raises(wire_error(holder), match="nested deeper than 100"):
        holder.from_json(deeper.to_json())
    with pytest.raises(wire_error(holder), match="nested deeper than 100"):
        holder.decode_protobuf(deeper.encode_protobuf())


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_text_is_a_message_or_an_error(draw: st.DataObject):
    holder = known().Known
    text = list(draw.draw(st.sampled_from(TEXTS))[0])
    for _ in range(draw.draw(st.integers(0, 3))):
        at = draw.draw(st.integers(0, len(text)))
        text[at : at + draw.draw(st.integers(0, 2))] = draw.draw(
            st.text('{}[]",:\\ueE+-.09aZ', max_size=3)
        )
    try:
        message = holder.from_json("".join(text))
    except wire_error(holder):
        return
    assert holder.from_json(message.to_json()).to_json() == message.to_json()


def test_fields_of_ros_messages():
    load = compile_python([str(PROTOS["bounds_msgs"])], ("cdr",), json=True)
    holder = load("bounds_msgs").Bounded
    text = holder().to_json(defaults=True)
    assert holder.from_json(text) == holder()
    assert holder.from_json("{}") == holder()


def test_real_traces(osi_data: Path):
    """Messages of every trace of OSI: Google reads the text as the same message."""
    load = compile_python(["osi3"], ("protobuf",), json=True)
    read = 0
    for path in sorted(osi_data.rglob("*.osi")):
        for name, data in itertools.islice(messages(path), 3):
            ours = getattr(load(f"osi3.osi_{name.lower()}"), name).decode_protobuf(data)
            text = ours.to_json()
            module = importlib.import_module(f"osi3.osi_{name.lower()}_pb2")
            reference = json_format.Parse(text, getattr(module, name)())
            assert reference.SerializeToString(deterministic=True) == ours.encode_protobuf()
            assert type(ours).from_json(text) == ours
            read += 1
    assert read > 10


def test_only_what_is_used_is_imported(tmp_path: Path):
    write(
        compile_schema(
            [str(PROTOS["rsb.protocol"])], ["python"], Request(("protobuf",), json=True)
        ),
        tmp_path,
    )
    code = (
        "import sys; before = set(sys.modules); import wire.rsb.protocol.notification as n; "
        "print(sorted(m for m in set(sys.modules) - before if 'json' in m)); "
        "print(n.Notification().to_json())"
    )
    command = [sys.executable, "-S", "-c", code]
    done = execute(command, cwd=tmp_path / "python", check=True)
    imported, text = done.stdout.splitlines()
    assert imported == "['wire._json']"
    assert json.loads(text)["wireSchema"] == ""


def test_the_output_passes_the_type_checker(tmp_path: Path):
    request = Request(("protobuf",), json=True, native=True)
    write(compile_schema([str(SCHEMAS / "well_known.proto")], ["cpp", "python"], request), tmp_path)
    for package in ("wire", "wire_native"):
        (tmp_path / "python" / "user.py").write_text(
            f"from {package}.conformance.known.well_known import Known\n"
            'text: str = Known.from_json(b"{}", ignore_unknown=True).to_json(indent=2)\n'
        )
        command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", package, "user.py"]
        checked = execute(command, cwd=tmp_path / "python")
        assert checked.returncode == 0, checked.stdout


def test_messages_that_are_named_as_wellknown_ones_only(tmp_path: Path):
    path = tmp_path / "own.proto"
    path.write_text(
        'syntax = "proto3"; package google.protobuf;\n'
        "message Timestamp { int64 seconds = 1; }\n"
        "message Duration { optional int64 seconds = 1; int32 nanos = 2; }\n"
    )
    module = compile_python([str(path)], ("protobuf",), json=True)("google.protobuf.own")
    assert module.Timestamp(5).to_json() == '{"seconds":"5"}'
    assert module.Duration.from_json('{"seconds":5}') == module.Duration(5)


def test_names_that_json_or_its_classes_use(tmp_path: Path):
    path = tmp_path / "names.proto"
    path.write_text(
        'syntax = "proto2"; package _json;\n'
        "message M { optional int32 to_json = 1; optional int32 from_json = 2;\n"
        '  required int32 _json = 3; optional int32 json = 4 [json_name = "\\\\ \\x01\'"]; }\n'
    )
    holder = compile_python([str(path)], ("protobuf",), json=True)("_json__.names").M
    message = holder(1, 2, 3, 4)
    assert json.loads(message.to_json()) == {"toJson": 1, "fromJson": 2, "Json": 3, "\\ \x01'": 4}
    assert holder.from_json(message.to_json()) == message
    with pytest.raises(wire_error(holder), match="required field _json is missing"):
        holder.from_json("{}")


def test_schemas_without_json_are_refused(tmp_path: Path):
    path = tmp_path / "same.proto"
    fields = 'optional int32 a = 1; optional int32 c = 2 [json_name = "a"];'
    path.write_text(f'syntax = "proto2"; message M {{ {fields} }}')
    assert compile_schema([str(path)], ["python"], Request(("protobuf",)))
    with pytest.raises(CompileError, match="a and c have the same name in JSON"):
        compile_schema([str(path)], ["python"], Request(("protobuf",), json=True))
    with pytest.raises(UserError, match="add protobuf to --wire"):
        schema = str(SCHEMAS / "well_known.proto")
        compile_schema([schema], ["python"], Request((), json=True))
