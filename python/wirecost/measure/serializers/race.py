# SPDX-License-Identifier: Apache-2.0
"""Verification and measurement of all contenders, also without some of the fields."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from google.protobuf.message import DecodeError

from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, canonical
from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Case
from wirecost.measure.bench.engine.processes import ProcessPlan, measured
from wirecost.measure.serializers.backend import Carried, MessageBackend, Timed
from wirecost.measure.serializers.contender import Contender
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

TOTAL = "total"


@dataclass(frozen=True)
class RacePart:
    """Contenders of one language that carry the messages of one subject.

    ``content``: for their digest, where that is the same for several subjects; else the messages.
    ``facts``: of the messages as a contender sent them.
    """

    subject: Subject
    messages: Sequence[bytes]
    backend: MessageBackend
    entries: Sequence[Entry[Contender]]
    content: Sequence[bytes] = ()
    facts: Callable[[Sequence[bytes]], Mapping[str, Any]] | None = None


def run_race(
    parts: Sequence[RacePart], case: Case[Contender], plan: ProcessPlan, is_counted: bool = False
) -> dict[str, float]:
    """Fill the entries, and return the median total of each that has one, by its key.

    ``is_counted``: also their allocations and instructions.
    """
    totals: dict[str, list[float]] = {}
    with scratch.folder("message") as folder:
        contents = {id(part): folder / f"content{number}" for number, part in enumerate(parts)}
        case.report("verifying")
        for part in parts:
            write_content(contents[id(part)], part.messages)
            verify_all(part, folder, contents[id(part)])
        parts_of = {entry.key: part for part in parts for entry in part.entries}
        entries = {entry.key: entry for entry in case.running}

        def measure(keys: list[str], repetitions: int) -> Iterator[list[StageSample]]:
            for key in keys:
                entry, part = entries[key], parts_of[key]
                begun_s = time.monotonic()
                if entry.failure is not None:
                    continue
                with entry.failing(ProgramFailedError):
                    items = part.backend.measured(
                        entry.contender, [contents[id(part)]], [key], repetitions
                    )
                    rounds = 0
                    for samples in _rounds(_checked(items, part.subject, entry), case):
                        rounds += 1
                        yield samples
                    is_late = rounds > 0 and time.monotonic() - begun_s >= part.backend.most_s
                    if rounds < repetitions and not is_late:
                        entry.failure = f"it ended after {rounds} of {repetitions} samples"

        for samples in measured(plan, list(entries), measure):
            case.keep(samples)
            for sample in samples:
                if sample.stage == TOTAL:
                    totals.setdefault(sample.key, []).append(sample.ns)
        for entry in case.running if is_counted else ():
            case.report(f"counting, {entry.key}")
            part = parts_of[entry.key]
            with entry.failing(ProgramFailedError):
                entry.facts |= asdict(part.backend.counted(entry.contender, contents[id(part)]))
    return {key: median(ns) for key, ns in totals.items()}


def verify_all(part: RacePart, folder: Path, content: Path) -> None:
    """Let each contender carry the messages; an entry of one that does it wrongly has failed."""
    carried: dict[tuple[str, str], dict[str, Carried]] = {}
    for entry in part.entries:
        contender = entry.contender
        modes = carried.setdefault((contender.library, contender.allocator), {})
        with entry.failing(ProgramFailedError):
            if contender.mode not in modes:
                modes |= part.backend.carried(contender, folder, content)
            if part.facts is not None and contender.mode in modes:
                entry.facts |= part.facts(modes[contender.mode].sent)
            _verify(part.subject, part.messages, entry, modes.get(contender.mode), part.content)


def _checked(
    items: Iterator[StageSample | Timed], subject: Subject, entry: Entry[Contender]
) -> Iterator[StageSample]:
    """Yield the samples.

    Raises ProgramFailedError on a message that was timed with another content than it should have;
    messages that nobody else can read are not checked.
    """
    contender = entry.contender
    for item in items:
        if isinstance(item, StageSample):
            yield item
            continue
        sent = item.sent if contender.wire in subject.readable else None
        for what, message, wire in (
            ("sent", sent, contender.wire), ("read", item.back, contender.again)
        ):  # fmt: skip
            if message is None or (wire == subject.wire and message == item.expected):
                continue
            if fault := _fault(subject, message, wire, item.expected):
                raise ProgramFailedError(f"while it was timed, a message as {what} {fault}")


def run_fields(
    contents: Sequence[Sequence[bytes]],
    entries: Sequence[Entry[Contender]],
    backend: MessageBackend,
    case: Case[Contender],
    plan: ProcessPlan,
) -> None:
    """Measure one contender with several contents in turns; an entry for each."""
    with scratch.folder("fields") as folder:
        paths = [folder / str(number) for number in range(len(contents))]
        for path, entry, messages in zip(paths, entries, contents, strict=True):
            write_content(path, messages)
            _describe(entry, messages, messages)
        keys = [entry.key for entry in entries]
        contender = entries[0].contender

        def measure(_: list[str], repetitions: int) -> Iterator[list[StageSample]]:
            items = backend.measured(contender, paths, keys, repetitions)
            yield from _rounds((item for item in items if isinstance(item, StageSample)), case)

        for samples in measured(plan, keys, measure):
            case.keep(samples)


def _rounds(samples: Iterator[StageSample], case: Case[Contender]) -> Iterator[list[StageSample]]:
    for _, group in groupby(samples, key=lambda sample: sample.repetition):
        round_samples = list(group)
        keys = dict.fromkeys(sample.key for sample in round_samples)
        for key in keys:
            case.report(key, 1)
        yield round_samples


def _describe(entry: Entry[Contender], sent: Sequence[bytes], carried: Sequence[bytes]) -> None:
    """Set size and digest of an entry.

    ``carried``: the messages as they were given, from which each digest is, because the order of a
    map's entries is everyone's own.
    """
    entry.bytes = sum(map(len, sent)) / max(1, len(sent))
    entry.digest = hashlib.blake2b(b"".join(carried), digest_size=8).hexdigest()


def _verify(
    subject: Subject,
    messages: Sequence[bytes],
    entry: Entry[Contender],
    carried: Carried | None,
    content: Sequence[bytes] = (),
) -> None:
    """Let others' Python libraries read what was sent, and what a contender sends again.

    They read where they know the wire. JSON's program compares for itself.
    """
    if carried is None or len(carried.sent) != len(messages):
        entry.failure = "it did not carry all messages"
        return
    _describe(entry, carried.sent, content or messages)
    own, again = entry.contender.wire, entry.contender.again
    sent = carried.sent if own in subject.readable else None
    for what, received, wire in (("sent", sent, own), ("read", carried.back, again)):
        for number, (message, original) in enumerate(zip(received or (), messages, strict=False)):
            if wire == subject.wire and message == original:
                continue
            if fault := _fault(subject, message, wire, original):
                entry.failure = f"message {number} as {what} {fault}"
                return


def _fault(subject: Subject, data: bytes, wire: str, original: bytes) -> str:
    """Return which field differs first; empty if none does."""
    expected = subject.read(original)
    try:
        message = subject.read(data, wire)
    except DecodeError as error:
        return f"is no {subject.type}: {error}"
    if wire in subject.readers:
        return subject.readers[wire].difference(message, expected)
    if canonical(message) == canonical(expected):
        return ""
    for field in expected.DESCRIPTOR.fields:
        alone = [type(side)() for side in (expected, message)]
        for to, side in zip(alone, (expected, message), strict=True):
            to.CopyFrom(side)
            for other in expected.DESCRIPTOR.fields:
                if other.name != field.name:
                    to.ClearField(other.name)
        first, second = map(canonical, alone)
        if first != second:
            return f"has another {field.name}"
    return "has another content"
