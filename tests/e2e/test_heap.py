# SPDX-License-Identifier: Apache-2.0
"""``wirecost heap run`` as a user drives it: on shells, Python, Java and ROS."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]

MAPS = "print(sum('libwirecost-heap' in line for line in open('/proc/self/maps')) > 0)"
NUMPY_AND_THREADS = """
import concurrent.futures, subprocess, sys
import numpy as np
def work(n):
    return sum(float((np.ones(200_000) * i).sum()) for i in range(n))
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    assert len(set(pool.map(work, [20] * 8))) == 1
big = np.zeros(100_000_000, np.uint8); big[:] = 7
assert int(big.sum(dtype=np.int64)) == 700_000_000
assert subprocess.run([sys.executable, "-c", "pass"]).returncode == 0
import multiprocessing
with multiprocessing.get_context("fork").Pool(2) as forked:
    assert forked.map(abs, [-1, -2]) == [1, 2]
print("done")
"""
JAVA = """
import java.util.*; import java.util.stream.*; import java.nio.*;
public class Many {
  public static void main(String[] a) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; ++t) threads.add(new Thread(() -> {
      for (int i = 0; i < 200; ++i) ByteBuffer.allocateDirect(1 << 16).putInt(0, i);
    }));
    for (Thread t : threads) t.start();
    for (Thread t : threads) t.join();
    System.out.println(IntStream.range(0, 1000).mapToObj(i -> "x" + i)
        .collect(Collectors.joining()).length());
  }
}
"""


@pytest.fixture
def heap(wirecost: Run, tmp_path: Path) -> Callable[..., Any]:
    """``heap(command…, options=[…])``: the finished run and its JSON report."""

    def run(*command: str | Path, options: tuple[str, ...] = ()) -> Any:
        out = tmp_path / "heap.json"
        done = wirecost("heap", "run", "--out", out, *options, "--", *command)
        assert done.returncode == 0, done.stderr
        return done, json.loads(out.read_text())

    return run


def test_the_program_runs_on_the_pool_and_reports(heap: Callable[..., Any]) -> None:
    done, report = heap(sys.executable, "-c", MAPS, options=("--pool", "32M", "--report"))
    assert done.stdout == "True\n"
    assert f"process {report['pid']}: pool 32 MiB, at the end 32 MiB" in done.stderr
    assert "faults: ended within the warm-up" in done.stderr
    assert (report["format"], report["version"]) == ("wirecost-heap-report", 1)
    assert report["pool"]["initial_bytes"] == report["pool"]["bytes"] == 32 << 20
    assert 0 < report["pool"]["peak_bytes"] < 32 << 20
    (thread,) = report["threads"]
    assert thread["allocations"] > 100
    assert thread["minor_faults"] is None


def test_faults_count_from_the_end_of_the_warmup(heap: Callable[..., Any]) -> None:
    # Mapped memory is not the heap's: its faults show that the report counts.
    script = (
        "import mmap, time; time.sleep(1.5); m = mmap.mmap(-1, 1 << 22)\n"
        "for i in range(0, 1 << 22, 4096): m[i] = 1"
    )
    _, report = heap(sys.executable, "-c", script, options=("--warmup", "1"))
    (thread,) = report["threads"]
    assert 1024 <= thread["minor_faults"] < 1524
    assert thread["ended"] is False


def test_auto_takes_the_pool_from_a_profile(wirecost: Run, tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    command = ("--", sys.executable, "-c", "import numpy as np; np.ones(20_000_000)")
    assert wirecost("heap", "run", "--pool", "8M", "--out", profile, *command).returncode == 0
    first = json.loads(profile.read_text())["pool"]
    assert first["growths_waited_for"] > 0
    auto = ("--pool", "auto", "--profile", profile, "--out", tmp_path / "second.json")
    assert wirecost("heap", "run", *auto, *command).returncode == 0
    second = json.loads((tmp_path / "second.json").read_text())["pool"]
    assert second["growths_waited_for"] == 0
    assert first["peak_bytes"] < second["initial_bytes"] < first["peak_bytes"] * 1.3


def test_children_report_under_their_own_names(heap: Callable[..., Any], tmp_path: Path) -> None:
    _, report = heap("sh", "-c", "ls / >/dev/null; true")
    others = [json.loads(path.read_text()) for path in tmp_path.glob("heap.json.*")]
    assert len(others) == 1
    assert others[0]["pid"] != report["pid"]


def test_a_terminated_program_still_reports(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "killed.json"
    script = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    done = wirecost("heap", "run", "--out", out, "--", sys.executable, "-c", script)
    assert done.returncode == -15
    assert json.loads(out.read_text())["pool"]["bytes"] == 64 << 20


def test_python_with_numpy_threads_and_forks(heap: Callable[..., Any]) -> None:
    done, report = heap(sys.executable, "-c", NUMPY_AND_THREADS, options=("--lock", "--huge"))
    assert done.stdout.endswith("done\n")
    assert report["pool"]["huge"] is True
    assert report["pool"]["peak_bytes"] > 100_000_000


@pytest.mark.skipif(shutil.which("javac") is None, reason="no javac")
def test_java(heap: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "Many.java").write_text(JAVA)
    subprocess.run(["javac", "Many.java"], cwd=tmp_path, check=True)
    done, report = heap("java", "-cp", tmp_path, "Many")
    assert done.stdout == "3890\n"
    assert len(report["threads"]) > 5


def test_ros(heap: Callable[..., Any]) -> None:
    script = "import rospy, std_msgs.msg; rospy.Time(1, 2); print(std_msgs.msg.String('x').data)"
    if subprocess.run(
        ["/usr/bin/python3", "-c", script], capture_output=True, check=False
    ).returncode:
        pytest.skip("rospy is not installed")
    done, _ = heap("/usr/bin/python3", "-c", script)
    assert done.stdout == "x\n"


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--pool", "much", "--", "true"), "--pool much: not a size of at least 1M"),
        (("--pool", "1K", "--", "true"), "--pool 1K: not a size of at least 1M"),
        (("--pool", "auto", "--profile", "none.json", "--", "true"), "none.json: No such file"),
        (("--pool", "auto", "--profile", "/dev/null", "--", "true"), "/dev/null: not a heap rep"),
        (("--out", "none/x.json", "--", "true"), "--out none/x.json: no such folder"),
        (("--", "no-such-program"), "no-such-program: No such file or directory"),
    ],
)
def test_errors_are_one_line(
    wirecost: Run, tmp_path: Path, arguments: tuple[str, ...], problem: str
) -> None:
    done = wirecost("heap", "run", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert problem in done.stderr
    assert len(done.stderr.splitlines()) == 1
