# SPDX-License-Identifier: Apache-2.0
"""Recordings as recorders of all kinds write them: their definitions, and what is left out."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest
import zstandard
from mcap.writer import Writer
from syrupy.assertion import SnapshotAssertion

from wirecost.data.messages.ros.definitions import of_files, of_text
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.measure.bench.message.data import (
    MessageChoice,
    RecordedMessages,
    hints_of_recording,
    of_recording,
    recorded,
)
from wirecost.schema.compile.frontends.ros import packages
from wirecost.system.errors import UserError

RULE = "=" * 80
ONE = b"\0\1\0\0" + struct.pack("<ii", 1, 2)
Topic = tuple[str, str, str, str, bytes]
"""Topic, type, encoding of the definition, definition, message."""


def mcap(path: Path, *topics: Topic, wire: str = "cdr") -> Path:
    with path.open("wb") as file:
        writer = Writer(file)
        writer.start()
        for number, (topic, type_, encoding, text, data) in enumerate(topics):
            schema = writer.register_schema(type_, encoding, text.encode("latin-1"))
            writer.add_message(writer.register_channel(topic, wire, schema), number, data, number)
        writer.finish()  # type: ignore[no-untyped-call]
    return path


def db3(path: Path, *topics: Topic, carries: bool = True) -> Path:
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE topics(id INTEGER PRIMARY KEY, name, type, serialization_format,"
        " offered_qos_profiles);"
        "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id, timestamp, data);"
    )
    if carries:
        base.execute(
            "CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type, encoding,"
            " encoded_message_definition, type_description_hash)"
        )
    for number, (topic, type_, encoding, text, data) in enumerate(topics, 1):
        base.execute("INSERT INTO topics VALUES(?, ?, ?, 'cdr', '')", (number, topic, type_))
        base.execute("INSERT INTO messages VALUES(?, ?, ?, ?)", (number, number, number, data))
        if carries:
            row = (number, type_, encoding, text, "")
            base.execute("INSERT INTO message_definitions VALUES(?, ?, ?, ?, ?)", row)
    base.commit()
    base.close()
    return path


def read(path: Path, topic: str = "", include: tuple[Path, ...] = ()) -> RecordedMessages:
    about = of_recording(path, topic, "", include)
    return recorded(path, about, MessageChoice(topic), include)


@pytest.mark.parametrize(
    ("type_", "encoding", "text"),
    [
        ("p/msg/S", "ros2msg", "int32 a\r\nint32 b # °\r\n"),
        ("p/msg/S", "ros2msg", "int32 a\rint32 b\r"),
        ("p/msg/S", "ros2msg", f"{RULE}\nMSG: p/msg/S\nint32\ta  \n\tint32 b\n"),
        ("p/msg/S", "ros2msg", "T t\n======  \nMSG: p/msg/T \nint32 a\nint32 b\n"),
        ("p/msg/S", "ros2idl", f"{RULE}\nIDL: p/msg/S\nmodule p {{ module msg {{\n"
         "struct S { long a; long b; }; }; };\n"),
        ("p/msg/S", "ros2idl", '#include "p/msg/T.idl"\nmodule p { module msg {'
         " typedef long l__2[2];"
         ' struct S { @verbatim (language="comment", text="a" "b") @default (value=3) T t; }; }; };'
         f"\n{RULE}\nIDL: p/msg/T\nmodule p {{ module msg {{ typedef long l__2[2]; struct T "
         "{ l__2 v; }; }; };\n"),
        ("p/action/X_FeedbackMessage", "ros2msg", f"p/action/X_Feedback feedback\n{RULE}\n"
         "MSG: p/action/X_Feedback\nint32 a\nint32 b\n"),
        ("p/srv/X_Event", "ros2msg", f"X_Request request\n{RULE}\nMSG: p/srv/X_Request\n"
         "int32 a\nint32 b\n"),
        ("p/msg/S", "ros2msg", "builtin_interfaces/Time stamp\n"),
        ("builtin_interfaces/msg/Time", "ros2msg", ""),
        ("builtin_interfaces/msg/Time", "", ""),
        ("p/msg/S", "ros2msg", "std_msgs/Int32 a\nint32 b\n"),
        ("p/msg/S", "ros2msg", "int32 kMost=3\nint32 X__Y_\nint32 None\n"),
        ("p/msg/S", "ros2msg", f"T t\n\0\n{RULE}\nMSG: p/msg/T\nint32 a\nint32 b\n\0\0\n"),
        ("builtin_interfaces/msg/Time", "ros2msg", "builtin_interfaces/Time\0"),
        ("builtin_interfaces/msg/Time", "ros2msg", "\0"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".mcap", ".db3"])
def test_definitions_are_read_in_every_form(
    tmp_path: Path, suffix: str, type_: str, encoding: str, text: str
) -> None:
    write = mcap if suffix == ".mcap" else db3
    path = write(tmp_path / f"drive{suffix}", ("/t", type_, encoding, text, ONE))
    assert read(path).messages == [ONE]


EVENT = b"\0\1\0\0" + struct.pack("<Bxxxii16x4xqIiI", 1, 2, 3, 4, 1, 5, 0)
SERVICE = "int32 a\n---\nint32 b\n"
IDL_SERVICE = (
    "module p { module srv { struct X_Request { long a; }; struct X_Response { long b; }; }; };\n"
)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("ros2msg", SERVICE),
        ("ros2msg", f"{RULE}\nSRV: p/srv/X\n{SERVICE}"),
        ("ros2msg", f"{RULE}\r\nSRV: p/srv/X\r\nT t\r\n---\r\nT t\r\n\r\n{RULE}\r\n"
         "MSG: p/msg/T\r\nint32 a\r\n"),
        ("ros2msg", f"{RULE}\nSRV: p/srv/X\nT t\n---\nT t\n\n{RULE}\nIDL: p/msg/T\n"
         "module p { module msg { struct T { long a; }; }; };\n"),
        ("ros2idl", f"{RULE}\nSRV: p/srv/X\nT t\n--- # then\nT t\n\n{RULE}\nIDL: p/msg/T\n"
         "module p { module msg { struct T { long a; }; }; };\n"),
        ("ros2idl", f"{RULE}\nIDL: p/srv/X\n{IDL_SERVICE}"),
        ("ros2idl", IDL_SERVICE),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".mcap", ".db3"])
def test_events_of_services_are_read(tmp_path: Path, suffix: str, encoding: str, text: str) -> None:
    write = mcap if suffix == ".mcap" else db3
    topics = [
        (f"/{name}", f"p/srv/X_{name}", encoding, text, data)
        for name, data in (("Event", EVENT), ("Request", ONE[:8]), ("Response", ONE[:8]))
    ]
    path = write(tmp_path / f"drive{suffix}", *topics)
    for topic, *_, data in topics:
        assert read(path, topic).messages == [data]


def test_a_service_without_a_definition_is_found_in_a_folder(tmp_path: Path) -> None:
    path = mcap(tmp_path / "drive.mcap", ("/t", "p/srv/X_Event", "unknown", "", EVENT))
    with pytest.raises(UserError, match=r"definition of p/srv/X_Event; name its \.srv as well"):
        read(path)
    folder = tmp_path / "share" / "p" / "srv"
    folder.mkdir(parents=True)
    (folder / "X.srv").write_text(SERVICE)
    assert read(path, include=(tmp_path / "share",)).messages == [EVENT]
    service = ros_subject(of_files([str(folder / "X.srv")], [], "ros2", "X_Event"), "", "X_Event")
    assert recorded(path, service, MessageChoice(), has_schema=True).messages == [EVENT]


def test_a_name_as_definition_is_none(tmp_path: Path) -> None:
    path = mcap(tmp_path / "drive.mcap", ("/t", "p/msg/S", "ros2msg", "p/msg/S", b"\0\1\0\0\0"))
    with pytest.raises(UserError, match="has no definition of p/msg/S"):
        read(path)


@pytest.mark.parametrize("type_", ["p/msg/E", "std_msgs/msg/Empty"])
def test_an_empty_message_may_be_a_header_alone(tmp_path: Path, type_: str) -> None:
    topics = [("/t", type_, "ros2msg", "", data) for data in (b"\0\1\0\0", b"\0\1\0\0\0")]
    assert read(mcap(tmp_path / "drive.mcap", *topics)).messages == [b"\0\1\0\0\0"] * 2


@pytest.mark.parametrize("name", ["a.bag", "a.db3", "a.mcap", "a.db3.zstd", "a/a_0.db3"])
def test_a_pointer_of_git_lfs_is_said_to_be_one(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    with pytest.raises(UserError, match="run `git lfs pull`"):
        read(tmp_path / name.split("/", maxsplit=1)[0])


def test_topics_without_messages_are_not_asked_for(tmp_path: Path) -> None:
    path = db3(tmp_path / "drive.db3", *(
        (f"/{name}", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE) for name in "ab"
    ))  # fmt: skip
    base = sqlite3.connect(path)
    with base:
        base.execute("DELETE FROM messages WHERE topic_id = 1")
    assert read(path).messages == [ONE]
    with pytest.raises(UserError, match="topic /a has no messages"):
        read(path, "/a")
    with base:
        base.execute("DELETE FROM messages")
    base.close()
    for topic in ("", "/a", "/c"):
        with pytest.raises(UserError, match="holds no message on any topic"):
            read(path, topic)


def test_a_definition_of_others_alone_is_said(tmp_path: Path) -> None:
    other = f"{RULE}\nMSG: p/msg/T\nint32 a\nint32 b\n"
    path = mcap(tmp_path / "drive.mcap", ("/t", "p/msg/S", "ros2msg", other, ONE))
    with pytest.raises(UserError, match=r"p/msg/S cannot be read .*declares no such message"):
        read(path)


def test_messages_of_another_definition_are_left_out_with_a_reason(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    topics = [("/t", "p/msg/S", "ros2msg", text, ONE) for text in (
        "int32 a\nint32 b\n", "int32 a # the same\nint32 b\n", "int32 b\nint32 a\n")]  # fmt: skip
    sample = read(mcap(tmp_path / "drive.mcap", *topics))
    assert len(sample.messages) == 2
    assert sample.said == snapshot


def test_a_topic_of_several_types_is_read_by_that_of_most_messages(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    message = ("/t", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE)
    path = mcap(
        tmp_path / "drive.mcap", ("/t", "p/msg/T", "ros2msg", "string s\n", ONE), message, message
    )
    sample = read(path)
    assert len(sample.messages) == 2
    assert sample.said == snapshot
    assert of_recording(path, "", "T").type == "p.T"


def test_one_bad_definition_leaves_the_other_topics_readable(tmp_path: Path) -> None:
    good = ("/t", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE)
    for encoding, text in (("unknown", ""), ("ros2msg", "int32"), ("ros2idl", "struct {")):
        bad = ("/bad", "p/action/F_FeedbackMessage", encoding, text, ONE)
        path = db3(tmp_path / f"{encoding}.db3", good, bad)
        assert read(path, "/t").messages == [ONE]
        with pytest.raises(UserError, match=r"definition of .*name its \.msg as well"):
            read(path, "/bad")


def test_a_folder_is_read_by_what_its_files_have(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    folder = tmp_path / "drive"
    folder.mkdir()
    db3(folder / "a_0.db3", ("/t", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE))
    db3(folder / "a_1.db3", ("/t", "p/msg/S", "ros2msg", "int32 b\nint32 a\n", ONE))
    reports = {"no metadata.yaml": read(folder).said}
    for count in (0, 5):
        (folder / "metadata.yaml").write_text(
            "rosbag2_bagfile_information: {relative_file_paths: [a_0.db3, a_1.db3],"
            " topics_with_message_count: [{topic_metadata: {name: /t},"
            f" message_count: {count}}}]}}\n"
        )
        sample = read(folder)
        assert sample.messages == [ONE]
        reports[f"{count} messages"] = sample.said
    (folder / "metadata.yaml").write_text("{")
    reports["damaged"] = read(folder).said
    assert reports == snapshot


HEADED = b"\0\1\0\0" + struct.pack("<iIi", 7, 8, 1) + b"\0" * 4 + struct.pack("<i", 9)
"""A message of ROS 2 with a header and an integer."""


@pytest.fixture
def ros1_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put ROS 1's Header where Debian has it."""
    folder = tmp_path / "system" / "std_msgs" / "msg"
    folder.mkdir(parents=True)
    (folder / "Header.msg").write_text("uint32 seq\ntime stamp\nstring frame_id\n")
    monkeypatch.setattr(packages, "_SYSTEM", tmp_path / "system")
    for variable in ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.usefixtures("ros1_installed")
@pytest.mark.parametrize("by", ["file", "folder"])
def test_definitions_given_for_a_bag_of_ros_2_use_its_header(tmp_path: Path, by: str) -> None:
    """The recording says which ROS it is of; that of the machine may be the other."""
    path = db3(tmp_path / "drive.db3", ("/t", "p/msg/S", "", "", HEADED), carries=False)
    folder = tmp_path / "share" / "p" / "msg"
    folder.mkdir(parents=True)
    (folder / "S.msg").write_text("std_msgs/Header header\nint32 a\n")
    if by == "folder":
        assert read(path, include=(tmp_path / "share",)).messages == [HEADED]
        return
    dialect, _ = hints_of_recording(path, "")
    definitions = of_files([str(folder / "S.msg")], [], dialect)
    assert definitions.texts["std_msgs/Header"].split() == [
        "builtin_interfaces/Time", "stamp", "string", "frame_id",
    ]  # fmt: skip
    about = ros_subject(definitions, "", "p/S")
    assert recorded(path, about, MessageChoice(), has_schema=True).messages == [HEADED]


@pytest.mark.usefixtures("ros1_installed")
def test_what_is_lacking_of_a_named_file_is_said_without_folders_of_ours(tmp_path: Path) -> None:
    (tmp_path / "S.msg").write_text("std_msgs/Header header\nq/T t\n")
    with pytest.raises(UserError, match="package q is not found in") as caught:
        of_files([str(tmp_path / "S.msg")], [], "ros2")
    assert "/ros-" not in str(caught.value)


def test_a_named_idl_file_is_read(tmp_path: Path) -> None:
    path = db3(tmp_path / "drive.db3", ("/t", "p/msg/S", "", "", ONE), carries=False)
    idl = tmp_path / "S.idl"
    idl.write_text("module p { module msg { struct S { long a; long b; }; }; };")
    about = ros_subject(of_files([str(idl)], [], None), "", "p/S")
    assert recorded(path, about, MessageChoice(), has_schema=True).messages == [ONE]
    for text, said in (("struct {", r"name its \.msg instead"), ("", "declares no message")):
        idl.write_text(text)
        with pytest.raises(UserError, match=said):
            of_files([str(idl)], [], None)


def test_what_is_lacking_is_named_and_can_be_given(tmp_path: Path) -> None:
    path = db3(tmp_path / "drive.db3", ("/t", "p/msg/S", "", "", ONE), carries=False)
    with pytest.raises(UserError, match=r"has no definition of p/msg/S; .*as well, or .*-I"):
        read(path)
    folder = tmp_path / "share" / "p" / "msg"
    folder.mkdir(parents=True)
    (folder / "S.msg").write_text("q/T t\n")
    include = (tmp_path / "share",)
    with pytest.raises(UserError, match=r"p/S uses q/T, .*package q with -I"):
        read(path, include=include)
    (folder / "S.msg").write_text("int32 a\nint32 b\n")
    assert read(path, include=include).messages == [ONE]
    assert hints_of_recording(path, "") == ("ros2", "p/msg/S")
    schema = ros_subject(of_files([str(folder / "S.msg")], [], "ros2"), "", "S")
    assert recorded(path, schema, MessageChoice(), has_schema=True).messages == [ONE]


def test_schemas_that_are_not_known_are_named_and_can_be_replaced(tmp_path: Path) -> None:
    path = mcap(tmp_path / "drive.mcap", ("/t", "p::S", "omgidl", "struct S {};", ONE))
    with pytest.raises(UserError, match=r"/t: cdr p::S with a schema in omgidl.*a \.msg file"):
        read(path)
    schema = ros_subject(of_text("p/S", "int32 a\nint32 b\n", "ros2"), "", "")
    assert recorded(path, schema, MessageChoice(), has_schema=True).messages == [ONE]
    other = mcap(tmp_path / "flat.mcap", ("/t", "S", "flatbuffer", "", b""), wire="flatbuffer")
    with pytest.raises(UserError, match=r"/t: flatbuffer S with a schema in flatbuffer.*another"):
        read(other)


def test_wide_strings_are_refused_by_the_names_of_file_and_type(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    path = mcap(tmp_path / "drive.mcap", ("/t", "p/msg/W", "ros2msg", "int8 a\nwstring w\n", ONE))
    with pytest.raises(UserError) as error:
        read(path)
    assert str(error.value) == snapshot


@pytest.mark.parametrize(("dialect", "name"), [("ros2", "Go_SendGoal_Request"), ("ros1", "GoGoal")])
def test_an_action_is_the_messages_that_ros_makes_of_it(
    tmp_path: Path, dialect: str, name: str
) -> None:
    folder = tmp_path / "mine" / "action"
    folder.mkdir(parents=True)
    (folder / "Go.action").write_text("int32 far\n---\nbool done\n---\nfloat32 part\n")
    action = of_files([str(folder / "Go.action")], [], dialect)
    assert ros_subject(action, "", name).type == f"mine.{name}"


def test_messages_of_no_topic_are_said(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    path = db3(tmp_path / "drive.db3", ("/t", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE))
    with sqlite3.connect(path) as base:
        base.execute("INSERT INTO messages VALUES(2, 7, 2, x'00010000')")
    sample = read(path)
    assert sample.messages == [ONE]
    assert sample.said == snapshot


@pytest.mark.parametrize(("apart_ns", "rate"), [(1, None), (10**7, 100.0)])
def test_times_of_nanoseconds_tell_no_rate(
    apart_ns: int, rate: float | None, tmp_path: Path
) -> None:
    path = db3(tmp_path / "a.db3", ("/t", "p/msg/S", "ros2msg", "int32 a\nint32 b\n", ONE))
    with sqlite3.connect(path) as base:
        base.execute("INSERT INTO messages VALUES(2, 1, ?, ?)", (1 + apart_ns, ONE))
    sample = read(path)
    assert sample.rate_hz == rate
    assert ("their times tell no rate" in sample.said) == (rate is None)


def test_a_compressed_file_cannot_fill_the_disk(tmp_path: Path) -> None:
    path = tmp_path / "drive.db3.zstd"
    path.write_bytes(zstandard.compress(bytes(1 << 24)))
    with pytest.raises(UserError, match="more than 1,000 times its size"):
        of_recording(path, "", "")
