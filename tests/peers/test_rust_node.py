# SPDX-License-Identifier: Apache-2.0
"""Nodes of ROS 2 on RustDDS: recorded, replayed, and replayed to.

RustDDS shares no code with Fast DDS or Cyclone DDS. ``make test-peers`` builds them; the usual
tests have no Rust."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from rosbags.rosbag2 import Reader
from rosbags.typesys import Stores, get_typestore

from wirecost.system.free_domain import FreeDomain

ROOT = Path(__file__).parents[2]
NODE = ROOT / "build" / "peers" / "release" / "rust_node"
WIRECOST = Path(sys.executable).with_name("wirecost")
SECONDS = 3


@contextmanager
def running(role: str, domain: int) -> Iterator[subprocess.Popen[str]]:
    environment = os.environ | {"ROS_DOMAIN_ID": str(domain)}
    process = subprocess.Popen([NODE, role], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        yield process
    finally:
        process.kill()
        process.wait()


def wirecost(*words: object, cwd: Path) -> str:
    done = subprocess.run(
        [WIRECOST, *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=cwd,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of the answerer, while the talker talks."""
    folder = tmp_path_factory.mktemp("peers")
    with FreeDomain() as domain, ExitStack() as nodes:
        nodes.enter_context(running("talk", domain.number))
        answerer = nodes.enter_context(running("answer", domain.number))
        time.sleep(2)  # what they find each other in
        words = ("--system", "dds", "--domain", domain.number, "--pid", answerer.pid)
        wirecost(
            "record", "/rust/answerer", *words, "--for", SECONDS, "--out", "recorded", cwd=folder
        )
    return folder / "recorded"


def messages(recording: Path, topic: str) -> list[str]:
    types = get_typestore(Stores.ROS2_HUMBLE)
    with Reader(recording) as reader:
        wanted = [one for one in reader.connections if one.topic == topic]
        found: list[Any] = [
            types.deserialize_cdr(data, connection.msgtype)
            for connection, _, data in reader.messages(connections=wanted)
        ]
    return [message.data for message in found]


def test_it_is_recorded(recording: Path) -> None:
    words, answers = messages(recording, "/words"), messages(recording, "/answers")
    numbers = [int(word.removeprefix("word ")) for word in words]
    assert len(words) > 10 * SECONDS
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    both = set(answers) & {f"{word}!" for word in words}
    assert len(both) >= len(answers) - 2


def test_it_is_replayed_to_and_answers_the_same(recording: Path) -> None:
    wirecost("replay", recording, "--json", "result.json", cwd=recording.parent)
    result = json.loads((recording.parent / "result.json").read_text())
    count = len(messages(recording, "/words"))
    (played,) = result["repeats"]
    assert (played["sent"], played["outputs"]) == (count, count)
    (compared,) = result["equality"]
    assert compared["difference"] is None
    assert compared["messages"] >= count - 2
