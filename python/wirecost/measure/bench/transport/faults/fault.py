# SPDX-License-Identifier: Apache-2.0
"""Fault and its effect."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import Ground
from wirecost.results.records.schemas import transport
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

SIZE = 1000
RATE = 100.0
TOPICS = 1000
EXPECTED_S = 8.0
"""Seconds that a fault takes, roughly."""

Record = transport.Fault
"""Record of a fault in a result folder."""
Message = list[int | None]
"""Nanoseconds from the fault to when it was sent; its latency, None where it did not arrive; the
subscriber's role: 0 has no fault, 1 has it, 2 came in its place."""


@dataclass(frozen=True)
class Setup:
    """Contender that has the fault, and its messages. ``rate``: messages per second."""

    contender: TransportContender
    ground: Ground
    logs: Path
    size: int = SIZE
    rate: float = RATE
    topics: int = TOPICS


@dataclass
class FaultOutcome:
    """Effect of a fault; None: of no interest, or not within the time it was watched."""

    recovered_ns: int | None = None
    lost: int | None = None
    """Messages that the library took, summed over the subscribers that should have had them."""
    duplicates: int | None = None
    memory_bytes_before: int | None = None
    """Memory of publisher, subscribers and servers together, each shared page once."""
    memory_bytes_after: int | None = None
    others: str = ""
    """Effect on the ends that had no fault, in words."""
    messages: list[Message] = field(default_factory=list)


class InjectedFault(ABC):
    """Fault that can happen to a contender."""

    name: ClassVar[str]
    about: ClassVar[str]
    """Line that says what happens, and from when to when ``recovered_ns`` is."""

    def refusal(self, contender: TransportContender) -> str | None:
        """Return why this cannot happen to a contender."""
        del contender
        return None

    @abstractmethod
    def run(self, setup: Setup) -> FaultOutcome:
        """Let it happen. Raises ProgramFailedError, UserError, which are its effect then."""


def record(
    fault: InjectedFault, setup: Setup, outcome: FaultOutcome, failure: str | None
) -> Record:
    """Return a fault's record in a result folder."""
    contender = setup.contender
    return Record(
        fault=fault.name,
        mware=contender.mware,
        client=contender.client.kind,
        settings=contender.setting.name,
        network=setup.ground.name,
        recovered_ns=outcome.recovered_ns,
        lost=outcome.lost,
        duplicates=outcome.duplicates,
        memory_bytes_before=outcome.memory_bytes_before,
        memory_bytes_after=outcome.memory_bytes_after,
        others=outcome.others,
        failure=failure,
        timeline=outcome.messages,
    )


def series(
    faults: Sequence[InjectedFault],
    contenders: Iterable[TransportContender],
    ground: Ground,
    logs: Path,
    size: int,
    rate: float,
    records: list[Record],
    report: Callable[[str, int], None],
    keep: Callable[[], None],
) -> None:
    """Let faults happen to contenders, one after the other, each with processes of its own.

    ``records`` gets them; ``keep`` is called after each contender.
    """
    for contender in contenders:
        setup = Setup(contender, ground, logs, size, min(rate, RATE))
        for fault in faults:
            label = f"{contender.name}, {ground.name}: {fault.name}"
            if not fault.refusal(contender):
                report(label, 0)
                records.append(_measured(fault, setup))
            report(label, 1)
        keep()


def _measured(fault: InjectedFault, setup: Setup) -> Record:
    try:
        return record(fault, setup, fault.run(setup), None)
    except (ProgramFailedError, UserError) as error:
        return record(fault, setup, FaultOutcome(), str(error))
