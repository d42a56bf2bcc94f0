# SPDX-License-Identifier: Apache-2.0
"""Faults of contenders, one after the other, each with processes of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from wirecost.bench.answering import WorkerFailedError
from wirecost.bench.transport.contender import Contender
from wirecost.bench.transport.faults.fault import RATE, Fault, Found, Setup, record
from wirecost.bench.transport.ground import Ground
from wirecost.errors import UserError

EXPECTED_S = 8.0
"""What a fault takes, roughly."""
Record = dict[str, Any]
WHO = ("fault", "mware", "client", "settings", "network")
"""What makes two records the same measurement."""


def series(
    faults: Sequence[Fault],
    contenders: Iterable[Contender],
    ground: Ground,
    logs: Path,
    size: int,
    rate: float,
    records: list[Record],
    report: Callable[[str, int], None],
    keep: Callable[[], None],
) -> None:
    """Adds to ``records`` what they lack; ``keep`` is called after each contender."""
    known = {tuple(one[name] for name in WHO) for one in records}
    for contender in contenders:
        setup = Setup(contender, ground, logs, size, min(rate, RATE))
        for fault in faults:
            new = record(fault, setup, Found(), None)
            if tuple(new[name] for name in WHO) not in known and not fault.refusal(contender):
                report(f"{contender.name}, {ground.name}: {fault.name}", 0)
                records.append(_measured(fault, setup))
            report(f"{contender.name}, {ground.name}: {fault.name}", 1)
        keep()


def _measured(fault: Fault, setup: Setup) -> Record:
    try:
        return record(fault, setup, fault.run(setup), None)
    except (WorkerFailedError, UserError) as error:
        return record(fault, setup, Found(), str(error))
