# SPDX-License-Identifier: Apache-2.0
"""A user's own message: which type is meant, where messages come from, which bytes are whose."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from google.protobuf import descriptor_pb2 as pb
from syrupy.assertion import SnapshotAssertion

from support.programs import execute
from wirecost.data.messages import fields
from wirecost.data.messages.content import MOST_BYTES, made_up
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.message.advice import changes as advice
from wirecost.measure.bench.message.advice.changes import changes
from wirecost.measure.bench.message.advice.columns import TriedColumns
from wirecost.measure.bench.message.data import MessageChoice, recorded
from wirecost.measure.bench.message.race import available_backends
from wirecost.measure.serializers.backend import Carried
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.programs import NoCompilerError
from wirecost.measure.serializers.cpp.sources import generate
from wirecost.measure.serializers.race import _verify
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile import frontends
from wirecost.system.errors import UserError

SCHEMAS = Path(__file__).parents[2] / "conformance" / "schemas"
EVERY = ("every_type_proto2.proto", "every_type_proto3.proto", "recursive_maps.proto")


def load(name: str, type_name: str = "") -> Subject:
    path = str(SCHEMAS / name)
    return subject(frontends.descriptors([path]), path, type_name)


def every() -> Subject:
    return load("every_type_proto3.proto", "EveryType")


def test_a_file_without_messages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty.proto").touch()
    path = str(tmp_path / "empty.proto")
    with pytest.raises(UserError, match="declares no message"):
        subject(frontends.descriptors([path]), path, "")


@pytest.mark.parametrize("name", EVERY)
def test_the_fields_bytes_are_the_message_s(name: str) -> None:
    path = str(SCHEMAS / name)
    descriptors = frontends.descriptors([path])
    for message in frontends.load_descriptors(descriptors, path).messages():
        about = subject(descriptors, path, message.full_name)
        messages = made_up(about, {}, 1)
        counted, total = fields.counted(about, messages)
        assert total == sum(map(len, messages))
        assert sum(field.own for field in counted) == total
        assert sum(field.all for field in counted if "." not in field.path) == total


def test_bytes_that_a_schema_does_not_know_are_counted() -> None:
    unknown = b"\xc0\xb8\x02\x07"
    counted, total = fields.counted(every(), [unknown])
    assert [(field.path, field.own) for field in counted] == [(fields.UNKNOWN, total)]


def test_a_field_is_taken_out_of_all_elements() -> None:
    about = every()
    (before, *_) = messages = made_up(about, {}, 1)
    (after, *_) = fields.without(about, messages, ["inners[].text", "doubles[]"])
    whole, less = (about.message_class.FromString(data) for data in (before, after))
    assert whole.doubles and not less.doubles
    assert all(inner.text for inner in whole.inners)
    assert len(less.inners) == len(whole.inners) and not any(i.text for i in less.inners)
    for inner in whole.inners:
        inner.ClearField("text")
    whole.ClearField("doubles")
    assert less == whole


def test_heavy_fields_are_taken_out_outermost_first() -> None:
    about = every()
    counted, _ = fields.counted(about, made_up(about, {"inners": 1000}, 1))
    paths = fields.worth_taking_out(counted, about)
    assert paths[0] == "inners[]"
    assert "inners[].text" in paths


def test_texts_are_taken_out_though_numbers_of_as_many_bytes_are_not() -> None:
    about = every()
    message = about.message_class(a_string="x" * 26, doubles=[0.5] * 118, sint32s=[1] * 27)
    counted, total = fields.counted(about, [message.SerializeToString()])
    shares = {field.path: field.all / total for field in counted}
    assert 0.02 < shares["a_string"] < 0.04 and 0.02 < shares["sint32s[]"] < 0.04
    assert fields.worth_taking_out(counted, about) == ["doubles[]", "a_string"]


def test_made_up_messages_have_the_elements_that_were_asked_for() -> None:
    about = every()
    messages = [
        about.message_class.FromString(data) for data in made_up(about, {"doubles": 123}, 1)
    ]
    assert all(len(message.doubles) == 123 for message in messages)
    assert len({message.an_int64 for message in messages}) > 1
    assert made_up(about, {}, 1) == made_up(about, {}, 1) != made_up(about, {}, 2)
    assert len(made_up(about, {"doubles": MOST_BYTES // 8}, 1)) == 1


def test_elements_of_no_list_are_refused() -> None:
    with pytest.raises(
        UserError, match=r"--elements far: conformance\.proto3\.EveryType has no list"
    ):
        made_up(every(), {"far": 2}, 1)


@pytest.mark.parametrize(
    "type_name, said",
    [("Pigeon", "has no message Pigeon; give --type with one of "), ("", "has several messages")],
)
def test_a_type_that_is_not_there_is_named(type_name: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        load("hollow.proto" if type_name else "well_known.proto", type_name)


def test_the_schema_is_what_the_type_needs() -> None:
    descriptors = frontends.descriptors(["osi3"])
    about = subject(descriptors, "osi3", "Identifier")
    assert [m.full_name for m in about.schema.messages()] == ["osi3.Identifier"]
    assert len(about.descriptors.file) < len(descriptors.file)


def written(path: Path, messages: list[Any], form: str) -> Path:
    from google.protobuf import json_format, text_format

    if form == "delimited":
        data = b"".join(
            bytes([len(m) & 0x7F | 0x80, len(m) >> 7]) + m
            for m in (message.SerializeToString() for message in messages)
        )
        path.write_bytes(data)
    elif form == "single":
        path.write_bytes(messages[0].SerializeToString())
    elif form == "array":
        path.write_text(json.dumps([json_format.MessageToDict(m) for m in messages]))
    elif form == "lines":
        path.write_text("\n".join(json.dumps(json_format.MessageToDict(m)) for m in messages))
    else:
        path.write_text(text_format.MessageToString(messages[0]))
    return path


@pytest.mark.parametrize(
    "name, form, single",
    [
        ("m.binpb", "delimited", False),
        ("m.binpb", "single", True),
        ("m.json", "array", False),
        ("m.jsonl", "lines", False),
        ("m.textproto", "text", True),
    ],
)
def test_messages_come_from_files(tmp_path: Path, name: str, form: str, single: bool) -> None:
    about = load("every_type_proto3.proto", "EveryType")
    originals = [about.message_class.FromString(data) for data in made_up(about, {}, 1)]
    count = 1 if single else len(originals)
    sample = recorded(written(tmp_path / name, originals, form), about, MessageChoice())
    assert [about.message_class.FromString(data) for data in sample.messages] == originals[:count]
    assert sample.said == f"{count} of {count} messages of {name}"


def test_a_sample_is_spread_and_the_first_are_the_first(tmp_path: Path) -> None:
    about = every()
    messages = [about.message_class(an_int32=number) for number in range(1000)]
    path = written(tmp_path / "m.jsonl", messages, "lines")

    def numbers(choice: MessageChoice) -> list[int]:
        sample = recorded(path, about, choice).messages
        return [about.message_class.FromString(data).an_int32 for data in sample]

    assert numbers(MessageChoice(first=7)) == list(range(7))
    spread = numbers(MessageChoice(sample=50, seed=3))
    assert len(spread) == 50 and spread == sorted(spread) and spread[-1] > 500
    assert (
        spread
        == numbers(MessageChoice(sample=50, seed=3))
        != numbers(MessageChoice(sample=50, seed=4))
    )
    assert len(numbers(MessageChoice())) == 50


def test_damaged_messages_are_counted_and_the_others_measured(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    about = every()
    path = tmp_path / "m.binpb"
    path.write_bytes(b"\x02\x08\x80" + b"\x02\x18\x05" + b"\x06\xc0\xb8\x02\x07\x18\x05")
    sample = recorded(path, about, MessageChoice())
    assert sample.messages == [b"\x18\x05", b"\x18\x05"]
    assert sample.said == snapshot


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("m.json", "{", "not valid JSON"),
        ("m.json", '{"nothing": 1}', "holds no whole conformance.proto3.EveryType"),
        ("m.binpb", "", "holds no whole"),
        ("m.dat", "", "its suffix is not known; give one of"),
    ],
)
def test_files_without_messages_are_refused(
    tmp_path: Path, name: str, content: str, said: str
) -> None:
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(UserError, match=said):
        recorded(path, every(), MessageChoice())


def carried(change: Any) -> str | None:
    """Why a contender is not timed whose messages were changed."""
    about = every()
    messages = made_up(about, {}, 1)
    sent = []
    for data in messages:
        message = about.message_class.FromString(data)
        change(message)
        sent.append(message.SerializeToString())
    entry = Contender("cpp", "mine", "new", "protobuf", "1").entry(about.type)
    _verify(about, messages, entry, Carried(sent, None))
    return entry.failure


def test_a_contender_that_drops_or_changes_a_field_is_named(snapshot: SnapshotAssertion) -> None:
    assert carried(lambda message: message.SetInParent()) is None
    dropped = carried(lambda message: message.ClearField("strings"))
    changed = carried(lambda message: setattr(message.inners[-1], "id", message.inners[-1].id + 1))
    assert {"dropped": dropped, "changed": changed} == snapshot


def test_a_contender_that_carries_fewer_messages_is_named(snapshot: SnapshotAssertion) -> None:
    entry = SimpleNamespace(failure=None, contender=SimpleNamespace(wire="protobuf"))
    _verify(every(), made_up(every(), {}, 1), entry, Carried([], None))  # type: ignore[arg-type]
    assert entry.failure == snapshot


def changed(messages: list[Any], about: Subject) -> dict[str, Any]:
    data = [message.SerializeToString() for message in messages]
    counted, _ = fields.counted(about, data)
    return {change.what: change for change in changes(about, data, counted)}


def test_what_stays_the_same_is_to_be_sent_once(snapshot: SnapshotAssertion) -> None:
    about = every()
    same = about.message_class(a_string="name" * 50, doubles=[1.0] * 10)
    messages = [about.message_class() for _ in range(20)]
    for number, message in enumerate(messages):
        message.CopyFrom(same)
        message.an_int32 = number + 1
    change_of = changed(messages, about)
    (once,) = (change for what, change in change_of.items() if what.startswith("send"))
    assert once.what == snapshot
    assert (once.bytes, once.how) == (2, "measured")


def test_floats_are_worth_half_of_doubles(snapshot: SnapshotAssertion) -> None:
    about = every()
    messages = [about.message_class(doubles=[0.1 * i for i in range(1000)]) for _ in range(3)]
    change_of = changed(messages, about)
    (change,) = (change for what, change in change_of.items() if what.startswith("float"))
    assert change.what == snapshot
    assert change.how == "estimated"
    assert 4000 <= change.bytes <= 4010


def test_all_fields_of_a_change_are_kept() -> None:
    about = every()
    message = about.message_class(a_double=1.5, maybe_double=2.5, doubles=[0.1] * 9)
    change_of = changed([message], about)
    (change,) = (change for what, change in change_of.items() if what.startswith("float"))
    assert change.what.endswith(" and 1 more")
    assert set(change.fields) == {"doubles[]", "a_double", "maybe_double"}


def test_columns_with_floats_have_to_save_more_than_floats() -> None:
    about = every()
    tried = [
        TriedColumns("inners[]", "exact", 900.0),
        TriedColumns("inners[]", "floats", 590.0, narrow=True),
    ]

    def kept(saved: float) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(advice, "in_columns", lambda *_: tried)
            shares = {"inners[].x": saved, "others[].x": 0.3}
            columns = advice._columns(about, [b"x" * 1000], [], shares)
            return [change.what.rpartition(", ")[2] for change in columns]

    assert kept(0.4) == ["exact", "floats"]
    assert kept(0.42) == ["exact"]


def test_compressing_what_repeats_is_worth_it(snapshot: SnapshotAssertion) -> None:
    about = every()
    change_of = changed([about.message_class(a_string="abc" * 1000)], about)
    sizes = {
        what: change.bytes for what, change in change_of.items() if what.startswith("compress")
    }
    assert set(sizes) == snapshot
    assert max(sizes.values()) < 100
    assert changed([about.message_class(an_int32=5)], about) == {}


def test_all_lists_together_are_bounded() -> None:
    with pytest.raises(UserError, match=r"--elements .*: over 5,000,000 elements in a message"):
        made_up(every(), {"doubles": 3_000_000, "floats": 3_000_000}, 1)


def test_a_file_that_is_cut_is_said(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    about = subject(frontends.descriptors(["osi3"]), "osi3", "SensorView")
    path = tmp_path / "cut_sv_.osi"
    path.write_bytes(b"\x02\0\0\0\x12\0" * 3 + b"\x09\0\0\0\x12")
    sample = recorded(path, about, MessageChoice())
    assert len(sample.messages) == 3
    assert sample.said == snapshot


MANY = 40


@pytest.mark.parametrize(
    ("now", "then", "values", "said"),
    [
        ("repeated double a = 1;", "repeated float a = 1;", [[0.5] * 9], "float for double in"),
        ("int32 a = 1;", "sint32 a = 1;", [-1, -500, 70], "sint for int in"),
        ("repeated int64 a = 17;", "repeated sint64 a = 17;", [[-1, -2, 300]], "sint for int in"),
        ("uint64 a = 1;", "fixed64 a = 1;", [2**63, 2**62 + 5], "fixed for int in"),
        ("sint32 a = 1;", "sfixed32 a = 1;", [2**31 - 1, -(2**31)], "fixed for int in"),
        ("repeated fixed32 a = 1;", "repeated uint32 a = 1;", [[1, 2, 300]], "int for fixed in"),
        (
            "repeated int32 a = 99 [packed = false];",
            "repeated int32 a = 99;",
            [[1, 2, 300] * 60, [5, 6]],
            "packed lists of",
        ),
        ("string a = 1;", "E a = 1;", ["driving", "parked"], "an enum for the few texts of"),
    ],
)
def test_a_type_that_is_said_to_be_smaller_is_as_small_as_that(
    tmp_path: Path, now: str, then: str, values: list[Any], said: str
) -> None:
    """Encoded with the other type the messages have the size that was foretold."""

    def of(field: str) -> Subject:
        path = tmp_path / "m.proto"
        enum = "enum E { NONE = 0; ONE = 1; }" if " E " in f" {field}" else ""
        path.write_text(f'syntax = "proto3"; message M {{ int32 other = 2; {field} }} {enum}')
        return subject(frontends.descriptors([str(path)]), str(path), "M")

    def messages(about: Subject, given: list[Any]) -> list[Any]:
        collected = []
        for number in range(MANY):
            value = given[number % len(given)]
            collected.append(about.message_class(a=value, other=number + 1))
        return collected

    before, after = of(now), of(then)
    change_of = changed(messages(before, values), before)
    (change,) = (change for what, change in change_of.items() if what.startswith(said))
    as_enum = [1] * len(values) if "enum" in said else values
    sizes = [len(message.SerializeToString()) for message in messages(after, as_enum)]
    assert change.bytes == pytest.approx(sum(sizes) / MANY, abs=0.6)
    assert change.how == "estimated"


def test_texts_that_are_names_of_their_own_are_no_enum() -> None:
    about = every()
    names = [about.message_class(a_string=f"object number {i}") for i in range(30)]
    assert not any("enum" in what for what in changed(names, about))


def test_a_long_list_is_tried_in_columns(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    path = tmp_path / "scan.proto"
    path.write_text(
        'syntax = "proto3"; message Scan { string import = 1; Hits from = 2; } '
        "message Hits { repeated Point points = 1; } "
        "message Point { double x = 1; int32 ring = 2; }"
    )
    about = subject(frontends.descriptors([str(path)]), str(path), "Scan")
    drawn = Random(1)
    messages = [about.message_class() for _ in range(3)]
    for message in messages:
        setattr(message, "import", "x" * 100)
        for _ in range(400):
            getattr(message, "from").points.add(x=drawn.random(), ring=3)
    narrow, columns = (
        change for what, change in changed(messages, about).items() if what.startswith("columns")
    )
    assert [narrow.what, columns.what] == snapshot
    assert 400 * 4 + 100 < narrow.bytes < 400 * 4 + 100 + 150
    # Random numbers keep their eight bytes, equal ones take none.
    assert 400 * 8 + 100 < columns.bytes < 400 * 8 + 100 + 150
    assert columns.how == "measured"
    few = [about.message_class() for _ in range(3)]
    for message in few:
        getattr(message, "from").points.add(x=1.5)
    assert not any(what.startswith("columns") for what in changed(few, about))


@pytest.mark.parametrize("package", ["robot", ""])
def test_classes_of_a_file_of_any_name_compile(tmp_path: Path, package: str) -> None:
    """Recordings name the files of their schemas as they like; some schemas have no package."""
    file = pb.FileDescriptorProto(name="Ground Truth", package=package, syntax="proto3")
    message = file.message_type.add(name="State")
    message.field.add(name="x", number=1, type=pb.FieldDescriptorProto.TYPE_DOUBLE, label=1)
    about = subject(pb.FileDescriptorSet(file=[file]), "x.mcap", "State")
    asked = ContenderSelection(frozenset({"protobuf", "wirecost-classes"}))
    sources, missing = generate(about, asked, tmp_path)
    assert missing == {}
    for program in sources:
        folders = [f"-I{tmp_path / folder}" for folder in ("", program.holders, program.classes)]
        for unit in program.units:
            command = ["g++", "-std=c++20", "-fsyntax-only", *folders, str(tmp_path / unit)]
            execute(command, check=True)


def test_a_language_without_a_compiler_is_left_out() -> None:
    def make(lang: str) -> Any:
        if lang == "cpp":
            raise NoCompilerError("no C++ compiler")
        return lang

    assert available_backends(("cpp", "python"), make) == (["python"], {"cpp": "no C++ compiler"})
    with pytest.raises(UserError, match="no C\\+\\+ compiler"):
        available_backends(("cpp",), make)
