# SPDX-License-Identifier: Apache-2.0
"""What the trace commands print and write as JSON."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from wirecost.errors import UserError
from wirecost.records import json_document
from wirecost.report.shared import units
from wirecost.report.shared.table import Table
from wirecost.traces.check import Finding
from wirecost.traces.info import TraceInfo

NAME_WIDTH = 24


def write_json(path: Path | None, document: Any) -> None:
    """``-`` is standard output. Raises UserError."""
    if path is None:
        return
    text = json_document.text(document) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a writable --json file") from error


def shortened(name: str, width: int = NAME_WIDTH) -> str:
    """Long names lose their middle: beginning and ending tell traces apart."""
    if len(name) <= width:
        return name
    tail = width // 2
    return f"{name[: width - tail - 1]}…{name[-tail:]}"


def info_tables(infos: list[TraceInfo]) -> Iterable[Table]:
    """All traces in one table, then the lists of each."""
    body = [
        [
            shortened(one.file.name),
            one.type,
            f"{one.frames:,}",
            _time(one.duration_ns),
            f"{units.significant(one.rate_hz)} Hz" if one.rate_hz else "–",
            *(
                [units.size(v) for v in asdict(one.frame_bytes).values()]
                if one.frame_bytes
                else "–––"
            ),
            ", ".join(one.osi_versions) or "–",
        ]
        for one in infos
    ]
    headings = ["trace", "type", "frames", "duration", "rate", "min", "median", "max", "OSI"]
    warnings = [text for one in infos for text in one.warnings]
    yield Table("Traces", headings, body, warnings, ("min", "max"))
    for one in infos:
        if one.lists:
            rows = [
                [path, *(f"{count:,}" for count in asdict(spread).values())]
                for path, spread in one.lists.items()
            ]
            note = f"in {one.parsed} of {one.frames:,} frames, spread evenly"
            notes = [note] if one.parsed < one.frames else []
            yield Table(one.file.name, ["elements a frame", "min", "median", "max"], rows, notes)


def info_document(infos: list[TraceInfo]) -> list[dict[str, Any]]:
    return [
        asdict(one)
        | {"file": str(one.file), "duration_ns": one.duration_ns, "rate_hz": one.rate_hz}
        for one in infos
    ]


def check_document(checked: dict[Path, list[Finding]]) -> list[dict[str, Any]]:
    return [
        {"file": str(path), "findings": [asdict(finding) for finding in findings]}
        for path, findings in checked.items()
    ]


@dataclass
class Playing:
    """What was counted while a trace was played: one number a step everywhere."""

    step_ns: array[int] = field(default_factory=lambda: array("q"))
    lists: dict[str, array[int]] = field(default_factory=dict)
    """Lengths by path, which begins with the message's type."""

    def add(self, step_ns: int, lists: dict[str, int]) -> None:
        """``lists``: a path that is missing has length 0 in this step."""
        steps = len(self.step_ns)
        self.step_ns.append(step_ns)
        for path in lists:
            self.lists.setdefault(path, array("q", bytes(8 * steps)))
        for path, counts in self.lists.items():
            counts.append(lists.get(path, 0))


def playing_tables(title: str, playing: Playing) -> Iterable[Table]:
    times = np.asarray(playing.step_ns)
    rows = [
        [
            "step",
            str(len(times)),
            *(units.time(float(np.quantile(times, q))) for q in (0.5, 0.99)),
            units.time(float(times.max())),
        ]
    ]
    yield Table(title, ["", "frames", "median", "p99", "max"], rows, [])
    counted = [
        [path, *(f"{int(v):,}" for v in (min(counts), np.median(counts), max(counts)))]
        for path, counts in playing.lists.items()
    ]
    if counted:
        yield Table("Messages", ["elements a step", "min", "median", "max"], counted, [])


def playing_document(trace: Path, fmu: Path, playing: Playing) -> dict[str, Any]:
    times = np.asarray(playing.step_ns)
    return {
        "file": str(trace),
        "fmu": str(fmu),
        "frames": len(times),
        "median_ns": float(np.median(times)),
        "p99_ns": float(np.quantile(times, 0.99)),
        "step_ns": list(playing.step_ns),
        "lists": {path: list(counts) for path, counts in playing.lists.items()},
    }


def _time(ns: int | None) -> str:
    return units.time(ns) if ns is not None else "–"
