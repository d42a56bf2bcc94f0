# SPDX-License-Identifier: Apache-2.0
"""Rounds of blocks: in each, every contender has new processes and its turn."""

from __future__ import annotations

import resource
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from wirecost.measure.bench.engine.processes import ProcessPlan
from wirecost.measure.bench.tensor.cases import Combination, TensorCase
from wirecost.measure.bench.tensor.contenders.base import TensorContender
from wirecost.measure.bench.tensor.interpreters import Interpreter
from wirecost.measure.bench.tensor.outcome import TensorOutcome
from wirecost.measure.bench.tensor.pair import TensorBlock, TensorPair
from wirecost.measure.bench.tensor.stamps import count, round_trips, stages
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

WARM_UP, WARM_UP_BYTES = 20, 100_000_000
"""Messages before each block that do not count: caches and page tables are cold, a middleware's
memory is new. Of large ones as many as have so many bytes, but at least 5."""
LEAST_BLOCK = 5
"""Least messages of a block, where there are as many."""
PAIR_BYTES = 1 << 30
"""Bytes that a pair is assumed to need, with a large framework in both processes."""
PAIR_FILES, OTHER_FILES = 12, 32
"""Descriptors that a pair needs in this process, and that everything else does."""

Report = Callable[[str, int], None]
"""Function to call with what runs now, and the messages sent since the last call."""
Keep = Callable[[], None]
"""Function to call after each block, when nothing runs."""


class Pairs:
    """Pairs that are alive; the one that was used longest ago makes room for another."""

    def __init__(
        self,
        contenders: dict[str, TensorContender],
        pattern: str,
        logs: Path,
        interpreters: Mapping[str, Interpreter] | None = None,
    ) -> None:
        """Prepare pairs. ``interpreters``: of plugins that have one of their own."""
        self._interpreters = interpreters or {}
        self._contenders = contenders
        self._pattern = pattern
        self._logs = logs
        self._alive: dict[tuple[str, str], TensorPair] = {}
        self._most = max(4, psutil.virtual_memory().available // PAIR_BYTES)
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if files != resource.RLIM_INFINITY:
            self._most = min(self._most, max(1, (files - OTHER_FILES) // PAIR_FILES))

    def get(self, combination: Combination) -> TensorPair:
        """Return the pair, started if need be. Raises ProgramFailedError, UserError."""
        key = self._key(combination)
        pair = self._alive.pop(key, None)
        if pair is None:
            while len(self._alive) >= self._most:
                self._alive.pop(next(iter(self._alive))).end()
            interpreter = self._interpreters.get(combination.plugin)
            contender = self._contenders[combination.mware]
            pair = TensorPair(contender, self._pattern, self._logs, interpreter).__enter__()
        self._alive[key] = pair
        return pair

    def _key(self, combination: Combination) -> tuple[str, str]:
        plugin = combination.plugin
        elsewhere = plugin if plugin in self._interpreters else ""
        return combination.mware, combination.apart or elsewhere

    def drop(self, combination: Combination) -> None:
        """End a pair that failed; the next one that asks gets a new one."""
        pair = self._alive.pop(self._key(combination), None)
        if pair is not None:
            pair.end()

    def end(self) -> None:
        """End all at once: each may take seconds. Others can be started afterwards."""
        for pair in self._alive.values():
            pair.begin_to_end()
        while self._alive:
            self._alive.popitem()[1].end()


def plan_of(case: TensorCase, processes: int, seed: int) -> ProcessPlan:
    """Return the rounds of a case; each has ``LEAST_BLOCK`` messages, if there are as many."""
    return ProcessPlan(case.trials, min(processes, max(1, case.trials // LEAST_BLOCK)), seed)


def warm_up_of(nbytes: int) -> int:
    """Return the messages before each block of a case."""
    return max(5, min(WARM_UP, WARM_UP_BYTES // max(1, nbytes)))


class TensorRace:
    """Race of blocks of messages. Failures are the contender's."""

    def __init__(
        self, pairs: Pairs, content: str, pattern: str, report: Report, keep: Keep
    ) -> None:
        self._pairs = pairs
        self._content = content
        self._pattern = pattern
        self._report = report
        self._keep = keep

    def round(self, outcomes: list[TensorOutcome], plan: ProcessPlan, number: int) -> None:
        """Add a block to each outcome of a case."""
        messages = plan.samples_of(number)
        for outcome in plan.order(number, outcomes):
            label = f"{outcome.case.name}: {outcome.entry.key}"
            if outcome.entry.failure is None:
                self._report(label, 0)
                self._block(outcome, messages, number)
                self._keep()
            self._report(label, messages)

    def back_to_back(self, outcomes: list[TensorOutcome]) -> None:
        """Find what each contender of a case carries without a pause."""
        for outcome in outcomes:
            case, entry = outcome.case, outcome.entry
            if entry.failure is not None:
                continue
            self._report(f"{case.name}: {entry.key} back to back", 0)
            messages = min(500, max(10, round(200e6 / max(case.nbytes, 1))))
            try:
                block = self._pairs.get(entry.contender).run(
                    self._order(outcome) | {"count": messages, "rate": 0.0}
                )
            except (ProgramFailedError, UserError) as error:
                self._fail(outcome, f"back to back: {error}")
                continue
            outcome.bytes_per_s = _bytes_per_s(block, case.nbytes)
            outcome.lost_back_to_back = messages - len({row[0] for row in block.received})
            outcome.state()

    def _block(self, outcome: TensorOutcome, messages: int, number: int) -> None:
        case, order = outcome.case, self._order(outcome)
        warm_up = {"count": warm_up_of(case.nbytes), "rate": case.rate and max(case.rate, 50.0)}
        measure = stages if self._pattern == "pubsub" else round_trips
        try:
            pair = self._pairs.get(outcome.entry.contender)
            pair.run(order | warm_up)
            block = pair.run(order | {"count": messages, "rate": case.rate})
            counts = count(block.sent, block.received, case.rate)
            samples = measure(block.sent, block.received, case.device)
            if not samples:
                raise ProgramFailedError(f"none of {messages} messages arrived")
        except (ProgramFailedError, UserError, ValueError) as error:
            self._fail(outcome, str(error))
        else:
            outcome.add(block, counts, samples, number)

    def _fail(self, outcome: TensorOutcome, why: str) -> None:
        outcome.entry.failure = why
        self._pairs.drop(outcome.entry.contender)

    def _order(self, outcome: TensorOutcome) -> JsonObject:
        case, plugin = outcome.case, outcome.entry.contender.plugin
        return {
            "plugin": plugin,
            "shape": list(case.shape),
            "dtype": case.dtype,
            "content": self._content,
            "device": case.device,
            "objects": bool(plugin),
        }


def _bytes_per_s(block: TensorBlock, nbytes: int) -> float | None:
    """Return the rate of contents of ``nbytes``, whatever a contender makes of them.

    It counts from the start of the first message to when the last one that came was read.
    """
    if not block.received:
        return None
    took = block.received[-1][3] - block.sent[0][2]
    return 1e9 * len({row[0] for row in block.received}) * nbytes / took
