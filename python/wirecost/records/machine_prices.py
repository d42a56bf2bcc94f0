# SPDX-License-Identifier: Apache-2.0
"""What one fault, switch, migration, wait and call cost on the machine of a recording.

``prices.json`` beside probe logs, or ``prices`` in a document of the doctor or in ``meta.json``.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.regular_file import read_regular

FILE, DOCTOR = "prices.json", "doctor.json"
LARGEST = 1 << 20


@dataclass(frozen=True)
class MachinePrices:
    """``samples``: raw, in nanoseconds, by event."""

    measured: str
    machine: str
    samples: dict[str, list[float]]

    @property
    def ns(self) -> dict[str, float]:
        """Median of each event that was measured; a price below 0 is noise and none."""
        medians = {name: statistics.median(values) for name, values in self.samples.items()}
        return {name: median for name, median in medians.items() if median > 0}


def prices_beside(paths: Iterable[Path]) -> MachinePrices | None:
    """Of the first folder of the logs that has any; unreadable files count as none."""
    for folder in dict.fromkeys(path if path.is_dir() else path.parent for path in paths):
        for name in (FILE, DOCTOR):
            document = _read(folder / name)
            if (found := prices_in(document.get("prices", document))) is not None:
                return found
    return None


def prices_in(document: Any) -> MachinePrices | None:
    """From what ``wirecost.doctor.prices`` measured; None where that is not what it is."""
    try:
        samples = {
            str(event): [float(ns) for ns in one["ns"] if math.isfinite(float(ns))]
            for event, one in document["events"].items()
        }
        measured, machine = str(document["measured"]), str(document["machine"])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return None
    return MachinePrices(measured, machine, {name: ns for name, ns in samples.items() if ns})


def _read(path: Path) -> dict[str, Any]:
    try:
        document: Any = json.loads(read_regular(path, LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}
