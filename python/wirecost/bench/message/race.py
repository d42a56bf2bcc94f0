# SPDX-License-Identifier: Apache-2.0
"""Verifies that all contenders carry the messages, then measures them: whole, and without some of
their fields."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby

from google.protobuf.message import DecodeError

from wirecost import scratch
from wirecost.bench.entry import Entry, Sample
from wirecost.bench.message.backend import Backend, Carried
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.content_file import write_content
from wirecost.bench.message.subject import Subject, canonical
from wirecost.bench.processes import Plan, measured
from wirecost.bench.program import ProgramFailedError
from wirecost.bench.scenario import Case


def run_race(
    subject: Subject,
    messages: Sequence[bytes],
    backend: Backend,
    case: Case[Contender],
    plan: Plan,
) -> None:
    """Fills the entries."""
    with scratch.folder("message") as folder:
        content = folder / "content"
        write_content(content, messages)
        case.report("verifying")
        for library in dict.fromkeys(entry.contender.library for entry in case.entries):
            mine = [entry for entry in case.running if entry.contender.library == library]
            try:
                found = backend.carried(library, folder, content)
            except ProgramFailedError as error:
                for entry in mine:
                    entry.failure = str(error)
                continue
            for entry in mine:
                _verify(subject, messages, entry, found.get(entry.contender.mode))
        entries = {entry.key: entry for entry in case.running}

        def measure(keys: list[str], repetitions: int) -> Iterator[list[Sample]]:
            for key in keys:
                one = entries[key]
                if one.failure is None:
                    with one.failing(ProgramFailedError):
                        samples = backend.measured(one.contender, [content], [key], repetitions)
                        rounds = 0
                        for taken in _rounds(samples, case):
                            rounds += 1
                            yield taken
                        if rounds < repetitions:
                            one.failure = f"it ended after {rounds} of {repetitions} samples"

        for samples in measured(plan, list(entries), measure):
            case.keep(samples)


def run_fields(
    contents: Sequence[Sequence[bytes]],
    entries: Sequence[Entry[Contender]],
    backend: Backend,
    case: Case[Contender],
    plan: Plan,
) -> None:
    """One contender with several contents in turns; an entry for each."""
    with scratch.folder("fields") as folder:
        paths = [folder / str(number) for number in range(len(contents))]
        for path, entry, messages in zip(paths, entries, contents, strict=True):
            write_content(path, messages)
            _describe(entry, messages, messages)
        keys = [entry.key for entry in entries]
        one = entries[0].contender

        def measure(_: list[str], repetitions: int) -> Iterator[list[Sample]]:
            yield from _rounds(backend.measured(one, paths, keys, repetitions), case)

        for samples in measured(plan, keys, measure):
            case.keep(samples)


def _rounds(samples: Iterator[Sample], case: Case[Contender]) -> Iterator[list[Sample]]:
    for _, found in groupby(samples, key=lambda one: one.repetition):
        kept = list(found)
        keys = dict.fromkeys(one.key for one in kept)
        for key in keys:
            case.report(key, 1)
        yield kept


def _describe(entry: Entry[Contender], sent: Sequence[bytes], carried: Sequence[bytes]) -> None:
    """``carried``: the messages as they were given, from which each digest is, because the order of
    a map's entries is everyone's own."""
    entry.bytes = sum(map(len, sent)) / max(1, len(sent))
    entry.digest = hashlib.blake2b(b"".join(carried), digest_size=8).hexdigest()


def _verify(
    subject: Subject,
    messages: Sequence[bytes],
    entry: Entry[Contender],
    found: Carried | None,
) -> None:
    """Others' Python libraries read what was sent, where they know the wire, and what a contender
    sends again of what it has read. JSON's program compares for itself."""
    if found is None or len(found.sent) != len(messages):
        entry.failure = "it did not carry all messages"
        return
    _describe(entry, found.sent, messages)
    own, again = entry.contender.wire, entry.contender.again
    sent = found.sent if own in subject.readable else None
    for what, mine, wire in (("sent", sent, own), ("read", found.back, again)):
        for number, (theirs, original) in enumerate(zip(mine or (), messages, strict=False)):
            if wire == subject.wire and theirs == original:
                continue
            if fault := _fault(subject, theirs, wire, original):
                entry.failure = f"message {number} as {what} {fault}"
                return


def _fault(subject: Subject, made: bytes, wire: str, original: bytes) -> str:
    """Names the first field that differs."""
    expected = subject.read(original)
    try:
        found = subject.read(made, wire)
    except DecodeError as error:
        return f"is no {subject.type}: {error}"
    if canonical(found) == canonical(expected):
        return ""
    for field in expected.DESCRIPTOR.fields:
        alone = [type(one)() for one in (expected, found)]
        for to, one in zip(alone, (expected, found), strict=True):
            to.CopyFrom(one)
            for other in expected.DESCRIPTOR.fields:
                if other.name != field.name:
                    to.ClearField(other.name)
        first, second = map(canonical, alone)
        if first != second:
            return f"has another {field.name}"
    return "has another content"
