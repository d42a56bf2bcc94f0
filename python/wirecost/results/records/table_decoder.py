# SPDX-License-Identifier: Apache-2.0
"""Decodes Parquet that others wrote, in a process that may end of it (``table_file.py``).

A few bytes can stand for a billion equal rows, so rows are counted before they are read. Where the
counts lie as well, Polars asks for more memory than there is and ends its process.

    python -m wirecost.results.records.table_decoder

answers requests on standard input, each the lengths of what follows, the columns as JSON, and the
file; an answer is OK and a table in Arrow's format, or REFUSED and the reason, with its length.
"""

from __future__ import annotations

import io
import os
import resource
import signal
import struct
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec
import polars as pl

from wirecost.results.records.table_columns import (
    LARGEST_NUMBER,
    SMALLEST_NUMBER,
    ColumnKind,
    Columns,
    TableColumn,
)
from wirecost.system.foreign import printable, shortened

REQUEST, ANSWER = struct.Struct("<QQ"), struct.Struct("<cQ")
OK, REFUSED = b"+", b"-"

ROWS = 1 << 19
"""Rows that a table may have however small its file; beyond, what was measured takes a byte a
row."""
MOST_COLUMNS = 64
LONGEST_TEXT = 4096
MEMORY, MEMORY_PER_BYTE = 2 << 30, 64
"""Address space that decoding may take: so much, and so much for each byte of the file."""
TOO_LARGE = b"has more samples than fit the memory that its decoder may take"
SECONDS, SECONDS_PER_BYTE = 8, 1e-7
"""Seconds of the processor."""
LONGEST_REASON = 120
TYPES = {
    ColumnKind.TEXT: pl.String(),
    ColumnKind.WHOLE: pl.Int64(),
    ColumnKind.NUMBER: pl.Float64(),
}


class RefusedError(Exception):
    """The message says which column and why."""


def decoded(content: bytes, columns: Columns) -> pl.DataFrame:
    """Return the declared columns of a file. Raises RefusedError."""
    try:
        lazy = pl.scan_parquet(content)
        declared = _found(lazy.collect_schema(), columns)
        rows = int(lazy.select(pl.len()).collect().item())
        if rows > max(ROWS, len(content)):
            raise RefusedError(f"claims {rows:,} rows in {len(content):,} bytes")
        return _checked(lazy.select(list(declared)).collect(), declared, columns)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        reason = shortened(printable(str(error)), LONGEST_REASON)
        raise RefusedError(f"cannot be read ({reason})") from error


def _found(schema: pl.Schema, columns: Columns) -> dict[str, TableColumn]:
    """Return the declared columns of the schema."""
    for name, declaration in columns.items():
        if name not in schema and not name.endswith("*") and not declaration.optional:
            raise RefusedError(f"has no column {name}")
    by_name = {name: column for name in schema if (column := _declared(name, columns)) is not None}
    if len(by_name) > MOST_COLUMNS:
        raise RefusedError(f"has {len(by_name):,} columns, more than {MOST_COLUMNS}")
    for name, declared in by_name.items():
        kind = schema[name]
        if not _holds(declared.kind, kind) and not (declared.nullable and kind == pl.Null):
            actual = f"{_shown(str(kind))}, not {declared.kind.value}"
            raise RefusedError(f"column {_shown(name)} is {actual}")
    return by_name


def _holds(kind: ColumnKind, found: pl.DataType) -> bool:
    if kind is ColumnKind.TEXT:
        return found == pl.String
    return found.is_integer() or (kind is ColumnKind.NUMBER and found.is_float())


def _declared(name: str, columns: Columns) -> TableColumn | None:
    if name in columns:
        return columns[name]
    prefixes = (
        prefix for prefix in columns if prefix.endswith("*") and name.startswith(prefix[:-1])
    )
    return next((columns[prefix] for prefix in prefixes), None)


def _checked(table: pl.DataFrame, found: dict[str, TableColumn], columns: Columns) -> pl.DataFrame:
    """In the types that readers know, values within bounds."""
    checked = {name: _within(table[name], column) for name, column in found.items()}
    absent = {
        name: pl.Series(name, [None], TYPES[column.kind]).new_from_index(0, len(table))
        for name, column in columns.items()
        if name not in found and column.optional
    }
    return pl.DataFrame(checked | absent)


def _within(values: pl.Series, column: TableColumn) -> pl.Series:
    name = _shown(values.name)
    if not column.nullable and values.has_nulls():
        raise RefusedError(f"column {name} lacks {values.null_count():,} of its values")
    if values.dtype == pl.String:
        return _texts(values, name)
    whole = values.dtype.is_integer() or values.dtype == pl.Null
    if not whole:
        values = values.cast(pl.Float64)
        if values.is_nan().any() or ((values != 0) & (values.abs() < SMALLEST_NUMBER)).any():
            raise RefusedError(f"column {name} holds values that cannot be measurements")
    for end in (values.min(), values.max()):
        if isinstance(end, int | float) and not column.least <= end <= LARGEST_NUMBER:
            raise RefusedError(f"column {name} holds {end:.6g}")
    return values.cast(pl.Int64) if whole else values


def _texts(values: pl.Series, name: str) -> pl.Series:
    longest = values.str.len_bytes().max()
    if isinstance(longest, int) and longest > LONGEST_TEXT:
        raise RefusedError(f"column {name} holds a text of {longest:,} bytes")
    odd = [text for text in values.unique().drop_nulls() if not text.isprintable()]
    return values.replace({text: printable(text) for text in odd}) if odd else values


def _shown(text: str) -> str:
    return shortened(printable(text), 80)


def main() -> None:
    """Answers until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked decides what Ctrl-C means
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := requests.read(REQUEST.size):
        of_columns, of_content = REQUEST.unpack(head)
        columns = msgspec.json.decode(requests.read(of_columns), type=dict[str, TableColumn])
        content = requests.read(of_content)
        _limit(len(content))
        try:
            out = io.BytesIO()
            decoded(content, columns).write_ipc(out)
            _answer(answers, OK, out.getvalue())
        except RefusedError as error:
            _answer(answers, REFUSED, str(error).encode())
        except MemoryError:
            _answer(answers, REFUSED, TOO_LARGE)


def _answer(to: BinaryIO, kind: bytes, content: bytes) -> None:
    to.write(ANSWER.pack(kind, len(content)))
    to.write(content)
    to.flush()


def _limit(size: int) -> None:
    """Memory and time that a file of so many bytes may take from here on."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    seconds = used.ru_utime + used.ru_stime + SECONDS + SECONDS_PER_BYTE * size
    _soften(resource.RLIMIT_CPU, int(seconds) + 1)
    mapped = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    _soften(resource.RLIMIT_AS, mapped + MEMORY + MEMORY_PER_BYTE * size)


def _soften(which: int, most: int) -> None:
    _, hard = resource.getrlimit(which)
    resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    main()
