# SPDX-License-Identifier: Apache-2.0
"""What a worker has measured, on its own machine, until the store has it: so nothing is lost that
was finished, whoever dies between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from wirecost.campaign.store import KINDS, RECORDS, Files
from wirecost.private import private_folder, read_private, state_folder, write_private

KEY = re.compile(r"[0-9a-f]{16}")
LARGEST = 1 << 30


def keep(key: str, files: Files) -> None:
    """The record last. Raises OSError, UserError."""
    for kind in KINDS:
        if kind in files:
            write_private(_path(key, kind), files[kind])


def kept(key: str) -> Files | None:
    """What ``keep`` was given. Raises UserError."""
    found = {kind: read_private(_path(key, kind), LARGEST) for kind in KINDS}
    files = {kind: data for kind, data in found.items() if data is not None}
    return files if RECORDS in files else None


def drop(keys: Iterable[str]) -> None:
    """The record first."""
    for key in keys:
        for kind in reversed(KINDS):
            with suppress(OSError):
                _path(key, kind).unlink(missing_ok=True)


def _path(key: str, kind: str) -> Path:
    assert KEY.fullmatch(key)
    return private_folder(state_folder() / "measured") / f"{key}.{kind}.parquet"
