# SPDX-License-Identifier: Apache-2.0
"""Journal of what has been converted into a folder, so that ``--resume`` does only the rest.

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

from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.batch.work import ConversionOutcome
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.locks import claim
from wirecost.system.regular_file import open_regular
from wirecost.system.whole_file import missing_folders, remove_empty

NAME = ".wirecost-convert.jsonl"
LOCK = ".wirecost-convert.lock"
LONGEST_LINE = 1 << 16


@dataclass(frozen=True)
class ConversionEntry:
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
        """Return None where it is no entry."""
        try:
            values = json.loads(line)
        except (ValueError, RecursionError):
            return None
        kinds = {field.name: field.type for field in fields(cls)}
        if not isinstance(values, dict) or values.keys() != kinds.keys():
            return None
        if any(type(value).__name__ != kinds[name] for name, value in values.items()):
            return None
        return cls(**values)


class ConversionJournal(Closing):
    """The journal of a folder, into which nobody else may convert meanwhile. Raises UserError.

    Where no output came to be there, closing removes it, with the folders that were made.
    """

    def __init__(self, folder: Path, options: Options) -> None:
        self.folder = folder
        self._digest = options.digest
        self._open: dict[Path, ConversionJob] = {}
        self._missing_before = set(missing_folders(folder))
        self._outputs_before: dict[Path, tuple[int, ...] | None] = {}
        with ExitStack() as failed:
            failed.callback(self._remove_empty)
            try:
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

    def is_ours(self, job: ConversionJob) -> bool:
        """Return whether a conversion made or began the output, so that it may be replaced."""
        return self._key(job) in self._entries

    def is_finished(self, job: ConversionJob) -> bool:
        """Return whether the output is what this conversion would give."""
        entry = self._entries.get(self._key(job))
        if entry is None or not entry.done:
            return False
        try:
            status = job.out.lstat()
        except OSError:
            return False
        written = (entry.output_size, entry.output_mtime_ns)
        now = (status.st_size, status.st_mtime_ns)
        return self._entry(job, True, *written) == entry and written == now

    def begin(self, job: ConversionJob) -> None:
        """Note that the output may come to be there. Raises UserError."""
        self._open[job.out] = job
        self._missing_before.update(missing_folders(job.out.parent))
        self._outputs_before[job.out] = _state(job.out)
        self._append(self._entry(job))

    def end(self, job: ConversionJob, outcome: ConversionOutcome) -> None:
        """Note how it went. Raises UserError."""
        self._open.pop(job.out, None)
        if not outcome.error:
            self._append(self._entry(job, True, outcome.file_bytes[1], outcome.mtime_ns))

    def sweep(self, jobs: Iterable[ConversionJob]) -> None:
        """Remove files that killed processes left beside these outputs.

        There are some where a file system cannot keep files without a name. The lock says that
        nobody writes them now.
        """
        for job in jobs:
            with suppress(OSError):
                for path in job.out.parent.iterdir():
                    if path.name.startswith(f".{job.out.name}.") and path.suffix == ".new":
                        path.unlink(missing_ok=True)

    def begun(self, jobs: Iterable[ConversionJob]) -> list[ConversionJob]:
        """Return the jobs of which an earlier conversion knows no end."""
        entries = ((job, self._entries.get(self._key(job))) for job in jobs)
        return [job for job, entry in entries if entry is not None and not entry.done]

    def close(self) -> None:
        self.sweep(self._open.values())
        os.close(self._file)
        if self._is_new and all(_state(out) == was for out, was in self._outputs_before.items()):
            (self.folder / NAME).unlink(missing_ok=True)
        self._lock.release()
        self._remove_empty()

    def _remove_empty(self) -> None:
        """Remove those of the folders that this conversion made and left empty."""
        remove_empty(sorted(self._missing_before, key=lambda folder: -len(folder.parts)))

    def _key(self, job: ConversionJob) -> str:
        return str(job.out.relative_to(self.folder))

    def _entry(
        self, job: ConversionJob, done: bool = False, size: int = 0, mtime_ns: int = 0
    ) -> ConversionEntry:
        source = job.source
        return ConversionEntry(
            self._key(job), str(source.relative), source.size, source.mtime_ns, self._digest,
            done, size, mtime_ns,
        )  # fmt: skip

    def _append(self, entry: ConversionEntry) -> None:
        line = (json.dumps(asdict(entry)) + "\n").encode()
        try:
            while line:
                line = line[os.write(self._file, line) :]
        except OSError as error:
            raise _unusable(self.folder / NAME, error) from error


def _read(path: Path) -> dict[str, ConversionEntry]:
    """Return the last entry of each output."""
    entries: dict[str, ConversionEntry] = {}
    try:
        if path.is_symlink():
            raise OSError(0, "a link, not a file")
        with open_regular(path) as file:
            while line := file.readline(LONGEST_LINE):
                entry = ConversionEntry.parsed(line)
                if entry is not None:
                    entries[entry.output] = entry
    except FileNotFoundError:
        return {}
    return entries


def _state(path: Path) -> tuple[int, ...] | None:
    """Return what changes when a file is replaced or written; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns


def _unusable(path: Path, error: OSError) -> UserError:
    return failed_write(path, error, "name a folder that can be written")
