# SPDX-License-Identifier: Apache-2.0
"""The machine that probe logs were recorded on, as the doctor saw it then."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from wirecost.results.records.recorded_machine import DOCTOR, Check, examination_in, folders_of

LOAD = "load"
UNKNOWN = (
    "The state of the machine during recording is unknown. Next time, run wirecost doctor --json "
    f"FOLDER/{DOCTOR} before the program starts."
)


@dataclass(frozen=True)
class RecordedMachine:
    """The doctor's verdict and its checks, each with verdict and value."""

    path: Path
    written: str
    verdict: str
    checks: list[tuple[str, str]]
    doubts: list[str] = field(default_factory=list)
    """What speaks against the machine: load first, then what weighs most."""


def recorded_machines(paths: Iterable[Path]) -> list[RecordedMachine]:
    """Return one for each folder of the logs that holds a readable document of the doctor."""
    machines = []
    for folder in folders_of(paths):
        if (examination := examination_in(folder)) is None:
            continue
        path = folder / DOCTOR
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        checks = [
            (check.title, " · ".join(filter(None, (check.verdict, check.value, check.advice))))
            for check in examination.checks
        ]
        machines.append(
            RecordedMachine(
                path,
                f"{written:%Y-%m-%d %H:%M} UTC",
                examination.verdict,
                checks,
                _doubts(examination.checks),
            )
        )
    return machines


def _doubts(checks: list[Check]) -> list[str]:
    ordered = sorted(checks, key=lambda check: check.title.lower() != LOAD)
    return [
        f"{check.title.lower()} {check.value}".strip()
        for level in ("fail", "warn")
        for check in ordered
        if check.verdict == level
    ]
