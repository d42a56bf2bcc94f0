# SPDX-License-Identifier: Apache-2.0
"""All messages of a ROS 2 distribution that rosbags knows: they compile, and write its bytes."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from rosbags.typesys import Stores, get_typestore

from support.again import Generated, check
from support.random_messages import RandomMessages
from support.ros_peers import rosbags_bytes
from support.ros_peers import write as write_packages
from wirecost.schema.compile import frontends
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import LANGUAGES, Request
from wirecost.schema.compile.schema import Omission

STORE = get_typestore(Stores.ROS2_JAZZY)
TYPES = 30
SAMPLES = 5


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Generated:
    folder = tmp_path_factory.mktemp("ros2")
    texts = {}
    for name in STORE.fielddefs:
        text, _ = STORE.generate_msgdef(name, ros_version=2)
        texts[f"share/{name}.msg"] = text.partition("=" * 80)[0]  # others' follow
    write_packages(folder, texts)
    inputs = [str(folder / name) for name in texts]
    schema = frontends.load(inputs, dialect="ros2")
    omissions: list[Omission] = []
    request = Request(("ros1", "cdr", "protobuf"))
    write(emitted(schema, LANGUAGES, request, warn=omissions.append), folder)
    assert omissions == []
    return Generated(schema, folder, "cdr")


@pytest.fixture(scope="module")
def messages(compiled: Generated) -> list[tuple[str, bytes]]:
    """rosbags', with random content."""
    names = sorted(message.full_name for message in compiled.schema.messages())
    assert len(names) > 150
    differences = []
    for name in random.Random(1).sample(names, TYPES):
        content = RandomMessages(compiled.schema, seed=len(name))
        for _ in range(SAMPLES):
            value = content.message(name)
            differences.append((name, rosbags_bytes(compiled.schema, STORE, name, value)))
    return differences


def types(messages: list[tuple[str, bytes]]) -> list[str]:
    return list(dict.fromkeys(name for name, _ in messages))


def test_python(compiled: Generated, messages: list[tuple[str, bytes]]) -> None:
    check(compiled.python(types(messages)), messages)


def test_cpp(compiled: Generated, messages: list[tuple[str, bytes]], tmp_path: Path) -> None:
    check(compiled.cpp(types(messages), tmp_path), messages)


def test_java(compiled: Generated, messages: list[tuple[str, bytes]], tmp_path: Path) -> None:
    check(compiled.java(types(messages), tmp_path), messages)
