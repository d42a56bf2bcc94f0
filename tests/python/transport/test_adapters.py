# SPDX-License-Identifier: Apache-2.0
"""The adapters of middlewares that are not there, over stand-ins with the documented calls."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from wirecost.errors import UserError
from wirecost.tensor import decode, encode
from wirecost.transport import find, open_transport


@pytest.mark.parametrize(("name", "remedy"), [("ros2", "setup.bash")])
def test_what_is_missing_is_named(name: str, remedy: str) -> None:
    kind = find(name)
    assert kind.capabilities.not_exercised
    why = kind.missing()
    if why is None:
        pytest.skip(f"{name} is installed")
    assert remedy in why
    assert "\n" not in why
    with pytest.raises(UserError, match=remedy):
        open_transport(name)


class Node:
    """A node of ROS 2 that hears itself."""

    def __init__(self, name: str, context: Any) -> None:
        assert name.startswith("wirecost_")
        self.context = context
        self.callbacks: dict[str, list[Callable[[bytes], None]]] = {}

    def create_publisher(self, kind: Any, topic: str, quality: Any) -> Any:
        assert kind is not None
        assert quality.depth == 16

        def publish(message: bytes) -> None:
            assert type(message) is bytes
            for callback in self.callbacks.get(topic, []):
                callback(message)

        return SimpleNamespace(
            publish=publish, get_subscription_count=lambda: len(self.callbacks.get(topic, []))
        )

    def create_subscription(
        self, kind: Any, topic: str, callback: Any, quality: Any, *, raw: bool
    ) -> Any:
        assert kind is not None
        assert raw
        assert quality.reliability == "reliable"
        self.callbacks.setdefault(topic, []).append(callback)
        return topic, callback

    def destroy_publisher(self, publisher: Any) -> None:
        assert publisher is not None

    def destroy_subscription(self, subscription: tuple[str, Any]) -> None:
        self.callbacks[subscription[0]].remove(subscription[1])

    def destroy_node(self) -> None:
        assert not any(self.callbacks.values())


class Executor:
    def __init__(self, context: Any) -> None:
        assert context is not None

    def add_node(self, node: Any) -> None:
        assert isinstance(node, Node)

    def spin(self) -> None:
        pass

    def shutdown(self) -> None:
        pass


def module(monkeypatch: pytest.MonkeyPatch, name: str, **content: Any) -> None:
    made = ModuleType(name)
    made.__dict__.update(content)
    monkeypatch.setitem(sys.modules, name, made)


@pytest.fixture
def ros2(monkeypatch: pytest.MonkeyPatch) -> Any:
    module(
        monkeypatch,
        "rclpy",
        Context=lambda: SimpleNamespace(try_shutdown=lambda: None),
        init=lambda **_: None,
        create_node=Node,
    )
    module(monkeypatch, "rclpy.executors", SingleThreadedExecutor=Executor)
    module(monkeypatch, "rclpy.signals", SignalHandlerOptions=SimpleNamespace(NO=0))
    module(
        monkeypatch,
        "rclpy.qos",
        QoSProfile=SimpleNamespace,
        HistoryPolicy=SimpleNamespace(KEEP_LAST="last"),
        ReliabilityPolicy=SimpleNamespace(RELIABLE="reliable"),
        DurabilityPolicy=SimpleNamespace(VOLATILE="volatile"),
    )
    module(monkeypatch, "std_msgs.msg", UInt8MultiArray="bytes")
    module(monkeypatch, "sensor_msgs.msg", Image="image")
    return find("ros2")


def test_ros2_carries_frames_and_images(ros2: Any) -> None:
    with ros2("5") as transport:
        with transport.publisher("/x") as publisher, transport.subscriber("/x") as subscriber:
            assert publisher.wait_for_subscriber(1)
            for size in [0, 3, 1000]:
                publisher.send(encode(np.arange(size)))
                assert np.array_equal(decode(subscriber.receive(1).buffer), np.arange(size))
            assert subscriber.count.received == 3
            assert subscriber.receive(0) is None
        received: list[bytes] = []
        transport._node.create_subscription(
            "image", "/y", received.append, SimpleNamespace(reliability="reliable"), raw=True
        )
        images = transport.image_publisher("/y")
        images.send(np.zeros((2, 3), np.uint8), stamp_ns=1)
        assert len(received[0]) % 4 == 2  # six pixels behind multiples of four
        images.close()
        transport._node.callbacks.clear()


def test_ros2_wants_a_number(ros2: Any) -> None:
    with pytest.raises(UserError, match="number of a ROS domain"):
        ros2("a")
