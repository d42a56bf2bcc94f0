# SPDX-License-Identifier: Apache-2.0
"""Work of ``wirecost replay`` once its options are checked: replay, keep, report, print."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import typer

from wirecost.cli.measuring import INTERRUPTED, ending_of, say_recovered
from wirecost.cli.replay_try import ROUNDS, try_remedies
from wirecost.observe.doctor.prices import write_prices
from wirecost.observe.trial.remedy import Remedy
from wirecost.replay.play.foreign import Foreign
from wirecost.replay.play.replay import Settings, examined, replay
from wirecost.replay.play.results import SCENARIO
from wirecost.replay.recording.snapshot import Snapshot
from wirecost.results.analysis.summary import document, summarize
from wirecost.results.records.new_folder import PendingFolder, new_folder
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas.common import Entry, doctor_of
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.results.export import write_report
from wirecost.results.report.scenarios.replay.content import document as replay_document
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.terminal import say, say_whole
from wirecost.system import scratch
from wirecost.system.errors import EndedError, UserError
from wirecost.system.interruption import Watch, watched
from wirecost.system.terminal import Console

DIED = 1
ORIGIN = "not a node that you ran and recorded on this machine"


def agree(console: Console, recording: Path, start: Foreign | None, yes: bool) -> None:
    """Ask before a program is started that another user's recording contains.

    ``start`` None: there is nothing to ask. Raises UserError where the user refuses, or cannot be
    asked.
    """
    if start is None or yes:
        return
    if not (sys.stdin.isatty() and console.is_terminal):
        raise UserError(
            f"{recording}: {ORIGIN}; inspect it, then add --yes to start {start.line()}"
        )
    first = f"{recording}: {ORIGIN}. Replaying it starts, with your rights:"
    for line in (first, *(f"  {text}" for text in start.lines())):
        say_whole(console, line)
    if not typer.confirm("Start it?", err=console.stderr):
        raise UserError(f"{recording}: not started")


def replay_and_report(
    settings: Settings, snapshot: Snapshot, out: Path | None, console: Console, page: bool
) -> Answer:
    """Replay, keep and report the runs; the status says where the node died. Raises UserError."""
    with _begun(SCENARIO, out) as (watch, pending):
        about = _examined(console, settings)
        with suppress(OSError):
            write_prices(pending.path)
        with console.status("reading the recording") as status:
            try:
                whole = replay(settings, about, pending.path, status.update, snapshot=snapshot)
            except OSError as error:
                raise _ended(error, watch, pending) from error
    results = read_results(pending.final)
    rows = summarize(results)
    if page:
        write_report(results, rows, ["html"])
    answer = results_answer(results, rows)
    return replace(
        answer,
        document=document(results, rows) | replay_document(results),
        written=[f"Result: {pending.final / 'report.html' if page else pending.final}"],
        status=INTERRUPTED if results.meta.interrupted else 0 if whole else DIED,
    )


def try_and_report(
    settings: Settings,
    snapshot: Snapshot,
    tried: list[Remedy],
    out: Path | None,
    console: Console,
) -> Answer:
    """Replay as recorded and with each remedy, in turns. Raises UserError."""
    with _begun("try", out) as (_, pending):
        about = _examined(console, settings)
        rounds = settings.repeats if settings.repeats > 1 else ROUNDS
        answer = try_remedies(
            replace(settings, repeats=rounds), tried, pending,
            lambda once, folder, report: replay(once, about, folder, report, snapshot=snapshot),
        )  # fmt: skip
        pending.keep()
        return answer


@contextmanager
def _begun(scenario: str, out: Path | None) -> Iterator[tuple[Watch, PendingFolder]]:
    with watched() as watch, scratch.run(), new_folder(scenario, out) as pending:
        say_recovered(pending)
        yield watch, pending


def _examined(console: Console, settings: Settings) -> dict[str, Entry]:
    about = examined(settings.start_options.cpu)
    say(console, f"doctor: {doctor_of(about)['verdict']} (wirecost doctor)")
    return about


def _ended(error: OSError, watch: Watch, pending: PendingFolder) -> EndedError:
    """Keep runs that had ended before, and return the error of a system that failed."""
    ending = ending_of(error, watch)
    outcome = "nothing was measured"
    with suppress(UserError, OSError):
        read_results(pending.path)
        pending.keep()
        outcome = f"the runs before are in {pending.final}"
    return EndedError(f"{ending.message}; {outcome}", ending.status)
