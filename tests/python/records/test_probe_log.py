# SPDX-License-Identifier: Apache-2.0
"""Probe logs as they are read: whole, torn, foreign, hostile; what is made of them."""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from support.probe_logs import HEADER, header, record
from support.programs import execute
from wirecost.results.analysis.probe_sections import executions, summary
from wirecost.results.records.probe_export import FORMATS, export
from wirecost.results.records.probe_log import ProbeLog, events_of, read_log, read_logs
from wirecost.results.records.setlevel import read_logs as read_performance_logs
from wirecost.results.report.probe.tables import counter_table, time_table
from wirecost.system.errors import UserError

FAULTS = [("minor-faults", 1), ("instructions", 0)]


def log_of(tmp_path: Path, content: bytes, name: str = "a.wprobe") -> ProbeLog:
    path = tmp_path / name
    path.write_bytes(content)
    return read_log(path)


def test_a_log_becomes_its_events(tmp_path: Path) -> None:
    content = header(FAULTS, [(1, "callback"), (2, "filter")], offset=10**18)
    content += record(1, 110, 150, section=2, parent=1, loop=5, counted=1, counters=[3])
    content += record(2, 100, 200, loop=5, value=-9, counted=1, scaled=1, counters=[4])
    log = log_of(tmp_path, content)
    events = log.events()
    assert events.select("section", "parent", "loop", "value", "scaled").rows() == [
        ("filter", "callback", 5, 0, False),
        ("callback", None, 5, -9, True),
    ]
    assert events["wall_ns"].to_list() == [10**18 + 110, 10**18 + 100]
    assert events["counter:minor-faults"].to_list() == [3, 4]
    assert events["counter:instructions"].to_list() == [None, None]
    assert [c.status for c in log.counters] == ["counted", "n/a"]
    assert log.ended


@pytest.mark.parametrize(
    ("tail", "ended"),
    [
        (b"", True),
        (record(3)[:100], False),
        (record(9, 1, 2), False),
        (bytes(1280), False),
        (bytes(128) + record(4, 1, 2), False),
    ],
)
def test_records_end_before_the_first_torn_one(tmp_path: Path, tail: bytes, ended: bool) -> None:
    log = log_of(tmp_path, header() + record(1, 1, 2) + record(2, 3, 4) + tail)
    assert (len(log.records), log.ended) == (2, ended)


def test_capacity_bounds_what_is_read(tmp_path: Path) -> None:
    log = log_of(tmp_path, header(capacity=1) + record(1, 1, 2) + record(2, 3, 4))
    assert len(log.records) == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "not a probe log"),
        (b"PAR1" * 9000, "not a probe log"),
        (header()[: HEADER - 1], "cut off within its header"),
        (header(version=2), "version 2"),
        (header(record=64), "records of 64 bytes"),
    ],
)
def test_a_foreign_file_is_refused_in_a_line(tmp_path: Path, content: bytes, problem: str) -> None:
    with pytest.raises(UserError, match=problem) as refused:
        log_of(tmp_path, content)
    assert "a.wprobe" in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_folder_without_logs_and_a_missing_file_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "none.wprobe"):
        with pytest.raises(UserError, match=str(path)):
            read_logs([path])


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(header(FAULTS, [(1, "a")]) + record(1, 1, 2) + record(2, 1, 2, kind=2))
    content = content[: data.draw(st.integers(0, len(content)))]
    spots = st.one_of(st.integers(0, 120), st.integers(500, 660), st.integers(HEADER, HEADER + 255))
    for at in data.draw(st.lists(spots, max_size=12)):
        if at < len(content):
            content[at] = data.draw(st.integers(0, 255))
    try:
        log = log_of(tmp_path, bytes(content))
    except UserError:
        return
    assert len(log.records) <= 2
    for section in summary(executions(log.events()), 1.0):
        assert section.count > 0
    assert time_table([], [log]).rows == []


def test_hostile_names_and_lengths_are_harmless(tmp_path: Path) -> None:
    content = header([("x", 1), ("x", 1), ("", 7)], [(1, "\x1b[31m[/red]")], capacity=2**64 - 1)
    content = content[:20] + b"\xff\xff\xff\xff" + content[24:]
    events = log_of(tmp_path, content + record(1, -(2**63), 2**63 - 1, counted=255)).events()
    assert events["section"].to_list() == ["\ufffd[31m[/red]"]
    assert {"counter:x", "counter:x#"} <= set(events.columns)
    assert len(executions(events)) == 1


def test_each_counter_tells_its_source(tmp_path: Path) -> None:
    counters = [("cycles", 1), ("minor-faults", 1), ("cpu-migrations", 1), ("instructions", 0)]
    older = bytearray(header(counters, access=2))
    assert [c.source for c in log_of(tmp_path, bytes(older)).counters] == ["perf"] * 3 + [""]
    older[112:116] = bytes([1, 3, 4, 0])
    sources = [c.source for c in log_of(tmp_path, bytes(older)).counters]
    assert sources == ["rdpmc", "getrusage", "processor number", ""]
    older[112:120] = bytes([255] * 8)
    assert [c.source for c in log_of(tmp_path, bytes(older)).counters] == [""] * 4


def test_the_whole_name_is_in_the_log_of_one_thread(tmp_path: Path) -> None:
    whole = "/node /topic type " + "x" * 60
    parts = [struct.unpack("<8Q", whole[i : i + 64].ljust(64, "\0").encode()) for i in (0, 64)]
    texts = b"".join(
        record(i + 1, section=0xFFFFFFFE, parent=1, part=i, kind=4, counters=part)
        for i, part in enumerate(parts)
    )
    cut = header(names=[(1, whole[:55])])
    (tmp_path / "a.wprobe").write_bytes(cut + texts)
    (tmp_path / "b.wprobe").write_bytes(cut + record(1, 1, 2))
    assert events_of(read_logs([tmp_path]))["section"].to_list() == [whole]


def test_names_are_shared_within_a_process(tmp_path: Path) -> None:
    (tmp_path / "a.wprobe").write_bytes(header() + record(1, 1, 2))
    (tmp_path / "b.wprobe").write_bytes(header(names=[(1, "late")]) + record(1, 1, 2))
    (tmp_path / "c.wprobe").write_bytes(header(process=9) + record(1, 1, 2))
    events = events_of(read_logs([tmp_path]))
    assert events["section"].to_list() == ["late", "late", "1"]


def test_sections_are_summed_up(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    times = [record(i + 1, 0, i * 10**6, counted=1, counters=[i]) for i in range(101)]
    log = log_of(tmp_path, header(FAULTS) + b"".join(times))
    (section,) = summary(executions(log.events()), 90.5e6)
    assert (section.count, section.maximum_ns, section.misses) == (101, 100 * 10**6, 10)
    assert section.percentiles_ns[50.0] == pytest.approx(50e6)
    assert section.percentiles_ns[99.0] == pytest.approx(99e6)
    assert section.percentiles_ns[99.9] is None
    assert section.counters["minor-faults"].mean == pytest.approx(50)
    assert section.counters["instructions"].mean is None
    table = counter_table([section], [log])
    assert table is not None
    assert table.rows == [["1", "minor-faults", "50.0", "100"]]
    assert table.notes == snapshot


def test_marks_become_the_times_between_them(tmp_path: Path) -> None:
    marks = [(0, 0, 0), (0, 1, 10), (0, 2, 30), (1, 0, 100), (1, 1, 115)]
    content = header(names=[(1, "session")]) + b"".join(
        record(i + 1, at, at, kind=2, part=part, loop=loop)
        for i, (loop, part, at) in enumerate(marks)
    )
    table = executions(log_of(tmp_path, content).events())
    assert table.select("section", "ns").rows() == [
        ("session 0→1", 10),
        ("session 1→2", 20),
        ("session 0→1", 15),
    ]


def test_exports_hold_the_same_events(tmp_path: Path) -> None:
    content = header(FAULTS, [(1, "callback")], offset=10**18)
    content += record(1, 1000, 3500, loop=2, value=77, counted=1, counters=[6])
    content += record(2, 4000, 4000, kind=2, part=3)
    log = log_of(tmp_path, content)
    for form in ("parquet", "setlevel", "perfetto"):
        export([log], form, tmp_path / form)
    assert pl.read_parquet(tmp_path / "parquet").equals(log.events())
    (performance,) = read_performance_logs(tmp_path / "setlevel")
    assert performance.model == "p-7-8"
    assert performance.events.select("event", "time_ns", "size").rows() == [
        ("Start callback", 1000, 77),
        ("Stop callback", 3500, 77),
        ("callback 3", 4000, 0),
    ]
    slices = json.loads((tmp_path / "perfetto").read_text())["traceEvents"][2:]
    assert slices[0]["dur"] == 2.5
    assert slices[0]["args"] == {"loop": 2, "value": 77, "minor-faults": 6}
    assert (slices[1]["ph"], slices[1]["name"]) == ("i", "callback 3")


def test_a_trace_nests_as_the_trace_event_format_asks(tmp_path: Path) -> None:
    """Slices of a track are in the order of their begin, the outer before the inner.

    They never overlap in part; times are microseconds."""
    content = header(names=[(1, "outer"), (2, "inner"), (3, "empty")])
    content += record(1, 1000, 1000, section=3, parent=2, depth=2)
    content += record(2, 1000, 1500, section=2, parent=1, depth=1)
    content += record(3, 1700, 2001, section=2, parent=1, depth=1)
    content += record(4, 1000, 2001, section=1)
    content += record(5, 1800, 1800, kind=2, depth=1)
    content += record(6, 5000, 5001, section=1)
    export([log_of(tmp_path, content)], "perfetto", tmp_path / "trace.json")
    document = json.loads((tmp_path / "trace.json").read_text())
    assert document["displayTimeUnit"] == "ns"
    names, slices = document["traceEvents"][:2], document["traceEvents"][2:]
    assert [name["name"] for name in names] == ["process_name", "thread_name"]
    assert all(name["ph"] == "M" and {"pid", "tid", "args"} <= set(name) for name in names)
    assert [
        (slice_event["name"], slice_event["ts"], slice_event.get("dur")) for slice_event in slices
    ] == [
        ("outer", 1.0, 1.001),
        ("inner", 1.0, 0.5),
        ("empty", 1.0, 0.0),
        ("inner", 1.7, 0.301),
        ("outer 0", 1.8, None),
        ("outer", 5.0, 0.001),
    ]
    open_ends: list[int] = []
    for slice_event in slices:
        begin = round(slice_event["ts"] * 1000)
        if slice_event["ph"] == "i":
            assert slice_event["s"] == "t"
            continue
        assert slice_event["ph"] == "X"
        while open_ends and open_ends[-1] <= begin:
            open_ends.pop()
        open_ends.append(begin + round(slice_event["dur"] * 1000))
        assert open_ends == sorted(open_ends, reverse=True)


FULL = """
import resource, sys
from pathlib import Path
from wirecost.system.errors import UserError
from wirecost.results.records.probe_export import FORMATS, export
from wirecost.results.records.probe_log import read_logs
logs = read_logs([Path({log!r})])
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    export(logs, {form!r}, Path({out!r}))
except UserError as error:
    print(error)
"""


@pytest.mark.parametrize("form", FORMATS)
def test_a_full_disk_is_reported_in_one_line(
    tmp_path: Path, form: str, snapshot: SnapshotAssertion
) -> None:
    """A limit of the process stands for the disk: the same calls fail."""
    log, out = tmp_path / "a.wprobe", tmp_path / "out"
    text = record(9, kind=4, parent=1, part=0, counters=())
    log.write_bytes(
        header([("cycles", 1)], [(1, "work")])
        + b"".join(record(n, 100 * n, 100 * n + 9) for n in range(1, 9))
        + text
    )
    code = FULL.format(log=str(log), form=form, out=str(out))
    done = execute([sys.executable, "-c", code], check=True)
    assert done.stdout == snapshot
    assert [path.name for path in tmp_path.iterdir()] == ["a.wprobe"]


def test_a_failed_export_leaves_nothing(tmp_path: Path) -> None:
    log = log_of(tmp_path, header() + record(1, 1, 2))
    with pytest.raises(UserError, match="there are parquet, setlevel, perfetto"):
        export([log], "csv", tmp_path / "out")
    with pytest.raises(UserError, match="name a file that can be written"):
        export([log], "parquet", tmp_path / "no" / "out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wprobe"]
