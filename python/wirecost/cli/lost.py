# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost``: messages that a recording lacks, or that die in a running graph, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import RECORDINGS, RecordingPath, argument, option
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

SYSTEMS = ("ros2", "ros1", "dds")
WATCHED = "30s"
"""How long a running graph is watched unless one says it."""
LIMIT = "50MB"
"""Bytes per second above which a topic is not listened to for longer than a look."""
EXAMPLE = "wirecost lost drive.mcap"


@answering()
def command(
    files: Annotated[
        list[Path] | None,
        argument(
            "[RECORDING]…",
            f"{RECORDINGS}; several are files of one recording, in order.",
            show_default=False,
        ),
        RecordingPath(),
    ] = None,
    live: Annotated[
        str,
        option(
            "Watch a running graph instead: ros2, ros1 or dds.",
            "--live",
            known=SYSTEMS,
            metavar="NAME",
        ),
    ] = "",
    for_: Annotated[str, option("With --live: how long.", "--for", metavar="TIME")] = WATCHED,
    attach: Annotated[
        bool,
        option("With --live: breakpoints count what each subscriber takes; needs root."),
    ] = False,
    python: Annotated[
        Path | None,
        option(
            "With --live ros2: the Python that has rclpy, where this one has not.", metavar="PATH"
        ),
    ] = None,
    log: Annotated[
        Path | None,
        option(
            "Log of ros2 bag record: its last lines say what fell out of its cache.",
            metavar="FILE",
        ),
    ] = None,
    include: Annotated[
        list[Path] | None,
        option("Folder with definitions that files lack; can be repeated.", "-I", metavar="DIR"),
    ] = None,
) -> Answer:
    """Print which messages were lost, where and why."""
    of_live = {"--for": for_ != WATCHED, "--attach": attach, "--python": python is not None}
    if not live and (given := [name for name, is_given in of_live.items() if is_given]):
        raise UserError(f"{', '.join(given)}: for a running graph; name one with --live")
    if bool(files) == bool(live):
        raise UserError("name a recording, or --live ros2 for a running graph")
    if live and include:
        raise UserError("-I: for a recording; a running graph has the definitions")
    if live and log:
        raise UserError("--log: for a recording; leave it out")
    if live in SYSTEMS[1:] and python is not None:
        raise UserError(f"--python: --live {live} uses this Python; leave it out")
    if live:
        return _watched(live, for_, python, attaches=attach)
    return _read(files or [], include or [], log)


def _read(files: list[Path], include: list[Path], log: Path | None) -> Answer:
    """Return what a recording lacks. Raises UserError."""
    from wirecost.data.recordings.dropped import of_log
    from wirecost.data.recordings.mcap.recorders import ROSBAG2
    from wirecost.data.recordings.series import read_series
    from wirecost.measure.lost.recording import lost_messages
    from wirecost.results.report.lost import lost_answer

    with progress() as advance:
        series = read_series(files, include, advance)
    if log is not None and (logged := of_log(log)):
        series.dropped |= logged
        series.recorder = ROSBAG2
    if not series.topics:
        raise UserError(f"{files[0]}: holds no message; name another recording")
    return lost_answer(lost_messages([str(path) for path in files], series))


def _watched(live: str, seconds: str, python: Path | None, *, attaches: bool) -> Answer:
    """Return what died in a running graph. Raises UserError."""
    from wirecost.cli.cost_live import request_of
    from wirecost.measure.lost.live.graph import WatchedGraph
    from wirecost.results.report.lost_live import live_answer

    request = request_of(live, seconds, LIMIT, python, None, listens=True, attaches=attaches)
    is_whole = True
    with progress() as advance, WatchedGraph(request) as graph:
        try:
            for done in graph.seconds():
                total = max(1, round(min(request.seconds, done)))
                advance(round(done), total, f"watching {live}")
        except KeyboardInterrupt:
            is_whole = False
        lost = graph.lost(is_whole=is_whole)
    if not lost.topics:
        raise UserError(f"--live {live}: no topic was found; is the graph in this ROS_DOMAIN_ID?")
    return live_answer(lost)
