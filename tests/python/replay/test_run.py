# SPDX-License-Identifier: Apache-2.0
"""A recording is replayed to its node alone: what it is sent, what it answers, what is left."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from support.replay_fakes import (
    COMMAND,
    FakeSystem,
)
from support.replayed import COUNT, PERIOD_NS, replayed, write_recording
from support.waiting import until
from wirecost.replay.play.options import PlayOptions, StartOptions
from wirecost.replay.recording.reader import read_recording
from wirecost.replay.recording.snapshot import read_snapshot, write_snapshot
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.schemas.replay import ReplayMeta
from wirecost.results.report.scenarios import content_of
from wirecost.system.errors import UserError


def test_a_node_answers_alone_as_it_did_in_its_system(tmp_path: Path) -> None:
    system = FakeSystem()
    recording = write_recording(tmp_path / "recording")
    results, whole = replayed(recording, tmp_path / "out", repeats=2, system=system)
    meta = results.meta_as(ReplayMeta)
    assert whole
    assert [comparison.difference for comparison in meta.equality] == [None, None]
    assert [comparison.messages for comparison in meta.equality] == [COUNT, COUNT]
    assert meta.inputs == {"/in": 2 * COUNT}
    outputs = pl.read_parquet(tmp_path / "out" / "outputs.parquet")
    assert len(outputs) == 2 * COUNT
    assert outputs["rule"].unique().to_list() == ["stamp"]
    assert outputs["index"].to_list() == outputs["input_index"].to_list() == 2 * [*range(COUNT)]
    assert (outputs["latency_ns"] > 0).all()
    first, second = system.made  # type: ignore[attr-defined]
    assert first.parameters == {"/node/gain": 2}
    assert first.called == second.called == [b"ab"]
    assert meta.repeats[0].minor_faults is not None
    assert meta.repeats[0].voluntary_switches
    answers = read_recording(tmp_path / "out" / "outputs-1.mcap", "ros1").outputs
    assert [output.data[-4:] for output in answers] == [
        (2 * i).to_bytes(4, "little") for i in range(COUNT)
    ]


def test_inputs_come_at_their_times(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording")
    results, _ = replayed(recording, tmp_path / "out", play_options=PlayOptions(rate=2.0))
    # The machine may make a message late; the schedule must be the recording's.
    assert results.meta_as(ReplayMeta).repeats[0].played_s >= (COUNT - 1) * PERIOD_NS / 2e9
    late = results.samples.filter(stage="lateness")
    assert len(late) == COUNT
    assert (late["ns"] >= 0).all()


def test_a_latched_message_comes_before_the_node_joins_the_rest(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--needs-map")
    results, whole = replayed(recording, tmp_path / "out")
    assert whole
    assert [comparison.difference for comparison in results.meta_as(ReplayMeta).equality] == [None]
    assert results.meta_as(ReplayMeta).inputs == {"/in": COUNT}


def test_as_fast_as_consumed_waits_for_the_node_alone(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording")
    content = json.loads((recording / "node.json").read_text())
    assert content["version"] == 1
    results, whole = replayed(
        recording, tmp_path / "out", play_options=PlayOptions(consumed=True, loops=3)
    )
    assert whole
    outputs = pl.read_parquet(tmp_path / "out" / "outputs.parquet")
    assert len(outputs) == 3 * COUNT
    assert results.samples.filter(stage="lateness").is_empty()
    # An input is sent only once the one before was answered.
    assert outputs["input_index"].to_list() == [*range(3 * COUNT)]


def test_outputs_that_differ_are_named(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--random")
    results, _ = replayed(recording, tmp_path / "out", repeats=2)
    runs, recorded = results.meta_as(ReplayMeta).equality
    assert (runs.difference or "").startswith("/out message 0")
    assert (recorded.difference or "").startswith("/out message 0")


def test_a_node_that_dies_leaves_its_samples_and_last_words(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--dies", "20")
    results, whole = replayed(recording, tmp_path / "out")
    assert not whole
    assert results.meta_as(ReplayMeta).repeats[0].exit_status == 7
    (note,) = [note for note in results.meta_as(ReplayMeta).notes if "ended" in note]
    assert "status 7; it" in note
    assert note.endswith("no more memory")
    outputs = pl.read_parquet(tmp_path / "out" / "outputs.parquet")
    assert outputs["index"].to_list() == [*range(19)]


def test_a_node_that_joins_nothing_is_told_with_what_it_lacks(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--deaf")
    with pytest.raises(UserError, match=r"did not join /in within 0\.5 s .*: started --deaf"):
        replayed(recording, tmp_path / "out", play_options=PlayOptions(connect_s=0.5))
    assert not _running("--deaf", tmp_path)


def test_parameter_files_are_as_recorded(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--params-file", "gone.yaml")
    snapshot = read_snapshot(recording)
    snapshot.parameter_files = {"gone.yaml": "gain: 3\n"}
    write_snapshot(recording, snapshot)
    replayed(recording, tmp_path / "out")
    (written,) = (tmp_path / "out").glob("parameters-*-gone.yaml")
    assert written.read_text() == "gain: 3\n"
    assert str(written) in (tmp_path / "out" / "node-output-1.txt").read_text()


@pytest.mark.parametrize(
    ("start_options", "message"),
    [
        (StartOptions([], cpu=5000), "--cpu 5000: no such CPU for this process; it may use 0"),
        (StartOptions([], fifo=100), "--fifo 100: priorities go from 1 to 99"),
        (StartOptions(["/no/program"]), "/no/program: No such file or directory"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    tmp_path: Path, start_options: StartOptions, message: str
) -> None:
    recording = write_recording(tmp_path / "recording")
    with pytest.raises(UserError, match=message) as raised:
        replayed(recording, tmp_path / "out", start_options)
    assert "\n" not in str(raised.value)


def test_a_program_that_moved_is_named(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording")
    snapshot = read_snapshot(recording)
    assert snapshot.process is not None
    snapshot.process = replace(snapshot.process, executable="/opt/gone/node")
    write_snapshot(recording, snapshot)
    with pytest.raises(UserError, match="/opt/gone/node: the recorded program does not exist"):
        replayed(recording, tmp_path / "out")
    results, _ = replayed(recording, tmp_path / "out", StartOptions(COMMAND))
    assert [comparison.difference for comparison in results.meta_as(ReplayMeta).equality] == [None]


def test_no_permission_for_real_time_is_refused_before_anything_starts() -> None:
    code = """
import os
os.setresuid(65534, 65534, 65534)
from wirecost.system.errors import UserError
from wirecost.replay.play.start import check_fifo
try:
    check_fifo("--fifo", 10)
except UserError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("--fifo 10: not permitted; run as root, or allow real-time")


@pytest.mark.parametrize("consumed", [False, True])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_keeps_the_samples_of_the_first_run(
    tmp_path: Path, number: signal.Signals, consumed: bool
) -> None:
    recording, out = write_recording(tmp_path / "recording", "--report", "5"), tmp_path / "out"
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from support.replayed import replayed
from wirecost.replay.play.options import PlayOptions
play_options = PlayOptions(consumed={consumed}, loops=100_000)
results, whole = replayed(Path({str(recording)!r}), Path({str(out)!r}), play_options=play_options)
assert not whole
assert results.meta.interrupted and not results.meta.complete
"""
    with subprocess.Popen([sys.executable, "-c", code]) as program:
        printed = out / "node-output-1.txt"
        until(lambda: printed.exists() and "received 5" in printed.read_text())
        program.send_signal(number)
    assert program.returncode == 0
    outputs = pl.read_parquet(out / "outputs.parquet")
    assert len(outputs) == len(pl.read_parquet(out / "inputs.parquet")) >= 5
    assert not _running("--report", recording)


def test_nothing_stays_when_replay_itself_is_killed(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "recording", "--deaf")
    code = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from pathlib import Path
from support.replayed import replayed
replayed(Path({str(recording)!r}), Path({str(tmp_path / "out")!r}))
"""
    with subprocess.Popen([sys.executable, "-c", code]) as program:
        until(lambda: _running("--deaf", recording))
        probes = set(Path("/dev/shm").glob("wirecost-*/runs/*/replay-*"))
        program.send_signal(signal.SIGKILL)
    until(lambda: not _running("--deaf", recording))
    until(lambda: not [path for path in probes if path.exists()])


def test_the_report_shows_what_was_measured(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    recording = write_recording(tmp_path / "recording")
    results, _ = replayed(recording, tmp_path / "out", repeats=2)
    rows = summarize(results)
    assert {(row.case, row.stage, row.n) for row in rows} == {
        ("from /out", "latency", 2 * COUNT),
        ("to /in", "lateness", 2 * COUNT),
    }
    content = content_of(results, rows)
    tables = {table.title: table for table in content.tables}
    assert tables["Latency"].rows[0][:2] == ["from /out", str(2 * COUNT)]
    assert tables["Latency"].rows[0][-1].startswith(f"{2 * COUNT} same stamp")
    assert tables["Outputs"] == snapshot
    assert [row[:3] for row in tables["Runs"].rows] == [
        ["run 1", str(COUNT), str(COUNT)],
        ["run 2", str(COUNT), str(COUNT)],
    ]


def _running(word: str, directory: Path) -> bool:
    """Return whether a process with this argument works in ``directory``."""
    for folder in Path("/proc").iterdir():
        try:
            if (folder / "cwd").readlink() == directory:
                return word.encode() in (folder / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
    return False
