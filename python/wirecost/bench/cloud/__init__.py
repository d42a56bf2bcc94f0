# SPDX-License-Identifier: Apache-2.0
"""``bench cloud``: two point cloud callbacks as they are usually written, as Autoware's page on
real-time performance recommends, and as wirecost has them; plain and under the heap."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import polars as pl

from wirecost import scratch
from wirecost.bench.cloud import areas, program, scans
from wirecost.bench.cloud.program import Load
from wirecost.bench.cloud.race import COUNTERS, HEAP, PLAIN, Lane, run_race
from wirecost.doctor.environment import environment
from wirecost.errors import UserError
from wirecost.records.journal import Journal, Run
from wirecost.records.probe_log import COUNTER

SCENARIO = "cloud"
STUDIES = ("ring", "area")
FORMATS = ("aedt", "radrt")
ASKS = ("all", "first")
LARGEST = 1_000_000
MOST_VERTICES = 100_000
MODES = (PLAIN, HEAP)
BURST = {"ring": 5, "area": 1}
"""Callbacks a turn."""

Progress = Callable[[int, int, str], None]
"""Called with samples taken, samples in all, and what runs now."""


@dataclass(frozen=True)
class Settings:
    """``scans``: files, or names of sensors for made-up ones; empty: the real ones that
    ``WIRECOST_DATA`` has, and a made-up one of the largest sensor. ``growth``: numbers of points
    that show how the time grows, beside the grid of vertices and shares inside (0 to 1)."""

    studies: tuple[str, ...] = STUDIES
    scans: tuple[str, ...] = ()
    points: tuple[int, ...] = (100_000,)
    vertices: tuple[int, ...] = (8, 64, 1000)
    inside: tuple[float, ...] = (0.01, 0.1, 0.5)
    growth: tuple[int, ...] = (1000, 10_000)
    samples: int = 100
    seconds: float = 10.0
    """A case begins no further turn after that."""
    format: str = "aedt"
    published: bool = False
    seed: int = 1

    def check(self) -> None:
        """Raises UserError on what cannot be run."""
        for count in (*self.points, *self.growth):
            if not 1 <= count <= LARGEST:
                raise UserError(f"--points {count}: must lie between 1 and {LARGEST}")
        for count in self.vertices:
            if not 3 <= count <= MOST_VERTICES:
                raise UserError(f"--vertices {count}: must lie between 3 and {MOST_VERTICES}")
        for share in self.inside:
            if not 0 <= share <= 1:
                raise UserError(f"--inside {100 * share:g}: must lie between 0 and 100 percent")
        if self.samples < 1:
            raise UserError(f"--samples {self.samples}: at least 1 is needed")
        if not 0 < self.seconds <= 3600:
            raise UserError(f"--seconds {self.seconds:g}: must lie above 0 and up to 3600")
        if not 0 <= self.seed < 2**63:
            raise UserError(f"--seed {self.seed}: must lie between 0 and 2^63 - 1")


@dataclass(frozen=True)
class _Case:
    study: str
    name: str
    variant: str
    """What is compared across cases: the scan's name, or the question."""
    points: int
    contents: list[bytes]
    """Clouds that come in turns."""
    options: tuple[str, ...] = ()
    areas: bytes = b""
    about: dict[str, Any] = field(default_factory=dict)


def run(settings: Settings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    program.check_installed()
    not_run = {
        f"{study} {name}": why
        for (study, name), why in program.absent().items()
        if study in settings.studies
    }
    cases = _cases(settings, not_run)
    journal.about(
        scenario=SCENARIO,
        created=datetime.now().astimezone().isoformat(timespec="seconds"),
        command=sys.argv[1:],
        samples=settings.samples,
        seconds=settings.seconds,
        format=settings.format,
        rules="published" if settings.published else "corrected",
        seed=settings.seed,
        environment=environment() | program.built(),
        contenders={
            f"{study} {version.name}": {"library": version.library, "about": version.about}
            for study in settings.studies
            for version in program.versions(study)
        },
        not_run=not_run,
        types={"ns": "Float64"} | {f"{COUNTER}{name}": "UInt64" for name in COUNTERS.split(",")},
    )
    _run_cases(cases, settings, journal, progress)


def _cases(settings: Settings, not_run: dict[str, str]) -> list[_Case]:
    cases: list[_Case] = []
    if "ring" in settings.studies:
        cases += [_ring(scan, settings) for scan in _scans(settings, not_run)]
    if "area" in settings.studies:
        largest = max(settings.points)
        grid = [
            _area(count, vertices, inside, ask, settings)
            for count in settings.points
            for vertices in settings.vertices
            for inside in settings.inside
            for ask in ASKS
        ]
        middle = settings.vertices[len(settings.vertices) // 2]
        share = settings.inside[len(settings.inside) // 2]
        growth = [
            _area(count, middle, share, "all", settings)
            for count in settings.growth
            if count < largest and count not in settings.points
        ]
        cases += [*growth, *grid]
    return cases


def _scans(settings: Settings, not_run: dict[str, str]) -> list[scans.Scan]:
    if settings.scans:
        return [
            scans.synthetic(name, settings.seed)
            if name in scans.SENSORS
            else scans.read(Path(name))
            for name in settings.scans
        ]
    found, why = scans.real()
    not_run |= why
    made = [s for s in scans.SENSORS if s not in scans.REAL or f"real {s} scan" in why]
    return [*found, *(scans.synthetic(sensor, settings.seed) for sensor in made)]


def _ring(scan: scans.Scan, settings: Settings) -> _Case:
    clouds = scans.in_turns(scan.points, settings.seed)
    if settings.format == "radrt":
        clouds = [scans.older(cloud) for cloud in clouds]
    count = len(scan.points)
    rules = "published" if settings.published else "corrected"
    return _Case(
        "ring",
        f"ring, {scan.name}, {count} points",
        f"ring, {scan.name}",
        count,
        [cloud.tobytes() for cloud in clouds],
        ("--format", settings.format, "--rules", rules),
        about={"scan": scan.name},
    )


def _area(count: int, vertices: int, inside: float, ask: str, settings: Settings) -> _Case:
    made = areas.scene(count, vertices, inside, settings.seed)
    return _Case(
        "area",
        f"area, {count} points, {vertices} vertices, {100 * inside:g} % inside, {ask}",
        f"area, {ask}",
        count,
        [made.points.tobytes()],
        ("--ask", ask),
        made.packed_areas(),
        about={"vertices": vertices, "inside": inside, "ask": ask},
    )


def _run_cases(
    cases: list[_Case], settings: Settings, journal: Journal, progress: Progress
) -> None:
    done = 0
    versions = {study: program.versions(study) for study in settings.studies}
    lanes_of = {study: len(found) * len(MODES) for study, found in versions.items()}
    total = sum(lanes_of[case.study] * settings.samples for case in cases)
    for case in cases:
        before = done

        def report(samples: int, text: str, label: str = case.name) -> None:
            nonlocal done
            done += samples
            progress(done, total, f"{label}: {text}")

        lanes = [Lane(version, mode) for version in versions[case.study] for mode in MODES]
        race = _Recorded(lanes, case, journal)
        with scratch.folder("clouds") as folder:
            load, burst = _load(case, folder), BURST[case.study]
            try:
                run_race(load, lanes, settings.samples, burst, settings.seconds, report, race.keep)
            finally:
                race.end()
        done = before + lanes_of[case.study] * settings.samples


def _load(case: _Case, folder: Path) -> Load:
    clouds = tuple(folder / f"cloud-{i}" for i in range(len(case.contents)))
    for path, content in zip(clouds, case.contents, strict=True):
        path.write_bytes(content)
    options = case.options
    if case.study == "area":
        (folder / "areas").write_bytes(case.areas)
        options = (*options, "--areas", str(folder / "areas"))
    return Load(case.study, clouds, options)


class _Recorded:
    """A race's part of the journal."""

    def __init__(self, lanes: list[Lane], case: _Case, journal: Journal) -> None:
        self._lanes = lanes
        self._case = case
        self._journal = journal
        self._runs: list[Run] = []
        self._kept = 0

    def keep(self, tables: list[pl.DataFrame]) -> None:
        """The callbacks since the last time, by lane that was not refused when it was verified."""
        self._add()
        running = [n for n, lane in enumerate(self._lanes) if lane.failure is None]
        for number, table in zip(running, tables, strict=True):
            self._runs[number].about(self._about(self._lanes[number]))
            self._runs[number].table(table[self._kept :].to_dict(as_series=False))
        self._kept = max(self._kept, *map(len, tables))
        self._journal.flush()

    def end(self) -> None:
        self._add()
        for run, lane in zip(self._runs, self._lanes, strict=True):
            run.about(self._about(lane))

    def _add(self) -> None:
        """Once all have been verified."""
        if self._runs:
            return
        for lane in self._lanes:
            about = self._about(lane)
            same = ("case", "variant", "build", "contender", "mode", "study", "points")
            columns = {name: about[name] for name in same}
            columns |= {"stage": "total", "bytes": lane.bytes}
            self._runs.append(self._journal.run(about, columns))

    def _about(self, lane: Lane) -> dict[str, Any]:
        return {
            "case": self._case.name,
            "variant": self._case.variant,
            "build": "release",
            "contender": lane.version.name,
            "mode": lane.mode,
            "study": self._case.study,
            "points": self._case.points,
            **self._case.about,
            "heap": lane.mode == HEAP,
            "counters": lane.counters,
            "message_bytes": lane.bytes,
            "message_digest": lane.digest,
            "failure": lane.failure,
        }
