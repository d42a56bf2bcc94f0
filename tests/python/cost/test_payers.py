# SPDX-License-Identifier: Apache-2.0
"""Calls of rcl become processor time of topics; the result is served to Prometheus."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from unittest.mock import Mock
from urllib.error import HTTPError
from urllib.request import urlopen

import numpy as np
import pytest

from wirecost.measure.cost.live import breakpoints, callers, processes
from wirecost.measure.cost.live.callers import (
    EVENT,
    IN,
    NOTHING,
    OUT,
    PUBLISH,
    PUBLISHED,
    SIZE,
    TAKE,
    TAKEN,
    WAIT,
    Callers,
    TopicEnd,
    states,
)
from wirecost.measure.cost.live.ends import end_costs
from wirecost.measure.cost.live.metrics import Metrics, metrics_of
from wirecost.results.records.cost import EndCost, ProcessCost, SystemCost
from wirecost.results.report.cost.payers import payers_answer
from wirecost.system.errors import UserError

FAILED = 401


def events(*rows: tuple[int, int, int, int]) -> np.ndarray:
    """Return events of thread, kind, end and result, a nanosecond apart."""
    result = np.zeros(len(rows), EVENT)
    result["taken"] = result["published"] = NOTHING
    for place, (tid, kind, end, code) in enumerate(rows):
        result[place]["time"] = place
        for name, value in (("tid", tid), ("kind", kind), ("end", end), ("result", code)):
            result[place][name] = value
    return result


def test_a_callback_lasts_until_its_executor_waits_and_publishes_within() -> None:
    taken, published = states(
        events(
            (1, TAKE, 3, 0), (1, TAKEN, NOTHING, 0), (1, PUBLISH, 4, 0), (1, OUT, NOTHING, 0),
            (1, IN, NOTHING, 0), (1, PUBLISHED, NOTHING, 0), (1, WAIT, NOTHING, 0),
            (2, IN, NOTHING, 0), (2, PUBLISHED, NOTHING, 0),
        )
    )  # fmt: skip
    assert taken.tolist() == [6, 7, 7, 7, 7, 7, -1, -1, -1]
    assert published.tolist() == [-1, -1, 8, 8, 8, -1, -1, -1, -1]


def test_a_take_of_nothing_has_no_callback_and_a_thread_goes_on_from_before() -> None:
    before = events(
        (1, OUT, NOTHING, 0), (1, IN, NOTHING, 0), (1, TAKE, 2, 0), (1, TAKEN, NOTHING, FAILED)
    )
    before[0]["taken"], before[0]["published"] = 7, 8
    taken, published = states(before)
    assert taken.tolist() == [7, 7, 4, -1]
    assert published.tolist() == [8, 8, -1, -1]


def test_processes_of_other_graphs_count_nowhere() -> None:
    ours, other = 7, 8
    ends = [
        TopicEnd(ours, "/image", True, messages=50, sizes=50, bytes=50 * 1_000_000),
        TopicEnd(other, "/image", True, messages=50, sizes=50, bytes=50 * 1_000),
    ]
    paying = Mock(ends=ends, seconds={ours: 10.0, other: 0.0}.get)
    (found,) = end_costs(paying, {}, lambda _: set(), but=0)
    assert (found.pid, found.rate_hz, found.bytes_per_s) == (ours, 5, 5e6)


def test_a_thread_that_only_serializes_belongs_to_no_topic(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of the middleware's own, which is switched before its first call."""
    main, other, publish, size = 1, 2, 10, 11
    calls = np.zeros(4, breakpoints.SAMPLE_RECORD)
    calls["id"], calls["tid"] = [publish, size, size, size], [main, main, other, other]
    calls["time"], calls["ax"], calls["pid"] = [1, 2, 4, 5], [0, 1000, 20, 20], main
    switches = np.zeros(1, breakpoints.SWITCH_RECORD)
    switches["tid"], switches["time"] = other, 3
    kernel = Mock(calls=Mock(return_value=calls), switches=Mock(return_value=switches))
    monkeypatch.setattr(callers, "Breakpoints", lambda: kernel)
    with Callers() as paying:
        paying._kinds |= {publish: PUBLISH, size: SIZE}
        paying.look()
        (end,) = paying.ends
        assert (end.sizes, end.bytes, end.messages) == (1, 1000, 1)


def test_without_uprobes_a_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(breakpoints, "UPROBE_TYPE", tmp_path / "none")
    with pytest.raises(UserError, match=r"--attach: .* need root, and a kernel with uprobes"):
        Callers()


def cost() -> SystemCost:
    end = EndCost(
        pid=7, nodes=["/lidar"], topic='/po"ints', is_publisher=True, rate_hz=10.0,
        bytes_per_s=2e7, call_share=0.05,
    )  # fmt: skip
    return SystemCost(
        files=["--live", "ros2"], lang="cpp", duration_s=1.0, prices={}, is_own=True, topics=[],
        processes=[ProcessCost(pid=7, command="lidar", share=0.2, nodes=["/lidar"])],
        is_listened=False, looking=0.01, ends=[end], lost_records=3,
    )  # fmt: skip


def test_who_pays_is_said_with_what_was_lost() -> None:
    text = payers_answer(cost()).sentence
    assert "20 % of a core by 1 process: publishing 5 %" in text
    assert "3 records of calls did not fit" in text


def test_metrics_are_served_on_loopback() -> None:
    text = metrics_of(cost())
    labels = r'{topic="/po\"ints",nodes="/lidar",pid="7",end="publisher"}'
    assert f"wirecost_end_bytes_per_second{labels} 2e+07" in text
    assert "wirecost_own_cores{} 0.01" in text
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        with pytest.raises(UserError, match="name another port"):
            Metrics(port)
    with Metrics(port) as metrics:
        metrics.text = text
        assert urlopen(f"http://127.0.0.1:{port}/metrics").read().decode() == text
        with pytest.raises(HTTPError):
            urlopen(f"http://127.0.0.1:{port}/secret")
        metrics.text = "a program of the name \udcff"
        assert b"name ?" in urlopen(f"http://127.0.0.1:{port}/metrics").read()


def test_an_old_process_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    monkeypatch.setattr(processes, "_age_s", lambda pid: 0.0 if pid == os.getpid() else 1e6)
    monkeypatch.setattr(processes, "has_middleware", lambda pid: bool(looked.append(pid)))
    graph = processes.GraphProcesses(is_exact=False)
    graph.look()
    assert looked.count(os.getpid()) == 2
    assert looked.count(os.getppid()) == 1
