# SPDX-License-Identifier: Apache-2.0
"""What has been converted into a folder, so that ``--resume`` does only the rest.

``<folder>/.wirecost-convert.jsonl``: one JSON object a line, appended when a trace is begun and
when its output is there. A last line that a kill cut off is ignored. An output counts as finished
only if its input has the same size and time of change as then, the options are the same, and the
output itself is unchanged.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Self

from wirecost.closing import Closing
from wirecost.errors import UserError
from wirecost.failed_write import failed_write
from wirecost.locks import claim
from wirecost.regular_file import open_regular
from wirecost.traces.batch.jobs import Job, Options
from wirecost.traces.batch.made import Made
from wirecost.traces.batch.work import Outcome

NAME = ".wirecost-convert.jsonl"
LOCK = ".wirecost-convert.lock"
LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class Entry:
    """A line. Paths are relative to the folders of inputs and outputs."""

    output: str
    input: str
    input_size: int
    input_mtime_ns: int
    options: str
    """Digest of ``Options``."""
    done: bool = False
    """Or else only begun."""
    output_size: int = 0
    output_mtime_ns: int = 0

    @classmethod
    def parsed(cls, line: bytes) -> Self | None:
        """None where it is no entry."""
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return None
        kinds = {field.name: field.type for field in fields(cls)}
        if not isinstance(found, dict) or found.keys() != kinds.keys():
            return None
        if any(type(value).__name__ != kinds[name] for name, value in found.items()):
            return None
        return cls(**found)


class Journal(Closing):
    """The journal of a folder, which nobody else may convert into meanwhile. Where no output came
    to be there, it is gone when it is closed, with the folders that were made. Raises UserError."""

    def __init__(self, folder: Path, options: Options) -> None:
        self.folder = folder
        self._digest = options.digest
        self._open: dict[Path, Job] = {}
        self._made = Made()
        with ExitStack() as failed:
            failed.callback(self._made.remove_empty)
            try:
                self._made.begin(folder)
                folder.mkdir(parents=True, exist_ok=True)
                lock = claim(folder / LOCK)
            except OSError as error:
                raise _unusable(folder, error) from error
            if lock is None:
                raise UserError(
                    f"{folder}: another conversion writes into it; wait for its end, or give "
                    "another folder"
                )
            failed.callback(lock.release)
            self._lock = lock
            try:
                self._is_new = not os.path.lexists(folder / NAME)
                self._entries = _read(folder / NAME)
                flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
                self._file = os.open(folder / NAME, flags, 0o666)
                # Ends a line that was cut off.
                os.write(self._file, b"\n" if os.fstat(self._file).st_size else b"")
            except OSError as error:
                raise _unusable(folder / NAME, error) from error
            failed.pop_all()

    def is_ours(self, job: Job) -> bool:
        """Whether a conversion made or began the output, so that it may be replaced."""
        return self._key(job) in self._entries

    def is_finished(self, job: Job) -> bool:
        """Whether the output is what this conversion would give."""
        entry = self._entries.get(self._key(job))
        if entry is None or not entry.done:
            return False
        try:
            found = job.out.lstat()
        except OSError:
            return False
        made = (entry.output_size, entry.output_mtime_ns)
        return self._entry(job, True, *made) == entry and made == (found.st_size, found.st_mtime_ns)

    def begin(self, jobs: Iterable[Job]) -> None:
        """Notes that the outputs may come to be there. Raises UserError."""
        begun = list(jobs)
        for job in begun:
            self._open[job.out] = job
            self._made.begin(job.out.parent, job.out)
        self._append(self._entry(job) for job in begun)

    def end(self, job: Job, outcome: Outcome) -> None:
        """Notes how it went. Raises UserError."""
        self._open.pop(job.out, None)
        if not outcome.error:
            made = self._entry(job, True, outcome.file_bytes[1], outcome.mtime_ns)
            self._append([made])

    def sweep(self, jobs: Iterable[Job]) -> None:
        """Removes what killed processes left of these outputs, where a file system cannot keep
        files without a name. The lock says that nobody writes them now."""
        for job in jobs:
            with suppress(OSError):
                for left in job.out.parent.iterdir():
                    if left.name.startswith(f".{job.out.name}.") and left.suffix == ".new":
                        left.unlink(missing_ok=True)

    def begun(self, jobs: Iterable[Job]) -> list[Job]:
        """Those of which an earlier conversion knows no end."""
        entries = ((job, self._entries.get(self._key(job))) for job in jobs)
        return [job for job, entry in entries if entry is not None and not entry.done]

    def close(self) -> None:
        self.sweep(self._open.values())
        os.close(self._file)
        if self._is_new and self._made.no_output():
            (self.folder / NAME).unlink(missing_ok=True)
        self._lock.release()
        self._made.remove_empty()

    def _key(self, job: Job) -> str:
        return str(job.out.relative_to(self.folder))

    def _entry(self, job: Job, done: bool = False, size: int = 0, mtime_ns: int = 0) -> Entry:
        source = job.source
        return Entry(
            self._key(job), str(source.relative), source.size, source.mtime_ns, self._digest,
            done, size, mtime_ns,
        )  # fmt: skip

    def _append(self, entries: Iterable[Entry]) -> None:
        lines = "".join(json.dumps(asdict(entry)) + "\n" for entry in entries).encode()
        try:
            while lines:
                lines = lines[os.write(self._file, lines) :]
        except OSError as error:
            raise _unusable(self.folder / NAME, error) from error


def _read(path: Path) -> dict[str, Entry]:
    """The last entry of each output."""
    found: dict[str, Entry] = {}
    try:
        if path.is_symlink():
            raise OSError(0, "a link, not a file")
        with open_regular(path) as file:
            while line := file.readline(LONGEST_LINE):
                entry = Entry.parsed(line)
                if entry is not None:
                    found[entry.output] = entry
    except FileNotFoundError:
        return {}
    return found


def _unusable(path: Path, error: OSError) -> UserError:
    return failed_write(path, error, "name a folder that can be written")
