# SPDX-License-Identifier: Apache-2.0
"""Goals of transports and tensor codecs, from a folder of ``wirecost bench tensor``.

Ratios are of medians, of a 200x200 NumPy array of float64. A busy machine meets fewer goals.
"""

from __future__ import annotations

from acceptance.goal import Goal, at_most
from wirecost.results.analysis.intervals import Estimate
from wirecost.results.analysis.summary import Row
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.tensor import TensorMeta
from wirecost.results.report.scenarios.tensor.comparisons import Comparisons
from wirecost.results.report.scenarios.tensor.contenders import (
    WRAPYFI,
    in_process,
    is_ours,
)

OBJECT = {"plugin": "numpy", "shape": "200x200", "dtype": "float64", "device": "cpu"}
CODING = ("encode", "decode")
NEAR_ITS_LIBRARY = ("iceoryx2", "zeromq", "zenoh")
OVER_RAW, OVER_WRAPYFI, OVER_ITS_CODING = 1.15, 1 / 25, 1 / 100
RATE_OFF = 0.01
LEAST_HZ = 100.0
"""All transports must keep up with it."""


def goals(results: Results, rows: list[Row]) -> list[Goal]:
    """Return the goals on what was measured."""
    totals = [row for row in rows if row.stage == "total" and is_ours(row)]
    all_goals = [goal for row in totals for goal in _ratios(row, Comparisons(results))]
    return all_goals + _counted({row.contender for row in totals}, results)


def _ratios(row: Row, compared: Comparisons) -> list[Goal]:
    if any(row.fact(name) != value for name, value in OBJECT.items()):
        return []
    goals = []
    if in_process(row.contender):
        coding = compared.ratio(row, f"{WRAPYFI}in-process", CODING)
        if coding:
            goals.append(at_most("encode + decode ÷ Wrapyfi's", OVER_ITS_CODING, "1/100", coding))
    if row.contender in NEAR_ITS_LIBRARY and (floor := row.ratio_floor):
        estimate = Estimate(floor.median, *floor.ci95)
        goals.append(at_most(f"{row.contender} ÷ {floor.to}", OVER_RAW, f"{OVER_RAW}", estimate))
    if row.contender == "iceoryx2":
        of_wrapyfi = compared.ratio(row, f"{WRAPYFI}zeromq")
        if of_wrapyfi:
            goals.append(
                at_most("iceoryx2 ÷ Wrapyfi over ZeroMQ", OVER_WRAPYFI, "1/25", of_wrapyfi)
            )
    return goals


def _counted(contenders: set[str], results: Results) -> list[Goal]:
    """Losses and rates of all transports."""
    runs = [
        run
        for run in results.meta_as(TensorMeta).runs
        if run.contender in contenders and run.asked_rate and not run.failure
    ]
    goals = []
    slow = [run for run in runs if run.asked_rate <= LEAST_HZ]
    if slow:
        lost = sum(run.lost + run.duplicates + run.reordered for run in slow)
        what = f"lost, twice or out of order at ≤ {LEAST_HZ:g} Hz"
        goals.append(Goal(what, "0", f"{lost:,} of {sum(run.sent for run in slow):,}", not lost))
    rates = [run.rate / run.asked_rate for run in runs if run.rate]
    if rates:
        off = sum(abs(rate - 1) > RATE_OFF for rate in rates)
        measured = f"{len(rates) - off:,} of {len(rates):,}"
        goals.append(Goal("runs whose rate is within 1 %", "all", measured, not off))
    return goals
