# SPDX-License-Identifier: Apache-2.0
"""Codecs of point clouds in turns, in one thread, on the same scans; errors are measured here."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from wirecost.data.clouds.packed import PLACE, errors_made, point_fields
from wirecost.measure.bench.engine.program import Program
from wirecost.observe.doctor.environment import environment
from wirecost.results.records.codecs import CodecRace, CodecRun
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.parts import CLOUD
from wirecost.system.printable import printable

PROGRAM = Program("codecs", CLOUD)
KNOWN = {
    "cloudini-zstd": "built without it: `cpp/bench/codecs/cloudini build/cloudini`, `make all`",
    "draco": "built without Debian's libdraco-dev",
}
TOLERANCE = 1.01
"""By how much a contender's error may exceed what was asked, for its own rounding to floats."""

Points = npt.NDArray[Any]


def race(
    scans: Mapping[str, Points],
    error: float,
    rounds: int,
    rate_hz: float,
    say: Callable[[str], None],
) -> CodecRace:
    """Let all codecs of the build encode and decode every scan. Raises UserError."""
    PROGRAM.check_installed()
    listed = {name: (library, kind) for name, library, kind in PROGRAM.rows("list")}
    runs: list[CodecRun] = []
    absent = {name: why for name, why in KNOWN.items() if name not in listed}
    for scan, points in scans.items():
        say(f"{scan}: {points.size:,} points")
        found, without = _race_of(scan, points, error, rounds, listed)
        runs += found
        absent |= without
    where = environment()
    about = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{where['cpu']}, {where['usable_cores']} cores, {where['os']}",
        **PROGRAM.built(),
    }
    return CodecRace(about=about, error=error, rate_hz=rate_hz, runs=runs, absent=absent)


def _race_of(
    scan: str, points: Points, error: float, rounds: int, listed: Mapping[str, tuple[str, str]]
) -> tuple[list[CodecRun], dict[str, str]]:
    dtype = points.dtype
    if not points.size or dtype.names is None:
        raise UserError(f"{scan}: has no points; name another scan")
    height, width = points.shape if points.ndim == 2 else (1, points.size)
    layout: list[str] = []
    for name, offset, number, count in point_fields(dtype):
        layout += ["--field", printable(name), "--place", f"{offset}:{number}:{count}"]
    raw = np.ascontiguousarray(points).tobytes()
    rows: dict[str, list[tuple[int, float, float]]] = {}
    absent: dict[str, str] = {}
    with scratch.folder("codecs") as folder:
        (folder / "cloud").write_bytes(raw)
        for words in PROGRAM.rows(
            "race", "--cloud", str(folder / "cloud"), "--out", str(folder), *layout,
            "--height", str(height), "--width", str(width), "--step", str(dtype.itemsize),
            "--rounds", str(rounds), "--error", repr(error),
        ):  # fmt: skip
            if words[0] in ("absent", "failed"):
                absent[words[1]] = words[2]
            elif int(words[1]):  # the first round warms up
                rows.setdefault(words[0], []).append(
                    (int(words[2]), float(words[3]), float(words[4]))
                )
        runs = [
            _run(scan, points, raw, name, listed[name], rows[name], error, folder)
            for name in listed
            if name in rows and name not in absent
        ]
    return runs, absent


def _run(
    scan: str,
    points: Points,
    raw: bytes,
    name: str,
    about: tuple[str, str],
    rows: list[tuple[int, float, float]],
    error: float,
    folder: Path,
) -> CodecRun:
    decoded = np.frombuffer((folder / name).read_bytes(), points.dtype)
    errors = errors_made(points.reshape(-1), decoded)
    too_large = [
        field
        for field, made in errors.items()
        if about[1] != "lossy" or field not in PLACE or not made <= error * TOLERANCE
    ]
    fault = f"{too_large[0]} is off by {errors[too_large[0]]:g}" if too_large else ""
    return CodecRun(
        scan=scan,
        codec=name,
        library=about[0],
        is_lossy=about[1] == "lossy",
        points=points.size,
        raw_bytes=len(raw),
        bytes=rows[0][0],
        encode_ns=[row[1] for row in rows],
        decode_ns=[row[2] for row in rows],
        errors=errors,
        fault=fault,
    )
