# SPDX-License-Identifier: Apache-2.0
"""Calls of functions of programs as they are: what is recorded, and that nothing else changes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.results.records.probe_log import events_of, read_logs

BUILT = Path(__file__).parents[3] / "build" / "cmake"
HOOKS = BUILT / "cpp" / "wirecost" / "hooks" / "function"
PROGRAMS = BUILT / "tests" / "cpp" / "functions"
HELPER, AGENT = HOOKS / "wirecost-functions", HOOKS / "libwirecost-hook-function.so"
DEEPEST = 32
JUMPED_OUT = 300
"""50 times six calls that longjmp leaves."""

# At -O0 nothing is inlined. Of deep recursion only what a log's depth holds is recorded.
EXPECTED = {
    "cases::adds": 8219,
    "cases::recursive": 21 + DEEPEST + 32000,
    "cases::throws_when_odd": 100,
    "cases::throws_through": 9,
    "cases::rethrows": 4,
    "cases::ends_its_thread": 1,
    "cases::forks_inside": 1,
    "cases::raises": 200,
    "cases::doubles": 1,
    "cases::tail_calls": 1,
    "cases::tail_through_pointer": 1,
    "cases::switches_over": 3,
    "cases::many": 1,
    "cases::long_double": 1,
    "cases::structure": 1,
    "cases::variadic": 1,
    "cases::very_short": 1,
    "cases::loops_at_entry": 1,
}


def environment(logs: Path, **more: str) -> dict[str, str]:
    named = {
        "WIRECOST_PROBE": str(logs),
        "WIRECOST_PROBE_COUNTERS": "none",
        "WIRECOST_PROBE_SIZE": "1M",
        "WIRECOST_HOOKS": str(HOOKS),
    }
    return os.environ | named | more


def run(command: list[object], **variables: str) -> subprocess.CompletedProcess[str]:
    return execute([str(word) for word in command], env=variables, timeout=120)


def patched(
    logs: Path, pattern: str, *command: object, **more: str
) -> subprocess.CompletedProcess[str]:
    more = {"WIRECOST_FUNCTIONS": pattern, "LD_PRELOAD": str(AGENT)} | more
    return run(list(command), **environment(logs, **more))


def observed(logs: Path, pattern: str, *command: object) -> subprocess.CompletedProcess[str]:
    """By uprobes; the test is skipped where the kernel has none."""
    why = run([HELPER, "observe"], **os.environ).stdout.strip()
    if why:
        pytest.skip(f"no uprobes: {why}")
    libraries = ["/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib/x86_64-linux-gnu/libstdc++.so.6"]
    objects = [command[0], *(Path(path).resolve() for path in libraries)]
    # A copy: its breakpoints go only some seconds after the observer.
    copy = logs / "observed"
    shutil.copy2(str(command[0]), copy)
    objects[0] = copy
    words = [HELPER, "observe", *objects, "--", copy, *command[1:]]
    return run(words, **environment(logs, WIRECOST_FUNCTIONS=pattern))


def counts(logs: Path) -> dict[str, int]:
    events = events_of(read_logs([logs]))
    return dict(events.filter(kind="section").group_by("section").len().iter_rows())


def unclosed(logs: Path) -> int:
    return sum(log.unclosed for log in read_logs([logs]))


@pytest.fixture(scope="module")
def plain() -> Iterator[str]:
    """Return the output of the program when nobody records it."""
    yield run([PROGRAMS / "functions_O0", "all"], **os.environ).stdout


@pytest.mark.parametrize("program", ["functions_O0", "functions_O2"])
def test_a_program_whose_entries_are_patched_does_the_same(
    program: str, plain: str, tmp_path: Path
) -> None:
    done = patched(tmp_path, "cases::*", PROGRAMS / program, "all")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain
    assert "10 calls were" in done.stderr
    if program == "functions_O0":
        by_name = counts(tmp_path)
        assert {name: by_name.get(name) for name in EXPECTED} == EXPECTED
    assert unclosed(tmp_path) == JUMPED_OUT


def test_breakpoints_record_the_same_calls(plain: str, tmp_path: Path) -> None:
    done = observed(tmp_path, "cases::*", PROGRAMS / "functions_O0", "all")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain
    by_name = counts(tmp_path)
    # They know no limit of depth but their own, and a coroutine's stack is as good as another; a
    # function that never returns has no place for a breakpoint.
    deep = {"cases::recursive": 21 + 201 + 32000, "cases::switches": 10}
    expected = EXPECTED | deep
    del expected["cases::ends_its_thread"]
    assert {name: by_name.get(name) for name in expected} == expected


def test_threads_with_one_number_have_logs_of_their_own(tmp_path: Path) -> None:
    done = observed(tmp_path, "cases::works", PROGRAMS / "functions_O2", "same_thread")
    if done.stdout == "same_thread 0\n":
        pytest.skip("the numbers of threads cannot be chosen")
    assert (done.returncode, done.stdout) == (0, "same_thread 1\n")
    assert [len(log.records) for log in read_logs([tmp_path])] == [3, 3]


def test_what_is_under_breakpoints_is_not_patched(plain: str, tmp_path: Path) -> None:
    observed(tmp_path, "cases::*", PROGRAMS / "functions_O0", "calls", 1)
    copy = tmp_path / "observed"
    done = patched(tmp_path / "logs", "cases::*", copy, "all")
    assert (done.returncode, done.stdout) == (0, plain)


def test_exceptions_end_sections_in_time(tmp_path: Path) -> None:
    assert patched(tmp_path, "cases::*", PROGRAMS / "functions_O0", "all").returncode == 0
    events = events_of(read_logs([tmp_path])).filter(kind="section")
    inner = events.filter(section="cases::throws_through").sort("depth")
    assert inner["depth"].to_list() == list(range(9))
    assert inner["end_ns"].is_sorted(descending=True)


@pytest.mark.parametrize("how", [patched, observed])
def test_a_killed_program_keeps_its_records(how: object, tmp_path: Path) -> None:
    done = how(tmp_path, "cases::works", PROGRAMS / "functions_O2", "kill", 200)  # type: ignore[operator]
    assert done.returncode in (-9, 137)
    assert counts(tmp_path) == {"cases::works": 200}


def test_libraries_that_are_opened_later_are_searched(tmp_path: Path) -> None:
    plugin = PROGRAMS / "functions_plugin.so"
    done = patched(tmp_path, "cases::*", PROGRAMS / "functions_O2", "open", 1, plugin)
    assert done.stdout.startswith("opened 45\n")
    assert counts(tmp_path) == {"cases::opens": 1, "cases::plugged_in": 1}
    assert f"{plugin}: opened now" in done.stderr


@pytest.mark.parametrize("means", ["patches", "instrumented"])
def test_a_library_that_is_opened_again_and_again_takes_no_more(means: str, tmp_path: Path) -> None:
    """Neither numbers, of which there are 256, nor memory, nor lines."""
    times = 300
    built = {
        "patches": ("functions_O2", "functions_plugin.so"),
        "instrumented": ("functions_instrumented", "functions_plugin_instrumented.so"),
    }
    program, plugin = (PROGRAMS / name for name in built[means])
    patterns = "cases::opens\ncases::plugged_in"
    done = patched(
        tmp_path, patterns, program, "open", times, plugin, WIRECOST_FUNCTIONS_MEANS=means
    )
    assert done.returncode == 0, done.stderr
    opened, mappings = done.stdout.splitlines()
    assert opened == f"opened {45 * times}"
    assert mappings == "more_mappings 0"
    assert counts(tmp_path) == {"cases::opens": times, "cases::plugged_in": times}
    assert done.stderr.count("\n") <= 1


def test_a_fork_does_not_wait_for_ever_for_a_library_that_is_opened(tmp_path: Path) -> None:
    """Both need the locks of the recorder and of the probe."""
    plugin = PROGRAMS / "functions_plugin.so"
    done = patched(tmp_path, "cases::*", PROGRAMS / "functions_O2", "fork", 300, plugin)
    assert (done.returncode, done.stdout) == (0, "forked 300\n")


def test_programs_that_were_built_to_report_calls(plain: str, tmp_path: Path) -> None:
    program = PROGRAMS / "functions_instrumented"
    done = patched(tmp_path, "cases::*", program, "all", WIRECOST_FUNCTIONS_MEANS="instrumented")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain
    by_name = counts(tmp_path)
    assert by_name["cases::inlined"] == by_name["cases::adds"] > 8000
    assert by_name["cases::throws_when_odd"] == 100
    assert unclosed(tmp_path) == JUMPED_OUT


def test_sleds_of_xray(plain: str, tmp_path: Path) -> None:
    program = PROGRAMS / "functions_xray"
    done = patched(tmp_path, "cases::*", program, "all", WIRECOST_FUNCTIONS_MEANS="xray")
    assert done.returncode == 0, done.stderr
    assert done.stdout == plain
    by_name = counts(tmp_path)
    assert (by_name["cases::raises"], by_name["cases::switches"]) == (200, 10)
    assert by_name["cases::throws_when_odd"] == 50


def test_entries_that_cannot_be_patched_are_refused(tmp_path: Path) -> None:
    done = run(
        [HELPER, "list", PROGRAMS / "functions_short"],
        **os.environ | {"WIRECOST_FUNCTIONS": "*_*\n*behind"},
    )
    functions = {function["name"]: function for function in json.loads(done.stdout)["functions"]}
    expected = {
        "without_room": "it is shorter than the 5 bytes of a jump",
        "right_behind": "it is shorter than the 5 bytes of a jump",
        "loops_into_its_start": "it jumps back into its first 5 bytes",
        "calls_at_once": "it calls within its first 5 bytes",
        "branches_by_rcx": "its first 5 bytes have a branch that works only where it is",
        "calls_in_first_place": "",
        "reads_nearby": "",
        "data_in_code": "its code holds bytes that are no instruction",
        "_start": "it is not entered and left as functions are",
        "frame_dummy": "the file does not tell where it ends",
    }
    assert {
        name: functions[name]["refusal"] or functions[name]["no_jump"] for name in expected
    } == expected
    done = patched(tmp_path, "*", PROGRAMS / "functions_short")
    assert done.returncode == 0
    recorded = counts(tmp_path)
    assert recorded["calls_in_first_place"] == recorded["reads_nearby"] == recorded["main"] == 1


def test_hostile_files_are_no_functions(tmp_path: Path) -> None:
    whole = (PROGRAMS / "functions_short").read_bytes()
    for i in range(0, 4096, 37):
        damaged = bytearray(whole)
        damaged[i % len(damaged)] ^= 0xFF
        damaged[-1 - i] ^= 0xFF
        path = tmp_path / "damaged"
        path.write_bytes(damaged[: len(damaged) - i] if i % 2 else damaged)
        done = run([HELPER, "list", path], **os.environ | {"WIRECOST_FUNCTIONS": "*"})
        assert done.returncode == 0, (i, done.stderr)
        json.loads(done.stdout)


def command(*words: object) -> list[object]:
    return [
        sys.executable,
        "-m",
        "wirecost",
        "probe",
        "run",
        "--without",
        "ros1,ros2,rospy",
        *words,
    ]


def test_the_command_shows_what_matches_and_what_it_costs(tmp_path: Path) -> None:
    logs = tmp_path / "logs"
    words = command("--out", logs, "--function", "cases::wor*", "--function-means", "trampoline")
    done = run([*words, "--", PROGRAMS / "functions_O2", "calls", 50], **environment(logs))
    assert done.returncode == 0, done.stderr
    assert "patched entries, " in done.stderr and "µs per call" in done.stderr
    assert "cases::works" in done.stdout
    assert counts(logs) == {"cases::works": 50}


LOCAL_FUNCTIONS = """
#include <stdio.h>
#define LOCAL __attribute__((noinline)) static
static volatile double scale = 1.5;
LOCAL int local_sum(int n) { volatile int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
LOCAL double local_scaled(double x) { return x * scale; }
LOCAL long double local_long(long double x) { return x / 3; }
LOCAL float local_wide(float v __attribute__((vector_size(32)))) { return v[0] + v[7]; }
LOCAL int local_caller(int n) { return 2 * local_sum(n); }
LOCAL double local_mixed(int n, double a, double b, float c) {
  float wide __attribute__((vector_size(32))) = {c, 1, 2, 3, 4, 5, 6, c + n};
  double kept = a * b + c;
  double first = local_scaled(kept) + n, second = local_scaled(first) - a * n;
  return kept + first * second + local_caller(n) + (double)local_long(a) + local_wide(wide) + c;
}
int main(int count, char **arguments) {
  double sum = 0;
  long whole = 0;
  for (int i = 0; i < 300; i++) {
    sum += local_mixed(i % 100 + count, i * .25, i * .5, i);
    whole += local_caller(i % 100 + count);
  }
  printf("%.17g %ld\\n", sum, whole);
}
"""


@pytest.mark.parametrize("level", ["-O1", "-O2", "-O3", "-Os", "-O2 -mavx2", "-O2 -fipa-pta"])
def test_local_functions_whose_callers_know_them(level: str, tmp_path: Path) -> None:
    """They are called with any stack alignment, and keep registers that functions need not."""
    if shutil.which("gcc") is None:
        pytest.skip("no gcc")
    if "avx2" in level and " avx2 " not in Path("/proc/cpuinfo").read_text():
        pytest.skip("no AVX2")
    source, program = tmp_path / "local.c", tmp_path / "local"
    source.write_text(LOCAL_FUNCTIONS)
    run(["gcc", *level.split(), "-w", source, "-o", program], **os.environ)
    plain = run([program], **os.environ)
    assert plain.returncode == 0
    done = patched(tmp_path / "logs", "local_*", program)
    assert (done.returncode, done.stdout) == (0, plain.stdout), done.stderr
    assert counts(tmp_path / "logs")["local_sum"] == 600


def test_a_static_program_needs_breakpoints(tmp_path: Path) -> None:
    why = run([HELPER, "observe"], **os.environ).stdout.strip()
    logs = tmp_path / "logs"
    words = command("--out", logs, "--function", "cases::works")
    done = run([*words, "--", PROGRAMS / "functions_static", "calls", 50], **environment(logs))
    if why:
        assert f"not by uprobes: {why}" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    assert counts(logs) == {"cases::works": 50}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--function", "cases::recursiv"], "the nearest are cases::recursive"),
        (["--function", "*", "--function-limit", "9"], "functions match, more than 9"),
        (["--function", "cases::works", "--function-limit", "0"], "must be from 1 to 256"),
        (["--function", "cases::works", "--function-means", "magic"], "there are auto, uprobes"),
        (["--function", "cases::works", "--function-means", "xray"], "was built so"),
        (["--function", "\n"], "printable characters"),
    ],
)
def test_refusals(words: list[str], message: str, tmp_path: Path) -> None:
    done = run(
        [*command(*words), "--", PROGRAMS / "functions_O2", "calls", 1], **environment(tmp_path)
    )
    assert done.returncode != 0
    assert message in done.stderr


def test_a_process_that_runs_is_attached_to(tmp_path: Path) -> None:
    why = run([HELPER, "observe"], **os.environ).stdout.strip()
    if why:
        pytest.skip(f"no uprobes: {why}")
    copy = tmp_path / "running"
    shutil.copy2(PROGRAMS / "functions_O2", copy)
    words = [sys.executable, "-m", "wirecost", "probe", "attach", "--for", "0.5", "--json", "-"]
    with subprocess.Popen([copy, "calls", "1000000"]) as process:
        try:
            done = run([*words, "--function", "cases::works", process.pid], **environment(tmp_path))
        finally:
            process.kill()
    assert done.returncode == 0, done.stderr
    assert "by uprobes, " in done.stderr
    (section,) = json.loads(done.stdout)["sections"]
    assert section["section"] == "cases::works"
    assert section["count"] > 10
