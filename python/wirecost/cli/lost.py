# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost``: messages that a recording lacks, when, and why."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import RECORDINGS, RecordingPath, argument, option
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

EXAMPLE = "wirecost lost drive.mcap"


@answering()
def command(
    files: Annotated[
        list[Path],
        argument("RECORDING…", f"{RECORDINGS}; several are files of one recording, in order."),
        RecordingPath(),
    ],
    include: Annotated[
        list[Path] | None,
        option("Folder with definitions that files lack; can be repeated.", "-I", metavar="DIR"),
    ] = None,
) -> Answer:
    """Print which messages a recording lacks, when, and why."""
    from wirecost.data.recordings.series import read_series
    from wirecost.measure.lost.recording import lost_messages
    from wirecost.results.report.lost import lost_answer

    with progress() as advance:
        series = read_series(files, include or [], advance)
    if not series.topics:
        raise UserError(f"{files[0]}: holds no message; name another recording")
    return lost_answer(lost_messages([str(path) for path in files], series))
