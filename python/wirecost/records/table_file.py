# SPDX-License-Identifier: Apache-2.0
"""Parquet files that others wrote, held against the columns that they must have.

A few bytes can stand for a billion equal rows, so the rows are counted before any is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import polars as pl

from wirecost.errors import UserError
from wirecost.printable import printable, shortened
from wirecost.regular_file import read_regular

LARGEST_FILE = 1 << 31
ROWS = 1 << 19
"""That a table may have however small its file; beyond, what was measured takes a byte a row."""
MOST_COLUMNS = 64
LONGEST_TEXT = 4096
LARGEST_NUMBER = 1e18
"""Nanoseconds: 31 years. Sums and products of such numbers stay finite."""
SMALLEST_NUMBER = 1e-9
"""That is not 0: quotients stay finite."""
LONGEST_REASON = 120


class Kind(Enum):
    """What the values of a column are, whatever their width in a file."""

    TEXT = "text"
    WHOLE = "whole numbers"
    NUMBER = "numbers"

    def holds(self, kind: pl.DataType) -> bool:
        if self is Kind.TEXT:
            return kind == pl.String
        return kind.is_integer() or (self is Kind.NUMBER and kind.is_float())


@dataclass(frozen=True)
class Column:
    """``least``: of its numbers. ``optional``: older files have none; it is read as nulls."""

    kind: Kind
    least: float = -LARGEST_NUMBER
    nullable: bool = False
    optional: bool = False


TEXT = Column(Kind.TEXT)
WHOLE, COUNT = Column(Kind.WHOLE), Column(Kind.WHOLE, 0)
NUMBER, AMOUNT = Column(Kind.NUMBER), Column(Kind.NUMBER, 0)
TYPES = {Kind.TEXT: pl.String(), Kind.WHOLE: pl.Int64(), Kind.NUMBER: pl.Float64()}
Columns = Mapping[str, Column]
"""By name; ``counter:*`` is every name that begins so."""


def read_table(path: Path, columns: Columns, remedy: str) -> pl.DataFrame:
    """The columns that ``columns`` declares: whole numbers as Int64, other ones as Float64, every
    text printable on one line.

    Raises UserError, one line: file, column, what is wrong with it, and the remedy.
    """
    try:
        content = read_regular(path, LARGEST_FILE)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error
    try:
        with _silenced():
            lazy = pl.scan_parquet(content)
            found = _found(lazy.collect_schema(), columns)
            rows = int(lazy.select(pl.len()).collect().item())
            if rows > max(ROWS, len(content)):
                raise _RefusedError(f"claims {rows:,} rows in {len(content):,} bytes")
            table = lazy.select(list(found)).collect()
        return _checked(table, found, columns)
    except _RefusedError as error:
        raise UserError(f"{path}: {error}; {remedy}") from error
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = shortened(printable(str(error)), LONGEST_REASON)
        raise UserError(f"{path}: cannot be read ({reason}); {remedy}") from error


class _RefusedError(Exception):
    pass


@contextmanager
def _silenced() -> Iterator[None]:
    """Without standard error: of some damaged files Polars' threads tell at length there, beside
    the exception."""
    kept = os.dup(2)
    try:
        with Path(os.devnull).open("wb") as nothing:
            os.dup2(nothing.fileno(), 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _found(schema: pl.Schema, columns: Columns) -> dict[str, Column]:
    """What of the schema is declared."""
    for name, column in columns.items():
        if name not in schema and not name.endswith("*") and not column.optional:
            raise _RefusedError(f"has no column {name}")
    found = {name: column for name in schema if (column := _declared(name, columns)) is not None}
    if len(found) > MOST_COLUMNS:
        raise _RefusedError(f"has {len(found):,} columns, more than {MOST_COLUMNS}")
    for name, declared in found.items():
        kind = schema[name]
        if not declared.kind.holds(kind) and not (declared.nullable and kind == pl.Null):
            told = f"{_shown(str(kind))}, not {declared.kind.value}"
            raise _RefusedError(f"column {_shown(name)} is {told}")
    return found


def _declared(name: str, columns: Columns) -> Column | None:
    if name in columns:
        return columns[name]
    prefixes = (one for one in columns if one.endswith("*") and name.startswith(one[:-1]))
    return next((columns[one] for one in prefixes), None)


def _checked(table: pl.DataFrame, found: dict[str, Column], columns: Columns) -> pl.DataFrame:
    """In the types that readers know, values within bounds, columns in the order declared."""
    checked = {name: _within(table[name], column) for name, column in found.items()}
    absent = {
        name: pl.Series(name, [None], TYPES[column.kind]).new_from_index(0, len(table))
        for name, column in columns.items()
        if name not in found and column.optional
    }
    return pl.DataFrame(checked | absent)


def _within(values: pl.Series, column: Column) -> pl.Series:
    name = _shown(values.name)
    if not column.nullable and values.has_nulls():
        raise _RefusedError(f"column {name} lacks {values.null_count():,} of its values")
    if values.dtype == pl.String:
        return _texts(values, name)
    whole = values.dtype.is_integer() or values.dtype == pl.Null
    if not whole:
        values = values.cast(pl.Float64)
        if values.is_nan().any() or ((values != 0) & (values.abs() < SMALLEST_NUMBER)).any():
            raise _RefusedError(f"column {name} holds what was never measured")
    for end in (values.min(), values.max()):
        if isinstance(end, int | float) and not column.least <= end <= LARGEST_NUMBER:
            raise _RefusedError(f"column {name} holds {end:.6g}")
    return values.cast(pl.Int64) if whole else values


def _texts(values: pl.Series, name: str) -> pl.Series:
    longest = values.str.len_bytes().max()
    if isinstance(longest, int) and longest > LONGEST_TEXT:
        raise _RefusedError(f"column {name} holds a text of {longest:,} bytes")
    odd = [text for text in values.unique().drop_nulls() if not text.isprintable()]
    return values.replace({text: printable(text) for text in odd}) if odd else values


def _shown(text: str) -> str:
    return shortened(printable(text), 80)
