# SPDX-License-Identifier: Apache-2.0
"""Systems of nodes whose chains are known, as traces of LTTng. Times are milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from support.ctf_traces import EPOCH_NS, Event, in_order, write_trace

MS = 1_000_000
WAITED_MS = 0.5
"""From taking a message to its callback."""


@dataclass(frozen=True)
class Handle:
    """Handle of a callback or publisher, in its process."""

    process: int
    number: int
    owner: int = 0
    """A subscription's own handle."""


@dataclass(frozen=True)
class Message:
    """A message in flight: its source time stamp, when it is published, its header's stamp."""

    stamp: int
    at: float
    header: int = 0


class TracedSystem:
    """System whose traces are made up.

    ``has_identity``: publishers know the source time stamp, as since Jazzy; ``is_caret``: takes
    are recorded by CARET, with the stamps of headers."""

    def __init__(self, *, has_identity: bool = True, is_caret: bool = False) -> None:
        self.events: list[Event] = []
        self._next = 100
        self._at = 1000
        self.has_identity, self.is_caret = has_identity, is_caret

    def node(self, name: str, space: str = "/") -> Handle:
        handle = self._handle(0)
        new = Handle(handle.number, handle.number)
        self._born(new.process, "rcl_node_init", new.number, 1, name, space)
        return new

    def publisher(self, node: Handle, topic: str) -> Handle:
        handle = self._handle(node.process)
        own = handle.number
        self._born(node.process, "rcl_publisher_init", own, node.number, own + 50_000, topic, 10)
        return handle

    def subscription(self, node: Handle, topic: str, symbol: str = "Node::take()") -> Handle:
        owner = self._handle(node.process).number
        handle = self._handle(node.process, owner)
        process = node.process
        self._born(process, "rcl_subscription_init", owner, node.number, owner + 50_000, topic, 10)
        self._born(process, "rclcpp_subscription_init", owner, owner + 70_000)
        self._born(process, "rclcpp_subscription_callback_added", owner + 70_000, handle.number)
        self._born(process, "rclcpp_callback_register", handle.number, symbol)
        return handle

    def timer(self, node: Handle, period: float, symbol: str = "Node::tick()") -> Handle:
        owner = self._handle(node.process).number
        handle = self._handle(node.process)
        self._born(node.process, "rcl_timer_init", owner, round(period * MS))
        self._born(node.process, "rclcpp_timer_callback_added", owner, handle.number)
        self._born(node.process, "rclcpp_callback_register", handle.number, symbol)
        self._born(node.process, "rclcpp_timer_link_node", owner, node.number)
        return handle

    def link(self, kind: str, taken: Sequence[Handle], given: Sequence[Handle]) -> None:
        subscriptions = [handle.owner for handle in taken]
        publishers = [handle.number for handle in given]
        self._born(taken[0].process, f"message_link_{kind}", subscriptions, publishers)

    def run(
        self,
        callback: Handle,
        begin: float,
        end: float,
        *,
        took: Message | None = None,
        gave: Sequence[tuple[Handle, Message]] = (),
    ) -> None:
        """Record an execution, with the message that it took and those that it published."""
        if took is not None:
            self._take(callback, begin, took)
        self._add(begin, callback.process, "callback_start", callback.number, 0)
        for publisher, message in gave:
            self.publish(publisher, message)
        self._add(end, callback.process, "callback_end", callback.number)

    def publish(self, publisher: Handle, message: Message, thread: int = 0) -> None:
        """``thread``: another one than that of callbacks."""
        process, own = publisher.process, publisher.number
        stamp = message.stamp if self.has_identity else 0
        for delay, name, values in (
            (0.0, "rclcpp_publish", (6, message.header)),
            (0.001, "rcl_publish", (own, 6)),
            (0.1, "rmw_publish", (own + 50_000, 6, stamp)),
        ):
            self._add(message.at + delay, process, name, *values, thread=thread)

    def message(self, at: float, header: int = 0) -> Message:
        """One that is published at this time; its time stamp is taken within."""
        return Message(EPOCH_NS + round((at + 0.05) * MS), at, header)

    def write(self, folder: Path) -> None:
        write_trace(folder, in_order(self.events))

    def _take(self, callback: Handle, begin: float, message: Message) -> None:
        at, process = begin - WAITED_MS, callback.process
        if self.is_caret:
            values = (5, callback.number, message.stamp, message.header)
            self._add(at, process, "dispatch_subscription_callback", *values)
        else:
            self._add(at, process, "rmw_take", callback.owner + 50_000, 5, message.stamp, 1)
        assert at > message.at

    def _handle(self, process: int, owner: int = 0) -> Handle:
        self._next += 1
        return Handle(process, self._next, owner)

    def _born(self, process: int, name: str, *values: int | str | bytes | list[int]) -> None:
        self._at += 1
        self.events.append(Event(self._at, process, process, name, values))

    def _add(
        self, at: float, process: int, name: str, *values: int | str | bytes, thread: int = 0
    ) -> None:
        self.events.append(Event(round(at * MS), process, thread or process, name, values))
