# SPDX-License-Identifier: Apache-2.0
"""Scans to encode: files, clouds of a recording, the real ones at hand, or a synthetic one."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.data.clouds.point_cloud2 import is_cloud, points_of
from wirecost.data.clouds.scan_files import is_scan, load
from wirecost.data.clouds.waste import CloudWaste
from wirecost.data.recordings.survey import TopicSurvey, survey
from wirecost.measure.bench.engine.measurement import Progress
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

from .synthetic import Points, synthetic

MOST_SCANS = 8
"""Clouds of a topic that are measured."""


@dataclass(frozen=True)
class Scans:
    """Points by the scan's name."""

    points: dict[str, Points]
    rate_hz: float = 0.0
    """Scans per second of the recording; 0: it is not known."""
    notes: list[str] = field(default_factory=list)
    """Sentences about clouds that were left out."""

    def advice(self) -> list[str]:
        """Say what the scans carry in vain, where that is the same in all of them."""
        waste = CloudWaste()
        for points in self.points.values():
            waste.add(points)
        return list(waste.advice())


def scans_of(files: tuple[Path, ...], topic: str, progress: Progress) -> Scans:
    """Return the scans. Raises UserError."""
    if not files:
        return Scans(_at_hand())
    if not all(is_scan(path) for path in files):
        return _of_recording(files, topic, progress)
    if topic:
        raise UserError("--topic: is for recordings; name an .mcap, a bag or a .db3")
    return Scans({str(path): load(path).points for path in files})


def _at_hand() -> dict[str, Points]:
    """Return the real scans of ``WIRECOST_DATA``, else a synthetic one."""
    folder = os.environ.get("WIRECOST_DATA")
    paths = sorted(Path(folder, "lidar").glob("*/*.pcd")) if folder else []
    if paths:
        return {path.parent.name: load(path).points for path in paths}
    return {"synthetic, vlp32": synthetic("vlp32", 1).points}


def _of_recording(files: tuple[Path, ...], topic: str, progress: Progress) -> Scans:
    largest = _largest(files, topic, progress)
    points: dict[str, Points] = {}
    odd: list[str] = []
    for number, message in enumerate(largest.whole_messages(), 1):
        name = f"{largest.connection.topic} {number}"
        try:
            cloud = points_of(message)
        except UserError as cause:
            odd.append(f"{name}: {cause}")
            continue
        if cloud.size and len(points) < MOST_SCANS:
            points[name] = cloud
    if not points:
        why = odd[0] if odd else f"{largest.connection.topic}: no cloud has points"
        raise UserError(largest.unknown or why)
    left_out = counted(len(odd), "cloud is", "clouds are")
    notes = [f"{left_out} left out; the first, {odd[0]}"] if odd else []
    lasted_s = (largest.last_ns - largest.first_ns) / 1e9
    return Scans(points, (largest.count - 1) / lasted_s if lasted_s > 0 else 0.0, notes)


def _largest(files: tuple[Path, ...], topic: str, progress: Progress) -> TopicSurvey:
    """Return the topic of that name, or else the one with the most bytes of clouds."""
    surveyed = survey(list(files), [], progress).topics
    of_clouds = [each for each in surveyed if is_cloud(each.connection.type) and each.count]
    chosen = [each for each in of_clouds if topic in ("", each.connection.topic)]
    if not chosen:
        names = ", ".join(each.connection.topic for each in of_clouds) or "none"
        raise UserError(f"{files[0]}: no PointCloud2 on {topic or 'any topic'}; there are: {names}")
    return max(chosen, key=lambda each: each.byte_count)
