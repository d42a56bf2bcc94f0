# SPDX-License-Identifier: Apache-2.0
"""A trace whose static data comes once, and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.traces import create_trace, messages, open_trace
from wirecost.data.traces.choices import REPEAT_EVERY
from wirecost.data.traces.convert import Bound, Converted, between, metadata_of
from wirecost.data.traces.mcap_file import static_topics
from wirecost.data.traces.mcap_writer import McapTraceWriter
from wirecost.data.traces.static_once import (
    KEEP,
    Fields,
    Joiner,
    MissingStaticError,
    Place,
    Splitter,
    records,
)
from wirecost.data.traces.trace import Frame, FrameNumbers, Trace
from wirecost.system.errors import UserError
from wirecost.system.progress import Progress

SPLIT_TYPES = ("GroundTruth", "SensorView")
SKIP = "find the lost messages, or add --skip to leave those frames out"
SHOWN = 3
"""Gaps that are listed in a sentence."""


@dataclass
class FieldTally:
    """A field of the GroundTruth over a trace."""

    name: str
    elements: int = 0
    """Most in a frame."""
    bytes: list[int] = field(default_factory=lambda: [0, 0])
    """Before and after."""
    changed: int = 0
    """Frames in which it differs from the frame before."""


@dataclass(frozen=True)
class TraceSplit(Converted):
    """Trace that was split. ``complete``: frames that hold the static data."""

    complete: int
    fields: tuple[FieldTally, ...]


@dataclass(frozen=True)
class TraceJoin(Converted):
    """Trace that was joined. ``left_out``: frames whose static data is missing."""

    left_out: int
    lost: tuple[tuple[int, int], ...]
    """First and last number of messages that are not in the trace."""


class Tally:
    """Bytes of each field, and how often it changes."""

    def __init__(self) -> None:
        self._before: Fields | None = None
        self._fields: dict[int, FieldTally] = {}

    def add(self, now: Fields, sent: Iterable[Fields]) -> None:
        """Count a frame as it was, and what is sent for it."""
        before = self._before or {}
        for number in now.keys() | before.keys():
            tally = self._of(number)
            tally.elements = max(tally.elements, len(now.get(number, [])))
            tally.bytes[0] += sum(map(len, now.get(number, [])))
            tally.changed += self._before is not None and before.get(number) != now.get(number)
        for fields in sent:
            for number, held in fields.items():
                self._of(number).bytes[1] += sum(map(len, held))
        self._before = now

    def _of(self, number: int) -> FieldTally:
        if number not in self._fields:
            field = messages.message_class("GroundTruth").DESCRIPTOR.fields_by_number.get(number)
            name = field.name if field is not None else f"field {number}"
            self._fields[number] = FieldTally(name)
        return self._fields[number]

    def result(self) -> tuple[FieldTally, ...]:
        """Return the fields, the largest first."""
        return tuple(sorted(self._fields.values(), key=lambda one: -one.bytes[0]))


def split(
    trace: Trace,
    out: Path,
    progress: Progress,
    *,
    keep: Collection[str] = KEEP,
    repeat_every: int = REPEAT_EVERY,
    apart: bool = False,
    compression: str = "zstd",
    start: Bound | None = None,
    stop: Bound | None = None,
) -> TraceSplit:
    """Write a trace whose static data comes once. ``apart``: on a channel of its own, in .mcap.

    Raises UserError.
    """
    check_type(trace)
    splitter = Splitter(keep, repeat_every, apart=apart)
    tally = Tally()
    size = trace.path.stat().st_size  # of before, should it be replaced
    before = after = frames = complete = marked = 0
    with create_trace(out, trace.type_name, metadata_of(trace), compression) as writer:
        for number, (time, message) in between(trace, start or Bound(), stop or Bound()):
            try:
                place = Place.find(trace.type_name, message)
                result: memoryview | bytes = message
                if place is not None:
                    marked += 1
                    now = records(place.truth)
                    sent = splitter.split(place.truth, now)
                    result = place.around(sent.message)
                    complete += sent.is_complete
                    parts = [sent.message] + [sent.static] * (sent.static is not None)
                    tally.add(now, [records(part) for part in parts if part is not None])
                    if sent.static is not None and isinstance(writer, McapTraceWriter):
                        writer.write_static(time, sent.static)
                        after += len(sent.static)
            except ValueError as error:
                raise UserError(
                    f"{trace.path}: frame {number} cannot be split as {trace.type_name} ({error}); "
                    "name another trace, or its --type"
                ) from error
            writer.write(time, result)
            frames += 1
            before += len(message)
            after += len(result)
            if frames % 16 == 0:
                progress(number, trace.frame_count or 0, f"writing {out.name}")
        if not marked:
            raise UserError(f"{trace.path}: no frame has a GroundTruth; there is nothing to split")
    trace.warnings += writer.warnings
    sizes = (size, out.stat().st_size)
    return TraceSplit(frames, (before, after), sizes, complete, tally.result())


def check_type(trace: Trace) -> None:
    """Raise UserError on a trace that cannot hold a GroundTruth."""
    if trace.type_name not in SPLIT_TYPES:
        raise UserError(
            f"{trace.path}: holds {trace.type_name}; only {' and '.join(SPLIT_TYPES)} have static "
            "data, name such a trace"
        )


def join(
    path: Path,
    out: Path,
    progress: Progress,
    *,
    topic: str | None = None,
    type_name: str | None = None,
    skip: bool = False,
) -> tuple[Trace, TraceJoin]:
    """Write the trace as it was before it was split; return the split one, too, closed.

    ``skip``: leave out frames whose static data is missing. Raises UserError.
    """
    with ExitStack() as opened:
        static: Iterator[Frame] = iter(())
        if path.suffix.lower() == ".mcap":
            topic, static_topic = static_topics(path, topic)
            if static_topic is not None:
                static = opened.enter_context(open_trace(path, static_topic)).frames()
        trace = opened.enter_context(open_trace(path, topic, type_name, progress))
        check_type(trace)
        done = _join(trace, static, out, progress, skip=skip)
    return trace, done


def _join(
    trace: Trace, static: Iterator[Frame], out: Path, progress: Progress, *, skip: bool
) -> TraceJoin:
    joiner = Joiner()
    size = trace.path.stat().st_size
    before = after = written = 0
    missing, versions = FrameNumbers(), Counter[int]()
    number = -1
    waiting = next(static, None)
    with create_trace(out, trace.type_name, metadata_of(trace)) as writer:
        for number, (time, message) in enumerate(trace.frames()):
            before += len(message)
            try:
                while waiting is not None and (waiting[0] or 0) <= (time or 0):
                    joiner.hold(bytes(waiting[1]))
                    before += len(waiting[1])
                    waiting = next(static, None)
                place = Place.find(trace.type_name, message)
                result: memoryview | bytes = message
                if place is not None:
                    result = place.around(joiner.join(place.truth))
            except MissingStaticError as error:
                missing.add(number)
                versions[error.version] += 1
                continue
            except ValueError as error:
                raise UserError(
                    f"{trace.path}: frame {number} cannot be joined ({error}); "
                    "split the trace again"
                ) from error
            writer.write(time, result)
            written += 1
            after += len(result)
            if number % 16 == 0:
                progress(number, trace.frame_count or 0, f"writing {out.name}")
        if not joiner.joined:
            raise UserError(
                f"{trace.path}: none of its frames was split; `wirecost trace split` splits a trace"
            )
        if missing.count and not skip:
            raise UserError(
                f"{_missing(trace, missing, versions, number + 1, joiner.lost)}; {SKIP}"
            )
    if joiner.lost:
        trace.warnings.append(f"{trace.path}: {_lost(joiner.lost)}")
    if missing.count:
        trace.warnings.append(_missing(trace, missing, versions, number + 1, []))
    trace.warnings += writer.warnings
    sizes = (size, out.stat().st_size)
    return TraceJoin(written, (before, after), sizes, missing.count, tuple(joiner.lost))


def _missing(
    trace: Trace,
    missing: FrameNumbers,
    versions: Collection[int],
    frames: int,
    lost: list[tuple[int, int]],
) -> str:
    named = ", ".join(f"{version:016x}" for version in list(versions)[:SHOWN])
    more = f" and {len(versions) - SHOWN} more" if len(versions) > SHOWN else ""
    text = f"{trace.path}: static data {named}{more} is missing for {missing.of(frames)}"
    return f"{text}; {_lost(lost)}" if lost else text


def _lost(lost: list[tuple[int, int]]) -> str:
    """Say which messages did not come: ``3 messages are not in it: 4–5, 9``."""
    count = sum(last - first + 1 for first, last in lost)
    parts = [str(a) if a == b else f"{a}–{b}" for a, b in lost[:SHOWN]]
    more = f" and {len(lost) - SHOWN} more gaps" if len(lost) > SHOWN else ""
    verb = "message is" if count == 1 else "messages are"
    return f"{count:,} {verb} not in it: {', '.join(parts)}{more}"
