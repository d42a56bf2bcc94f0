# SPDX-License-Identifier: Apache-2.0
"""A run's samples on disk as they come (docs/formats/result-folder.md, ``journal.jsonl``).

Lines are written between rounds, never while something is timed, and each at once: whatever ends
the process leaves all rounds before. At the end they become ``samples.parquet`` and ``meta.json``.
Each line is a JSON object:

- ``{"journal": 1}``, the first: the version.
- ``{"meta": {…}}``: keys of ``meta.json``; those of a later line replace earlier ones.
- ``{"run": n, "about": {…}, "columns": {…}, "logs": "…"}``: an entry of ``runs``; ``columns`` of
  ``samples.parquet`` that are the same in all its rows; in ``osi`` the folder of its models' logs.
- ``{"run": n, "about": {…}}``: the same entry, updated; null: it did not take part.
- ``{"run": n, "rows": {"stage": […], "ns": […], …}}``: samples by column; a number or text in the
  place of a list is the same for all of them.
- ``{"run": n, "process": p, "steps": [first, [ns, …]]}``, in ``osi``: the number of the first of
  consecutive steps of process ``p``, and the transfer of each; the other stages are in the models'
  logs, in the folder ``p``. In older journals there is no ``process``, and ``logs`` has the files.

An incomplete last line is ignored, and so are samples of a contender with a ``failure``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

NAME = "journal.jsonl"
VERSION = 1

Cell = str | int | float | bool | None


def _nothing() -> None:
    """Do nothing."""


class Journal:
    """Journal of one run in its folder.

    Methods raise OSError, with the file's name, when a line cannot be written; after that nothing
    more is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / NAME
        self._runs: list[Run] = []
        self.after_round: Callable[[], None] = _nothing
        """Function to call when a round has ended by which every contender has samples."""
        self.after_part: Callable[[], None] = _nothing
        """Function to call when all is measured but what takes long."""
        self._descriptor = os.open(
            self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644
        )
        self._write({"journal": VERSION})

    def about(self, **meta: Any) -> None:
        """Write keys of ``meta.json``; ``types``: of columns that may hold nothing, for Polars."""
        self._write({"meta": meta})

    def run(
        self, about: dict[str, Any], columns: Mapping[str, Any], logs: Path | None = None
    ) -> Run:
        """Begin a contender of a race, as ``runs`` in ``meta.json`` has it.

        ``columns``: what is the same in all its rows; ``logs``: a folder below this one from which
        its steps' stages are taken.
        """
        run = Run(self, len(self._runs))
        self._runs.append(run)
        where = None if logs is None else logs.relative_to(self.folder).as_posix()
        self._write({"run": run.number, "about": about, "columns": columns, "logs": where})
        return run

    def flush(self) -> None:
        """End a round: what it brought is on disk when this returns.

        Rows of a round that was not ended do not count.
        """
        for run in self._runs:
            if run.rows:
                rows, run.rows = run.rows, {}
                self._write({"run": run.number, "rows": rows})

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _write(self, line: dict[str, Any]) -> None:
        content = json.dumps(line, separators=(",", ":")).encode() + b"\n"
        while content and self._descriptor >= 0:
            try:
                content = content[os.write(self._descriptor, content) :]
            except OSError as error:
                self.close()
                raise OSError(error.errno, error.strerror, str(self.path)) from error


class Run:
    """One contender's part of the journal."""

    def __init__(self, journal: Journal, number: int) -> None:
        self.number = number
        self.rows: dict[str, list[Cell]] = {}
        """Cells since the round began, by column."""
        self._journal = journal

    def row(self, **cells: Cell) -> None:
        """Add a sample; the columns are the same ones within a round."""
        self.table({name: [cell] for name, cell in cells.items()})

    def table(self, columns: Mapping[str, Sequence[Cell]]) -> None:
        """Add samples, a row each."""
        if not self.rows:
            self.rows = {name: [] for name in columns}
        for name, cells in columns.items():
            self.rows[name] += cells

    def steps(self, process: int, first: int, transfer_ns: list[int]) -> None:
        """Write consecutive steps of one of its processes.

        Their stages are in the folder of that number below ``logs``. ``first``: number of the first
        step; ``transfer_ns``: nanoseconds that handing over the message took in each.
        """
        self._journal._write(
            {"run": self.number, "process": process, "steps": [first, transfer_ns]}
        )

    def about(self, about: dict[str, Any] | None) -> None:
        """More is known of the contender; None: it did not take part."""
        self._journal._write({"run": self.number, "about": about})
