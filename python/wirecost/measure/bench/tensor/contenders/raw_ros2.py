# SPDX-License-Identifier: Apache-2.0
"""Floor: ROS 2 by itself sends an array's bytes in a ``std_msgs/UInt8MultiArray``.

They are already serialized and go through rcl, with the copies that our transport makes.
``raw-rclpy``: as a user of rclpy writes it, with a callback and an executor.
"""

from __future__ import annotations

import importlib
from collections import deque
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
from wirecost.messaging.transport.ros2.adapter import DEPTH, Ros2
from wirecost.messaging.transport.shared.ros2_messages import array_head
from wirecost.system.waiting import wait_until

NAMES = ("raw-rclpy", "raw-ros2")
PLUGIN_ORDER = 5
RCLPY = "raw-rclpy"


def _kind() -> Any:
    return importlib.import_module("std_msgs.msg").UInt8MultiArray


class RawRos2Sender(base.TensorSender):
    def __init__(self, meeting: TensorMeeting) -> None:
        self._ros2 = Ros2(meeting.address)
        self._topic = self._ros2.topic(meeting.topic)

    def send(self, encoded: Array) -> None:
        self._topic.send([array_head(encoded.nbytes), raw_bytes(encoded)])
        self.number += 1

    def wait_for_receiver(self, timeout: float) -> bool:
        return self._topic.wait(timeout)

    def close(self) -> None:
        self._topic.close()
        self._ros2.close()


class RawRos2Receiver(base.TensorReceiver):
    def __init__(self, meeting: TensorMeeting) -> None:
        self._ros2 = Ros2(meeting.address)
        self._subscriber = self._ros2.subscriber(meeting.topic)

    def receive(self, timeout: float) -> ReceivedMessage | None:
        message = self._subscriber.take(timeout)
        return None if message is None else ReceivedMessage(None, message, len(message))

    def close(self) -> None:
        self._ros2.close()


class RclpySender(base.TensorSender):
    def __init__(self, meeting: TensorMeeting) -> None:
        self._ros2, self._kind = Ros2(meeting.address), _kind()
        self._publisher = self._ros2.node.create_publisher(self._kind, meeting.topic, DEPTH)

    def send(self, encoded: Array) -> None:
        message = self._kind()
        # Its setter would look at each byte of what is no array of Python's.
        message.data.frombytes(raw_bytes(encoded))
        self._publisher.publish(message)
        self.number += 1

    def wait_for_receiver(self, timeout: float) -> bool:
        return wait_until(lambda: self._publisher.get_subscription_count() > 0, timeout)

    def close(self) -> None:
        self._ros2.close()


class RclpyReceiver(base.TensorReceiver):
    def __init__(self, meeting: TensorMeeting) -> None:
        executors = importlib.import_module("rclpy.executors")
        self._ros2 = Ros2(meeting.address)
        node = self._ros2.node
        self._arrived: deque[Any] = deque()
        node.create_subscription(_kind(), meeting.topic, self._take, DEPTH)
        self._executor = executors.SingleThreadedExecutor(context=node.context)
        self._executor.add_node(node)

    def _take(self, message: Any) -> None:
        self._arrived.append(message)

    def receive(self, timeout: float) -> ReceivedMessage | None:
        if not self._arrived:
            self._executor.spin_once(timeout)
        if not self._arrived:
            return None
        data = memoryview(self._arrived.popleft().data)
        return ReceivedMessage(None, data, len(data))

    def close(self) -> None:
        self._executor.shutdown()
        self._ros2.close()


class RawRos2(TensorContender):
    takes_objects = False
    package = Ros2.package

    @contextmanager
    def meeting(self) -> Iterator[TensorMeeting]:
        with Ros2.server() as domain:
            yield TensorMeeting(domain)

    def sender(self, meeting: TensorMeeting) -> base.TensorSender:
        return RclpySender(meeting) if self.name == RCLPY else RawRos2Sender(meeting)

    def receiver(self, meeting: TensorMeeting) -> base.TensorReceiver:
        return RclpyReceiver(meeting) if self.name == RCLPY else RawRos2Receiver(meeting)


contender = RawRos2
