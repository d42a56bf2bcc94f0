# SPDX-License-Identifier: Apache-2.0
"""Every chain of a recording: its path, how often it was gone, and how long it took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wirecost.results.analysis.chains.hops import IDENTITY, Hops
from wirecost.results.analysis.chains.walk import (
    TAKEN,
    CallbackRow,
    ChainStep,
    Paths,
    paths_from,
    waiting,
)
from wirecost.results.analysis.ros_names import INFRASTRUCTURE

MOST_LISTED = 10_000


@dataclass(frozen=True)
class Join:
    """A place where a chain goes on by a rule: into which callback of which node, and how often."""

    node: str
    into: str
    rule: str


@dataclass(frozen=True)
class ListedChain:
    """One path from where a message was published that follows from none before.

    Times in nanoseconds: from the start of publishing to the end of the last callback, or of
    publishing what nobody recorded takes.

    ``path``: topics, and callbacks that work on what was kept, each with a mark of how the chain
    came there: ``TAKES`` or ``KEPT``.
    """

    path: list[tuple[str, str]]
    first: str
    last: str
    joins: list[Join]
    count: int
    median_ns: float
    maximum_ns: int
    misses: int | None

    @property
    def name(self) -> str:
        return " ".join([self.path[0][1], *(f"{mark} {what}" for mark, what in self.path[1:])])


TAKES, KEPT = "→", "⇢"


@dataclass(frozen=True)
class Listed:
    """``left_out``: paths that were too many or too long; ``joins_left_out`` as ``Hops`` has it."""

    chains: list[ListedChain]
    left_out: int
    joins_left_out: bool


def listed(hops: Hops, deadline_ns: float | None = None) -> Listed:
    """Return the chain with the longest median first."""
    paths = paths_from(hops)
    times: dict[tuple[int, str], list[int]] = {}
    left_out = paths.left_out
    for number, last, begin_ns, end_ns in _ends(paths):
        if (number, last) not in times and len(times) >= MOST_LISTED:
            left_out += 1
            continue
        times.setdefault((number, last), []).append(max(0, end_ns - begin_ns))
    of = _Described(paths)
    chains = [of.chain(*key, ns, deadline_ns) for key, ns in times.items()]
    chains.sort(key=lambda chain: (-chain.median_ns, chain.name))
    return Listed(chains, left_out, hops.joins_left_out)


def _ends(paths: Paths) -> Iterator[tuple[int, str, int, int]]:
    """Yield path, where it ends, and its times.

    A path ends in callbacks that lead nowhere, with topics that nobody takes, and where it comes
    back to itself.
    """
    received_topics = {row["topic"] for row in paths.callbacks}
    outputs = [
        (origin, row)
        for row in paths.published
        if (origin := row["callback"]) is not None and row["topic"] not in INFRASTRUCTURE
    ]
    leading = {paths.callbacks[index]["section"] for index, _ in outputs}
    joined = {index for joins in paths.joins.values() for index, _ in joins}
    leading |= {paths.callbacks[index]["section"] for index in joined}
    for callback in paths.callbacks:
        if callback["section"] not in leading:
            for number, reached in paths.reached[callback["index"]].items():
                yield number, callback["node"], reached.begin_ns, callback["end_ns"]
    for index, output in outputs:
        if output["topic"] not in received_topics:
            for number, reached in paths.reached[index].items():
                yield number, output["topic"], reached.begin_ns, output["end_ns"]
    for number, topic, begin_ns, end_ns in paths.circles:
        yield number, topic, begin_ns, end_ns


class _Described:
    """Paths in words."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._callbacks: dict[str, CallbackRow] = {}
        self._rules: dict[str, str] = {}
        self._given = {
            row["topic"]: Join(row["node"], row["topic"], rule)
            for row in paths.published
            if (rule := row["rule"]) is not None
        }
        for callback in paths.callbacks:
            self._callbacks.setdefault(callback["section"], callback)
            if (rule := callback["rule"]) is not None and rule != IDENTITY:
                self._rules[callback["section"]] = rule

    def chain(
        self, number: int, last: str, ns: list[int], deadline_ns: float | None
    ) -> ListedChain:
        steps = self._paths.of(number)
        path = [(TAKES, str(steps[0].topic))]
        for step in steps[1:]:
            mark = TAKES if step.rule == TAKEN else KEPT
            path.append((mark, waiting(self._callbacks[step.section])))
        path.append((TAKES, last))
        return ListedChain(
            path=path,
            first=path[0][1],
            last=last,
            joins=[
                *(join for step in steps for join in self._joins(step)),
                *([self._given[last]] if last in self._given else []),
            ],
            count=len(ns),
            median_ns=float(np.median(ns)),
            maximum_ns=max(ns),
            misses=None if deadline_ns is None else sum(time > deadline_ns for time in ns),
        )

    def _joins(self, step: ChainStep) -> Iterator[Join]:
        callback = self._callbacks[step.section]
        if step.before >= 0 and step.topic in self._given:
            yield self._given[step.topic]
        if step.rule != TAKEN:
            yield Join(callback["node"], waiting(callback), step.rule)
        elif step.section in self._rules:
            yield Join(callback["node"], waiting(callback), self._rules[step.section])
