# SPDX-License-Identifier: Apache-2.0
"""Time of an action where the thread had to wait for a processor."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from wirecost.measure.bench.engine import timing
from wirecost.measure.bench.engine.timing import timed

ACTION_S = 0.002
WAIT_S = 0.02


class Waiting:
    """The kernel's count of a thread that loses its processor at one moment."""

    def __init__(self, tmp_path: Path) -> None:
        self.path = tmp_path / "schedstat"
        self.ns = 0
        self.write()

    def write(self) -> None:
        self.path.write_text(f"1 {self.ns} 1\n")

    def wait(self) -> None:
        time.sleep(WAIT_S)
        self.ns += int(WAIT_S * 1e9)
        self.write()


@pytest.fixture
def waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Waiting:
    fake = Waiting(tmp_path)
    monkeypatch.setattr(timing, "SCHEDSTAT", fake.path)
    return fake


def test_waiting_in_the_action_does_not_count(waiting: Waiting) -> None:
    def action() -> None:
        time.sleep(ACTION_S)
        waiting.wait()

    assert ACTION_S * 1e9 <= timed(action) < WAIT_S * 1e9


@pytest.mark.parametrize("moment", ["before", "after"])
def test_waiting_beside_the_action_takes_nothing_from_it(
    waiting: Waiting, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    read: Callable[[], int] = timing._waited_ns
    calls = 0

    def interrupted() -> int:
        nonlocal calls
        calls += 1
        if moment == "before" and calls == 1:
            reading = read()
            waiting.wait()
            return reading
        if moment == "after" and calls == 2:
            waiting.wait()
        return read()

    monkeypatch.setattr(timing, "_waited_ns", interrupted)
    assert timed(lambda: time.sleep(ACTION_S)) >= ACTION_S * 1e9


def test_all_time_counts_in_kernels_that_do_not_count_waiting(waiting: Waiting) -> None:
    waiting.path.unlink()
    assert timed(lambda: time.sleep(ACTION_S)) >= ACTION_S * 1e9
