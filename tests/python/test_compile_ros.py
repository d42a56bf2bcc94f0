# SPDX-License-Identifier: Apache-2.0
"""ROS messages compile and have the bytes that genpy and rosbags write."""

from __future__ import annotations

import importlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from plan_interpreter import PlanInterpreter
from random_messages import RandomMessages
from wirecost.compile import frontends
from wirecost.compile.schema import Kind, Label, MessageRef, Schema

PACKAGES = ("std_msgs", "geometry_msgs", "sensor_msgs")
DEBIAN = Path("/usr/share")
MESSAGES = [
    f"{package}.{path.stem}"
    for package in PACKAGES
    for path in sorted((DEBIAN / package / "msg").glob("*.msg"))
]
SAMPLES = 25


@pytest.fixture(scope="module")
def debian() -> Schema:
    paths = [DEBIAN / name.replace(".", "/msg/") for name in MESSAGES]
    return frontends.load([f"{path}.msg" for path in paths])


@pytest.fixture(scope="module")
def typestore() -> Typestore:
    types = {}
    for name in MESSAGES:
        package, _, message = name.partition(".")
        text = (DEBIAN / package / "msg" / f"{message}.msg").read_text()
        types |= get_types_from_msg(text, f"{package}/msg/{message}")
    store = get_typestore(Stores.EMPTY)
    store.register(types)
    return store


def in_genpy(schema: Schema, name: str, value: dict[str, Any]) -> Any:
    import genpy

    if name in ("ros.Time", "ros.Duration"):
        return getattr(genpy, name.removeprefix("ros."))(value["sec"], value["nsec"])
    package, _, message = name.partition(".")
    made = getattr(importlib.import_module(f"{package}.msg"), message)()
    for item in schema.message(name).fields:
        content = value[item.name]
        if isinstance(item.type, MessageRef):
            one = item.label is Label.SINGLE
            inner = [in_genpy(schema, item.type.name, v) for v in ([content] if one else content)]
            content = inner[0] if one else inner
        elif item.type is Kind.UINT8 and item.label is not Label.SINGLE:
            content = bytes(content)
        setattr(made, item.name, content)
    return made


def in_rosbags(schema: Schema, store: Typestore, name: str, value: dict[str, Any]) -> Any:
    """rosbags has ROS 2's types for both dialects; a byte is signed, an array numpy's."""
    declared = schema.message(name).fields
    theirs = [description for _, description in store.fielddefs[rosbags_name(name)][1]]
    fields = []
    for i, item in enumerate(declared):
        content = value[item.name]
        if isinstance(item.type, MessageRef):
            one = item.label is Label.SINGLE
            inner = [
                in_rosbags(schema, store, item.type.name, v)
                for v in ([content] if one else content)
            ]
            content = inner[0] if one else inner
        elif item.label is not Label.SINGLE and item.type is not Kind.STRING:
            assert isinstance(item.type, Kind)
            content = np.array(content, item.type.value)
        elif theirs[i][1] == ("byte", 0) and content > 127:
            content -= 256
        fields.append(content)
    return store.types[rosbags_name(name)](*fields)


def rosbags_name(name: str) -> str:
    package, _, message = name.partition(".")
    package = "builtin_interfaces" if package == "ros" else package
    return f"{package}/msg/{message}"


def samples(schema: Schema, name: str) -> Iterator[dict[str, Any]]:
    content = RandomMessages(schema, seed=len(name))
    return (content.message(name) for _ in range(SAMPLES))


def test_debian_has_messages() -> None:
    assert len(MESSAGES) > 80


@pytest.mark.parametrize("name", MESSAGES)
def test_ros1_bytes_are_genpys(name: str, debian: Schema) -> None:
    interpreter = PlanInterpreter(debian, "ros1")
    for value in samples(debian, name):
        stream = io.BytesIO()
        in_genpy(debian, name, value).serialize(stream)
        ours = interpreter.encode(name, value)
        assert ours == stream.getvalue()
        assert len(ours) >= interpreter.minimum(name)


@pytest.mark.parametrize("name", [m for m in MESSAGES if m != "std_msgs.Empty"])
def test_cdr_bytes_are_rosbags(name: str, debian: Schema, typestore: Typestore) -> None:
    interpreter = PlanInterpreter(debian, "cdr")
    for value in samples(debian, name):
        theirs = typestore.serialize_cdr(
            in_rosbags(debian, typestore, name, value), rosbags_name(name)
        )
        ours = interpreter.encode(name, value)
        assert ours == bytes(theirs)
        assert len(ours) >= interpreter.minimum(name)


ROS2 = {
    "std_msgs/msg/Header": "builtin_interfaces/Time stamp\nstring frame_id\n",
    "std_msgs/msg/Empty": "",
    "demo_msgs/msg/Sample": """
bool ready true
byte raw 0xff
char letter 65
int64 wide -9
""",
    "demo_msgs/msg/Everything": """
uint8 MOST = 0x10
string NAME = 'a#b'
std_msgs/Header header
float64[] before_a_byte
uint8 tiny
float64[<=3] few
std_msgs/Empty[] nothings
string<=6 short "four"  # at most six
string<=6[<=2] shorts
demo_msgs/msg/Sample[2] pair
Sample[<=3] some
bool[5] flags
int16 last -7
""",
}


@pytest.fixture
def ros2(tmp_path: Path) -> Schema:
    for name, text in ROS2.items():
        path = tmp_path / f"{name}.msg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return frontends.load([str(tmp_path / "demo_msgs" / "msg" / "Everything.msg")])


def test_ros2_bytes_are_rosbags(ros2: Schema) -> None:
    types = {}
    for name, text in ROS2.items():
        types |= get_types_from_msg(text, name)
    store = get_typestore(Stores.EMPTY)
    store.register(types)
    interpreter = PlanInterpreter(ros2, "cdr")
    content = RandomMessages(ros2, seed=2)
    name = "demo_msgs.Everything"
    for _ in range(20 * SAMPLES):
        value = content.message(name)
        made = in_rosbags(ros2, store, name, value)
        assert interpreter.encode(name, value) == bytes(
            store.serialize_cdr(made, rosbags_name(name))
        )


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


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_ros1_declarations(tmp_path: Path) -> None:
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
    assert message.comment == "What it is.\nIn two lines."
    assert [(c.name, c.type, c.value) for c in message.constants] == [
        ("MOTTO", Kind.STRING, "to the end # of the line"),
        ("LEAST", Kind.INT8, -128),
        ("MOST", Kind.UINT8, 255),
        ("ON", Kind.BOOL, True),
    ]
    header, at, spans, others = message.fields
    assert header.type == MessageRef("std_msgs.Header")
    assert header.comment == "Kept.\nwhen\nand where"
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


def test_the_notification_has_the_tickets_sizes() -> None:
    source = Path(__file__).parents[2] / "schemas/ros/rsb_msgs/msg/Notification.msg"
    schema = frontends.load([str(source)])
    ros1 = PlanInterpreter(schema, "ros1")
    cdr = PlanInterpreter(schema, "cdr")
    sizes = []
    for length in (4, 8, 16, 32, 64, 128):
        text = "x" * length
        value = {
            "event_id": {"sender_id": text, "sequence_number": 1},
            "scope": text,
            "wire_schema": text,
            "data": text,
            "method": text,
            "causes": [],
            "meta_data": {
                "create_time": 1,
                "send_time": 2,
                "receive_time": 0,
                "deliver_time": 0,
                "user_times": [],
                "user_infos": [{"key": text, "value": text}],
            },
        }
        name = "rsb_msgs.Notification"
        sizes.append((len(ros1.encode(name, value)), len(cdr.encode(name, value))))
    assert sizes == [(104, 137), (132, 161), (188, 217), (300, 329), (524, 553), (972, 1001)]
