# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost cost`` found in probe logs or a trace: what each node spends on each topic."""

from __future__ import annotations

import msgspec

from wirecost.results.records.schemas.common import Amount, Count

FORMAT = "wirecost-shares"
VERSION = 1
NEAR = 0.05
"""Share of a process's processor time by which its parts may exceed it."""

TRANSPORTS = ("publish→take", "queued→callback", "queue wait")
"""Waits between a publisher and a callback, of which a topic has one."""


class StageShare(msgspec.Struct, kw_only=True, frozen=True):
    """Time of a node for one stage of a topic's messages, without stages inside of it.

    ``topic``: also a timer's period or a service; of a section of the program's own ``node`` and
    ``topic`` are empty and ``name`` is the section. ``stage``: publish, take, deserialize or
    callback. ``elapsed_ns``, ``processor_ns``: of all executions together; the second is None
    where the log does not know it.
    """

    process: Count
    node: str
    topic: str
    stage: str
    name: str
    count: Count
    elapsed_ns: Amount
    processor_ns: Amount | None = None


class TopicWait(msgspec.Struct, kw_only=True, frozen=True):
    """Time that a topic's messages wait for a node; it takes no processor.

    ``kind``: ``publish→take`` is the transport; others as the sections are called.
    """

    process: Count
    node: str
    topic: str
    kind: str
    count: Count
    median_ns: Amount
    largest_ns: Amount


class ProcessShare(msgspec.Struct, kw_only=True, frozen=True):
    """A process: what of its processor time its sections have, and where the rest is.

    ``nodes``: that it has sections of; ``idle_ns``: time for which its executors waited for work;
    ``processor_ns``: of all its threads; ``executor_ns``: of the threads that have sections,
    outside of them; None where the log does not know it.
    """

    process: Count
    program: str
    nodes: list[str]
    idle_ns: Amount
    sections_ns: Amount | None = None
    executor_ns: Amount | None = None
    processor_ns: Amount | None = None

    @property
    def elsewhere_ns(self) -> float | None:
        """Processor time of threads that have no sections, such as the middleware's."""
        if self.processor_ns is None or self.sections_ns is None:
            return None
        return max(0.0, self._unexplained_ns)

    @property
    def is_contradictory(self) -> bool:
        """True if sections and executors have more than 5 % beyond what the process took."""
        return self._unexplained_ns < -NEAR * (self.processor_ns or 0.0)

    @property
    def _unexplained_ns(self) -> float:
        if self.processor_ns is None or self.sections_ns is None:
            return 0.0
        return self.processor_ns - self.sections_ns - (self.executor_ns or 0.0)


class SystemShares(msgspec.Struct, kw_only=True, frozen=True):
    """Stages, the costliest first. ``is_processor``: any has processor time, not only elapsed time.

    ``duration_s``: from the first event to the last of any process.
    """

    format: str = FORMAT
    version: int = VERSION
    files: list[str]
    duration_s: Amount
    is_processor: bool
    stages: list[StageShare]
    waits: list[TopicWait] = []
    processes: list[ProcessShare] = []
    warnings: list[str] = []

    def share(self, ns: float | None) -> float | None:
        """Return the share of a core that this much time is."""
        return None if ns is None or not self.duration_s else ns / 1e9 / self.duration_s

    def cost_ns(self, stage: StageShare) -> float | None:
        """Return processor time where that is known of any stage, else elapsed time."""
        return stage.processor_ns if self.is_processor else stage.elapsed_ns
