# SPDX-License-Identifier: Apache-2.0
"""Logs of programs with probes, read back; the programs go on whatever happens."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import events_of, read_logs

BUILT = Path(__file__).parents[3] / "build" / "cmake" / "tests" / "cpp"
PROGRAM = BUILT / "probe" / "probe_recorder"

Record = Callable[..., "subprocess.CompletedProcess[str]"]


def environment(logs: Path | str, counters: str, size: str) -> dict[str, str]:
    settings = {"COUNTERS": counters, "SIZE": size}
    set_ = {f"WIRECOST_PROBE_{name}": text for name, text in settings.items() if text}
    return os.environ | set_ | ({"WIRECOST_PROBE": str(logs)} if logs else {})


@pytest.fixture
def recorded(tmp_path: Path) -> Record:
    """``recorded("threads", 8, 1000)``: a run of the program that logs into ``tmp_path``."""

    def run(
        *arguments: object,
        logs: Path | str = tmp_path,
        counters: str = "none",
        size: str = "",
        before: Callable[[], None] | None = None,
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            env=environment(logs, counters, size),
            preexec_fn=before,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines()[-1] == "done"
        return done

    return run


def test_eight_threads_lose_nothing_but_what_is_counted(recorded: Record, tmp_path: Path) -> None:
    count, capacity = 20_000, 15_000
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    (line,) = recorded("threads", 8, count, size=str(capacity * 128)).stderr.splitlines()
    assert "15000 executions, 1MiB" in line
    assert "set WIRECOST_PROBE_SIZE=29MiB" in line
    logs = read_logs([tmp_path])
    assert len(logs) == 8
    for log in logs:
        assert (len(log.records), log.dropped, log.ended) == (capacity, count - capacity, True)
        assert np.array_equal(log.records["loop"], np.arange(capacity))
        assert np.array_equal(log.records["value"], 3 * np.arange(capacity))
        assert (np.diff(log.records["begin_ns"]) >= 0).all()
        assert (log.records["end_ns"] >= log.records["begin_ns"]).all()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    whole_s = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    of_threads = [log.processor_ns or 0 for log in logs]
    ends = [log.process_end_ns or 0 for log in logs]
    recorded_ns = max(ends) - min(log.process_begin_ns for log in logs)
    assert 0 < min(of_threads) < sum(of_threads) <= recorded_ns <= max(ends) <= 1e9 * whole_s + 1e6


def test_sections_nest_and_end_by_exceptions(recorded: Record, tmp_path: Path) -> None:
    recorded("nested")
    (log,) = read_logs([tmp_path])
    rows = log.events().select("section", "parent", "depth", "loop").rows()
    loops = [row for i in range(3) for row in (("inner", "outer", 1, i), ("outer", None, 0, i))]
    assert rows == [*loops, ("outer", None, 0, 7)]
    assert (log.unclosed, log.unmatched) == (2, 1)


def test_long_names_many_names_and_times_that_are_over(recorded: Record, tmp_path: Path) -> None:
    recorded("named")
    events = events_of(read_logs([tmp_path])).sort("begin_ns")
    whole = "/a" + "n" * 200 + "/\u00e9nd"
    columns = ["kind", "section", "parent", "loop", "value", "message"]
    assert events.select(columns).rows() == [
        ("span", "wait", whole, 5, -4, 1 << 63),
        ("section", whole, None, 5, 0, None),
        ("section", "299th", None, 0, 0, None),
    ]
    assert executions(events).filter(section="wait")["ns"].to_list() == [250]
    assert all(log.values().is_empty() for log in read_logs([tmp_path]))


def test_sections_beyond_the_depth_are_counted(recorded: Record, tmp_path: Path) -> None:
    assert recorded("deep").stderr.count("\n") == 1
    (log,) = read_logs([tmp_path])
    assert (len(log.records), log.dropped) == (32, 8)
    assert log.records["id"].tolist() == list(range(31, -1, -1))


def test_a_killed_program_leaves_what_it_recorded(tmp_path: Path) -> None:
    for attempt in range(3):
        logs = tmp_path / str(attempt)
        with subprocess.Popen(
            [PROGRAM, "forever"], stdout=subprocess.PIPE, env=environment(logs, "none", "256M")
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == b"running\n"
            program.send_signal(signal.SIGKILL)
        (log,) = read_logs([logs])
        assert not log.ended
        assert log.processor_ns is log.process_end_ns is None
        assert len(log.records) > 1000
        assert np.array_equal(log.records["loop"], np.arange(len(log.records)))
        assert np.array_equal(log.records["value"], np.arange(len(log.records)))


def test_page_faults_are_counted_where_they_happen(recorded: Record, tmp_path: Path) -> None:
    recorded("faults", 20, counters="minor-faults,no-such-counter")
    (log,) = read_logs([tmp_path])
    assert [counter.name for counter in log.counters] == ["minor-faults", "no-such-counter"]
    assert [counter.source for counter in log.counters] == ["getrusage", ""]
    events = log.events()
    assert set(events["section"]) == {"touches pages"}
    assert all(50 <= faults <= 60 for faults in events["counter:minor-faults"].to_list()[1:])
    assert events["counter:no-such-counter"].null_count() == 20


def test_a_name_of_libpfm4_is_counted(recorded: Record, tmp_path: Path) -> None:
    recorded("faults", 3, counters="perf::PAGE-FAULTS,minor-faults")
    (log,) = read_logs([tmp_path])
    if log.counters[0].status == "n/a":
        pytest.skip("libpfm4 is not installed, or the kernel counts nothing for this user")
    both = log.records["counters"]
    assert np.array_equal(both[:, 0], both[:, 1])


def test_a_fork_gets_a_log_of_its_own(recorded: Record, tmp_path: Path) -> None:
    recorded("fork")
    sections = {tuple(log.records["id"].tolist()) for log in read_logs([tmp_path])}
    assert sections == {(1, 1, 2, 2), (3, 3)}


@pytest.mark.parametrize("what", ["naming", "first-section"])
def test_a_child_does_not_wait_for_another_thread_of_its_parent(what: str, tmp_path: Path) -> None:
    """A counter that the probe does not know itself has it load libpfm4."""
    done = subprocess.run(
        [BUILT / "probe" / "probe_forked", what, "100"], capture_output=True, text=True, timeout=60,
        check=True, env=environment(tmp_path, "no-such-counter", "4K"),
    )  # fmt: skip
    assert done.stdout == "100 children ended\n"


def test_programs_of_pmu_analyzer_switch_by_an_include(recorded: Record, tmp_path: Path) -> None:
    recorded("elapsed")
    events = events_of(read_logs([tmp_path]))
    assert events.filter(kind="mark", part=0)["value"].to_list() == [100, 101, 102, 103]
    counts = executions(events)["section"].value_counts().rows()
    assert set(counts) == {("9", 4), ("session 0→1", 4), ("session 1→2", 4)}
    (log,) = read_logs([tmp_path])
    values = log.values()
    assert set(values["section"]) == {"session"}
    single = values.filter(variable="single")
    assert single.select("loop", "number").rows() == [(i + 1, 0.5 * i) for i in range(4)]
    vector = values.filter(variable="vector")
    assert vector.select("index", "number", "text").rows() == [(i, i / 8, None) for i in range(19)]
    assert values.filter(variable="empty").is_empty()
    texts = values.filter(variable="text").select("loop", "index", "number", "text").rows()
    assert texts == [(4, 0, None, "straße"), (4, 1, None, 64 * "x")]


def test_without_the_variable_there_is_no_file(recorded: Record, tmp_path: Path) -> None:
    assert recorded("threads", 2, 10, logs="").stderr == ""
    assert list(tmp_path.iterdir()) == []


def test_trouble_is_one_line_and_the_program_goes_on(recorded: Record, tmp_path: Path) -> None:
    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))

    file = tmp_path / "file"
    file.touch()
    for run in (
        lambda: recorded("threads", 3, 10, logs=tmp_path / "no" / "folder"),
        lambda: recorded("threads", 3, 10, logs=file),
        lambda: recorded("threads", 3, 10, before=small_files),
        lambda: recorded("threads", 3, 10, size="900G"),
    ):
        (line,) = run().stderr.splitlines()
        assert line.startswith(f"wirecost probe: {tmp_path}")
        assert "set WIRECOST_PROBE" in line
    assert list(tmp_path.iterdir()) == [file]


def test_a_full_disk_is_one_line_and_no_signal(tmp_path: Path) -> None:
    run = '"$2" threads 1 1000'
    script = f'mount -t tmpfs -o size=256k none "$1" && {run} && {run} && ls "$1" && cat "$1"/*'
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", script, "sh", tmp_path, PROGRAM],
        capture_output=True,
        check=False,
        timeout=60,
        env=environment(tmp_path, "none", "128000"),
    )
    if b"unshare" in done.stderr or b"mount:" in done.stderr:
        pytest.skip("no file system can be mounted here")
    assert done.returncode == 0
    (line,) = done.stderr.decode().splitlines()
    assert "nothing is recorded" in line
    names, _, logs = done.stdout.removeprefix(b"done\ndone\n").partition(b"\n")
    assert names.endswith(b".wprobe")  # the first log fits, the second does not
    (tmp_path / "kept.wprobe").write_bytes(logs)
    (log,) = read_logs([tmp_path])
    assert (len(log.records), log.dropped, log.ended) == (1000, 0, True)


def test_a_folder_that_cannot_be_written_is_named(recorded: Record) -> None:
    for folder in ("/proc/self", "/sys/kernel"):  # refused to root, too
        (line,) = recorded("threads", 3, 10, logs=folder).stderr.splitlines()
        assert line.startswith(f"wirecost probe: {folder}: ")
        assert "set WIRECOST_PROBE to" in line


@pytest.mark.parametrize(
    ("size", "executions"),
    [("64k", 500), ("64K", 500), ("64kB", 500), ("64KiB", 512), ("64Ki", 512), ("64000", 500)],
)
def test_units_of_sizes(recorded: Record, size: str, executions: int) -> None:
    (line,) = recorded("threads", 1, 600, size=size).stderr.splitlines()
    assert f" {executions} executions" in line


def test_settings_that_are_not_understood_are_said_once(recorded: Record, tmp_path: Path) -> None:
    (line,) = recorded("threads", 3, 10, size="much").stderr.splitlines()
    assert "WIRECOST_PROBE_SIZE=much" in line
    (line,) = recorded("threads", 3, 10, counters="a,b").stderr.splitlines()
    assert "a, b: not" in line
    (line,) = recorded("threads", 3, 10, counters="a,allocations").stderr.splitlines()
    assert "a: not counted" in line and "wirecost probe run" in line
    assert len(events_of(read_logs([tmp_path]))) == 90


@pytest.mark.parametrize("what", ["section", "cancelled-section"])
def test_a_section_changes_nothing_for_the_thread(what: str, tmp_path: Path) -> None:
    """errno stays, and a thread that is being cancelled does not end in a section's own calls."""
    done = subprocess.run(
        [BUILT / "probe" / "probe_locked", what], capture_output=True, text=True, timeout=20,
        check=True, env=environment(tmp_path, "run-queue-wait-ns,no-such-counter", ""),
    )  # fmt: skip
    assert done.stdout == "errno 77, went on 1\n"
    assert [len(log.records) for log in read_logs([tmp_path])] == [1]
