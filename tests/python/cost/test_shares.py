# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost`` of traces and logs whose times are known."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.probe_logs import header, record
from support.traced_systems import WAITED_MS, TracedSystem
from wirecost.cli import app
from wirecost.results.analysis.shares import shares_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.results.records.shares import SystemShares
from wirecost.results.report.cost.shares_figures import graph_of
from wirecost.results.report.shared.graph import NODE, TOPIC

COUNT, PERIOD_MS = 20, 100.0
MS = 1_000_000


def write_trace(folder: Path) -> None:
    """Write a timer of 4 ms that publishes for 0.1 ms; its message waits 9.45 ms, then takes 30."""
    system = TracedSystem()
    camera, detect = system.node("camera"), system.node("detect")
    images = system.publisher(camera, "/image")
    timer = system.timer(camera, PERIOD_MS)
    detection = system.subscription(detect, "/image")
    for number in range(COUNT):
        at = PERIOD_MS * (number + 1)
        image = system.message(at + 1)
        system.run(timer, at, at + 4, gave=[(images, image)])
        system.run(detection, at + 11, at + 41, took=image)
    system.write(folder)


def of(*paths: Path) -> SystemShares:
    logs = read_recorded(paths)
    return shares_of([str(path) for path in paths], event_tables(logs), logs)


def test_a_trace_has_elapsed_time_of_each_stage_without_what_is_inside(tmp_path: Path) -> None:
    write_trace(tmp_path)
    shares = of(tmp_path)
    assert not shares.is_processor
    stages = {(stage.node, stage.topic, stage.stage): stage for stage in shares.stages}
    assert {key: (stage.count, stage.elapsed_ns) for key, stage in stages.items()} == {
        ("/camera", "timer 100 ms", "callback"): (COUNT, pytest.approx(COUNT * 3.9 * MS)),
        ("/camera", "/image", "publish"): (COUNT, pytest.approx(COUNT * 0.1 * MS)),
        ("/detect", "/image", "callback"): (COUNT, pytest.approx(COUNT * 30 * MS)),
    }
    waits = {wait.kind: wait.median_ns for wait in shares.waits}
    assert waits["publish→take"] == pytest.approx((10 - WAITED_MS - 0.05) * MS)
    assert waits["take→callback"] == pytest.approx(WAITED_MS * MS)
    assert shares.duration_s == pytest.approx(((COUNT - 1) * PERIOD_MS + 41) / 1e3)
    graph = graph_of(shares)
    taken = ((TOPIC, "/image"), (NODE, "/detect"))
    assert graph.marked == {taken}
    assert graph.details[TOPIC, "/image"] == "9.45 ms of transport"
    assert graph.weights[taken].widths == {"time of the node": 1.0, "transport": 1.0}


def write_log(path: Path, thread: int, records: list[bytes], used: tuple[int, int, int]) -> None:
    """Write a log; ``used``: processor time of the thread, of the process at both ends."""
    names = [
        (1, "/detect /image Detect::take()"),
        (2, "/detect /objects send"),
        (3, "/detect /image take"),
        (4, "/detect executor idle"),
        (5, "/detect publish /objects"),
    ]
    content = bytearray(header([("processor-ns", 1)], names, thread=thread))
    struct.pack_into("<QQQ", content, 120, *used)
    path.write_bytes(bytes(content) + b"".join(records))


def detector(folder: Path, *, ended: bool = True) -> None:
    """Of 100 ms of the process, its main thread has 60, its sections 50: 20 send, 5 take."""
    counted = {"counted": 1}
    records = [
        record(1, 0, 6 * MS, section=3, counters=[5 * MS], **counted),
        record(2, 10 * MS, 11 * MS, section=5, parent=2, kind=5, depth=2),
        record(3, 10 * MS, 35 * MS, section=2, parent=1, depth=1, counters=[20 * MS], **counted),
        record(4, 6 * MS, 80 * MS, section=1, counters=[45 * MS], **counted),
        record(5, 80 * MS, 1000 * MS, section=4, kind=5),
    ]
    folder.mkdir()
    write_log(folder / "p-7-7.wprobe", 7, records, (60 * MS, 7 * MS, 107 * MS if ended else 0))


def test_processor_time_of_all_stages_and_the_rest_is_that_of_the_process(tmp_path: Path) -> None:
    detector(tmp_path / "logs")
    shares = of(tmp_path / "logs")
    assert shares.is_processor
    found = {(stage.topic, stage.stage): stage.processor_ns for stage in shares.stages}
    assert found == {
        ("/image", "callback"): 25 * MS,
        ("/objects", "publish"): 20 * MS,
        ("/image", "take"): 5 * MS,
    }
    (process,) = shares.processes
    assert (process.sections_ns, process.executor_ns) == (50 * MS, 10 * MS)
    assert process.elsewhere_ns == 40 * MS
    assert sum(found.values()) + 10 * MS + 40 * MS == process.processor_ns == 100 * MS
    assert process.idle_ns == 920 * MS


def test_a_process_without_an_end_has_no_whole(tmp_path: Path) -> None:
    detector(tmp_path / "logs", ended=False)
    (process,) = of(tmp_path / "logs").processes
    assert process.sections_ns == 50 * MS
    assert process.processor_ns is process.elsewhere_ns is process.executor_ns is None


def test_the_command_prints_one_screen_and_writes_the_same(tmp_path: Path) -> None:
    detector(tmp_path / "logs")
    page, table = tmp_path / "cost.html", tmp_path / "cost.json"
    words = ["cost", tmp_path / "logs", "--report", page, "--json", table]
    done = CliRunner().invoke(app, [*map(str, words)])
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert len(lines) <= 24
    assert lines[0].startswith("1 node takes 10 % of a core in 1 process; 25 % of it is callback")
    (elsewhere,) = (line.split() for line in lines if line.startswith("/detect · elsewhere"))
    assert elsewhere[3:] == ["–", "–", "–", "–", "4", "%", "–"]
    assert json.loads(table.read_text())["stages"][0]["processor_ns"] == 25 * MS
    assert "/detect · elsewhere" in page.read_text()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--subscribers", "/a=2"], "--subscribers: needs messages"),
        (["--what-if"], "--what-if: needs messages"),
        (["other.mcap"], "other.mcap: no log"),
    ],
)
def test_what_needs_messages_is_refused(words: list[str], said: str, tmp_path: Path) -> None:
    detector(tmp_path / "logs")
    done = CliRunner().invoke(app, ["cost", str(tmp_path / "logs"), *words])
    assert said in str(done.exception)
