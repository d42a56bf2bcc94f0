# SPDX-License-Identifier: Apache-2.0
"""Whether recorded executions keep a budget.

A maximum or a count is exceeded by one execution above it. A percentile, and a share of misses that
is not 0, is judged by the number of executions above the limit, which is binomial if the
percentile is the limit itself: exceeded or met where such a number, or one further away, has a
probability below ``ERROR``, else not decided (Hahn and Meeker, Statistical Intervals, ch. 5).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import polars as pl

from wirecost.results.analysis.budget.budget import (
    CHAIN,
    COUNTERS,
    DEADLINE,
    FUNCTION,
    RATE,
    TOPIC,
    Budget,
    Line,
    ends_of,
)
from wirecost.results.analysis.chains.hops import hops_of
from wirecost.results.analysis.chains.walk import chains_between
from wirecost.results.analysis.probe_sections import executions
from wirecost.results.records.probe_log import COUNTER
from wirecost.results.records.probe_stacks import Stopped
from wirecost.system.errors import UserError

MET, EXCEEDED, NOT_DECIDED, SUPPRESSED = "met", "exceeded", "not decided", "suppressed"
ERROR = 0.025
"""Probability of a wrong verdict, on each side, where a percentile is the limit itself."""
Z = 1.96
MILLION = 1e6
BY_LIBRARY = (
    "allocations",
    "allocated-bytes",
    "frees",
    "lock-waits",
    "lock-wait-ns",
    "system-calls",
)
MOST_NAMES = 8
INLINED = "; mark it [[gnu::noinline]] if its callers inlined it"


@dataclass(frozen=True)
class Verdict:
    """A budget's line for one section, topic or chain.

    ``value``: in the line's unit, None where nothing is decided by one; ``above``: executions over
    the limit; ``needed``: executions that would do, None where it is decided, and where the share
    above is just what is allowed.
    """

    line: Line
    name: str
    count: int
    value: float | None
    above: int
    verdict: str
    needed: int | None = None


def verdicts(events: pl.DataFrame, budget: Budget) -> list[Verdict]:
    """Judge every line for all that its pattern matches.

    ``events``: of all logs (``records.probe_log.EVENTS``). Raises UserError where a pattern matches
    nothing, and where what a line limits was not recorded.
    """
    events = warm(events, budget.after_ns)
    executed = executions(events)
    by_section = {
        str(name): rows for (name,), rows in executed.group_by(["section"], maintain_order=True)
    }
    kinds = {line.kind for line in budget.lines}
    hops = hops_of(events) if kinds & {TOPIC, CHAIN} else None
    by_topic: dict[str, pl.DataFrame] = {}
    if hops is not None:
        by_topic = {
            str(topic): rows
            for (topic,), rows in hops.published.group_by(["topic"], maintain_order=True)
        }
    judged = []
    for line in budget.lines:
        if line.kind == CHAIN:
            assert hops is not None
            chains = chains_between(hops, *ends_of(line.pattern)).chains
            if not chains:
                raise UserError(
                    f"{line.kind} {line.pattern}: no message of its end follows from its start; "
                    "list chains with wirecost probe chain LOGS"
                )
            times = pl.DataFrame({"ns": [chain.ns for chain in chains]}, strict=False)
            judged.append(_verdict(line, line.pattern, times))
            continue
        recorded = by_topic if line.kind == TOPIC else by_section
        judged += [_verdict(line, name, recorded[name]) for name in _matching(line, recorded)]
    return judged


def stopped_verdicts(stopped: Stopped, budget: Budget) -> list[Verdict]:
    """Return the verdict on what a program was stopped for; nothing else is judged then.

    Raises UserError where the budget has no such line.
    """
    matching = [
        line
        for line in budget.counts()
        if line.quantity == stopped.counter
        and stopped.count > line.limit
        and line.limits(stopped.section)
    ]
    if not matching:
        raise UserError(f"section {stopped.section}: {stopped.counter}: is not limited")
    line = min(matching, key=lambda one: one.limit)
    return [Verdict(line, stopped.section, 1, stopped.count, 1, EXCEEDED)]


def warm(events: pl.DataFrame, after_ns: float) -> pl.DataFrame:
    """Return events without those that begin in the first ``after_ns`` of their process."""
    begin = pl.col("begin_ns").cast(pl.Float64)
    return events.filter(begin - begin.min().over("process") >= after_ns)


def _matching(line: Line, recorded: Iterable[str]) -> list[str]:
    names = list(recorded)
    matching = list(filter(line.limits, names))
    if not matching:
        there = ", ".join(sorted(names)[:MOST_NAMES]) or "none"
        why = INLINED if line.kind == FUNCTION else ""
        raise UserError(
            f"{line.kind} {line.pattern}: nothing recorded has this name{why}; there are: {there}"
        )
    return matching


def _verdict(line: Line, name: str, rows: pl.DataFrame) -> Verdict:
    if line.quantity == RATE:
        return _rate(line, name, rows)
    values = _values(line, name, rows)
    limit = line.limit if line.deadline_ns is None else line.deadline_ns
    count, above = len(values), int((values > limit).sum())
    allowed = None
    if line.quantity == DEADLINE:
        allowed = line.limit / MILLION
        value: Any = above / count * MILLION
    elif line.percent is not None:
        allowed = 1 - line.percent / 100
        value = values.quantile(line.percent / 100, "linear")
    else:
        value = values.max()
    if not allowed:
        return Verdict(line, name, count, value, above, EXCEEDED if above else MET)
    return Verdict(line, name, count, value, above, *share_verdict(above, count, allowed))


def _values(line: Line, name: str, rows: pl.DataFrame) -> pl.Series:
    """Return what the line limits, of each execution. Raises UserError where it has no value."""
    if line.quantity == "gap":
        gaps = rows.sort("begin_ns").select(pl.col("begin_ns").diff().over("process"))
        values, record = gaps.to_series().drop_nulls(), "more than one"
    elif line.quantity in COUNTERS:
        column = COUNTER + line.quantity
        none = pl.Series([], dtype=pl.UInt64)
        values = rows[column].drop_nulls() if column in rows.columns else none
        run = "wirecost probe run" if line.quantity in BY_LIBRARY else "the program"
        record = f"it: WIRECOST_PROBE_COUNTERS={line.quantity} for {run}"
        if line.kind == FUNCTION:  # The command counts by itself what this system can.
            record += ", or write the other limits one by one, without realtime"
    else:
        values, record = rows["ns"], "it"
    if values.is_empty():
        raise UserError(f"{line.kind} {name}: {line.quantity}: was not recorded; record {record}")
    return values


def _rate(line: Line, name: str, rows: pl.DataFrame) -> Verdict:
    begin = pl.col("begin_ns").cast(pl.Float64)
    spans = rows.group_by("process").agg(ns=begin.max() - begin.min())["ns"]
    seconds = float(spans.sum()) / 1e9
    if seconds <= 0:
        raise UserError(f"{line.kind} {name}: {line.quantity}: needs more than one; record longer")
    rate = (len(rows) - len(spans)) / seconds
    return Verdict(line, name, len(rows), rate, 0, EXCEEDED if rate < line.limit else MET)


def share_verdict(above: int, count: int, allowed: float) -> tuple[str, int | None]:
    """Judge ``above`` of ``count`` against a share; return how many would do beside it."""
    if allowed >= 1:
        return MET, None
    if at_most(count - above, count, 1 - allowed) < ERROR:
        return EXCEEDED, None
    if at_most(above, count, allowed) < ERROR:
        return MET, None
    share = above / count
    if above == 0:
        return NOT_DECIDED, math.ceil(math.log(ERROR) / math.log1p(-allowed))
    if share == allowed:
        return NOT_DECIDED, None
    needed = Z**2 * allowed * (1 - allowed) / (share - allowed) ** 2
    return NOT_DECIDED, max(count + 1, math.ceil(needed))


def at_most(successes: int, count: int, share: float) -> float:
    """Return the probability of so many successes or fewer: binomial, summed from the largest."""
    if successes >= count:
        return 1.0
    if share <= 0 or share >= 1:
        return float(share <= 0)
    log_term = (
        math.lgamma(count + 1)
        - math.lgamma(successes + 1)
        - math.lgamma(count - successes + 1)
        + successes * math.log(share)
        + (count - successes) * math.log1p(-share)
    )
    if successes > count * share:  # the sum of the other side is the short one
        return 1 - at_most(count - successes - 1, count, 1 - share)
    ratio, total, odds = 1.0, 0.0, (1 - share) / share
    for k in range(successes, -1, -1):
        total += ratio
        ratio *= k / (count - k + 1) * odds
        if ratio < total * 1e-12:
            break
    return min(1.0, math.exp(log_term) * total)
