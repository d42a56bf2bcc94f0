# SPDX-License-Identifier: Apache-2.0
"""Timed loops of the Python client, one for each role.

Nothing lies between two stamps but the call that they are about. The garbage collector's last
round, which takes as long as some messages, comes before an end says that it is ready: from then on
its processor time is counted.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from wirecost.measure.bench.engine.timing import sleep_until, undisturbed
from wirecost.measure.bench.transport.payload import TransportPayload, read_head
from wirecost.measure.bench.transport.protocol import MOST_ROWS
from wirecost.messaging.transport import Publisher, Replier, Requester, Subscriber
from wirecost.messaging.transport.base import MemoryFrame
from wirecost.system.channel.json_stream import JsonObject
from wirecost.system.channel.serving import Lines
from wirecost.system.errors import UserError

now = time.monotonic_ns
LOOK_S, LOOK_NS = 0.1, 100_000_000
"""Intervals at which a receiving end looks for ``finish``."""
ASK_S = 5.0
WHOLE, HEAD_ONLY, WRONG = 1, 0, -1
UNREADABLE = -2


@dataclass(frozen=True)
class RunOrder:
    """Order of ``run``; see ``protocol``."""

    run: int
    count: int
    seconds: float
    rate: float
    start_ns: int
    size: int
    check: int
    records: str
    hold_ns: int

    @classmethod
    def of(cls, command: JsonObject) -> RunOrder:
        fields = {"hold_ns": 0, "start_ns": 0, **command}
        return cls(**{name: fields[name] for name in cls.__dataclass_fields__})

    def started(self, lines: Lines) -> RunOrder:
        """Say that all is ready; return the order with the time of its first message."""
        lines.put({"ready": True})
        command = lines.next()
        if command["do"] != "start":
            raise UserError("a sending end that is ready waits for `start`")
        return replace(self, start_ns=command["start_ns"])

    def due(self) -> Iterator[tuple[int, int]]:
        """Yield each message's number and when it is due, when that has come."""
        # Without spinning, since processor time is measured.
        period = 1e9 / self.rate if self.rate else 0.0
        count = min(self.count or MOST_ROWS, MOST_ROWS)
        end = self.start_ns + round(self.seconds * 1e9) if self.seconds else None
        sleep_until(self.start_ns)
        for number in range(count):
            if period:
                due = self.start_ns + round(number * period)
                if end is not None and due >= end:
                    break
                sleep_until(due)
                # A publisher that cannot keep up does not go on for ever.
                if end is not None and now() > end + LOOK_NS:
                    break
            else:
                due = now()
                if end is not None and due >= end:
                    break
            yield number, due
        if period:
            # The report after the last message would disturb it.
            sleep_until(now() + min(round(period), LOOK_NS))


@dataclass
class Done:
    """Rows as ``protocol`` describes them."""

    rows: list[tuple[int, ...]] = field(default_factory=list)
    refused: int = 0
    failure: str | None = None


def publish(publisher: Publisher, order: RunOrder, lines: Lines) -> Done:
    done, payload = Done(), TransportPayload(order.size, order.run)
    rows, send, fill = done.rows, publisher.send, payload.set
    with undisturbed():
        order = order.started(lines)
        for number, due in order.due():
            fill(number)
            begin = now()
            accepted = send(payload)
            end = now()
            rows.append((number, due, begin, end if accepted else -end))
            done.refused += not accepted
    return done


def subscribe(subscriber: Subscriber, order: RunOrder, lines: Lines) -> Done:
    done, check = Done(), _Check(order)
    rows, receive = done.rows, subscriber.receive
    finish, quiet = None, LOOK_S
    with undisturbed():
        lines.put({"ready": True})
        look = now() + LOOK_NS
        while len(rows) < MOST_ROWS:
            sample = receive(quiet)
            received = now()
            if sample is not None:
                checked = check(sample.buffer)
                if order.hold_ns:
                    sleep_until(received + order.hold_ns)
                sample.release()
                if checked is not None:
                    rows.append((checked[0], received, checked[1]))
                if finish is None and received > look:
                    finish, look = _finish(lines), received + LOOK_NS
            elif finish is None:
                finish = _finish(lines)
            else:
                break
            if finish is not None:
                quiet = finish["quiet"]
                if len(check.seen) >= finish["count"]:
                    break
    return done


def ask(requester: Requester, order: RunOrder, lines: Lines) -> Done:
    done, payload, check = Done(), TransportPayload(order.size, order.run), _Check(order)
    with undisturbed():
        order = order.started(lines)
        for number, due in order.due():
            payload.set(number)
            begin = now()
            try:
                sample = requester.ask(payload, ASK_S)
            except UserError:
                done.rows.append((number, due, begin, 0))
                continue
            answered = now()
            checked = check(sample.buffer)
            sample.release()
            done.rows.append((number, due, begin, answered))
            if checked is None or checked[0] != number or checked[1] == WRONG:
                done.failure = f"the reply to request {number} has another content"
    return done


def answer(replier: Replier, order: RunOrder, lines: Lines) -> Done:
    done, check = Done(), _Check(order)
    finish, quiet = None, LOOK_S
    with undisturbed():
        lines.put({"ready": True})
        while len(done.rows) < MOST_ROWS:
            request = replier.take(quiet)
            received = now()
            if request is None:
                if finish is not None:
                    break
            else:
                reply = MemoryFrame(request.sample.buffer)
                request.answer(reply)
                checked = check(request.sample.buffer)
                request.sample.release()
                if checked is not None:
                    done.rows.append((checked[0], received, checked[1]))
            if finish is None:
                finish = _finish(lines)
            if finish is not None:
                quiet = finish["quiet"]
                if len(check.seen) >= finish["count"]:
                    break
    return done


def _finish(lines: Lines) -> JsonObject | None:
    return lines.next() if lines.waiting() else None


class _Check:
    """Check of a message: its number, and whether it is whole; None for another run's."""

    def __init__(self, order: RunOrder) -> None:
        self._run = order.run
        self._size = order.size
        self._every = order.check
        self._expected = TransportPayload(order.size, order.run)
        self.seen: set[int] = set()

    def __call__(self, message: memoryview) -> tuple[int, int] | None:
        head = read_head(message)
        if head is None:
            return UNREADABLE, WRONG
        run, number = head
        if run != self._run or number < 0:
            return None
        self.seen.add(number)
        if self._every and number % self._every == 0:
            return number, WHOLE if self._expected.equals(message, number) else WRONG
        return number, HEAD_ONLY if message.nbytes == self._size else WRONG


RUNS: dict[str, Any] = {
    "publisher": publish,
    "subscriber": subscribe,
    "requester": ask,
    "replier": answer,
}
