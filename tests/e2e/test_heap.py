# SPDX-License-Identifier: Apache-2.0
"""``wirecost heap run`` as a user drives it: on shells, Python, Java and ROS."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from support.programs import execute
from wirecost.observe.heap import launch
from wirecost.replay.ros1.master import on_loopback
from wirecost.system.ports import free_port

Run = Callable[..., "subprocess.CompletedProcess[str]"]

WIRECOST = str(Path(sys.executable).with_name("wirecost"))
EARLY = """
#include <stdio.h>
#include <stdlib.h>
int getppid(void) { return puts("early library asked"), 1; }
"""
FORKS = """
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile int stop;
static void *churn(void *argument) {
  char name[16];
  snprintf(name, sizeof name, "churn%ld", (long)argument);
  pthread_setname_np(pthread_self(), name);
  void *kept = malloc(16);
  for (long i = 0; i < 1000 || !stop; ++i) {
    free(kept);
    kept = memset(malloc(16 + i % 1900), 1, 16);
  }
  return kept;
}
int main(void) {
  pthread_t threads[3];
  for (long t = 0; t < 3; ++t) pthread_create(&threads[t], 0, churn, (void *)t);
  int good = 0;
  for (int i = 0; i < 30; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(20);
      char *block = malloc(100000);
      memset(block, i, 100000);
      int wrong = block[99999] != i;
      free(block);
      _exit(wrong);
    }
    int status = -1;
    good += waitpid(child, &status, 0) == child && status == 0;
  }
  stop = 1;
  for (int t = 0; t < 3; ++t) pthread_join(threads[t], 0);
  printf("%d children\\n", good);
}
"""
TALKER = """
import threading
import rospy
from rosgraph_msgs.msg import Log
heard, enough = [], threading.Event()
def hear(log):
    if log.msg.startswith("wirecost"):
        heard.append(len(log.msg))
        if len(heard) >= 20:
            enough.set()
rospy.init_node("talker")
rospy.Subscriber("/rosout_agg", Log, hear)
for attempt in range(400):
    rospy.loginfo("wirecost" + "x" * 4992)
    if enough.wait(0.05):
        break
print("heard", min(len(heard), 20), "lines of", heard[0] if heard else 0, "characters")
"""

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
    done, report = heap(sys.executable, "-c", MAPS, options=("--pool", "32MiB", "--report"))
    assert done.stdout == "True\n"
    assert f"process {report['pid']}: pool 32" in done.stderr
    assert "within the warm-up" in done.stderr
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


def test_a_library_preloaded_before_stays(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    (tmp_path / "early.c").write_text(EARLY)
    library = tmp_path / "early.so"
    flags = ("-shared", "-fPIC", "-o", library)
    subprocess.run(["gcc", tmp_path / "early.c", *flags], check=True)
    done = execute(
        [WIRECOST, "heap", "run", "--", sys.executable, "-c", f"import os; {MAPS}\nos.getppid()"],
        env=os.environ | {"LD_PRELOAD": str(library)},
        timeout=60,
        check=True,
    )
    assert sorted(done.stdout.splitlines()) == ["True", "early library asked"]


def test_out_of_memory_is_the_programs_to_handle(heap: Callable[..., Any]) -> None:
    script = (
        "blocks = []\n"
        "try:\n"
        "    while True: blocks.append(bytearray(50_000_000))\n"
        "except MemoryError:\n"
        "    count = len(blocks); blocks.clear()\n"
        "    print('refused after', count, len(bytearray(50_000_000)))"
    )
    limited = f'ulimit -v 2000000; exec {sys.executable} -c "$0"'
    done, report = heap("sh", "-c", limited, script)
    words = done.stdout.split()
    assert words[:2] == ["refused", "after"]
    assert 30 < int(words[2]) <= 40
    assert words[3] == "50000000"
    assert report["pool"]["peak_bytes"] < 2_000_000 * 1024


@pytest.mark.parametrize(
    ("limit", "program"),
    [
        ("ulimit -v 400000", "pass"),
        ("ulimit -d 400000", "pass"),
        ("true", "resource.setrlimit(resource.RLIMIT_AS, (400_000_000, 400_000_000))"),
    ],
)
def test_the_pool_leaves_a_limited_address_space_to_the_program(
    heap: Callable[..., Any], limit: str, program: str
) -> None:
    script = f"import mmap, resource; {program}; print(len(mmap.mmap(-1, 240 << 20)))"
    done, _ = heap("sh", "-c", f'{limit}; exec {sys.executable} -c "$0"', script)
    assert done.stdout == f"{240 << 20}\n"


# A thread that Python has joined may still be leaving the kernel.
TASKS = """import os, threading, time
for _ in range(500):
    if len(tasks := os.listdir('/proc/self/task')) <= 1 + pool:
        break
    time.sleep(0.01)
print(len(tasks))"""


@pytest.mark.parametrize(
    ("script", "tasks"),
    [
        (TASKS, 1),
        (f"blocks = [bytes(1 << 20) for _ in range(200)]\n{TASKS}", 1),
        (f"import os; os.fork() or os._exit(0); os.wait()\n{TASKS}", 1),
        (
            "import threading\nt = threading.Thread(target=bytes, args=(5000,))\n"
            f"t.start(); t.join()\n{TASKS}",
            2,
        ),
    ],
)
def test_a_program_of_one_thread_stays_so(
    heap: Callable[..., Any], script: str, tasks: int
) -> None:
    script = f"pool = {tasks - 1}\n{script}"
    done, _ = heap(sys.executable, "-c", script, options=("--pool", "16M"))
    assert done.stdout.split() == [str(tasks)]


@pytest.mark.parametrize(
    "command",
    [
        ("unshare", "-U", "true"),
        ("unshare", "-r", "sh", "-c", "ls / >/dev/null; id -u"),
        ("setpriv", "--reuid", "65534", "--clear-groups", "true"),
    ],
)
def test_programs_that_must_have_one_thread_run(wirecost: Run, command: tuple[str, ...]) -> None:
    if shutil.which(command[0]) is None or subprocess.run(command, check=False).returncode != 0:
        pytest.skip(f"{command[0]} is not allowed here")
    done = wirecost("heap", "run", "--", *command)
    assert (done.returncode, done.stderr) == (0, "")


def test_chromium(wirecost: Run, tmp_path: Path) -> None:
    """Its zygote refuses to run with a second thread."""
    if shutil.which("chromium") is None:
        pytest.skip("no chromium")
    profile = f"--user-data-dir={tmp_path}/profile"
    options = ("--headless", "--no-sandbox", "--disable-gpu", profile, "--dump-dom")
    done = wirecost("heap", "run", "--", "chromium", *options, "data:text/html,<p>started</p>")
    assert done.returncode == 0, done.stderr
    assert "<p>started</p>" in done.stdout


DEEP = """
#include <string.h>
#include <stdlib.h>
int length(void) {
  char *copy = strdup("copied by libc");
  int length = strlen(copy);
  free(copy);
  return length;
}
"""


def test_libraries_that_bind_deeply_use_the_heap(heap: Callable[..., Any], tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    (tmp_path / "deep.c").write_text(DEEP)
    library = tmp_path / "deep.so"
    flags = ("-O0", "-shared", "-fPIC", "-o", library)
    subprocess.run(["gcc", tmp_path / "deep.c", *flags], check=True)
    script = "import ctypes, os, sys; print(ctypes.CDLL(sys.argv[1], os.RTLD_DEEPBIND).length())"
    done, _ = heap(sys.executable, "-c", script, library)
    assert done.stdout == "14\n"
    said = "is opened without RTLD_DEEPBIND, which goes with no other allocator"
    assert done.stderr == f"wirecost heap: {library} {said}\n"


def test_forks_among_threads(heap: Callable[..., Any], tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    (tmp_path / "forks.c").write_text(FORKS)
    flags = ("-pthread", "-o", tmp_path / "forks")
    subprocess.run(["gcc", "-O1", tmp_path / "forks.c", *flags], check=True)
    done, report = heap(tmp_path / "forks", options=("--report",))
    assert done.stdout == "30 children\n"
    named = [line.split()[0] for line in done.stderr.splitlines() if line.startswith("churn")]
    assert sorted(named) == ["churn0", "churn1", "churn2"]
    threads = {thread["name"]: thread for thread in report["threads"]}
    for name in named:
        assert threads[name]["allocations"] >= 1000
        assert threads[name]["ended"] is True
        # Each keeps its last block and frees all others; one starts the background thread.
        assert 0 < threads[name]["live_bytes"] <= 4096


@pytest.fixture
def ros(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Start a ROS 1 master under the heap on a free port; return the nodes' environment."""
    needed = [Path("/usr/bin/rosmaster"), Path("/usr/lib/rosout/rosout")]
    absent = [str(path) for path in needed if not path.exists()]
    if absent:
        pytest.skip(f"no {' and no '.join(absent)}; apt-get install python3-rosmaster rosout")
    port = str(free_port())
    own = on_loopback(f"http://127.0.0.1:{port}")
    environment = os.environ | own | {"ROS_LOG_DIR": str(tmp_path / "log")}
    with running(environment, tmp_path / "master.json", "/usr/bin/rosmaster", "--core", "-p", port):
        yield environment


@contextmanager
def running(environment: dict[str, str], out: Path, *command: str) -> Iterator[None]:
    """Run the command under the heap, and end it as a launcher does."""
    whole = [WIRECOST, "heap", "run", "--out", str(out), "--", *command]
    with subprocess.Popen(whole, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def test_ros_nodes_in_cpp_and_python_exchange_messages(ros: dict[str, str], tmp_path: Path) -> None:
    """A rospy node logs; rosout, which is a roscpp node, passes it on; the first hears it again."""
    script = tmp_path / "talker.py"
    script.write_text(TALKER)
    with running(ros, tmp_path / "rosout.json", "/usr/lib/rosout/rosout"):
        whole = [WIRECOST, "heap", "run", "--out", str(tmp_path / "talker.json"), "--"]
        done = execute([*whole, "/usr/bin/python3", str(script)], env=ros, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("heard 20 lines")
    for node in ("rosout", "talker"):
        report = json.loads((tmp_path / f"{node}.json").read_text())
        assert sum(thread["allocations"] for thread in report["threads"]) > 1000, node
        assert len(report["threads"]) > 3, node


def test_a_report_that_cannot_be_written_leaves_the_former(
    wirecost: Run, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    out = tmp_path / "heap.json"
    out.write_text("former")
    script = 'trap "" XFSZ; ulimit -f 0; echo printed'
    done = wirecost("heap", "run", "--out", out, "--", "sh", "-c", script)
    assert (done.returncode, done.stdout) == (0, "printed\n")  # the program did well
    assert done.stderr == snapshot
    assert [(file, file.read_text()) for file in tmp_path.iterdir()] == [(out, "former")]


@pytest.mark.parametrize(
    ("name", "value", "using"),
    [
        ("POOL", "64M", 64 << 20),
        ("POOL", str(1 << 49), 64 << 20),
        ("WARMUP", "999999999999999", 5),
    ],
)
def test_settings_that_are_no_numbers_are_named(name: str, value: str, using: int) -> None:
    variables = {"LD_PRELOAD": str(launch.library()), f"WIRECOST_HEAP_{name}": value}
    done = execute(["true"], env=os.environ | variables, check=True)
    said = f"WIRECOST_HEAP_{name} is not a number, or too large: {value}; using {using}"
    assert done.stderr == f"wirecost heap: {said}\n"


def test_a_full_disk_is_said(wirecost: Run) -> None:
    done = wirecost("heap", "run", "--out", "/dev/full", "--", "true")
    said = "wirecost heap: cannot write /dev/full: No space left on device; make room\n"
    assert (done.returncode, done.stderr) == (0, said)
