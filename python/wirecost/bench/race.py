# SPDX-License-Identifier: Apache-2.0
"""One case: verify that all contenders did the same work, then measure them in turns."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from wirecost.bench.contenders import Compared
from wirecost.bench.worker import Assignment, Turn, Verified, Worker, WorkerFailedError
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

Report = Callable[[int, str], None]
"""Called with the steps done since the last call and a short text."""


@dataclass
class Lane:
    """A contender: what it sent, when it was measured, or why it was not."""

    name: str
    verified: Verified | None = None
    turns: list[Turn] = field(default_factory=list)
    failure: str | None = None


Keep = Callable[[], None]
"""Called between rounds, once each contender has had its turn."""


def run_race(
    lanes: list[Lane],
    assignments: dict[str, Assignment],
    steps: int,
    same_work: bool,
    report: Report,
    keep: Keep,
) -> None:
    """Run a race and fill its lanes. The first contender that verifies is what the others are
    compared with.

    With ``same_work`` a contender whose messages read differently is not timed.
    """
    workers: dict[str, Worker] = {}
    try:
        _start(assignments, lanes, workers, report)
        _verify(lanes, workers, assignments, same_work, report)
        _measure(lanes, workers, steps, report, keep)
        _verify_again(lanes, workers, assignments, same_work)
    finally:
        _finish(lanes, workers)


def _running(lanes: list[Lane], workers: dict[str, Worker]) -> list[Lane]:
    return [lane for lane in lanes if lane.failure is None and lane.name in workers]


def _start(
    assignments: dict[str, Assignment],
    lanes: list[Lane],
    workers: dict[str, Worker],
    report: Report,
) -> None:
    for lane in lanes:
        report(0, f"{lane.name}: starting")
        try:
            workers[lane.name] = Worker(assignments[lane.name])
        except WorkerFailedError as error:
            lane.failure = str(error)


def _verify(
    lanes: list[Lane],
    workers: dict[str, Worker],
    assignments: dict[str, Assignment],
    same_work: bool,
    report: Report,
) -> None:
    baseline: tuple[Lane, list[Verified]] | None = None
    for lane in _running(lanes, workers):
        report(0, f"{lane.name}: verifying")
        try:
            verified = [workers[lane.name].verify() for _ in range(VERIFIED_STEPS)]
        except WorkerFailedError as error:
            lane.failure = str(error)
            continue
        lane.verified = verified[0]
        if baseline is None:
            baseline = (lane, verified)
        elif same_work:
            compared = assignments[lane.name].compared
            lane.failure = _mismatch(lane, verified, *baseline, workers, compared)
    for lane in _running(lanes, workers):
        workers[lane.name].forget()


def _mismatch(
    lane: Lane,
    verified: list[Verified],
    baseline: Lane,
    expected: list[Verified],
    workers: dict[str, Worker],
    compared: Compared,
) -> str | None:
    for step, (mine, theirs) in enumerate(zip(verified, expected, strict=True)):
        for which, message in enumerate(MESSAGES):
            seen = compared != "published" and not (compared == "view" and which == 1)
            if not seen or mine.digests[which] == theirs.digests[which]:
                continue
            one = workers[lane.name].canonical(step)[which]
            other = workers[baseline.name].canonical(step)[which]
            if where := _difference(one, other, compared):
                return f"its {message} is not {baseline.name}'s: {where}"
    return None


def _difference(one: Canonical, other: Canonical, compared: Compared) -> str:
    if compared == "error":
        return difference_beyond(one, other, STATED_ERRORS)
    return first_difference(one, other)


def _measure(
    lanes: list[Lane], workers: dict[str, Worker], steps: int, report: Report, keep: Keep
) -> None:
    step_ns: dict[str, int] = {}
    for lane in _running(lanes, workers):
        try:
            step_ns[lane.name] = max(1, workers[lane.name].calibrate())
        except WorkerFailedError as error:
            lane.failure = str(error)
    slowest = max(step_ns.values(), default=1)
    per_turn = max(min(2, steps), min(TURN_NS // slowest, steps // TURNS))
    least, most = WARM_STEPS
    done = 0
    while done < steps:
        count = min(per_turn, steps - done)
        for lane in _running(lanes, workers):
            try:
                warm = min(max(least, WARM_NS // step_ns[lane.name]), most)
                lane.turns.append(workers[lane.name].turn(warm, count))
            except WorkerFailedError as error:
                lane.failure = str(error)
            report(count, lane.name)
        done += count
        keep()


def _verify_again(
    lanes: list[Lane],
    workers: dict[str, Worker],
    assignments: dict[str, Assignment],
    same_work: bool,
) -> None:
    """After the timing: a contender that only pretended while it was watched is found out."""
    first: tuple[Lane, Verified] | None = None
    # Quick contenders were warmed by more steps.
    ahead = max((turn.next_step for lane in lanes for turn in lane.turns), default=0)
    for lane in _running(lanes, workers):
        try:
            workers[lane.name].advance(ahead)
            verified = workers[lane.name].verify()
        except WorkerFailedError as error:
            lane.failure = str(error)
            continue
        first = first or (lane, verified)
        compared = assignments[lane.name].compared
        baseline, expected = first
        if same_work and _mismatch(lane, [verified], baseline, [expected], workers, compared):
            lane.failure = "after the timing its messages differed from the baseline's"


def _finish(lanes: list[Lane], workers: dict[str, Worker]) -> None:
    for lane in lanes:
        worker = workers.get(lane.name)
        if worker is None:
            continue
        with suppress(WorkerFailedError):
            worker.finish()
        worker.close()
