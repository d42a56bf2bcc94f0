# SPDX-License-Identifier: Apache-2.0
"""First sentence of a report of sections: price times count, and what to do if that is little."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.answers import results_page
from support.probe_logs import header, record
from support.result_folders import copied, edit_meta
from wirecost.results.analysis.causes import Explanation, explain
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import events_of, read_logs
from wirecost.results.records.reading import read_results
from wirecost.results.report.shared.cause_lead import cause_lead

FAULT_NS = 400
UNEXPLAINED = "is explained by no counter"


def explained(
    folder: Path, faults: Callable[[int], int], absent: bool = False, rest_ns: int = 30_000
) -> list[Explanation]:
    """Explain 300 executions that take ``rest_ns``, some noise, and 400 ns per fault."""
    counters = [("minor-faults", 1), ("LLC-load-misses", 0)][: 1 + absent]
    content = header(counters, [(0, "filter")])
    for i in range(300):
        begin = 10**7 * (i + 1)
        end = begin + rest_ns + FAULT_NS * faults(i) + i * 7919 % 97 * 5
        content += record(i + 1, begin, end, section=0, counted=1, counters=[faults(i)])
    (folder / "a.wprobe").write_bytes(content)
    return explain(executions(events_of(read_logs([folder]))), {})


def test_price_times_count_is_the_time_beside_it(tmp_path: Path) -> None:
    lead = cause_lead(explained(tmp_path, lambda i: 110 + i % 21), ["filter"])
    assert lead is not None
    match = re.match(
        r"filter: minor faults: (\d+) × (\d+) ns = ([\d.]+) µs of ([\d.]+) µs in the median "
        r"execution \((\d+) %\)\. To reduce it: run with wirecost heap",
        lead,
    )
    assert match, lead
    count, each, ns, whole, percent = map(float, match.groups())
    assert abs(count - 120) <= 2
    assert abs(each - FAULT_NS) <= 8
    assert count * each / 1000 == pytest.approx(ns, rel=0.03)
    assert percent == pytest.approx(100 * ns / whole, abs=1)
    assert UNEXPLAINED not in lead


def test_what_only_slow_executions_have_is_said_of_them(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    lead = cause_lead(explained(tmp_path, lambda i: 200 if i % 60 == 7 else i % 2), ["filter"])
    assert lead == snapshot


def test_where_most_is_unexplained_the_next_step_is_named(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    lead = cause_lead(explained(tmp_path, lambda i: i % 3, absent=True), ["filter"]) or ""
    assert lead == snapshot


def test_the_section_that_took_longest_comes_first_if_something_is_known(tmp_path: Path) -> None:
    (explanation,) = explained(tmp_path, lambda i: 110 + i % 21)
    assert (cause_lead([explanation], ["other", "filter"]) or "").startswith("filter")
    assert cause_lead([], ["filter"]) is None


def test_equality_of_outputs_is_a_tick_at_the_top(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    folder = copied("replay", tmp_path / "r")
    parts = {}
    for name in ("equal", "different"):
        results = read_results(folder)
        text = results_page(results, figures=[]).split("<nav>")[0]
        parts[name] = re.findall(r"[✓✗]</span>[^<]*", text)
        edit_meta(folder, lambda meta: meta["equality"][0].update(difference="/out 7: byte 3"))
    assert parts == snapshot


def test_counters_that_are_not_of_memory_judge_no_memory_access(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    (explanation,) = explained(tmp_path, lambda i: i % 3, absent=True)
    absent = (["allocations"], ["allocations", "LLC-load-misses"])
    leads = [cause_lead([replace(explanation, absent=names)], ["filter"]) for names in absent]
    assert leads == snapshot
