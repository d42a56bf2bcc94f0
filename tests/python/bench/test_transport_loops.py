# SPDX-License-Identifier: Apache-2.0
"""Preparations of a run end before an end says that it is ready.

Whatever comes afterwards is counted."""

from __future__ import annotations

from typing import Any

import pytest

from wirecost.measure.bench.transport import loops
from wirecost.measure.bench.transport.loops import RunOrder
from wirecost.measure.bench.transport.payload import TransportPayload
from wirecost.system.errors import UserError

COMMAND = {
    "run": 1, "count": 1, "seconds": 0, "rate": 0.0, "size": 100, "check": 1, "records": "",
}  # fmt: skip
STOP = "the end is used"


class Lines:
    """Lines of a process that is told to start once it is ready."""

    def __init__(self, events: list[str], command: str = "start") -> None:
        self._events = events
        self._command = command

    def put(self, answer: dict[str, Any]) -> None:
        self._events += answer

    def next(self) -> dict[str, Any]:
        return {"do": self._command, "start_ns": 5}

    def waiting(self) -> bool:
        return False


class End:
    """End of any role; its first use ends the run."""

    def _used(self, *_: object) -> None:
        raise InterruptedError(STOP)

    send = receive = ask = take = _used


@pytest.mark.parametrize("role", loops.RUNS)
def test_payloads_are_made_before_an_end_is_ready(
    role: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []

    def made(size: int, run: int) -> TransportPayload:
        events.append("payload")
        return TransportPayload(size, run)

    monkeypatch.setattr(loops, "TransportPayload", made)
    with pytest.raises(InterruptedError, match=STOP):
        loops.RUNS[role](End(), RunOrder.of(COMMAND), Lines(events))
    assert set(events) == {"payload", "ready"}
    assert events[-1] == "ready"


def test_a_sending_end_begins_when_it_is_told() -> None:
    order = RunOrder.of(COMMAND)
    assert order.started(Lines([])).start_ns == 5  # type: ignore[arg-type]
    with pytest.raises(UserError, match="waits for `start`"):
        order.started(Lines([], "finish"))  # type: ignore[arg-type]
