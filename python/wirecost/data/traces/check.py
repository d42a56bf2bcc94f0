# SPDX-License-Identifier: Apache-2.0
"""Checks of a trace against OSI's rules, finding by finding."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import islice

import numpy as np

from wirecost.data.traces import messages
from wirecost.data.traces.choices import TYPES
from wirecost.data.traces.mcap_file import CHANNEL, METADATA, McapTrace
from wirecost.data.traces.mcap_writer import DATE_TIME
from wirecost.data.traces.names import FORM, misnamed, parse_name, type_of
from wirecost.data.traces.trace import FrameNumbers, Trace
from wirecost.system.counted import counted
from wirecost.system.foreign import shown
from wirecost.system.progress import Progress

GAP = 1.5
"""A step between two frames of more than so many median steps is a gap."""
ROUNDING = 1000
"""Nanoseconds: recorders that reckon in seconds as double do not hit the same nanosecond."""
LATEST = 2**61
"""Nanoseconds beyond which times count as this, so that differences fit 64 bits."""
MAX_VERSIONS = 16
VERSIONS = ("min_osi_version", "max_osi_version", "min_protobuf_version", "max_protobuf_version")
DATES = ("zero_time", "creation_time")


class Severity(StrEnum):
    ERROR = "error"
    """Readers that follow OSI may refuse the trace or misread it."""
    WARNING = "warning"
    """Something is missing or unusual; the frames can be used."""


@dataclass(frozen=True)
class TraceFinding:
    """Fault of a trace and what to do about it."""

    severity: Severity
    text: str
    remedy: str


@dataclass
class _Frames:
    """Findings of one pass over all frames."""

    count: int = 0
    times: array[int] = field(default_factory=lambda: array("q"))
    untimed: FrameNumbers = field(default_factory=FrameNumbers)
    unparsable: FrameNumbers = field(default_factory=FrameNumbers)
    backwards: FrameNumbers = field(default_factory=FrameNumbers)
    other_times: FrameNumbers = field(default_factory=FrameNumbers)
    unversioned: FrameNumbers = field(default_factory=FrameNumbers)
    unknown: FrameNumbers = field(default_factory=FrameNumbers)
    unknown_names: tuple[str, ...] = ()
    versions: dict[str, int] = field(default_factory=dict)
    """The first frame of each; at most MAX_VERSIONS of them."""


def check(trace: Trace, progress: Progress) -> list[TraceFinding]:
    """Parse every frame of the trace and judge it, errors first.

    Raises UserError where the file cannot be read on.
    """
    seen = _pass(trace, progress)
    named = misnamed(trace.path, type_of(trace.path) or "", trace.type_name)
    findings = [
        *(
            TraceFinding(Severity.ERROR, _after(warning), "record or copy the file again")
            for warning in trace.warnings
            if warning != named
        ),
        *_of_frames(trace, seen),
        *_of_times(seen),
        *_of_name(trace, seen),
        *(_of_metadata(trace, seen) if isinstance(trace, McapTrace) else ()),
    ]
    return sorted(findings, key=lambda finding: finding.severity is not Severity.ERROR)


def _after(warning: str) -> str:
    """Return a warning without the path, which stands above every finding."""
    return warning.partition(": ")[2]


def _pass(trace: Trace, progress: Progress) -> _Frames:
    seen = _Frames()
    name = trace.type_name
    timed = messages.field_number(name, "timestamp") > 0
    last: int | None = None
    latest = 0
    for number, (file_time, frame) in enumerate(trace.frames()):
        if number % 16 == 0:
            progress(number, trace.frame_count or 0, f"checking {trace.path.name}")
        seen.count += 1
        time = messages.timestamp_ns(name, frame)
        if time is not None:
            seen.times.append(max(-LATEST, min(time, LATEST)))
            if last is not None and time <= last:
                seen.backwards.add(number)
            last = time
            latest = max(latest, time)
        elif timed:
            seen.untimed.add(number)
        if isinstance(trace, McapTrace) and timed and abs((file_time or 0) - latest) > ROUNDING:
            seen.other_times.add(number)
        version = messages.osi_version(name, frame)
        if version is None:
            seen.unversioned.add(number)
        elif len(seen.versions) < MAX_VERSIONS:
            seen.versions.setdefault(version, number)
        _parse(name, number, frame, seen)
    return seen


def _parse(name: str, number: int, frame: memoryview, seen: _Frames) -> None:
    try:
        if not messages.unknown_bytes(messages.parse(name, frame)):
            return
    except ValueError:
        seen.unparsable.add(number)
        return
    fields = messages.unknown_fields(messages.parse(name, frame))
    names = tuple(dict.fromkeys(islice(fields, 100)))
    if names:
        seen.unknown_names = seen.unknown_names or names
        seen.unknown.add(number)


def _of_frames(trace: Trace, seen: _Frames) -> Iterator[TraceFinding]:
    error, warning = Severity.ERROR, Severity.WARNING
    if not seen.count:
        yield TraceFinding(error, "holds no frame", "record it again")
    if seen.unparsable.count:
        yield TraceFinding(
            error,
            f"cannot be parsed as {trace.type_name}: {seen.unparsable.of(seen.count)}",
            "give the right --type, or record it again",
        )
    if seen.unknown.count:
        yield TraceFinding(
            warning,
            f"fields that OSI {messages.schema_version()} does not know in "
            f"{seen.unknown.of(seen.count)}: {', '.join(seen.unknown_names[:3])}",
            "give the right --type, or expect readers to skip them",
        )
    if seen.unversioned.count:
        yield TraceFinding(
            warning,
            f"no version in {seen.unversioned.of(seen.count)}",
            "have the recorder set the message's version",
        )
    if len(seen.versions) > 1:
        changes = ", ".join(f"{v} from frame {n}" for v, n in list(seen.versions.items())[:4])
        yield TraceFinding(error, f"changes its OSI version: {changes}", "split it by version")


def _of_times(seen: _Frames) -> Iterator[TraceFinding]:
    if seen.untimed.count:
        yield TraceFinding(
            Severity.WARNING,
            f"no timestamp in {seen.untimed.of(seen.count)}",
            "have the recorder set the message's timestamp",
        )
    if seen.backwards.count:
        yield TraceFinding(
            Severity.ERROR,
            f"timestamps that do not increase in {seen.backwards.of(seen.count)}",
            "sort it, or record each run into a file of its own",
        )
    if seen.other_times.count:
        yield TraceFinding(
            Severity.WARNING,
            f"log time differs from the message's timestamp in {seen.other_times.of(seen.count)}",
            "write it again with `wirecost trace convert` via .osi",
        )
    steps = np.diff(np.asarray(seen.times))
    usual = float(np.median(steps)) if len(steps) > 1 else 0.0
    gaps = int(np.count_nonzero(steps > GAP * usual)) if usual > 0 else 0
    if gaps:
        worst = int(np.argmax(steps))
        yield TraceFinding(
            Severity.WARNING,
            f"{gaps} of its {len(steps)} steps are longer than {GAP} usual ones of "
            f"{usual / 1e6:g} ms; the longest is {steps[worst] / 1e6:g} ms from frame {worst}",
            "look for frames the recorder lost",
        )


def _of_name(trace: Trace, seen: _Frames) -> Iterator[TraceFinding]:
    named = type_of(trace.path)
    if named not in (None, trace.type_name):
        yield TraceFinding(
            Severity.ERROR,
            f"is named as {named}, but its frames are {trace.type_name}",
            f"put {_tag(trace.type_name)} into its name",
        )
    name = parse_name(trace.path)
    if name is None:
        yield TraceFinding(Severity.WARNING, "is not named as OSI recommends", f"name it {FORM}")
        return
    if name.custom is None:
        yield TraceFinding(Severity.WARNING, "its name lacks a custom name", f"name it {FORM}")
    if name.frames != seen.count:
        yield TraceFinding(
            Severity.ERROR,
            f"is named for {counted(name.frames, 'frame')}, but holds {seen.count}",
            f"put {seen.count} into its name, or find the lost frames",
        )
    for version in seen.versions:
        if version.replace(".", "") != name.osi:
            yield TraceFinding(
                Severity.ERROR,
                f"is named for OSI {name.osi}, but its frames have {version}",
                f"put {version.replace('.', '')} into its name",
            )
            break


def _of_metadata(trace: McapTrace, seen: _Frames) -> Iterator[TraceFinding]:
    error, warning = Severity.ERROR, Severity.WARNING
    remedy = "write it again with `wirecost trace convert`"
    if trace.metadata_records != 1:
        many = f"{trace.metadata_records} records" if trace.metadata_records else "no record"
        yield TraceFinding(error, f"{many} {METADATA}, there must be one", remedy)
    entries = trace.about.file
    missing = [key for key in ("version", *VERSIONS) if key not in entries]
    if trace.metadata_records and missing:
        yield TraceFinding(error, f"{METADATA} lacks {', '.join(missing)}", remedy)
    for key in DATES:
        if key in entries and not DATE_TIME.fullmatch(entries[key]):
            yield TraceFinding(
                error,
                f"{METADATA}: {key} {shown(entries[key])!r} is no date with time and zone",
                remedy,
            )
    for key in ("osi_version", "protobuf_version"):
        if f"{CHANNEL}.{key}" not in trace.about.channel:
            yield TraceFinding(
                error, f"channel {shown(trace.about.topic)} lacks {CHANNEL}.{key}", remedy
            )
    stated = trace.about.channel.get(f"{CHANNEL}.osi_version")
    for version in seen.versions:
        if stated is not None and version != stated:
            yield TraceFinding(
                warning, f"its channel states OSI {shown(stated)}, its frames {version}", remedy
            )
            break


def _tag(type_name: str) -> str:
    return next(tag for tag, name in TYPES.items() if name == type_name)
