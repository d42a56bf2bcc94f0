# SPDX-License-Identifier: Apache-2.0
"""What a worker is asked to do, by reference: nothing here is sent but names and numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirecost import scratch
from wirecost.campaign.cluster import spool
from wirecost.campaign.measuring import alone, boot, limit_s, measure
from wirecost.campaign.store import Files, files_of
from wirecost.campaign.tasks import Task
from wirecost.errors import UserError

PATIENCE_S = 3600.0
"""So long a worker waits for another campaign on its host."""


@dataclass(frozen=True)
class Order:
    campaign: str
    task: Task
    resume: bool
    """Whether what this machine measured before, and the store lacks, will do."""
    places: dict[str, str] = field(default_factory=dict)
    """What of the campaign runs on which host, by the boot's id."""
    stored: tuple[str, ...] = ()
    """Keys of this machine's tasks that the store has by now."""


def carry_out(order: Order) -> tuple[Files | None, str]:
    """The task's files, or why there are none. On a worker; never raises, because its errors would
    have to be known to whoever reads them."""
    try:
        return _measured(order), ""
    except (UserError, OSError) as error:
        return None, str(error)


def _measured(order: Order) -> Files:
    key = order.task.key
    spool.drop(order.stored)
    if order.resume and (found := spool.kept(key)) is not None:
        return found
    spool.drop([key])
    patience_s = PATIENCE_S + limit_s(order.task)
    with scratch.run(), alone(patience_s):
        done = measure(order.campaign, order.task, order.places.get(boot(), ""))
    files = files_of(done.record, done.samples, done.rows)
    spool.keep(key, files)
    return files


def forget(keys: tuple[str, ...]) -> None:
    """The store has these."""
    spool.drop(keys)


def where() -> str:
    """The host that this runs on, by its boot's id."""
    return boot()
