# SPDX-License-Identifier: Apache-2.0
"""A trace file by its ending: which reader, which writer, which type of message."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from wirecost.data.traces import messages, wire
from wirecost.data.traces.choices import SUFFIXES, TYPES
from wirecost.data.traces.mcap_file import McapTrace
from wirecost.data.traces.mcap_writer import McapTraceWriter, about_named
from wirecost.data.traces.names import misnamed, type_of
from wirecost.data.traces.osi_file import OsiTrace, OsiWriter
from wirecost.data.traces.text_file import TextTrace, TextWriter
from wirecost.data.traces.trace import About, Trace, TraceWriter
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import reading_command
from wirecost.system.progress import Progress, silent

LOOKED_AT = 4
"""Frames from which a type is detected that the name does not give."""

_KNOWN = f"these are known: {', '.join(SUFFIXES)}"


def open_trace(
    path: Path,
    topic: str | None = None,
    type_name: str | None = None,
    progress: Progress = silent,
) -> Trace:
    """Open a trace file by its ending.

    ``topic``: the channel of an .mcap file with several. ``type_name``: the message type, instead
    of what MCAP's schema, the name or else the first frames give. Raises UserError.
    """
    if type_name is not None:
        messages.message_class(type_name)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        remedy = reading_command(path) or _KNOWN
        raise UserError(f"{path}: no trace of OSI by its suffix; {remedy}")
    if topic is not None and suffix != ".mcap":
        raise UserError(f"{path}: only .mcap files have topics; leave out --topic")
    if suffix == ".mcap":
        mcap = McapTrace(path, topic, progress)
        mcap.type_name = type_name or mcap.type_name
        return mcap
    if suffix == ".txth":
        return TextTrace(path, type_name or type_of(path) or _type_read(path))
    osi = OsiTrace(path, progress=progress)
    first = [message for _, message in islice(osi.frames(), LOOKED_AT)]
    if osi.size and not (first and (type_name or any(map(wire.is_message, first)))):
        raise osi.no_trace()
    osi.type_name = type_name or _type_seen(osi, first)
    return osi


def _type_seen(trace: OsiTrace, first: list[memoryview]) -> str:
    """Return the name's type where no other fits the first frames better; else theirs."""
    named = type_of(trace.path)
    unknown = messages.fits(named, first) if named is not None else 1.0
    if named is not None and not unknown:
        return named
    if not first:
        raise UserError(f"{trace.path}: holds no frame; record it again")
    fitting = messages.identify(first)
    if named is not None and (
        len(fitting) != 1 or (unknown < 0.5 and messages.fits(fitting[0], first) > 0)
    ):
        return named
    type_name = _only(trace.path, fitting)
    if named is not None:
        trace.warnings.append(misnamed(trace.path, named, type_name))
    return type_name


def _type_read(path: Path) -> str:
    """Return the type by which the first message can be read: text names its fields."""
    return _only(path, [name for name in TYPES.values() if TextTrace(path, name).readable])


def _only(path: Path, types: list[str]) -> str:
    if not types:
        raise UserError(f"{path}: its frames are not OSI messages; is it a trace file?")
    if len(types) > 1:
        raise UserError(f"{path}: could be {' or '.join(types)}; give --type")
    return types[0]


def create_trace(
    path: Path, type_name: str, about: About | None = None, compression: str = "zstd"
) -> TraceWriter:
    """Begin a trace file of frames of one type; it appears once the ``with`` block ends well.

    ``about``: the source's own metadata, for .mcap. Raises UserError.
    """
    suffix = path.suffix.lower()
    if suffix == ".osi":
        return OsiWriter(path)
    if suffix == ".mcap":
        return McapTraceWriter(path, type_name, about or about_named(path), compression)
    if suffix == ".txth":
        return TextWriter(path, type_name)
    raise UserError(
        f"{path}: no trace of OSI by its suffix; these are known: {', '.join(SUFFIXES)}"
    )
