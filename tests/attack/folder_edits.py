# SPDX-License-Identifier: Apache-2.0
"""Damage to result folders, piece by piece: documents, tables, journals, logs, whole files."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from attack import mutate
from wirecost.results.records.folder import META
from wirecost.results.records.journal import NAME as JOURNAL
from wirecost.results.records.probe_log import HEADER_SIZE, RECORD, SUFFIX

TEXTS = (
    "", "x", "x" * 5000, "<script>alert(1)</script>", "a\nb\r\n| c |\x1b[31m", "=1+1", "../../x",
    "200x200", "\ud800", "nan", "{}",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**30, 0.5, -0.5, 1e-300, 1e300,
    [], {}, [[]], [None], {"": None}, [0] * 1000, *TEXTS,
)  # fmt: skip
NUMBERS = (0, -1, 1, 2**31, 2**62, -(2**62), 10**18, 10**19)
FLOATS = (0.0, -1.0, 1e-300, 1e300, float("inf"), float("-inf"), float("nan"), 5e-324, 1e18)

Files = dict[str, bytes]


def packed(files: Files) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return out.getvalue()


def unpacked(data: bytes) -> Files:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


FOLDER = b"a folder"
"""In the place of a file."""


def mutated(folders: Sequence[bytes], chance: random.Random) -> bytes:
    """One of the folders with one or two pieces damaged; now and then as it was."""
    files = unpacked(chance.choice(folders))
    for _ in range(chance.choice((0, 1, 1, 1, 1, 2))):
        chance.choice(EDITS)(files, folders, chance)
    return packed(files)


def _named(files: Files, name: str) -> str | None:
    return next((path for path in files if path.endswith("/" + name)), None)


def nodes(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON document: what holds it, and the key or the index."""
    if isinstance(document, dict | list):
        keys = document if isinstance(document, dict) else range(len(document))
        for key in list(keys):
            yield document, key
            yield from nodes(document[key])


def _edit_meta(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Remove a node, replace it, put it elsewhere, or have it twice."""
    del folders
    path = _named(files, META)
    if path is None:
        return
    try:
        whole = json.loads(files[path])
        places = list(nodes(whole))
        holder, key = chance.choice(places)
    except (ValueError, IndexError, RecursionError):
        return
    how = chance.randrange(5)
    if how == 0:
        del holder[key]
    elif how == 1 and isinstance(holder, list):
        holder.append(holder[key])
    elif how == 2:
        other, at = chance.choice(places)
        holder[key] = json.loads(json.dumps(other[at]))
    else:
        holder[key] = chance.choice(VALUES)
    files[path] = json.dumps(whole).encode()


def _edit_journal(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Change a line of a journal as a document is changed, repeat it, or remove it."""
    path = _named(files, JOURNAL)
    if path is None:
        return
    lines = files[path].split(b"\n")
    at = chance.randrange(len(lines))
    how = chance.randrange(6)
    if how == 0:
        del lines[at]
    elif how == 1:
        lines.insert(chance.randrange(len(lines)), lines[at])
    else:
        line = {f"/{META}": lines[at]}
        _edit_meta(line, folders, chance)
        lines[at] = line[f"/{META}"]
    files[path] = b"\n".join(lines)


def _edit_bytes(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Damage some file as any file can be."""
    del folders
    path = chance.choice(list(files))
    files[path] = mutate.mutated([files[path] or b"\0"], chance)


def _edit_numbers(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Write numbers that Python has and JSON does not have, or nesting without end."""
    del folders
    path = _named(files, META)
    if path is not None:
        odd = chance.choice((b"NaN", b"Infinity", b"-Infinity", b"1e999", b"[" * 100_000))
        at = files[path].rfind(b": ", 0, chance.randrange(len(files[path]) + 1)) + 2
        files[path] = files[path][:at] + odd + files[path][at:].partition(b",")[2]


def _edit_log(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Eight bytes of some records of a probe log become an edge; their numbers stay in order."""
    del folders
    logs = [path for path in files if path.endswith(SUFFIX)]
    if not logs:
        return
    path = chance.choice(logs)
    content = bytearray(files[path])
    records = range(HEADER_SIZE, len(content) - RECORD.itemsize + 1, RECORD.itemsize)
    at = chance.randrange(8, RECORD.itemsize, 8)
    edge = struct.pack("<Q", chance.choice(mutate.WIDE_EDGES))
    for start in chance.sample(records, min(len(records), chance.choice((1, 5, 400)))):
        content[start + at : start + at + 8] = edge
    files[path] = bytes(content)


def _edit_table(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Remove, retype or change the values of a column or some rows of a table."""
    del folders
    tables = [path for path in files if path.endswith(".parquet")]
    if not tables:
        return
    path = chance.choice(tables)
    try:
        table = pl.read_parquet(io.BytesIO(files[path]))
        changed = chance.choice(TABLE_EDITS)(table, chance)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OverflowError, TypeError):
        return  # damaged before, or there is no such table
    out = io.BytesIO()
    changed.write_parquet(out)
    files[path] = out.getvalue()


def _edit_files(files: Files, folders: Sequence[bytes], chance: random.Random) -> None:
    """Remove a file, empty it, make it a folder, or replace it by another folder's."""
    path = chance.choice(list(files))
    how = chance.randrange(4)
    others = unpacked(chance.choice(folders))
    same = [content for name, content in others.items() if Path(name).name == Path(path).name]
    if how == 0 and len(files) > 1:
        del files[path]
    elif how == 1 and len(files) > 1:
        files[path] = FOLDER
    elif how == 2:
        files[path] = b""
    elif same:
        files[path] = same[0]


EDITS: tuple[Callable[[Files, Sequence[bytes], random.Random], None], ...] = (
    _edit_meta,
    _edit_meta,
    _edit_meta,
    _edit_journal,
    _edit_bytes,
    _edit_numbers,
    _edit_log,
    _edit_table,
    _edit_table,
    _edit_files,
)


def _any_column(table: pl.DataFrame, chance: random.Random) -> str:
    return chance.choice(table.columns)


def _some(table: pl.DataFrame, chance: random.Random) -> pl.Expr:
    """One row, or all of them."""
    row = chance.randrange(max(1, len(table)))
    return pl.lit(True) if chance.random() < 0.3 else pl.int_range(pl.len()) == row


def _without_column(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    return table.drop(_any_column(table, chance))


def _renamed(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    return table.rename({_any_column(table, chance): chance.choice(("ns ", "x", "run", "mode"))})


def _retyped(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    name = _any_column(table, chance)
    kinds = (
        pl.String, pl.Int8, pl.Int64, pl.UInt64, pl.Float32, pl.Float64, pl.Boolean, pl.Binary,
        pl.Categorical, pl.Date, pl.Duration, pl.Decimal(38, 2), pl.List(pl.Int64), pl.Null,
    )  # fmt: skip
    return table.with_columns(pl.col(name).cast(chance.choice(kinds), strict=False))


def _with_nulls(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    name = _any_column(table, chance)
    changed = pl.when(_some(table, chance)).then(None).otherwise(pl.col(name))
    return table.with_columns(changed.alias(name))


def _with_values(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    name = _any_column(table, chance)
    kind = table.schema[name]
    value: Any = chance.choice(FLOATS if kind.is_float() else NUMBERS)
    if kind == pl.String:
        value = chance.choice(TEXTS).replace("\ud800", "\u202e")
    changed = pl.when(_some(table, chance)).then(pl.lit(value)).otherwise(pl.col(name))
    return table.with_columns(changed.alias(name))


def _of_rows(table: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Without some rows, with some twice, in another order, or with a hundred thousand of one."""
    count = chance.randrange(len(table) + 1)
    return chance.choice(
        (
            table.head(count),
            pl.concat([table, table.head(count)]),
            table.sample(fraction=1.0, shuffle=True, seed=count),
            table.clear(),
            pl.concat([table.head(1)] * 100_000),
        )
    )


TABLE_EDITS = (
    _without_column,
    _renamed,
    _retyped,
    _with_nulls,
    _with_values,
    _with_values,
    _of_rows,
)
