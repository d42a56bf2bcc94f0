# SPDX-License-Identifier: Apache-2.0
"""Calls a node's services at the times at which they were called."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from typing import Self

from wirecost.replay.middleware import Call, IsolatedSystem, Service
from wirecost.system.errors import UserError


class CallSchedule:
    """A thread that calls while its context is open; on leaving, what is due is still called.

    ``first_ns`` of the recording is played at ``origin_ns`` (CLOCK_MONOTONIC). ``notes`` gets
    one line for each service whose replies differ from the recorded ones. Once ``ended`` is set,
    no further call begins.
    """

    def __init__(
        self,
        isolated: IsolatedSystem,
        services: Mapping[str, Service],
        calls: Sequence[Call],
        first_ns: int,
        origin_ns: int,
        rate: float,
        notes: list[str],
        ended: threading.Event,
    ) -> None:
        self._isolated = isolated
        self._services = services
        self._due = [(origin_ns + int((c.request_ns - first_ns) / rate), c) for c in calls]
        self._notes = notes
        self._ended = ended
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        if self._due:
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *raised: object) -> None:
        if kind is not None:
            self._ended.set()
        if self._due:
            self._thread.join()

    def _run(self) -> None:
        differing: dict[str, str] = {}
        for due_ns, call in self._due:
            if self._ended.wait(max(0.0, (due_ns - time.monotonic_ns()) / 1e9)):
                break
            try:
                reply = self._isolated.call(self._services[call.service], call.request)
            except UserError as error:
                differing.setdefault(call.service, f"{call.service}: {error}")
                continue
            if reply.error is not None and call.error is None:
                differing.setdefault(call.service, f"{call.service} failed: {reply.error}")
            elif reply.reply != call.reply:
                differing.setdefault(
                    call.service, f"{call.service} replied differently than recorded"
                )
        self._notes += differing.values()
