# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench codecs``: codecs of point clouds beside each other, on the user's scans."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from wirecost.cli.console import progress, say_notes
from wirecost.cli.json_file import JsonFile, console_beside, write_json
from wirecost.cli.options import argument, option
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import numpy.typing as npt

    from wirecost.measure.cost.survey import Progress

EXAMPLE = "wirecost bench codecs drive.mcap --topic /points --error 0.001"

MOST_ROUNDS = 10_000
MOST_SCANS = 8
"""Clouds of a topic that are measured."""


def command(
    files: Annotated[
        list[Path] | None,
        argument(
            "[FILE]…",
            "Scans (.pcd, .ply, KITTI's .bin) or a recording; without one, real scans of "
            "WIRECOST_DATA, or a made-up one.",
            show_default=False,
        ),
    ] = None,
    topic: Annotated[
        str, option("Topic of PointCloud2 in a recording; default: the largest.", metavar="NAME")
    ] = "",
    error: Annotated[
        float,
        option("What lossy codecs may change in x, y and z, in their unit.", metavar="METRES"),
    ] = 0.0005,
    rounds: Annotated[int, option("How often each codec runs.", metavar="N")] = 30,
    every: Annotated[bool, option("Print a table for each scan.", "--all")] = False,
    json_file: JsonFile = None,
) -> None:
    """Compare codecs of point clouds: bytes, time, error made.

    Every codec runs in one thread, in turns with the others; errors are measured on what came out.
    """
    import msgspec

    from wirecost.measure.bench.cloud.codecs import race
    from wirecost.results.report.codecs.answer import first_answer, tables
    from wirecost.results.report.shared.first import print_answer
    from wirecost.results.report.shared.terminal import print_table

    if not 0 < error < float("inf"):
        raise UserError(f"--error {error}: give a distance above 0, such as 0.001")
    if not 1 <= rounds <= MOST_ROUNDS:
        raise UserError(f"--rounds {rounds}: give 1 to {MOST_ROUNDS:,}")
    with progress() as advance:
        scans, rate_hz = _scans(files or [], topic, advance)
        raced = race(scans, error, rounds, rate_hz, lambda text: advance(0, 1, text))
    console = console_beside(json_file)
    if every:
        for table in tables(raced):
            print_table(console, table)
    else:
        absent = f"Not measured: {', '.join(raced.absent)}. " if raced.absent else ""
        print_answer(console, first_answer(raced), f"{absent}Each scan, and why: --all")
    if json_file is not None:
        write_json(json_file, msgspec.to_builtins(raced))


def _scans(
    files: list[Path], topic: str, advance: Progress
) -> tuple[dict[str, npt.NDArray[Any]], float]:
    """Return scans by name, and their rate in a recording. Raises UserError."""
    from wirecost.data.clouds.scan_files import is_scan, load

    if not files:
        return _known(), 0.0
    if all(is_scan(path) for path in files):
        if topic:
            raise UserError("--topic: is for recordings; name an .mcap, a bag or a .db3")
        return {str(path): load(path).points for path in files}, 0.0
    from wirecost.data.clouds.point_cloud2 import is_cloud, points_of
    from wirecost.measure.cost.cloud import whole_messages
    from wirecost.measure.cost.survey import survey

    found = survey(files, [], advance).topics
    of_clouds = [one for one in found if is_cloud(one.connection.type) and one.count]
    chosen = [one for one in of_clouds if topic in ("", one.connection.topic)]
    if not chosen:
        names = ", ".join(one.connection.topic for one in of_clouds) or "none"
        raise UserError(f"{files[0]}: no PointCloud2 on {topic or 'any topic'}; there are: {names}")
    largest = max(chosen, key=lambda one: sum(one.sizes))
    scans: dict[str, npt.NDArray[Any]] = {}
    odd: list[str] = []
    for number, message in enumerate(whole_messages(largest), 1):
        try:
            points = points_of(message)
        except UserError as cause:
            odd.append(f"{largest.connection.topic} {number}: {cause}")
            continue
        if points.size and len(scans) < MOST_SCANS:
            scans[f"{largest.connection.topic} {number}"] = points
    if not scans:
        why = odd[0] if odd else f"{largest.connection.topic}: no cloud has points"
        raise UserError(largest.unknown or why)
    if odd:
        say_notes([f"{counted(len(odd), 'cloud is', 'clouds are')} left out; the first, {odd[0]}"])
    lasted = (largest.last_ns - largest.first_ns) / 1e9
    return scans, (largest.count - 1) / lasted if lasted > 0 else 0.0


def _known() -> dict[str, npt.NDArray[Any]]:
    """Return the real scans that are here, else one that is made up."""
    import os

    from wirecost.data.clouds.scan_files import load
    from wirecost.measure.bench.cloud.scans import synthetic

    folder = os.environ.get("WIRECOST_DATA")
    paths = sorted(Path(folder, "lidar").glob("*/*.pcd")) if folder else []
    if paths:
        return {path.parent.name: load(path).points for path in paths}
    return {"made up, vlp32": synthetic("vlp32", 1).points}
