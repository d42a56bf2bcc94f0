# SPDX-License-Identifier: Apache-2.0
"""One case in one language: verify that all contenders carry the content, then measure them."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict

from wirecost.bench.entry import Sample
from wirecost.bench.notification import readers
from wirecost.bench.notification.backend import Backend, Carried, Contender, Content
from wirecost.bench.notification.content import canonical
from wirecost.bench.notification.lines import OtherContentError
from wirecost.bench.processes import Plan, measured
from wirecost.bench.scenario import Case


def run_race(
    backend: Backend,
    case: Case[Contender],
    content: Content,
    messages: list[str],
    plan: Plan,
) -> None:
    """Fills the entries. ``messages``: the canonical lines every contender must carry. Raises
    ProgramFailedError."""
    case.report("verifying")
    _verify(backend, case, content, messages)
    running = {entry.key: entry for entry in case.running}
    if not running:
        return

    def measure(keys: list[str], repetitions: int) -> Iterator[list[Sample]]:
        honest = [key for key in keys if running[key].failure is None]
        if not honest:  # a program that is given none runs all
            return
        try:
            yield from backend.measure(content, honest, repetitions, case.report)
        except OtherContentError as error:
            for key, fault in error.faults.items():
                running[key].failure = fault

    for samples in measured(plan, list(running), measure):
        case.keep(samples)
    case.report("counting")
    honest = [entry.key for entry in case.running]
    for key, counted in (backend.count(content, honest) if honest else {}).items():
        running[key].facts |= asdict(counted)


def _verify(backend: Backend, case: Case[Contender], content: Content, messages: list[str]) -> None:
    carried: dict[str, list[Carried]] = defaultdict(list)
    for one in backend.carry(content, [entry.key for entry in case.entries]):
        carried[one.key].append(one)
    for entry in case.entries:
        mine = carried[entry.key]
        entry.failure = _fault(entry.contender.wire, mine, messages)
        if mine:
            entry.bytes = sum(len(one.encoded) for one in mine) / len(mine)
        read = "\n".join(one.decoded for one in mine)
        entry.digest = hashlib.blake2b(read.encode(), digest_size=8).hexdigest()


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
