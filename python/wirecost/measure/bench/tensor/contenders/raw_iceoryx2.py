# SPDX-License-Identifier: Apache-2.0
"""Floor: iceoryx2 by itself, blocking on an event.

It copies as our transport: once into the loan, not on receiving.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from wirecost.measure.bench.tensor.arrays import Array, raw_bytes
from wirecost.measure.bench.tensor.contenders import base
from wirecost.measure.bench.tensor.contenders.base import (
    ReceivedMessage,
    TensorContender,
    TensorMeeting,
)
from wirecost.messaging.transport.iceoryx2.adapter import Iceoryx2, sweep
from wirecost.messaging.transport.iceoryx2.home import Home
from wirecost.system.waiting import wait_until

NAMES = ("raw-iceoryx2",)
PLUGIN_ORDER = 4
DEPTH = 16
LOOK_S = 0.005


class _Services:
    """Node with a publish-subscribe service and the event that wakes its subscriber."""

    def __init__(self, topic: str) -> None:
        import iceoryx2  # noqa: PLC0415

        self.library: Any = iceoryx2
        iceoryx2.set_log_level_from_env_or(iceoryx2.LogLevel.Error)
        home = Home(iceoryx2, None)
        with home.coming():
            self._node = (
                iceoryx2.NodeBuilder.new()
                .config(home.config)
                .signal_handling_mode(iceoryx2.SignalHandlingMode.Disabled)
                .create(iceoryx2.ServiceType.Ipc)
            )
        name = iceoryx2.ServiceName.new(topic)
        self.data = (
            self._node.service_builder(name)
            .publish_subscribe(iceoryx2.Slice[ctypes.c_uint8])
            .payload_alignment(iceoryx2.Alignment.new(64))
            .subscriber_max_buffer_size(DEPTH)
            .subscriber_max_borrowed_samples(DEPTH)
            .open_or_create()
        )
        self.event = self._node.service_builder(name).event().open_or_create()


def _memory(sample: Any, size: int) -> memoryview:
    return memoryview((ctypes.c_char * size).from_address(sample.payload_ptr)).cast("B")


class RawIceoryx2Sender(base.TensorSender):
    def __init__(self, topic: str) -> None:
        self._services = _Services(topic)
        strategy = self._services.library.AllocationStrategy.PowerOfTwo
        self._port = (
            self._services.data.publisher_builder()
            .allocation_strategy(strategy)
            .max_loaned_samples(1)
            .create()
        )
        self._notifier = self._services.event.notifier_builder().create()

    def send(self, encoded: Array) -> None:
        loan = self._port.loan_slice_uninit(encoded.nbytes)
        _memory(loan, encoded.nbytes)[:] = raw_bytes(encoded)
        loan.assume_init().send()
        self._notifier.notify()
        self.number += 1

    def wait_for_receiver(self, timeout: float) -> bool:
        there = self._services.data.dynamic_config
        return wait_until(lambda: there.number_of_subscribers, timeout, LOOK_S)

    def close(self) -> None:
        self._port.delete()
        self._notifier.delete()


class RawIceoryx2Receiver(base.TensorReceiver):
    def __init__(self, topic: str) -> None:
        self._services = _Services(topic)
        self._duration = self._services.library.Duration
        self._listener = self._services.event.listener_builder().create()
        self._port = self._services.data.subscriber_builder().buffer_size(DEPTH).create()
        self._held: list[Any] = []

    def receive(self, timeout: float) -> ReceivedMessage | None:
        sample = self._port.receive()
        if sample is None:
            self._listener.timed_wait(self._duration.from_micros(max(1, int(timeout * 1e6))))
            sample = self._port.receive()
        if sample is None:
            return None
        self._held.append(sample)
        size = sample.header.number_of_elements
        return ReceivedMessage(None, _memory(sample, size), size)

    def release(self, received: ReceivedMessage) -> None:  # noqa: ARG002
        self._held.pop(0).delete()

    def close(self) -> None:
        self._port.delete()
        self._listener.delete()


class RawIceoryx2(TensorContender):
    takes_objects = False
    package = Iceoryx2.package

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        try:
            yield TensorMeeting()
        finally:
            sweep()

    def sender(self, meeting: TensorMeeting) -> RawIceoryx2Sender:
        return RawIceoryx2Sender(meeting.topic)

    def receiver(self, meeting: TensorMeeting) -> RawIceoryx2Receiver:
        return RawIceoryx2Receiver(meeting.topic)


contender = RawIceoryx2
