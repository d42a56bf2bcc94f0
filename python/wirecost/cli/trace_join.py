# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace join``: a split trace as it was."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.json_file import JsonFile, check_writable, console_beside, write_json
from wirecost.cli.options import argument, option
from wirecost.cli.trace_options import FORMATS, File, Topic, Type, warn
from wirecost.results.report.shared import units
from wirecost.system.counted import counted
from wirecost.system.errors import UserError

EXAMPLE = "wirecost trace join once.osi drive.osi"


def command(
    file: File,
    out: Annotated[Path, argument("OUT", f"The trace to write: {FORMATS}.")],
    skip: Annotated[
        bool, option("Leave out frames whose static data is missing.", "--skip")
    ] = False,
    type_name: Type = None,
    topic: Topic = None,
    force: Annotated[bool, option("Overwrite OUT if it exists.", "--force")] = False,
    json_file: JsonFile = None,
) -> None:
    """Write a trace as it was before `trace split` or `convert --static-once`.

    Lost messages are listed. Frames that need them are refused, never guessed.
    """
    from wirecost.data.traces.split import join

    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    check_writable("--json", json_file)
    with progress() as advance:
        joined, done = join(file, out, advance, topic=topic, type_name=type_name, skip=skip)
    warn(joined)
    before, after = map(units.size, done.message_bytes)
    console_beside(json_file).print(
        f"{out}: {counted(done.frames, 'frame')} of {joined.type_name}, "
        f"messages {before} → {after}",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
    write_json(json_file, {"file": str(file), "out": str(out)} | asdict(done))
