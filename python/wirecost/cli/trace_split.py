# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace split``: a trace whose static data comes once."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option
from wirecost.cli.trace_options import FORMATS, File, Topic, Type, warn
from wirecost.data.traces.choices import REPEAT_EVERY
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Table
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line

if TYPE_CHECKING:
    from wirecost.data.traces.split import TraceSplit

EXAMPLE = "wirecost trace split drive.osi once.osi"

MOST_REPEAT = 10**9


@answering()
def command(
    file: File,
    out: Annotated[Path, argument("OUT", f"The trace to write: {FORMATS}.")],
    repeat_every: Annotated[
        int,
        option(
            "Number of frames after which static data comes again; 0: only when it changed.",
            metavar="N",
        ),
    ] = REPEAT_EVERY,
    keep: Annotated[
        str,
        option("Fields of the GroundTruth to keep whole in every frame.", metavar="FIELDS"),
    ] = "moving_object",
    type_name: Type = None,
    topic: Topic = None,
    force: Annotated[bool, option("Overwrite OUT if it exists.", "--force")] = False,
) -> Answer:
    """Write a trace whose frames hold static data, such as lanes, once, then refer to it.

    Static data is detected element by element. Every OSI reader can read the frames.
    """
    from wirecost.data.traces import messages, open_trace
    from wirecost.data.traces.split import split

    if not 0 <= repeat_every <= MOST_REPEAT:
        raise UserError(f"--repeat-every {repeat_every}: give 0 to {MOST_REPEAT:,}")
    fields = [name for name in keep.split(",") if name]
    for name in fields:
        if not messages.field_number("GroundTruth", name):
            raise UserError(f"--keep {name}: no field of a GroundTruth; name one, such as lane")
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    with progress() as advance, open_trace(file, topic, type_name, advance) as opened:
        done = split(opened, out, advance, keep=fields, repeat_every=repeat_every)
    warn(opened)
    return _answer(file, out, done)


def _answer(file: Path, out: Path, done: TraceSplit) -> Answer:
    before, after = done.message_bytes
    text = (
        f"{out}: {counted(done.frames, 'frame')} in {units.size(after)}, "
        f"{100 * after / max(before, 1):.1f} % of {units.size(before)}."
    )
    rows = [
        [
            field.name,
            f"{field.elements:,}",
            f"{field.changed:,}",
            units.size(field.bytes[0]),
            units.size(field.bytes[1]),
        ]
        for field in done.fields
    ]
    headings = ["field", "elements", "changes", "before", "after"]
    table = Table(
        "What the frames hold",
        headings,
        rows,
        ["changes: number of frames that differ from the one before"],
    )
    steps = [
        f"To restore it exactly:\nwirecost trace join {shell_line(out, f'back{file.suffix}')}",
        "In your simulator: docs/formats/static-once.md.",
    ]
    if after >= before:
        steps = ["No static data is repeated in this trace: keep it as it is."]
    return Answer(
        text,
        table,
        steps,
        more=f"{done.complete:,} frames of OUT hold all data. --all lists every field",
        heading=f"{file} split",
        document={"file": str(file), "out": str(out)} | asdict(done),
    )
