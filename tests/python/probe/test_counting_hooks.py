# SPDX-License-Identifier: Apache-2.0
"""Allocations and lock waits of a program as it is, counted by preloaded libraries."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import polars as pl
import pytest

from wirecost.observe.probe.run.hook import Request, library
from wirecost.observe.probe.run.hooks import allocations, locks, stacks
from wirecost.observe.probe.run.target import find
from wirecost.results.records.probe_log import events_of, read_logs
from wirecost.results.records.probe_stacks import stacks_of
from wirecost.system.errors import UserError

PROGRAM = Path(__file__).parents[3] / "build/cmake/tests/cpp/probe/probe_hooked"
COUNTERS = ("allocations", "allocated-bytes", "lock-waits", "lock-wait-ns")


def recorded(folder: Path, *libraries: str) -> pl.DataFrame:
    environment = os.environ | {
        "WIRECOST_PROBE": str(folder),
        "WIRECOST_PROBE_COUNTERS": ",".join(COUNTERS),
        "LD_PRELOAD": ":".join(str(library(name)) for name in libraries),
    }
    done = subprocess.run(
        [PROGRAM], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return events_of(read_logs([folder]))


def of(events: pl.DataFrame, section: str, counter: str) -> list[int | None]:
    return list(events.filter(section=section)[f"counter:{counter}"])


def test_allocations_and_their_bytes(tmp_path: Path) -> None:
    events = recorded(tmp_path, allocations.HOOK.library)
    assert of(events, "allocating", "allocations") == [9] * 10
    assert of(events, "allocating", "allocated-bytes") == [7 * 100 + 100 + 300] * 10
    assert of(events, "nothing", "allocations") == [0] * 10
    assert of(events, "deep", "allocations") == [0] * 10
    assert of(events, "nothing", "lock-waits") == [None] * 10


def test_waits_for_a_lock_and_who_held_it(tmp_path: Path) -> None:
    events = recorded(tmp_path, locks.HOOK.library)
    assert of(events, "waiting", "lock-waits") == [1] * 10
    waited = of(events, "waiting", "lock-wait-ns")
    assert of(events, "nothing", "lock-wait-ns") == [0] * 10
    spans = events.filter(kind="span").sort("begin_ns")
    (section,) = set(spans["section"])
    assert section.endswith("held by holder()")
    assert list(spans["end_ns"] - spans["begin_ns"]) == waited
    # The value is the thread that held it, each time another one.
    assert len(set(spans["value"])) > 1
    assert set(spans["value"]).isdisjoint(spans["thread"])


def test_both_at_once(tmp_path: Path) -> None:
    events = recorded(tmp_path, allocations.HOOK.library, locks.HOOK.library)
    assert of(events, "allocating", "allocations") == [9] * 10
    assert of(events, "waiting", "lock-waits") == [1] * 10


@pytest.mark.parametrize("what", ["loading", "errno", "cancel"])
def test_a_recorded_wait_changes_nothing(what: str, tmp_path: Path) -> None:
    """Not even while a library is loaded whose constructor wants the lock."""
    plugin = PROGRAM.with_name("libprobe_locking_plugin.so")
    hooked = {"WIRECOST_PROBE": str(tmp_path), "LD_PRELOAD": str(library(locks.HOOK.library))}
    done = subprocess.run(
        [PROGRAM.with_name("probe_locked"), what, plugin],
        env=os.environ | hooked,
        capture_output=True,
        text=True,
        timeout=20,
        check=True,
    )
    assert done.stdout.split() == ["errno", "77,", "went", "on", "1"]
    events = events_of(read_logs([tmp_path]))
    assert any("lock in" in section for section in events.filter(kind="span")["section"])


@pytest.mark.parametrize(
    ("limits", "expected", "calls"),
    [
        ("", [("inner", 10), ("inner", 10), ("outer", 10)], 20),
        ("allocations 2 inner\nallocations 2 out*\nsystem-calls 3 blocked", [("inner", 10)], 8),
    ],
)
def test_what_is_watched_goes_on_as_it_would(
    limits: str, expected: list[tuple[str, int]], calls: int, tmp_path: Path
) -> None:
    """Threads, children, blocked signals and handlers, while stacks are kept of every event.

    With limits, of those above them."""
    names = (allocations.HOOK.library, locks.HOOK.library, stacks.LIBRARY)
    hooked = {
        "WIRECOST_PROBE": str(tmp_path),
        "WIRECOST_PROBE_COUNTERS": "system-calls,allocations,minor-faults,lock-waits",
        "WIRECOST_PROBE_STACKS": "0",
        "WIRECOST_PROBE_LIMITS": limits,
        "LD_PRELOAD": ":".join(str(library(name)) for name in names),
    }
    done = subprocess.run(
        [PROGRAM.with_name("probe_watched")],
        env=os.environ | hooked,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines()[-2:] == ["errno 77, blocked 1", "child 0, handled 1"]
    logs = read_logs([tmp_path])
    events = events_of(logs)
    assert len(logs) == 3
    assert of(events, "blocked", "system-calls") == [5] * 4
    assert of(events, "inner", "allocations") == [2] * 10
    assert of(events, "outer", "allocations") == [3] * 10
    kept = [
        (stack.section, stack.count)
        for stack in stacks_of(logs)
        if "allocations" in stack.counters and stack.section in ("outer", "inner")
    ]
    assert sorted(kept) == expected
    seen = [s.count for s in stacks_of(logs) if s.section == "blocked" and s.counters[0][0] == "s"]
    assert sum(seen) == calls


def test_they_are_preloaded_only_where_their_counters_are_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target = find(["/bin/true"])
    monkeypatch.setenv("WIRECOST_PROBE_COUNTERS", "minor-faults,allocations")
    assert locks.HOOK.prepare(target, Request()).libraries == ()
    (path,) = allocations.HOOK.prepare(target, Request()).libraries
    assert path.name == allocations.HOOK.library
    monkeypatch.setenv("WIRECOST_HOOKS", "/nowhere")
    hooked = allocations.HOOK.prepare(target, Request())
    assert hooked.libraries == ()
    assert "allocations and allocated-bytes" in hooked.notes[0]
    with pytest.raises(UserError, match="install wirecost again"):
        library(allocations.HOOK.library)
