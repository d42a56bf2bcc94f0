# SPDX-License-Identifier: Apache-2.0
"""The conversion of one trace, in whichever process. What goes wrong with it is in its outcome."""

from __future__ import annotations

import errno
import os
import re
import resource
import time
from dataclasses import dataclass, replace
from pathlib import Path

from wirecost.data.traces import open_trace
from wirecost.data.traces.batch.jobs import ConversionJob, Options
from wirecost.data.traces.convert import convert
from wirecost.data.traces.trace import silent
from wirecost.system.errors import UserError
from wirecost.system.failed_write import remedy as remedy_for
from wirecost.system.printable import shown

FULL = {errno.ENOSPC, errno.EDQUOT}
MIB = 1 << 20
MAPPED_WINDOW = 64 * MIB
"""Bytes of mapped files: traces release their pages once so much was read (``files.RELEASED``)."""
LEAST_ROOM = 64 * MIB
_STATUS = re.compile(r"^(\w+):\s+(\d+) kB$", re.MULTILINE)

_limited: int | None = None


@dataclass(frozen=True)
class ConversionOutcome:
    """Outcome of the conversion of one trace."""

    number: int
    """Number of its job."""
    error: str = ""
    """One line with the trace and the remedy; empty if the output is there."""
    warnings: tuple[str, ...] = ()
    type_name: str = ""
    frames: int = 0
    message_bytes: tuple[int, int] = (0, 0)
    """Before and after."""
    file_bytes: tuple[int, int] = (0, 0)
    mtime_ns: int = 0
    """Modification time of the output."""
    seconds: float = 0.0
    process: int = 0
    peak: int = 0
    """The most memory that the process has had, in bytes."""
    disk_full: bool = False
    too_little: bool = False
    """The memory limit leaves no room to work at all."""


def convert_job(job: ConversionJob, options: Options, most: int | None) -> ConversionOutcome:
    """Convert one trace; a bad trace raises nothing.

    ``most``: bytes of memory that the process may take.
    """
    begin = time.perf_counter()
    outcome = _outcome(job, options, most)
    seconds = time.perf_counter() - begin
    return replace(outcome, seconds=seconds, process=os.getpid(), peak=_peak_memory())


def is_full(error: UserError) -> bool:
    """Return whether a full disk is the cause."""
    cause = error.__cause__
    return isinstance(cause, OSError) and cause.errno in FULL


def _outcome(job: ConversionJob, options: Options, most: int | None) -> ConversionOutcome:
    path = job.source.path
    if most is not None:
        try:
            limit_memory(most)
        except UserError as error:
            return ConversionOutcome(job.number, str(error), too_little=True)
    try:
        return _converted(job, options)
    except UserError as error:
        return ConversionOutcome(job.number, str(error), disk_full=is_full(error))
    except OSError as error:
        what = remedy_for(error, "name a folder that can be written")
        reason = f"{error.filename or job.out}: {error.strerror}; {what}"
        return ConversionOutcome(job.number, reason, disk_full=error.errno in FULL)
    except MemoryError:
        remedy = "give more --memory" if most is not None else "free some memory"
        return ConversionOutcome(job.number, f"{path}: needs more memory than there is; {remedy}")
    except Exception as error:
        reason = f"{type(error).__name__}: {shown(error)}"
        return ConversionOutcome(job.number, f"{path}: {reason}; run `wirecost trace check` on it")


def _converted(job: ConversionJob, options: Options) -> ConversionOutcome:
    source, out = job.source, job.out
    out.parent.mkdir(parents=True, exist_ok=True)
    with open_trace(source.path, options.topic, options.type_name) as trace:
        done = convert(
            trace, out, options.wanted, options.compression, options.start, options.stop, silent
        )
        warnings = tuple(trace.warnings)
        type_name = trace.type_name
    written, now = out.stat(), source.path.stat()
    if (now.st_size, now.st_mtime_ns) != (source.size, source.mtime_ns):
        out.unlink(missing_ok=True)
        raise UserError(f"{source.path}: changed while it was read; convert it again with --resume")
    sizes = (source.size, written.st_size)
    return ConversionOutcome(
        job.number, "", warnings, type_name, done.frames, done.message_bytes, sizes,
        written.st_mtime_ns,
    )  # fmt: skip


def limit_memory(memory: int) -> None:
    """Keep this process below ``memory`` bytes from here on: more raises MemoryError.

    A second call with the same number does nothing. The kernel counts private memory that can be
    written, also what was reserved and never used. So the limit adds what is left of ``memory``
    now, less a window for pages of mapped files. Raises UserError where that is too little to work
    with.
    """
    global _limited  # noqa: PLW0603 - the limit is the process's
    if _limited == memory:
        return
    now = _status()
    room = memory - now["VmRSS"] - MAPPED_WINDOW
    if room < LEAST_ROOM:
        least = -(-(now["VmRSS"] + MAPPED_WINDOW + LEAST_ROOM) // MIB)
        raise UserError(f"--memory: too little to begin with; give at least {least}MiB")
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    soft = now["VmData"] + room
    if hard != resource.RLIM_INFINITY:
        soft = min(soft, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))
    _limited = memory


def _peak_memory() -> int:
    """Return this process's largest physical memory so far, in bytes, pages of files included."""
    return _status()["VmHWM"]


def _status() -> dict[str, int]:
    text = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    return {name: int(kilobytes) * 1024 for name, kilobytes in _STATUS.findall(text)}
