# SPDX-License-Identifier: Apache-2.0
"""Store of what campaigns have measured: Parquet in a folder, or at a URL, that only grows.

The format is in docs/formats/campaign-store.md. A task's record is written last: what has one is
there whole. A second attempt of a task takes the place of the first, so that nothing counts twice.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from wirecost.results.store.places import place_of, scanned
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.foreign import shown

VERSION = 2
ABOUT = "store.json"
LARGEST_ABOUT = 1 << 16
REMEDY = "name a store that can be written"
RECORDS, SAMPLES, ROWS = "records", "samples", "rows"
KINDS = (SAMPLES, ROWS, RECORDS)
"""Kinds in the order of writing: what has a record is whole."""
DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Record:
    """One task that was run. Times are nanoseconds of CLOCK_BOOTTIME, which starts with ``boot``.

    ``outcome``: ``done``, or ``failed`` with the reason in ``failure``; contenders may have failed
    in what is done, which ``failure`` says too. ``meta``: the result folder's meta.json, as text.
    ``created``: the start in UTC, by ISO 8601. ``revision``: what was measured, as the user names
    it. ``beside``: what of the campaign ran on this host meanwhile, such as ``scheduler``.
    """

    task: str
    campaign: str
    scenario: str
    host: str
    machine: str
    repetition: int
    arguments: list[str]
    boot: str
    start_ns: int
    end_ns: int
    outcome: str
    failure: str
    doctor_before: str
    doctor_after: str
    wirecost: str
    meta: str
    created: str = ""
    revision: str = ""
    beside: str = ""


SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "task": pl.String, "campaign": pl.String, "scenario": pl.String, "host": pl.String,
    "machine": pl.String, "repetition": pl.Int64, "arguments": pl.List(pl.String),
    "boot": pl.String, "start_ns": pl.Int64, "end_ns": pl.Int64, "outcome": pl.String,
    "failure": pl.String, "doctor_before": pl.String, "doctor_after": pl.String,
    "wirecost": pl.String, "meta": pl.String, "created": pl.String, "revision": pl.String,
    "beside": pl.String,
}  # fmt: skip
"""Columns of the records' files, in the order of ``Record``'s fields."""
LATER = ("created", "revision", "beside")
"""Columns that version 1 lacks."""

Rows = Sequence[Mapping[str, Any]]
"""Summary rows of a task, as JSON has them."""
Files = dict[str, bytes]
"""A task's Parquet by kind."""


class Store:
    """``named``: a folder or a URL; nothing need be there yet."""

    def __init__(self, named: Path | str) -> None:
        """Open a store. Raises UserError for what is something else, or of a newer version."""
        self.place = place_of(named)
        self._is_new = False
        try:
            about = json.loads(self.place.read(ABOUT, LARGEST_ABOUT))
        except FileNotFoundError:
            if self.place.is_other():
                why = f"is no store and not empty (it has no {ABOUT}); name another folder"
                raise UserError(f"{self.place}: {why}") from None
            self._is_new = True
            return
        except (OSError, ValueError) as error:
            why = f"cannot be read ({shown(error)}); name a store"
            raise UserError(f"{self.place}/{ABOUT}: {why}") from error
        version = about.get("store") if isinstance(about, dict) else None
        if version not in range(1, VERSION + 1):
            raise UserError(
                f"{self.place}: a store of version {version!r:.20}, this wirecost reads up to"
                f" {VERSION}; install a newer wirecost"
            )

    def begin(self) -> None:
        """Make it, or make it one of this version. Raises UserError where it cannot be written."""
        try:
            self.place.write(ABOUT, (json.dumps({"store": VERSION}) + "\n").encode())
        except OSError as error:
            raise failed_write(str(self.place), error, REMEDY) from error

    def undo_begin(self) -> None:
        """Undo the beginning of a new store into which nothing could be put."""
        if self._is_new:
            with suppress(OSError):
                self.place.remove(ABOUT)

    def keep(self, record: Record, samples: pl.DataFrame | None, rows: Rows) -> None:
        """Each file whole, the record last. Raises OSError."""
        self.keep_files(record, files_of(record, samples, rows))

    def keep_files(self, record: Record, files: Files) -> None:
        """``keep`` of what ``files_of`` made. Raises OSError; then none of them is there."""
        written: list[str] = []
        try:
            for kind in KINDS:
                if kind in files:
                    self.place.write(_name(kind, record), files[kind])
                    written.append(_name(kind, record))
        except OSError:
            for name in written:
                with suppress(OSError):
                    self.place.remove(name)
            raise

    def records(self) -> pl.DataFrame:
        """Return all of them, in the order of their start. Raises UserError for a damaged file."""
        names = self.place.names(RECORDS)
        try:
            contents = list(self.place.read_all(names))
        except OSError as error:
            raise UserError(f"{self.place}: cannot be read ({shown(error)})") from error
        parts = [self._record(name, data) for name, data in zip(names, contents, strict=True)]
        return pl.concat(parts or [pl.DataFrame(schema=SCHEMA)]).sort("host", "boot", "start_ns")

    def scan(self, kind: str) -> pl.LazyFrame | None:
        """Return all files of a kind as one table; None where there are none.

        It has the columns of all scenarios and ``campaign``, ``scenario`` and ``host``. Raises
        OSError, UserError.
        """
        if kind == RECORDS:  # whose columns depend on the version
            table = self.records()
            return None if table.is_empty() else table.lazy()
        parts = list(scanned(self.place, kind).values())
        return pl.concat(parts, how="diagonal_relaxed") if parts else None

    def _record(self, name: str, data: bytes) -> pl.DataFrame:
        try:
            return read_record(data)
        except ValueError as error:
            raise UserError(f"{self.place}/{name}: {error}; remove it") from error


def files_of(record: Record, samples: pl.DataFrame | None, rows: Rows) -> Files:
    """Return a task as Parquet."""
    files = {}
    if samples is not None:
        files[SAMPLES] = _parquet(samples.with_columns(task=pl.lit(record.task)))
    if rows:
        table = pl.DataFrame(
            {
                "task": record.task,
                "contender": [str(row["contender"]) for row in rows],
                "mode": [str(row["mode"]) for row in rows],
                "stage": [str(row["stage"]) for row in rows],
                "case": [str(row["case"]) for row in rows],
                "n": [int(row["n"]) for row in rows],
                "median_ns": [float(row["median_ns"]) for row in rows],
                "low_ns": [float(row["ci95_ns"][0]) for row in rows],
                "high_ns": [float(row["ci95_ns"][1]) for row in rows],
                "row": [json.dumps(row) for row in rows],
            }
        )
        files[ROWS] = _parquet(table)
    files[RECORDS] = _parquet(pl.DataFrame([asdict(record)], SCHEMA))
    return files


def read_record(data: bytes) -> pl.DataFrame:
    """Return a record's file, of whatever version. Raises ValueError."""
    try:
        record = pl.read_parquet(io.BytesIO(data), hive_partitioning=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise ValueError(f"damaged ({type(error).__name__})") from error
    lacking = {name: pl.lit("") for name in LATER if name not in record.columns}
    record = record.with_columns(**lacking)
    if dict(record.schema) != SCHEMA:
        raise ValueError("no record of a store")
    return record


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _name(kind: str, record: Record) -> str:
    return (
        f"{kind}/campaign={record.campaign}/scenario={record.scenario}"
        f"/host={quote(record.host, safe='')}/{record.task}.parquet"
    )


def overlaps(records: pl.DataFrame) -> pl.DataFrame:
    """Pairs of tasks, ``task`` and ``other``, that were measured on one host at the same time.

    Records without a boot, which were imported, have no times and are left out.
    """
    before = pl.col("end_ns").cum_max().shift(1).over("host", "boot")
    last = pl.col("task").shift(1).over("host", "boot")
    return (
        records.filter(pl.col("boot") != "")
        .sort("host", "boot", "start_ns")
        .with_columns(before=before, other=last)
        .filter(pl.col("start_ns") < pl.col("before"))
        .select("host", "task", "other")
    )
