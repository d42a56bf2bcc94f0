# SPDX-License-Identifier: Apache-2.0
"""Causes that were planted are found with their price; where there is none, none is reported."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.causes import FEWEST, Explanation, Origin, explain
from wirecost.results.analysis.causes.linear import Correlations, line
from wirecost.results.report.shared.causes import all_sentences, cause_table, record_next, sentences

COUNT = 2000


def explained(
    ns: Any, value: Any = 0, prices: dict[str, float] | None = None, **counters: Any
) -> Explanation:
    table = pl.DataFrame({"ns": np.asarray(ns, np.int64)}).with_columns(
        pl.lit("callback").alias("section"),
        value=pl.Series(np.broadcast_to(np.asarray(value, np.int64), len(ns))),
        **{f"counter:{k.replace('_', '-')}": pl.Series(v) for k, v in counters.items()},
    )
    (explanation,) = explain(table, prices)
    return explanation


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(7)


def test_faults_are_found_with_their_price(random: np.random.Generator) -> None:
    faults = random.poisson(20, COUNT)
    ns = 100_000 + 700 * faults + random.normal(0, 500, COUNT)
    explanation = explained(ns, minor_faults=faults, context_switches=random.poisson(1, COUNT))
    assert [cause.name for cause in explanation.causes] == ["minor-faults"]
    assert explanation.causes[0].ns_each == pytest.approx(700, rel=0.02)
    assert explanation.causes[0].variance > 0.9
    assert explanation.causes[0].slowest > 0.9
    assert explanation.unexplained_variance == pytest.approx(1 - explanation.causes[0].variance)


def test_two_causes_are_ranked_and_distinguished(random: np.random.Generator) -> None:
    size = random.integers(1000, 9000, COUNT)
    switches = (random.random(COUNT) < 0.01).astype(np.int64)
    ns = 5 * size + 30_000 * switches + random.normal(0, 500, COUNT)
    explanation = explained(ns, size, context_switches=switches, instructions=[None] * COUNT)
    assert [cause.name for cause in explanation.causes] == ["value", "context-switches"]
    assert [cause.ns_each for cause in explanation.causes] == pytest.approx([5, 30_000], rel=0.05)
    assert explanation.causes[1].slowest > explanation.causes[0].slowest
    assert sum(
        c.variance for c in explanation.causes
    ) + explanation.unexplained_variance == pytest.approx(1)


def test_a_busy_machine_does_not_hide_what_an_execution_follows(
    random: np.random.Generator,
    snapshot: SnapshotAssertion,
) -> None:
    faults = random.poisson(200, 100)
    switches = (random.random(100) < 0.2).astype(np.int64)
    ns = 100_000 + 700 * faults + switches * random.exponential(4e6, 100)
    explanation = explained(ns, minor_faults=faults, context_switches=switches)
    faulting, switching = explanation.causes
    assert (faulting.name, switching.name) == ("minor-faults", "context-switches")
    assert faulting.ns_each == pytest.approx(700, rel=0.02)
    assert faulting.rivals == []
    assert faulting.undisturbed > 0.9
    assert sentences(explanation) == snapshot


def test_switches_in_nearly_every_execution_leave_too_few_without(
    random: np.random.Generator,
) -> None:
    faults = random.poisson(20, 100)
    switches = np.where(np.arange(100) < FEWEST - 1, 0, 1)
    ns = 700 * faults + switches * random.exponential(1e8, 100)
    explanation = explained(ns, minor_faults=faults, context_switches=switches)
    assert "minor-faults" not in [cause.name for cause in explanation.causes]


def test_a_number_that_follows_the_cause_adds_nothing(random: np.random.Generator) -> None:
    size = random.integers(1000, 9000, COUNT)
    instructions = 12 * size + random.integers(0, 3000, COUNT)
    explanation = explained(3 * size + random.normal(0, 50, COUNT), size, instructions=instructions)
    assert [cause.name for cause in explanation.causes] == ["value"]


def test_noise_is_unexplained(random: np.random.Generator) -> None:
    for _ in range(20):
        explanation = explained(
            random.lognormal(10, 1, COUNT),
            random.integers(0, 100, COUNT),
            minor_faults=random.poisson(3, COUNT),
            cpu_migrations=(random.random(COUNT) < 0.001).astype(np.int64),
        )
        assert explanation.causes == []
        assert (explanation.unexplained_variance, explanation.unexplained_slowest) == (1, 1)


def test_what_makes_quicker_is_no_cause(random: np.random.Generator) -> None:
    faults = random.poisson(20, COUNT)
    assert explained(100_000 - 700 * faults, minor_faults=faults).causes == []


def test_constant_times_and_few_executions() -> None:
    explanation = explained([5] * FEWEST, range(FEWEST))
    assert (explanation.causes, explanation.unexplained_variance) == ([], 0)
    few = pl.DataFrame({"section": ["a"], "ns": [1], "value": [1]})
    assert explain(few) == []


def test_numbers_that_floats_cannot_tell_apart_are_no_cause() -> None:
    huge = pl.Series([2**63 + i for i in range(FEWEST)], dtype=pl.UInt64)
    assert explained(range(FEWEST), instructions=huge).causes == []


def test_cache_misses_are_found_and_reported_in_a_sentence(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    misses = random.poisson(3000, COUNT) + 20_000 * (random.random(COUNT) < 0.02)
    ns = 1_000_000 + 80 * misses + random.normal(0, 2000, COUNT)
    explanation = explained(ns, LLC_load_misses=misses, minor_faults=[0] * COUNT)
    assert sentences(explanation) == snapshot


def test_events_in_every_execution_are_reported_though_they_have_no_price(
    random: np.random.Generator,
    snapshot: SnapshotAssertion,
) -> None:
    ns = random.normal(1e6, 1e4, COUNT)
    faults = np.full(COUNT, 470)
    faults[: COUNT // 50] = 0
    explanation = explained(ns, minor_faults=faults, context_switches=random.poisson(1, COUNT))
    assert [(steady.name, steady.each) for steady in explanation.steady] == [("minor-faults", 470)]
    assert sentences(explanation) == snapshot


def test_events_that_are_a_cause_are_not_steady(random: np.random.Generator) -> None:
    faults = random.poisson(200, COUNT)
    explanation = explained(100_000 + 700 * faults, minor_faults=faults)
    assert ([cause.name for cause in explanation.causes], explanation.steady) == (
        ["minor-faults"],
        [],
    )


def test_constant_allocations_without_a_price_are_listed(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    """One more in few executions gives a price that all of them cannot have."""
    allocations = 88_807 + (random.random(COUNT) < 0.1)
    ns = 3e7 + random.normal(0, 1e6, COUNT) + 6e5 * (allocations > 88_807)
    explanation = explained(ns, allocations=allocations)
    assert ([cost.name for cost in explanation.costs], explanation.causes) == ([], [])
    assert explanation.unexplained_variance == 1
    assert [(steady.name, steady.each) for steady in explanation.steady] == [
        ("allocations", 88_807)
    ]
    assert {"table": cause_table([explanation]), "sentences": sentences(explanation)} == snapshot


def test_constant_allocations_have_the_price_of_the_machine(random: np.random.Generator) -> None:
    ns = random.normal(3e7, 1e6, COUNT)
    explanation = explained(ns, prices={"allocation": 50.0}, allocations=[88_807] * COUNT)
    (cost,) = explanation.costs
    assert (cost.name, cost.origin) == ("allocations", Origin.MACHINE)
    assert cost.ns_median == pytest.approx(88_807 * 50)
    assert explanation.steady == []


def test_a_price_far_above_the_machine_s_is_that_of_something_else(
    random: np.random.Generator,
    snapshot: SnapshotAssertion,
) -> None:
    faults = (random.random(COUNT) < 0.05) * 2
    ns = 5_000 + random.normal(0, 100, COUNT) + 280_000 * faults
    explanation = explained(ns, prices={"minor-fault": 1000.0}, minor_faults=faults)
    (cost,) = explanation.costs
    assert cost.benchmark_ns == 1000
    assert {"table": cause_table([explanation]), "sentences": sentences(explanation)} == snapshot


def test_switches_that_are_too_dear_lead_to_the_counters_of_waiting(
    random: np.random.Generator,
    snapshot: SnapshotAssertion,
) -> None:
    switches = random.poisson(10, COUNT)
    ns = 1e7 + 3e6 * switches + random.normal(0, 1e5, COUNT)
    explanation = explained(ns, prices={"context-switch": 2000.0}, context_switches=switches)
    waited = explained(
        ns,
        prices={"context-switch": 2000.0},
        context_switches=switches,
        run_queue_wait_ns=[0] * COUNT,
    )
    said = {
        name: [*all_sentences([this]), record_next([this]) or "nothing to record next"]
        for name, this in (("not counted", explanation), ("counted", waited))
    }
    assert said == snapshot


def test_blocked_time_below_the_jitter_of_its_clocks_is_none(random: np.random.Generator) -> None:
    blocked = random.integers(0, 1999, COUNT)
    explanation = explained(3000 + blocked, blocked_ns=blocked)
    assert (explanation.costs, explanation.causes) == ([], [])
    explanation = explained(3000 + blocked, blocked_ns=blocked + 2000, context_switches=[0] * COUNT)
    assert (explanation.costs, explanation.causes) == ([], [])
    absent = explained(3000 + blocked, blocked_ns=[None] * COUNT, context_switches=[0] * COUNT)
    assert absent.absent == ["blocked-ns"]
    explanation = explained(3000 + 10 * blocked, blocked_ns=10 * blocked)
    assert [cost.name for cost in explanation.costs] == ["blocked-ns"]


def test_a_missing_counter_is_named_where_much_is_unexplained(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    nothing = pl.Series([None] * COUNT, dtype=pl.UInt64)
    explanation = explained(
        random.lognormal(10, 1, COUNT), LLC_load_misses=nothing, minor_faults=nothing
    )
    assert sentences(explanation) == snapshot


def test_marks_read_no_counters_so_none_is_missed(random: np.random.Generator) -> None:
    table = pl.DataFrame({"section": "a 0→1", "ns": random.lognormal(10, 1, 50), "kind": "mark"})
    (explanation,) = explain(
        table.with_columns(pl.lit(None, pl.UInt64).alias("counter:minor-faults"))
    )
    assert (explanation.absent, explanation.causes) == ([], [])


def test_a_span_without_a_cause_is_left_out(random: np.random.Generator) -> None:
    ns = random.lognormal(10, 1, 50)
    table = pl.DataFrame({"section": "wait", "ns": ns, "value": 0, "kind": "span"})
    assert explain(table) == []
    sizes = pl.Series(ns).cast(pl.Int64)
    assert [section.section for section in explain(table.with_columns(value=sizes))] == ["wait"]


def test_what_cannot_be_distinguished_is_reported(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    size = random.integers(1000, 9000, COUNT) * 1024
    explanation = explained(
        size // 8 + random.normal(0, 2000, COUNT), size, minor_faults=size // 4096 + 3
    )
    (cause,) = explanation.causes
    assert {cause.name, *cause.rivals} == {"value", "minor-faults"}
    assert sentences(explanation) == snapshot


def test_correlated_causes_have_prices_of_their_own(random: np.random.Generator) -> None:
    """Faults grow with the size, and half of them come from elsewhere."""
    size = random.integers(1000, 9000, COUNT)
    faults = size // 100 + random.integers(0, 80, COUNT)
    explanation = explained(
        20 * size + 1500 * faults + random.normal(0, 100, COUNT), size, minor_faults=faults
    )
    prices = {cause.name: cause.ns_each for cause in explanation.causes}
    assert prices == {
        "value": pytest.approx(20, rel=0.05),
        "minor-faults": pytest.approx(1500, rel=0.05),
    }
    assert all(cause.rivals == [] for cause in explanation.causes)
    assert all(cause.alone < cause.variance for cause in explanation.causes)
    assert sum(cause.variance for cause in explanation.causes) == pytest.approx(1, abs=1e-3)


def test_a_sum_of_causes_does_not_hide_them(random: np.random.Generator) -> None:
    faults, misses = random.poisson(20, COUNT), random.poisson(500, COUNT)
    both = 40 * faults + 2 * misses + random.integers(0, 400, COUNT)
    ns = 800 * faults + 40 * misses + random.normal(0, 20, COUNT)
    explanation = explained(ns, minor_faults=faults, LLC_load_misses=misses, dTLB_load_misses=both)
    assert {cause.name for cause in explanation.causes} == {"minor-faults", "LLC-load-misses"}


def test_time_itself_and_the_work_behind_everything_are_no_causes(
    random: np.random.Generator,
) -> None:
    faults = random.poisson(20, COUNT)
    ns = 100_000 + 700 * faults + random.normal(0, 500, COUNT)
    explanation = explained(
        ns, cycles=(3 * ns).astype(int), instructions=(4 * ns).astype(int), minor_faults=faults
    )
    assert [cause.name for cause in explanation.causes] == ["minor-faults"]
    alone = explained(ns, cycles=(3 * ns).astype(int), instructions=(4 * ns).astype(int))
    assert [cause.name for cause in alone.causes] == ["instructions"]


def test_spikes_do_not_hide_what_the_usual_execution_follows(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    faults = random.poisson(20, COUNT)
    ns = 100_000 + 700 * faults + random.normal(0, 500, COUNT)
    ns[random.choice(COUNT, 10, replace=False)] += random.uniform(1e6, 1e8, 10)
    explanation = explained(ns, minor_faults=faults)
    (cause,) = explanation.causes
    assert cause.name == "minor-faults"
    assert cause.ns_each == pytest.approx(700, rel=0.03)
    assert cause.usual > 0.8
    assert explanation.unexplained_variance > 0.9
    assert sentences(explanation) == snapshot


def test_a_single_execution_proves_nothing(random: np.random.Generator) -> None:
    migrations = np.zeros(COUNT, np.int64)
    migrations[5] = 1
    ns = random.normal(10_000, 100, COUNT)
    ns[5] = 10**7
    assert explained(ns, cpu_migrations=migrations).causes == []


@pytest.mark.parametrize(("power", "reported"), [(1, None), (2, 2.0), (3, 3.0)])
def test_more_than_proportional_growth_is_reported(
    random: np.random.Generator, power: int, reported: float | None
) -> None:
    size = random.integers(100, 1000, COUNT)
    (cause,) = explained(5000 + 3.0 * size**power + random.normal(0, 50, COUNT), size).causes
    assert (cause.name, cause.power) == ("value", reported)


def test_the_table_fits_a_narrow_terminal(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    faults = random.poisson(20, COUNT)
    table = cause_table([explained(700 * faults, minor_faults=faults)])
    assert table is not None
    assert table == snapshot
    widths = [
        max(map(len, (heading, *cells)))
        for heading, *cells in zip(table.headings, *table.rows, strict=True)
        if heading not in table.optional
    ]
    assert sum(widths) + len(widths) <= 80


def test_constant_faults_lead_at_the_price_of_the_machine(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    """298 faults of 2.03 µs are 0.6 ms of 0.93 ms, whatever little the time varies with them."""
    faults = 298 + (random.random(COUNT) < 0.002)
    size = random.integers(4000, 6000, COUNT)
    ns = 315_000 + 2030 * faults + 2 * size + random.normal(0, 100, COUNT)
    explanation = explained(ns, size, prices={"minor-fault": 2030.0}, minor_faults=faults)
    assert [cost.name for cost in explanation.costs] == ["minor-faults", "value"]
    first = explanation.costs[0]
    assert (first.origin, first.within) == (Origin.MACHINE, None)
    assert first.count_median == pytest.approx(298, abs=0.2)
    assert first.ns_median == pytest.approx(298 * 2030, rel=1e-3)
    assert explanation.steady == []
    assert [cause.name for cause in explanation.causes] == ["value"]
    assert sentences(explanation) == snapshot
    assert explanation.rest_median_ns == pytest.approx(315_000, rel=0.01)


def test_a_price_of_the_executions_is_preferred_to_that_of_the_machine(
    random: np.random.Generator,
) -> None:
    faults = random.poisson(200, COUNT)
    explanation = explained(700 * faults + 50_000, prices={"minor-fault": 5.0}, minor_faults=faults)
    (cost,) = explanation.costs
    assert cost.origin is Origin.REGRESSION
    assert cost.ns_each == pytest.approx(700)
    assert cost.ns_median == pytest.approx(140_000, rel=0.01)
    assert cost.ns_slowest == pytest.approx(700 * cost.count_slowest)


def test_what_costs_next_to_nothing_is_not_listed(random: np.random.Generator) -> None:
    ns = random.normal(1e6, 1e4, COUNT)
    explanation = explained(ns, prices={"minor-fault": 500.0}, minor_faults=[3] * COUNT)
    assert (explanation.costs, explanation.steady) == ([], [])


def test_faults_that_grow_with_the_input_may_be_part_of_its_time(
    random: np.random.Generator,
    snapshot: SnapshotAssertion,
) -> None:
    size = random.integers(1000, 9000, COUNT) * 1024
    ns = size // 8 + random.normal(0, 200, COUNT)
    explanation = explained(ns, size, prices={"minor-fault": 250.0}, minor_faults=size // 4096 + 3)
    assert {cost.name: cost.within for cost in explanation.costs} == {
        "value": None,
        "minor-faults": "value",
    }
    assert explanation.rest_median_ns < 0.01 * explanation.median_ns
    assert sentences(explanation) == snapshot


def test_time_that_was_waited_needs_no_price(
    random: np.random.Generator, snapshot: SnapshotAssertion
) -> None:
    waited = np.where(random.random(COUNT) < 0.02, 5_000_000, 20_000)
    ns = 100_000 + waited + random.normal(0, 1000, COUNT)
    explanation = explained(ns, run_queue_wait_ns=waited)
    (cost,) = explanation.costs
    assert (cost.origin, cost.ns_each) == (Origin.ITSELF, 1.0)
    assert cost.ns_median == pytest.approx(20_000)
    assert cost.ns_slowest == pytest.approx(5_000_000)
    assert sentences(explanation) == snapshot


def test_waits_are_apart_but_for_locks(random: np.random.Generator) -> None:
    blocked = random.integers(10_000, 50_000, COUNT)
    queued = blocked // 3
    ns = 100_000 + blocked + queued
    explanation = explained(
        ns, blocked_ns=blocked, run_queue_wait_ns=queued, lock_wait_ns=blocked // 2
    )
    assert {cost.name: cost.within for cost in explanation.costs} == {
        "blocked-ns": None,
        "run-queue-wait-ns": None,
        "lock-wait-ns": "blocked-ns",
    }
    assert explanation.rest_median_ns == pytest.approx(100_000, rel=0.02)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    rate=st.floats(0.2, 20),
    each=st.integers(1_000, 200_000),
    spread=st.sampled_from([0.0, 0.01, 0.1]),
    locked=st.booleans(),
    constant=st.booleans(),
)
def test_no_time_is_counted_twice(
    seed: int, rate: float, each: int, spread: float, locked: bool, constant: bool
) -> None:
    """Each switch costs as much as it blocks; faults are counted twice, and locks thrice."""
    random = np.random.default_rng(seed)
    switches = np.full(COUNT, 1 + int(rate)) if constant else random.poisson(rate, COUNT)
    blocked = each * switches * random.normal(1, spread, COUNT)
    locks = {"lock_waits": switches, "lock_wait_ns": (0.9 * blocked).astype(np.int64)}
    ns = 200_000 + each * switches + blocked + 290 * 500 + random.normal(0, 500, COUNT)
    explanation = explained(
        ns,
        prices={"minor-fault": 500.0, "context-switch": each, "futex-wait": each},
        minor_faults=[290] * COUNT,
        page_faults=[290] * COUNT,
        context_switches=switches,
        blocked_ns=blocked.astype(np.int64),
        **(locks if locked else {}),
    )
    counted = [cost for cost in explanation.costs if cost.within is None]
    # Both medians are estimates, that of the counts from a fifth of the executions.
    assert sum(cost.ns_median for cost in counted) <= 1.03 * explanation.median_ns - 200_000 * 0.98
    assert sum(cost.ns_slowest for cost in counted) <= 1.02 * explanation.slowest_ns
    assert sum(cost.name.endswith("faults") for cost in counted) <= 1
    within = {cost.name: cost.within for cost in explanation.costs}
    assert all(_end_of(name, within) is None for name in within)


def _end_of(name: str | None, within: dict[str, str | None]) -> str | None:
    for _ in within:
        name = None if name is None else within[name]
    return name


def test_time_blocked_by_switches_is_part_of_their_price(random: np.random.Generator) -> None:
    switches = random.poisson(5, COUNT)
    blocked = 20_000 * switches + random.normal(0, 3000, COUNT)
    ns = 200_000 + 40_000 * switches + random.normal(0, 500, COUNT)
    explanation = explained(ns, context_switches=switches, blocked_ns=blocked.astype(np.int64))
    assert {cost.name: (cost.origin, cost.within) for cost in explanation.costs} == {
        "context-switches": (Origin.REGRESSION, None),
        "blocked-ns": (Origin.ITSELF, "context-switches"),
    }
    assert explanation.rest_median_ns == pytest.approx(200_000, rel=0.02)


def test_costs_never_add_to_more_than_the_time(random: np.random.Generator) -> None:
    rare = (random.random(COUNT) < 0.02).astype(np.int64)
    waited = rare * random.integers(2_000_000, 4_000_000, COUNT)
    ns = 4_000 + random.normal(0, 100, COUNT) + 1.02 * waited
    prices = {"minor-fault": 1300.0}
    faults = rare * random.integers(1, 3, COUNT)
    explanation = explained(
        ns, prices=prices, run_queue_wait_ns=waited, minor_faults=faults, blocked_ns=waited // 4
    )
    assert [cost.name for cost in explanation.costs if cost.within is None] == ["run-queue-wait-ns"]
    shares = [
        cost.ns_slowest / explanation.slowest_ns
        for cost in explanation.costs
        if cost.within is None
    ]
    assert sum(shares) <= 1.01
    table = cause_table([explanation])
    assert table is not None
    marked = [row[1] for row in table.rows if row[4].endswith("‡")]
    assert marked == [cost.name for cost in explanation.costs if cost.within is not None]
    assert bool(marked) == any(note.startswith("‡: ") for note in table.notes)


def test_two_counters_of_one_event_count_once(random: np.random.Generator) -> None:
    explanation = explained(
        random.normal(300_000, 100, COUNT),
        prices={"minor-fault": 500.0},
        minor_faults=[300] * COUNT,
        page_faults=[300] * COUNT,
    )
    assert sorted(str(cost.within) for cost in explanation.costs) == [
        "None",
        explanation.costs[0].name,
    ]
    assert explanation.rest_median_ns == pytest.approx(150_000, rel=0.01)


def test_the_price_of_lock_waits_is_part_of_the_time_waited(random: np.random.Generator) -> None:
    explanation = explained(
        random.normal(300_000, 100, COUNT),
        prices={"futex-wait": 10_000.0},
        lock_waits=[5] * COUNT,
        lock_wait_ns=[100_000] * COUNT,
    )
    assert {cost.name: cost.within for cost in explanation.costs} == {
        "lock-wait-ns": None,
        "lock-waits": "lock-wait-ns",
    }


def test_more_than_proportional_growth_costs_what_it_takes(random: np.random.Generator) -> None:
    size = random.integers(900, 1100, COUNT)
    (cost,) = explained(5000 + 3.0 * size.astype(float) ** 2, size).costs
    assert cost.ns_median == pytest.approx(3e6, rel=0.05)


def test_a_rare_spike_does_not_make_every_switch_dear(random: np.random.Generator) -> None:
    """A switch that lets another job run for 10 ms is no price of the two of each execution."""
    switches = np.where(random.random(COUNT) < 0.05, random.integers(3, 5, COUNT), 2)
    ns = 100_000 + random.normal(0, 1000, COUNT) + np.where(switches > 2, 5e6, 0)
    explanation = explained(ns, prices={"context-switch": 1500.0}, context_switches=switches)
    (cost,) = explanation.costs
    assert (cost.origin, cost.ns_median) == (Origin.MACHINE, 3000)
    assert cost.ns_slowest > 2e6
    assert explanation.cause("context-switches") is not None


def test_switches_of_few_executions_are_none_of_the_median(random: np.random.Generator) -> None:
    switches = (random.random(COUNT) < 0.2).astype(np.int64)
    ns = 100_000 + random.normal(0, 1000, COUNT) + 50_000 * switches
    (cost,) = explained(ns, context_switches=switches).costs
    assert (cost.count_median, cost.ns_median) == (0, 0)
    assert cost.ns_slowest == pytest.approx(50_000, rel=0.02)


def test_what_hardly_varies_is_not_extrapolated_to_nothing(random: np.random.Generator) -> None:
    size = random.integers(10_000, 10_040, COUNT)
    (cost,) = explained(50 * size - 490_000, size).costs
    assert cost.count_median == pytest.approx(20, abs=2)
    assert cost.ns_median == pytest.approx(1000, rel=0.1)


NUMBERS = st.one_of(
    st.just(0),
    st.integers(0, 3),
    st.integers(0, 2**64 - 1),
    st.none(),
)
TIMES = st.one_of(
    st.just(5.0), st.floats(), st.floats(-(2.0**63), 2.0**63), st.integers(0, 5).map(float)
)


@settings(max_examples=150, deadline=None)
@given(data=st.data(), count=st.integers(1, 60))
def test_whatever_was_recorded_is_explained_or_left(data: st.DataObject, count: int) -> None:
    def column(of: st.SearchStrategy[Any]) -> list[Any]:
        few = data.draw(st.lists(of, min_size=1, max_size=8))
        return [few[i % len(few)] for i in range(count)]

    table = pl.DataFrame(
        {
            "section": "a",
            "ns": pl.Series(column(TIMES), dtype=pl.Float64),
            "value": pl.Series(column(st.integers(-(2**63), 2**63 - 1)), dtype=pl.Int64),
            "counter:minor-faults": pl.Series(column(NUMBERS), dtype=pl.UInt64),
            "counter:LLC-load-misses": pl.Series(column(NUMBERS), dtype=pl.UInt64),
            "counter:instructions": pl.Series(column(NUMBERS), dtype=pl.UInt64),
        }
    )
    explanations = explain(table, {"minor-fault": 500.0})
    assert len(explanations) <= 1
    for explanation in explanations:
        shares = [explanation.unexplained_variance, explanation.unexplained_slowest]
        for cause in explanation.causes:
            shares += [cause.variance, cause.alone, cause.slowest, cause.usual]
            assert np.isfinite(cause.ns_each)
        for cost in explanation.costs:
            assert np.isfinite(cost.ns_each)
            shares += [cost.ns_median / max(explanation.median_ns, 1)]
        assert all(-1e-6 <= share <= 1 + 1e-6 for share in shares)
        assert all("\n" not in text for text in sentences(explanation))


def test_shares_agree_with_least_squares_of_the_whole_data(random: np.random.Generator) -> None:
    numbers = random.normal(1000, 50, (3, 400))
    numbers[1] += 0.8 * numbers[0]
    y = np.array([2.0, 5.0, 0.1]) @ numbers + random.normal(0, 90, 400)
    model = Correlations(list(numbers), y)
    design = np.column_stack([*numbers, np.ones(400)])
    solved, (rest,), *_ = np.linalg.lstsq(design, y, rcond=None)
    assert model.slopes([0, 1, 2]) == pytest.approx(solved[:3])
    assert model.left([0, 1, 2]) == pytest.approx(rest / ((y - y.mean()) ** 2).sum())
    assert sum(model.shares([0, 1, 2])) == pytest.approx(1 - model.left([0, 1, 2]))


def test_a_line_through_what_does_not_vary_is_none() -> None:
    x = np.arange(10.0)
    fit = line(x, 3 * x + 7)
    assert fit is not None
    assert (fit.slope, fit.offset, fit.explained) == pytest.approx((3, 7, 1))
    assert line(np.full(10, 0.1), x) is None
    assert line(x, np.full(10, 0.1)) is None
