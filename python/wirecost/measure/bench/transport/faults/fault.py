# SPDX-License-Identifier: Apache-2.0
"""What a fault is, and what it did."""

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
"""What a fault takes, roughly."""

Record = transport.Fault
"""What a result folder keeps of a fault."""
Message = list[int | None]
"""When it was sent, in nanoseconds since the fault; its latency, None where it did not arrive; the
subscriber's role: 0 has no fault, 1 has it, 2 came in its place."""


@dataclass(frozen=True)
class Setup:
    """To whom and with what. ``rate``: messages per second."""

    contender: TransportContender
    ground: Ground
    logs: Path
    size: int = SIZE
    rate: float = RATE
    topics: int = TOPICS


@dataclass
class FaultOutcome:
    """None: of no interest, or not within the time that the fault was watched."""

    recovered_ns: int | None = None
    lost: int | None = None
    """Of what the library took, summed over the subscribers that should have had it."""
    duplicates: int | None = None
    memory_bytes_before: int | None = None
    """Of publisher, subscribers and servers together, each shared page once."""
    memory_bytes_after: int | None = None
    others: str = ""
    """What became of those that had no fault."""
    messages: list[Message] = field(default_factory=list)


class InjectedFault(ABC):
    name: ClassVar[str]
    about: ClassVar[str]
    """One line: what happens, and from when to when ``recovered_ns`` is."""

    def refusal(self, contender: TransportContender) -> str | None:
        """Why this cannot happen to a contender."""
        del contender
        return None

    @abstractmethod
    def run(self, setup: Setup) -> FaultOutcome:
        """Let it happen. Raises ProgramFailedError, UserError: then that is what it did."""


def record(fault: InjectedFault, setup: Setup, found: FaultOutcome, failure: str | None) -> Record:
    """Return what a result folder keeps of a fault."""
    contender = setup.contender
    return Record(
        fault=fault.name,
        mware=contender.mware,
        client=contender.client.kind,
        settings=contender.setting.name,
        network=setup.ground.name,
        recovered_ns=found.recovered_ns,
        lost=found.lost,
        duplicates=found.duplicates,
        memory_bytes_before=found.memory_bytes_before,
        memory_bytes_after=found.memory_bytes_after,
        others=found.others,
        failure=failure,
        timeline=found.messages,
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
    """Let faults happen to contenders, one after the other, each with processes of its own. Adds to
    ``records`` what they lack; ``keep`` is called after each contender."""
    known = set(map(_who, records))
    for contender in contenders:
        setup = Setup(contender, ground, logs, size, min(rate, RATE))
        for fault in faults:
            label = f"{contender.name}, {ground.name}: {fault.name}"
            if _who(record(fault, setup, FaultOutcome(), None)) not in known and not fault.refusal(
                contender
            ):
                report(label, 0)
                records.append(_measured(fault, setup))
            report(label, 1)
        keep()


def _who(one: Record) -> tuple[str, ...]:
    """Return what makes two records the same measurement."""
    return one.fault, one.mware, one.client, one.settings, one.network


def _measured(fault: InjectedFault, setup: Setup) -> Record:
    try:
        return record(fault, setup, fault.run(setup), None)
    except (ProgramFailedError, UserError) as error:
        return record(fault, setup, FaultOutcome(), str(error))
