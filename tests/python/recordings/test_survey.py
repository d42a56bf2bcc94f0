# SPDX-License-Identifier: Apache-2.0
"""Recordings are counted whole: every byte, whatever kind of file they are in."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from cost.drives import POINTS, RATES_HZ, STEP, USED, drive, mcap
from wirecost.data.messages.anatomy import Anatomy
from wirecost.data.messages.subject import Subject
from wirecost.data.recordings.survey import (
    SAMPLED,
    SAMPLED_BYTES,
    RecordingSurvey,
    _uniform,
    survey,
)
from wirecost.measure.cost import measured_topics
from wirecost.measure.cost.calibration import AbsentError, Observation
from wirecost.measure.cost.changes import PACKED
from wirecost.measure.cost.cloud import padding_share
from wirecost.measure.cost.prices import PriceList, known_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost


def read(*paths: Path) -> RecordingSurvey:
    return survey(paths, (), lambda _done, _total, _text: None)


@pytest.mark.parametrize("name", ["drive.bag", "drive.mcap", "drive.db3"])
def test_bytes_and_rates_are_those_of_the_messages(tmp_path: Path, name: str) -> None:
    sizes = drive(tmp_path / name)
    path = tmp_path / (name if name.endswith(".bag") else "drive")
    found = read(path)
    known = {name: (len(some), sum(some), max(some), int(np.median(some)))
             for name, some in sizes.items()}  # fmt: skip
    assert {
        topic.connection.topic: (
            topic.count,
            topic.byte_count,
            topic.sizes.largest,
            topic.sizes.median,
        )
        for topic in found.topics
    } == known
    cost = system_cost([str(path)], found, Pricing(PriceList({}), "cpp"), {})
    assert cost.bytes == sum(map(sum, sizes.values()))
    assert {topic.topic: pytest.approx(topic.rate_hz) for topic in cost.topics} == RATES_HZ
    assert not cost.warnings


@pytest.mark.parametrize("name", ["drive.bag", "drive.mcap"])
def test_parts_are_counted(tmp_path: Path, name: str) -> None:
    drive(tmp_path / name)
    found = read(tmp_path / (name if name.endswith(".bag") else "drive"))
    (imu,) = (topic for topic in found.topics if topic.connection.topic == "/imu")
    assert imu.parts is not None
    parts = imu.parts
    assert (parts.nested, parts.texts, parts.arrays) == (5, 1, 3)
    assert parts.lists == parts.elements == parts.long_texts == 0
    assert parts.numbers == (13 if name == "drive.bag" else 12)
    assert parts.block_bytes == 3 * 72
    (status,) = (topic for topic in found.topics if topic.connection.topic == "/status")
    assert status.parts is not None and status.parts.texts == status.parts.long_texts == 1
    (cloud,) = (topic for topic in found.topics if topic.connection.topic == "/points")
    assert cloud.parts is not None and cloud.parts.elements == 5
    assert padding_share(cloud) == pytest.approx(12 * POINTS / cloud.sizes.largest, rel=0.01)
    assert STEP * POINTS < cloud.parts.octet_bytes < STEP * POINTS + 8


SCHEMA = b"float64 x\nstring name\n"
TWO = np.array([0, 1, 0, 0], np.uint8).tobytes() + np.float64(2.0).tobytes() + b"\2\0\0\0a\0"


def test_what_cannot_be_read_is_counted_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "mixed.mcap"
    mcap(
        path,
        [
            ("/two", "cdr", "mine/msg/Two", "ros2msg", SCHEMA),
            ("/two", "cdr", "mine/msg/Three", "ros2msg", b"float64 y\n"),
            ("/text", "json", "mine/Text", "jsonschema", b"{}"),
            ("/bare", "cdr", "nobody/msg/Knows", "", b""),
        ],
        [
            (0, 0, TWO),
            (1, 10**9, TWO[:12]),
            (2, 2 * 10**9, b"{}"),
            (3, 3 * 10**9, b"12345"),
            (0, 4 * 10**9, b"\0\1\0\0short"),
        ],
    )
    found = read(path)
    cost = system_cost([str(path)], found, Pricing(PriceList({}), "cpp"), {})
    rows = {(topic.topic, topic.type): topic for topic in cost.topics}
    assert cost.bytes == len(TWO) + 12 + 2 + 5 + 9
    assert len(rows) == 4
    assert "json" in rows["/text", "mine/Text"].unknown
    assert "definition" in rows["/bare", "nobody/msg/Knows"].unknown
    assert rows["/two", "mine/msg/Two"].count == 2


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "cut.mcap"
    channels = [("/two", "cdr", "mine/msg/Two", "ros2msg", SCHEMA)]
    mcap(path, channels, [(0, n * 10**6, TWO) for n in range(2000)])
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 2 // 3])
    found = read(path)
    assert 0 < found.topics[0].count < 2000
    assert any("cut off" in warning for warning in found.warnings)


def test_several_files_are_one_system(tmp_path: Path) -> None:
    channels = [("/two", "cdr", "mine/msg/Two", "ros2msg", SCHEMA)]
    for name, start in (("a.mcap", 0), ("b.mcap", 100)):
        mcap(tmp_path / name, channels, [(0, (start + n) * 10**8, TWO) for n in range(100)])
    found = read(tmp_path / "a.mcap", tmp_path / "b.mcap")
    (topic,) = found.topics
    assert topic.count == 200
    assert found.duration_s == pytest.approx(19.8)


def test_large_messages_are_measured_as_if_they_had_just_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message that is read over and over lies in the cache, and costs a third of its price."""
    drive(tmp_path / "drive.mcap")
    path = tmp_path / "drive"
    read_topics = read(path)
    cost = system_cost([str(path)], read_topics, Pricing(PriceList({}), "cpp"), {})
    contents: dict[str, list[list[bytes]]] = {}

    def observed(about: Subject, _lang: str, _library: str, given: Any, _say: Any) -> list[Any]:
        contents[about.type] = given
        sizes = [sum(map(len, messages)) / len(messages) for messages in given]
        return [Observation(Anatomy(), {"encode": 1e6, "decode": size}, size) for size in sizes]

    monkeypatch.setattr(measured_topics, "observed", observed)
    wanted = {topic.topic for topic in cost.topics}
    result = measured_topics.measured(
        cost, read_topics.topics, wanted, Pricing(PriceList({}), "cpp"), print
    )
    assert all(topic.is_measured for topic in result.topics)
    assert all(len(some) == SAMPLED for given in contents.values() for some in given)
    clouds, packed = contents["sensor_msgs.PointCloud2"]
    assert sum(map(len, clouds)) > SAMPLED_BYTES
    spared = (STEP - USED) * POINTS
    assert len(clouds[0]) - len(packed[0]) == spared
    (advice,) = (one for one in result.remedies if one.kind == PACKED)
    assert advice.is_measured
    number = 1 + result.remedies.index(advice)
    assert advice.command == f"wirecost cost {path} --prove {number}"
    assert advice.share == pytest.approx(spared * RATES_HZ["/points"] / 1e9)


def test_what_is_printed_for_a_running_graph_names_the_graph(tmp_path: Path) -> None:
    drive(tmp_path / "drive.mcap")
    graph = ["--live", "dds", "--domain", "3"]
    cost = system_cost(graph, read(tmp_path / "drive"), Pricing(known_prices(), "cpp"), {})
    assert cost.remedies
    for number, one in enumerate(cost.remedies, 1):
        assert one.command == f"wirecost cost --live dds --domain 3 --prove {number}"


def test_a_topic_that_cannot_be_measured_says_what_its_library_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(tmp_path / "drive.mcap")
    path = tmp_path / "drive"
    read_topics = read(path)
    cost = system_cost([str(path)], read_topics, Pricing(PriceList({}), "cpp"), {})

    def observed(*_: Any) -> list[Any]:
        raise AbsentError("apt-get install libfastcdr-dev")

    monkeypatch.setattr(measured_topics, "observed", observed)
    result = measured_topics.measured(
        cost, read_topics.topics, {"/imu"}, Pricing(PriceList({}), "cpp"), print
    )
    (complaint,) = result.warnings
    assert complaint.startswith("/imu is not measured: ")
    assert "apt-get install libfastcdr-dev" in complaint and "--lang python" in complaint
    assert not any(topic.is_measured for topic in result.topics)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_samples_are_drawn_as_one_by_one(count: int) -> None:
    one_by_one, at_once = Random(1), Random(1)
    expected = [one_by_one.random() for _ in range(count)]
    assert _uniform(at_once, count).tolist() == expected
    assert at_once.random() == one_by_one.random()
