# SPDX-License-Identifier: Apache-2.0
"""Probabilities of our own agree with SciPy's, far into the tails."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special, stats

from wirecost.measure.cost.least_squares import nonnegative
from wirecost.results.analysis.distributions import (
    binomial_quantile,
    hypergeometric_tails,
    normal_below,
    student_distance,
    student_tail,
)
from wirecost.results.analysis.significance import (
    adjusted,
    rank_sum_test,
    ranks_of,
    welch_test,
)

RANDOM = np.random.default_rng(7)


@pytest.mark.parametrize("z", [-37.0, -8.3, -1.96, 0.0, 0.5, 4.0])
def test_normal(z: float) -> None:
    assert normal_below(z) == pytest.approx(float(special.ndtr(z)), rel=1e-12)


@pytest.mark.parametrize("freedom", [1, 2, 2.7, 11, 48.3, 1000, 250_000])
@pytest.mark.parametrize("distance", [0.0, 1e-9, 0.01, 1.0, 2.5, 30.0, 1e5])
def test_student(freedom: float, distance: float) -> None:
    expected = float(special.stdtr(freedom, -distance))
    assert student_tail(freedom, distance) == pytest.approx(expected, rel=1e-8, abs=1e-290)


@pytest.mark.parametrize("freedom", [1, 2.7, 11, 250_000])
@pytest.mark.parametrize("tail", [0.4, 0.025, 1e-6])
def test_distance_of_student(freedom: float, tail: float) -> None:
    expected = -float(special.stdtrit(freedom, tail))
    assert student_distance(freedom, tail) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("share", [0.0, 1e-6, 0.5, 0.95, 0.999, 1.0])
@pytest.mark.parametrize("n", [1, 10, 1000, 3_580_881])
def test_quantile_of_a_binomial(n: int, share: float) -> None:
    for probability in (0.025, 0.5, 0.975):
        expected = max(0, int(stats.binom.ppf(probability, n, share)))
        assert binomial_quantile(probability, n, share) == expected


def test_hypergeometric() -> None:
    for n, m in ((6, 6), (40, 7), (1000, 1000), (200_000, 90_000)):
        marked = (n + m) // 2
        for drawn in {max(0, marked - m), n * marked // (n + m), min(marked, n * 5 // 9)}:
            tails = hypergeometric_tails(drawn, n + m, marked, n)
            place = n + m, marked, n
            expected = stats.hypergeom.cdf(drawn, *place), stats.hypergeom.sf(drawn - 1, *place)
            assert tails == pytest.approx(list(map(float, expected)), rel=1e-7, abs=1e-250)


def test_comparisons_of_two_samples() -> None:
    for a, b in (
        (RANDOM.normal(5, 1, 7), RANDOM.normal(6, 2, 12)),
        (RANDOM.integers(0, 4, 50).astype(float), RANDOM.integers(1, 5, 60).astype(float)),
    ):
        test = stats.ttest_ind(b, a, equal_var=False)
        p, ends = welch_test(a, b, 0.025)
        assert p == pytest.approx(float(test.pvalue), rel=1e-8)
        assert ends == pytest.approx(list(test.confidence_interval(0.95)), rel=1e-8)
        ranked = stats.mannwhitneyu(a, b, method="asymptotic")
        assert rank_sum_test(a, b) == pytest.approx(float(ranked.pvalue), rel=1e-10)
        assert ranks_of(a).tolist() == stats.rankdata(a).tolist()
    assert rank_sum_test(np.ones(8), np.ones(8)) == 1


def test_adjusted_probabilities() -> None:
    p = [float(value) for value in RANDOM.uniform(0, 0.2, 40)]
    assert adjusted(p) == pytest.approx(stats.false_discovery_control(p).tolist())


def test_least_squares_without_negative_solutions() -> None:
    for columns in (1, 4, 24):
        for _ in range(20):
            matrix = RANDOM.uniform(0, 1, (40, columns)) * (RANDOM.uniform(size=columns) > 0.1)
            target = matrix @ RANDOM.normal(0.3, 1, columns) + RANDOM.normal(0, 0.1, 40)
            expected, least = optimize.nnls(matrix, target)
            solution = nonnegative(matrix, target)
            assert solution.min() >= 0
            assert np.linalg.norm(matrix @ solution - target) == pytest.approx(least, rel=1e-9)
            assert matrix @ solution == pytest.approx(matrix @ expected, abs=1e-7)
