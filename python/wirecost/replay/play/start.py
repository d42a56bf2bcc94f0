# SPDX-License-Identifier: Apache-2.0
"""Start of a recorded node: as in its snapshot, but for what the user changes."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from wirecost.observe.heap import launch
from wirecost.observe.probe.run.environment import hooks_named, prepare
from wirecost.observe.probe.run.hook import Request
from wirecost.observe.probe.run.target import find
from wirecost.replay.play.options import StartOptions
from wirecost.replay.process.node import Start
from wirecost.replay.process.state import ProcessState
from wirecost.replay.recording.snapshot import (
    KEPT_VARIABLES,
    Snapshot,
    executable_sha256,
    executable_size,
)
from wirecost.system.errors import UserError
from wirecost.system.scratch import RUN

LIMITS = {
    "Max core file size": "RLIMIT_CORE",
    "Max locked memory": "RLIMIT_MEMLOCK",
    "Max open files": "RLIMIT_NOFILE",
    "Max stack size": "RLIMIT_STACK",
}
LOWEST_PRIORITY, HIGHEST_PRIORITY = 1, 99
PROBE = "WIRECOST_PROBE"


def check_cpu(option: str, cpu: int | None) -> None:
    """Raise UserError where this process may not run there."""
    if cpu is not None and _refused(lambda: os.sched_setaffinity(0, {cpu})):
        usable = ", ".join(map(str, sorted(os.sched_getaffinity(0))))
        raise UserError(f"{option} {cpu}: no such CPU for this process; it may use {usable}")


def check_fifo(option: str, priority: int | None) -> None:
    """Raise UserError where real-time scheduling is not allowed."""
    if priority is None:
        return
    if not 1 <= priority <= HIGHEST_PRIORITY:
        raise UserError(f"{option} {priority}: priorities go from 1 to {HIGHEST_PRIORITY}")
    if not _fifo_permitted(priority):
        raise UserError(
            f"{option} {priority}: not permitted; run as root, or allow real-time priorities "
            "(ulimit -r, /etc/security/limits.conf)"
        )


def player_priority(requested: int | None) -> tuple[int, list[str]]:
    """Return the player's SCHED_FIFO priority, 0 for normal scheduling, and notes.

    By default it is the lowest: above normal scheduling, below other real-time tasks. On a single
    CPU the default is normal scheduling, since the node would have to wait for a spinning player.

    Raises:
        UserError: what is asked for is not allowed.
    """
    if requested is not None:
        check_fifo("--player-fifo", requested or None)
        return requested, []
    if len(os.sched_getaffinity(0)) < 2:
        return 0, []
    if _fifo_permitted(LOWEST_PRIORITY):
        return LOWEST_PRIORITY, []
    return 0, [
        "the player has normal scheduling, so inputs are late when the machine is busy; run as "
        "root, or allow real-time priorities (ulimit -r, /etc/security/limits.conf)"
    ]


def _fifo_permitted(priority: int) -> bool:
    return not _refused(lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority)))


def check_executable(snapshot: Snapshot, start_options: StartOptions) -> list[str]:
    """Return notes. Raises UserError where the recorded program is not there any more."""
    if start_options.command:
        return []
    process = _process(snapshot)
    path = process.executable
    if not Path(path).is_file() or not os.access(path, os.X_OK):
        raise UserError(
            f"{path}: the recorded program does not exist any more; give its new path: "
            "wirecost replay DIR -- COMMAND"
        )
    notes = []
    if executable_size(process) != snapshot.executable_size:
        notes.append(f"{path}: the program has changed since the recording (its size)")
    elif snapshot.executable_sha256 and executable_sha256(Path(path)) != snapshot.executable_sha256:
        notes.append(f"{path}: the program has changed since the recording (its content)")
    if process.policy in {"fifo", "rr"} and start_options.fifo is None:
        notes.append(
            f"recorded under {process.policy} {process.priority}, replayed under normal "
            f"scheduling; add --fifo {process.priority}"
        )
    return notes


def start_of(
    snapshot: Snapshot, start_options: StartOptions, folder: Path, output: Path, probes: Path
) -> Callable[[dict[str, str]], Start]:
    """Return a function from an isolated system's variables to the node's start.

    Parameter files that are gone or changed are written below ``folder`` as recorded.
    """
    process = _process(snapshot)
    arguments = start_options.command or _with_parameter_files(snapshot, process, folder)
    if snapshot.system == "ros1" and not any(word.startswith("__name:=") for word in arguments):
        # An anonymous node would get another name, and not find its parameters.
        arguments = [*arguments, f"__name:={snapshot.node.rpartition('/')[2]}"]
    program = arguments[0] if start_options.command else process.executable
    usable = os.sched_getaffinity(0)
    recorded = sorted(usable & set(process.affinity))

    def start(variables: dict[str, str]) -> Start:
        environment = _environment(process, variables, os.environ) | {PROBE: str(probes)}
        if RUN in os.environ:  # by which its processes are known
            environment |= {RUN: os.environ[RUN]}
        if start_options.hooks:
            environment = hooked(snapshot.system, program, environment, probes)
        if start_options.heap is not None:
            environment = launch.environment(start_options.heap, environment)
        if start_options.changed is not None:
            environment = start_options.changed(environment)
        return Start(
            executable=program,
            arguments=arguments,
            environment=environment,
            directory=str(Path.cwd()) if start_options.command else process.working_directory,
            output=str(output),
            cpus=[start_options.cpu] if start_options.cpu is not None else recorded or None,
            fifo=start_options.fifo,
            limits=_limits(process),
            remove=[str(probes)],
        )

    return start


def _process(snapshot: Snapshot) -> ProcessState:
    if snapshot.process is None:
        raise UserError(f"{snapshot.node}: its process was not recorded; record again with --pid")
    return snapshot.process


def _environment(
    process: ProcessState, variables: Mapping[str, str], here: Mapping[str, str]
) -> dict[str, str]:
    """Return the recorded variables, with some of this process.

    These are the ones that are never recorded (HOME, LANG), and the settings of probes.
    """
    own = {
        name: value
        for name, value in here.items()
        if not KEPT_VARIABLES.fullmatch(name) or name.startswith(f"{PROBE}_")
    }
    return {**process.environment, **own, **variables}


def _with_parameter_files(snapshot: Snapshot, process: ProcessState, folder: Path) -> list[str]:
    arguments = list(process.arguments)
    for i, argument in enumerate(arguments):
        content = snapshot.parameter_files.get(argument)
        if content is None or _text(Path(process.working_directory, argument)) == content:
            continue
        path = folder / f"parameters-{i}-{Path(argument).name}"
        path.write_text(content, encoding="utf-8")
        arguments[i] = str(path.absolute())
    return arguments


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None


def _limits(process: ProcessState) -> dict[str, int]:
    soft = {LIMITS[name]: value[0] for name, value in process.limits.items() if name in LIMITS}
    return {name: -1 if value is None else value for name, value in soft.items()}


def _refused(change: Callable[[], None]) -> bool:
    """Try in a thread that ends at once, so that nothing else of this process changes."""
    refused: list[BaseException] = []

    def attempt() -> None:
        try:
            change()
        except (OSError, ValueError, OverflowError) as error:
            refused.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    return bool(refused)


OF_SYSTEM = {"ros1": ("ros1", "rospy"), "dds": ("ros2", "rclpy")}
"""By the names of systems."""


def hooked(
    system: str, program: str, environment: Mapping[str, str], probes: Path
) -> dict[str, str]:
    """Return ``environment`` with hooks that record into ``probes``.

    It stays as it is where there are none for the system or the program cannot have any: the node
    runs in any case.
    """
    names = OF_SYSTEM.get(system, ())
    try:
        target = find([program], environment.get("PATH"))
        prepared = prepare(target, hooks_named(names), Request(probed=True), probes, environment)
    except UserError:
        return dict(environment)
    return prepared.environment
