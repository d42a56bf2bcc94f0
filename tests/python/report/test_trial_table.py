# SPDX-License-Identifier: Apache-2.0
"""Gains by remedies: a verdict on the tail of its own, and how much more to measure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.compare.counters import mean_difference
from wirecost.results.analysis.compare.quantiles import Shift, TooFew, shift
from wirecost.results.analysis.gains import Gain
from wirecost.results.report.compare.rows import too_few
from wirecost.results.report.probe.trial import document, gain_table

SAME = Shift(100.0, 95.0, -0.05, (-0.1, 0.01), 0.3)
TAIL = Shift(100.0, 20.0, -0.8, (-0.86, -0.73), 1e-4)


def test_a_tail_that_alone_became_shorter_is_the_verdict() -> None:
    gain = Gain("callback", "fifo", 600, SAME, TAIL)
    table = gain_table([gain])
    assert table.rows[0][-1] == "p99 faster"
    assert not any(heading.startswith("change of p99") for heading in table.optional)
    assert document([gain], [], {})["gains"][0]["verdict_p99"] == "faster"
    faster = replace(gain, median=TAIL)
    assert gain_table([faster]).rows[0][-1] == "faster"
    slower = replace(faster, p99=replace(TAIL, change=1.0, ci95=(0.5, 2.0)))
    assert gain_table([slower]).rows[0][-1] == "faster; p99 slower"


def test_a_tail_without_enough_is_no_verdict(snapshot: SnapshotAssertion) -> None:
    by_chance = replace(TAIL, p=0.2)
    assert gain_table([Gain("a", "b", 600, SAME, by_chance)]).rows[0][-1] == "no difference"
    assert gain_table([Gain("a", "b", 90, SAME, TAIL)]).rows[0][-1] == "no difference"
    lacking = Shift(1.0, 2.0, 1.0, None, None, "n too small", TooFew(368, 149, 600, 6))
    assert gain_table([Gain("a", "b", 600, SAME, lacking)]).notes == snapshot
    assert too_few(TooFew(36, 20, 20, 1)) == snapshot


def test_an_interval_contains_its_change_where_samples_leave_a_gap() -> None:
    """p99 lies between two samples far apart: any value of the gap is one."""
    processes = np.repeat(np.arange(6), 100)
    for seed in range(5):
        random = np.random.default_rng(seed)
        a, b = random.normal(30e3, 100, 600), random.normal(30e3, 100, 600)
        a[random.permutation(600)[:6]] = 6e5 + random.normal(0, 1e4, 6)
        b[random.permutation(600)[:5]] = 6e5 + random.normal(0, 1e4, 5)
        difference = shift(a, b, 0.99, (processes, processes))
        if difference.ci95 is not None:
            assert difference.change is not None
            assert difference.ci95[0] <= difference.change <= difference.ci95[1]


@pytest.mark.parametrize("count", [1, 6])
def test_nothing_counts_less_than_none(count: int) -> None:
    """Times waited, of a few executions nearly all: 99 % less, and never 147 % less."""
    random = np.random.default_rng(5)
    processes = np.repeat(np.arange(count), 60 // count)
    a = random.lognormal(15, 1.5, 60) * np.repeat(random.lognormal(0, 1, count), 60 // count)
    b = 0.013 * random.lognormal(15, 1.5, 60)
    difference = mean_difference(a, b, (processes, processes))
    assert difference.change95 is not None
    assert difference.change is not None
    assert -1 < difference.change95[0] < difference.change < difference.change95[1]
    never = mean_difference(a, np.where(np.arange(60) == 3, 1.0, 0.0), (processes, processes))
    assert never.change95 is not None
    assert never.change95[0] >= -1
