# SPDX-License-Identifier: Apache-2.0
"""The folder of a trial of remedies while it is filled, and ``trial.json`` when it is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from wirecost.results.records import json_document
from wirecost.results.records.new_folder import PendingFolder
from wirecost.system.errors import UserError
from wirecost.system.failed_write import described
from wirecost.system.whole_file import write_text

RUNS = "runs"
TRIAL = "trial.json"
"""File by which what a killed trial had done is kept."""


def begin_trial(folder: Path) -> None:
    """Begin the trial's file. Raises OSError."""
    write_text(folder / TRIAL, json_document.text({"interrupted": True}) + "\n")


def end_trial(folder: Path, result: Mapping[str, object]) -> None:
    """Write the trial's ``result``. Raises OSError."""
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
