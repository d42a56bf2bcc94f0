# SPDX-License-Identifier: Apache-2.0
"""A trace to another trace file, frame by frame."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from wirecost.data.traces import About, create_trace, messages
from wirecost.data.traces.conversion import Wanted, conversion
from wirecost.data.traces.mcap_file import CHANNEL
from wirecost.data.traces.mcap_writer import about_named
from wirecost.data.traces.trace import Frame, Trace
from wirecost.system.durations import nanoseconds
from wirecost.system.errors import UserError
from wirecost.system.progress import Progress

LENGTH_BYTES = 4
"""Bytes of the length in front of each message of .osi."""
_FRAMES = re.compile(r"\d{1,18}", re.ASCII)


@dataclass(frozen=True)
class Bound:
    """A place in a trace: a frame number, or nanoseconds since the first frame."""

    frame: int | None = None
    ns: int | None = None

    @staticmethod
    def parse(option: str, text: str) -> Bound:
        """Parse ``250``, ``2.5s`` or ``300ms``. Raises UserError."""
        if _FRAMES.fullmatch(text):
            return Bound(frame=int(text))
        try:
            if not text[-1:].isalpha():  # a number with a point is no frame and has no unit
                raise UserError(option)
            return Bound(ns=round(nanoseconds(option, text, may_be_zero=True)))
        except UserError:
            why = f"{option} {text}: give a frame number (250) or a time (2.5s)"
            raise UserError(why) from None


@dataclass(frozen=True)
class Converted:
    """Result of a conversion; bytes of the messages and of the whole files."""

    frames: int
    message_bytes: tuple[int, int]
    file_bytes: tuple[int, int]


def convert(
    trace: Trace,
    out: Path,
    wanted: Wanted,
    compression: str,
    start: Bound,
    stop: Bound,
    progress: Progress,
) -> Converted:
    """Write the frames from ``start`` up to, without, ``stop`` to ``out``. Raises UserError."""
    change = conversion(trace.type_name, wanted, LENGTH_BYTES if out.suffix == ".osi" else 0)
    size = trace.path.stat().st_size  # of before, should it be replaced
    before = after = frames = 0
    with create_trace(out, trace.type_name, metadata_of(trace), compression) as writer:
        for number, (time, message) in between(trace, start, stop):
            result: memoryview | bytes = message
            if change is not None:
                try:
                    result = change(message)
                except ValueError as error:
                    raise UserError(
                        f"{trace.path}: frame {number} is not a {trace.type_name} ({error}); "
                        "give the right --type"
                    ) from error
            writer.write(time, result)
            frames += 1
            before += len(message)
            after += len(result)
            if frames % 16 == 0:
                progress(number, trace.frame_count or 0, f"writing {out.name}")
        if not frames and next(trace.frames(0, 1), None) is None:
            raise _nothing(trace)
    trace.warnings += writer.warnings
    return Converted(frames, (before, after), (size, out.stat().st_size))


def _nothing(trace: Trace) -> UserError:
    """Return the error for a trace without a frame."""
    why = [warning.removeprefix(f"{trace.path}: ") for warning in trace.warnings]
    return UserError(f"{trace.path}: {'; '.join(['holds no frame', *why])}; record it again")


def metadata_of(trace: Trace) -> About:
    """Return the source's metadata, from its name and first frame if it has no other."""
    version = f"{CHANNEL}.osi_version"
    if version in trace.about.channel:
        return trace.about
    about = trace.about if trace.about.topic else about_named(trace.path)
    for _, message in trace.frames(0, 1):
        version_found = messages.osi_version(trace.type_name, message)
        if version_found is not None:
            return replace(about, channel={**about.channel, version: version_found})
    return about


def between(trace: Trace, start: Bound, stop: Bound) -> Iterator[tuple[int, Frame]]:
    """Yield the frames in the range, with their numbers; times need not grow."""
    first = start.frame or 0
    if start.ns is None and stop.ns is None:
        yield from enumerate(trace.frames(first, stop.frame), first)
        return
    zero: int | None = None
    for number, (time, message) in enumerate(trace.frames(0, stop.frame)):
        if time is None:
            raise UserError(
                f"{trace.path}: frame {number} has no timestamp; give --from and --to in frames"
            )
        zero = time if zero is None else zero
        after_start = number >= first if start.ns is None else time - zero >= start.ns
        if after_start and (stop.ns is None or time - zero < stop.ns):
            yield number, (time, message)
