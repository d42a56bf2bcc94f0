# SPDX-License-Identifier: Apache-2.0
"""``bench cloud`` as a whole: settings, cases, and the result folder they fill."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.cloud import areas, program, scans
from wirecost.measure.bench.cloud.choices import STUDIES
from wirecost.measure.bench.cloud.program import PROGRAM, CloudContender
from wirecost.measure.bench.cloud.race import COUNTERS, HEAP, PLAIN, CloudWork, run_race
from wirecost.measure.bench.engine import limits
from wirecost.measure.bench.engine.measurement import Measurement, Progress
from wirecost.measure.bench.engine.processes import PROCESSES, ProcessPlan, plan
from wirecost.results.records.journal import Journal
from wirecost.results.records.probe_log import COUNTER
from wirecost.system.errors import UserError

SCENARIO = "cloud"
ASKS = ("all", "first")
LARGEST = 1_000_000
MOST_VERTICES = 100_000
MODES = (PLAIN, HEAP)


@dataclass(frozen=True)
class CloudSettings:
    """Settings of ``bench cloud``.

    ``scans``: files, or names of sensors for made-up ones; empty: the real ones that
    ``WIRECOST_DATA`` has, and a made-up one of the largest sensor. ``growth``: numbers of points
    that show how the time grows, beside the grid of vertices and shares inside (0 to 1).
    """

    studies: tuple[str, ...] = STUDIES
    scans: tuple[str, ...] = ()
    points: tuple[int, ...] = (100_000,)
    vertices: tuple[int, ...] = (8, 64, 1000)
    inside: tuple[float, ...] = (0.01, 0.1, 0.5)
    growth: tuple[int, ...] = (1000, 10_000)
    samples: int = 100
    seconds: float = 10.0
    """Time after which a case begins no further turn, except the first of each process."""
    processes: int = PROCESSES
    format: str = "aedt"
    published: bool = False
    seed: int = 1

    def check(self) -> None:
        """Check all options. Raises UserError on what cannot be run."""
        for count in (*self.points, *self.growth):
            limits.between("--points", count, 1, LARGEST)
        for count in self.vertices:
            limits.between("--vertices", count, 3, MOST_VERTICES)
        for share in self.inside:
            if not 0 <= share <= 1:
                raise UserError(f"--inside {100 * share:g}: must lie between 0 and 100 percent")
        limits.at_least_one("--samples", self.samples)
        limits.at_least_one("--processes", self.processes)
        if not 0 < self.seconds <= 3600:
            raise UserError(f"--seconds {self.seconds:g}: must be above 0 and at most 3600")
        limits.seed(self.seed)

    @property
    def plan(self) -> ProcessPlan:
        return plan(self.samples, self.processes, self.seed)


def run(settings: CloudSettings, journal: Journal, progress: Progress) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    settings.check()
    PROGRAM.check_installed()
    not_run = {
        f"{study} {name}": why
        for (study, name), why in program.absent().items()
        if study in settings.studies
    }
    cases = _cases(settings, not_run)
    versions = {study: program.versions(study) for study in settings.studies}
    contenders = {
        study: [CloudContender(version, mode) for version in of_study for mode in MODES]
        for study, of_study in versions.items()
    }
    total = sum(len(contenders[work.study]) * settings.samples for work in cases)
    measurement = Measurement(journal, progress, total)
    measurement.about(
        SCENARIO,
        PROGRAM.built(),
        samples=settings.samples,
        processes=settings.plan.processes,
        seconds=settings.seconds,
        format=settings.format,
        rules="published" if settings.published else "corrected",
        seed=settings.seed,
        contenders={
            f"{study} {version.name}": {"library": version.library, "about": version.about}
            for study, of_study in versions.items()
            for version in of_study
        },
        not_run=not_run,
        types={"ns": "Float64"} | {f"{COUNTER}{name}": "UInt64" for name in COUNTERS.split(",")},
    )
    for work in cases:
        entries = [work.entry(contender) for contender in contenders[work.study]]
        with measurement.case(work.name, entries, settings.samples) as case:
            run_race(work, case, settings.plan, settings.seconds)


def _cases(settings: CloudSettings, not_run: dict[str, str]) -> list[CloudWork]:
    cases: list[CloudWork] = []
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


def _scans(settings: CloudSettings, not_run: dict[str, str]) -> list[scans.Scan]:
    if settings.scans:
        return [
            scans.synthetic(name, settings.seed)
            if name in scans.SENSORS
            else scans.read(Path(name))
            for name in settings.scans
        ]
    real, why = scans.real()
    not_run |= why
    sensors = [s for s in scans.SENSORS if s not in scans.REAL or f"real {s} scan" in why]
    return [*real, *(scans.synthetic(sensor, settings.seed) for sensor in sensors)]


def _ring(scan: scans.Scan, settings: CloudSettings) -> CloudWork:
    clouds = scans.in_turns(scan.points, settings.seed)
    if settings.format == "radrt":
        clouds = [scans.older(cloud) for cloud in clouds]
    count = len(scan.points)
    rules = "published" if settings.published else "corrected"
    return CloudWork(
        "ring",
        f"ring, {scan.name}, {count} points",
        f"ring, {scan.name}",
        count,
        [cloud.tobytes() for cloud in clouds],
        ("--format", settings.format, "--rules", rules),
        facts={"scan": scan.name},
    )


def _area(count: int, vertices: int, inside: float, ask: str, settings: CloudSettings) -> CloudWork:
    scene = areas.scene(count, vertices, inside, settings.seed)
    return CloudWork(
        "area",
        f"area, {count} points, {vertices} vertices, {100 * inside:g} % inside, {ask}",
        f"area, {ask}",
        count,
        [scene.points.tobytes()],
        ("--ask", ask),
        scene.packed_areas(),
        facts={"vertices": vertices, "inside": inside, "ask": ask},
    )
