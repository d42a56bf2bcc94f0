# SPDX-License-Identifier: Apache-2.0
"""Nodes of ROS in ``probe show``: first what fits a screen, with --all the rest."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.answers import show_logs
from support.traced_systems import TracedSystem
from wirecost.results.report.probe import nodes

MS = 1_000_000
DATA = Path(__file__).parents[4] / "shared" / "data"
SAMPLE = Path(os.environ.get("WIRECOST_DATA", DATA)) / "ros2" / "end_to_end_sample"
CYCLES = 20
LAMBDA = "Filter::Filter(std::__cxx11::basic_string<char>)::{lambda(std::unique_ptr<int>)#1}"


@pytest.fixture(autouse=True)
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


def busy_system(folder: Path, number: int = 20) -> None:
    """Write a sensor and filters of its topic, each twice as slow as the one before up to 20 ms.

    All have /parameter_events."""
    system = TracedSystem(has_identity=False)
    sensor = system.node("sensor")
    points = system.publisher(sensor, "/points")
    events = system.publisher(sensor, "/parameter_events")
    filters = [system.node(f"filter{i}", "/robot") for i in range(number)]
    taken = [system.subscription(node, "/points", LAMBDA) for node in filters]
    parameter_events = [system.subscription(node, "/parameter_events", LAMBDA) for node in filters]
    out = system.publisher(filters[0], "/filtered")
    for cycle in range(CYCLES):
        at = 10 + 100 * cycle
        message, event = system.message(at), system.message(at + 80)
        system.publish(points, message)
        system.publish(events, event)
        for i, (callback, other) in enumerate(zip(taken, parameter_events, strict=True)):
            gave = [(out, system.message(at + 2))] if i == 0 else []
            system.run(callback, at + 1, at + 1 + min(20, 2.0**i), took=message, gave=gave)
            system.run(other, at + 85, at + 86, took=event)
    system.write(folder)


def lines_of(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


def test_the_first_answer_fits_a_screen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], snapshot: SnapshotAssertion
) -> None:
    busy_system(tmp_path)
    show_logs([tmp_path], 5 * MS, None)
    lines = lines_of(capsys)
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    assert lines == snapshot


def test_long_causes_are_left_to_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nodes, "cause_lead", lambda *_: "explained " * 80)
    busy_system(tmp_path)
    show_logs([tmp_path], None, None)
    lines = lines_of(capsys)
    assert len(lines) <= 24
    assert "explained" not in " ".join(lines)
    show_logs([tmp_path], None, None, every=True)
    assert "explained" in capsys.readouterr().out


def test_misses_that_come_regularly_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = TracedSystem()
    timer = system.timer(system.node("sensor"), 100)
    for i in range(CYCLES):
        at = 10 + 100 * i
        system.run(timer, at, at + (9 if i % 5 == 4 else 2))
    system.write(tmp_path)
    show_logs([tmp_path], 5 * MS, None)
    text = " ".join(" ".join(lines_of(capsys)).split())
    said = "4 of 20 calls missed 5.00 ms (slow calls: median 9.00 ms), every 5th;"
    assert f"/sensor · 100 ms · timer: {said}" in text


def test_two_callbacks_of_a_topic_are_rows_and_count(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    system = TracedSystem()
    sensor, node = system.node("sensor"), system.node("filter")
    points = system.publisher(sensor, "/points")
    callbacks = [system.subscription(node, "/points", f"Filter::{name}()") for name in "ab"]
    for cycle in range(CYCLES):
        at = 100.0 * (cycle + 1)
        message = system.message(at)
        system.publish(points, message)
        for i, callback in enumerate(callbacks):
            system.run(callback, at + 1 + 10 * i, at + 6 + 10 * i, took=message)
    system.write(tmp_path)
    show_logs([tmp_path], 1 * MS, None)
    assert lines_of(capsys) == snapshot


def test_all_rows_are_sorted_by_their_total_time(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    busy_system(tmp_path)
    show_logs([tmp_path], None, Path("-"))
    document = json.loads(capsys.readouterr().out)
    names = {section["name"]: section for section in document["sections"]}
    of_filter = names["/robot/filter0 · /points · subscription"]
    of_sensor = names["/sensor · /points · publish"]
    assert of_filter["total_ns"] == CYCLES * MS and of_sensor["rate_hz"] == pytest.approx(10)
    show_logs([tmp_path], None, None, every=True)
    rows = [line for line in lines_of(capsys) if " · /points · subscription" in line]
    assert [row.split(" ")[0][-7:] for row in rows[-3:]] == ["filter2", "filter1", "filter0"]
    assert len(rows) == 20


def test_a_wide_terminal_has_the_symbols(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    busy_system(tmp_path, 2)
    monkeypatch.setenv("COLUMNS", "200")
    show_logs([tmp_path], None, None)
    assert sum("Filter::{lambda#1}" in line for line in lines_of(capsys)) == 2


def test_publishing_without_a_duration_has_count_and_rate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    system = TracedSystem()
    node = system.node("sensor")
    timer, points = system.timer(node, 100), system.publisher(node, "/points")
    for i in range(CYCLES):
        at = 10 + 100 * i
        system.run(timer, at, at + 2, gave=[(points, system.message(at + 1))])
    # Of a middleware without rmw_publish.
    system.events = [event for event in system.events if event.name != "rmw_publish"]
    system.write(tmp_path)
    show_logs([tmp_path], None, None)
    (row,) = [line for line in lines_of(capsys) if "· publish" in line]
    assert row.split()[-7:] == ["20", "10.0", "Hz", "–", "–", "–", "–"]
    assert "0 ns" not in row


@pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"no trace at {SAMPLE}; set WIRECOST_DATA")
def test_a_real_trace_in_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    for limit_ns in (None, 30 * MS):
        show_logs([SAMPLE], limit_ns, None)
        lines = lines_of(capsys)
        assert len(lines) <= 24
        assert "/message_driven_node takes most" in lines[0]
        assert "timer 100 ms" in " ".join(lines)
        assert "0 ns" not in " ".join(lines).replace(".0 ns", "")
