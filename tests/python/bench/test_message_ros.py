# SPDX-License-Identifier: Apache-2.0
"""Messages of ROS: definitions and bags are read, bytes are whose, others' code agrees."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from mcap.writer import Writer
from syrupy.assertion import SnapshotAssertion

from bench.ros_schemas import bag, definitions, every
from wirecost.data.messages import fields
from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import RosDefinitions, of_files, of_text
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import canonical
from wirecost.measure.bench.message.advice.changes import changes
from wirecost.measure.bench.message.data import (
    MessageChoice,
    hints_of_recording,
    of_recording,
    recorded,
)
from wirecost.system.errors import UserError

DIALECTS = ("ros1", "ros2")
RECORDINGS = (("ros1", "drive.bag"), ("ros2", "drive.db3"), ("ros2", "drive.mcap"))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_made_up_messages_are_the_same_for_rosbags_and_as_protobuf(
    tmp_path: Path, dialect: str
) -> None:
    about = every(tmp_path, dialect)
    for data in made_up(about, {}, 1):
        message = about.read(data)
        assert about.write(message) == data
        assert canonical(about.read(canonical(message), "protobuf")) == canonical(message)
        assert len(message.id) == 16 and len(message.two) == 2 and len(message.quarter) == 4
        assert message.data and message.parts[0].text


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_byte_belongs_to_a_field(tmp_path: Path, dialect: str) -> None:
    about = every(tmp_path, dialect)
    messages = made_up(about, {"parts": 7, "data": 3}, 1)
    counted, total = fields.counted(about, messages)
    assert total == sum(map(len, messages)) == sum(field.own for field in counted)
    by_path = {field.path: field.all for field in counted}
    assert by_path["id[]"] == 16 * len(messages)
    if dialect == "ros1":
        assert by_path["data[]"] == (4 + 3) * len(messages)
        assert by_path["stamp.sec"] == 4 * len(messages)
    else:
        assert by_path["(header)"] == 4 * len(messages)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_only_what_can_be_empty_is_taken_out(tmp_path: Path, dialect: str) -> None:
    about = every(tmp_path, dialect)
    messages = made_up(about, {"many": 500, "data": 4000}, 1)
    paths = fields.worth_taking_out(fields.counted(about, messages)[0], about)
    assert "many[]" in paths and "quarter[]" not in paths
    less = fields.without(about, messages, ["many[]", "data[]", "parts[].text"])
    for data, whole in zip(less, messages, strict=True):
        message, expected = about.read(data), about.read(whole)
        assert not message.many and not message.data and len(message.parts) == len(expected.parts)
        assert message.names == expected.names and message.two == expected.two
        assert expected.parts[0].text and not message.parts[0].text


@pytest.mark.parametrize(("dialect", "name"), RECORDINGS)
def test_a_recording_brings_its_schema(tmp_path: Path, dialect: str, name: str) -> None:
    about = every(tmp_path, dialect)
    sent = bag(about, tmp_path / name)
    path = tmp_path / name if dialect == "ros1" else tmp_path / "drive"
    assert hints_of_recording(path, "")[0] == dialect
    subject = of_recording(path, "/every", "")
    assert (subject.type, subject.wire) == ("mine.Every", about.wire)
    assert [message.fields for message in subject.schema.messages()] != []
    assert recorded(path, subject, MessageChoice()).messages == sent
    assert recorded(path, subject, MessageChoice(first=2)).messages == sent[:2]


def test_damaged_messages_of_a_bag_are_counted_and_named(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    about = every(tmp_path, "ros1")
    sent = made_up(about, {}, 1)
    bag(about, tmp_path / "drive.bag", [sent[0], sent[1][:-1], sent[2] + b"x", sent[3]])
    sample = recorded(tmp_path / "drive.bag", about, MessageChoice())
    assert sample.messages == [sent[0], sent[3]]
    assert sample.said == snapshot


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (0, "is empty; record it again"),
        (5, "cannot be read .*magic is invalid.*reindex"),
        (9_000, "cannot be read .*index looks damaged.*reindex"),
    ],
)
def test_a_bag_that_is_cut_gets_one_line(tmp_path: Path, size: int, said: str) -> None:
    about = every(tmp_path, "ros1")
    bag(about, tmp_path / "drive.bag")
    whole = (tmp_path / "drive.bag").read_bytes()
    (tmp_path / "drive.bag").write_bytes(whole[:size])
    with pytest.raises(UserError, match=rf"drive\.bag: {said}"):
        of_recording(tmp_path / "drive.bag", "", "")


def test_a_topic_that_is_not_there_or_has_nothing_is_said(tmp_path: Path) -> None:
    about = every(tmp_path, "ros1")
    bag(about, tmp_path / "drive.bag")
    with pytest.raises(UserError, match="has no topic /other; choose --topic /every"):
        of_recording(tmp_path / "drive.bag", "/other", "")
    bag(about, tmp_path / "none.bag", [])
    with pytest.raises(UserError, match="holds no message on any topic"):
        of_recording(tmp_path / "none.bag", "", "")


def test_a_type_that_a_recording_does_not_have_is_said(tmp_path: Path) -> None:
    about = every(tmp_path, "ros1")
    bag(about, tmp_path / "drive.bag")
    with pytest.raises(UserError, match=r"has no message Nope; .* with one of .*mine\.Part"):
        of_recording(tmp_path / "drive.bag", "", "Nope")


@pytest.mark.parametrize(("encoding", "profile"), [("ros2msg", "cdr"), ("ros2idl", "cdr")])
def test_an_mcap_file_may_have_text_or_idl(tmp_path: Path, encoding: str, profile: str) -> None:
    about = ros_subject(
        RosDefinitions("ros2", {"mine/Part": "float32 x\nstring text\nint32[3] three\n"}), "", ""
    )
    sent = made_up(about, {}, 1)
    text = "float32 x\nstring text\nint32[3] three\n"
    if encoding == "ros2idl":
        text = (
            "module mine { module msg { typedef long long__3[3]; struct Part "
            "{ float x; string text; long__3 three; }; }; };"
        )
    with (tmp_path / "part.mcap").open("wb") as file:
        writer = Writer(file)
        writer.start()
        schema = writer.register_schema("mine/msg/Part", encoding, text.encode())
        channel = writer.register_channel("/part", profile, schema)
        for number, data in enumerate(sent):
            writer.add_message(channel, number, data, number)
        writer.finish()
    subject = of_recording(tmp_path / "part.mcap", "", "")
    assert recorded(tmp_path / "part.mcap", subject, MessageChoice()).messages == sent


def test_messages_may_come_as_json(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    about = ros_subject(RosDefinitions("ros1", {"mine/Part": "int8 x\nstring text\n"}), "", "Part")
    path = tmp_path / "parts.json"
    path.write_text('[{"x": -3, "text": "one"}, {"x": 300}]')
    sample = recorded(path, about, MessageChoice())
    assert sample.messages == [b"\xfd\x03\0\0\0one"]
    assert sample.said == snapshot


def test_a_service_has_two_messages(tmp_path: Path) -> None:
    folder = tmp_path / "mine" / "srv"
    folder.mkdir(parents=True)
    (folder / "Ask.srv").write_text("string question\n---\nstring answer\n")
    service = of_files([str(folder / "Ask.srv")], [], None)
    request, response = service.texts.items()
    assert request == ("mine/AskRequest", "string question\n")
    assert response == ("mine/AskResponse", "\nstring answer\n")
    assert ros_subject(service, "", "AskResponse").type == "mine.AskResponse"


def test_names_of_a_recording_s_types_lead_nowhere() -> None:
    for name in ("../../etc/passwd", "a/b/c", "/etc/passwd", "x"):
        with pytest.raises(UserError, match="which is no name"):
            of_text(name, "string text", "ros1")
        with pytest.raises(UserError, match="which is no name"):
            of_text("a/B", f"string text\n===\nMSG: {name}\nstring text", "ros1")


def test_idl_that_is_none_is_said() -> None:
    with pytest.raises(UserError, match="definition of mine/msg/Part cannot be read"):
        of_text("mine/msg/Part", "struct {", "ros2", kind="IDL")


def test_a_message_that_is_none_is_refused(tmp_path: Path) -> None:
    about = every(tmp_path, "ros2")
    for data in (b"", b"\0\1\0\0", b"\xff" * 200):
        with pytest.raises(DecodeError):
            about.read(data)


def test_wires_that_would_lose_something_are_not_offered(tmp_path: Path) -> None:
    assert every(tmp_path, "ros1").other_wires == ("cdr",)
    empty = ros_subject(RosDefinitions("ros1", {"mine/None": ""}), "", "")
    assert empty.other_wires == ()
    assert definitions(tmp_path / "again", "ros2").wire == "cdr"


@pytest.mark.parametrize(
    ("now", "then", "of", "of_then", "said"),
    [
        ("int64[] a", "int8[] a", [1, -2, 3] * 40, [1, -2, 3] * 40, "smaller integers in"),
        ("float64[] a", "float32[] a", [0.5] * 90, [0.5] * 90, "float32 for float64 in"),
        ("string a", "uint8 a", "driving", 1, "an integer for the few texts of"),
    ],
)
def test_types_of_ros_that_are_said_to_be_smaller_are(
    now: str, then: str, of: Any, of_then: Any, said: str
) -> None:
    before, after = (
        ros_subject(RosDefinitions("ros1", {"mine/One": f"{field}\nuint8 other\n"}), "", "")
        for field in (now, then)
    )
    # Texts are few ones only where there are several.
    values = [of if number % 2 or not isinstance(of, str) else "standing" for number in range(40)]
    data = [before.write(before.message_class(a=value, other=7)) for value in values]
    proposals = changes(before, data, fields.counted(before, data)[0])
    (change,) = (proposed for proposed in proposals if proposed.what.startswith(said))
    smaller = len(after.write(after.message_class(a=of_then, other=7)))
    assert change.bytes == pytest.approx(smaller, abs=4) and change.how == "estimated"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("uint8[2000000000] huge", "2,000,000,000 values are always there"),
        ("Part[3000] parts", "12,000,000 values are always there"),
        ("Part[] parts", "over 5,000,000 elements in a synthetic message"),
    ],
)
def test_lists_without_measure_are_refused(text: str, said: str) -> None:
    part = "float64[4000] numbers\n" if "3000" in text else "uint8[4000000] many\n"
    texts = {"mine/Part": part, "mine/Top": f"{text}\n"}
    with pytest.raises(UserError, match=said):
        made_up(ros_subject(RosDefinitions("ros1", texts), "", "Top"), {}, 1)
