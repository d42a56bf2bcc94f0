# SPDX-License-Identifier: Apache-2.0
"""Codecs of point clouds in turns, in one thread, on the same scans; errors are measured here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from wirecost.data.clouds.packed import PLACE, errors_made, point_fields
from wirecost.measure.bench.engine.entry import Entry, named
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.program import Program
from wirecost.measure.bench.engine.turns import run_in_turns
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable
from wirecost.system.parts import CLOUD

from .scans import Scans, scans_of
from .schema import STAGES
from .settings import Settings
from .synthetic import Points

PROGRAM = Program("codecs", CLOUD)
KNOWN = {
    "cloudini-zstd": "built without it: `cpp/bench/codecs/cloudini build/cloudini`, `make all`",
    "draco": "built without Debian's libdraco-dev",
}
TOLERANCE = 1.01
"""By how much a contender's error may exceed what was asked, for its own rounding to floats."""


def run(settings: Settings, measurement: Measurement) -> None:
    """Let all codecs encode and decode every scan. Raises UserError."""
    PROGRAM.check_installed()
    race(scans_of(settings.files, settings.topic, measurement.progress), settings, measurement)


def race(scans: Scans, settings: Settings, measurement: Measurement) -> None:
    """Let all codecs of the build encode and decode these scans. Raises UserError."""
    listed = {name: about for name, *about in PROGRAM.rows("list")}
    not_run = {name: why for name, why in KNOWN.items() if name not in listed}
    measurement.about(
        PROGRAM.built(),
        total=settings.rounds * len(listed) * len(scans.points),
        rounds=settings.rounds,
        processes=settings.plan.processes,
        seed=settings.seed,
        error=settings.error,
        rate_hz=scans.rate_hz,
        notes=scans.notes,
        advice=scans.advice(),
        contenders={name: {"library": library} for name, (library, _, _) in listed.items()},
        not_run=not_run,
    )
    for scan, points in scans.points.items():
        facts = {"points": points.size, "raw_bytes": points.nbytes}
        entries = [
            Entry(
                name,
                name,
                named(scan, name),
                {**facts, "codec": name, "is_lossy": kind == "lossy", "errors": {}},
                rival=bool(int(rival)),
            )
            for name, (_, kind, rival) in listed.items()
        ]
        with (
            scratch.folder("codecs") as folder,
            measurement.case(scan, entries, settings.rounds) as case,
        ):
            words = _arguments(scan, points, settings.error, folder)
            verify = partial(_verify, points, settings.error, folder)
            run_in_turns(PROGRAM, case, settings.plan, STAGES[:-1], *words, verify=verify)
            for entry in entries:
                if entry.rival and entry.failure:
                    # What another's codec cannot keep is its property, no fault of this run.
                    entry.missing, entry.failure = entry.failure, None
        not_run |= {entry.key: entry.missing for entry in entries if entry.missing}
    measurement.revise(not_run=not_run)


def _arguments(scan: str, points: Points, error: float, folder: Path) -> Sequence[str]:
    """Write the points into a folder, and return the program's arguments. Raises UserError."""
    if not points.size or points.dtype.names is None:
        raise UserError(f"{scan}: has no points; name another scan")
    (folder / "cloud").write_bytes(np.ascontiguousarray(points).tobytes())
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    layout: list[str] = []
    for name, offset, number, count in point_fields(points.dtype):
        layout += ["--field", printable(name), "--place", f"{offset}:{number}:{count}"]
    return [
        "--cloud", str(folder / "cloud"), "--out", str(folder), *layout, "--height", str(height),
        "--width", str(width), "--step", str(points.dtype.itemsize), "--error", repr(error),
    ]  # fmt: skip


def _verify(points: Points, error: float, folder: Path, entry: Entry[str]) -> None:
    """Let a codec fail that changed a field by more than it may."""
    decoded = np.frombuffer((folder / entry.contender).read_bytes(), points.dtype)
    errors = errors_made(points.reshape(-1), decoded)
    entry.facts["errors"] = {field: float(error_made) for field, error_made in errors.items()}
    for field, error_made in errors.items():
        may_differ = entry.facts["is_lossy"] and field in PLACE
        if not may_differ or not error_made <= error * TOLERANCE:
            entry.failure = f"{field} is off by {error_made:g}"
            return
