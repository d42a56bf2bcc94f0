# SPDX-License-Identifier: Apache-2.0
"""Reading a result folder, or the journal that a run left when it was killed."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import msgspec

from wirecost.results.records import consistency, json_document
from wirecost.results.records.finished import finished_copy
from wirecost.results.records.folder import META, SAMPLES, SCHEMA, Results
from wirecost.results.records.journal import NAME as JOURNAL
from wirecost.results.records.remedy_trial import is_trial
from wirecost.results.records.schemas import SCENARIOS
from wirecost.results.records.schemas.common import Scenario
from wirecost.results.records.table_file import read_table
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line, shown
from wirecost.system.regular_file import read_regular

LARGEST_META = 32 << 20
LONGEST_NAME = 200
AGAIN = "measure again"
PLAIN = Scenario()
"""How folders of scenarios are read that are not at hand."""


class _Document(msgspec.Struct):
    """Part of what ``--json`` writes that says where the samples are."""

    folder: str


class _Head(msgspec.Struct):
    """Fields that say how the rest is read."""

    schema: int
    scenario: str


def read_results(folder: Path) -> Results:
    """Read a result folder of this or any older schema, or the one that a ``--json`` file names.

    All that its files hold is as ``schemas`` says and fits together. Raises UserError, one line:
    the file, the place in it, what is wrong there, and the remedy.
    """
    if folder.is_file():
        folder = _named_by(folder)
    if (folder / JOURNAL).exists():
        with finished_copy(folder) as copy:
            try:
                return replace(read_results(copy), folder=folder)
            except UserError as error:  # it is the journal that says so
                reason = str(error)
                for file in (copy / META, copy / SAMPLES):
                    reason = reason.replace(str(file), str(folder / JOURNAL))
                raise UserError(reason) from error
    try:
        content = read_regular(folder / META, LARGEST_META)
    except OSError as error:
        if is_trial(folder):
            raise UserError(
                f"{folder}: a trial of remedies; wirecost report {shell_line(folder)} shows it"
            ) from error
        raise UserError(
            f"{folder}: not a result folder ({META}: {error.strerror}); name one that was measured"
        ) from error
    path = folder / META
    head = json_document.decode(path, content, _Head, AGAIN)
    if head.schema > SCHEMA:
        raise UserError(
            f"{folder}: written in schema {head.schema}, this wirecost reads up to {SCHEMA}; "
            "install a newer wirecost"
        )
    if head.schema < 1:
        raise UserError(f"{path}: has schema {head.schema}, which never was; measure again")
    scenario = SCENARIOS.get(head.scenario, PLAIN)
    decoded = json_document.decode(path, content, scenario.meta, AGAIN)
    printable = json_document.all_printable(msgspec.to_builtins(decoded))
    meta = msgspec.convert(printable, scenario.meta)
    samples = read_table(folder / SAMPLES, scenario.columns, AGAIN)
    consistency.check(folder / SAMPLES, meta, samples)
    return Results(folder, meta, samples)


def _named_by(file: Path) -> Path:
    """Return the result folder that a file of ``--json`` names. Raises UserError."""
    again = "name a result folder, or the file of a benchmark's --json"
    try:
        content = read_regular(file, LARGEST_META)
    except OSError as error:
        raise UserError(f"{file}: {error.strerror}; {again}") from error
    named = Path(json_document.decode(file, content, _Document, again).folder)
    for folder in (named, file.parent / named.name):
        if os.path.isdir(folder):  # noqa: PTH112 - raises for no name, however long
            return folder
    raise UserError(
        f"{file}: its samples were in {shown(named, LONGEST_NAME)}, which is not there; put that "
        "folder next to the file"
    )
