# SPDX-License-Identifier: Apache-2.0
"""ROS 2 through rclpy: frames as ``std_msgs/UInt8MultiArray``, already serialized.

``dds`` reaches the same nodes without ROS 2 being installed.
"""

from __future__ import annotations

import importlib
import secrets
import threading
from collections.abc import Sequence
from typing import Any, ClassVar

from wirecost.errors import UserError
from wirecost.transport.base import Capabilities, Frame, Publisher, Transport
from wirecost.transport.package import Package
from wirecost.transport.shared.images import ImagePublisher
from wirecost.transport.shared.inbox import wait_until
from wirecost.transport.shared.inbox_based import InboxSubscriber
from wirecost.transport.shared.ros2_messages import array_data, array_head, image_message
from wirecost.transport.shared.ros_topic import RosPublisher

_DEPTH = 16


def _quality(depth: int) -> Any:
    qos = importlib.import_module("rclpy.qos")
    return qos.QoSProfile(
        depth=depth,
        history=qos.HistoryPolicy.KEEP_LAST,
        reliability=qos.ReliabilityPolicy.RELIABLE,
        durability=qos.DurabilityPolicy.VOLATILE,
    )


class _Topic:
    """A publisher of rclpy's that takes serialized messages."""

    def __init__(self, node: Any, kind: Any, topic: str) -> None:
        self._node = node
        self._publisher = node.create_publisher(kind, topic, _quality(_DEPTH))

    def send(self, parts: Sequence[Any]) -> None:
        self._publisher.publish(b"".join(parts))

    def wait(self, timeout: float) -> bool:
        return wait_until(lambda: self._publisher.get_subscription_count() > 0, timeout)

    def close(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            self._node.destroy_publisher(publisher)


class _Publisher(RosPublisher):
    def _parts(self, frame: Frame, trailer: bytes) -> Sequence[Any]:
        return [array_head(frame.nbytes + len(trailer)), *frame.parts(), trailer]


class _Subscriber(InboxSubscriber):
    def __init__(self, node: Any, kind: Any, topic: str, depth: int) -> None:
        super().__init__(depth)
        self._node = node
        self._subscription = node.create_subscription(
            kind, topic, self._take, _quality(depth), raw=True
        )

    def _take(self, message: bytes) -> None:
        self.inbox.put(array_data(message))

    def close(self) -> None:
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            self._node.destroy_subscription(subscription)
        super().close()


class Ros2(Transport):
    name = "ros2"
    title = "ROS 2"
    package = Package(
        "rclpy",
        ("rclpy",),
        "see docs.ros.org, then source its setup.bash; dds reaches ROS 2's nodes without it",
    )
    address_form = "DOMAIN"
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=3,
        receive_copies=2,
        aligned=False,
        request_reply=False,
        other_machines=True,
        full="as ROS 2's reliable quality of service of depth 16; of what waits at the subscriber"
        " the oldest is lost",
        not_exercised="written after rclpy's documentation: ROS 2 is not in Debian; dds carries"
        " the same messages and is tested",
        exposed="what ROS 2 opens as it is set up",
    )

    def __init__(self, address: str | None = None) -> None:
        """``address``: the domain's number, else ``ROS_DOMAIN_ID``, else 0."""
        super().__init__(address)
        if address is not None and not (address.isascii() and address.isdecimal()):
            raise UserError(f"address {address!r}: the number of a ROS domain is needed")
        rclpy = importlib.import_module("rclpy")
        executors = importlib.import_module("rclpy.executors")
        signals = importlib.import_module("rclpy.signals")
        self._context = rclpy.Context()
        rclpy.init(
            context=self._context,
            domain_id=None if address is None else int(address),
            signal_handler_options=signals.SignalHandlerOptions.NO,
        )
        self._node = rclpy.create_node(f"wirecost_{secrets.token_hex(4)}", context=self._context)
        self._executor = executors.SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()
        self._closed = False

    def _kind(self, package: str, name: str) -> Any:
        return getattr(importlib.import_module(f"{package}.msg"), name)

    def publisher(self, topic: str) -> Publisher:
        return _Publisher(
            self.name, _Topic(self._node, self._kind("std_msgs", "UInt8MultiArray"), topic)
        )

    def image_publisher(self, topic: str) -> ImagePublisher:
        """Publishes arrays as ``sensor_msgs/Image``."""
        kind = self._kind("sensor_msgs", "Image")
        return ImagePublisher(_Topic(self._node, kind, topic), image_message)

    def subscriber(self, topic: str, *, depth: int = 16) -> InboxSubscriber:
        return _Subscriber(self._node, self._kind("std_msgs", "UInt8MultiArray"), topic, depth)

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        self._executor.shutdown()
        self._thread.join(2)
        self._node.destroy_node()
        self._context.try_shutdown()


TRANSPORTS = [Ros2]
