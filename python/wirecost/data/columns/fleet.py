# SPDX-License-Identifier: Apache-2.0
"""One topic of many recordings as one data set: a Parquet file for each, all with one schema."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl

from wirecost.data.columns.files import write
from wirecost.data.columns.reading import TopicReader
from wirecost.data.recordings.blocks import Window
from wirecost.data.recordings.recording import Recording
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.progress import Progress, silent
from wirecost.system.table_set import TableOrigin, TableSet, origin_of
from wirecost.system.worker_processes import each_done

RECORDING = "recording"
"""Column of the path of the recording that a row is from."""
_MOST_EXACT = 1 << 53
"""Largest integer up to which a real has all of them."""
_OTHER = "other --topic, --fields, --from, --to or -I; name another --out, or add --force"


@dataclass
class Fleet:
    """The files of a data set, and what was left out.

    ``columns``: types of all columns by their dotted paths; ``there``: files that an earlier run
    wrote.
    """

    columns: dict[str, str]
    files: dict[Path, Path] = field(default_factory=dict)
    rows: int = 0
    there: int = 0
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class FleetReading:
    """What is read of each recording; ``window``: the times of one that are read."""

    topic: str
    fields: Sequence[str]
    include: Sequence[Path]
    window: Callable[[Recording], Window]

    def reader(self, recording: Recording) -> TopicReader:
        """Return a reader of the topic. Raises UserError."""
        return TopicReader(recording, self.topic, self.fields, self.include)


def write_fleet(
    names: Mapping[Path, str],
    folder: Path,
    reading: FleetReading,
    options: Sequence[object],
    is_forced: bool = False,
    workers: int = 1,
    progress: Progress = silent,
) -> Fleet:
    """Write a file for each recording, unless an earlier run did so. Raises UserError.

    A field that a recording has not is null there; recordings without the topic are left out.
    ``names``: of new files; ``options``: what a file depends on, besides its recording;
    ``is_forced``: write all files, whatever is there; ``workers``: processes that write.
    """
    tables = TableSet(folder)
    asked = json.dumps([reading.topic, list(reading.fields), *map(str, options)])
    files = tables.files(names)
    fleet = Fleet({})
    origins: dict[Path, TableOrigin] = {}
    for path in names:
        try:
            origins[path] = origin_of(path, asked)
        except UserError as error:
            fleet.notes.append(f"left out: {error}")
    there: dict[Path, TableOrigin] = {}
    if not is_forced:
        for path, origin in origins.items():
            _check(file := files[path], tables, asked)
            if current := tables.current(file, origin):
                there[path] = current
    whole = {path: pl.read_parquet_schema(files[path]) for path in there}
    schemas = {path: pl.Schema(list(schema.items())[1:]) for path, schema in whole.items()}
    schemas |= _schemas([path for path in origins if path not in there], reading, fleet.notes)
    if not schemas:
        raise UserError(fleet.notes[0].removeprefix("left out: "))
    schema = _united(schemas, reading.topic)
    name = RECORDING
    while name in schema:
        name = f"_{name}"
    written = pl.Schema({name: pl.String()} | dict(schema))
    fleet.columns = dict(_columns(pl.Struct(written)))
    fleet.files = {path: files[path] for path in names if path in schemas}
    there = {path: origin for path, origin in there.items() if whole[path] == written}
    fleet.there = len(there)
    orders = [
        (reading, written, files[path], origins[path]) for path in fleet.files if path not in there
    ]
    notes = {path: origin.notes for path, origin in there.items()}
    try:
        for number, (path, lost) in enumerate(each_done(_write, orders, workers), 1):
            notes[path] = lost
            progress(number, len(orders), f"writing {path.name}")
    except _InexactError as error:
        raise error.shown_for(schemas, reading.topic) from None
    for path, file in fleet.files.items():
        fleet.rows += int(pl.scan_parquet(file, glob=False).select(pl.len()).collect().item())
        fleet.notes += [f"{path}: {note}" for note in notes[path]]
    named = {origins[path].place for path in fleet.files}
    others = [each for each in tables.origins.values() if each and each.place not in named]
    fleet.notes += [f"{folder}: has {each.recording} as well, from before" for each in others]
    return fleet


def _schemas(
    paths: Iterable[Path], reading: FleetReading, notes: list[str]
) -> dict[Path, pl.Schema]:
    """Return the columns of recordings; add a note on each that is left out."""
    schemas = {}
    for path in paths:
        try:
            with Recording(path) as recording:
                reader = reading.reader(recording)
                schemas[path] = reader.frame(reader.empty()).schema
        except UserError as error:
            notes.append(f"left out: {error}")
    return schemas


def _check(file: Path, tables: TableSet, options: str) -> None:
    """Raise UserError where a file is there that no run with these options wrote."""
    origin = tables.origins.get(file)
    if origin is None and file.exists():
        raise UserError(f"{file}: exists; name another folder or add --force")
    if origin is not None and origin.options != options:
        raise UserError(f"{file}: was written with {_OTHER}")


def _write(
    reading: FleetReading, schema: pl.Schema, file: Path, origin: TableOrigin
) -> tuple[Path, tuple[str, ...]]:
    """Write a recording's file; return the recording, and notes on what is not in it."""
    path = Path(origin.recording)
    with Recording(path) as recording:
        reader = reading.reader(recording)
        reader.shape = _shape(schema, str(path))

        reader.metadata = partial(_metadata, origin)
        write({reader: file}, reading.window(recording))
        return path, tuple(reader.notes)


def _metadata(origin: TableOrigin, reader: TopicReader) -> dict[str, str]:
    return msgspec.structs.replace(origin, notes=tuple(reader.notes)).metadata


def _shape(schema: pl.Schema, recording: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return what gives frames the columns of all recordings, of which the first is their path."""
    name, *columns = schema

    def shaped(frame: pl.DataFrame) -> pl.DataFrame:
        _check_exact(frame.to_struct(), pl.Struct(schema), recording)
        return frame.select(
            pl.lit(recording).alias(name),
            *(
                pl.col(column).cast(schema[column]) if column in frame.columns
                else pl.lit(None, schema[column]).alias(column)
                for column in columns
            ),
        )  # fmt: skip

    return shaped


class _ConflictError(Exception):
    """A field's path, and its two types."""


class _InexactError(Exception):
    """A recording, and the path of a field whose integers the reals of others do not hold."""

    def shown_for(self, schemas: dict[Path, pl.Schema], topic: str) -> UserError:
        path, of_field = self.args
        real = next(
            other
            for other, schema in schemas.items()
            if "float" in dict(_columns(pl.Struct(schema))).get(of_field, "")
        )
        return UserError(
            f"{path}: {shown(topic)} has integers beyond 2⁵³ in {shown(of_field)}, where {real} "
            "has reals; choose other --fields, or write them apart"
        )


def _check_exact(values: pl.Series, dtype: Any, recording: str, path: str = "") -> None:
    """Raise _InexactError where an integer that becomes a real would become another number."""
    if isinstance(values.dtype, pl.Struct):
        types = {each.name: each.dtype for each in dtype.fields}
        for each in values.dtype.fields:
            inside = f"{path}.{each.name}".lstrip(".")
            _check_exact(values.struct.field(each.name), types[each.name], recording, inside)
    elif isinstance(values.dtype, (pl.List, pl.Array)):
        if values.dtype != dtype:
            _check_exact(values.explode(), dtype.inner, recording, path)
    elif values.dtype.is_integer() and dtype.is_float():
        bounds: Any = (values.min(), values.max())
        if any(bound is not None and abs(bound) > _MOST_EXACT for bound in bounds):
            raise _InexactError(recording, path)


def _united(schemas: dict[Path, pl.Schema], topic: str) -> pl.Schema:
    """Return a schema with the fields of all. Raises UserError where a field has two types."""
    whole: Any = pl.Struct({})
    for path, schema in schemas.items():
        try:
            whole = _both(whole, pl.Struct(schema))
        except _ConflictError as error:
            raise _conflict(schemas, path, topic, error) from None
    return pl.Schema({each.name: each.dtype for each in whole.fields})


def _conflict(
    schemas: dict[Path, pl.Schema], path: Path, topic: str, conflict: _ConflictError
) -> UserError:
    """Return the error for a recording that differs from one before it, or from all together."""
    other_side = "those before it together"
    for first, schema in schemas.items():
        try:
            _both(pl.Struct(schema), pl.Struct(schemas[path]))
        except _ConflictError as error:
            other_side, conflict = str(first), error
            break
    field_path, one, other = conflict.args
    return UserError(
        f"{path}: {shown(topic)} has {shown(field_path)} as {other}, {other_side} as {one}; "
        "choose other --fields, or write them apart"
    )


def _both(one: Any, other: Any, path: str = "") -> Any:
    """Return the type that has the fields of two. Raises _ConflictError."""
    if isinstance(one, pl.Struct) and isinstance(other, pl.Struct):
        fields = {each.name: each.dtype for each in one.fields}
        for each in other.fields:
            own = fields.get(each.name, each.dtype)
            fields[each.name] = _both(own, each.dtype, f"{path}.{each.name}".lstrip("."))
        return pl.Struct(fields)
    if isinstance(one, pl.List) and isinstance(other, pl.List):
        return pl.List(_both(one.inner, other.inner, path))
    if one == other:
        return one
    wider = _wider(one, other)
    if wider is None:
        raise _ConflictError(path, one, other)
    return wider


_NUMBERS = {
    np.dtype(str(dtype).lower()): dtype
    for dtype in (pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.UInt8(), pl.UInt16(),
                  pl.UInt32(), pl.UInt64(), pl.Float32(), pl.Float64())
}  # fmt: skip


def _wider(one: Any, other: Any) -> Any:
    """Return the number that has the values of two exactly; None where there is none.

    Where one is an integer of 64 bits and the other a real, its values are checked as they come.
    """
    both = [kind for kind, dtype in _NUMBERS.items() if dtype in (one, other)]
    if len(both) < 2:
        return None
    wider = np.promote_types(*both)
    # Of NumPy, two integers of 64 bits may become a float.
    is_usual = wider.kind != "f" or any(kind.kind == "f" for kind in both)
    return _NUMBERS.get(wider) if is_usual else None


def _columns(
    dtype: Any, path: str = "", outer: str = "", sizes: str = ""
) -> Iterator[tuple[str, str]]:
    """Yield the dotted paths of a type's fields, and the type of each in words."""
    if isinstance(dtype, pl.Struct):
        for each in dtype.fields:
            yield from _columns(each.dtype, f"{path}.{each.name}".lstrip("."), outer, sizes)
    elif isinstance(dtype, pl.List):
        yield from _columns(dtype.inner, path, f"{outer}list of ", sizes)
    elif isinstance(dtype, pl.Array):
        yield from _columns(dtype.inner, path, outer, f"{sizes}[{dtype.shape[0]}]")
    else:
        word = str(dtype).lower()
        yield path, outer + _WORDS.get(word.partition("(")[0], word) + sizes


_WORDS = {"datetime": "datetime64[ns]", "duration": "timedelta64[ns]", "boolean": "bool"}
