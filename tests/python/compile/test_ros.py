# SPDX-License-Identifier: Apache-2.0
"""ROS messages to the IR: both dialects, all declarations, packages wherever they lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.ros_peers import ROS2, debian, write
from wirecost.schema.compile import frontends
from wirecost.schema.compile.schema import Kind, Label, MessageRef, Presence, Schema


@pytest.fixture
def ros2(tmp_path: Path) -> Schema:
    write(tmp_path, {f"{name}.msg": text for name, text in ROS2.items()})
    return frontends.load([str(tmp_path / "demo_msgs" / "msg" / "Everything.msg")])


def test_debians_messages_are_read() -> None:
    schema = debian()
    assert len(list(schema.messages())) > 80
    for message in schema.messages():
        assert all(f.presence is Presence.IMPLICIT for f in message.fields)
    header = schema.message("std_msgs.Header")
    assert [(f.name, f.type) for f in header.fields] == [
        ("seq", Kind.UINT32),
        ("stamp", MessageRef("ros.Time")),
        ("frame_id", Kind.STRING),
    ]
    covariance = schema.message("sensor_msgs.Imu").fields[2]
    assert (covariance.type, covariance.label, covariance.capacity) == (
        Kind.FLOAT64,
        Label.ARRAY,
        9,
    )
    assert covariance.comment.startswith("Row major")
    order = [f.name for f in schema.files]
    for file in schema.files:
        assert all(order.index(used) < order.index(file.name) for used in file.imports)


def test_ros2_declarations(ros2: Schema) -> None:
    assert [f.name for f in ros2.files] == [
        "builtin_interfaces/Time.msg",
        "std_msgs/Header.msg",
        "std_msgs/Empty.msg",
        "demo_msgs/Sample.msg",
        "demo_msgs/Everything.msg",
    ]
    message = ros2.message("demo_msgs.Everything")
    fields = {f.name: f for f in message.fields}
    assert [f.number for f in message.fields] == list(range(1, len(fields) + 1))
    assert (fields["few"].label, fields["few"].capacity) == (Label.REPEATED, 3)
    assert (fields["pair"].label, fields["pair"].capacity) == (Label.ARRAY, 2)
    assert (fields["shorts"].capacity, fields["shorts"].text_capacity) == (2, 6)
    assert (fields["short"].default, fields["short"].comment) == ("four", "at most six")
    assert fields["last"].default == -7
    assert [(c.name, c.type, c.value) for c in message.constants] == [
        ("MOST", Kind.UINT8, 16),
        ("NAME", Kind.STRING, "a#b"),
    ]
    sample = {f.name: (f.type, f.default) for f in ros2.message("demo_msgs.Sample").fields}
    assert sample["ready"] == (Kind.BOOL, True)
    assert sample["raw"] == (Kind.UINT8, 255)
    assert sample["letter"] == (Kind.UINT8, 65)
    (dummy,) = ros2.message("std_msgs.Empty").fields
    assert (dummy.name, dummy.type) == ("structure_needs_at_least_one_member", Kind.UINT8)


MOTTO = "to the end # of the line"


def test_ros1_declarations(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    text = """# What it is.
# In two lines.

string MOTTO= to the end # of the line
byte LEAST=-128
char MOST=255
bool ON=True

# Lost: a blank line follows.

# Kept.
Header header  # when
               # and where
time at
duration[2] spans
Other[] others
"""
    write(tmp_path, {"my_msgs/msg/X.msg": text, "my_msgs/msg/Other.msg": ""})
    schema = frontends.load([str(tmp_path / "my_msgs/msg/X.msg")])
    message = schema.message("my_msgs.X")
    assert [(c.name, c.type, c.value) for c in message.constants] == [
        ("MOTTO", Kind.STRING, MOTTO),
        ("LEAST", Kind.INT8, -128),
        ("MOST", Kind.UINT8, 255),
        ("ON", Kind.BOOL, True),
    ]
    header, at, spans, others = message.fields
    assert header.type == MessageRef("std_msgs.Header")
    assert [message.comment, header.comment] == snapshot
    assert (header.origin.line, header.origin.column) == (12, 1)
    assert at.type == MessageRef("ros.Time")
    assert (spans.type, spans.label, spans.capacity) == (
        MessageRef("ros.Duration"),
        Label.ARRAY,
        2,
    )
    assert others.type == MessageRef("my_msgs.Other")
    assert schema.message("my_msgs.Other").fields == ()
    assert schema.home("my_msgs.X").imports == (
        "std_msgs/Header.msg",
        "ros/Time.msg",
        "ros/Duration.msg",
        "my_msgs/Other.msg",
    )


@pytest.mark.parametrize(
    ("dialect", "names"),
    [("ros1", ["p.AddRequest", "p.AddResponse"]), ("ros2", ["p.Add_Request", "p.Add_Response"])],
)
def test_a_service_is_two_messages(dialect: str, names: list[str], tmp_path: Path) -> None:
    write(tmp_path, {"p/srv/Add.srv": "# Both.\nint64 a\nint64 b\n---\n# The sum.\nint64 sum\n"})
    schema = frontends.load([str(tmp_path / "p/srv/Add.srv")], dialect=dialect)
    (file,) = schema.files
    assert (file.name, file.package) == ("p/Add.srv", "p")
    assert [m.full_name for m in file.messages] == names
    assert [m.comment for m in file.messages] == ["Both.", "The sum."]
    assert [[f.number for f in m.fields] for m in file.messages] == [[1, 2], [1]]


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("int32 x\n", "ros1"),
        ("time t\n", "ros1"),
        ("int32[<=3] x\n", "ros2"),
        ("string s 'x'\n", "ros2"),
        ("int32 x # no default\n", "ros1"),
        ("Part part\n", "ros2"),  # seen from what it uses
    ],
)
def test_the_dialect_is_seen(text: str, dialect: str, tmp_path: Path) -> None:
    srv = f"{text}---\n"
    write(tmp_path, {"p/srv/X.srv": srv, "p/msg/Part.msg": "int32 x 5\n"})
    schema = frontends.load([str(tmp_path / "p/srv/X.srv")])
    expected = "p.XResponse" if dialect == "ros1" else "p.X_Response"
    assert expected in [m.full_name for m in schema.messages()]


@pytest.mark.parametrize("place", ["q/msg/Y.msg", "q/Y.msg"])
@pytest.mark.parametrize(
    "how", ["include", "include_package", "ROS_PACKAGE_PATH", "AMENT", "beside"]
)
def test_packages_are_found(
    place: str, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / "one" / "p" / "msg" / "X.msg"
    root = tmp_path / {"beside": "one", "AMENT": "two/share"}.get(how, "two")
    write(main.parent, {"X.msg": "q/Y y\n"})
    write(root, {place: "int32 value\n"})
    include = {"include": [root], "include_package": [root / "q"]}.get(how, [])
    if how == "ROS_PACKAGE_PATH":
        monkeypatch.setenv(how, f"{tmp_path}:{root}")
    if how == "AMENT":
        monkeypatch.setenv("AMENT_PREFIX_PATH", str(root.parent))
    schema = frontends.load([str(main)], include)
    assert schema.message("q.Y").fields[0].name == "value"


def test_the_package_is_the_manifests_or_the_folders(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "checkout-1.0/package.xml": "<package><name>named</name></package>",
            "checkout-1.0/msg/A.msg": "B b\n",
            "checkout-1.0/msg/B.msg": "int32 x\n",
            "checkout-1.0/deep/er/C.msg": "int32 x\n",
            "plain/D.msg": "int32 x\n",
        },
    )
    inputs = ["checkout-1.0/msg/A.msg", "checkout-1.0/deep/er/C.msg", "plain/D.msg"]
    schema = frontends.load([str(tmp_path / name) for name in inputs])
    assert [f.name for f in schema.files] == [
        "named/B.msg",
        "named/A.msg",
        "named/C.msg",
        "plain/D.msg",
    ]
