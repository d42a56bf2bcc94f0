# SPDX-License-Identifier: Apache-2.0
"""ROS 2 through rclpy: frames as ``std_msgs/UInt8MultiArray``, already serialized.

``dds`` reaches the same nodes without ROS 2 being installed.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import re
import secrets
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher, Subscriber, Transport
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import Quality
from wirecost.messaging.transport.ros2.serialized import SerializedPublisher, SerializedSubscription
from wirecost.messaging.transport.ros2.surroundings import discovery, shared_memory
from wirecost.messaging.transport.shared.ros2_messages import array_data, array_head
from wirecost.messaging.transport.shared.ros_topic import RosPublisher, RosTopic
from wirecost.messaging.transport.shared.shared_memory import FOLDER
from wirecost.system.errors import UserError
from wirecost.system.free_domain import FreeDomain
from wirecost.system.waiting import wait_until

DEPTH = 16
_MAKERS_DEPTH = 10
_LAST_DOMAIN = 232
_TURN_NS = 100_000_000
_CONFIRM_S = 1


def _kind() -> Any:
    return importlib.import_module("std_msgs.msg").UInt8MultiArray


def _qos(quality: Quality, depth: int) -> Any:
    qos = importlib.import_module("rclpy.qos")
    reliable = quality.waits(own=True, makers=True)
    return qos.QoSProfile(
        depth=quality.room(depth, _MAKERS_DEPTH),
        history=qos.HistoryPolicy.KEEP_LAST,
        reliability=getattr(qos.ReliabilityPolicy, "RELIABLE" if reliable else "BEST_EFFORT"),
        durability=qos.DurabilityPolicy.VOLATILE,
    )


@contextmanager
def _errors(what: str) -> Iterator[None]:
    """Make those of rclpy UserErrors."""
    try:
        yield
    except Exception as error:  # its own have no common base
        lines = str(error).splitlines() or [type(error).__name__]
        raise UserError(f"ros2: {what}: {lines[0]}") from error


class _Ros2Topic:
    """A publisher of rclpy's."""

    def __init__(self, node: Any, topic: str, quality: Quality) -> None:
        self._node = node
        qos = _qos(quality, DEPTH)
        with _errors(f"topic {topic!r}"):
            self._publisher = node.create_publisher(_kind(), topic, qos)
        self._messages = SerializedPublisher(self._publisher)
        self._confirmed = True

    def send(self, parts: Sequence[Any]) -> None:
        view = self._messages.room(sum(map(len, parts)))
        at = 0
        for part in parts:
            view[at : at + len(part)] = part
            at += len(part)
        self._messages.publish()
        if not self._confirmed:
            self._confirmed = True
            # A subscriber that was just found may not have found this publisher yet: until it has
            # the first message, more than the depth would overwrite that.
            duration = importlib.import_module("rclpy.duration").Duration
            self._publisher.wait_for_all_acked(duration(seconds=_CONFIRM_S))

    def wait(self, timeout: float) -> bool:
        self._confirmed = False
        return wait_until(lambda: self._publisher.get_subscription_count() > 0, timeout)

    def close(self) -> None:
        publisher, self._publisher = self._publisher, None
        if publisher is not None:
            self._node.destroy_publisher(publisher)


class _Ros2Publisher(RosPublisher):
    def _parts(self, frame: Frame, trailer: bytes) -> Sequence[Any]:
        return [array_head(frame.nbytes + len(trailer)), *frame.parts(), trailer]


class Ros2Subscriber(Subscriber):
    """Subscriber that takes messages in the receiving thread: no executor is between."""

    def __init__(self, node: Any, topic: str, depth: int, quality: Quality) -> None:
        super().__init__()
        self._node = node
        qos = _qos(quality, depth)
        with _errors(f"topic {topic!r}"):
            self._subscription = node.create_subscription(_kind(), topic, print, qos, raw=True)
        self._messages = SerializedSubscription(self._subscription)
        library = importlib.import_module("rclpy.impl.implementation_singleton")
        wait_set = library.rclpy_implementation.WaitSet
        self._wait_set = wait_set(1, 0, 0, 0, 0, 0, node.context.handle)

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        message = self.take(timeout)
        return None if message is None else (message, None)

    def take(self, timeout: float | None) -> memoryview | None:
        """Return the oldest message's data, or None after ``timeout`` seconds."""
        if (message := self._messages.take()) is not None:
            return array_data(message)
        end = None if timeout is None else time.monotonic_ns() + int(timeout * 1e9)
        # In turns, between which Ctrl-C is handled.
        while (turn_ns := _TURN_NS if end is None else end - time.monotonic_ns()) > 0:
            self._wait(min(turn_ns, _TURN_NS))
            if (message := self._messages.take()) is not None:
                return array_data(message)
        return None

    def _wait(self, nanoseconds: int) -> None:
        handle = self._subscription.handle
        with handle:
            self._wait_set.clear_entities()
            self._wait_set.add_subscription(handle)
            self._wait_set.wait(nanoseconds)

    def close(self) -> None:
        subscription, self._subscription = self._subscription, None
        if subscription is not None:
            self._node.destroy_subscription(subscription)


class Ros2(Transport):
    name = "ros2"
    title = "ROS 2"
    package = Package(
        "rclpy",
        ("rclpy", "std_msgs"),
        "pip install 'wirecost[ros2]', or source the setup.bash of a ROS 2 that is installed; dds"
        " reaches ROS 2's nodes without it",
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=3,
        receive_copies=3,
        aligned=False,
        request_reply=False,
        other_machines=True,
        full="as ROS 2's reliable quality of service of depth 16: the oldest is lost, at either"
        " end",
        exposed="every user of this machine can join its domain on loopback and read its shared"
        " memory; other machines can join if ROS_AUTOMATIC_DISCOVERY_RANGE or ROS_STATIC_PEERS"
        " names them",
    )

    def __init__(self, address: str | None = None) -> None:
        """Join a domain.

        ``address``: the domain's number, else ``ROS_DOMAIN_ID``, else 0; after an @ another
        machine, or several with ; between, as in ``ROS_STATIC_PEERS``.
        """
        super().__init__(address)
        domain, peers = _parsed(address)
        rclpy = importlib.import_module("rclpy")
        sweep()
        self._context = rclpy.Context()
        with _errors("cannot be set up"), discovery(peers):
            # Neither the program's own arguments nor log files nor signals are ROS 2's here.
            self._context.init([], initialize_logging=False, domain_id=domain)
            with shared_memory():
                self.node = rclpy.create_node(
                    f"wirecost_{secrets.token_hex(4)}",
                    context=self._context,
                    use_global_arguments=False,
                    enable_rosout=False,
                    start_parameter_services=False,
                )

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        with FreeDomain() as domain:
            yield str(domain.number)

    def topic(self, topic: str) -> RosTopic:
        """Return a publisher of serialized messages. Raises UserError."""
        return _Ros2Topic(self.node, topic, self.quality)

    def publisher(self, topic: str) -> Publisher:
        return self._kept(_Ros2Publisher(self.name, self.topic(topic)))

    def subscriber(self, topic: str, *, depth: int = 16) -> Ros2Subscriber:
        return self._kept(Ros2Subscriber(self.node, topic, depth, self.quality))

    def close(self) -> None:
        super().close()
        if self._context.ok():
            self.node.destroy_node()
            self._context.try_shutdown()


def _parsed(address: str | None) -> tuple[int, str]:
    """Return the domain, and the other machines as ROS 2 takes them. Raises UserError."""
    text, at, peers = (address or "").partition("@")
    text = text or os.environ.get("ROS_DOMAIN_ID") or "0"
    if not (text.isascii() and text.isdecimal() and int(text) <= _LAST_DOMAIN):
        raise UserError(
            f"address {text!r}: a ROS domain is needed, 0 to {_LAST_DOMAIN}, as 5 or 5@10.0.0.2"
        )
    for peer in peers.split(";") if at else []:
        try:
            socket.getaddrinfo(peer, 0, socket.AF_INET)
        except OSError as error:
            raise UserError(
                f"address {address!r}: {peer!r} is no machine's name or address"
            ) from error
    return int(text), peers


_LOCK = re.compile(r"(fastrtps|fastdds)_[0-9a-f]{16}_el")
"""Lock of the memory that one participant writes messages into, which holds it while it lives.

Those of ports are everybody's who writes to them, and the next participant takes them over.
"""
_OLD_S = 2
"""Younger files may be somebody's who is about to lock them."""


def sweep(folder: Path = FOLDER) -> None:
    """Remove what this user's dead participants left in shared memory; Fast DDS does not."""
    for lock in folder.glob("fast*_el"):
        if _LOCK.fullmatch(lock.name) and _is_dead(lock):
            with suppress(OSError):
                lock.with_name(lock.name.removesuffix("_el")).unlink(missing_ok=True)
                lock.unlink()


def _is_dead(lock: Path) -> bool:
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        status = os.fstat(descriptor)
        if status.st_uid != os.getuid() or time.time() - status.st_ctime < _OLD_S:
            return False
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
