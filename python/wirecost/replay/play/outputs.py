# SPDX-License-Identifier: Apache-2.0
"""Keeps what a replayed node publishes: bytes in a file, what is needed to compare in memory."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirecost._middleware import Queue
from wirecost.replay.middleware import Topic
from wirecost.replay.play.digests import Digests
from wirecost.replay.play.stamps import begins_with_header, stamp_ns
from wirecost.replay.recording.writer import OUTPUT, RecordingWriter
from wirecost.replay.systems import System
from wirecost.system.errors import UserError

QUEUE_BYTES = 256 << 20


@dataclass(frozen=True)
class Output:
    """``received_ns``: CLOCK_MONOTONIC; ``stamp_ns``: of its header, if it has one that is set."""

    topic: str
    index: int
    received_ns: int
    stamp_ns: int | None
    digest: str
    bytes: int


class OutputCatcher:
    """Takes messages from ``queue`` in a thread of its own until its context is left.

    Channel i of the queue is ``topics[i]``. Raises UserError on leaving where the file ``path``
    could not be written; what came is in ``outputs`` all the same.
    """

    def __init__(
        self, path: Path, system: System, topics: Sequence[Topic], digests: Digests
    ) -> None:
        self.queue = Queue(QUEUE_BYTES)
        self.outputs: list[Output] = []
        self.paused = False
        """While it is set, messages are dropped."""
        self._topics = topics
        self._profile = system.profile
        self._writer = RecordingWriter(path, system)
        self._channels = [self._writer.add_topic(topic, OUTPUT) for topic in topics]
        self._stamped = [begins_with_header(topic.type, topic.definition) for topic in topics]
        self._digests = digests
        self._counts = [0] * len(topics)
        self._taken = 0
        self._error: UserError | None = None
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def wait_quiet(self, quiet_s: float, timeout_s: float) -> None:
        """Return once nothing came for ``quiet_s``."""
        deadline = time.monotonic() + timeout_s
        seen, since = self._taken, time.monotonic()
        while time.monotonic() < min(deadline, since + quiet_s):
            time.sleep(0.01)
            if self._taken != seen:
                seen, since = self._taken, time.monotonic()

    def dropped(self) -> int:
        return sum(dropped for _, dropped, _ in self.queue.counts().values())

    def __enter__(self) -> OutputCatcher:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        self._ending.set()
        self._thread.join()
        self._writer.close()
        if self._error is not None and kind is None:
            raise self._error

    def _run(self) -> None:
        while True:
            ending = self._ending.is_set()
            messages = self.queue.take(1024, 0.02)
            for channel, wall_ns, monotonic_ns, source_ns, _, message in messages:
                if not self.paused:
                    self._keep(channel, wall_ns, monotonic_ns, source_ns or wall_ns, message)
            self._taken += len(messages)
            if ending and not messages:
                return

    def _keep(
        self, channel: int, wall_ns: int, monotonic_ns: int, source_ns: int, message: bytes
    ) -> None:
        stamp = stamp_ns(self._profile, message) if self._stamped[channel] else None
        name, index = self._topics[channel].name, self._counts[channel]
        self._counts[channel] += 1
        own = self._digests.of(name, message)
        self.outputs.append(Output(name, index, monotonic_ns, stamp, own, len(message)))
        if self._error is None:
            try:
                self._writer.write(self._channels[channel], wall_ns, source_ns, message)
            except UserError as error:
                self._error = error
