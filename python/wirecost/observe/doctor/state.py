# SPDX-License-Identifier: Apache-2.0
"""The former values of what ``--fix`` changed, kept until ``--undo``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.observe.doctor.checks import allowed
from wirecost.system.errors import UserError
from wirecost.system.private import (
    private_folder,
    read_private,
    state_path,
    users_state_path,
    write_private,
)

FILE = "doctor.json"
SCHEMA = 1
MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Former:
    """A kernel file's value before its first change."""

    path: str
    value: str


@dataclass(frozen=True)
class State:
    """``boot`` identifies the boot: after the next, nothing is left to undo."""

    boot: str
    former: list[Former]


def state_file() -> Path:
    """Return the state's file, in a folder that only this user can write (``private.py``)."""
    return state_path() / FILE


def take_over(state: Path) -> None:
    """Move what an older wirecost kept in the folder that HOME or XDG_STATE_HOME names.

    Raises UserError where it lies where others may have written it: for root, in a user's folder.
    """
    older = users_state_path() / FILE
    if older == state or not os.path.lexists(older):
        return
    try:
        former = read_state(older)
        if former is not None and read_state(state) is None:
            write_state(state, former)
        older.unlink(missing_ok=True)
    except OSError as error:
        raise UserError(f"{older}: {error.strerror}; remove it") from error
    except UserError as error:
        raise UserError(
            f"{error}; or reboot, and nothing is left to undo. An older wirecost kept it there: "
            f"look it through, then copy it to {state}"
        ) from error


def read_state(path: Path) -> State | None:
    """Return the state, None where there is none.

    Raises:
        UserError: it is damaged, another user may have written it, or it names what no check sets.
    """
    content = read_private(path, MOST_BYTES)
    if content is None:
        return None
    try:
        return _state(json.loads(content))
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"{path}: damaged, the former values are unknown; remove it and reboot"
        ) from error


def write_state(path: Path, state: State) -> None:
    """Replace the file as a whole, on disk before this returns. Raises UserError."""
    document = {
        "schema": SCHEMA,
        "boot": state.boot,
        "former": [{"path": setting.path, "value": setting.value} for setting in state.former],
    }
    remedy = "set WIRECOST_STATE to a writable folder"
    private_folder(path.parent, remedy)
    try:
        write_private(path, (json.dumps(document, indent=2) + "\n").encode())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from error


def _state(document: Any) -> State:
    if document["schema"] != SCHEMA:
        raise ValueError(document["schema"])
    former = [Former(fields["path"], fields["value"]) for fields in document["former"]]
    texts = [
        document["boot"],
        *(text for setting in former for text in (setting.path, setting.value)),
    ]
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise ValueError(document)
    # Undoing may run as root: only what --fix may have changed is ever written.
    for setting in former:
        if not allowed(setting.path, setting.value):
            raise ValueError(setting.path)
    return State(document["boot"], former)
