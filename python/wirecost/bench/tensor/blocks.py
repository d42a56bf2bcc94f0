# SPDX-License-Identifier: Apache-2.0
"""The timed loops. Each runs one end of a block of messages. Times are CLOCK_MONOTONIC, in ns.

The loops repeat each other on purpose: each stage is one line, so that nothing else lies between
two stamps. A row of stamps begins with the message's number. Contents are checked and garbage is
collected after a message's last stamp; objects are deleted first, as they may hold its memory.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wirecost.bench.tensor.contenders.base import Answerer, Asker, Received, Receiver, Sender
from wirecost.bench.tensor.content import number_in
from wirecost.bench.tensor.plugins import touch
from wirecost.bench.tensor.schedule import undisturbed
from wirecost.bench.tensor.task import Side, Task

now = time.monotonic_ns
QUIET_S = 0.5
"""A listener waits this long for a further message once the publisher has finished, and longer by
the time that a message takes at ``SLOW_BYTES_PER_S``."""
SLOW_BYTES_PER_S = 20_000_000
WAIT_S = 0.1
ASK_S = 5.0
BYTES = (bytes, bytearray, memoryview)

Finished = Callable[[], bool]
"""Whether nothing more will be sent."""


def publish(sender: Sender, task: Task) -> Side:
    """Rows: number, due, begin, made, on the host, encoded, sent."""
    side = Side(failure=_makes_itself(sender, task))
    module, device = task.plugin.load(), task.order.device
    with undisturbed():
        for number, array, due in task.schedule(lambda _: sender.number):
            begin = now()
            obj = sender.make(task.plugin, module, array, device)
            made = now()
            if device != "cpu":
                obj = sender.to_host(obj)
            hosted = now()
            encoded = sender.encode(obj)
            ready = now()
            sender.send(encoded)
            side.stamps.append([number, due, begin, made, hosted, ready, now()])
    return side


def listen(receiver: Receiver, task: Task, finished: Finished) -> Side:
    """Rows: number, received, decoded, read. Ends with the last message, or when nothing more is
    sent and nothing came for a while."""
    side = Side()
    order = task.order
    quiet = QUIET_S + task.source.nbytes / SLOW_BYTES_PER_S
    expected = order.first
    with undisturbed():
        while len(side.stamps) < order.count:
            last = finished()
            got = receiver.receive(quiet if last else WAIT_S)
            received = now()
            if got is None:
                if last:
                    break
                continue
            obj = receiver.decode(got.message)
            decoded = now()
            array = task.array(obj)
            touch(array)
            read = now()
            number = number_in(array, expected) if got.number is None else got.number
            if number >= order.first:  # else a message of an earlier block, come late
                side.stamps.append([number, received, decoded, read])
                side.nbytes = got.nbytes
                if side.failure is None and got.nbytes != _size(got):
                    side.failure = f"it reports {got.nbytes} bytes of {_size(got)}"
                if order.rate or len(side.stamps) == order.count:
                    side.check(task, obj, array, number)
                else:
                    side.check_number(array, number)
                expected = number + 1
            del obj, array
            if order.objects and order.rate:
                gc.collect()
            receiver.release(got)
            del got
    return side


def ask(asker: Asker, task: Task) -> Side:
    """Rows: number, due, begin, made, on the host, encoded, answered, answer decoded. Nothing is
    copied to the host, so that stamp is the one before."""
    side = Side()
    module, device = task.plugin.load(), task.order.device
    with undisturbed():
        for number, array, due in task.schedule(lambda place: task.order.first + place):
            begin = now()
            obj = task.plugin.make(module, array, device)
            made = now()
            encoded = asker.encode(obj)
            ready = now()
            got = asker.ask(encoded, ASK_S)
            answered = now()
            back = asker.decode(got.message)
            side.stamps.append([number, due, begin, made, made, ready, answered, now()])
            side.nbytes = got.nbytes
            side.check(task, back, task.array(back), number)
            del back, got
            gc.collect()
    return side


def answer(answerer: Answerer, task: Task, finished: Finished) -> Side:
    """Rows: number, received, decoded, answered. Sends every object back."""
    side = Side()
    with undisturbed():
        while len(side.stamps) < task.order.count:
            got = answerer.receive(WAIT_S)
            received = now()
            if got is None:
                if finished():
                    break
                continue
            obj = answerer.decode(got.message)
            decoded = now()
            answerer.answer(got, obj)
            answered = now()
            number = task.order.first + len(side.stamps)
            side.stamps.append([number, received, decoded, answered])
            side.check(task, obj, task.array(obj), number)
            del obj, got
            gc.collect()
    return side


def both(sender: Sender, receiver: Receiver, task: Task) -> tuple[Side, Side]:
    """For contenders between whose ends no message travels: one process sends and receives each in
    turn. Rows as those of ``publish`` and ``listen``."""
    publisher, listener = Side(failure=_makes_itself(sender, task)), Side()
    module, device = task.plugin.load(), task.order.device
    with undisturbed():
        for number, array, due in task.schedule(lambda place: task.order.first + place):
            begin = now()
            obj = sender.make(task.plugin, module, array, device)
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
            found = task.array(back)
            touch(found)
            read = now()
            publisher.stamps.append([number, due, begin, made, hosted, ready, published])
            listener.stamps.append([number, received, decoded, read])
            listener.nbytes = got.nbytes
            listener.check(task, back, found, number)
            made_of = task.array(obj) if task.order.objects else obj
            if any(np.may_share_memory(found, one) for one in (array, made_of)):
                listener.failure = "what was received is the sender's own memory"
            del obj, encoded, back, found, got, made_of
            gc.collect()
    return publisher, listener


def _makes_itself(sender: Sender, task: Task) -> str | None:
    """Objects are made before the time that counts: a contender that makes them could encode
    there. A floor may, as it says so."""
    if task.order.objects and type(sender).make is not Sender.make:
        return "it makes the objects itself, before the time that counts"
    return None


def _size(got: Received) -> int:
    """Bytes of a message, where that can be seen."""
    message: Any = got.message
    return memoryview(message).nbytes if isinstance(message, BYTES) else got.nbytes
