# SPDX-License-Identifier: Apache-2.0
"""Damaged recordings and messages are counted as far as they go, or refused with a line."""

from __future__ import annotations

import json
import shlex
import time
from pathlib import Path
from random import Random
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from cost.drives import drive, mcap
from wirecost.cli import app
from wirecost.data.clouds.point_cloud2 import fields_apart, points_of
from wirecost.data.messages.fields import walk
from wirecost.data.messages.subject import Subject, subject
from wirecost.data.messages.tally import Tally
from wirecost.data.recordings.connection import RecordedConnection
from wirecost.data.recordings.survey import RecordingSurvey, TopicSurvey, survey
from wirecost.measure.bench.codecs.race import race
from wirecost.measure.bench.codecs.scans import Scans
from wirecost.measure.bench.codecs.settings import Settings
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.cost.cloud import clouds
from wirecost.measure.cost.inside import inside
from wirecost.measure.cost.live.processes import GraphProcesses
from wirecost.measure.cost.prices import PriceList
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.remedies import remedies
from wirecost.measure.cost.system_cost import system_cost
from wirecost.observe.probe.symbols import source_lines
from wirecost.results.records.cost import TopicCost, read_cost
from wirecost.results.records.journal import Journal
from wirecost.results.records.probe_stacks import Address
from wirecost.results.records.reading import read_results
from wirecost.results.records.shares import ProcessShare
from wirecost.schema.compile import frontends
from wirecost.system.errors import UserError

MUTATIONS = 60
LONGEST_S = 20.0


def mutated(data: bytes, random: Random) -> bytes:
    """Change some bytes, or cut or repeat a part."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 8)):
        at = random.randrange(len(changed))
        kind = random.randrange(4)
        if kind == 0:
            changed[at] ^= 1 << random.randrange(8)
        elif kind == 1:
            changed[at : at + 8] = random.choice([b"\xff" * 8, b"\0" * 8, random.randbytes(8)])
        elif kind == 2:
            del changed[at : at + random.randrange(1, 4096)]
        else:
            changed[at:at] = changed[at : at + random.randrange(1, 512)]
        if not changed:
            changed = bytearray(b"\0")
    return bytes(changed)


def read(path: Path) -> RecordingSurvey:
    return survey([path], (), lambda _done, _total, _text: None)


@pytest.mark.parametrize("name", ["drive.bag", "drive.mcap", "drive.db3"])
def test_damaged_recordings(tmp_path: Path, name: str) -> None:
    drive(tmp_path / name)
    whole = tmp_path / name
    if not name.endswith(".bag"):
        (whole,) = (tmp_path / "drive").glob(f"*{Path(name).suffix}")
    data = whole.read_bytes()
    random = Random(name)
    path = tmp_path / f"damaged{whole.suffix}"
    counted = 0
    for _ in range(MUTATIONS):
        path.write_bytes(mutated(data, random))
        begun = time.monotonic()
        try:
            found = read(path)
            cost = system_cost([str(path)], found, Pricing(PriceList({}), "cpp"), {})
            for topic in found.topics:
                if topic.subject is not None:
                    inside(topic, PriceList({}), "cpp")
            counted += cost.count
        except UserError as error:
            assert "\n" not in str(error)
        assert time.monotonic() - begun < LONGEST_S
    assert counted > 0


def every_kind() -> Subject:
    return subject(frontends.descriptors(["osi3"]), "osi3", "osi3.SensorView")


def test_damaged_messages() -> None:
    about = every_kind()
    message = about.message_class()
    for number in range(20):
        added = message.lidar_sensor_view.add()
        added.view_configuration.sensor_id.value = 1 << number
        added.reflection.add().signal_strength = 1.0
    data = message.SerializeToString()
    random = Random(1)
    for _ in range(20_000):
        try:
            walk(about, mutated(data, random), Tally())
        except (ValueError, RecursionError):
            continue


def test_groups_within_groups_end() -> None:
    for data in (b"\x0b" * 100_000, b"\x0b\x0a" * 50_000, b"\x0c", b"\xff" * 20):
        with pytest.raises((ValueError, RecursionError)):
            walk(every_kind(), data, Tally())


@pytest.mark.parametrize(("width", "step", "count"), [(0, 2**32 - 1, 2**30), (1, 8, 2**32 - 1)])
def test_clouds_of_absurd_sizes(width: int, step: int, count: int) -> None:
    field = SimpleNamespace(name="x", offset=0, datatype=7, count=count)
    fields = [field, SimpleNamespace(name="y", offset=0, datatype=7, count=1), field]
    cloud = SimpleNamespace(
        width=width, height=1, point_step=step, data=bytes(8), fields=fields, is_bigendian=False
    )
    read = SimpleNamespace(
        connection=SimpleNamespace(type="sensor_msgs/msg/PointCloud2", wire="cdr"),
        whole_messages=lambda: [cloud],
    )
    assert [len(fields_apart(one)[0]) for one in clouds(read)] == [1] * width  # type: ignore[arg-type]


def test_results_of_others(tmp_path: Path) -> None:
    path = tmp_path / "cost.json"
    for text in ("", "{}", "[]", '{"format": "wirecost-cost", "version": 99}', "\0" * 64):
        path.write_text(text)
        with pytest.raises(UserError, match="wirecost cost --json"):
            read_cost(path)
    topic = {
        "topic": "/a", "type": "b", "wire": "cdr", "count": -1, "bytes": 1, "median_bytes": 1,
        "largest_bytes": 1, "rate_hz": 1.0,
    }  # fmt: skip
    whole = {
        "format": "wirecost-cost", "version": 1, "files": [], "lang": "cpp", "duration_s": 1.0,
        "prices": {}, "is_own": False, "topics": [topic],
    }  # fmt: skip
    path.write_text(json.dumps(whole))
    with pytest.raises(UserError, match="count"):
        read_cost(path)


def cloud_of(*names: str, is_big: bool = False) -> SimpleNamespace:
    fields = [
        SimpleNamespace(name=name, offset=4 * at, datatype=7, count=1)
        for at, name in enumerate(names)
    ]
    data = np.arange(2 * len(names), dtype=">f4" if is_big else "<f4").tobytes()
    return SimpleNamespace(
        fields=fields, point_step=4 * len(names), width=2, height=1, row_step=8 * len(names),
        is_bigendian=is_big, data=data,
    )  # fmt: skip


def test_points_are_those_of_their_message() -> None:
    for is_big in (False, True):
        points = points_of(cloud_of("x", "y", is_big=is_big))
        assert points["x"].tolist() == [0, 2]
        assert points.dtype["x"] == np.dtype("<f4")
    with pytest.raises(UserError, match="two fields of one name"):
        points_of(cloud_of("x", "x"))


def test_names_of_fields_are_any_text(tmp_path: Path) -> None:
    points = points_of(cloud_of("x", "y", "z", "a\0b", "--out", "", "\ud800"))
    measurement = Measurement("codecs", Journal(tmp_path), lambda *_: None)
    race(Scans({"one": points}), Settings(error=0.1, rounds=1), measurement)
    failures = {run.contender: run.failure for run in read_results(tmp_path).meta.runs}
    assert failures["copy"] is None and failures["wirecost"] is None


@pytest.mark.parametrize("number", [2**70, 2**40, 0, -5])
def test_a_node_says_that_it_is_in_a_process_that_cannot_be(number: int) -> None:
    processes = GraphProcesses(is_exact=True)
    processes.place({"/liar": number})
    cost = TopicCost(
        topic="/t", type="T", wire="ros1", count=1, bytes=1, median_bytes=1, largest_bytes=1,
        rate_hz=1.0, publishers=["/liar"], takers=[],
    )  # fmt: skip
    assert all("/liar" not in one.nodes for one in processes.costs([cost], 0))


def first_answer(path: Path, names: list[tuple[str, str]], step_ns: int) -> str:
    """Return what ``cost`` says of topics and types with a message every so often."""
    channels = [(topic, "cdr", kind, "ros2msg", b"uint8[] x\n") for topic, kind in names]
    data = b"\0\1\0\0" + (100_000).to_bytes(4, "little") + bytes(100_000)
    mcap(path, channels, [(number, 10**18 + at * step_ns, data)
                          for at in range(30) for number in range(len(names))])  # fmt: skip
    text = CliRunner().invoke(app, ["cost", str(path)]).stdout
    assert len(text.splitlines()) <= 24
    assert all(len(line) <= 80 or line.startswith("All topics:") for line in text.splitlines())
    return text


def test_names_of_any_length_leave_room_for_figures(tmp_path: Path) -> None:
    names = [
        ("/" + "t" * 3000, "a/msg/B"),
        ("/b", "a/msg/" + "C" * 200),
        ("/d", "a/msg/" + "D" * 600),
    ]
    text = first_answer(tmp_path / "a.mcap", names, 10**8)
    assert "CCC…CCC" in text and "/b " in text and "ttt…ttt" in text
    assert "the name of a/DDDDD" in text


def test_of_equal_times_no_cost_is_known(tmp_path: Path) -> None:
    text = first_answer(tmp_path / "a.mcap", [("/a", "a/msg/B"), ("/b", "a/msg/B")], 0)
    assert text.startswith(
        "The times of all messages give no rate, so no cost of 2 topics is known"
    )
    assert "0 B/s" not in text


def test_the_costliest_of_very_many_topics_is_not_most_of_it(tmp_path: Path) -> None:
    names = [(f"/{number}", "a/msg/B") for number in range(250)]
    assert "% of it is" not in first_answer(tmp_path / "a.mcap", names, 10**8)


def test_a_topic_is_no_command() -> None:
    cost = TopicCost(
        topic="/$(reboot); a", type="T", wire="cdr", count=9, bytes=9 << 20, median_bytes=1 << 20,
        largest_bytes=1 << 20, rate_hz=2000.0, encode_ns=1e5, decode_ns=1e5,
    )  # fmt: skip
    connection = RecordedConnection(0, cost.topic, "T", "cdr", "", b"", 9, "")
    topic = TopicSurvey(connection)
    topic.sample[0] = bytes(1 << 20)
    found = remedies(["a b.mcap"], [(topic, cost)], Pricing(PriceList({}), "cpp"))
    assert found
    for number, one in enumerate(found, 1):
        assert shlex.split(one.command)[2:] == ["a b.mcap", "--prove", str(number)]


def test_parts_that_exceed_their_process_are_said() -> None:
    for sections_ns, is_said in ((90.0, False), (94.0, False), (96.0, True)):
        share = ProcessShare(
            process=1, program="p", nodes=[], idle_ns=0.0, executor_ns=10.0,
            sections_ns=sections_ns, processor_ns=100.0,
        )  # fmt: skip
        assert share.is_contradictory == is_said
        assert share.elsewhere_ns == 0.0


def test_a_stack_names_a_file_that_cannot_be() -> None:
    address = Address("/bin/l\0s", 1)
    lines, _ = source_lines([address], 1 << 62)
    (line,) = lines[address]
    assert not line.file
