# SPDX-License-Identifier: Apache-2.0
"""The folder of a trial of remedies: while it is filled, and when ``trial.json`` is whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars as pl

from wirecost.results.records import json_document
from wirecost.results.records.new_folder import PendingFolder
from wirecost.results.records.table_columns import COUNT, TEXT, ColumnKind, TableColumn
from wirecost.results.records.table_file import read_table
from wirecost.system.errors import UserError
from wirecost.system.failed_write import described
from wirecost.system.regular_file import read_regular
from wirecost.system.whole_file import write_text
from wirecost.system.whole_table import write_table

RUNS = "runs"
TRIAL, SAMPLES, PROCESSES = "trial.json", "samples.parquet", "processes.parquet"
"""Files of the folder. By the first, what a killed trial had done is kept."""
LARGEST = 32 << 20
AGAIN = "try again"
_COLUMNS = {"remedy": TEXT, "process": COUNT, "case": TEXT, "ns": COUNT}
_COUNTED = TableColumn(ColumnKind.NUMBER, 0, nullable=True)
_OF_PROCESSES = {
    "remedy": TEXT,
    "process": COUNT,
    "minor_faults": _COUNTED,
    "switches": _COUNTED,
    "output": TEXT,
}


class TrialAbout(msgspec.Struct, kw_only=True):
    """Fields of ``trial.json`` beside its result; older ones lack some.

    ``plain``: name of the program as it is; ``refused``, ``not_compared``: remedies and cases, with
    the reason; ``remedies_about``, ``commands``: what each remedy is, and how to run with it;
    ``prices``: what each takes, in words; ``functions``, ``options``: as of ``Started``;
    ``waited``: share of a process's time that it was ready to run without a processor, by remedy.
    """

    created: str = ""
    command: list[str] = []
    recording: str = ""
    rounds: int = 0
    deadline_ns: float | None = None
    plain: str = "as it is"
    refused: dict[str, str] = {}
    not_compared: dict[str, str] = {}
    remedies_about: dict[str, str] = {}
    prices: dict[str, str] = {}
    commands: dict[str, str] = {}
    functions: list[str] = []
    options: list[str] = []
    waited: dict[str, float] = {}
    interrupted: bool = False

    def document(self) -> dict[str, object]:
        """Return the fields as a document, of a trial that came to its end."""
        fields = msgspec.to_builtins(self)
        del fields["interrupted"]
        return {name: value for name, value in fields.items() if value or name == "refused"}


@dataclass(frozen=True)
class Trial:
    """A trial: a row for each execution, one for each process, and what it was."""

    folder: Path
    samples: pl.DataFrame
    processes: pl.DataFrame
    about: TrialAbout

    @property
    def rounds(self) -> int:
        return self.about.rounds


def is_trial(folder: Path) -> bool:
    return (folder / TRIAL).is_file()


def read_about(folder: Path) -> TrialAbout:
    """Return the fields of ``trial.json``. Raises UserError, OSError."""
    path = folder / TRIAL
    decoded = json_document.decode(path, read_regular(path, LARGEST), TrialAbout, AGAIN)
    printable = json_document.all_printable(msgspec.to_builtins(decoded))
    return msgspec.convert(printable, TrialAbout)


def read_trial(folder: Path) -> Trial:
    """Read a trial's folder. Raises UserError, also where it was interrupted."""
    try:
        about = read_about(folder)
    except OSError as error:
        raise UserError(f"{folder / TRIAL}: {error.strerror}; {AGAIN}") from error
    if about.interrupted:
        raise UserError(f"{folder}: was interrupted; its runs are in {folder / RUNS}")
    samples = read_table(folder / SAMPLES, _COLUMNS, AGAIN)
    return Trial(folder, samples, read_table(folder / PROCESSES, _OF_PROCESSES, AGAIN), about)


def begin_trial(folder: Path) -> None:
    """Begin the trial's file. Raises OSError."""
    write_text(folder / TRIAL, json_document.text({"interrupted": True}) + "\n")


def end_trial(folder: Path, trial: Trial, result: Mapping[str, object]) -> None:
    """Write the trial's tables and its ``result``. Raises OSError."""
    write_table(folder / SAMPLES, trial.samples)
    write_table(folder / PROCESSES, trial.processes)
    write_text(folder / TRIAL, json_document.text(result) + "\n")


@contextmanager
def kept_where_it_fails(pending: PendingFolder) -> Iterator[None]:
    """Keep the folder at a UserError or OSError from within, if anything was run.

    The error then says where the folder is: its runs show the reason.
    """
    try:
        yield
    except (UserError, OSError) as error:
        if not any(path.is_file() for path in (pending.path / RUNS).rglob("*")):
            raise
        pending.keep()
        line = described(error) if isinstance(error, OSError) else error
        raise UserError(f"{line}; its runs are in {pending.final}") from error
