# SPDX-License-Identifier: Apache-2.0
"""One topic of many recordings as one data set: a Parquet file for each, all with one schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from wirecost.data.columns.files import write
from wirecost.data.columns.reading import TopicReader
from wirecost.data.recordings.blocks import Window
from wirecost.data.recordings.recording import Recording
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.progress import Progress, silent

RECORDING = "recording"
"""Column of the path of the recording that a row is from."""


@dataclass
class Fleet:
    """The files of a data set, and what was left out.

    ``columns``: types of all columns by their dotted paths.
    """

    columns: dict[str, str]
    files: dict[Path, Path] = field(default_factory=dict)
    rows: int = 0
    notes: list[str] = field(default_factory=list)


def write_fleet(
    recordings: Sequence[Path],
    topic: str,
    files: dict[Path, Path],
    fields: Sequence[str],
    include: Sequence[Path],
    window: Callable[[Recording], Window],
    progress: Progress = silent,
) -> Fleet:
    """Write ``files`` by their recordings, one open at a time. Raises UserError.

    A field that a recording has not is null there; recordings without the topic are left out.
    """
    notes: list[str] = []
    schemas: dict[Path, pl.Schema] = {}
    columns: dict[str, str] = {}
    for path in recordings:
        with Recording(path) as recording:
            try:
                reader = TopicReader(recording, topic, fields, include)
            except UserError as error:
                notes.append(f"left out: {error}")
            else:
                schemas[path] = reader.frame(reader.empty()).schema
                columns |= reader.columns
    if not schemas:
        raise UserError(notes[0].removeprefix("left out: "))
    schema = _united(schemas, topic)
    name = RECORDING
    while name in schema:
        name = f"_{name}"
    fleet = Fleet({name: "string", **columns}, notes=notes)
    for path in schemas:
        with Recording(path) as recording:
            reader = TopicReader(recording, topic, fields, include)
            reader.shape = _shape(schema, name, str(path))
            write({reader: files[path]}, window(recording), progress)
            fleet.rows += reader.rows
            fleet.notes += [f"{path}: {note}" for note in reader.notes]
        fleet.files[path] = files[path]
    return fleet


def _shape(schema: pl.Schema, name: str, recording: str) -> Callable[[pl.DataFrame], pl.DataFrame]:
    """Return what gives frames the columns of all recordings."""

    def shaped(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(
            pl.lit(recording).alias(name),
            *(
                pl.col(column).cast(dtype) if column in frame.columns
                else pl.lit(None, dtype).alias(column)
                for column, dtype in schema.items()
            ),
        )  # fmt: skip

    return shaped


class _ConflictError(Exception):
    """A field's path, and its two types."""


def _united(schemas: dict[Path, pl.Schema], topic: str) -> pl.Schema:
    """Return a schema with the fields of all. Raises UserError where a field has two types."""
    whole: Any = pl.Struct({})
    for path, schema in schemas.items():
        try:
            whole = _both(whole, pl.Struct(schema))
        except _ConflictError:
            raise _conflict(schemas, path, topic) from None
    return pl.Schema({each.name: each.dtype for each in whole.fields})


def _conflict(schemas: dict[Path, pl.Schema], path: Path, topic: str) -> UserError:
    """Return the error for a recording that differs from one before it."""
    for first, schema in schemas.items():
        try:
            _both(pl.Struct(schema), pl.Struct(schemas[path]))
        except _ConflictError as error:
            field_path, one, other = error.args
            return UserError(
                f"{path}: {shown(topic)} has {shown(field_path)} as {other}, {first} as {one}; "
                "choose other --fields, or write them apart"
            )
    raise AssertionError("no recording differs")


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
    if one != other:
        raise _ConflictError(path, one, other)
    return one
