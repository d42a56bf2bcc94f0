# SPDX-License-Identifier: Apache-2.0
"""Transfer between machines and changes over time, in stores whose truth is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from campaign.test_store import RECORD
from wirecost.results.analysis.campaign.change_points import ENOUGH, change_points, probability
from wirecost.results.analysis.campaign.history import history, moved_together
from wirecost.results.analysis.campaign.machines import across
from wirecost.results.analysis.campaign.subjects import options_of
from wirecost.results.store.store import ROWS, SAMPLES, Store

Medians = dict[str, float]
META = json.dumps(
    {"schema": 2, "scenario": "osi", "created": "2026-01-01", "command": [], "interrupted": False,
     "environment": {}, "steps": 1, "fmi": 2, "seed": 1, "contenders": {}, "runs": []}
)  # fmt: skip


def run(
    store: Store, number: int, host: str, medians: Medians, revision: str = "", noise: float = 0.05
) -> None:
    """One task: three processes of ten samples of each contender."""
    random = np.random.default_rng([number, *host.encode()])
    parts, rows = [], []
    for name, median in medians.items():
        levels = random.normal(1, noise / 3, 3).repeat(10)
        ns = median * levels * random.normal(1, noise, 30)
        parts.append(
            pl.DataFrame(
                {
                    "case": "c", "contender": name, "mode": "", "stage": "total",
                    "repetition": range(30), "process": [0] * 10 + [1] * 10 + [2] * 10,
                    "ns": ns.astype(np.int64),
                }
            )
        )  # fmt: skip
        middle = float(np.median(ns))
        rows.append(
            {"contender": name, "mode": "", "stage": "total", "case": "c", "n": 30,
             "median_ns": middle, "ci95_ns": (0.98 * middle, 1.02 * middle)}
        )  # fmt: skip
    record = replace(
        RECORD, task=f"{host}{number:012}", host=host, repetition=number, revision=revision,
        created=f"2026-01-{number + 1:02}T00:00:00+00:00", start_ns=10 * number, meta=META,
        end_ns=10 * number + 5, arguments=["--fmi", "2", "--contenders", ",".join(medians)],
    )  # fmt: skip
    store.keep(record, pl.concat(parts), rows)


def filled(folder: Path) -> Store:
    store = Store(folder)
    store.begin()
    return store


def test_options_that_choose_contenders_are_no_part_of_a_subject() -> None:
    assert options_of(["x.osi", "--contenders", "a,b", "--fmi", "2", "--seed", "7"]) == (
        "x.osi --fmi 2"
    )
    assert options_of(["--modes", "--quick"]) == "--quick"


def test_a_ranking_that_flips_is_named_and_a_near_tie_is_not(tmp_path: Path) -> None:
    store = filled(tmp_path)
    for number in range(3):
        run(store, number, "x86", {"a": 1000, "b": 2000, "c": 3000, "d": 1000})
        run(store, number, "arm", {"a": 4000, "b": 3000, "c": 9000, "d": 4000})
    samples = store.scan(SAMPLES)
    assert samples is not None
    (transfer,) = across(store.records(), samples, "a")
    assert transfer.hosts == ["arm", "x86"] and transfer.runs == {"arm": 3, "x86": 3}
    ratio = transfer.ratios["arm", ("b", "")]
    assert ratio.ci95[0] < 0.75 < ratio.ci95[1] and ratio.ci95[1] < 1
    flips = {(flip.a[0], flip.b[0]): flip for flip in transfer.flips}
    assert {frozenset(pair) for pair in flips} == {frozenset("ab"), frozenset("bd")}
    flip = next(one for pair, one in flips.items() if set(pair) == {"a", "b"})
    assert {flip.quicker_on, flip.slower_on} == {"x86", "arm"}
    assert flip.quicker.ci95[1] < 1 < flip.slower.ci95[0]


def test_contenders_of_different_tasks_are_compared(tmp_path: Path) -> None:
    store = filled(tmp_path)
    for number in range(3):
        run(store, number, "x86", {"a": 1000})
        run(store, 20 + number, "x86", {"b": 2000})
    samples = store.scan(SAMPLES)
    assert samples is not None
    (transfer,) = across(store.records(), samples, None)
    assert transfer.baseline == ("a", "")
    assert transfer.ratios["x86", ("b", "")].median == pytest.approx(2, rel=0.1)


def test_a_change_is_found_with_its_revision(tmp_path: Path) -> None:
    store = filled(tmp_path)
    for number in range(24):
        slow = 1.3 if number >= 12 else 1.0
        run(store, number, "x86", {"a": 1000 * slow, "b": 2000}, f"v{number // 4}")
    rows = store.scan(ROWS)
    assert rows is not None
    by_name = {entry.name[0]: entry for entry in history(store.records(), rows)}
    (change,) = by_name["a"].changes
    assert change.at == 12 and by_name["a"].points[change.at].revision == "v3"
    assert change.factor.low < 1.3 < change.factor.high and change.q < 0.01
    assert not by_name["b"].changes
    assert moved_together(list(by_name.values())) == []


def test_a_machine_that_changed_is_distinguished_from_code(tmp_path: Path) -> None:
    store = filled(tmp_path)
    names = "abcdef"
    for number in range(20):
        slow = 1.5 if number >= 10 else 1.0
        run(store, number, "x86", dict.fromkeys(names, 1000 * slow))
    rows = store.scan(ROWS)
    assert rows is not None
    (moved,) = moved_together(history(store.records(), rows))
    assert (moved.host, moved.changed, moved.of) == ("x86", 6, 6)
    assert moved.created == "2026-01-11"


def test_few_values_and_equal_values_have_no_change() -> None:
    assert probability(np.array([1.0, 1.0, 1.0, 9.0, 9.0, 9.0])) == (1.0, 0)
    assert probability(np.ones(50))[0] == 1.0


def test_several_changes() -> None:
    random = np.random.default_rng(3)
    values = np.concatenate([random.normal(level, 1, 20) for level in (10, 20, 14)])
    assert change_points(values) == [20, 40]


@pytest.mark.parametrize("length", [ENOUGH, 30])
def test_false_alarms_are_as_rare_as_said(length: int) -> None:
    """Heavy tails: the logarithm of the noise is Student's, with three degrees of freedom."""
    random = np.random.default_rng(5)
    series = np.exp(0.05 * random.standard_t(3, (400, length)))
    alarms = sum(probability(values)[0] <= 0.05 for values in series)
    # Of 400 with probability 0.05 each: more than 35 come once in 1,000 times.
    assert alarms <= 35
