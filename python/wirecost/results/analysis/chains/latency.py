# SPDX-License-Identifier: Apache-2.0
"""Times of chains, in which parts, and why some missed their deadline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from wirecost.results.analysis.causes.excess import MUCH, reason_of
from wirecost.results.analysis.chains.hops import Hops
from wirecost.results.analysis.chains.walk import Chain, ChainPart, Found
from wirecost.results.analysis.probe_sections import percentile
from wirecost.results.records.probe_log import COUNTER

Times = NDArray[np.int64]

WAITS = ("queue wait", "between")
LONGEST_NS = 2**63 - 1
PERCENTILES = (50.0, 95.0, 99.0, 99.9)


@dataclass(frozen=True)
class PartSummary:
    """One part of the path of chains. Times in nanoseconds; of the misses' it is the mean."""

    kind: str
    name: str
    node: str
    count: int
    median_ns: float
    p99_ns: float | None
    maximum_ns: int
    missed_ns: float | None
    rule: str | None
    """Rule by which a message that was kept belongs to the callback."""


@dataclass(frozen=True)
class Miss:
    """A chain that took longer than the deadline.

    ``part`` is what exceeded its median most, by ``excess_ns``; ``reason`` what took ``reason_ns``
    of it, None where nothing recorded does.
    """

    chain: Chain
    part: ChainPart
    excess_ns: float
    reason: str | None
    reason_ns: float


@dataclass(frozen=True)
class Latency:
    """Times of all chains between two topics."""

    count: int
    inputs: int
    without_output: int
    unlinked: int
    percentiles_ns: dict[float, float | None]
    maximum_ns: int | None
    parts: list[PartSummary]
    deadline_ns: float | None
    misses: list[Miss]
    """The longest first."""
    paths: list[tuple[tuple[str, ...], int]]
    """Each path with the number of its chains, the most frequent first."""
    left_out: int


def latency_of(
    found: Found,
    hops: Hops,
    events: pl.DataFrame,
    deadline_ns: float | None,
    prices: Mapping[str, float],
) -> Latency:
    """Summarize chains between two topics.

    ``prices``: the machine's, as ``causes.explain`` takes them.
    """
    chains = found.chains
    ns = _sorted(chains)
    late = [c for c in chains if deadline_ns is not None and c.ns > deadline_ns]
    medians = _medians(chains)
    reasons = Reasons(hops, events, prices)
    misses = [_miss(chain, medians, reasons) for chain in late]
    paths: dict[tuple[str, ...], int] = {}
    for chain in chains:
        paths[chain.path] = paths.get(chain.path, 0) + 1
    return Latency(
        count=len(chains),
        inputs=found.inputs,
        without_output=found.without_output,
        unlinked=found.unlinked,
        percentiles_ns={p: percentile(ns, p) if chains else None for p in PERCENTILES},
        maximum_ns=int(ns[-1]) if chains else None,
        parts=_parts(chains, late),
        deadline_ns=deadline_ns,
        misses=sorted(misses, key=lambda miss: -miss.chain.ns),
        paths=sorted(paths.items(), key=lambda path: -path[1]),
        left_out=found.left_out,
    )


Key = tuple[str, str]
"""Name and node of a part: one topic may go to several nodes."""


def _key(part: ChainPart) -> Key:
    return part.name, part.node


def _by_key(chains: list[Chain]) -> dict[Key, list[ChainPart]]:
    """Return parts in the order of the longest path."""
    by_key: dict[Key, list[ChainPart]] = {}
    for chain in sorted(chains, key=lambda chain: -len(chain.parts)):
        for part in chain.parts:
            by_key.setdefault(_key(part), []).append(part)
    return by_key


def _medians(chains: list[Chain]) -> dict[Key, float]:
    return {key: float(np.median([p.ns for p in parts])) for key, parts in _by_key(chains).items()}


def _parts(chains: list[Chain], late: list[Chain]) -> list[PartSummary]:
    of_late = _by_key(late)
    summaries = []
    for (name, node), parts in _by_key(chains).items():
        ns = _sorted(parts)
        missed = [part.ns for part in of_late.get((name, node), ())]
        summaries.append(
            PartSummary(
                kind=parts[0].kind,
                name=name,
                node=node,
                count=len(parts),
                median_ns=float(np.median(ns.to_numpy())),
                p99_ns=percentile(ns, 99),
                maximum_ns=int(ns[-1]),
                missed_ns=float(np.mean(missed)) if missed else None,
                rule=parts[0].rule,
            )
        )
    return summaries


def _sorted(timed: Sequence[Chain | ChainPart]) -> pl.Series:
    """Return their times; in damaged logs they may need more than 64 bits."""
    times = [max(-LONGEST_NS, min(chain.ns, LONGEST_NS)) for chain in timed]
    return pl.Series(times, dtype=pl.Int64).sort()


def _miss(chain: Chain, medians: Mapping[Key, float], reasons: Reasons) -> Miss:
    part = max(chain.parts, key=lambda part: part.ns - medians[_key(part)])
    excess = max(0.0, part.ns - medians[_key(part)])
    reason, ns = reasons.of(part)
    if ns < MUCH * excess:
        return Miss(chain, part, excess, None, 0.0)
    return Miss(chain, part, excess, reason, ns)


class Reasons:
    """Reasons for the time of a chain's part, as far as probes recorded them."""

    def __init__(self, hops: Hops, events: pl.DataFrame, prices: Mapping[str, float]) -> None:
        self._callbacks = hops.callbacks
        self._busy = busy_threads(events)
        self._prices = prices
        counters = [name for name in self._callbacks.columns if name.startswith(COUNTER)]
        medians = self._callbacks.group_by("section").agg(pl.col(counters).median())
        self._usual = {row["section"]: row for row in medians.to_dicts()}

    def of(self, part: ChainPart) -> tuple[str | None, float]:
        """Return the reason in words, with its nanoseconds."""
        if part.callback is None or part.kind == "kept":
            return None, 0.0
        if part.kind in WAITS:
            return self._thread_busy_with(part, part.callback)
        return self._counted(part.callback)

    def _thread_busy_with(self, part: ChainPart, index: int) -> tuple[str | None, float]:
        """Return the section that the callback's thread ran longest during the wait."""
        callback = self._callbacks.row(index, named=True)
        busy = self._busy.get((callback["process"], callback["thread"]))
        ran = busy.during(part.begin_ns, part.end_ns) if busy is not None else {}
        if not ran:
            return None, 0.0
        section = min(ran, key=lambda name: (-ran[name], name))
        return f"its thread ran {section}", float(ran[section])

    def _counted(self, index: int) -> tuple[str | None, float]:
        """Return what a counter of the callback cost beyond its usual count."""
        callback = self._callbacks.row(index, named=True)
        usual = self._usual[callback["section"]]
        return reason_of(callback, usual, self._prices)


@dataclass(frozen=True)
class BusyThread:
    """The outermost sections of one thread by their begin.

    All arrays have the shape (sections,). Times are nanoseconds of CLOCK_MONOTONIC.
    """

    begin_ns: Times
    end_ns: Times
    latest_ns: Times
    """The latest end of the sections up to each, so that it never falls."""
    sections: list[str]

    def during(self, begin_ns: int, end_ns: int) -> dict[str, int]:
        """Return how long each section ran from ``begin_ns`` to ``end_ns``, in nanoseconds."""
        first = int(np.searchsorted(self.latest_ns, begin_ns, side="right"))
        last = int(np.searchsorted(self.begin_ns, end_ns, side="left"))
        ran: dict[str, int] = {}
        for at in range(first, last):
            begin, end = int(self.begin_ns[at]), int(self.end_ns[at])
            if end > begin_ns:
                overlap = min(end, end_ns) - max(begin, begin_ns)
                ran[self.sections[at]] = ran.get(self.sections[at], 0) + overlap
        return ran


def busy_threads(events: pl.DataFrame) -> dict[tuple[Any, ...], BusyThread]:
    """Return what each thread ran when, by process and thread."""
    outermost = events.filter(pl.col("kind") == "section", pl.col("depth") == 0).sort("begin_ns")
    return {
        key: BusyThread(
            rows["begin_ns"].to_numpy(),
            rows["end_ns"].to_numpy(),
            rows["end_ns"].cum_max().to_numpy(),
            rows["section"].to_list(),
        )
        for key, rows in outermost.group_by("process", "thread", maintain_order=True)
    }
