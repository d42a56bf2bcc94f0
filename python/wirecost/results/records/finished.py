# SPDX-License-Identifier: Apache-2.0
"""From a run's journal to what a result folder holds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Annotated

import msgspec
import polars as pl
from msgspec import UNSET, UnsetType

from wirecost.results.records.folder import SAMPLES, SCHEMA, write_results
from wirecost.results.records.journal import NAME, VERSION, Cell
from wirecost.results.records.osi_steps import Turn, step_samples
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 30
"""Bytes of a journal."""
TYPES: dict[str, type[pl.DataType]] = {
    "Int64": pl.Int64,
    "UInt64": pl.UInt64,
    "Float64": pl.Float64,
    "String": pl.String,
}

DAMAGE = (ValueError, KeyError, RecursionError)
"""Errors that reading a line raises that is not as it was written."""
Values = dict[str, object]
"""Values by name, as JSON has them."""


class _Line(msgspec.Struct, kw_only=True):
    """A line of a journal; which of its fields are there says what it is."""

    journal: int = 0
    meta: Values | None = None
    run: Annotated[int, msgspec.Meta(ge=0)] = 0
    about: Values | UnsetType | None = UNSET
    columns: Values | None = None
    logs: str | None = None
    process: int | None = None
    steps: Turn | None = None
    rows: dict[str, list[Cell]] = {}


class NothingMeasuredError(UserError):
    """There is no sample; the message says why."""


def finish(folder: Path, interrupted: str | bool) -> None:
    """Write ``samples.parquet`` and ``meta.json`` and remove the journal.

    Raises NothingMeasuredError; UserError where it cannot be read; OSError where the folder cannot
    be written, and the journal is as it was.
    """
    meta, samples = read_journal(folder)
    try:
        write_results(folder, {**meta, "interrupted": interrupted}, samples)
    except OSError:
        # The journal has it all.
        with suppress(OSError):
            (folder / SAMPLES).unlink(missing_ok=True)
        raise
    (folder / NAME).unlink()


@contextmanager
def finished_copy(folder: Path) -> Iterator[Path]:
    """Yield a folder with what ``finish`` would make of this one, which stays as it is.

    Raises UserError.
    """
    meta, samples = read_journal(folder)
    with scratch.folder("finished", in_memory=True) as copy:
        try:
            write_results(copy, meta, samples)
        except OSError as error:
            raise UserError(f"{copy}: {error.strerror}; make room") from error
        yield copy


def read_journal(folder: Path) -> tuple[Values, pl.DataFrame]:
    """Return the content of ``meta.json`` and all samples of a run that was cut short.

    Raises NothingMeasuredError, UserError.
    """
    path = folder / NAME
    try:
        lines = read_regular(path, LARGEST).split(b"\n")[:-1]  # the last one may be cut
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a result folder") from error
    read = _Read()
    for number, line in enumerate(lines, start=1):
        try:
            read.line(msgspec.convert(json.loads(line), _Line))
        except DAMAGE as error:
            raise UserError(f"{path}: line {number} is damaged; measure again") from error
    try:
        parts = [part for run in read.runs if (part := _samples(run, folder)) is not None]
        if not parts:
            raise NothingMeasuredError(_why(read))
        samples = pl.concat(parts, how="diagonal_relaxed")
        samples = samples.with_columns(
            pl.col(name).cast(kind) for name, kind in read.types.items() if name in samples.columns
        )
    except (pl.exceptions.PolarsError, ValueError, TypeError, OverflowError) as error:
        raise UserError(f"{path}: its samples are damaged; measure again") from error
    runs = [run.about for run in read.runs if run.about is not None]
    return {"schema": SCHEMA, **read.meta, "interrupted": True, "runs": runs}, samples


@dataclass
class _Run:
    about: Values | None
    columns: Values
    logs: PurePosixPath | None
    blocks: list[dict[str, list[Cell]]] = field(default_factory=list)
    turns: dict[int | None, list[Turn]] = field(default_factory=dict)
    """Turns by process; None where a journal knows one alone."""


@dataclass
class _Read:
    """The lines so far. Damaged ones raise one of ``DAMAGE``."""

    meta: Values = field(default_factory=dict)
    runs: list[_Run] = field(default_factory=list)
    types: dict[str, type[pl.DataType]] = field(default_factory=dict)
    begun: bool = False

    def line(self, line: _Line) -> None:
        if not self.begun:
            if line.journal != VERSION:
                raise ValueError("written by a newer wirecost")
            self.begun = True
        elif line.meta is not None:
            types = msgspec.convert(line.meta.pop("types", {}), dict[str, str])
            self.types |= {name: TYPES[kind] for name, kind in types.items()}
            self.meta |= line.meta
        elif line.columns is not None:
            if line.run != len(self.runs):
                raise ValueError("runs are not in their order")
            logs = PurePosixPath(line.logs) if line.logs else None
            if logs and (logs.is_absolute() or ".." in logs.parts):
                raise ValueError("logs elsewhere")
            self.runs.append(_Run(line.about or {}, line.columns, logs))
        elif line.run < len(self.runs):
            self._of_run(self.runs[line.run], line)
        else:
            raise ValueError("of no run")

    def _of_run(self, run: _Run, line: _Line) -> None:
        if line.about is not UNSET:
            run.about = line.about
        elif line.steps is not None:
            run.turns.setdefault(line.process, []).append(line.steps)
        elif run.blocks and run.blocks[-1].keys() == line.rows.keys():
            for name, cells in line.rows.items():
                run.blocks[-1][name] += cells
        else:
            run.blocks.append(line.rows)


def _samples(run: _Run, folder: Path) -> pl.DataFrame | None:
    """Return the samples of a contender that did not fail."""
    if run.about is None or run.about.get("failure") is not None:
        return None
    if run.turns and run.logs is not None:
        parts = _steps(run, folder / run.logs)
    else:
        parts = [pl.DataFrame(block, strict=False) for block in run.blocks]
    if not parts:
        return None
    rows = pl.concat(parts, how="diagonal_relaxed")
    same = [_same(value).alias(name) for name, value in run.columns.items()]
    return rows.select(*same, pl.all().exclude(list(run.columns)))


def _steps(run: _Run, logs: Path) -> list[pl.DataFrame]:
    """Return the samples of each process, repetitions counted over all of them.

    Processes behind one that left no step do not count: they would not be paired with those of the
    other contenders. Where the first one is such, the run has failed.
    """
    parts: list[pl.DataFrame] = []
    repetitions = 0
    for process, turns in run.turns.items():
        try:
            samples = step_samples(turns, logs if process is None else logs / str(process))
        except UserError as error:
            if not parts and run.about is not None:
                run.about["failure"] = str(error)
            break
        parts.append(
            samples.with_columns(
                pl.col("repetition") + repetitions, process=pl.lit(process or 0, pl.Int64)
            )
        )
        repetitions += samples["repetition"].n_unique()
        if samples["repetition"].n_unique() < sum(len(transfer_ns) for _, transfer_ns in turns):
            break
    return parts


def _same(value: object) -> pl.Expr:
    return pl.lit(value, pl.Int64) if type(value) is int else pl.lit(value)


def _why(read: _Read) -> str:
    reasons = [
        f"{run.about.get('contender')}: {run.about['failure']}"
        for run in read.runs
        if run.about is not None and run.about.get("failure")
    ]
    not_run = read.meta.get("not_run")
    if isinstance(not_run, dict):
        reasons += [f"{name}: {why}" for name, why in not_run.items()]
    return "nothing was measured" + (": " + "; ".join(dict.fromkeys(reasons)) if reasons else "")
