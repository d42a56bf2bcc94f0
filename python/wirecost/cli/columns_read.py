# SPDX-License-Identifier: Apache-2.0
"""``wirecost columns read``: topics of recordings as Parquet, Arrow or NumPy files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.console import progress
from wirecost.cli.ending import answering
from wirecost.cli.options import RECORDINGS, RecordingPath, argument, duration, each, option
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, few
from wirecost.results.report.shared.table import Table
from wirecost.system import whole_file
from wirecost.system.counted import counted
from wirecost.system.durations import spelled
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

if TYPE_CHECKING:
    from wirecost.data.columns.reading import TopicReader
    from wirecost.data.recordings.blocks import Window
    from wirecost.data.recordings.recording import Recording

EXAMPLE = "wirecost columns read drive.mcap --topic /imu --out imu.parquet"
SUFFIXES = (".parquet", ".arrow", ".npz")
MOST_TOGETHER = 64
"""Topics that are read at once, each with a thread and memory for its rows."""


@answering()
def command(
    recordings: Annotated[
        list[Path],
        argument(
            "RECORDING",
            f"{RECORDINGS}; of several, or of a folder with them, one topic becomes a folder with "
            "one schema, which the same command completes when it was interrupted.",
        ),
        RecordingPath(),
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
    workers: Annotated[
        int,
        option("Of several recordings: processes that write, each one at a time.", min=1, max=256),
    ] = 1,
    force: Annotated[bool, option("Overwrite files that exist.", "--force")] = False,
) -> Answer:
    """Write the messages of a recording's topics as columns: Parquet, Arrow or NumPy files."""
    from wirecost.data.columns.files import write
    from wirecost.data.columns.reading import TopicReader
    from wirecost.data.recordings.folders import recordings_of
    from wirecost.data.recordings.recording import Recording
    from wirecost.system.table_set import free_file

    suffix = out.suffix.lower()
    is_folder = out.is_dir() or not suffix
    if not is_folder and suffix not in SUFFIXES:
        raise UserError(f"--out {out}: name a file that ends in {', '.join(SUFFIXES)}, or a folder")
    paths = each(fields)
    names = recordings_of(recordings, is_split=bool(topic) and is_folder)
    if names != {recordings[0]: recordings[0].stem}:
        if not is_folder or not topic:
            raise UserError("several recordings: give --topic, and --out with a folder")
        return _read_fleet(names, topic, out, paths, include or (), (begin, end), force, workers)
    (recording,) = names
    with Recording(recording) as opened:
        window = _window(opened, begin, end)
        if is_folder:
            topics = {topic: None} if topic else dict.fromkeys(
                connection.topic for connection in opened.connections if connection.count
            )  # fmt: skip
            files: dict[str, Path] = {}
            for name in topics:
                files[name] = free_file(out, name, files.values())
        else:
            files = {topic: out}
        _check_new(files.values(), force)
        readers: dict[TopicReader, Path] = {}
        unread: list[str] = []
        for name, file in files.items():
            try:
                readers[TopicReader(opened, name, paths, include or ())] = file
            except UserError as error:
                if not is_folder or topic:
                    raise
                unread.append(f"{shown(name)} is left out: {error}")
        if not readers:
            why = unread[0] if unread else "it has no messages; name another recording"
            raise UserError(f"{recording}: no topic can be read as columns: {why}")
        with whole_file.made_folder(out if is_folder else out.parent), progress() as advance:
            todo = list(readers.items())
            for at in range(0, len(todo), MOST_TOGETHER):
                write(dict(todo[at : at + MOST_TOGETHER]), window, advance)
    return _answer(recording, out, readers, unread)


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


def _check_new(files: Iterable[Path], force: bool) -> None:
    existing = [] if force else [file for file in files if file.exists()]
    if existing:
        raise UserError(f"{existing[0]}: exists; name another file or add --force")


def _read_fleet(
    names: Mapping[Path, str],
    topic: str,
    out: Path,
    fields: Sequence[str],
    include: Sequence[Path],
    window: tuple[float | None, float | None],
    force: bool,
    workers: int,
) -> Answer:
    from wirecost.data.columns.fleet import RECORDING, FleetReading, write_fleet
    from wirecost.system.table_set import written_alone

    begin, end = window
    reading = FleetReading(topic, fields, include, partial(_window, begin=begin, end=end))
    with whole_file.made_folder(out), written_alone(out), progress() as advance:
        fleet = write_fleet(names, out, reading, (begin, end, *include), force, workers, advance)
    size = sum(file.stat().st_size for file in fleet.files.values())
    body = [[shown(path), kind] for path, kind in fleet.columns.items()]
    return Answer(
        f"{shown(out)}: {counted(fleet.rows, 'message')} of {shown(topic)} from "
        f"{len(fleet.files)} of {counted(len(names), 'recording')}, {units.size(size)}"
        f"{f'; {fleet.there:,} of these files were there' if fleet.there else ''}.",
        Table(f"Columns of each file; {RECORDING} is its path", ["column", "type"], body, []),
        hints=[f"To read them in Python:\nimport polars; polars.scan_parquet({str(out)!r})"],
        doubts=[(line, "bold yellow") for line in few(fleet.notes)],
        more="--all prints all columns and notes",
        heading=f"{shown(topic)} of {counted(len(names), 'recording')} as columns",
        document={
            "topic": topic,
            "rows": fleet.rows,
            "files": {str(path): str(file) for path, file in fleet.files.items()},
            "there": fleet.there,
            "columns": fleet.columns,
            "notes": fleet.notes,
        },
    )


def _answer(
    recording: Path, out: Path, written: Mapping[TopicReader, Path], unread: list[str]
) -> Answer:
    first, first_file = next(iter(written.items()))
    rows = sum(reader.rows for reader in written)
    size = sum(file.stat().st_size for file in written.values())
    if len(written) == 1 and not unread:
        text = (
            f"{shown(first_file)}: {counted(rows, 'message')} of {shown(first.topic)} in "
            f"{counted(len(first.columns), 'column')}, {units.size(size)}."
        )
        body = [[shown(path), kind] for path, kind in first.columns.items()]
        table = Table(f"Columns of {shown(first.type)}", ["column", "type"], body, [])
        back = f"import polars; polars.read_{'ipc' if first_file.suffix == '.arrow' else 'parquet'}"
        if first_file.suffix == ".npz":
            back = "import numpy; numpy.load"
        hints = [f"To read it in Python:\n{back}({str(first_file)!r})"]
    else:
        text = (
            f"{shown(out)}: {counted(rows, 'message')} of {counted(len(written), 'topic')}, "
            f"{units.size(size)}."
        )
        body = [
            [reader.topic, f"{reader.rows:,}", f"{len(reader.columns):,}",
             units.size(file.stat().st_size), file.name]
            for reader, file in written.items()
        ]  # fmt: skip
        table = Table("Topics", ["topic", "messages", "columns", "size", "file"], body, [])
        hints = []
    of_all = list(dict.fromkeys(note for reader in written for note in reader.shared_notes))
    notes = [
        f"{shown(reader.topic)}: {note}" if len(written) > 1 else note
        for reader in written
        for note in reader.own_notes
    ]
    doubts = [(line, "bold yellow") for line in few([*unread, *of_all, *notes])]
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
                {"topic": reader.topic, "type": reader.type, "file": str(file),
                 "rows": reader.rows, "columns": reader.columns, "losses": reader.losses,
                 "notes": reader.notes}
                for reader, file in written.items()
            ],
            "left_out": unread,
        },
    )  # fmt: skip
