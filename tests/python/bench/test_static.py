# SPDX-License-Identifier: Apache-2.0
"""``bench static``: contenders send the same, and wirecost's own reader joins what C++ wrote."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from wirecost.data.traces.static_once import Joiner
from wirecost.measure.bench.ground_truth.race import PROGRAM, race
from wirecost.measure.bench.ground_truth.steps import Steps, made_up, of_trace
from wirecost.results.report.static.answer import best, first_answer
from wirecost.schema.columns.converter import Converter


def parsed(message: bytes) -> GroundTruth:
    return GroundTruth.FromString(message)


def test_messages_of_all_contenders_hold_the_same(tmp_path: Path) -> None:
    """Read by OSI's own classes; static data once by the reader of ``trace join``."""
    steps = made_up(1, 5)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "roads").write_bytes(steps.roads)
    framed = b"".join(struct.pack("<I", len(one)) + one for one in steps.traffic)
    (tmp_path / "in" / "traffic").write_bytes(framed)
    places = ("--roads", "in/roads", "--traffic", "in/traffic", "--out", ".")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        PROGRAM.rows("messages", *places)
    expected = parsed(steps.roads + steps.traffic[0])
    assert (len(expected.lane), len(expected.moving_object)) == (8, 5)
    to_rows = Converter.to_rows_of("osi3.GroundTruth").to_rows
    compared = 0
    for name, sent in PROGRAM.rows("list"):
        message = (tmp_path / name).read_bytes()
        if name.startswith("flatbuffers"):
            continue  # its program reads all of it back
        if sent == "once":
            joiner = Joiner()
            joiner.hold((tmp_path / f"{name}.roads").read_bytes())
            message = joiner.join(message)
            assert not joiner.lost
        elif sent == "changed":
            message = (tmp_path / f"{name}.roads").read_bytes() + message
        if name.startswith("columns"):
            message = bytes(to_rows(memoryview(message)))
        found = parsed(message)
        found.DiscardUnknownFields()
        assert found == expected, name
        compared += 1
    assert compared == 10


def test_static_data_once_is_many_times_smaller() -> None:
    raced = race(made_up(10, 5), 2, 2, lambda *_: None)
    assert not raced.failed and len(raced.runs) == 12
    assert (raced.lanes, raced.boundaries, raced.objects) == (100, 125, 5)
    runs = {run.name: run for run in raced.runs}
    assert best(raced).sent == "all" and best(raced).name.startswith("protobuf")
    once = runs["protobuf-once"]
    assert best(raced).bytes > 50 * once.bytes
    assert once.bytes + once.static_bytes == pytest.approx(runs["protobuf"].bytes, rel=0.01)
    assert set(once.processes) == {0, 1}
    assert "× fewer bytes" in first_answer(raced).answer


def test_what_was_not_read_is_no_contender() -> None:
    """A step whose objects change their number is no work of the contender that sends changes."""
    steps = made_up(1, 3)
    other = made_up(1, 2).traffic
    mixed = Steps(steps.source, steps.roads, [steps.traffic[0], other[1]], steps.counts)
    raced = race(mixed, 1, 1, lambda *_: None)
    assert raced.failed == {"protobuf-changed": "other values were read than were written"}


def test_a_real_trace_says_what_changes(osi_data: Path) -> None:
    (path,) = osi_data.rglob("testBrakeAndIndicatorLights.mcap")
    steps = of_trace(path, None, None, lambda *_: None)
    changed = {one.path: one.changed for one in steps.changes}
    assert changed["timestamp"] == 1
    assert changed["lane.classification"] == changed["traffic_light.base"] == 0
    assert 0 < changed["moving_object.base"] < 1
    assert steps.counts == (3, 4, 2) and 0.3 < steps.covered < 0.7
