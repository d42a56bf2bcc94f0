# SPDX-License-Identifier: Apache-2.0
"""The loops that are timed: one end of a block of messages each. Times are CLOCK_MONOTONIC.

A stamp row begins with the message's number. Whatever is checked is checked after its last stamp.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from wirecost.bench.tensor.contenders.base import Answerer, Asker, Receiver, Sender
from wirecost.bench.tensor.content import Source, number_in
from wirecost.bench.tensor.plugins import Plugin, as_array, touch
from wirecost.bench.tensor.schedule import undisturbed, wait_until

now = time.monotonic_ns
QUIET_S = 0.5
"""After the publisher's last message another one may come for so long, and the time that one takes
at ``SLOW_BYTES_PER_S``."""
SLOW_BYTES_PER_S = 20_000_000
WAIT_S = 0.1
LEAD_NS = 20_000_000
ASK_S = 5.0


@dataclass(frozen=True)
class Order:
    """A block: what is sent, how often, and how quickly. ``rate`` 0 is back to back."""

    plugin: str
    shape: tuple[int, ...]
    dtype: str
    content: str
    device: str
    objects: bool
    """Whether the plugin's objects are sent; else the bytes of an array."""
    first: int
    """Number of the block's first message."""
    count: int
    rate: float


@dataclass
class Side:
    """What one end saw. ``failure``: why the block counts for nothing."""

    stamps: list[list[int]] = field(default_factory=list)
    failure: str | None = None
    nbytes: int = 0


Finished = Callable[[], bool]
"""Whether nothing more will be sent."""


def publish(sender: Sender, order: Order, plugin: Plugin, source: Source) -> Side:
    """Rows: number, due, begin, made, on the host, encoded, sent."""
    side = Side()
    module = plugin.load()
    on_device = order.device != "cpu"
    period = round(1e9 / order.rate) if order.rate else 0
    with undisturbed():
        due = now() + LEAD_NS
        for _ in range(order.count):
            number = sender.number
            array = source.array(number)
            wait_until(due)
            begin = now()
            obj = sender.make(plugin, module, array, order.device)
            made = now()
            if on_device:
                obj = sender.to_host(obj)
            hosted = now()
            encoded = sender.encode(obj)
            ready = now()
            sender.send(encoded)
            side.stamps.append([number, due, begin, made, hosted, ready, now()])
            due += period
    return side


def listen(
    receiver: Receiver, order: Order, plugin: Plugin, source: Source, finished: Finished
) -> Side:
    """Rows: number, received, decoded, read. Ends with the last message, or when it is told that
    nothing more is sent and nothing came for a while."""
    side = Side()
    left = order.count
    quiet = QUIET_S + source.nbytes / SLOW_BYTES_PER_S
    expected = order.first
    with undisturbed():
        while left:
            told = finished()
            got = receiver.receive(quiet if told else WAIT_S)
            received = now()
            if got is None:
                if told:
                    break
                continue
            obj = receiver.decode(got.message)
            decoded = now()
            array = _array(plugin, obj, order, source)
            touch(array)
            read = now()
            number = number_in(array, expected) if got.number is None else got.number
            if number >= order.first:  # else a message of an earlier block, come late
                side.stamps.append([number, received, decoded, read])
                side.nbytes = got.nbytes
                if side.failure is None and order.rate:
                    side.failure = _wrong(plugin, obj, array, order, source, number)
                left -= 1
                expected = number + 1
            # The object first: it may hold the memory.
            del obj, array
            if order.objects and order.rate:
                gc.collect()
            receiver.release(got)
            del got
    return side


def ask(asker: Asker, order: Order, plugin: Plugin, source: Source) -> Side:
    """Rows: number, due, begin, made, on the host, encoded, answered, answer decoded."""
    side = Side()
    module = plugin.load()
    period = round(1e9 / order.rate) if order.rate else 0
    with undisturbed():
        due = now() + LEAD_NS
        for number in range(order.first, order.first + order.count):
            array = source.array(number)
            wait_until(due)
            begin = now()
            obj = plugin.make(module, array, order.device)
            made = now()
            encoded = asker.encode(obj)
            ready = now()
            got = asker.ask(encoded, ASK_S)
            answered = now()
            back = asker.decode(got.message)
            side.stamps.append([number, due, begin, made, made, ready, answered, now()])
            side.nbytes = got.nbytes
            if side.failure is None:
                found = _array(plugin, back, order, source)
                side.failure = _wrong(plugin, back, found, order, source, number)
                del found
            del back, got
            gc.collect()
            due += period
    return side


def answer(
    answerer: Answerer, order: Order, plugin: Plugin, source: Source, finished: Finished
) -> Side:
    """Rows: number, received, decoded, answered. Sends every object back."""
    side = Side()
    number = order.first
    with undisturbed():
        while number < order.first + order.count:
            got = answerer.receive(WAIT_S)
            received = now()
            if got is None:
                if finished():
                    break
                continue
            obj = answerer.decode(got.message)
            decoded = now()
            answerer.answer(got, obj)
            side.stamps.append([number, received, decoded, now()])
            if side.failure is None:
                array = _array(plugin, obj, order, source)
                side.failure = _wrong(plugin, obj, array, order, source, number)
                del array
            number += 1
            del obj, got
            gc.collect()
    return side


def both(
    sender: Sender, receiver: Receiver, order: Order, plugin: Plugin, source: Source
) -> tuple[Side, Side]:
    """Where nothing travels: each message is sent and received in turn, by one process."""
    publisher, listener = Side(), Side()
    module = plugin.load()
    period = round(1e9 / order.rate) if order.rate else 0
    with undisturbed():
        due = now() + LEAD_NS
        for number in range(order.first, order.first + order.count):
            array = source.array(number)
            if not period:
                due = now()
            wait_until(due)
            begin = now()
            obj = sender.make(plugin, module, array, order.device)
            made = now()
            obj = sender.to_host(obj)
            hosted = now()
            encoded = sender.encode(obj)
            ready = now()
            sender.send(encoded)
            published = now()
            got = receiver.receive(0)
            assert got is not None
            received = now()
            back = receiver.decode(got.message)
            decoded = now()
            found = _array(plugin, back, order, source)
            touch(found)
            read = now()
            publisher.stamps.append([number, due, begin, made, hosted, ready, published])
            listener.stamps.append([number, received, decoded, read])
            listener.nbytes = got.nbytes
            if listener.failure is None:
                listener.failure = _wrong(plugin, back, found, order, source, number)
            del obj, encoded, back, found, got
            gc.collect()
            due += period
    return publisher, listener


def _array(plugin: Plugin, obj: Any, order: Order, source: Source) -> Any:
    if order.objects:
        return as_array(plugin, obj, source.shape)
    return source.from_bytes(obj)


def _wrong(
    plugin: Plugin, obj: Any, array: Any, order: Order, source: Source, number: int
) -> str | None:
    kind = plugin.check_kind(obj) if order.objects else None
    return kind or source.difference(array, number)
