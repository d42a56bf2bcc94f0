# SPDX-License-Identifier: Apache-2.0
"""Traces of ROS 2 by LTTng.

The events are those that babeltrace2 reads; tested are what becomes of them, and hostile ones."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tracemalloc
from collections import defaultdict
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from support import ctf_traces
from support.answers import show_logs
from support.ctf_traces import AT_NS, EPOCH_NS, EVERY_NS, Event, Form, cycles, node_events
from support.programs import execute
from wirecost.results.analysis.chains.hops import hops_of
from wirecost.results.analysis.chains.walk import chains_between
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records import recorded
from wirecost.results.records.ctf.ros2_trace import read_traces
from wirecost.results.records.probe_log import EVENTS, ProbeLog, events_of
from wirecost.results.records.recorded import event_tables, read_recorded
from wirecost.system.errors import UserError

REAL = Path(__file__).parents[2] / "data" / "lttng"
FORMS = [
    Form(),
    Form(compact=True),
    Form(order=">", program=False),
    Form(compact=True, order=">", in_packets=False),
    Form(program=False, in_packets=False),
]
LINE = re.compile(
    r"^\[(\d+)\.(\d{9})\] .*ros2:(\w+): .*vpid = (\d+), vtid = (\d+).*\}, \{ (?:callback = (\w+))?"
)
CALLBACK = "Node::on_message(int)"


def two_nodes(count: int = 40) -> list[Event]:
    """Two processes, whose handles are the same, on processors of their own."""
    return ctf_traces.in_order(
        [
            *node_events(7, "a"),
            *node_events(8, "b", cpu=1, time_ns=1500),
            *cycles(7, count),
            *cycles(8, count, cpu=1, first_ns=1_030_000),
        ]
    )


def by_babeltrace(folder: Path) -> list[tuple[int, str, int, str]]:
    """Time since 1970, name, thread and callback of each event."""
    if shutil.which("babeltrace2") is None:
        pytest.skip("babeltrace2 is not installed")
    command = ["babeltrace2", "--clock-seconds", "--no-delta", str(folder)]
    done = execute(command, check=True, timeout=60)
    matches = [LINE.match(line) for line in done.stdout.splitlines()]
    return [
        (int(match[1]) * 10**9 + int(match[2]), match[3], int(match[5]), match[6] or "")
        for match in matches
        if match is not None
    ]


def callbacks_of(events: list[tuple[int, str, int, str]]) -> list[tuple[int, int, int]]:
    """Thread, begin and end since 1970, of callbacks."""
    open_: dict[tuple[int, str], int] = {}
    executed = []
    for time, name, thread, callback in events:
        if name == "callback_start":
            open_[thread, callback] = time
        if name == "callback_end":
            executed.append((thread, open_.pop((thread, callback)), time))
    return sorted(executed)


def recorded_callbacks(events: pl.DataFrame, ending: str) -> list[tuple[int, int, int]]:
    end = pl.col("wall_ns") + pl.col("end_ns") - pl.col("begin_ns")
    ends = events.filter(pl.col("section").str.ends_with(ending))
    return sorted(ends.select("thread", "wall_ns", end.alias("end")).rows())


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_events_are_those_that_babeltrace_reads(form: Form, tmp_path: Path) -> None:
    events = two_nodes()
    ctf_traces.write_trace(tmp_path, events, form)
    independent = by_babeltrace(tmp_path)
    written = [(EPOCH_NS + event.time_ns, event.name, event.thread) for event in events]
    assert sorted(event[:3] for event in independent) == sorted(written)
    logs = read_recorded([tmp_path])
    assert recorded_callbacks(events_of(logs), CALLBACK) == callbacks_of(independent)


def test_a_trace_becomes_sections_by_node_topic_and_callback(tmp_path: Path) -> None:
    ctf_traces.write_trace(tmp_path / "ust" / "uid", two_nodes(3))
    logs = read_recorded([tmp_path])
    assert [(log.process, log.thread, log.program) for log in logs] == [
        (7, 7, "node"),
        (8, 8, "node"),
    ]
    events = logs[0].events()
    assert events.schema == EVENTS
    begin = 1_000_000 + EVERY_NS
    taken_at, idle = begin + AT_NS[4], begin + AT_NS[1]
    message = EPOCH_NS + taken_at - 1_000_000
    expected = {
        "/a executor idle": (idle, begin + AT_NS[2], None, None, "span"),
        f"/a /a/in {CALLBACK}": (begin + AT_NS[7], begin + AT_NS[11], None, None, "section"),
        "/a /a/in take→callback": (taken_at, begin + AT_NS[7], None, message, "span"),
        "/a /a/in publish→take": (taken_at - 1_000_000, taken_at, None, message, "span"),
        "/a publish /a/out": (
            begin + AT_NS[8],
            begin + AT_NS[10],
            f"/a /a/in {CALLBACK}",
            EPOCH_NS + begin + AT_NS[9],
            "span",
        ),
    }
    columns = ["section", "begin_ns", "end_ns", "parent", "message", "kind"]
    by_section = {row[0]: row[1:] for row in events.filter(loop=1).select(columns).rows()}
    assert by_section == expected
    assert events["wall_ns"][0] == EPOCH_NS + events["begin_ns"][0]


def test_messages_within_a_process_wait_in_their_buffer(tmp_path: Path) -> None:
    """Two come in, and both are taken by the thread of the executor."""
    happening: list[tuple[int, int, str, tuple[int, ...]]] = [
        (100, 9, "rclcpp_intra_publish", (4, 6)),
        (110, 9, "rclcpp_ring_buffer_enqueue", (50, 0, 1, 0)),
        (200, 9, "rclcpp_ring_buffer_enqueue", (50, 1, 2, 0)),
        (300, 7, "rclcpp_ring_buffer_dequeue", (50, 0, 1)),
        (320, 7, "callback_start", (3, 1)),
        (400, 7, "callback_end", (3,)),
        (500, 7, "rclcpp_ring_buffer_dequeue", (50, 1, 0)),
        (510, 7, "callback_start", (3, 1)),
        (600, 7, "callback_end", (3,)),
        (700, 7, "callback_start", (3, 1)),
        (800, 7, "callback_end", (3,)),
    ]
    events = [Event(10**6 + t, 7, thread, name, values) for t, thread, name, values in happening]
    ctf_traces.write_trace(tmp_path, [*node_events(7, "a"), *events])
    table = executions(events_of(read_recorded([tmp_path])))
    assert table.filter(section="/a /a/in queued→callback")["ns"].to_list() == [210, 310]
    assert table.filter(section=f"/a /a/in {CALLBACK}")["ns"].to_list() == [80, 90, 100]
    assert table.filter(section="/a publish /a/out").height == 1


def test_a_callback_that_ends_by_an_exception_is_given_up(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    happening = [
        (100, "callback_start", (3, 0)),
        (200, "callback_start", (3, 0)),
        (250, "callback_end", (3,)),
    ]
    events = [Event(10**6 + t, 7, 7, name, values) for t, name, values in happening]
    ctf_traces.write_trace(tmp_path, [*node_events(7, "a"), *events])
    (log,) = read_recorded([tmp_path])
    (row,) = executions(log.events()).select("ns", "depth").rows()
    assert row == (50, 0)
    assert list(log.lacks) == snapshot


def test_a_chain_goes_from_node_to_node(tmp_path: Path) -> None:
    """A message that one node publishes in its callback and another takes has one identity."""
    born = [
        Event(
            event.time_ns,
            8,
            8,
            event.name,
            tuple("/a/out" if v == "/b/in" else v for v in event.values),
        )
        for event in node_events(8, "b")
    ]
    taken_at = [
        Event(
            event.time_ns + 150_000,
            8,
            8,
            event.name,
            (20, 5, EPOCH_NS + event.time_ns - AT_NS[4] + AT_NS[9], 1)
            if event.name == "rmw_take"
            else event.values,
        )
        for event in cycles(8, 5)
    ]
    events = ctf_traces.in_order([*node_events(7, "a"), *born, *cycles(7, 5), *taken_at])
    ctf_traces.write_trace(tmp_path, events)
    hops = hops_of(events_of(read_recorded([tmp_path])))
    chains = chains_between(hops, "/a/in", "/b/out").chains
    assert len(chains) == 5


def test_the_command_shows_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    show_logs([REAL / "trace"], 250e3, Path("-"))
    document = json.loads(capsys.readouterr().out)
    by_name = {section["section"]: section for section in document["sections"]}
    callback = by_name["/robot/listener /chatter example::on_message(int)"]
    assert (callback["count"], callback["deadline_misses"]) == (20, 8)
    assert [log["program"] for log in document["logs"]] == ["ros2_jazzy", "ros2_jazzy"]
    assert sum(log["records"] for log in document["logs"]) == 144


@pytest.mark.parametrize(("at_once", "tables_of_trace"), [(1, 10), (80, 5), (1 << 20, 1)])
def test_tables_hold_each_section_once(
    at_once: int, tables_of_trace: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table ends before it has more records than are looked at at once."""
    monkeypatch.setattr(recorded, "AT_ONCE", at_once)
    ctf_traces.write_trace(tmp_path, two_nodes())
    logs = read_recorded([tmp_path])
    tables = list(event_tables(logs))
    assert len(tables) == tables_of_trace
    names = [name for table in tables for name in table["section"].unique()]
    assert sorted(names) == sorted(set(names))
    assert all(len(table) <= max(at_once, 40) for table in tables)
    key = ["process", "section", "begin_ns"]
    assert pl.concat(tables).sort(key).equals(events_of(logs).sort(key))


@pytest.mark.parametrize("number", [-1, 6, 1 << 62])
def test_rows_of_a_section_that_is_not_there_are_refused(number: int, tmp_path: Path) -> None:
    ctf_traces.write_trace(tmp_path, [*node_events(7, "a"), *cycles(7, 1)])
    (trace,) = read_traces(tmp_path)
    assert len(trace.sections) == 6
    with pytest.raises(ValueError, match="no section of this number"):
        trace.rows([0, number])


def test_a_trace_in_which_no_callback_ended_is_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ctf_traces.write_trace(tmp_path / "trace", node_events(7, "a"))
    show_logs([tmp_path / "trace"], None, Path("-"), tmp_path / "report.html")
    assert json.loads(capsys.readouterr().out)["sections"] == []
    assert (tmp_path / "report.html").stat().st_size > 0
    command = ["wirecost", "probe", "chain", str(tmp_path / "trace"), "--from", "/a", "--to", "/b"]
    done = execute([sys.executable, "-m", *command], timeout=60)
    assert done.returncode == 2
    assert "recorded topics: none" in done.stderr


def test_a_real_trace_agrees_with_the_program_and_babeltrace() -> None:
    """Each callback began and ended between two readings of the clock by the program itself."""
    events = events_of(read_recorded([REAL / "trace"]))
    assert recorded_callbacks(events, "example::on_message(int)") == [
        execution
        for execution in callbacks_of(by_babeltrace(REAL / "trace"))
        if execution[2] - execution[1] >= 100_000
    ]
    words = [line.split() for line in (REAL / "program.txt").read_text().splitlines()]
    measured = [tuple(map(int, line[1:])) for line in words if line[0] == "callback"]
    rows = executions(events).filter(section="/robot/listener /chatter example::on_message(int)")
    recorded = rows.select("begin_ns", "end_ns").rows()
    assert len(measured) == len(recorded) == 20
    for (before, begin, end, after), (recorded_begin, recorded_end) in zip(
        measured, recorded, strict=True
    ):
        assert before <= recorded_begin <= begin
        assert end <= recorded_end <= after
    counts: dict[str, int] = defaultdict(int)
    for name in events["section"]:
        counts[name] += 1
    of = {name.rpartition(" ")[2]: count for name, count in counts.items()}
    assert (of["example::Timer"], of["int)"]) == (20, 4)
    published = events.filter(section="/talker publish /chatter")["message"].to_list()
    assert published == (
        events.filter(section="/robot/listener /chatter take→callback")["message"].to_list()
    )


def test_losses_are_reported(tmp_path: Path) -> None:
    ctf_traces.write_trace(tmp_path, two_nodes(), discarded=17)
    channel = tmp_path / "channel_0"
    channel.write_bytes(channel.read_bytes()[:-3000])
    (log, _) = read_recorded([tmp_path])
    assert any(text.startswith("34 events") for text in log.lacks)
    assert any("cut off" in text for text in log.lacks)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (b"/* CTF 1.8 */", b"nothing of it", "no CTF 1.8 metadata"),
        (b"minor = 8", b"minor = 9", "CTF 1.9"),
        (b"trace {", b"trace ?", "no TSDL"),
        (b"_vtid", b"_vtie", "lack vtid; record with lttng add-context"),
        (b"variant <id>", b"variant <ie>", "no field of this name"),
        (b"size = 64; align = 8", b"size = 65; align = 8", "an integer of 65 bits"),
        (b"size = 64; align = 8", b"size = 64; align = 7", "an alignment of 7 bits"),
        (b"ros2:", b"ros3:", "without events of ROS 2"),
        (b"uint32_t magic", b"uint32_x magic", "no type 'uint32_x magic"),
    ],
)
def test_other_metadata_is_refused_in_a_line(
    old: bytes, new: bytes, problem: str, tmp_path: Path
) -> None:
    ctf_traces.write_trace(tmp_path, two_nodes(1), Form(in_packets=False))
    text = (tmp_path / "metadata").read_bytes()
    assert old in text
    (tmp_path / "metadata").write_bytes(text.replace(old, new))
    with pytest.raises(UserError, match=re.escape(problem)) as refused:
        read_recorded([tmp_path])
    assert str(tmp_path) in str(refused.value)
    assert "\n" not in str(refused.value)


INTEGER = "integer { size = 8; } a"


def doubling(levels: int) -> str:
    """Structs of nothing, of which the last holds the first 2^levels times."""
    return "struct s0 { };" + "".join(
        f"struct s{i + 1} {{ struct s{i} a; struct s{i} b; }};" for i in range(levels)
    )


def chain(kind: str) -> str:
    return f"{kind} s0 {{ {INTEGER}; }};" + "".join(
        f"{kind} s{i + 1} {{ {kind} s{i} a; }};" for i in range(1500)
    )


def declare(folder: Path, declared: str, fields: str) -> None:
    """In the metadata of a trace; each event has the fields before its own."""
    ctf_traces.write_trace(folder, two_nodes(1), Form(in_packets=False))
    text = (folder / "metadata").read_text().replace("trace {", declared + "trace {", 1)
    changed = text.replace("fields := struct {", "fields := struct {" + fields)
    assert changed != (folder / "metadata").read_text()
    (folder / "metadata").write_text(changed)


@pytest.mark.parametrize(
    ("declared", "fields", "problem"),
    [
        (doubling(22), "struct s22 a;", "too many fields"),
        (chain("struct"), "struct s1500 a;", "nest too deep"),
        (chain("variant"), "variant s1500 <id> a;", "nest too deep"),
        ("", INTEGER + "[2]" * 1500 + ";", "nest too deep"),
        (doubling(18), "struct s18 nothing;", "too many fields"),
        ("enum e : integer { size = 8; } { " + "x = 1, " * 2000 + "};",
         "enum e e; variant <e> { " + (INTEGER.replace(" a", " x") + ";") * 2000 + " } v;",
         "too many options"),
        ("struct s { " + "word " * 400_000 + "; };", "", "no type 'word word"),
        ("typealias integer { size = 8; } := " + "word " * 20 + ";", "", "more than 16 words"),
    ],
    ids=["doubling", "structs", "variants", "arrays", "in many events", "options", "words",
         "words of an alias"],
)  # fmt: skip
def test_types_that_grow_out_of_little_text_are_refused(
    declared: str, fields: str, problem: str, tmp_path: Path
) -> None:
    declare(tmp_path, declared, fields)
    with pytest.raises(UserError, match=problem):
        read_recorded([tmp_path])


def test_folders_and_files_that_hold_no_trace_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="neither a probe log"):
        read_recorded([tmp_path])
    ctf_traces.write_trace(tmp_path, two_nodes(1))
    for stream in tmp_path.glob("channel_*"):
        stream.write_bytes(b"PAR1" * 1000)
    with pytest.raises(UserError, match="channel_0: no packet at byte 0"):
        read_recorded([tmp_path])


def test_a_session_in_two_folders_is_one(tmp_path: Path) -> None:
    """Whatever the layout of each is; what was recorded of the nodes' beginning names the rest."""
    whole, split = tmp_path / "whole", tmp_path / "split"
    beginning, rest = node_events(7, "a"), cycles(7, 10)
    ctf_traces.write_trace(whole, [*beginning, *rest])
    ctf_traces.write_trace(split / "runtime", rest, Form(compact=True))
    (alone,) = read_recorded([split])
    assert any("have no name" in lack or "has no name" in lack for lack in alone.lacks)
    ctf_traces.write_trace(split / "snapshot", beginning, Form(in_packets=False))
    expected, joined = read_recorded([whole]), read_recorded([split])
    assert executed_in(joined) == executed_in(expected)
    assert joined[0].lacks == ()


def executed_in(logs: list[ProbeLog]) -> list[tuple[str, int, int]]:
    return executions(events_of(logs)).select("section", "begin_ns", "end_ns").rows()


def test_files_beside_the_streams_do_no_harm(tmp_path: Path) -> None:
    ctf_traces.write_trace(tmp_path, two_nodes(3))
    expected = executed_in(read_recorded([tmp_path]))
    (tmp_path / "notes.txt").write_text("first run\n")
    logs = read_recorded([tmp_path])
    assert executed_in(logs) == expected
    assert logs[0].lacks == ("1 file next to the streams left out: notes.txt",)


@pytest.mark.parametrize("tail", [bytes(5000), b"\xff" * 5000], ids=["zeros", "other bytes"])
def test_what_a_crash_left_behind_the_last_packet_is_reported(tmp_path: Path, tail: bytes) -> None:
    ctf_traces.write_trace(tmp_path, two_nodes(3))
    expected = executed_in(read_recorded([tmp_path]))
    with (tmp_path / "channel_0").open("ab") as stream:
        stream.write(tail)
    logs = read_recorded([tmp_path])
    assert executed_in(logs) == expected
    assert logs[0].lacks == ("1 files are cut off",)


def test_a_long_text_takes_little_memory(tmp_path: Path) -> None:
    ctf_traces.write_trace(tmp_path, two_nodes(1), Form(in_packets=False))
    text = 'env { a = "' + "x" * 2_000_000 + '"; };\n'
    with (tmp_path / "metadata").open("a") as metadata:
        metadata.write(text)
    tracemalloc.start()
    try:
        read_recorded([tmp_path])
        assert tracemalloc.get_traced_memory()[1] < 10 * len(text)
    finally:
        tracemalloc.stop()


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(FORMS))
    ctf_traces.write_trace(tmp_path, two_nodes(2), form, packet_events=7)
    path = tmp_path / data.draw(st.sampled_from(["metadata", "channel_0"]))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        logs = read_recorded([tmp_path])
    except UserError as refused:
        assert "\n" not in str(refused)
        return
    assert len(events_of(logs)) <= 200 if logs else True
