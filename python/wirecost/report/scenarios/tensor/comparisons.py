# SPDX-License-Identifier: Apache-2.0
"""Ratios that the summary has not: to Wrapyfi with the same object, of several stages together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.analysis.intervals import Array, Estimate, Resampler, ratio
from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios.tensor.contenders import (
    WRAPYFI,
    floor_ratio,
    in_process,
    is_floor,
    is_ours,
    is_wrapyfi,
    library,
    plugin_of,
    shape_of,
)
from wirecost.report.shared import units
from wirecost.report.shared.table import Table

ASKED_OF = ("numpy", "200x200", "float64", "cpu")
"""Plugin, shape, type and device."""
CODING = ("encode", "decode")
QUICK = ("iceoryx2", "zeromq", "zenoh")
OVER_RAW, OVER_WRAPYFI, OVER_ITS_CODING, RATE_OFF = 1.15, 1 / 25, 1 / 100, 0.01
LEAST_RATE = 100.0
"""Messages a second that all must keep up with."""


@dataclass(frozen=True)
class Lane:
    """One contender's samples of one case."""

    case: str
    contender: str
    plugin: str


class Comparisons:
    """Ratios of the medians of two contenders with the same object."""

    def __init__(self, results: Results) -> None:
        self._samples = results.samples.filter(pl.col("plugin") != "")

    def ratio(self, one: Row, other: str, stages: tuple[str, ...] = ("total",)) -> Estimate | None:
        """Of the stages' sum, message by message; None where the other was not measured."""
        mine, theirs = (
            self._series(Lane(one.case, name, plugin_of(one)), stages)
            for name in (one.contender, other)
        )
        turns = min(len(mine), len(theirs))
        if turns == 0:
            return None
        resampler = Resampler(turns)
        mine, theirs = mine[:turns], theirs[:turns]
        return ratio(mine, resampler.medians(mine), theirs, resampler.medians(theirs))

    def _series(self, lane: Lane, stages: tuple[str, ...]) -> Array:
        part = self._samples.filter(
            pl.col("stage").is_in(stages), case=lane.case, contender=lane.contender,
            plugin=lane.plugin,
        )  # fmt: skip
        sums = part.group_by("repetition").agg(pl.col("ns").sum()).sort("repetition")
        return sums["ns"].to_numpy().astype(np.float64)


def beside(row: Row, rows: list[Row]) -> str | None:
    """Wrapyfi over the same library, else over ZeroMQ, else any, with the same object."""
    there = [
        other.contender
        for other in rows
        if is_wrapyfi(other.contender)
        and (other.case, plugin_of(other)) == (row.case, plugin_of(row))
        and in_process(other.contender) == in_process(row.contender)
    ]
    same = f"{WRAPYFI}{library(row.contender)}"
    wanted = (same, f"{WRAPYFI}zeromq", *there)
    return next((name for name in wanted if name in there), None)


def goals(results: Results, totals: list[Row]) -> Table | None:
    """What is asked of transports and codecs, and whether it is met; what was not measured is
    left out."""
    compared = Comparisons(results)
    body = []
    for row in totals:
        if (
            not is_ours(row)
            or (plugin_of(row), shape_of(row), row.facts["dtype"], row.facts["device"]) != ASKED_OF
        ):
            continue
        if in_process(row.contender):
            found = compared.ratio(row, f"{WRAPYFI}in-process", CODING)
            body += _line("encode + decode ÷ Wrapyfi's", "≤ 1/100", found, OVER_ITS_CODING)
        if row.contender in QUICK and (to := floor_ratio(row)):
            found = Estimate(to.median, *to.ci95)
            body += _line(f"{row.contender} ÷ {to.to}", f"≤ {OVER_RAW}", found, OVER_RAW)
        if row.contender == "iceoryx2":
            found = compared.ratio(row, f"{WRAPYFI}zeromq")
            body += _line("iceoryx2 ÷ Wrapyfi over ZeroMQ", "≤ 1/25", found, OVER_WRAPYFI)
    body += _counted(totals, results)
    if not body:
        return None
    notes = [
        "Ratios of medians with 95 % intervals, of a 200x200 NumPy array of float64; ?: the "
        "interval holds the goal itself. A machine that is busy meanwhile meets fewer."
    ]
    return Table("Goals", ["goal", "asked", "found", "met"], body, notes)


def _line(what: str, asked: str, found: Estimate | None, most: float) -> list[list[str]]:
    if found is None:
        return []
    met = "yes" if found.high <= most else "no" if found.low > most else "?"
    return [[what, asked, _quotient(found), met]]


def _quotient(found: Estimate) -> str:
    """Small ones as ``1/25 [1/27, 1/23]``."""
    parts = (found.value, found.low, found.high)
    if found.high >= 0.5 or found.low <= 0:
        return units.quotient(*parts)
    value, low, high = (f"1/{units.significant(1 / part)}" for part in parts)
    return f"{value} [{low}, {high}]"


def _counted(totals: list[Row], results: Results) -> list[list[str]]:
    """Losses and rates of all transports at the rate that they must keep up with."""
    ours = {row.contender for row in totals if is_ours(row) and not is_floor(row)}
    runs = [
        run
        for run in results.meta["runs"]
        if run["contender"] in ours and run["mode"] and run["asked_rate"] and not run["failure"]
    ]
    made = []
    slow = [run for run in runs if run["asked_rate"] <= LEAST_RATE]
    if slow:
        lost = sum(run["lost"] + run["duplicates"] + run["reordered"] for run in slow)
        told = f"{lost:,} of {sum(run['sent'] for run in slow):,}"
        made.append(
            [
                f"lost, twice or disordered at ≤ {LEAST_RATE:g} Hz",
                "0",
                told,
                "no" if lost else "yes",
            ]
        )
    rated = [run for run in runs if run["rate"]]
    if rated:
        off = sum(abs(run["rate"] / run["asked_rate"] - 1) > RATE_OFF for run in rated)
        told = f"{len(rated) - off:,} of {len(rated):,}"
        made.append(["runs whose rate is within 1 %", "all", told, "no" if off else "yes"])
    return made
