# SPDX-License-Identifier: Apache-2.0
"""``wirecost columns write``: Parquet or Arrow files as messages in a recording."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import argument, option
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, few
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

EXAMPLE = "wirecost columns write imu.parquet --type sensor_msgs/msg/Imu --out back.mcap"
SUFFIXES = (".parquet", ".arrow")
DIALECTS = {"cdr": "ros2", "ros1": "ros1"}
"""Generations of ROS by the wires that they send."""


@answering()
def command(
    columns: Annotated[
        Path,
        argument("FILE", "Columns as `wirecost columns read` writes them: .parquet or .arrow."),
    ],
    type_name: Annotated[
        str, option("The messages' type.", "--type", metavar="TYPE", show_default=False)
    ],
    out: Annotated[Path, option("The .mcap file to write.", "--out", metavar="PATH")],
    topic: Annotated[
        str, option("The topic; default: the file's name.", metavar="TOPIC", show_default=False)
    ] = "",
    wire: Annotated[
        str, option("The messages' wire: cdr (ROS 2) or ros1.", "--wire", metavar="WIRE")
    ] = "cdr",
    include: Annotated[
        list[Path] | None,
        option("Folder with definitions; can be repeated.", "--include", "-I", metavar="DIR"),
    ] = None,
    force: Annotated[bool, option("Overwrite a file that exists.", "--force")] = False,
) -> Answer:
    """Write the rows of a Parquet or Arrow file as messages of ROS into an MCAP file."""
    if columns.suffix.lower() not in SUFFIXES:
        raise UserError(f"{columns}: give a file that ends in {' or '.join(SUFFIXES)}")
    if out.suffix.lower() != ".mcap":
        raise UserError(f"--out {out}: name a file that ends in .mcap")
    if wire not in DIALECTS:
        raise UserError(f"--wire {wire}: choose {' or '.join(DIALECTS)}")
    if not columns.is_file():
        raise UserError(f"{columns}: no such file; name a Parquet or Arrow file")
    if out.exists() and not force:
        raise UserError(f"{out}: exists; name another file or add --force")
    from wirecost.data.columns.writing import message_type, write_messages

    about = message_type(type_name, DIALECTS[wire], include or ())
    topic = topic or "/" + re.sub(r"\W+", "_", columns.stem)
    with progress() as advance:
        done = write_messages(columns, about, topic, out, advance)
    doubts = [
        f"column {shown(name)} is left out: the type has no such field" for name in done.unused
    ]
    if done.early:
        doubts.append(
            f"{counted(done.early, 'message')} recorded before 1970 "
            f"{'has' if done.early == 1 else 'have'} the time 0, the first that MCAP can hold"
        )
    return Answer(
        f"{out}: {counted(done.rows, 'message')} of {shown(topic)}, {about.schema.type}, "
        f"{units.size(done.bytes)} before compression.",
        doubts=[(line, "bold yellow") for line in few(doubts)],
        heading=f"{columns.name} as messages",
        document={
            "file": str(columns),
            "recording": str(out),
            "topic": topic,
            "type": about.schema.type,
            "messages": done.rows,
            "bytes": done.bytes,
            "left_out": done.unused,
            "early": done.early,
        },
    )
