# SPDX-License-Identifier: Apache-2.0
"""Series in MCAP, read back by MCAP's and Protobuf's own libraries."""

from __future__ import annotations

import re
import shutil
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest
from google.protobuf import descriptor_pb2
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import NonSeekingReader, make_reader
from mcap_protobuf.decoder import DecoderFactory
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.probe_logs import HEADER, header, record
from support.programs import execute
from support.result_folders import DATA
from support.tensor_folders import tensor_folder
from support.transport_folders import Made, transport_folder
from wirecost.cli import app
from wirecost.results.records.probe_log import ProbeLog, read_log, read_logs
from wirecost.results.records.reading import read_results
from wirecost.results.report.series import mcap_file, write_folder, write_logs
from wirecost.results.report.series.mcap_file import Written
from wirecost.results.report.series.names import (
    Distinct,
    field_name,
    section_levels,
    spelling,
    topic,
)
from wirecost.system.errors import UserError

FAULTS = [("minor-faults", 1), ("context-switches", 1), ("instructions", 0)]
EPOCH = 10**18
PLAIN_TOPIC = re.compile(r"/wirecost(/[0-9A-Za-z_-]+)+")
"""What Foxglove's message paths take without quotes."""


class Read(NamedTuple):
    topic: str
    schema: str
    time: int
    fields: dict[str, float]
    about: dict[str, str]


def read(path: Path) -> list[Read]:
    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        return [
            Read(channel.topic, schema.name if schema else "", message.log_time,
                 {field.name: x for field, x in decoded.ListFields()}, channel.metadata)
            for schema, channel, message, decoded in reader.iter_decoded_messages()
        ]  # fmt: skip


def log_of(path: Path, content: bytes) -> ProbeLog:
    path.write_bytes(content)
    return read_log(path)


def test_a_callback_is_a_topic_and_its_numbers_are_fields(tmp_path: Path) -> None:
    content = header(
        FAULTS, [(1, "/node /in callback(int)"), (2, "/node /in queue wait")], offset=EPOCH
    )
    content += record(1, 1000, 3500, loop=2, value=77, counted=3, counters=[6, 1])
    content += record(2, 4000, 4000, kind=5, section=2)
    content += record(3, 5000, 9000, counted=1, counters=[0])
    log = log_of(tmp_path / "a.wprobe", content)
    assert write_logs([log], tmp_path / "out.mcap") == Written(3, 2)
    first, wait, second = read(tmp_path / "out.mcap")
    assert first == Read(
        "/wirecost/node/in_callback_int", "wirecost.Execution", EPOCH + 1000,
        {"turnaround_us": 2.5, "loop": 2, "value": 77, "minor_faults": 6, "context_switches": 1},
        {"section": "/node /in callback(int)", "program": "p", "process": "7"},
    )  # fmt: skip
    assert wait[:3] == ("/wirecost/node/in_queue_wait", "wirecost.Span", EPOCH + 4000)
    assert wait.fields == {"duration_us": 0}
    # A counter of 0 is there, one without a value is not.
    assert second.fields == {
        "turnaround_us": 4, "period_us": 4, "loop": 0, "value": 0, "minor_faults": 0,
    }  # fmt: skip


def test_the_schema_explains_each_field(tmp_path: Path) -> None:
    log = log_of(tmp_path / "a.wprobe", header(FAULTS) + record(1, 1, 2))
    write_logs([log], tmp_path / "out.mcap")
    with (tmp_path / "out.mcap").open("rb") as file:
        summary = make_reader(file).get_summary()
    assert summary is not None
    (schema,) = summary.schemas.values()
    assert (schema.name, schema.encoding) == ("wirecost.Execution", "protobuf")
    (one,) = descriptor_pb2.FileDescriptorSet.FromString(schema.data).file
    (message,) = one.message_type
    assert f"{one.package}.{message.name}" == schema.name
    comments = {tuple(at.path): at.leading_comments for at in one.source_code_info.location}
    texts = {field.name: comments[4, 0, 2, i] for i, field in enumerate(message.field)}
    assert list(texts) == [
        "turnaround_us", "period_us", "loop", "value", "minor_faults", "context_switches",
    ]  # fmt: skip
    assert texts["turnaround_us"].startswith("Microseconds")
    assert texts["minor_faults"].startswith("Counter minor-faults")
    assert {field.type for field in message.field} == {message.field[0].TYPE_DOUBLE}
    assert all(field.proto3_optional for field in message.field)


def test_threads_are_merged_in_the_order_of_time(tmp_path: Path) -> None:
    for thread in range(3):
        rows = b"".join(
            record(i + 1, 10_000 * (3 * i + thread), 10_000 * (3 * i + thread) + 500 + i)
            for i in range(12_000)
        )
        names = [(1, "callback")]
        content = header(names=names, thread=thread, offset=EPOCH, capacity=1 << 20) + rows
        (tmp_path / f"{thread}.wprobe").write_bytes(content)
    logs = read_logs([tmp_path])
    assert write_logs(logs, tmp_path / "out.mcap") == Written(36_000, 1)
    with (tmp_path / "out.mcap").open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        summary = reader.get_summary()
        assert summary is not None
        assert summary.statistics is not None
        assert summary.statistics.message_count == 36_000
        chunks = summary.chunk_indexes
        assert len(chunks) > 1
        assert {chunk.compression for chunk in chunks} == {"zstd"}
        for before, after in pairwise(chunks):
            assert before.message_end_time < after.message_start_time
        middle = EPOCH + 10_000 * 18_000
        messages = list(
            reader.iter_decoded_messages(starting_at=middle, ending_before=middle + 25_000)
        )
    assert [message[2].log_time - middle for message in messages] == [0, 10_000, 20_000]
    assert [message[3].period_us for message in messages] == [10, 10, 10]
    assert [message[3].turnaround_us for message in messages] == [6.5] * 3
    with (tmp_path / "out.mcap").open("rb") as file:  # from front to back, without the index
        times = [message[2].log_time for message in NonSeekingReader(file).iter_messages()]
    assert times == list(range(EPOCH, EPOCH + 360_000_000, 10_000))


def test_processes_of_one_program_are_distinguished(tmp_path: Path) -> None:
    for process in (7, 9):
        content = header(names=[(1, "work")], process=process, offset=EPOCH) + record(1, 1, 2)
        (tmp_path / f"{process}.wprobe").write_bytes(content)
    write_logs(read_logs([tmp_path]), tmp_path / "out.mcap")
    assert [message.topic for message in read(tmp_path / "out.mcap")] == [
        "/wirecost/p-7/work", "/wirecost/p-9/work",
    ]  # fmt: skip


def test_marks_are_the_times_between_them(tmp_path: Path) -> None:
    marks = [record(i + 1, at, at, kind=2, part=i) for i, at in enumerate((0, 1000, 4000))]
    content = header(names=[(1, "session")], offset=EPOCH) + b"".join(marks)
    write_logs([log_of(tmp_path / "a.wprobe", content)], tmp_path / "out.mcap")
    assert [
        (message.topic, message.schema, message.fields) for message in read(tmp_path / "out.mcap")
    ] == [
        ("/wirecost/p/session_0_1", "wirecost.Span", {"duration_us": 1}),
        ("/wirecost/p/session_1_2", "wirecost.Span", {"duration_us": 3}),
    ]


HOSTILE = ("", "..", "/", "/a/../b", "a.b[0]{x}", "\u202e\x1b[31m", "名前", "<script>", "a" * 55)


def test_hostile_names_become_plain_topics_and_fields(tmp_path: Path) -> None:
    counters = [(name, 1) for name in ("A-b", "a_b", "ab", "turnaround_us", "9", "名", "class", "")]
    content = header(counters, list(enumerate(HOSTILE)), offset=EPOCH)
    rows = [record(i + 1, i, i + 1, section=i, counted=255) for i in range(len(HOSTILE))]
    log = log_of(tmp_path / "a.wprobe", content + b"".join(rows))
    write_logs([log], tmp_path / "out.mcap")
    messages = read(tmp_path / "out.mcap")
    topics = [message.topic for message in messages]
    assert len(set(topics)) == len(HOSTILE)
    assert all(PLAIN_TOPIC.fullmatch(name) for name in topics)
    assert [message.about["section"] for message in messages] == log.events()["section"].to_list()
    fields = list(messages[0].fields)
    assert len(fields) == len(set(map(spelling, fields))) == len(counters) + 1
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in fields)


def test_names() -> None:
    ros = section_levels("program", "/ns/node service /robot/add pkg::on(int)")
    assert topic("run_1", *ros) == "/wirecost/run_1/ns/node/service_robot_add_pkg_on_int"
    assert section_levels("program", "/alone") == ("program", " alone")
    assert section_levels("program", "filter/ground") == ("program", "filter ground")
    assert topic("x" * 10_000, "") == "/wirecost/" + "x" * 120 + "/unnamed"
    assert field_name("run-queue-wait-ns") == "run_queue_wait_ns"
    distinct = Distinct(spelling)
    assert [distinct.name(name) for name in ("a_b", "ab", "ab", "a_b")] == [
        "a_b",
        "ab_2",
        "ab_3",
        "a_b_4",
    ]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_any_log_is_written_whole_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(header(FAULTS, [(1, "a")]) + record(1, 1, 2) + record(2, 1, 2, kind=2))
    spots = st.one_of(st.integers(0, 120), st.integers(500, 660), st.integers(HEADER, HEADER + 255))
    for at in data.draw(st.lists(spots, max_size=12)):
        content[at] = data.draw(st.integers(0, 255))
    out = tmp_path / "out.mcap"
    out.unlink(missing_ok=True)
    try:
        written = write_logs([log_of(tmp_path / "a.wprobe", bytes(content))], out)
    except UserError as error:
        assert "\n" not in str(error)
        assert not out.exists()
    else:
        assert len(read(out)) == written.messages


def test_what_mcap_cannot_hold_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    early = log_of(tmp_path / "a.wprobe", header(offset=-5) + record(1, 1, 2))
    with pytest.raises(UserError, match=r"out\.mcap: a time is before 1970"):
        write_logs([early], tmp_path / "out.mcap")
    monkeypatch.setattr(mcap_file, "MOST_CHANNELS", 2)
    rows = b"".join(record(i + 1, 1, 2, section=i) for i in range(3))
    with pytest.raises(UserError, match="more than 2 series"):
        write_logs([log_of(tmp_path / "a.wprobe", header() + rows)], tmp_path / "out.mcap")
    assert [path.name for path in tmp_path.iterdir()] == ["a.wprobe"]


FULL = """
import resource, sys
from pathlib import Path
from wirecost.cli import app
from wirecost.system.errors import UserError
from wirecost.results.records.probe_log import read_logs
from wirecost.results.report.series import write_logs
logs = read_logs([Path(sys.argv[1])])
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_logs(logs, Path(sys.argv[2]))
except UserError as error:
    print(error)
"""


def test_a_full_disk_is_reported_in_one_line(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    """A limit of the process stands for the disk: the same calls fail."""
    log, out = tmp_path / "a.wprobe", tmp_path / "out.mcap"
    log.write_bytes(header() + b"".join(record(i + 1, i, i + 9) for i in range(200)))
    code = [sys.executable, "-c", FULL, str(log), str(out)]
    done = execute(code, check=True)
    assert done.stdout == snapshot
    assert [path.name for path in tmp_path.iterdir()] == ["a.wprobe"]


def test_a_replay_has_callbacks_inputs_and_outputs_on_one_clock(tmp_path: Path) -> None:
    folder = tmp_path / "replay"
    shutil.copytree(DATA / "replay", folder)
    sent = pl.read_parquet(folder / "inputs.parquet").filter(repetition=1)
    came = pl.read_parquet(folder / "outputs.parquet").filter(repetition=1)
    begin = int(sent["before_ns"][3])
    logs = folder / "probe" / "run-1"
    logs.mkdir(parents=True)
    content = header(FAULTS, [(1, "/node /in on")], offset=EPOCH, process=40)
    (logs / "a.wprobe").write_bytes(content + record(1, begin, begin + 7000, counted=1))
    written = write_folder(read_results(folder), folder / "report.mcap")
    messages = read(folder / "report.mcap")
    assert written.messages == len(messages) == 161
    assert {message.topic for message in messages} == {
        "/wirecost/run_1/node/in_on",
        *(f"/wirecost/run_{run}/{part}" for run in (1, 2) for part in ("inputs/in", "outputs/out")),
    }
    (callback,) = [message for message in messages if message.schema == "wirecost.Execution"]
    assert (callback.time, callback.fields["turnaround_us"]) == (EPOCH + begin, 7)
    inputs = [message for message in messages if message.topic == "/wirecost/run_1/inputs/in"]
    assert [message.time for message in inputs] == (sent["before_ns"] + EPOCH).to_list()
    late = (sent["before_ns"] - sent["due_ns"]) / 1e3
    assert [message.fields["lateness_us"] for message in inputs] == pytest.approx(late.to_list())
    outputs = [message for message in messages if message.topic == "/wirecost/run_1/outputs/out"]
    assert [message.time for message in outputs] == (came["received_ns"] + EPOCH).to_list()
    assert [message.fields["latency_us"] for message in outputs] == (
        came["latency_ns"] / 1e3
    ).to_list()


def test_an_older_replay_without_logs_begins_when_its_folder_was_created(tmp_path: Path) -> None:
    written = write_folder(read_results(DATA / "replay-without-inputs"), tmp_path / "out.mcap")
    messages = read(tmp_path / "out.mcap")
    assert (written.messages, written.topics) == (80, 2)
    assert messages[0].time == 1795339412 * 10**9  # 2026-11-22T09:23:32+00:00
    assert [message.time for message in messages] == sorted(message.time for message in messages)


def test_deliveries_of_tensors_are_spaced_by_their_rate(tmp_path: Path) -> None:
    results = tensor_folder(tmp_path / "run", middlewares=("zeromq", "in-process"), n=5)
    write_folder(results, tmp_path / "out.mcap")
    messages = read(tmp_path / "out.mcap")
    # In a tight loop there is no rate, so no time.
    assert {message.topic for message in messages} == {"/wirecost/zeromq/numpy/200x200_float64"}
    begin = 1767225600 * 10**9  # 2026-01-01
    assert [message.time for message in messages] == [begin + i * 10**7 for i in range(5)]
    of_zeromq = results.samples.filter(contender="zeromq").sort("repetition")
    for stage in ("lateness", "transit", "total"):
        expected = (of_zeromq.filter(stage=stage)["ns"] / 1e3).to_list()
        assert [message.fields[f"{stage}_us"] for message in messages] == pytest.approx(expected)
    assert messages[0].about["rate_hz"] == "100.0"
    assert messages[0].about["contender"] == "zeromq"


def test_each_subscriber_of_a_transport_is_a_topic(tmp_path: Path) -> None:
    results = transport_folder(tmp_path / "run", {"mqtt": Made()}, cases=[("loopback", 2, 100)])
    written = write_folder(results, tmp_path / "out.mcap")
    messages = read(tmp_path / "out.mcap")
    first, other = sorted({message.topic for message in messages})
    assert first.endswith("/subscriber_0") and other == first[:-1] + "1"
    assert written.messages == 2 * 1001
    for message in (first, other):
        of_topic = [x for x in messages if x.topic == message]
        assert np.diff([x.time for x in of_topic]).tolist() == [10**6] * 1000
        assert {"lateness_us", "publish_us", "total_us", "bytes"} == set(of_topic[0].fields)


def fault(**changed: Any) -> dict[str, Any]:
    named = {"mware": "mqtt", "client": "python", "settings": "default", "network": "loopback"}
    return {"fault": "publisher killed", **named, "timeline": []} | changed


def test_a_fault_is_drawn_around_the_time_it_happened(tmp_path: Path) -> None:
    strange = [[9], [None, 1, 0], [10**400, 1, 0], [0, 10**30, 1]]
    timeline = [[-1000, 5000, 0], [2000, None, 0], [3000, 7000, 2], *strange]
    results = transport_folder(
        tmp_path / "run", {"mqtt": Made()}, faults=[fault(timeline=timeline), fault()]
    )
    write_folder(results, tmp_path / "out.mcap")
    messages = [
        message for message in read(tmp_path / "out.mcap") if message.schema == "wirecost.Fault"
    ]
    happened = 1767225600 * 10**9
    base = "/wirecost/faults/publisher_killed/mqtt/python_default/loopback"
    assert [message[0:1] + message[2:4] for message in messages] == [
        (f"{base}/undisturbed", happened - 1000, {"latency_us": 5, "arrived": 1}),
        (f"{base}/undisturbed", happened + 2000, {"arrived": 0}),
        (f"{base}/replacement", happened + 3000, {"latency_us": 7, "arrived": 1}),
    ]


def test_a_scenario_without_times_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="samples of bench lists have no times; mcap is written of"):
        write_folder(read_results(DATA / "lists"), tmp_path / "out.mcap")
    results = tensor_folder(tmp_path / "run", middlewares=("in-process",))
    with pytest.raises(UserError, match="no sample in it has a time"):
        write_folder(results, tmp_path / "out.mcap")
    assert [path.name for path in tmp_path.iterdir()] == ["run"]


def test_probe_convert_and_report_write_mcap(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    (tmp_path / "a.wprobe").write_bytes(header(offset=EPOCH) + record(1, 1, 2))
    out = tmp_path / "out.mcap"
    command = ["probe", "convert", str(tmp_path), "--format", "mcap", "--out", str(out)]
    done = CliRunner().invoke(app, command)
    assert done.stdout == snapshot
    assert len(read(out)) == 1
    shutil.copytree(DATA / "transport", tmp_path / "run")
    done = CliRunner().invoke(app, ["report", str(tmp_path / "run"), "--format", "mcap"])
    assert done.stdout == f"{tmp_path / 'run' / 'report.mcap'}\n", done.exception
    assert len(read(tmp_path / "run" / "report.mcap")) == 480


@pytest.mark.parametrize("created", ["", "yesterday", "1900-01-01", "9999-12-31T23:59:59+00:00"])
@pytest.mark.parametrize("rate", [10**400, 1e-300, 100.0])
def test_strange_times_and_rates_are_written_or_refused(
    tmp_path: Path, created: str, rate: float
) -> None:
    results = tensor_folder(
        tmp_path / "run", middlewares=("zeromq",), n=3, run={"asked_rate": rate}
    )
    results.meta.created = created
    try:
        written = write_folder(results, tmp_path / "out.mcap")
    except UserError as error:
        assert "no sample" in str(error)
        assert rate == 10**400
    else:
        assert len(read(tmp_path / "out.mcap")) == written.messages == 3
