# SPDX-License-Identifier: Apache-2.0
"""Converts many traces into one folder, in several processes if asked."""

from __future__ import annotations

import errno
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from pathlib import Path

from wirecost.data.traces import open_trace
from wirecost.data.traces.batch.inputs import sources
from wirecost.data.traces.batch.jobs import ConversionJob, Options, jobs
from wirecost.data.traces.convert import Converted, convert
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.failed_write import remedy as remedy_for
from wirecost.system.foreign import shown
from wirecost.system.progress import silent
from wirecost.system.whole_file import made_folder, missing_folders, remove_empty

FULL = {errno.ENOSPC, errno.EDQUOT}
TERMINAL_SIGNALS = {signal.SIGINT, signal.SIGHUP}
"""Sent by a terminal to all its processes; only this one acts on them and ends the workers."""
NOTHING = Converted(0, (0, 0), (0, 0))


@dataclass(frozen=True)
class ConversionOutcome:
    """Outcome of the conversion of one trace."""

    job: ConversionJob
    error: str = ""
    """One line with the trace and the remedy; empty if the output is there."""
    warnings: tuple[str, ...] = ()
    converted: Converted = NOTHING
    disk_full: bool = False


@dataclass
class ConversionTotals:
    """Results of a conversion so far."""

    traces: int
    finished_before: int
    """Traces whose outputs are already there, and newer; they are not touched."""
    converted: int = 0
    frames: int = 0
    file_bytes: tuple[int, int] = (0, 0)
    """Before and after, of what this run converted."""
    failed: list[tuple[ConversionJob, str]] = field(default_factory=list)
    warnings: list[tuple[ConversionJob, str]] = field(default_factory=list)

    @property
    def done(self) -> int:
        """Return the traces that need no more work."""
        return self.finished_before + self.converted + len(self.failed)

    def add(self, outcome: ConversionOutcome) -> None:
        self.warnings += [(outcome.job, warning) for warning in outcome.warnings]
        if outcome.error:
            self.failed.append((outcome.job, outcome.error))
            return
        self.converted += 1
        self.frames += outcome.converted.frames
        before, after = outcome.converted.file_bytes
        self.file_bytes = (self.file_bytes[0] + before, self.file_bytes[1] + after)


Report = Callable[[ConversionOutcome, ConversionTotals], None]


def convert_many(
    words: Sequence[str],
    folder: Path,
    options: Options,
    workers: int,
    report: Report,
    *,
    resume: bool = False,
    force: bool = False,
) -> ConversionTotals:
    """Convert the traces that ``words`` stand for into ``folder``; calls ``report`` after each.

    A trace that cannot be converted is in ``ConversionTotals.failed``. Raises UserError, before any
    work starts, on what contradicts itself; later where the disk is full or a worker was killed.
    """
    options.check()
    all_jobs = jobs(sources(words), folder, options)
    remaining = _remaining(all_jobs, resume, force)
    totals = ConversionTotals(len(all_jobs), len(all_jobs) - len(remaining))
    outcomes: Generator[ConversionOutcome, None, None]
    if workers > 1 and len(remaining) > 1:
        outcomes = _in_processes(remaining, options, min(workers, len(remaining)))
    else:
        outcomes = (_outcome(job, options) for job in remaining)
    with _new_folder(folder), closing(outcomes):
        for outcome in outcomes:
            if outcome.disk_full:
                raise UserError(
                    f"{outcome.error}; {totals.done:,} of {totals.traces:,} traces are done: "
                    "convert the others with --resume"
                )
            totals.add(outcome)
            report(outcome, totals)
    return totals


@contextmanager
def _new_folder(folder: Path) -> Iterator[None]:
    """Make the folder of all outputs, and remove it if nothing is in it. Raises UserError."""
    new_folders = missing_folders(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise failed_write(folder, error, "name a folder that can be written") from error
    try:
        yield
    finally:
        remove_empty(new_folders)


def _remaining(all_jobs: list[ConversionJob], resume: bool, force: bool) -> list[ConversionJob]:
    """Return the jobs to convert. Raises UserError for outputs that nobody asked to replace."""
    if force:
        return all_jobs
    if resume:
        return [job for job in all_jobs if not job.is_done()]
    there = [job.out for job in all_jobs if os.path.lexists(job.out)]
    if there:
        others = f", as do {len(there) - 1:,} other outputs" if len(there) > 1 else ""
        raise UserError(
            f"{there[0]}: exists{others}; give another folder, add --resume to convert what is "
            "missing, or add --force to replace them"
        )
    return all_jobs


def _in_processes(
    remaining: Sequence[ConversionJob], options: Options, count: int
) -> Generator[ConversionOutcome, None, None]:
    """Yield the outcome of each, in the order in which they end. Raises UserError."""
    others = set(multiprocessing.active_children())
    # Started here, since it lets the blocked signals through again in the thread that does.
    resource_tracker.ensure_running()
    executor = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), _prepare)
    former = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        largest_first = sorted(remaining, key=lambda job: -job.source.size)
        futures = [executor.submit(_outcome, job, options) for job in largest_first]
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
    try:
        for future in as_completed(futures):
            yield future.result()
    except BrokenProcessPool as error:
        raise UserError(
            "a worker was killed, by a signal or for lack of memory; go on with --resume and fewer "
            "--workers"
        ) from error
    finally:
        # Files come to be there when they are whole: workers may end at any time.
        for process in set(multiprocessing.active_children()) - others:
            process.kill()
        executor.shutdown(cancel_futures=True)


def _prepare() -> None:
    """Let the worker end with its parent, which may be killed."""
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _outcome(job: ConversionJob, options: Options) -> ConversionOutcome:
    """Convert one trace; a bad trace raises nothing."""
    path = job.source.path
    try:
        return _converted(job, options)
    except UserError as error:
        cause = error.__cause__
        is_full = isinstance(cause, OSError) and cause.errno in FULL
        return ConversionOutcome(job, str(error), disk_full=is_full)
    except OSError as error:
        remedy = remedy_for(error, "name a folder that can be written")
        reason = f"{error.filename or job.out}: {error.strerror}; {remedy}"
        return ConversionOutcome(job, reason, disk_full=error.errno in FULL)
    except MemoryError:
        return ConversionOutcome(job, f"{path}: needs more memory than there is; free some memory")
    except Exception as error:
        reason = f"{type(error).__name__}: {shown(error)}"
        return ConversionOutcome(job, f"{path}: {reason}; run `wirecost trace check` on it")


def _converted(job: ConversionJob, options: Options) -> ConversionOutcome:
    source, out = job.source, job.out
    with (
        made_folder(out.parent),
        open_trace(source.path, options.topic, options.type_name) as trace,
    ):
        converted = convert(
            trace, out, options.wanted, options.compression, options.start, options.stop, silent
        )
        warnings = tuple(trace.warnings)
    now = source.path.stat()
    if (now.st_size, now.st_mtime_ns) != (source.size, source.mtime_ns):
        out.unlink(missing_ok=True)
        raise UserError(f"{source.path}: changed while it was read; convert it again with --resume")
    return ConversionOutcome(job, "", warnings, converted)
