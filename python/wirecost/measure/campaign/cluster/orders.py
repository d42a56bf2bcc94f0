# SPDX-License-Identifier: Apache-2.0
"""Orders of a worker by reference, of which only names and numbers are sent.

Files that it has measured are kept on its own machine until the store has them: nothing that was
finished is lost, whichever process dies between.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.campaign.measuring import alone, boot, limit_s, measure
from wirecost.measure.campaign.tasks import Task
from wirecost.results.store.store import KINDS, RECORDS, Files, files_of
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.private import private_folder, read_private, state_folder, write_private

PATIENCE_S = 3600.0
"""Longest time that a worker waits for another campaign on its host."""


@dataclass(frozen=True)
class Order:
    campaign: str
    task: Task
    resume: bool
    """True if files that this machine kept, and the store lacks, will do."""
    places: dict[str, str] = field(default_factory=dict)
    """Parts of the campaign that run on each host, by the boot's id."""
    stored: tuple[str, ...] = ()
    """Keys of this machine's tasks that the store has by now."""


def carry_out(order: Order) -> tuple[Files | None, str]:
    """Return the task's files, or why there are none; runs on a worker and never raises.

    Its errors would have to be importable where they are read.
    """
    try:
        return _measured(order), ""
    except (UserError, OSError) as error:
        return None, str(error)


def _measured(order: Order) -> Files:
    key = order.task.key
    _drop(order.stored)
    if order.resume and (earlier := _kept(key)) is not None:
        return earlier
    _drop([key])
    patience_s = PATIENCE_S + limit_s(order.task)
    with scratch.run(), alone(patience_s):
        done = measure(order.campaign, order.task, order.places.get(boot(), ""))
    files = files_of(done.record, done.samples, done.rows)
    _keep(key, files)
    return files


def forget(keys: tuple[str, ...]) -> None:
    """Remove the files that the store has."""
    _drop(keys)


def where() -> str:
    """Return the host that this runs on, by its boot's id."""
    return boot()


KEY = re.compile(r"[0-9a-f]{16}")
LARGEST = 1 << 30


def _keep(key: str, files: Files) -> None:
    """Write a task's files, the record last. Raises OSError, UserError."""
    for kind in KINDS:
        if kind in files:
            write_private(_path(key, kind), files[kind])


def _kept(key: str) -> Files | None:
    """Return what ``_keep`` was given. Raises UserError."""
    contents = {kind: read_private(_path(key, kind), LARGEST) for kind in KINDS}
    files = {kind: data for kind, data in contents.items() if data is not None}
    return files if RECORDS in files else None


def _drop(keys: Iterable[str]) -> None:
    """Remove the tasks' files, the record first."""
    for key in keys:
        for kind in reversed(KINDS):
            with suppress(OSError):
                _path(key, kind).unlink(missing_ok=True)


def _path(key: str, kind: str) -> Path:
    assert KEY.fullmatch(key)
    return private_folder(state_folder() / "measured") / f"{key}.{kind}.parquet"
