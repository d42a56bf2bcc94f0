# SPDX-License-Identifier: Apache-2.0
"""Causes that were planted are found with their price; where there is none, none is told."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from wirecost.analysis.causes import FEWEST, Explanation, explain

COUNT = 2000


def explained(ns: Any, value: Any = 0, **counters: Any) -> Explanation:
    table = pl.DataFrame({"ns": np.asarray(ns, np.int64)}).with_columns(
        pl.lit("callback").alias("section"),
        value=pl.Series(np.broadcast_to(np.asarray(value, np.int64), len(ns))),
        **{f"counter:{k.replace('_', '-')}": pl.Series(v) for k, v in counters.items()},
    )
    (one,) = explain(table)
    return one


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_faults_are_found_with_their_price(random: np.random.Generator) -> None:
    faults = random.poisson(20, COUNT)
    ns = 100_000 + 700 * faults + random.normal(0, 500, COUNT)
    one = explained(ns, minor_faults=faults, context_switches=random.poisson(1, COUNT))
    assert [cause.name for cause in one.causes] == ["minor-faults"]
    assert one.causes[0].ns_each == pytest.approx(700, rel=0.02)
    assert one.causes[0].variance > 0.9
    assert one.causes[0].slowest > 0.9
    assert one.unexplained_variance == pytest.approx(1 - one.causes[0].variance)


def test_two_causes_are_ranked_and_told_apart(random: np.random.Generator) -> None:
    size = random.integers(1000, 9000, COUNT)
    switches = (random.random(COUNT) < 0.01).astype(np.int64)
    ns = 5 * size + 30_000 * switches + random.normal(0, 500, COUNT)
    one = explained(ns, size, context_switches=switches, instructions=[None] * COUNT)
    assert [cause.name for cause in one.causes] == ["value", "context-switches"]
    assert [cause.ns_each for cause in one.causes] == pytest.approx([5, 30_000], rel=0.05)
    assert one.causes[1].slowest > one.causes[0].slowest
    assert sum(c.variance for c in one.causes) + one.unexplained_variance == pytest.approx(1)


def test_a_number_that_follows_the_cause_adds_nothing(random: np.random.Generator) -> None:
    size = random.integers(1000, 9000, COUNT)
    instructions = 12 * size + random.integers(0, 3000, COUNT)
    one = explained(3 * size + random.normal(0, 50, COUNT), size, instructions=instructions)
    assert [cause.name for cause in one.causes] == ["value"]


def test_noise_is_unexplained(random: np.random.Generator) -> None:
    for _ in range(20):
        one = explained(
            random.lognormal(10, 1, COUNT),
            random.integers(0, 100, COUNT),
            minor_faults=random.poisson(3, COUNT),
            cpu_migrations=(random.random(COUNT) < 0.001).astype(np.int64),
        )
        assert one.causes == []
        assert (one.unexplained_variance, one.unexplained_slowest) == (1, 1)


def test_what_makes_quicker_is_no_cause(random: np.random.Generator) -> None:
    faults = random.poisson(20, COUNT)
    assert explained(100_000 - 700 * faults, minor_faults=faults).causes == []


def test_constant_times_and_few_executions() -> None:
    one = explained([5] * FEWEST, range(FEWEST))
    assert (one.causes, one.unexplained_variance) == ([], 0)
    few = pl.DataFrame({"section": ["a"], "ns": [1], "value": [1]})
    assert explain(few) == []


def test_numbers_that_floats_cannot_tell_apart_are_no_cause() -> None:
    huge = pl.Series([2**63 + i for i in range(FEWEST)], dtype=pl.UInt64)
    assert explained(range(FEWEST), instructions=huge).causes == []
