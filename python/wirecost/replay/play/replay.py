# SPDX-License-Identifier: Apache-2.0
"""Replays a recording to its node, run after run, into a result folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from wirecost.observe.doctor.environment import environment
from wirecost.observe.doctor.examine import examine
from wirecost.observe.doctor.machine import machine
from wirecost.observe.doctor.machine_files import System as Machine
from wirecost.replay.play.options import PlayOptions, StartOptions
from wirecost.replay.play.prepared import prepare
from wirecost.replay.play.results import Context, write_replay
from wirecost.replay.play.run import RunResult, run_once
from wirecost.replay.play.start import (
    check_cpu,
    check_executable,
    check_fifo,
    player_priority,
    start_of,
)
from wirecost.replay.recording.reader import read_recording
from wirecost.replay.recording.snapshot import MESSAGES, Snapshot, read_snapshot
from wirecost.replay.systems import System, system_named
from wirecost.results.records.new_folder import KILLED
from wirecost.results.records.probe_log import SUFFIX
from wirecost.results.records.run_logs import logs_of
from wirecost.results.records.schemas.common import Entry
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.whole_file import copy_files


@dataclass(frozen=True)
class Settings:
    """``recording``: a folder of ``wirecost record``; ``command_line``: as the user gave it."""

    recording: Path
    start_options: StartOptions
    play_options: PlayOptions
    repeats: int
    command_line: list[str]


Report = Callable[[str], None]


def examined(cpu: int | None) -> dict[str, Entry]:
    """Return the environment with the doctor's verdict on the CPU that the node is to run on.

    Raises:
        UserError: this process may not run there.
    """
    check_cpu("--cpu", cpu)
    entries = environment()
    if cpu is not None:
        entries["doctor"] = {**examine(machine(Machine(), str(cpu))).summary()}
    return entries


def replay(
    settings: Settings,
    about: dict[str, Entry],
    folder: Path,
    report: Report,
    system: System | None = None,
    snapshot: Snapshot | None = None,
) -> bool:
    """Fill ``folder``; return whether all runs went to their end with a living node.

    Starts what the snapshot has: whether to trust it (``foreign.py``) is the caller's to decide.
    ``about``: what ``examined`` found. ``system``: None for the recording's own. ``snapshot``: what
    was read of the recording before, and agreed to.

    Raises:
        UserError: before the first run ended. What fails in later runs is in the result's notes.
    """
    snapshot = snapshot or read_snapshot(settings.recording)
    system = system or system_named(snapshot.system)
    check_cpu("--cpu", settings.start_options.cpu)
    check_cpu("--player-cpu", settings.play_options.player_cpu)
    check_fifo("--fifo", settings.start_options.fifo)
    priority, notes = player_priority(settings.play_options.player_fifo)
    play_options = replace(settings.play_options, player_fifo=priority)
    notes += check_executable(snapshot, settings.start_options)
    recorded = read_recording(settings.recording / MESSAGES, snapshot.profile)
    prepared = prepare(snapshot, recorded)
    if not prepared.player.locked:
        notes.append("the messages could not be locked in memory; raise ulimit -l")
    runs: list[RunResult] = []
    interrupted: bool | str = False

    def write(interrupted: bool | str, complete: bool) -> None:
        context = Context(
            settings.recording, settings.start_options, play_options, settings.repeats,
            settings.command_line, about, interrupted, complete, recorded.notes + notes,
        )  # fmt: skip
        write_replay(folder, context, prepared, runs)

    with _off(settings.start_options.cpu):
        for number in range(1, settings.repeats + 1):

            def at_run(text: str, number: int = number) -> None:
                report(f"run {number} of {settings.repeats}: {text}")

            try:
                with _probes(folder, number) as probes:
                    output = folder / f"node-output-{number}.txt"
                    start = start_of(snapshot, settings.start_options, folder, output, probes)
                    file = folder / f"outputs-{number}.mcap"
                    isolated = system.isolated()
                    runs.append(
                        run_once(prepared, system, isolated, start, play_options, file, at_run)
                    )
            except UserError as error:
                if not runs:
                    raise
                notes.append(f"run {number}: {error}")
                break
            except KeyboardInterrupt as error:
                if not runs:
                    raise
                interrupted = str(error) or True
                break
            if runs[-1].interrupted:
                interrupted = True
                break
            if number < settings.repeats:
                write(KILLED, complete=False)  # so it is if this process is killed in the next run
    complete = len(runs) == settings.repeats and not interrupted
    complete = complete and all(run.status is None for run in runs)
    write(interrupted, complete)
    return complete


@contextmanager
def _off(cpu: int | None) -> Iterator[None]:
    """Keep this process off the node's CPU, if there is another."""
    usable = os.sched_getaffinity(0)
    others = usable - {cpu}
    if cpu is None or not others:
        yield
        return
    os.sched_setaffinity(0, others)
    try:
        yield
    finally:
        os.sched_setaffinity(0, usable)


@contextmanager
def _probes(folder: Path, number: int) -> Iterator[Path]:
    """Yield a folder in memory for a run's probe logs; what is in it afterwards is kept."""
    with scratch.folder("replay", in_memory=True) as probes:
        yield probes
        if any(probes.glob("*" + SUFFIX)):
            copy_files(probes, logs_of(folder, number))
