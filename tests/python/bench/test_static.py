# SPDX-License-Identifier: Apache-2.0
"""``bench static``: contenders send the same, and wirecost's own reader joins what C++ wrote."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth

from wirecost.data.traces.static_once import Joiner
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.static.race import PROGRAM, race
from wirecost.measure.bench.static.schema import StaticMeta, StaticRun
from wirecost.measure.bench.static.settings import Settings
from wirecost.measure.bench.static.steps import Steps, of_trace, synthetic
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.journal import Journal
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import content_of
from wirecost.schema.columns.converter import Converter


def parsed(message: bytes) -> GroundTruth:
    return GroundTruth.FromString(message)


def test_messages_of_all_contenders_hold_the_same(tmp_path: Path) -> None:
    """Read by OSI's own classes; static data once by the reader of ``trace join``."""
    steps = synthetic(1, 5)
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
    for name, sent, *_ in PROGRAM.rows("list"):
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


def results_of(folder: Path, steps: Steps, rounds: int, processes: int) -> Results:
    """Return what a race of these steps leaves."""
    settings = Settings(rounds=rounds, processes=processes)
    race(steps, settings, Measurement("static", Journal(folder), lambda *_: None))
    return read_results(folder)


def test_static_data_once_is_many_times_smaller(tmp_path: Path) -> None:
    results = results_of(tmp_path, synthetic(10, 5), 2, 2)
    meta = results.meta_as(StaticMeta)
    assert [run.failure for run in meta.runs] == [None] * 12
    assert (meta.lanes, meta.boundaries, meta.objects) == (100, 125, 5)
    rows = {row.contender: row for row in summarize(results) if row.stage == "total"}
    once = rows["protobuf-once"]
    assert once.ratio_best is not None
    best = rows[once.ratio_best.to]
    assert best.run_as(StaticRun).sent == "all" and best.contender.startswith("protobuf")
    assert best.bytes > 50 * once.bytes
    sent_before = once.run_as(StaticRun).static_bytes
    assert once.bytes + sent_before == pytest.approx(rows["protobuf"].bytes, rel=0.01)
    assert set(results.samples["process"]) == {0, 1}
    lead = content_of(results, summarize(results)).lead
    assert lead is not None and "× fewer bytes" in lead


def test_what_was_not_read_is_no_contender(tmp_path: Path) -> None:
    """A step whose objects change their number is no work of the contender that sends changes."""
    steps = synthetic(1, 3)
    other = synthetic(1, 2).traffic
    mixed = Steps(steps.source, steps.roads, [steps.traffic[0], other[1]], steps.counts)
    runs = results_of(tmp_path, mixed, 1, 1).meta.runs
    failed = {run.contender: run.failure for run in runs if run.failure}
    assert failed == {"protobuf-changed": "other values were read than were written"}


def test_a_real_trace_says_what_changes(osi_data: Path) -> None:
    (path,) = osi_data.rglob("testBrakeAndIndicatorLights.mcap")
    steps = of_trace(path, None, None, lambda *_: None)
    changed = {one.path: one.changed for one in steps.changes}
    assert changed["timestamp"] == 1
    assert changed["lane.classification"] == changed["traffic_light.base"] == 0
    assert 0 < changed["moving_object.base"] < 1
    assert steps.counts == (3, 4, 2) and 0.3 < steps.covered < 0.7
