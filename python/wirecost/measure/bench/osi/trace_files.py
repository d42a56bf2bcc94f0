# SPDX-License-Identifier: Apache-2.0
"""Trace files for the trace player: the same frames on each contender's own wire."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.traces import open_trace
from wirecost.measure.bench.osi.contenders import OsiContender, Registry
from wirecost.measure.bench.osi.fmu import STEP_SIZE, Values, open_fmu
from wirecost.schema.columns.converter import Converter
from wirecost.schema.columns.reduced import OSI_REDUCTIONS
from wirecost.system.errors import UserError

REFLECTIONS, FRAMES = 668_052, 60
"""Size of the report's trace."""
TYPE = "SensorView"
LISTS = ("lidar_sensor_view.reflection",)
FORMS = {"columns-to-old": "columns", "also-rows-to-old": "columns-also-rows"}
"""Maps a contender to the trace format it reads, where that is another contender's."""
_LENGTH = struct.Struct("<I")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class TraceFrames:
    """Frames of the traces: a file's, or those of a source FMU."""

    file: Path | None = None
    source: Values | None = None
    fmi: int = 2
    build: str = "release"


def check_trace(path: Path) -> None:
    """Raise UserError on what cannot be played, before anything is built for it."""
    with open_trace(path) as trace:
        if trace.type_name != TYPE:
            raise UserError(f"--trace {path}: holds {trace.type_name}; give a trace of {TYPE}")


def can_play(contender: OsiContender, frames: TraceFrames) -> bool:
    """Return whether a contender can have the frames.

    A file is on Protobuf's wire: only a contender that reads that, or columns in it, can have it.
    """
    return frames.source is not None or contender.wire in ("protobuf", "columns")


def write_trace(
    contender: OsiContender,
    frames: TraceFrames,
    registry: Registry,
    folder: Path,
    progress: Progress,
) -> Path:
    """Return the trace of a contender, an ``.osi`` file in ``folder``. Raises UserError.

    Contenders that can share a file do.
    """
    if contender.wire not in ("protobuf", "columns"):
        path = folder / f"{contender.fmus}.osi"
        return _once(path, lambda: _messages(contender.fmus, frames, registry), progress)
    rows = _rows(frames, registry, folder, progress)
    if contender.wire == "protobuf":
        return rows
    form = FORMS.get(contender.name, contender.name)
    return _once(folder / f"{form}.osi", lambda: _converted(form, rows), progress)


def _rows(frames: TraceFrames, registry: Registry, folder: Path, progress: Progress) -> Path:
    if frames.file is None:
        path = folder / "rows.osi"
        return _once(path, lambda: _messages("protobuf", frames, registry), progress)
    file = frames.file
    if file.suffix == ".osi":
        return file.absolute()
    return _once(folder / "rows.osi", lambda: _of_trace(file), progress)


def _once(path: Path, make: Callable[[], Iterator[memoryview]], progress: Progress) -> Path:
    if path.exists():
        return path
    progress(f"writing the trace {path.stem}")
    with path.open("wb") as out:
        for message in make():
            out.write(_LENGTH.pack(len(message)))
            out.write(message)
    if path.stat().st_size == 0:
        raise UserError(f"{path}: no frame to play")
    return path


def _messages(contender: str, frames: TraceFrames, registry: Registry) -> Iterator[memoryview]:
    """Return what a contender's source sends, step by step."""
    fmu = open_fmu(registry.archive(contender, "source", frames.fmi, frames.build))
    try:
        fmu.start(frames.source or {})
        for step in range(FRAMES):
            fmu.step(step * STEP_SIZE)
            message = fmu.message("OSMPSensorViewOut")
            yield memoryview((ctypes.c_char * message.size).from_address(message.address))
    finally:
        fmu.close()


def _of_trace(path: Path) -> Iterator[memoryview]:
    with open_trace(path) as trace:
        for _, message in trace.frames():
            yield message


def _converted(form: str, rows: Path) -> Iterator[memoryview]:
    reductions = OSI_REDUCTIONS if form == "columns-reduced" else ()
    converter = Converter.to_columns_of(f"osi3.{TYPE}", LISTS, reductions)
    for message in _of_trace(rows):
        yield converter.to_columns(message, form == "columns-also-rows", _LENGTH.size)
