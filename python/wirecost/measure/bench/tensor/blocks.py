# SPDX-License-Identifier: Apache-2.0
"""Timed loops, one for each end of a block of messages. Times are CLOCK_MONOTONIC, in ns.

The loops repeat each other on purpose: each stage is one line, so that nothing else lies between
two stamps. A row of stamps begins with the message's number, and ends with when it was compressed
or decompressed, where a plugin does that, or was on a device again. Contents are checked and
garbage is collected after a message's last stamp; objects are deleted first, as they may hold its
memory.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from wirecost.measure.bench.engine.timing import undisturbed
from wirecost.measure.bench.tensor.contenders.base import (
    COMPRESSED,
    ReceivedMessage,
    TensorAnswerer,
    TensorAsker,
    TensorReceiver,
    TensorSender,
)
from wirecost.measure.bench.tensor.plugins import touch
from wirecost.measure.bench.tensor.task import TensorSide, TensorTask

now = time.monotonic_ns
QUIET_S = 0.5
"""Seconds that a listener waits for a further message once the publisher has finished, besides the
time that a message takes at ``SLOW_BYTES_PER_S``."""
SLOW_BYTES_PER_S = 20_000_000
WAIT_S = 0.1
ASK_S = 5.0
BYTES = (bytes, bytearray, memoryview)

Finished = Callable[[], bool]
"""Function that returns whether nothing more will be sent."""


def publish(sender: TensorSender, task: TensorTask) -> TensorSide:
    """Publish a block.

    Rows: number, due, begin, made, on the host, encoded, sent.
    """
    side = TensorSide(failure=_makes_itself(sender, task))
    module, device = task.plugin.load(), task.order.device
    compress = task.compressor()
    leave = sender.to_host
    with undisturbed():
        for number, array, due in task.schedule(lambda _: sender.number):
            begin = now()
            obj = sender.make(task.plugin, module, array, device)
            constructed = now()
            if device != "cpu":
                obj = leave(obj)
            hosted = now()
            if compress is not None:
                obj = compress(obj)
                compressed = now()
            encoded = sender.encode(obj)
            ready = now()
            sender.send(encoded)
            side.stamps.append([number, due, begin, constructed, hosted, ready, now()])
            if compress is not None:
                side.stamps[-1].append(compressed)
    return side


def listen(receiver: TensorReceiver, task: TensorTask, finished: Finished) -> TensorSide:
    """Receive a block, until its last message or until nothing more is sent and nothing came.

    Rows: number, received, decoded, read.
    """
    side = TensorSide()
    order = task.order
    quiet = QUIET_S + task.source.nbytes / SLOW_BYTES_PER_S
    expected = order.first
    codec, on_device = task.codec, order.device == "cuda"
    receiver.as_ = COMPRESSED if codec else None
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
            if codec:
                obj = obj.array()
                ready = now()
            if on_device:
                obj = receiver.to_device(obj, order.device)
                ready = now()
            array = task.array(obj)
            touch(array)
            read = now()
            number = got.number
            if number is None:
                number = task.source.number_in(array, expected)
            if number >= order.first:  # else a message of an earlier block, come late
                side.stamps.append([number, received, decoded, read])
                if codec or on_device:
                    side.stamps[-1].append(ready)
                side.carried += got.nbytes
                if side.failure is None and got.nbytes != _size(got):
                    side.failure = f"it reports {got.nbytes} bytes of {_size(got)}"
                if order.rate or len(side.stamps) == order.count:
                    side.check(task, obj, array, number)
                else:
                    side.check_number(task, array, number)
                expected = number + 1
            del obj, array
            if order.objects and order.rate:
                gc.collect()
            receiver.release(got)
            del got
    return side


def ask(asker: TensorAsker, task: TensorTask) -> TensorSide:
    """Send a block's objects as requests.

    Rows: number, due, begin, made, on the host, encoded, answered, answer decoded. Nothing is
    copied to the host, so that stamp is the one before.
    """
    side = TensorSide()
    module, device = task.plugin.load(), task.order.device
    compress = task.compressor()
    asker.as_ = COMPRESSED if compress else None
    with undisturbed():
        for number, array, due in task.schedule(lambda place: task.order.first + place):
            begin = now()
            obj = task.plugin.make(module, array, device)
            constructed = now()
            if compress is not None:
                obj = compress(obj)
                compressed = now()
            encoded = asker.encode(obj)
            ready = now()
            got = asker.ask(encoded, ASK_S)
            answered = now()
            back = asker.decode(got.message)
            if compress is not None:
                back = back.array()
            side.stamps.append(
                [number, due, begin, constructed, constructed, ready, answered, now()]
            )
            if compress is not None:
                side.stamps[-1].append(compressed)
            side.carried += got.nbytes
            side.check(task, back, task.array(back), number)
            del back, got
            gc.collect()
    return side


def answer(answerer: TensorAnswerer, task: TensorTask, finished: Finished) -> TensorSide:
    """Send every object of a block back. Rows: number, received, decoded, answered."""
    side = TensorSide()
    compress = task.compressor()
    answerer.as_ = COMPRESSED if compress else None
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
            if compress is not None:
                obj = obj.array()
                expanded = now()
            answerer.answer(got, obj if compress is None else compress(obj))
            answered = now()
            number = task.order.first + len(side.stamps)
            side.stamps.append([number, received, decoded, answered])
            if compress is not None:
                side.stamps[-1].append(expanded)
            side.check(task, obj, task.array(obj), number)
            del obj, got
            gc.collect()
    return side


def both(
    sender: TensorSender, receiver: TensorReceiver, task: TensorTask
) -> tuple[TensorSide, TensorSide]:
    """Send and receive each message in turn, for contenders whose ends are one process.

    Rows are those of ``publish`` and ``listen``.
    """
    publisher, listener = TensorSide(failure=_makes_itself(sender, task)), TensorSide()
    module, device = task.plugin.load(), task.order.device
    compress = task.compressor()
    receiver.as_ = COMPRESSED if compress else None
    with undisturbed():
        for number, array, due in task.schedule(lambda place: task.order.first + place):
            begin = now()
            obj = sender.make(task.plugin, module, array, device)
            constructed = now()
            obj = sender.to_host(obj)
            hosted = now()
            packed = obj
            if compress is not None:
                packed = compress(obj)
                compressed = now()
            encoded = sender.encode(packed)
            ready = now()
            sender.send(encoded)
            published = now()
            got = receiver.receive(0)
            assert got is not None
            received = now()
            back = receiver.decode(got.message)
            decoded = now()
            if compress is not None:
                back = back.array()
                there = now()
            if device != "cpu":
                back = receiver.to_device(back, device)
                there = now()
            received_array = task.array(back)
            touch(received_array)
            read = now()
            publisher.stamps.append([number, due, begin, constructed, hosted, ready, published])
            listener.stamps.append([number, received, decoded, read])
            if compress is not None:
                publisher.stamps[-1].append(compressed)
            if compress is not None or device != "cpu":
                listener.stamps[-1].append(there)
            listener.carried += got.nbytes
            listener.check(task, back, received_array, number)
            sent_array = task.array(obj) if task.order.objects else obj
            if any(np.may_share_memory(received_array, sent) for sent in (array, sent_array)):
                listener.failure = "what was received is the sender's own memory"
            del obj, packed, encoded, back, received_array, got, sent_array
            gc.collect()
    return publisher, listener


def _makes_itself(sender: TensorSender, task: TensorTask) -> str | None:
    """Return the failure of a contender that makes the objects itself.

    They are made before the time that counts, so it could encode there. A floor may.
    """
    if task.order.objects and type(sender).make is not TensorSender.make:
        return "it makes the objects itself, before the time that counts"
    return None


def _size(got: ReceivedMessage) -> int:
    """Return the bytes of a message, where that can be seen."""
    message: Any = got.message
    return memoryview(message).nbytes if isinstance(message, BYTES) else got.nbytes
