# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace join``: a split trace as it was."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option
from wirecost.cli.trace_options import FORMATS, File, Topic, Type, warn
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

EXAMPLE = "wirecost trace join once.osi drive.osi"


@answering()
def command(
    file: File,
    out: Annotated[Path, argument("OUT", f"The trace to write: {FORMATS}.")],
    skip: Annotated[
        bool, option("Leave out frames whose static data is missing.", "--skip")
    ] = False,
    type_name: Type = None,
    topic: Topic = None,
    force: Annotated[bool, option("Overwrite OUT if it exists.", "--force")] = False,
) -> Answer:
    """Write a trace as it was before `trace split` or `convert --static-once`.

    Lost messages are listed. Frames that need them are refused, never guessed.
    """
    from wirecost.data.traces.split import join

    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    with progress() as advance:
        joined, done = join(file, out, advance, topic=topic, type_name=type_name, skip=skip)
    warn(joined)
    before, after = map(units.size, done.message_bytes)
    frames = f"{counted(done.frames, 'frame')} of {joined.type_name}"
    return Answer(
        f"{out}: {frames}, messages {before} → {after}",
        heading=f"{file} joined",
        document={"file": str(file), "out": str(out)} | asdict(done),
    )
