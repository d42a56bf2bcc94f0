# SPDX-License-Identifier: Apache-2.0
"""What campaigns have measured (docs/formats/campaign-store.md): a folder of Parquet that only
grows.

A task's record is written last: what has one is there whole. A second attempt of a task takes the
place of the first, so that nothing counts twice.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import polars as pl

from wirecost.errors import UserError
from wirecost.records.whole_table import write_table
from wirecost.regular_file import read_regular
from wirecost.whole_file import write_text

VERSION = 1
ABOUT = "store.json"
LARGEST_ABOUT = 1 << 16
RECORDS, SAMPLES, ROWS = "records", "samples", "rows"
DONE, FAILED = "done", "failed"


@dataclass(frozen=True)
class Record:
    """One task that was run. Times are nanoseconds of CLOCK_BOOTTIME, which starts with ``boot``.

    ``outcome``: ``done``, or ``failed`` with the reason in ``failure``; contenders may have failed
    in what is done, which ``failure`` says too. ``meta``: the result folder's meta.json, as text.
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


SCHEMA: dict[str, Any] = {
    "task": pl.String, "campaign": pl.String, "scenario": pl.String, "host": pl.String,
    "machine": pl.String, "repetition": pl.Int64, "arguments": pl.List(pl.String),
    "boot": pl.String, "start_ns": pl.Int64, "end_ns": pl.Int64, "outcome": pl.String,
    "failure": pl.String, "doctor_before": pl.String, "doctor_after": pl.String,
    "wirecost": pl.String, "meta": pl.String,
}  # fmt: skip
"""Of the records' files; the order of ``Record``'s fields."""


class Store:
    """``folder`` need not be there yet."""

    def __init__(self, folder: Path) -> None:
        """Raises UserError for a folder that is something else, or of a newer version."""
        self.folder = folder
        try:
            about = json.loads(read_regular(folder / ABOUT, LARGEST_ABOUT))
        except FileNotFoundError:
            if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
                why = f"is no store and not empty (it has no {ABOUT}); name another folder"
                raise UserError(f"{folder}: {why}") from None
            return
        except (OSError, ValueError) as error:
            raise UserError(f"{folder / ABOUT}: cannot be read ({error}); name a store") from error
        version = about.get("store") if isinstance(about, dict) else None
        if version != VERSION:
            raise UserError(
                f"{folder}: a store of version {version!r:.20}, this wirecost reads {VERSION};"
                " install a newer wirecost"
            )

    def begin(self) -> None:
        """Makes the folder. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / ABOUT).exists():
            write_text(self.folder / ABOUT, json.dumps({"store": VERSION}) + "\n")

    def keep(
        self, record: Record, samples: pl.DataFrame | None, rows: list[dict[str, Any]]
    ) -> None:
        """Each file whole, the record last. Raises OSError."""
        if samples is not None:
            about = {"task": pl.lit(record.task)}
            write_table(self._file(SAMPLES, record), samples.with_columns(**about))
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
            write_table(self._file(ROWS, record), table)
        write_table(self._file(RECORDS, record), pl.DataFrame([asdict(record)], SCHEMA))

    def records(self) -> pl.DataFrame:
        """All of them, in the order of their start. Raises UserError for a damaged file."""
        files = sorted((self.folder / RECORDS).rglob("*.parquet"))
        parts = [self._record(path) for path in files]
        return pl.concat(parts or [pl.DataFrame(schema=SCHEMA)]).sort("host", "boot", "start_ns")

    def _record(self, path: Path) -> pl.DataFrame:
        try:
            found = pl.read_parquet(path, hive_partitioning=False)
        except (OSError, pl.exceptions.PolarsError) as error:
            raise UserError(f"{path}: damaged ({type(error).__name__}); remove it") from error
        if dict(found.schema) != SCHEMA:
            raise UserError(f"{path}: no record of this store; remove it")
        return found

    def _file(self, kind: str, record: Record) -> Path:
        place = (
            self.folder / kind / f"campaign={record.campaign}" / f"scenario={record.scenario}"
            / f"host={quote(record.host, safe='')}"
        )  # fmt: skip
        place.mkdir(parents=True, exist_ok=True)
        return place / f"{record.task}.parquet"


def overlaps(records: pl.DataFrame) -> pl.DataFrame:
    """Pairs of tasks, ``task`` and ``other``, that were measured on one host at the same time."""
    before = pl.col("end_ns").cum_max().shift(1).over("host", "boot")
    last = pl.col("task").shift(1).over("host", "boot")
    return (
        records.sort("host", "boot", "start_ns")
        .with_columns(before=before, other=last)
        .filter(pl.col("start_ns") < pl.col("before"))
        .select("host", "task", "other")
    )
