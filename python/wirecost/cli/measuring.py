# SPDX-License-Identifier: Apache-2.0
"""Handling of every benchmark's run: kept, reported, printed.

Whatever ends a run, what it had measured is kept, and the exit status says how it ended.
"""

from __future__ import annotations

import io
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from wirecost.cli import verbosity
from wirecost.cli.console import Advance, progress
from wirecost.cli.ending import Output
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.finished import NothingMeasuredError, finish, finished_copy
from wirecost.results.records.folder import Results
from wirecost.results.records.journal import Journal
from wirecost.results.records.new_folder import PendingFolder, new_folder
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import interim_answer, results_answer
from wirecost.results.report.shared.screen import print_answer
from wirecost.results.report.shared.terminal import say_whole
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.counted import counted
from wirecost.system.errors import EndedError, UserError
from wirecost.system.failed_write import described
from wirecost.system.foreign import shell_line
from wirecost.system.interruption import Watch, watched
from wirecost.system.terminal import Console

FIRST_TABLE_S = 15.0
"""Seconds after which a run that takes longer shows the rounds it has."""
GOES_ON = "First rounds only: the run goes on, and its verdict follows when it ends."
COMPILES = "Slow compilations follow. Ctrl-C ends with these rows and a verdict."

INTERRUPTED = 130
"""Exit status of Ctrl-C, which ``main`` replaces by that of the signal that came."""
FAILED = 1
"""Exit status where a contender failed, or the system did: a full disk, no more descriptors."""

Race = Callable[[Measurement], None]
"""Function that measures a scenario."""


@dataclass(frozen=True)
class Ending:
    """Early end of a run.

    ``why``: for the readers of its folder; ``message``: for the user; ``status``: the command's
    exit status.
    """

    why: str
    message: str
    status: int


def measure(name: str, folder: str, out: Path | None, output: Output, race: Race) -> None:
    """Run a race, keep what it measured, and report it.

    ``name``: as result folders call the scenario; ``folder``: begin of their own names. Raises
    UserError, also where a contender failed.
    """
    with watched() as watch:
        with new_folder(folder, out) as pending:
            requested = pending.final
            say_recovered(pending)
            fault = _fault(name, race, pending.path, watch)
            watch.hold()
            ending = None if fault is None else ending_of(fault, watch)
            _keep(pending, ending, fault)
        watch.resume()
        if pending.final != requested:
            _say(f"{requested} was taken meanwhile: the samples are in {pending.final}")
        try:
            failed = _report(output, pending.final)
        except (UserError, OSError, KeyboardInterrupt, SystemExit) as error:
            later = ending_of(error, watch)
            raise EndedError(
                f"{later.message}; the samples are in {pending.final}, `wirecost report "
                f"{shell_line(pending.final)}` shows them",
                ending.status if ending else later.status,
            ) from error
    if ending is not None:
        raise EndedError(f"{ending.message}; what was measured until then was kept", ending.status)
    if failed:
        raise EndedError(failed, FAILED)


def say_recovered(pending: PendingFolder) -> None:
    for path in pending.recovered:
        _say(f"what a killed run had measured is in {path}")


def ending_of(fault: BaseException, watch: Watch) -> Ending:
    """Describe the end of a run by the exception that ended it."""
    if watch.seen is not None:
        name = watch.seen.number.name
        return Ending(name, f"interrupted by {name}", watch.seen.status)
    if isinstance(fault, OSError):
        why = fault.strerror or str(fault)
        return Ending(why, described(fault), FAILED)
    if isinstance(fault, MemoryError):
        return Ending("out of memory", "out of memory; close other programs", FAILED)
    if isinstance(fault, SystemExit):  # so Rich says it
        return Ending("output was closed", "nobody reads its output any more", FAILED)
    status = fault.status if isinstance(fault, UserError) else FAILED
    return Ending(str(fault) or type(fault).__name__, str(fault), status)


def is_watched() -> bool:
    """Return whether somebody looks on; a log needs the last table only."""
    return Console(stderr=True).is_terminal and not verbosity.quiet


class _FirstTable:
    """First table of a long run after its first rounds; its answer may still change."""

    def __init__(self, folder: Path, advance: Advance) -> None:
        self._folder = folder
        self._advance = advance
        self._begun_s = time.monotonic()
        self._is_due = is_watched()

    def advanced(self, done: int, total: int) -> None:
        """Note how far the run is: one that is nearly done needs no earlier table."""
        self._is_due &= 2 * done < max(total, 1)

    def after_round(self) -> None:
        """Print the table once, between two rounds."""
        if not self._is_due or time.monotonic() - self._begun_s < FIRST_TABLE_S:
            return
        self._print(GOES_ON)

    def after_part(self) -> None:
        """Print the table of all but what takes long."""
        if is_watched():
            self._print(COMPILES)

    def _print(self, answer: str) -> None:
        self._is_due = False
        out = io.StringIO()
        console = Console(file=out, width=Console(stderr=True).width)
        with suppress(UserError, OSError), finished_copy(self._folder) as copy:
            results = read_results(copy)
            print_answer(console, interim_answer(results, summarize(results), answer))
            self._advance(0, 0, f"\n{out.getvalue()}")


def _fault(name: str, race: Race, folder: Path, watch: Watch) -> BaseException | None:
    """Measure, and return the exception that ended it; None where it came to its end."""
    try:
        journal = Journal(folder)
        try:
            with scratch.run(), progress() as advance:
                first = _FirstTable(folder, advance)
                journal.after_round, journal.after_part = first.after_round, first.after_part

                def checked(done: int, total: int, text: str) -> None:
                    watch.check()
                    first.advanced(done, total)
                    advance(done, total, text)

                race(Measurement(name, journal, checked))
                watch.check()
        finally:
            journal.close()
    except (Exception, KeyboardInterrupt, SystemExit) as error:
        return error
    return None


def _keep(pending: PendingFolder, ending: Ending | None, fault: BaseException | None) -> None:
    """Make the folder of what was measured, if anything was.

    An exception that only a mistake in this program raises is raised again afterwards.
    """
    failures = (UserError, ProgramFailedError, OSError, MemoryError)
    expected = (*failures, KeyboardInterrupt, SystemExit)
    mistake = fault if not isinstance(fault, expected) else None
    try:
        finish(pending.path, ending.why if ending else False)
        pending.keep()
    except NothingMeasuredError:
        if ending is None:
            raise
        if isinstance(fault, UserError):
            raise fault from None
        if mistake is None:
            raise EndedError(f"{ending.message}; nothing was measured", ending.status) from fault
    except OSError as error:
        pending.leave()
        place = f"what was measured is in {pending.path}, for `wirecost report`"
        raise EndedError(f"{ending_of(error, Watch()).message}; {place}", FAILED) from error
    if mistake is not None:
        raise mistake


def _report(output: Output, folder: Path) -> str:
    """Print what was measured, then write the page, and return failures; empty if none.

    Raises UserError, OSError.
    """
    results = read_results(folder)
    rows = summarize(results)
    output.end(results_answer(results, rows))
    without = _page(results, rows)
    if not without:
        say_whole(output.console, f"Report: {folder / 'report.html'}")
    runs = results.meta.runs
    failed = sum(1 for run in runs if run.failure)
    text = f"{failed} of {counted(len(runs), 'contender')} failed, as reported above"
    return "; ".join(filter(None, (text if failed else "", without)))


def _page(results: Results, rows: list[Row]) -> str:
    """Write the page; return why there is none, where this program is at fault.

    Tables and samples are there all the same. Raises UserError, OSError.
    """
    from wirecost.results.report.results.export import write_report

    try:
        write_report(results, rows, ["html"])
    except (UserError, OSError, MemoryError, ModuleNotFoundError):
        raise
    except Exception as error:
        if verbosity.verbose:
            traceback.print_exc()
        what = f"{type(error).__name__}: {error}"
        return (
            f"the page failed ({what}); the results are in {results.folder}:"
            f" `wirecost report {shell_line(results.folder)} --tables` prints them"
        )
    return ""


def _say(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)
