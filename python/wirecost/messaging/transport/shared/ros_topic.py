# SPDX-License-Identifier: Apache-2.0
"""Frames on a topic of ROS's own client libraries."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol

from wirecost.messaging.transport.base import Frame, Publisher


class RosTopic(Protocol):
    """A middleware's publisher, of messages in parts."""

    def send(self, parts: Sequence[Any]) -> None: ...
    def wait(self, timeout: float) -> bool: ...
    def close(self) -> None: ...


class RosPublisher(Publisher):
    def __init__(self, transport: str, topic: RosTopic) -> None:
        super().__init__()
        self._transport = transport
        self._topic = topic

    @abstractmethod
    def _parts(self, frame: Frame, trailer: bytes) -> Sequence[Any]:
        """Return the message's, around those of the frame."""

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        self._check_size(frame, self._transport)
        self._topic.send(self._parts(frame, trailer))
        return True

    def wait_for_subscriber(self, timeout: float) -> bool:
        return self._topic.wait(timeout)

    def close(self) -> None:
        self._topic.close()
        super().close()
