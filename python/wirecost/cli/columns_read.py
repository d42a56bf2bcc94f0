# SPDX-License-Identifier: Apache-2.0
"""``wirecost columns read``: a recording's topics as Parquet, Arrow or NumPy files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import RecordingPath, argument, duration, each, option
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, few
from wirecost.results.report.shared.table import Table
from wirecost.system import whole_file
from wirecost.system.counted import counted
from wirecost.system.durations import spelled
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

if TYPE_CHECKING:
    from wirecost.data.recordings.blocks import Window
    from wirecost.data.recordings.recording import Recording

EXAMPLE = "wirecost columns read drive.mcap --topic /imu --out imu.parquet"
SUFFIXES = (".parquet", ".arrow", ".npz")
LONGEST_NAME = 200
"""Characters of a file's name that come from a topic's."""
_NO_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True)
class _Written:
    """A topic's file and what it has; ``notes``: what was lost or changed."""

    topic: str
    type: str
    file: Path
    rows: int
    columns: dict[str, str]
    losses: dict[str, int]
    notes: list[str]


@answering()
def command(
    recording: Annotated[
        Path,
        argument("RECORDING", "Of ROS 1 or ROS 2: .mcap, .bag, .db3, or a folder."),
        RecordingPath("ROS"),
    ],
    out: Annotated[
        Path,
        option(
            f"The file to write: {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}; or a folder, with a "
            ".parquet for each topic.",
            "--out",
            metavar="PATH",
        ),
    ],
    topic: Annotated[str, option("The topic to read.", metavar="TOPIC", show_default=False)] = "",
    fields: Annotated[
        list[str] | None,
        option(
            "Fields to read, such as header.stamp,orientation.x; default: all; can be repeated.",
            metavar="FIELD,…",
        ),
    ] = None,
    begin: Annotated[
        float | None,
        duration(
            "Time after the recording's first message to begin at.", "--from", may_be_zero=True
        ),
    ] = None,
    end: Annotated[
        float | None,
        duration("Time after the recording's first message to end before.", "--to"),
    ] = None,
    include: Annotated[
        list[Path] | None,
        option(
            "Folder with definitions that the recording lacks; can be repeated.",
            "--include",
            "-I",
            metavar="DIR",
        ),
    ] = None,
    force: Annotated[bool, option("Overwrite files that exist.", "--force")] = False,
) -> Answer:
    """Write the messages of a recording's topics as columns: Parquet, Arrow or NumPy files."""
    from wirecost.data.recordings.recording import Recording

    suffix = out.suffix.lower()
    is_folder = out.is_dir() or not suffix
    if not is_folder and suffix not in SUFFIXES:
        raise UserError(f"--out {out}: name a file that ends in {', '.join(SUFFIXES)}, or a folder")
    paths = each(fields)
    with Recording(recording) as opened:
        window = _window(opened, begin, end)
        if is_folder:
            topics = {topic: None} if topic else dict.fromkeys(
                connection.topic for connection in opened.connections if connection.count
            )  # fmt: skip
            files = _files(list(topics), out)
        else:
            files = {topic: out}
        existing = [] if force else [file for file in files.values() if file.exists()]
        if existing:
            raise UserError(f"{existing[0]}: exists; name another file or add --force")
        written: list[_Written] = []
        unread: list[str] = []
        with whole_file.made_folder(out if is_folder else out.parent):
            for name, file in files.items():
                try:
                    written.append(_write(opened, name, paths, include or (), window, file))
                except UserError as error:
                    if not is_folder or topic:
                        raise
                    unread.append(f"{shown(name)} is left out: {error}")
            if not written:
                why = unread[0] if unread else "it has no messages; name another recording"
                raise UserError(f"{recording}: no topic can be read as columns: {why}")
    return _answer(recording, out, written, unread)


def _window(recording: Recording, begin: float | None, end: float | None) -> Window:
    from wirecost.data.recordings.blocks import ALL_TIMES, Window

    if not begin and end is None:
        return ALL_TIMES
    after = begin or 0.0
    if end is not None and end <= after:
        raise UserError(f"--to {spelled(end)}: lies before --from {spelled(after)}; exchange them")
    first = recording.begin_ns
    last = first + round(end * 1e9) if end is not None else ALL_TIMES.end
    return Window(first + round(after * 1e9), last)


def _files(topics: Sequence[str], folder: Path) -> dict[str, Path]:
    """Return a file for each topic, whose name has nothing but letters, digits and ``_.-``."""
    files: dict[str, Path] = {}
    for topic in topics:
        stem = _NO_NAME.sub("_", topic.strip("/"))[:LONGEST_NAME].lstrip(".") or "topic"
        name, number = stem, 1
        while folder / f"{name}.parquet" in files.values():
            number += 1
            name = f"{stem}_{number}"
        files[topic] = folder / f"{name}.parquet"
    return files


def _write(
    recording: Recording, topic: str, fields: Sequence[str], include: Sequence[Path],
    window: Window, file: Path,
) -> _Written:  # fmt: skip
    from wirecost.data.columns.files import write
    from wirecost.data.columns.reading import TopicReader

    reader = TopicReader(recording, topic, fields, include, window)
    with progress() as advance:
        write(reader, file, advance)
    columns = {leaf.path: leaf.type for leaf in reader.leaves if leaf.part.format}
    return _Written(
        reader.topic, reader.type, file, reader.rows, columns, reader.losses, reader.notes
    )


def _answer(recording: Path, out: Path, written: list[_Written], unread: list[str]) -> Answer:
    first = written[0]
    rows = sum(each.rows for each in written)
    size = sum(each.file.stat().st_size for each in written)
    if len(written) == 1 and not unread:
        text = (
            f"{shown(first.file)}: {counted(rows, 'message')} of {shown(first.topic)} in "
            f"{counted(len(first.columns), 'column')}, {units.size(size)}."
        )
        body = [[path, kind] for path, kind in first.columns.items()]
        table = Table(f"Columns of {shown(first.type)}", ["column", "type"], body, [])
        back = f"import polars; polars.read_{'ipc' if first.file.suffix == '.arrow' else 'parquet'}"
        if first.file.suffix == ".npz":
            back = "import numpy; numpy.load"
        hints = [f"To read it in Python:\n{back}({str(first.file)!r})"]
    else:
        text = (
            f"{shown(out)}: {counted(rows, 'message')} of {counted(len(written), 'topic')}, "
            f"{units.size(size)}."
        )
        body = [
            [each.topic, f"{each.rows:,}", f"{len(each.columns):,}",
             units.size(each.file.stat().st_size), each.file.name]
            for each in written
        ]  # fmt: skip
        table = Table("Topics", ["topic", "messages", "columns", "size", "file"], body, [])
        hints = []
    notes = [
        f"{shown(each.topic)}: {note}" if len(written) > 1 else note
        for each in written
        for note in each.notes
    ]
    doubts = [(line, "bold yellow") for line in few([*unread, *notes])]
    return Answer(
        text,
        table,
        hints=hints,
        doubts=doubts,
        more="--all prints all columns and notes",
        heading=f"{recording.name} as columns",
        document={
            "recording": str(recording),
            "topics": [
                {"topic": each.topic, "type": each.type, "file": str(each.file), "rows": each.rows,
                 "columns": each.columns, "losses": each.losses, "notes": each.notes}
                for each in written
            ],
            "left_out": unread,
        },
    )  # fmt: skip
