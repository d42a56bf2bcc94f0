# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all contenders did the same work, then measure them in turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random, SystemRandom

from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan
from wirecost.measure.bench.osi.contenders import OsiContender
from wirecost.measure.bench.osi.verification import Canonical, difference_beyond, first_difference
from wirecost.measure.bench.osi.worker import OsiWorker
from wirecost.measure.bench.osi.worker_process import Assignment, Verified
from wirecost.schema.columns.reduced import FLIGHT_ERROR, RANGE_ERROR, SIGNAL_ERROR
from wirecost.system.children import ProgramFailedError

VERIFIED_STEPS = 2  # both output buffers of a model are seen
TURN_NS = 5_000_000
WARM_NS = 10_000_000
"""Nanoseconds of unmeasured steps before a turn: others have left their data in the caches."""
WARM_STEPS = (2, 50)
"""Least unmeasured steps, for both output buffers to be touched, and most."""
TURNS = 10
MOST_BESIDE = 0.1
"""Share of the time of a process's turns that its other threads may use as processor time."""
BESIDE_NS = 10_000_000
"""Nanoseconds that they may use besides: a library's start takes longer than a few steps."""
MESSAGES = ("sensor view", "sensor data")
FLOOR = "none"
"""Library of floors, whose structs have gaps that compilers leave."""
STATED_ERRORS = {
    "time_of_flight": FLIGHT_ERROR,
    "signal_strength": SIGNAL_ERROR,
    "distance": RANGE_ERROR,
}
"""Errors of reduced contenders, by field."""

FIRST_FRAME = 16
"""First frame that is timed; those before are for verifying and calibrating."""
MOST_GAP = 16


@dataclass(frozen=True)
class PlannedTurn:
    """Steps of a turn, the number of its last frame, and if that frame's messages are read.

    A contender must not be able to tell a step that will be read from one that is only timed. The
    length of a turn and the one that is read are therefore drawn anew in each run; not from
    ``--seed``, which contenders know. All processes of a run have the same frames: equal bytes are
    read once.
    """

    steps: int
    last: int
    read: bool


def planned(
    steps: int, per_turn: int, most_warm: int, secret: int, process: int
) -> list[PlannedTurn]:
    """Return turns of ``per_turn`` steps on average, ``steps`` together.

    There are at most ``most_warm`` unmeasured steps before each. No frame comes twice.
    """
    draw = Random(secret)
    lengths: list[tuple[int, int]] = []
    last, remaining = FIRST_FRAME, steps
    while remaining > 0:
        length = draw.randint(1, 2 * per_turn - 1)
        last += most_warm + length + draw.randrange(MOST_GAP)
        lengths.append((min(length, remaining), last))
        remaining -= length
    read = Random(f"{secret} {process}").randrange(len(lengths))
    return [PlannedTurn(count, at, i == read) for i, (count, at) in enumerate(lengths)]


def run_race(
    case: Case[OsiContender], assignments: dict[str, Assignment], plan: ProcessPlan, same_work: bool
) -> None:
    """Fill the entries. The first contender that verifies is what the others are compared with.

    With ``same_work`` a contender whose messages read differently is not timed.
    """
    race = _Race(case, assignments, plan, same_work)
    for process in range(plan.processes):
        race.round(process)


class _Race:
    """Race of one case, process by process."""

    def __init__(
        self,
        case: Case[OsiContender],
        assignments: dict[str, Assignment],
        plan: ProcessPlan,
        same_work: bool,
    ) -> None:
        self._case = case
        self._assignments = assignments
        self._plan = plan
        self._same_work = same_work
        self._read: dict[str, dict[str, str]] = {entry.key: {} for entry in case.entries}
        """Digests of messages that were read in full, by contender and fingerprint."""
        self._within_error: set[tuple[str, str]] = set()
        """Pairs of digests, a reduced contender's and the baseline's, that agree as stated."""
        self._secret = SystemRandom().getrandbits(64)
        self._per_turn = 0
        self._end = 0
        """Step at which all that play a trace are compared after a round."""

    def round(self, process: int) -> None:
        """Run one process of each contender that has not failed."""
        with self._workers(process) as workers:
            self._verify(process, workers)
            if process == 0:
                self._write_again(workers)
            self._end = max(self._end, self._measure(process, workers))
            if self._played:
                self._compare_at_end(workers)

    @property
    def _played(self) -> bool:
        """Return whether frames of a trace come one by one, and other ones to each process."""
        return not all(assignment.poison_view for assignment in self._assignments.values())

    @contextmanager
    def _workers(self, process: int) -> Iterator[dict[str, OsiWorker]]:
        workers: dict[str, OsiWorker] = {}
        running = self._case.running
        try:
            self._case.report(f"starting process {process + 1} of {self._plan.processes} of each")
            for entry in self._in_order(process):
                workers[entry.key] = OsiWorker(self._assignments[entry.key].in_process(process))
            for entry in self._case.running:
                with entry.failing(ProgramFailedError):
                    entry.facts["malloc"] = workers[entry.key].ready()
            yield workers
        finally:
            for entry in running:
                if worker := workers.get(entry.key):
                    before = entry.failure
                    with entry.failing(ProgramFailedError):  # as where its logs cannot be written
                        worker.finish()
                    entry.failure = before or entry.failure
                    worker.close()

    def _in_order(self, process: int) -> list[Entry[OsiContender]]:
        running = {entry.key: entry for entry in self._case.running}
        return [running[key] for key in self._plan.order(process, list(running))]

    def _verify(self, process: int, workers: dict[str, OsiWorker]) -> None:
        baseline: tuple[Entry[OsiContender], list[Verified]] | None = None
        for entry in self._case.running:
            self._case.report(f"{entry.key}: verifying")
            worker = workers[entry.key]
            with entry.failing(ProgramFailedError):
                if self._played:
                    worker.advance(process * self._plan.samples_of(0))
                verified = [self._verified(entry, worker) for _ in range(VERIFIED_STEPS)]
                if process == 0:
                    entry.facts |= _facts(verified[0])
                if baseline is None:
                    baseline = (entry, verified)
                elif self._same_work:
                    entry.failure = self._mismatch(entry, verified, *baseline, workers)
        self._forget(workers)

    def _verified(self, entry: Entry[OsiContender], worker: OsiWorker) -> Verified:
        return self._remembered(entry, worker.verify(self._read[entry.key]))

    def _remembered(self, entry: Entry[OsiContender], verified: Verified) -> Verified:
        self._read[entry.key] |= dict(zip(verified.fingerprints, verified.digests, strict=True))
        return verified

    def _forget(self, workers: dict[str, OsiWorker]) -> None:
        for entry in self._case.running:
            with entry.failing(ProgramFailedError):
                workers[entry.key].forget()

    def _write_again(self, workers: dict[str, OsiWorker]) -> None:
        """Check that messages, which were overwritten, are the same bytes when written again."""
        if self._played or not self._same_work:
            return
        for entry in self._case.running:
            if entry.contender.library == FLOOR or entry.contender.compared == "published":
                continue
            with entry.failing(ProgramFailedError):
                for fingerprints in workers[entry.key].again(VERIFIED_STEPS):
                    for message, fingerprint in zip(MESSAGES, fingerprints, strict=True):
                        if fingerprint not in self._read[entry.key]:
                            entry.failure = f"its {message} holds bytes that nobody writes"

    def _measure(self, process: int, workers: dict[str, OsiWorker]) -> int:
        """Return the step that every contender has come to at most."""
        step_ns: dict[str, int] = {}
        for entry in self._case.running:
            with entry.failing(ProgramFailedError):
                step_ns[entry.key] = max(1, workers[entry.key].calibrate())
        slowest = max(step_ns.values(), default=1)
        steps = self._plan.samples_of(process)
        self._per_turn = self._per_turn or max(
            min(2, steps), min(TURN_NS // slowest, steps // TURNS)
        )
        turns = planned(steps, self._per_turn, WARM_STEPS[1], self._secret, process)
        times: dict[str, tuple[int, int]] = {}
        ahead = 0
        for plan in turns:
            for entry in self._in_order(process):
                with entry.failing(ProgramFailedError):
                    warm = _warm_steps(step_ns[entry.key])
                    turn = workers[entry.key].turn(warm, plan.steps, plan.last)
                    entry.steps(process, turn.first_step, turn.transfer_ns)
                    peak = entry.facts["peak_memory_bytes"] or 0
                    entry.facts["peak_memory_bytes"] = max(peak, turn.peak_memory_bytes)
                    ahead = max(ahead, turn.next_step)
                    ns, beside = times.get(entry.key, (0, 0))
                    times[entry.key] = ns + turn.ns, beside + turn.beside_ns
                self._case.report(entry.key, plan.steps)
            if plan.read and not self._played:
                self._compare(workers, lambda worker, read: worker.look(read))
            self._case.keep()
        for entry in self._case.running:
            ns, beside = times[entry.key]
            if beside > MOST_BESIDE * ns + BESIDE_NS:
                entry.failure = (
                    f"its other threads used {100 * beside / ns:.0f} % of the time of its turns: "
                    "not all its work is measured"
                )
        return ahead

    def _compare_at_end(self, workers: dict[str, OsiWorker]) -> None:
        """Compare at one frame of a trace, behind those that warmed the quickest."""

        def at_end(worker: OsiWorker, read: dict[str, str]) -> Verified:
            worker.advance(self._end)
            return worker.verify(read)

        self._compare(workers, at_end)

    def _compare(
        self, workers: dict[str, OsiWorker], look: Callable[[OsiWorker, dict[str, str]], Verified]
    ) -> None:
        """Compare messages that were timed like any other, or come after them.

        This finds a contender that only pretended while it was watched.
        """
        first: tuple[Entry[OsiContender], Verified] | None = None
        for entry in self._case.running:
            with entry.failing(ProgramFailedError):
                verified = self._remembered(entry, look(workers[entry.key], self._read[entry.key]))
                first = first or (entry, verified)
                baseline, expected = first
                fault = self._same_work and self._mismatch(
                    entry, [verified], baseline, [expected], workers
                )
                if fault:
                    entry.failure = f"while it was timed, {fault}"
        self._forget(workers)

    def _mismatch(
        self,
        entry: Entry[OsiContender],
        verified: list[Verified],
        baseline: Entry[OsiContender],
        expected: list[Verified],
        workers: dict[str, OsiWorker],
    ) -> str | None:
        """Return how messages differ from the baseline's. Raises ProgramFailedError."""
        compared = entry.contender.compared
        for step, (actual, reference) in enumerate(zip(verified, expected, strict=True)):
            for which, message in enumerate(MESSAGES):
                seen = compared != "published" and not (compared == "view" and which == 1)
                pair = actual.digests[which], reference.digests[which]
                if not seen or pair[0] == pair[1] or pair in self._within_error:
                    continue
                content = workers[entry.key].canonical(step, which)
                other = workers[baseline.key].canonical(step, which)
                if content is None or other is None:
                    return f"its {message} is not {baseline.key}'s, as it was in another process"
                if where := _difference(content, other, exact=compared != "error"):
                    return f"its {message} is not {baseline.key}'s: {where}"
                self._within_error.add(pair)
            both_exact = compared == baseline.contender.compared == "exact"
            if both_exact and actual.read_sum != reference.read_sum:
                return f"what its sensor read is not what {baseline.key}'s did"
        return None


def _warm_steps(step_ns: int) -> int:
    least, most = WARM_STEPS
    return min(max(least, WARM_NS // step_ns), most)


def _facts(verified: Verified) -> dict[str, object]:
    sizes, digests = verified.sizes, verified.digests
    return {
        "sensor_view_bytes": sizes[0],
        "sensor_data_bytes": sizes[1],
        "sensor_view_digest": digests[0],
        "sensor_data_digest": digests[1],
    }


def _difference(message: Canonical, other: Canonical, exact: bool) -> str:
    return (
        first_difference(message, other)
        if exact
        else difference_beyond(message, other, STATED_ERRORS)
    )
