# SPDX-License-Identifier: Apache-2.0
"""The statistics of a comparison, on samples whose change is known, and on some with none."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from wirecost.results.analysis.compare.comparison import (
    FASTER,
    SAME,
    SLOWER,
    CompareSettings,
    TimeChange,
    judged,
)
from wirecost.results.analysis.compare.counters import (
    MeanDifference,
    mean_difference,
)
from wirecost.results.analysis.compare.quantiles import (
    independent,
    least_samples,
    quantile_test,
    resampled,
    shift,
)
from wirecost.results.analysis.significance import adjusted, rank_sum_test

Array = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Array]

VERDICTS = {SLOWER, FASTER}
"""Verdicts that say that something changed."""
SHAPES: dict[str, Draw] = {
    "skewed": lambda random, n: random.lognormal(10, 0.3, n),
    "long tail": lambda random, n: 1000 * (1 + random.pareto(2, n)),
    "two machines' states": lambda random, n: (
        random.choice([1000.0, 1500.0], n) + random.normal(0, 20, n)
    ),
    "a coarse clock": lambda random, n: np.round(random.lognormal(3, 0.2, n), -1) + 10,
}


def verdicts(pairs: list[tuple[Array, Array]], q: float = 0.5, margin: float = 0.0) -> list[str]:
    changes = [
        TimeChange((i,), "p", len(a), len(b), shift(a, b, q)) for i, (a, b) in enumerate(pairs)
    ]
    return [change.verdict for change in judged(changes, CompareSettings(margin))]


@pytest.mark.parametrize("shape", SHAPES)
def test_where_nothing_changed_hardly_any_run_has_a_verdict(shape: str) -> None:
    """Without any change every verdict is false, so 5 % of runs may have one, or more."""
    random = np.random.default_rng(1)
    draw = SHAPES[shape]
    with_verdict = 0
    for _ in range(80):
        reported = verdicts([(draw(random, 20), draw(random, 20)) for _ in range(30)])
        with_verdict += SLOWER in reported or FASTER in reported
    assert with_verdict <= 8


@pytest.mark.parametrize(
    "apart",
    [
        pytest.param(0.0, marks=pytest.mark.thorough),
        0.03,
        pytest.param(0.1, marks=pytest.mark.thorough),
    ],
)
def test_processes_that_differ_by_themselves_are_no_change(apart: float) -> None:
    """Ten processes of three samples are no thirty independent ones."""
    random = np.random.default_rng(2)
    processes = np.repeat(np.arange(10), 3)

    def draw() -> Array:
        centre = random.normal(0, apart, 10)[processes]
        return np.exp(centre + random.normal(0, 0.02, 30))

    with_verdict = 0
    for _ in range(80):
        pairs = [(draw(), draw()) for _ in range(20)]
        changes = [
            TimeChange((i,), "p50", 30, 30, shift(a, b, 0.5, (processes, processes)))
            for i, (a, b) in enumerate(pairs)
        ]
        reported = [change.verdict for change in judged(changes, CompareSettings(0.0))]
        with_verdict += SLOWER in reported or FASTER in reported
    assert with_verdict <= 8


def test_false_verdicts_stay_few_among_true_ones() -> None:
    random = np.random.default_rng(2)
    false, verdict_count, missed = 0, 0, 0
    for _ in range(20):
        factors = [1.0] * 30 + [1.3] * 10
        pairs = [(random.lognormal(8, 0.1, 30), f * random.lognormal(8, 0.1, 30)) for f in factors]
        reported = verdicts(pairs)
        verdict_count += sum(verdict in VERDICTS for verdict in reported)
        false += sum(verdict in VERDICTS for verdict in reported[:30])
        missed += 10 - reported[30:].count(SLOWER)
    assert false / verdict_count <= 0.05
    assert missed == 0


def test_one_changed_row_among_thousands_is_found() -> None:
    random = np.random.default_rng(3)
    same = [(random.normal(100, 5, 20), random.normal(100, 5, 20)) for _ in range(1500)]
    reported = verdicts([*same, (random.normal(100, 5, 20), random.normal(130, 5, 20))])
    assert reported[-1] == SLOWER
    assert sum(verdict in VERDICTS for verdict in reported[:-1]) <= 2


@pytest.mark.parametrize(
    ("q", "n"), [(0.5, 20), (0.5, 300), (0.9, 100), (0.99, 1000), (0.999, 8000)]
)
def test_intervals_cover_the_true_change_about_as_often_as_they_say(q: float, n: int) -> None:
    random = np.random.default_rng(4)
    covered = 0
    for _ in range(200):
        difference = shift(random.lognormal(8, 0.3, n), 1.2 * random.lognormal(8, 0.3, n), q)
        if difference.ci95 is None:  # short series can look dependent by chance
            covered += 1
            continue
        covered += difference.ci95[0] <= 0.2 <= difference.ci95[1]
    assert covered >= 0.91 * 200


def test_a_change_of_the_tail_alone_is_distinguished_from_one_of_the_middle() -> None:
    random = np.random.default_rng(5)
    before = random.normal(1000, 10, 4000)
    after = random.normal(1000, 10, 4000)
    after[random.random(4000) < 0.03] += 500
    assert verdicts([(before, after)], 0.5, 0.05) == [SAME]
    assert verdicts([(before, after)], 0.99, 0.05) == [SLOWER]
    assert verdicts([(after, before)], 0.99, 0.05) == [FASTER]


def test_samples_that_follow_one_another_count_for_fewer() -> None:
    def alike(random: np.random.Generator, n: int) -> Array:
        noise = random.normal(size=n)
        for i in range(1, n):
            noise[i] = 0.9 * noise[i - 1] + noise[i] * math.sqrt(1 - 0.81)
        return 1000 * np.exp(0.1 * noise)

    random = np.random.default_rng(6)
    pairs = [(alike(random, 400), alike(random, 400)) for _ in range(150)]
    shifts = [shift(a, b, 0.5) for a, b in pairs]
    wrong = sum(
        not difference.ci95[0] <= 0 <= difference.ci95[1]
        for difference in shifts
        if difference.ci95
    )
    assert wrong <= 0.12 * len(shifts)
    shuffled = [shift(random.permutation(a), random.permutation(b), 0.5) for a, b in pairs]
    naive = sum(
        not difference.ci95[0] <= 0 <= difference.ci95[1]
        for difference in shuffled
        if difference.ci95
    )
    assert naive > 3 * wrong
    assert independent(random.normal(size=400), 0.5) > 300
    assert independent(alike(random, 400), 0.5) < 100


def test_ranks_drawn_from_a_beta_distribution_are_those_of_resamples() -> None:
    random = np.random.default_rng(7)
    for n, q in ((7, 0.5), (20, 0.5), (40, 0.9)):
        ordered = np.sort(random.lognormal(size=n))
        drawn = resampled(ordered, n, q, 1)
        real = np.quantile(random.choice(ordered, (20_000, n)), q, axis=1)
        assert drawn.mean() == pytest.approx(real.mean(), rel=0.03)
        assert drawn.std() == pytest.approx(real.std(), rel=0.05)


def test_the_quantile_test_is_exact() -> None:
    """All of one run below all of the other: 2 of the ways to choose n of 2 n."""
    for n in (6, 10, 20):
        low, high = np.arange(n, dtype=np.float64), np.arange(n, 2 * n, dtype=np.float64)
        assert quantile_test(low, high, 0.5, (n, n)) == pytest.approx(2 / math.comb(2 * n, n))
    # Of 10 values above the joint p90 of 100, all in one half: 50 over 10, divided by 100 over 10.
    a, b = np.arange(50.0), np.arange(50.0, 100.0)
    assert quantile_test(a, b, 0.9, (50, 50)) == pytest.approx(
        2 * math.comb(50, 10) / math.comb(100, 10)
    )


def test_equal_values_at_the_quantile_do_not_hide_a_change() -> None:
    a = np.sort(np.repeat([30.0, 40.0], 15))
    b = np.repeat(40.0, 30)
    below = math.comb(30, 15) / math.comb(60, 15)
    assert quantile_test(a, b, 0.5, (30, 30)) == pytest.approx(2 * 2 * below)
    assert quantile_test(b, b, 0.5, (30, 30)) == 1


def test_benjamini_and_hochberg_s_own_example() -> None:
    """Their table of 15 probabilities (1995, section 3.2): four are rejected at 0.05."""
    p = [
        0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262,
        0.5719, 0.6528, 0.7590, 1.0000,
    ]  # fmt: skip
    order = np.random.default_rng(8).permutation(15)
    probabilities = adjusted([p[i] for i in order])
    rejected = {p[order[i]] for i, value in enumerate(probabilities) if value <= 0.05}
    assert rejected == set(p[:4])
    assert probabilities[list(order).index(3)] == pytest.approx(0.0095 * 15 / 4)
    assert adjusted([]) == []


@pytest.mark.parametrize(("q", "least"), [(0.5, 6), (0.9, 36), (0.99, 368), (0.999, 3688)])
def test_with_too_few_samples_there_is_a_change_and_no_interval(q: float, least: int) -> None:
    assert least_samples(q) == least
    random = np.random.default_rng(9)
    enough, few = random.normal(100, 1, least), random.normal(100, 1, least - 1)
    assert shift(enough, enough, q).ci95 is not None
    for a, b in ((few, enough), (enough, few), (few[:1], few[:1])):
        difference = shift(a, b, q)
        assert (difference.ci95, difference.p) == (None, None)
        assert difference.why == f"n too small: {least:,} needed, {min(len(a), len(b)):,} there"
        assert difference.change is not None


def test_zeros_are_no_base_of_a_change() -> None:
    zeros, ones = np.zeros(10), np.ones(10)
    assert shift(zeros, ones, 0.5).change is None
    assert shift(zeros, zeros, 0.5).change is None
    assert shift(ones, zeros, 0.5).change == -1
    mostly = np.array([0.0] * 9 + [1.0] * 11)
    assert shift(mostly, ones, 0.5).ci95 is None
    assert verdicts([(zeros, ones), (zeros, zeros), (ones, zeros)]) == [
        "cannot tell", SAME, FASTER,
    ]  # fmt: skip


@settings(deadline=None)
@given(
    arrays(np.float64, st.integers(1, 60), elements=st.floats(-10, 1e15)),
    arrays(np.float64, st.integers(1, 60), elements=st.floats(-10, 1e15)),
    st.sampled_from([0.5, 0.9, 0.99]),
)
def test_any_times_give_ordered_intervals_and_probabilities(a: Array, b: Array, q: float) -> None:
    difference = shift(a, b, q)
    assert (difference.ci95 is None) == (difference.p is None)
    if difference.ci95 is not None and difference.p is not None:
        assert difference.ci95[0] <= difference.ci95[1]
        assert 0 <= difference.p <= 1


def test_counters_that_did_not_change_have_hardly_a_small_probability() -> None:
    random = np.random.default_rng(10)
    small = sum(
        rank_sum_test(
            random.poisson(0.5, 20).astype(np.float64), random.poisson(0.5, 20).astype(np.float64)
        )
        <= 0.05
        for _ in range(500)
    )
    assert 5 <= small <= 0.08 * 500


def test_a_planted_difference_of_counters_lies_in_its_interval() -> None:
    random = np.random.default_rng(11)
    a, b = random.poisson(10, 5000).astype(np.float64), random.poisson(12, 5000).astype(np.float64)
    difference = mean_difference(a, b)
    assert difference.ci95 is not None
    assert difference.ci95[0] < 2 < difference.ci95[1]
    assert difference.ci95[1] - difference.ci95[0] < 0.6
    assert difference.p is not None
    assert difference.p < 1e-9
    assert mean_difference(a[:3], b).ci95 is None
    zeros = np.zeros(50)
    assert mean_difference(zeros, zeros) == MeanDifference(0, 0, (0, 0), 1)


def test_rank_sums_are_those_of_a_textbook() -> None:
    """Ranks 1–5 against 6–10: U = 0, z = (12.5 − 0.5) / √(25 · 11 / 12)."""
    probability = rank_sum_test(np.arange(5.0), np.arange(5.0, 10.0))
    assert probability == pytest.approx(math.erfc(12 / math.sqrt(25 * 11 / 12) / math.sqrt(2)))
