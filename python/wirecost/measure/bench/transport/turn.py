# SPDX-License-Identifier: Apache-2.0
"""Turns: in each round every contender has new processes, which serve all sizes."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wirecost.measure.bench.transport.cases import LEAST_MESSAGES, check_for, quiet_for
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import Ground
from wirecost.measure.bench.transport.joining import TransportCounts
from wirecost.measure.bench.transport.outcome import TransportOutcome
from wirecost.measure.bench.transport.peak import find_peak
from wirecost.measure.bench.transport.session import TransportOrder, TransportSession
from wirecost.system.children import ProgramFailedError
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

VERIFIED, VERIFIED_BYTES = 20, 40_000_000
"""Messages before each block, of which every byte is compared; they warm up what is cold as well.
Of large ones as many as have so many bytes, but 5."""
VERIFY_RATE = 100.0

Report = Callable[[str, int], None]
"""Function to call with what runs now, and the blocks done since the last call."""
Keep = Callable[[], None]


def verified_of(size: int) -> int:
    return min(VERIFIED, max(LEAST_MESSAGES, VERIFIED_BYTES // size))


class TransportTurn:
    """Turn of a contender on one ground.

    ``outcomes`` are its cases there, which differ in size only.
    """

    def __init__(
        self,
        contender: TransportContender,
        pattern: str,
        subscribers: int,
        outcomes: Sequence[TransportOutcome],
        logs: Path,
    ) -> None:
        self.contender = contender
        self.outcomes = outcomes
        self._pattern = pattern
        self._subscribers = subscribers
        self._logs = logs
        self._stack = ExitStack()
        self._session: TransportSession | None = None

    @property
    def running(self) -> list[TransportOutcome]:
        return [outcome for outcome in self.outcomes if outcome.entry.failure is None]

    def run(self, ground: Ground, seconds: float, report: Report, keep: Keep) -> None:
        """Add a block to each outcome."""
        with self._sessions():
            for outcome in self.running:
                report(self._label(outcome), 0)
                self._block(outcome, ground, seconds)
                keep()
                report(self._label(outcome), 1)

    def find_peaks(self, ground: Ground, limit_s: float, report: Report, keep: Keep) -> None:
        """Find the peak of each outcome."""
        with self._sessions():
            for outcome in self.running:
                report(f"{self._label(outcome)}: peak", 0)
                size = outcome.case.size
                with self._failing(outcome):
                    session = self._opened(ground)
                    wait_s = self.contender.setting.longest_wait_s
                    quiet = quiet_for(size, ground.profile, wait_s)
                    outcome.peak = find_peak(session.run, size, quiet, limit_s)
                    outcome.state()
                keep()
                report(f"{self._label(outcome)}: peak", 1)

    def _block(self, outcome: TransportOutcome, ground: Ground, seconds: float) -> None:
        case = outcome.case
        quiet = quiet_for(case.size, ground.profile, self.contender.setting.longest_wait_s)
        with self._failing(outcome):
            session = self._opened(ground)
            rate = min(VERIFY_RATE, case.rate or VERIFY_RATE)
            first = session.run(
                TransportOrder(case.size, rate, verified_of(case.size), quiet_s=quiet)
            )
            outcome.compared(first.counts)
            _check(first.counts, self.contender.setting.promise)
            order = TransportOrder(case.size, case.rate, 0, seconds, check_for(case.size), quiet)
            gc.collect()
            block = session.run(order)
            if not block.counts.received:
                outcome.lose(block.counts)
            _check(block.counts, self.contender.setting.promise)
            outcome.add(block)

    def _label(self, outcome: TransportOutcome) -> str:
        return f"{self.contender.name}, {outcome.case.name}"

    def _opened(self, ground: Ground) -> TransportSession:
        if self._session is None:
            most = max(outcome.case.size for outcome in self.outcomes)
            self._session = self._stack.enter_context(
                TransportSession(
                    self.contender, self._pattern, ground, self._subscribers, most, self._logs
                )
            )
        return self._session

    @contextmanager
    def _sessions(self) -> Iterator[None]:
        """Close the session, whatever happens."""
        try:
            yield
        finally:
            self._end()

    @contextmanager
    def _failing(self, outcome: TransportOutcome) -> Iterator[None]:
        """Let an error be this case's failure; the next case has new processes."""
        try:
            yield
        except (ProgramFailedError, UserError) as error:
            outcome.entry.failure = str(error)
            outcome.state()
            self._end()

    def _end(self) -> None:
        self._session = None
        self._stack.close()


def _check(counts: TransportCounts, promise: bool) -> None:
    """Check the content. Raises ProgramFailedError for messages that are not what was sent."""
    if counts.wrong:
        raise ProgramFailedError(
            f"{counted(counts.wrong, 'message')} with other content than was sent"
        )
    if not counts.received:
        though = ", though these settings promise no loss" if promise and counts.sent else ""
        raise ProgramFailedError(f"none of {counted(counts.sent, 'message')} arrived{though}")
