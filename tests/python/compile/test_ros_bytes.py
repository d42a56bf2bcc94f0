# SPDX-License-Identifier: Apache-2.0
"""Plans and emitted Python have the bytes that genpy and rosbags write."""

from __future__ import annotations

import importlib
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from support.plan_interpreter import PlanInterpreter
from support.random_messages import RandomMessages
from support.ros_peers import (
    MESSAGES,
    ROS2,
    SAMPLES,
    debian,
    genpy_bytes,
    rosbags_bytes,
    samples,
    store_of,
    typestore,
    write,
)
from wirecost.schema.compile import compiler, frontends
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.schema import Kind, Label, MessageRef, Schema

# ROS 2 has no empty message, so rosbags adds a byte; this one is of ROS 1.
IN_ROS2 = [name for name in MESSAGES if name != "std_msgs.Empty"]

Fill = Callable[[str, dict[str, Any]], Any]


@pytest.fixture(scope="module")
def fill(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fill]:
    """``fill(name, value)``: an object of the class emitted for one of Debian's messages."""
    inputs = [f"/usr/share/{name.replace('.', '/msg/')}.msg" for name in MESSAGES]
    yield from _emitted(tmp_path_factory.mktemp("ros1"), inputs, debian(), "emitted_ros1")


@pytest.fixture
def fill_ros2(tmp_path: Path) -> Iterator[Fill]:
    """Return the filler of the messages of ``ROS2``."""
    write(tmp_path, {f"{name}.msg": text for name, text in ROS2.items()})
    inputs = [str(tmp_path / "demo_msgs/msg/Everything.msg")]
    yield from _emitted(tmp_path, inputs, frontends.load(inputs), "emitted_ros2")


def _emitted(folder: Path, inputs: list[str], schema: Schema, namespace: str) -> Iterator[Fill]:
    request = Request(("ros1", "cdr"), namespace)
    compiler.write(compiler.compile_schema(inputs, ["python"], request), folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder / "python"))
        yield partial(_filled, schema, namespace)


def _filled(schema: Schema, namespace: str, name: str, value: dict[str, Any]) -> Any:
    fill = partial(_filled, schema, namespace)
    package, _, message = name.partition(".")
    filled = getattr(importlib.import_module(f"{namespace}.{package}"), message)()
    for item in schema.message(name).fields:
        content = value[item.name]
        many = item.label is not Label.SINGLE
        if isinstance(item.type, MessageRef):
            inner = [fill(item.type.name, v) for v in (content if many else [content])]
            content = inner if many else inner[0]
        elif many and item.type is Kind.UINT8:
            content = bytes(content)
        elif many and item.type not in (Kind.STRING, Kind.BOOL):
            content = array(Kind(item.type).code, content)
        setattr(filled, item.name, content)
    return filled


def test_there_are_messages() -> None:
    assert len(MESSAGES) > 80


@pytest.mark.parametrize("name", MESSAGES)
def test_ros1_is_genpys(name: str, fill: Fill) -> None:
    plans = PlanInterpreter(debian(), "ros1")
    for value in samples(debian(), name):
        expected = genpy_bytes(debian(), name, value)
        assert plans.encode(name, value) == expected
        assert len(expected) >= plans.minimum(name)
        message = fill(name, value)
        assert message.encode_ros1() == expected
        assert message.encoded_size_ros1() == len(expected)
        assert type(message).decode_ros1(expected) == message


@pytest.mark.parametrize("name", IN_ROS2)
def test_cdr_is_rosbags(name: str, fill: Fill) -> None:
    plans = PlanInterpreter(debian(), "cdr")
    for value in samples(debian(), name):
        expected = rosbags_bytes(debian(), typestore(), name, value)
        assert plans.encode(name, value) == expected
        assert len(expected) >= plans.minimum(name)
        message = fill(name, value)
        assert message.encode_cdr() == expected
        assert message.encoded_size_cdr() == len(expected)
        assert type(message).decode_cdr(expected) == message


def test_everything_of_ros2_is_rosbags(tmp_path: Path, fill_ros2: Fill) -> None:
    schema = frontends.load([str(tmp_path / "demo_msgs" / "msg" / "Everything.msg")])
    plans = PlanInterpreter(schema, "cdr")
    store = store_of(ROS2)
    content = RandomMessages(schema, seed=2)
    for _ in range(20 * SAMPLES):
        value = content.message("demo_msgs.Everything")
        expected = rosbags_bytes(schema, store, "demo_msgs.Everything", value)
        assert plans.encode("demo_msgs.Everything", value) == expected
        message = fill_ros2("demo_msgs.Everything", value)
        assert message.encode_cdr() == expected
        assert type(message).decode_cdr(expected) == message


def test_the_notification_has_the_tickets_sizes() -> None:
    source = Path(__file__).parents[3] / "schemas/ros/rsb_msgs/msg/Notification.msg"
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
