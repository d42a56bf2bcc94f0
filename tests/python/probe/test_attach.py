# SPDX-License-Identifier: Apache-2.0
"""The threads of a running process, from recorded and real /proc."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.observe.probe.attach.threads import COUNTS, Counted, Sample, mapped, samples
from wirecost.observe.probe.attach.usage import table, usages
from wirecost.system.errors import UserError

WIRECOST = Path(sys.executable).with_name("wirecost")
SECOND = 10**9


def thread(task: Path, name: str, *, running: int, faults: int) -> None:
    """Write a thread as the kernel does; the name may hold anything but a line's end."""
    task.mkdir(parents=True, exist_ok=True)
    numbers = ["0"] * 50
    numbers[6], numbers[8] = str(faults), "2"
    (task / "stat").write_text(f"{task.name} ({name}) S {' '.join(numbers)}\n")
    (task / "schedstat").write_text(f"{running} 500 3\n")
    (task / "status").write_text(
        "Name:\tx\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t4\n"
    )


def test_recorded_counts(tmp_path: Path) -> None:
    thread(tmp_path / "5" / "task" / "5", "a ) (b", running=12, faults=34)
    (tmp_path / "5" / "task" / "6").mkdir()  # it ended meanwhile
    (sample,) = samples(5, 0.01, 0.02, tmp_path)
    assert sample.threads == {5: Counted("a ) (b", 12, 500, 3, 34, 2, 7, 4)}


def test_no_such_process(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="7: no such process"):
        list(samples(7, 1, 0.1, tmp_path))


def counted(name: str, factor: int) -> Counted:
    return Counted(name, *(factor * number for number in range(1, len(COUNTS) + 1)))


def test_what_happened_between_samples() -> None:
    sequence = [
        Sample(0, {1: counted("x", 0)}),
        Sample(SECOND, {1: counted("x", SECOND // 4), 2: counted("new", 9)}),
        Sample(3 * SECOND, {1: counted("x", SECOND // 2), 2: counted("new", 10)}),
    ]
    rows = table(sequence)
    assert rows.height == 3
    first, second = usages(rows)
    assert (first.thread, first.seconds) == (1, 3.0)
    assert first.running == pytest.approx(0.5 / 3)
    assert first.waiting == pytest.approx(1 / 3)
    assert first.busiest == 0.25
    assert (second.name, second.seconds, second.minor_faults) == ("new", 2.0, 4 / 2)
    assert usages(table([])) == []


def test_a_real_process() -> None:
    program = (
        "import mmap, time\nwhile True:\n"
        "    mmap.mmap(-1, 1 << 20).write(bytes(1 << 20)); time.sleep(0.005)"
    )
    with subprocess.Popen([sys.executable, "-c", program]) as process:
        try:
            time.sleep(0.3)
            done = execute(
                [str(WIRECOST), "probe", "attach", str(process.pid), "--for", "0.5", "--json", "-"],
                timeout=60,
                check=True,
            )
            assert any(file.startswith("python3") for file in mapped(process.pid, Path("/proc")))
        finally:
            process.kill()
    (thread,) = json.loads(done.stdout)["threads"]
    assert thread["thread"] == process.pid
    assert 0 < thread["running"] < 1
    assert thread["minor_faults"] > 1000
    assert thread["voluntary_switches"] > 20
    assert "wirecost probe run" in " ".join(done.stderr.split())


def test_options_that_cannot_be(tmp_path: Path) -> None:
    for words, said in (
        (["--for", "0"], "--for 0"),
        (["--every", "0.001"], "--every 1ms"),
        (["--for", "1e6", "--every", "0.1"], "give a longer time"),
        (["--for", "0.01", "--every", "0.01", "--out", str(tmp_path / "no" / "x")], "--out"),
    ):
        done = execute([str(WIRECOST), "probe", "attach", str(os.getpid()), *words], timeout=60)
        assert done.returncode != 0
        assert said in " ".join(done.stderr.split())
