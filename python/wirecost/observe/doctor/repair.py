# SPDX-License-Identifier: Apache-2.0
"""``--fix`` and ``--undo``: what is written to kernel files, and how it is taken back."""

from __future__ import annotations

import errno
from dataclasses import dataclass, field, replace
from pathlib import Path

from wirecost.observe.doctor.check import Change, Check, Verdict
from wirecost.observe.doctor.checks import all_checks, allowed
from wirecost.observe.doctor.machine import Machine
from wirecost.observe.doctor.machine_files import System
from wirecost.observe.doctor.state import Former, State, read_state, write_state

BOOT_ID = "proc/sys/kernel/random/boot_id"
NO_VALUE = "<unsupported>"
"""Text of the kernel where a file has a value only under another governor."""


@dataclass
class Outcome:
    """Values that were written, as ``path: former → value``, and the refused ones, with reasons."""

    done: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    """Like ``refused``, of changes that the kernel may refuse for good."""


def fix(machine: Machine, state_path: Path) -> Outcome:
    """Apply every check's changes in order; each former value is on disk before it is replaced.

    Raises UserError when the state cannot be kept; then nothing more is changed.
    """
    system = machine.system
    boot = system.text(BOOT_ID) or ""
    state = read_state(state_path)
    if state is None or state.boot != boot:
        state = State(boot, [])
    # All at once and first: a change can alter values that are to be changed after it.
    planned = [change for kind in all_checks() for change in _wanted(kind(machine))]
    state = _recorded(system, state, planned, state_path)
    outcome = Outcome()
    for kind in all_checks():
        # Asked anew each time: one change can make the next possible.
        for change in _wanted(kind(machine)):
            state = _recorded(system, state, [change], state_path)
            _apply(system, change, outcome)
    return outcome


def undo(system: System, state_path: Path) -> Outcome | None:
    """Write the former values back, the last change first; None when there is nothing to undo.

    What cannot be written back stays in the state for another attempt. Raises UserError.
    """
    state = read_state(state_path)
    if state is None:
        return None
    if state.boot != (system.text(BOOT_ID) or ""):
        state_path.unlink(missing_ok=True)
        return None
    outcome = Outcome()
    before = {former.path: system.choice(former.path) for former in state.former}
    # A value can depend on one that is restored after it, so what did not hold gets a second turn.
    errors: dict[str, str] = {}
    for former in (*reversed(state.former), *state.former):
        errors |= _restore(system, former)
    unrestored = [former for former in state.former if system.choice(former.path) != former.value]
    for setting in state.former:
        if setting in unrestored:
            reason = errors.get(setting.path, "the kernel keeps another value")
            outcome.refused.append(f"/{setting.path}: {reason}")
        elif before[setting.path] != setting.value:
            outcome.done.append(f"/{setting.path}: {before[setting.path]} → {setting.value}")
    if unrestored:
        write_state(state_path, replace(state, former=unrestored))
    else:
        state_path.unlink(missing_ok=True)
    return outcome


def _wanted(check: Check) -> list[Change]:
    if not check.available() or check.verdict() is Verdict.OK:
        return []
    return check.fix()


def _recorded(system: System, state: State, changes: list[Change], path: Path) -> State:
    """Return the state with the files' values; those that an earlier change recorded are kept."""
    former = {setting.path: setting for setting in state.former}
    for change in changes:
        value = system.choice(change.path)
        if value is not None and value != NO_VALUE and allowed(change.path, value):
            former.setdefault(change.path, Former(change.path, value))
    if len(former) > len(state.former):
        state = replace(state, former=list(former.values()))
        write_state(path, state)
    return state


def _apply(system: System, change: Change, outcome: Outcome) -> None:
    former = system.choice(change.path)
    try:
        _write(system, change.path, change.value)
    except OSError as error:
        line = f"/{change.path}: {error.strerror}"
        (outcome.skipped if change.optional else outcome.refused).append(line)
        return
    outcome.done.append(f"/{change.path}: {former} → {change.value}")


def _write(system: System, path: str, value: str) -> None:
    """To a file that some check sets, by its own name and by the one that links lead to.

    Raises OSError.
    """
    real = system.real(path)
    if not (allowed(path, value) and allowed(real, value)):
        raise PermissionError(errno.EPERM, f"leads to /{real}, which no check sets")
    system.write(real, value)


def _restore(system: System, former: Former) -> dict[str, str]:
    if system.choice(former.path) == former.value:
        return {}
    try:
        _write(system, former.path, former.value)
    except OSError as error:
        return {former.path: error.strerror or str(error)}
    return {}
