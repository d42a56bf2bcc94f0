# SPDX-License-Identifier: Apache-2.0
"""Calls of Python functions of a program as it is, by profile hooks and by sys.monitoring."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

from support.programs import execute
from wirecost.results.records.probe_log import events_of, read_logs

PATTERNS = ("program:Planner.plan*", "__main__:generator", "program:coroutine", "program:recursive")
PROGRAM = """
import asyncio, threading

class Planner:
    def plan(self, count): return sum(range(count))
    def plan_in_vain(self): raise ValueError("no plan")
    @classmethod
    def plan_for_all(cls): return 3

def generator(count):
    yield from range(count)

async def coroutine(value):
    await asyncio.sleep(0.001)
    return value

def recursive(depth): return 0 if depth == 0 else 1 + recursive(depth - 1)
def other(): return recursive(5)

planner = Planner()
for _ in range(10): planner.plan(10)
for _ in range(4):
    try: planner.plan_in_vain()
    except ValueError: pass
Planner.plan_for_all()
assert list(generator(3)) == [0, 1, 2]
unfinished = generator(5)
next(unfinished)
try: unfinished.throw(KeyError())
except KeyError: pass

async def both(): return await asyncio.gather(coroutine(1), coroutine(2))
assert asyncio.run(both()) == [1, 2]
assert other() == 5
threads = [threading.Thread(target=planner.plan, args=(10,)) for _ in range(3)]
for one in threads: one.start()
for one in threads: one.join()
print("done")
"""
EXPECTED = {
    "program:Planner.plan": 13,
    "program:Planner.plan_in_vain": 4,
    "program:Planner.plan_for_all": 1,
    "program:generator": 6,  # from each resumption to the next suspension
    "program:coroutine": 4,
    "program:recursive": 6,
}


EQUAL = "def work(): return 1\n"
EQUAL_PROGRAM = """
import first, second

for _ in range(3): first.work()
for _ in range(5): second.work()
for i in range(200):
    made = {"__name__": "made"}
    exec("def work(): return 1\\ndef other(): return 2", made)
    made["other"]()
    made["work"]()
    del made
"""


def recorded(
    tmp_path: Path, *patterns: str, text: str = PROGRAM, **more: str
) -> subprocess.CompletedProcess[str]:
    program = tmp_path / "program.py"
    program.write_text(text)
    variables = {
        "WIRECOST_PROBE": str(tmp_path / "logs"),
        "WIRECOST_PROBE_COUNTERS": "none",
        "WIRECOST_PROBE_SIZE": "64K",
    }
    words = [sys.executable, "-m", "wirecost", "probe", "run", "--without", "ros1,ros2,rospy"]
    for pattern in patterns:
        words += ["--function", pattern]
    return execute(
        [*words, "--out", str(tmp_path / "logs"), "--", sys.executable, str(program)],
        env=os.environ | variables | more,
        timeout=120,
    )


def test_each_stretch_of_a_function_is_a_section(tmp_path: Path) -> None:
    done = recorded(tmp_path, *PATTERNS)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("done")
    logs = read_logs([tmp_path / "logs"])
    events = events_of(logs)
    assert dict(events.group_by("section").len().iter_rows()) == EXPECTED
    assert [log.unclosed + log.unmatched for log in logs] == [0] * len(logs)
    assert events.filter(section="program:recursive")["depth"].max() == 5


def test_what_matches_nothing_is_said_with_what_is_near(tmp_path: Path) -> None:
    """Once in a run, even if others match; what one process has matches for all."""
    near, other, matching = "program:Planner.plam", "no.module:function", "__main__:recursive"
    done = recorded(tmp_path, near, matching, other)
    lines = [line for line in done.stderr.splitlines() if "no function" in line]
    assert len(lines) == 2
    assert lines[0].startswith(f"wirecost: function {near}: ")
    assert "program:Planner.plan" in lines[0]
    assert lines[1].startswith(f"wirecost: function {other}: ")
    assert not list((tmp_path / "logs").glob("*.near"))


def test_without_callbacks_the_printed_command_records_functions_alone(tmp_path: Path) -> None:
    """Not the bodies of the module and its classes, which the pattern matches, too."""
    done = recorded(tmp_path)
    assert done.returncode != 0
    words = shlex.split(done.stderr.strip().rpartition("functions of it: ")[2])
    pattern = words[words.index("--function") + 1]
    assert words[-2:] == [sys.executable, str(tmp_path / "program.py")]
    done = recorded(tmp_path, pattern)
    assert done.returncode == 0, done.stderr
    sections = set(events_of(read_logs([tmp_path / "logs"]))["section"])
    assert "program:Planner.plan" in sections
    assert not sections & {"program:<module>", "program:Planner"}


def test_equal_functions_of_two_modules_are_distinguished(tmp_path: Path) -> None:
    """Code objects are equal whatever their file; generated code comes and goes."""
    for name in ("first", "second"):
        (tmp_path / f"{name}.py").write_text(EQUAL)
    done = recorded(tmp_path, "second:work", "made:work", text=EQUAL_PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "functions match" not in done.stderr
    events = events_of(read_logs([tmp_path / "logs"]))
    assert dict(events.group_by("section").len().iter_rows()) == {
        "second:work": 5,
        "made:work": 200,
    }
