# SPDX-License-Identifier: Apache-2.0
"""Rounds of blocks: in each, every contender has new processes and its turn, in an order drawn from
the seed. What a process gets at its start, it keeps; so a run has several of each contender."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import psutil

from wirecost.bench.tensor.cases import Case, Entry
from wirecost.bench.tensor.commands import MOST_WORKERS
from wirecost.bench.tensor.contenders.base import Contender
from wirecost.bench.tensor.interpreters import Interpreter
from wirecost.bench.tensor.pair import Block, Pair
from wirecost.bench.tensor.process import WorkerFailedError
from wirecost.bench.tensor.remote import Remote
from wirecost.bench.tensor.stamps import Counts, count, round_trips, stages
from wirecost.errors import UserError

WARM_UP, WARM_UP_BYTES = 20, 100_000_000
"""Messages before each block that do not count: caches and page tables are cold, a middleware's
memory is new. Of large ones as many as have so many bytes, but 5."""
LEAST_BLOCK = 5
"""Messages of a block, where there are as many."""
PAIR_BYTES = 1 << 30
"""Memory that a pair is taken to need, with a large framework in both processes."""
PAIR_FILES, OTHER_FILES = 12, 32
"""Descriptors that a pair needs in this process, and that everything else does."""

Report = Callable[[int, str], None]
"""Called with messages sent since the last call and what runs now."""
Keep = Callable[[], None]
"""Called after each block, when nothing runs."""


@dataclass
class Outcome:
    """What was measured of an entry: nanoseconds of each stage, message by message.

    Not a ``bench.entry.Entry``, whose facts are complete before its first sample: here the bytes of
    a message, the counts and the clocks' bounds become known block by block.
    """

    entry: Entry
    samples: list[dict[str, int]] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    """The round of each sample."""
    counts: Counts = field(default_factory=Counts)
    nbytes: int = 0
    bytes_per_s: float | None = None
    """Of messages sent back to back, as they arrived."""
    lost_without_pause: int | None = None
    clock_offset_ns: int | None = None
    """What the listener's clock was ahead in the last block, where it is another machine's."""
    clock_bound_ns: int | None = None
    """The most that any time between the machines is wrong by."""
    failure: str | None = None


class Pairs:
    """The pairs that are alive; the one that was used longest ago makes room for another."""

    def __init__(
        self,
        contenders: dict[str, Contender],
        pattern: str,
        logs: Path,
        addresses: dict[str, str] | None = None,
        remote: Remote | None = None,
        interpreters: Mapping[str, Interpreter] | None = None,
    ) -> None:
        """``addresses``: where a contender's ends meet, if it does not decide. ``remote``: where
        listeners are. ``interpreters``: of plugins that have one of their own."""
        self._interpreters = interpreters or {}
        self._contenders = contenders
        self._addresses = addresses or {}
        self._remote = remote
        self._pattern = pattern
        self._logs = logs
        self._alive: dict[tuple[str, str], Pair] = {}
        memory = psutil.virtual_memory().available
        self._most = max(4, min(memory, remote.memory if remote else memory) // PAIR_BYTES)
        if remote is not None:
            self._most = min(self._most, MOST_WORKERS)
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files != resource.RLIM_INFINITY:
            self._most = min(self._most, max(1, (files - OTHER_FILES) // PAIR_FILES))

    def get(self, entry: Entry) -> Pair:
        """Raises WorkerFailedError, UserError, LostError."""
        key = self._key(entry)
        found = self._alive.pop(key, None)
        if found is None:
            while len(self._alive) >= self._most:
                self._alive.pop(next(iter(self._alive))).end()
            address = self._addresses.get(entry.mware)
            if address is not None:  # it is one pair's at a time
                for other in [one for one in self._alive if one[0] == entry.mware]:
                    self._alive.pop(other).end()
            contender = self._contenders[entry.mware]
            interpreter = self._interpreters.get(entry.plugin)
            found = Pair(
                contender, self._pattern, self._logs, address, self._remote, interpreter
            ).__enter__()
        self._alive[key] = found
        return found

    def _key(self, entry: Entry) -> tuple[str, str]:
        elsewhere = entry.plugin if entry.plugin in self._interpreters else ""
        return entry.mware, entry.apart or elsewhere

    def drop(self, entry: Entry) -> None:
        """Ends a pair that failed; the next one that asks gets a new one."""
        pair = self._alive.pop(self._key(entry), None)
        if pair is not None:
            pair.end()

    def end(self) -> None:
        """All at once: each may take seconds. Others can be made afterwards."""
        for pair in self._alive.values():
            pair.begin_to_end()
        while self._alive:
            self._alive.popitem()[1].end()


def rounds_of(trials: int, processes: int) -> list[int]:
    """Messages of each round, nearly the same, ``trials`` together."""
    rounds = min(processes, max(1, trials // LEAST_BLOCK))
    return [trials // rounds + (i < trials % rounds) for i in range(rounds)]


def warm_up_of(nbytes: int) -> int:
    """Messages before each block of a case."""
    return max(5, min(WARM_UP, WARM_UP_BYTES // max(1, nbytes)))


@dataclass(frozen=True)
class Round:
    number: int
    trials: int
    """Messages of each contender."""
    seed: int

    def order(self, outcomes: list[Outcome]) -> list[Outcome]:
        """The first round has them as they were named, which tables keep."""
        if self.number == 0:
            return outcomes
        return Random(f"{self.seed} {self.number}").sample(outcomes, len(outcomes))


def run_round(
    case: Case,
    pairs: Pairs,
    content: str,
    pattern: str,
    turn: Round,
    outcomes: list[Outcome],
    report: Report,
    keep: Keep,
) -> None:
    """Adds a block to each outcome of a case. Raises LostError."""
    for outcome in turn.order(outcomes):
        if outcome.failure is None:
            report(0, _label(outcome.entry))
            _turn(outcome, case, pairs, content, pattern, turn)
            keep()
        report(turn.trials, _label(outcome.entry))


def run_back_to_back(
    case: Case, pairs: Pairs, content: str, outcomes: list[Outcome], report: Report
) -> None:
    """What each contender carries without a pause. Raises LostError."""
    for outcome in outcomes:
        if outcome.failure is None:
            report(0, f"{_label(outcome.entry)} back to back")
            _back_to_back(outcome, case, pairs, content)


def _label(entry: Entry) -> str:
    return f"{entry.mware} {entry.plugin}".strip()


def _turn(
    outcome: Outcome,
    case: Case,
    pairs: Pairs,
    content: str,
    pattern: str,
    turn: Round,
) -> None:
    order = _order(outcome.entry, case, content)
    try:
        pair = pairs.get(outcome.entry)
        warm_up = {"count": warm_up_of(case.nbytes), "rate": case.rate and max(case.rate, 50.0)}
        pair.run(order | warm_up, timed=False)
        block = pair.run(order | {"count": turn.trials, "rate": case.rate})
        counts = count(block.sent, block.received, case.rate)
        measure = stages if pattern == "pubsub" else round_trips
        samples = measure(block.sent, block.received, case.device)
        if not samples:
            raise WorkerFailedError(f"none of {turn.trials} messages arrived")
    except (WorkerFailedError, UserError, ValueError) as error:
        outcome.failure = str(error)
        pairs.drop(outcome.entry)
        return
    outcome.counts.add(counts)
    outcome.nbytes = block.nbytes or outcome.nbytes
    outcome.samples += samples
    outcome.rounds += [turn.number] * len(samples)
    if block.clock is not None:
        outcome.clock_offset_ns = block.clock.offset_ns
        outcome.clock_bound_ns = max(outcome.clock_bound_ns or 0, block.clock.bound_ns)


def _back_to_back(outcome: Outcome, case: Case, pairs: Pairs, content: str) -> None:
    messages = min(500, max(10, round(200e6 / max(case.nbytes, 1))))
    try:
        pair = pairs.get(outcome.entry)
        order = _order(outcome.entry, case, content)
        block = pair.run(order | {"count": messages, "rate": 0.0})
    except (WorkerFailedError, UserError) as error:
        outcome.failure = f"back to back: {error}"
        pairs.drop(outcome.entry)
        return
    outcome.bytes_per_s = _bytes_per_s(block, case.nbytes)
    outcome.lost_without_pause = messages - len({row[0] for row in block.received})


def _bytes_per_s(block: Block, nbytes: int) -> float | None:
    """Of contents of ``nbytes``, whatever a contender makes of them: from the begin of the first
    message to when the last one that came was read."""
    if not block.received:
        return None
    took = block.received[-1][3] - block.sent[0][2]
    return 1e9 * len({row[0] for row in block.received}) * nbytes / took


def _order(entry: Entry, case: Case, content: str) -> dict[str, object]:
    return {
        "plugin": entry.plugin,
        "shape": list(case.shape),
        "dtype": case.dtype,
        "content": content,
        "device": case.device,
        "objects": bool(entry.plugin),
    }
