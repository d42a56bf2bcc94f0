# SPDX-License-Identifier: Apache-2.0
"""Content of a trace: sizes and times of all frames, lists of some."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from wirecost.data.traces import messages
from wirecost.data.traces.osi_file import OsiTrace
from wirecost.data.traces.trace import Trace
from wirecost.system.progress import Progress

Sizes = npt.NDArray[np.uint64]

PARSED = 32
"""Frames that are parsed for their lists and versions, evenly spread, first and last among them."""


@dataclass(frozen=True)
class Spread:
    """Least, median and largest value."""

    min: int
    median: int
    max: int


@dataclass(frozen=True)
class TraceInfo:
    """A trace in numbers; times in nanoseconds, sizes in bytes."""

    file: Path
    type: str
    topic: str
    frames: int
    first_ns: int | None
    last_ns: int | None
    bytes: int
    """Bytes of all messages, without those that the file adds."""
    frame_bytes: Spread | None
    osi_versions: tuple[str, ...]
    lists: dict[str, Spread]
    """Lengths of the lists in the parsed frames by path; a frame without the list counts 0."""
    parsed: int
    """Number of frames that the lists and versions come from."""
    warnings: tuple[str, ...]

    @property
    def duration_ns(self) -> int | None:
        if self.first_ns is None or self.last_ns is None:
            return None
        return self.last_ns - self.first_ns

    @property
    def rate_hz(self) -> float | None:
        """Frames per second of the trace's own time."""
        duration = self.duration_ns
        return (self.frames - 1) / duration * 1e9 if duration and duration > 0 else None


def info(trace: Trace, progress: Progress) -> TraceInfo:
    """Measure all frames and parse some of them. Raises UserError."""
    sizes, times = _ends(trace) if isinstance(trace, OsiTrace) else _all(trace, progress)
    counted, versions, parsed = _contents(trace, len(sizes), progress)
    return TraceInfo(
        file=trace.path,
        type=trace.type_name,
        topic=trace.about.topic,
        frames=len(sizes),
        first_ns=times[0] if times else None,
        last_ns=times[-1] if times else None,
        bytes=int(sizes.sum()),
        frame_bytes=_spread(sizes) if len(sizes) else None,
        osi_versions=tuple(sorted(versions)),
        lists=counted,
        parsed=parsed,
        warnings=tuple(trace.warnings),
    )


def _ends(trace: OsiTrace) -> tuple[Sizes, list[int]]:
    """Return the sizes of all frames, and the timestamps of the first and the last."""
    numbers = {0, trace.frame_count - 1} if trace.frame_count else set()
    frames = [frame for number in sorted(numbers) for frame in trace.frames(number, number + 1)]
    return trace.sizes, [time for time, _ in frames if time is not None]


def _all(trace: Trace, progress: Progress) -> tuple[Sizes, list[int]]:
    """Return the same where frames must be unpacked to be measured."""
    sizes = array("Q")
    times: list[int] = []
    for time, message in trace.frames():
        sizes.append(len(message))
        if time is not None:
            times[1:] = [time]
        if len(sizes) % 256 == 0:
            progress(len(sizes), trace.frame_count or 0, f"reading {trace.path.name}")
    return np.array(sizes, dtype=np.uint64), times


def _contents(
    trace: Trace, frames: int, progress: Progress
) -> tuple[dict[str, Spread], set[str], int]:
    """Return the lists, the OSI versions, and how many frames could be parsed."""
    chosen = (
        sorted({round(i * (frames - 1) / (PARSED - 1)) for i in range(PARSED)}) if frames else []
    )
    parsed: list[dict[str, int]] = []
    versions: set[str] = set()
    for done, number in enumerate(chosen):
        progress(done, len(chosen), f"parsing {trace.path.name}")
        for _, message in trace.frames(number, number + 1):
            version = messages.osi_version(trace.type_name, message)
            if version is not None:
                versions.add(version)
            try:
                parsed.append(messages.lists(messages.parse(trace.type_name, message)))
            except ValueError:
                continue  # `trace check` lists the frames that cannot be parsed
    paths = dict.fromkeys(path for counts in parsed for path in counts)
    spreads = {path: _spread([counts.get(path, 0) for counts in parsed]) for path in paths}
    return spreads, versions, len(parsed)


def _spread(values: Sizes | list[int]) -> Spread:
    return Spread(int(np.min(values)), int(np.median(values)), int(np.max(values)))
