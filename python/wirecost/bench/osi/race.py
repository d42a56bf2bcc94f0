# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all contenders did the same work, then measure them in turns."""

from __future__ import annotations

from contextlib import suppress

from wirecost.bench.entry import Entry
from wirecost.bench.osi.contenders import Contender
from wirecost.bench.osi.worker import Worker
from wirecost.bench.osi.worker_process import Assignment, Verified
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case
from wirecost.columns.reduced import FLIGHT_ERROR, RANGE_ERROR, SIGNAL_ERROR
from wirecost.verification import Canonical, difference_beyond, first_difference

VERIFIED_STEPS = 2  # both output buffers of a model are seen
TURN_NS = 5_000_000
WARM_NS = 10_000_000
"""A turn begins with unmeasured steps: the others have left their own data in the caches."""
WARM_STEPS = (2, 50)
"""At least, for both output buffers to be touched, and at most."""
TURNS = 10
MESSAGES = ("sensor view", "sensor data")
STATED_ERRORS = {
    "time_of_flight": FLIGHT_ERROR,
    "signal_strength": SIGNAL_ERROR,
    "distance": RANGE_ERROR,
}
"""Of reduced contenders, by field."""


def run_race(
    case: Case[Contender], assignments: dict[str, Assignment], steps: int, same_work: bool
) -> None:
    """Fills the entries. The first contender that verifies is what the others are compared with.

    With ``same_work`` a contender whose messages read differently is not timed.
    """
    workers: dict[str, Worker] = {}
    try:
        for entry in case.entries:
            case.report(f"{entry.key}: starting")
            with entry.failing(ProgramFailedError):
                workers[entry.key] = Worker(assignments[entry.key])
        _verify(case, workers, same_work)
        ahead = _measure(case, workers, steps)
        _verify_again(case, workers, same_work, ahead)
    finally:
        for worker in workers.values():
            with suppress(ProgramFailedError):
                worker.finish()
            worker.close()


def _verify(case: Case[Contender], workers: dict[str, Worker], same_work: bool) -> None:
    baseline: tuple[Entry[Contender], list[Verified]] | None = None
    for entry in case.running:
        case.report(f"{entry.key}: verifying")
        with entry.failing(ProgramFailedError):
            verified = [workers[entry.key].verify() for _ in range(VERIFIED_STEPS)]
            sizes, digests = verified[0].sizes, verified[0].digests
            entry.facts |= {
                "sensor_view_bytes": sizes[0],
                "sensor_data_bytes": sizes[1],
                "sensor_view_digest": digests[0],
                "sensor_data_digest": digests[1],
            }
            if baseline is None:
                baseline = (entry, verified)
            elif same_work:
                entry.failure = _mismatch(entry, verified, *baseline, workers)
    for entry in case.running:
        workers[entry.key].forget()


def _mismatch(
    entry: Entry[Contender],
    verified: list[Verified],
    baseline: Entry[Contender],
    expected: list[Verified],
    workers: dict[str, Worker],
) -> str | None:
    """Raises ProgramFailedError."""
    compared = entry.contender.compared
    for step, (mine, theirs) in enumerate(zip(verified, expected, strict=True)):
        for which, message in enumerate(MESSAGES):
            seen = compared != "published" and not (compared == "view" and which == 1)
            if not seen or mine.digests[which] == theirs.digests[which]:
                continue
            one = workers[entry.key].canonical(step)[which]
            other = workers[baseline.key].canonical(step)[which]
            if where := _difference(one, other, exact=compared != "error"):
                return f"its {message} is not {baseline.key}'s: {where}"
    return None


def _difference(one: Canonical, other: Canonical, exact: bool) -> str:
    return first_difference(one, other) if exact else difference_beyond(one, other, STATED_ERRORS)


def _measure(case: Case[Contender], workers: dict[str, Worker], steps: int) -> int:
    """The step that every contender has come to at most."""
    step_ns: dict[str, int] = {}
    for entry in case.running:
        with entry.failing(ProgramFailedError):
            step_ns[entry.key] = max(1, workers[entry.key].calibrate())
    slowest = max(step_ns.values(), default=1)
    per_turn = max(min(2, steps), min(TURN_NS // slowest, steps // TURNS))
    least, most = WARM_STEPS
    done = ahead = 0
    while done < steps:
        count = min(per_turn, steps - done)
        for entry in case.running:
            with entry.failing(ProgramFailedError):
                warm = min(max(least, WARM_NS // step_ns[entry.key]), most)
                turn = workers[entry.key].turn(warm, count)
                entry.steps(turn.first_step, turn.transfer_ns)
                peak = entry.facts["peak_memory_bytes"] or 0
                entry.facts["peak_memory_bytes"] = max(peak, turn.peak_memory_bytes)
                ahead = max(ahead, turn.next_step)
            case.report(entry.key, count)
        done += count
        case.keep()
    return ahead


def _verify_again(
    case: Case[Contender], workers: dict[str, Worker], same_work: bool, ahead: int
) -> None:
    """After the timing: a contender that only pretended while it was watched is found out. All are
    compared at the step ``ahead``: quick ones were warmed by more steps."""
    first: tuple[Entry[Contender], Verified] | None = None
    for entry in case.running:
        with entry.failing(ProgramFailedError):
            workers[entry.key].advance(ahead)
            verified = workers[entry.key].verify()
            first = first or (entry, verified)
            baseline, expected = first
            if same_work and _mismatch(entry, [verified], baseline, [expected], workers):
                entry.failure = "after the timing its messages differed from the baseline's"
