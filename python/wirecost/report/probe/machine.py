# SPDX-License-Identifier: Apache-2.0
"""The machine that probe logs were recorded on, as the doctor saw it then.

What the doctor would say when logs are shown is about another time and perhaps another machine, so
it is never asked here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from wirecost.regular_file import read_regular

FILE = "doctor.json"
"""What ``wirecost doctor --json`` wrote into the folder of the logs."""
LARGEST = 1 << 20
UNKNOWN = (
    "The state of the machine while recording is unknown. Next time: "
    f"wirecost doctor --json FOLDER/{FILE} before the program starts."
)


@dataclass(frozen=True)
class RecordedMachine:
    """The doctor's verdict and its checks, each with verdict and value."""

    path: Path
    written: str
    verdict: str
    checks: list[tuple[str, str]]


def recorded_machines(paths: Iterable[Path]) -> list[RecordedMachine]:
    """One for each folder of the logs that holds a readable document of the doctor."""
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    found = [_read(folder / FILE) for folder in folders]
    return [machine for machine in found if machine is not None]


def _read(path: Path) -> RecordedMachine | None:
    try:
        document: Any = json.loads(read_regular(path, LARGEST))
        written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        checks = [_check(one) for one in document["checks"]]
        verdict = str(document["verdict"])
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return RecordedMachine(path, f"{written:%Y-%m-%d %H:%M} UTC", verdict, checks)


def _check(one: dict[str, Any]) -> tuple[str, str]:
    parts = [str(one["verdict"])] + [str(one[key]) for key in ("value", "advice") if one.get(key)]
    return str(one["title"]), " · ".join(parts)
