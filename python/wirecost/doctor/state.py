# SPDX-License-Identifier: Apache-2.0
"""The former values of what ``--fix`` changed, kept until ``--undo``."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.errors import UserError

SCHEMA = 1
MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Former:
    """A kernel file's value before its first change."""

    path: str
    value: str


@dataclass(frozen=True)
class State:
    """``boot`` tells one boot from another: after the next, nothing is left to undo."""

    boot: str
    former: list[Former]


def state_file() -> Path:
    """Where the state is kept, by the XDG base directory specification."""
    base = os.environ.get("XDG_STATE_HOME") or "~/.local/state"
    return Path(base).expanduser() / "wirecost" / "doctor.json"


def read_state(path: Path) -> State | None:
    """The state, None where there is none. Raises UserError where it is damaged."""
    try:
        with path.open("rb") as file:
            document = json.loads(file.read(MOST_BYTES))
        return _state(document)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; make it readable") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UserError(
            f"{path}: damaged, the former values are unknown; remove it and reboot"
        ) from error


def write_state(path: Path, state: State) -> None:
    """Replace the file as a whole, on disk before this returns. Raises UserError."""
    document = {
        "schema": SCHEMA,
        "boot": state.boot,
        "former": [{"path": one.path, "value": one.value} for one in state.former],
    }
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with partial.open("w", encoding="utf-8") as file:
            json.dump(document, file, indent=2)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UserError(
            f"{path}: {error.strerror}; set XDG_STATE_HOME to a writable folder"
        ) from error


def _state(document: Any) -> State:
    if document["schema"] != SCHEMA:
        raise ValueError(document["schema"])
    former = [Former(one["path"], one["value"]) for one in document["former"]]
    texts = [document["boot"], *(text for one in former for text in (one.path, one.value))]
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise ValueError(document)
    # Undoing may run as root: nothing but kernel files is ever written.
    for one in former:
        parts = one.path.split("/")
        if parts[0] not in {"proc", "sys"} or ".." in parts:
            raise ValueError(one.path)
    return State(document["boot"], former)
