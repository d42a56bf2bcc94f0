# SPDX-License-Identifier: Apache-2.0
"""Traces of ROS 2, as ``ros2 trace`` and LTTng write them, read into executions and waits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wirecost import _ctf
from wirecost.results.records.ctf.packets import metadata_text
from wirecost.results.records.ctf.tokens import TsdlError
from wirecost.results.records.ctf.trace_folder import METADATA, TraceFolder
from wirecost.results.records.ctf.tsdl import parse
from wirecost.system.counted import counted
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable

MOST_FOLDERS = 10_000
AT_ONCE = 1 << 20
"""Events between two looks at whether the user has interrupted."""
ANONYMOUS = re.compile(r"callback 0x[0-9a-f]+$")
"""A callback of which only the address is known."""


def trace_folders(path: Path) -> list[Path]:
    """Return the folders at and below ``path`` that hold a trace each: one per user or process."""
    folders: list[Path] = []
    for seen, (folder, _, files) in enumerate(os.walk(path)):
        if seen >= MOST_FOLDERS:
            break
        if METADATA in files:
            folders.append(Path(folder))
    return sorted(folders)


def read_traces(path: Path) -> list[Ros2Trace]:
    """Read the traces at and below a path, those of one boot together.

    A session that is recorded in two folders, as ``ros2 trace --dual-session`` does, has the names
    of its nodes in one and what they did in the other. Raises UserError.
    """
    boots: list[list[TraceFolder]] = []
    for folder in trace_folders(path):
        with _refusing(folder):
            part = TraceFolder(folder, parse(metadata_text(folder / METADATA)))
            if not part.has_ros2:
                continue
            same = [boot for boot in boots if boot[0].is_of_one_boot(part)]
            if same:
                same[0].append(part)
            else:
                boots.append([part])
    return [Ros2Trace(parts) for parts in boots]


@contextmanager
def _refusing(*folders: Path) -> Iterator[None]:
    """Raise what a trace's files raise as UserError."""
    try:
        yield
    except (TsdlError, _ctf.TraceError) as error:
        # Where a file is to blame, its path is there already.
        is_named = str(error).startswith(tuple(map(str, folders)))
        text = str(error) if is_named else f"{folders[0]}: {error}"
        raise UserError(f"{printable(text)}; name a trace of LTTng") from error
    except OSError as error:
        raise UserError(f"{folders[0]}: {error.strerror}; name a trace of LTTng") from error


class Ros2Trace:
    """Folders of one boot, read whole. Times are nanoseconds of LTTng's CLOCK_MONOTONIC.

    Raises:
        UserError: they cannot be read.
    """

    def __init__(self, parts: Sequence[TraceFolder]) -> None:
        self.folder = parts[0].path
        self.others = sorted({name for part in parts for name in part.others})
        self.epoch_ns = parts[0].epoch_ns
        self.reader = _ctf.Reader(1e9 / parts[0].clock.frequency, self.epoch_ns)
        for part in parts:
            with _refusing(part.path):
                part.add_to(self.reader)
        with _refusing(*(part.path for part in parts)):
            while self.reader.run(AT_ONCE):
                pass

    def rows(self, sections: Iterable[int], thread: int = -1) -> dict[str, np.ndarray[Any, Any]]:
        """Return executions and waits of sections, by their numbers, and of a thread; -1: of all.

        ``parent``: the section's number + 1, or 0.
        """
        names = ("begin_ns", "end_ns", "loop", "message", "section", "parent", "thread")
        return dict(
            zip((*names, "kind", "depth"), self.reader.rows(list(sections), thread), strict=True)
        )

    @cached_property
    def sections(self) -> list[str]:
        return [_text(name) for name in self.reader.section_names()]

    @cached_property
    def threads(self) -> list[tuple[int, int, str]]:
        """Process, thread and program."""
        return [(process, thread, _text(name)) for process, thread, name in self.reader.threads()]

    def counts_of_threads(self) -> list[int]:
        """Return the number of executions and waits of each thread."""
        return self.reader.counts_of_threads()

    def lacks(self) -> Iterator[str]:
        """Return a sentence for each thing that is missing."""
        counts = (
            (self.reader.discarded, "events were discarded while tracing: use larger sub-buffers"),
            (self.reader.damaged, "packets are damaged: their rest was skipped"),
            (self.reader.cut_off, "files are cut off"),
            (self.reader.unmatched, "callbacks have no end"),
            (self.reader.ignored, "events of more objects, threads or messages than are kept"),
        )
        for count, text in counts:
            if count:
                yield f"{count:,} {text}"
        if self.others:
            files = counted(len(self.others), "file")
            yield (f"{files} next to the streams left out: {printable(', '.join(self.others[:3]))}")
        if unnamed := sum(ANONYMOUS.match(name) is not None for name in self.sections):
            callbacks = "1 callback has" if unnamed == 1 else f"{unnamed:,} callbacks have"
            yield (
                f"{callbacks} no name, as the nodes were created before the trace started: start "
                "it first, or record with ros2 trace --dual-session"
            )


def _text(name: bytes) -> str:
    text = name.decode("utf-8", "replace")
    return "".join(c if c.isprintable() else "\ufffd" for c in text)
