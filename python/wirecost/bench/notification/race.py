# SPDX-License-Identifier: Apache-2.0
"""One case in one language: verify that all contenders carry the content, then measure them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from wirecost.bench.notification import readers
from wirecost.bench.notification.backend import (
    Backend,
    BackendFailedError,
    Carried,
    Contender,
    Content,
    Counted,
    Report,
    Sample,
)
from wirecost.bench.notification.content import canonical


@dataclass
class Lane:
    """A contender's outcome."""

    contender: Contender
    bytes: float = 0
    """Mean size of a message on the wire."""
    digest: str = ""
    failure: str | None = None
    counted: Counted = field(default_factory=Counted)


Keep = Callable[[list[Sample]], None]
"""Called with the samples of each round as it ends."""


def run_race(
    backend: Backend,
    lanes: list[Lane],
    content: Content,
    messages: list[str],
    repetitions: int,
    report: Report,
    keep: Keep,
) -> None:
    """Fills the lanes. ``messages``: the canonical lines every contender must carry."""
    try:
        report(0, "verifying")
        _verify(backend, lanes, content, messages)
        running = [lane.contender.key for lane in lanes if lane.failure is None]
        if running:
            for samples in backend.measure(content, running, repetitions, report):
                keep(samples)
            report(0, "counting")
            for key, counted in backend.count(content, running).items():
                _lane(lanes, key).counted = counted
    except BackendFailedError as error:
        for lane in lanes:
            lane.failure = lane.failure or str(error)


def _lane(lanes: list[Lane], key: str) -> Lane:
    return next(lane for lane in lanes if lane.contender.key == key)


def _verify(backend: Backend, lanes: list[Lane], content: Content, messages: list[str]) -> None:
    carried: dict[str, list[Carried]] = defaultdict(list)
    for one in backend.carry(content, [lane.contender.key for lane in lanes]):
        carried[one.key].append(one)
    for lane in lanes:
        mine = carried[lane.contender.key]
        lane.failure = _fault(lane.contender.wire, mine, messages)
        if mine:
            lane.bytes = sum(len(one.encoded) for one in mine) / len(mine)
        read = "\n".join(one.decoded for one in mine)
        lane.digest = hashlib.blake2b(read.encode(), digest_size=8).hexdigest()


def _fault(wire: str, carried: list[Carried], messages: list[str]) -> str | None:
    """What is wrong with the messages as they came over the wire or out of the decoder."""
    if not carried:
        return "it carried no message"
    for one in carried:
        expected = messages[one.index]
        try:
            sent = canonical(readers.read(wire, one.encoded))
        except (ValueError, KeyError) as error:
            return f"message {one.index} is not what {wire} prescribes: {error}"
        for what, line in (("sent", sent), ("decoded", one.decoded)):
            if line != expected:
                return f"message {one.index} as {what} {_difference(line, expected)}"
    return None


def _difference(line: str, expected: str) -> str:
    names = ("event_id", "scope", "wire_schema", "data", "method", "causes", "create_time",
             "send_time", "receive_time", "deliver_time", "user_times", "user_infos")  # fmt: skip
    for name, mine, theirs in zip(names, line.split(" "), expected.split(" "), strict=False):
        if mine != theirs:
            return f"has {name} {mine[:60]!r} instead of {theirs[:60]!r}"
    return "has another number of fields"
