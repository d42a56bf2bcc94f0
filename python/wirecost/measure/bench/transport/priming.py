# SPDX-License-Identifier: Apache-2.0
"""Messages before a run, sent until one arrives: then both ends know of each other."""

from __future__ import annotations

import time
from typing import Any

from wirecost.measure.bench.transport.choices import LEAST_BYTES
from wirecost.measure.bench.transport.payload import TransportPayload, read_head
from wirecost.measure.bench.transport.protocol import PRIME_EVERY_S
from wirecost.messaging.transport import Publisher, Replier, Requester, Subscriber
from wirecost.system.channel.serving import Lines
from wirecost.system.errors import UserError
from wirecost.system.waiting import Deadline

RUN, NUMBER = 0, -1
ASK_S = 0.5


def publish(publisher: Publisher, lines: Lines, timeout: float) -> bool:
    """Publish until ``finish`` comes."""
    end = Deadline(timeout)
    payload = TransportPayload(LEAST_BYTES, RUN).set(NUMBER)
    while not end.passed:
        publisher.send(payload)
        time.sleep(PRIME_EVERY_S)
        if lines.waiting():
            return bool(lines.next()["do"] == "finish")
    return False


def subscribe(subscriber: Subscriber, lines: Lines, timeout: float) -> bool:
    """Receive until a message came."""
    del lines
    end = Deadline(timeout)
    while (remaining := end.left) > 0:
        sample = subscriber.receive(remaining)
        if sample is not None:
            head = read_head(sample.buffer)
            sample.release()
            if head == (RUN, NUMBER):
                return True
    return False


def ask(requester: Requester, lines: Lines, timeout: float) -> bool:
    """Ask until there was a reply. Raises UserError with why there was none."""
    del lines
    end = Deadline(timeout)
    payload = TransportPayload(LEAST_BYTES, RUN).set(NUMBER)
    while True:
        try:
            requester.ask(payload, ASK_S).release()
            return True
        except UserError:
            if end.passed:
                raise


def answer(replier: Replier, lines: Lines, timeout: float) -> bool:
    """Answer until ``finish`` comes."""
    end = Deadline(timeout)
    while not end.passed:
        request = replier.take(PRIME_EVERY_S)
        if request is not None:
            request.answer(TransportPayload(LEAST_BYTES, RUN).set(NUMBER))
            request.sample.release()
        if lines.waiting():
            return bool(lines.next()["do"] == "finish")
    return False


PRIMES: dict[str, Any] = {
    "publisher": publish,
    "subscriber": subscribe,
    "requester": ask,
    "replier": answer,
}
