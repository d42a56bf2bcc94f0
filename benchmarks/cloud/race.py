# SPDX-License-Identifier: Apache-2.0
"""All cases of the study, and what is known of each before it runs."""

from __future__ import annotations

from pathlib import Path

from wirecost.measure.bench.codecs.synthetic import SENSORS, Scan, synthetic
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.results.records.probe_log import COUNTER

from . import areas, program, scans
from .program import PROGRAM, CloudContender
from .settings import Settings
from .turns import COUNTERS, HEAP, PLAIN, CloudWork, run_race

ASKS = ("all", "first")
MODES = (PLAIN, HEAP)


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
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
    measurement.about(
        PROGRAM.built(),
        total=sum(len(contenders[work.study]) * settings.samples for work in cases),
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


def _cases(settings: Settings, not_run: dict[str, str]) -> list[CloudWork]:
    cases: list[CloudWork] = []
    if "ring" in settings.studies:
        cases += [_ring(scan, settings) for scan in _scans(settings, not_run)]
    if "area" in settings.studies:
        largest = max(settings.points)
        grid = [
            _area(count, vertices, percent, ask, settings)
            for count in settings.points
            for vertices in settings.vertices
            for percent in settings.inside
            for ask in ASKS
        ]
        middle = settings.vertices[len(settings.vertices) // 2]
        percent = settings.inside[len(settings.inside) // 2]
        growth = [
            _area(count, middle, percent, "all", settings)
            for count in settings.growth
            if count < largest and count not in settings.points
        ]
        cases += [*growth, *grid]
    return cases


def _scans(settings: Settings, not_run: dict[str, str]) -> list[Scan]:
    if settings.scans:
        return [
            synthetic(name, settings.seed) if name in SENSORS else scans.read(Path(name))
            for name in settings.scans
        ]
    real, why = scans.real()
    not_run |= why
    sensors = [s for s in SENSORS if s not in scans.REAL or f"real {s} scan" in why]
    return [*real, *(synthetic(sensor, settings.seed) for sensor in sensors)]


def _ring(scan: Scan, settings: Settings) -> CloudWork:
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


def _area(count: int, vertices: int, percent: float, ask: str, settings: Settings) -> CloudWork:
    inside = percent / 100
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
