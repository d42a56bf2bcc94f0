# SPDX-License-Identifier: Apache-2.0
"""Result folders in a folder, listed without reading their samples."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from wirecost.results.records import json_document
from wirecost.results.records.choices import HERE
from wirecost.results.records.folder import META
from wirecost.results.records.journal import NAME as JOURNAL
from wirecost.results.records.reading import AGAIN, LARGEST_META
from wirecost.results.records.remedy_trial import TRIAL, is_trial, read_about
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable, shell_line
from wirecost.system.regular_file import read_regular

TRIED = "try"
"""In place of the scenario of a trial of remedies."""


class _Run(msgspec.Struct):
    contender: str
    failure: str | None = None


class _Head(msgspec.Struct):
    """Fields that folders of every scenario and version have."""

    scenario: str
    created: str
    command: list[str]
    runs: list[_Run]
    interrupted: bool | str = False
    environment: dict[str, object] = {}


@dataclass(frozen=True)
class MeasuredFolder:
    """A result folder. ``problem``: one line where it cannot be read; the rest is then empty."""

    folder: Path
    problem: str = ""
    scenario: str = ""
    created: str = ""
    command: tuple[str, ...] = ()
    contenders: int = 0
    failed: int = 0
    interrupted: bool = False
    verdict: str = ""
    """The doctor's."""
    wirecost: str = ""
    """The version that measured it."""

    @property
    def order(self) -> tuple[float, str]:
        """Return the key by which folders are sorted: time, then name."""
        try:
            return datetime.fromisoformat(self.created).timestamp(), self.folder.name
        except (ValueError, OverflowError):
            return 0.0, self.folder.name


def measured_in(folder: Path) -> list[MeasuredFolder]:
    """Return the result folders in a folder, the latest last, also what killed runs left.

    Raises UserError if there is no such folder.
    """
    try:
        below = [path for path in folder.iterdir() if is_result(path)]
    except OSError as error:
        raise UserError(
            f"{folder}: {error.strerror}; measure with `wirecost bench`, or name the folder with "
            "your result folders: `wirecost results .` lists those in the current folder"
        ) from error
    return sorted((_measured(path) for path in below), key=lambda entry: entry.order)


def latest(folder: Path = HERE, *, trials: bool = False) -> Path:
    """Return the result folder that was measured last; a trial of remedies where ``trials``.

    Raises UserError if there is none.
    """
    readable = [
        candidate
        for candidate in measured_in(folder)
        if not candidate.problem and (trials or candidate.scenario != TRIED)
    ]
    if not readable:
        raise UserError(f"{folder}: no result folder in it; measure with `wirecost bench`")
    return readable[-1].folder


def is_result(folder: Path) -> bool:
    """Return whether a folder holds what one run measured."""
    if folder.name.startswith("."):  # of a run that lives, or that the next one brings to an end
        return False
    return any((folder / name).is_file() for name in (META, JOURNAL, TRIAL))


def _measured(folder: Path) -> MeasuredFolder:
    if is_trial(folder):
        return _tried(folder)
    if not (folder / META).is_file():
        return MeasuredFolder(
            folder, f"its run was killed; `wirecost report {shell_line(folder)}` shows what it has"
        )
    path = folder / META
    try:
        head = json_document.decode(path, read_regular(path, LARGEST_META), _Head, AGAIN)
    except OSError as error:
        return MeasuredFolder(folder, error.strerror or str(error))
    except UserError as error:
        return MeasuredFolder(folder, str(error).removeprefix(f"{path}: "))
    doctor = head.environment.get("doctor")
    return MeasuredFolder(
        folder,
        "",
        printable(head.scenario),
        printable(head.created),
        tuple(map(printable, head.command)),
        len({run.contender for run in head.runs}),
        len({run.contender for run in head.runs if run.failure is not None}),
        bool(head.interrupted),
        printable(str(doctor.get("verdict", ""))) if isinstance(doctor, dict) else "",
        printable(str(head.environment.get("wirecost", ""))),
    )


def _tried(folder: Path) -> MeasuredFolder:
    """Return a folder of ``probe try`` or ``replay --try``; older ones lack when they were made."""
    path = folder / TRIAL
    try:
        about = read_about(folder)
        written = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
    except OSError as error:
        return MeasuredFolder(folder, error.strerror or str(error))
    except UserError as error:
        return MeasuredFolder(folder, str(error).removeprefix(f"{path}: "))
    what = ["replay", about.recording, "--try"]
    if about.command:
        what = ["probe", "try", "--", *about.command]
    return MeasuredFolder(
        folder,
        scenario=TRIED,
        created=about.created or written.isoformat(),
        command=("wirecost", *what),
        contenders=len(about.remedies_about),
        failed=len(about.refused),
        interrupted=about.interrupted,
    )
