# SPDX-License-Identifier: Apache-2.0
"""Runs of several processes that differ by themselves, whose intervals must say so."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    SLOWER,
    CompareSettings,
    TimeChange,
    judged,
)
from wirecost.results.analysis.compare.counters import mean_difference
from wirecost.results.analysis.compare.processes import (
    GRID,
    LEAST_PROCESSES,
    _weights,
    enough,
    quantiles,
)
from wirecost.results.analysis.compare.quantiles import shift

Array = NDArray[np.float64]
EACH = 60


def run(random: np.random.Generator, count: int, apart: float, within: float) -> Array:
    """Return processes of ``EACH`` samples that lie ``apart``."""
    centre = np.repeat(random.normal(0, apart, count), EACH)
    return 1e6 * np.exp(centre + random.normal(0, within, count * EACH))


def taken_by(count: int) -> NDArray[np.int64]:
    return np.repeat(np.arange(count), EACH)


@pytest.mark.parametrize("count", [6, 12])
def test_intervals_of_counters_and_times_count_what_processes_differ_by(count: int) -> None:
    """A tenth of 60 intervals may exclude what is true, where a twentieth should.

    Intervals of samples, which take no notice of processes, exclude it in most."""
    random = np.random.default_rng(1)
    processes = taken_by(count), taken_by(count)
    missed = {"mean": 0, "p50": 0, "samples": 0}
    for _ in range(60):
        a, b = (run(random, count, 0.04, 0.05) for _ in range(2))
        intervals = {
            "mean": mean_difference(a, b, processes).ci95,
            "p50": shift(a, b, 0.5, processes).ci95,
            "samples": mean_difference(a, b).ci95,
        }
        for name, interval in intervals.items():
            missed[name] += interval is not None and not interval[0] <= 0 <= interval[1]
    assert missed["mean"] <= 6
    assert missed["p50"] <= 6
    assert missed["samples"] > 30


def test_comparisons_of_unchanged_programs_seldom_have_a_verdict() -> None:
    """However small a change counts."""
    random = np.random.default_rng(2)
    processes = taken_by(6), taken_by(6)
    with_verdict = 0
    for _ in range(60):
        a, b = (run(random, 6, 0.15, 0.1) for _ in range(2))
        changes = [
            TimeChange((1,), str(q), len(a), len(b), shift(a, b, q, processes)) for q in (0.5, 0.9)
        ]
        reported = {change.verdict for change in judged(changes, CompareSettings(0.0))}
        with_verdict += bool(reported & {SLOWER, FASTER})
    assert with_verdict <= 5


def test_a_change_beyond_what_processes_differ_by_is_found() -> None:
    random = np.random.default_rng(3)
    processes = taken_by(12), taken_by(12)
    for _ in range(20):
        a, b = run(random, 12, 0.02, 0.05), 1.15 * run(random, 12, 0.02, 0.05)
        for interval in (
            shift(a, b, 0.5, processes).ci95,
            mean_difference(a, b, processes).change95,
        ):
            assert interval is not None
            assert 0.05 < interval[0] < interval[1] < 0.3


def test_few_processes_widen_an_interval() -> None:
    random = np.random.default_rng(4)
    a, b = (run(random, 3, 0.05, 0.05) for _ in range(2))
    assert not enough(taken_by(LEAST_PROCESSES - 1))
    narrow, wide = mean_difference(a, b).ci95, mean_difference(a, b, (taken_by(3),) * 2).ci95
    assert narrow is not None and wide is not None
    assert wide[1] - wide[0] > 3 * (narrow[1] - narrow[0])


def test_counts_that_never_vary_have_no_width() -> None:
    same, processes = np.full(360, 7.0), (taken_by(6),) * 2
    difference = mean_difference(same, same, processes)
    assert (difference.ci95, difference.p) == ((0, 0), 1)
    more = mean_difference(same, same + 1, processes)
    assert (more.ci95, more.p) == ((1, 1), 0)


@pytest.mark.parametrize("q", [0.5, 0.9, 0.99])
def test_quantiles_of_resampled_processes_are_those_of_their_samples(q: float) -> None:
    random = np.random.default_rng(5)
    values, processes = run(random, 8, 0.1, 0.05), taken_by(8)
    order = np.argsort(values)
    result = quantiles(values[order], processes[order], q, 9)
    parts = values.reshape(8, EACH)
    expected = [
        np.quantile(parts[random.integers(8, size=8)], q, method="averaged_inverted_cdf")
        for _ in range(2000)
    ]
    assert result.value == pytest.approx(np.quantile(values, q), rel=0.01)
    assert result.resamples.mean() == pytest.approx(np.mean(expected), rel=0.01)
    assert result.resamples.std() == pytest.approx(np.std(expected), rel=0.1)
    assert len(values) > GRID


@pytest.mark.parametrize("q", [0.5, 0.9, 0.99, 0.999])
def test_resampled_quantiles_are_those_of_the_resamples(q: float) -> None:
    """Many short processes are resampled too, where few samples lie above the quantile."""
    random = np.random.default_rng(5)
    processes = np.repeat(np.arange(60), 100)
    series = random.lognormal(0, 1, len(processes)) * random.lognormal(0, 0.3, 60)[processes]
    order = np.argsort(series)
    ordered = series[order]
    result = quantiles(ordered, processes[order], q, 1)
    weights = _weights(60, 1)[:200].astype(int)
    repeated = (np.repeat(series, weight[processes]) for weight in weights)
    exact = np.array(
        [np.quantile(values, q, method="averaged_inverted_cdf") for values in repeated]
    )
    apart = np.log(result.resamples[:200]) - np.log(exact)
    spread = np.log(exact).std()
    assert abs(apart.mean()) < 0.05 * spread
    assert apart.std() < 0.2 * spread
    assert result.value == np.quantile(series, q, method="averaged_inverted_cdf")
