# SPDX-License-Identifier: Apache-2.0
"""DDS by Fast DDS, on topics that nodes of ROS 2 read.

Frames are ``std_msgs/UInt8MultiArray``. Messages go over UDP on loopback, or on the given
interface.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher, Subscriber, Transport
from wirecost.messaging.transport.meeting import InDomain
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.settings import DEFAULT, AskedQuality, TransportSetting, matched
from wirecost.messaging.transport.shared.inbox_based import InboxReplier, InboxRequester
from wirecost.messaging.transport.shared.ros2_messages import array_data, array_head
from wirecost.system.errors import UserError
from wirecost.system.free_domain import FreeDomain
from wirecost.system.waiting import wait_until

if TYPE_CHECKING:
    from wirecost import _dds

_LOOPBACK = "127.0.0.1"
_LAST_DOMAIN = 232
_MOST_BYTES = 1 << 30
_DEPTH = 16
_TURN_S = 0.1
_NAME = re.compile(r"/?[A-Za-z0-9_]+(/[A-Za-z0-9_]+)*")
_BYTES = "std_msgs::msg::dds_::UInt8MultiArray_"


def _topic(kind: str, name: str, end: str = "") -> str:
    """Name a topic in DDS as ROS 2 does."""
    if not _NAME.fullmatch(name) or len(name) > 200:
        raise UserError(
            f"topic {name!r}: ROS 2's are words of letters, digits and _ with / between"
        )
    return f"{kind}/{name.removeprefix('/')}{end}"


class _Messages:
    """Inbox of a topic's messages; Fast DDS's thread puts them there."""

    def __init__(
        self, participant: _dds.Participant, topic: str, depth: int, quality: Quality = OWN
    ) -> None:
        from wirecost import _dds  # noqa: PLC0415

        self._depth = depth
        self._keeps_all = quality.waits() and not quality.get("keep_last", False)
        self._waiting: deque[_dds.Received] = deque()
        qos = _qos(quality, quality.waits(own=True))
        self._inbox = _dds.Inbox(participant, topic, _BYTES, qos, b"", _MOST_BYTES)

    def take(self, timeout: float | None) -> Any:
        """Return the data of the oldest message, or None after ``timeout`` seconds."""
        end = None if timeout is None else time.monotonic() + timeout
        # In turns, between which Ctrl-C is handled.
        while not self._waiting:
            turn_s = _TURN_S if end is None else max(0.0, min(_TURN_S, end - time.monotonic()))
            self._fetch(turn_s)
            if not self._waiting and end is not None and time.monotonic() >= end:
                return None
        self._fetch(0)
        while not self._keeps_all and len(self._waiting) > self._depth:
            self._waiting.popleft()
        return array_data(self._waiting.popleft())

    def _fetch(self, timeout: float) -> None:
        self._waiting.extend(self._inbox.take_views(timeout))

    def writers(self) -> int:
        return self._inbox.writers()

    def close(self) -> None:
        self._inbox.close()


def _qos(quality: Quality, reliable: bool) -> _dds.Qos:
    """Keep all where nothing may get lost, unless the option ``keep_last`` says otherwise."""
    from wirecost import _dds  # noqa: PLC0415

    keeps_all = quality.waits() and not quality.get("keep_last", False)
    depth = 0 if keeps_all else quality.room(_DEPTH, 1)
    return _dds.Qos(reliable=reliable, transient_local=False, depth=depth)


def _found(writer: _dds.Writer) -> bool:
    """Return whether a reader is there that will get what is sent now."""
    return writer.readers() > writer.unconfirmed()


def _writer(participant: _dds.Participant, topic: str, quality: Quality = OWN) -> _dds.Writer:
    from wirecost import _dds  # noqa: PLC0415

    # The makers chose reliable writers, and readers that are not.
    qos = _qos(quality, quality.waits(own=True, makers=True))
    return _dds.Writer(participant, topic, _BYTES, qos, b"")


def _wrapped(data: bytes) -> bytes:
    return array_head(len(data)) + data


class _DdsPublisher(Publisher):
    def __init__(self, participant: _dds.Participant, topic: str, quality: Quality) -> None:
        super().__init__()
        self._writer = _writer(participant, topic, quality)

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        size = frame.nbytes + len(trailer)
        self._check_size(frame, "dds", len(trailer) + 64)
        before = self._writer.dropped
        self._writer.send_pieces([array_head(size), *frame.parts(), trailer])
        return self._writer.dropped == before

    def wait_for_subscriber(self, timeout: float) -> bool:
        return wait_until(lambda: _found(self._writer), timeout)

    def close(self) -> None:
        self._writer.close()
        super().close()


class _DdsSubscriber(Subscriber):
    def __init__(
        self, participant: _dds.Participant, topic: str, depth: int, quality: Quality
    ) -> None:
        super().__init__()
        self._messages = _Messages(participant, topic, depth, quality)

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        message = self._messages.take(timeout)
        return None if message is None else (message, None)

    def close(self) -> None:
        self._messages.close()


class _DdsRequester(InboxRequester):
    def __init__(self, participant: _dds.Participant, service: str) -> None:
        super().__init__(service)
        self._writer = _writer(participant, _topic("rq", service, "Request"))
        self._messages = _Messages(participant, _topic("rr", service, "Reply"), 64)

    def _next(self, timeout: float) -> Any:
        return self._messages.take(timeout)

    def _send(self, message: bytes) -> None:
        self._writer.send(_wrapped(message))

    def wait_for_replier(self, timeout: float) -> bool:
        return wait_until(lambda: _found(self._writer) and self._messages.writers() > 0, timeout)

    def close(self) -> None:
        self._writer.close()
        self._messages.close()


class _DdsReplier(InboxReplier):
    def __init__(self, participant: _dds.Participant, service: str) -> None:
        super().__init__()
        self._writer = _writer(participant, _topic("rr", service, "Reply"))
        self._messages = _Messages(participant, _topic("rq", service, "Request"), 64)

    def _next(self, timeout: float | None) -> Any:
        message = self._messages.take(timeout)
        return message and (message, self._reply)

    def _reply(self, message: bytes) -> None:
        self._writer.send(_wrapped(message))

    def close(self) -> None:
        self._writer.close()
        self._messages.close()


class Dds(Transport):
    name = "dds"
    title = "DDS"
    package = Package(
        "libfastrtps-dev",
        ("wirecost._dds",),
        "apt install libfastrtps-dev, then build wirecost again",
        debian=True,
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=2,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="the writer keeps 16 frames for readers that lost a part; of what waits at the"
        " subscriber the oldest is lost",
        exposed="every user of this machine can join its domain on loopback",
    )

    def __init__(self, address: str | None = None) -> None:
        """Join a domain.

        ``address``: the domain's number, and after an @ the address of a network interface; else
        ``ROS_DOMAIN_ID``, or 0, on loopback.
        """
        super().__init__(address)
        from wirecost import _dds  # noqa: PLC0415

        text, _, interface = (address or os.environ.get("ROS_DOMAIN_ID") or "0").partition("@")
        if not (text.isascii() and text.isdecimal() and int(text) <= _LAST_DOMAIN):
            raise UserError(
                f"address {text!r}: a DDS domain is needed, 0 to {_LAST_DOMAIN}, as 5 or 5@10.0.0.1"
            )
        interface = interface or _LOOPBACK
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind((interface, 0))
            self._participant = _dds.Participant(int(text), "wirecost", b"", [interface])
        except OSError as error:
            raise UserError(
                f"address {address!r}: {interface} is no interface's here ({error.strerror})"
            ) from error
        except RuntimeError as error:
            raise UserError(f"dds: {error}") from error

    @classmethod
    @contextmanager
    def server(cls) -> Iterator[str | None]:
        with FreeDomain() as domain:
            yield str(domain.number)

    def publisher(self, topic: str) -> Publisher:
        return self._kept(_DdsPublisher(self._participant, _topic("rt", topic), self.quality))

    def subscriber(self, topic: str, *, depth: int = 16) -> Subscriber:
        return self._kept(
            _DdsSubscriber(self._participant, _topic("rt", topic), depth, self.quality)
        )

    def requester(self, service: str) -> InboxRequester:
        return self._kept(_DdsRequester(self._participant, service))

    def replier(self, service: str) -> InboxReplier:
        return self._kept(_DdsReplier(self._participant, service))

    def close(self) -> None:
        super().close()
        self._participant.close()


def dds_settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of any DDS."""
    repaired = "RELIABLE: lost parts are asked for"
    keep = f"KEEP_LAST {asked.queue}"
    return [
        TransportSetting(
            DEFAULT, "BEST_EFFORT reader, RELIABLE writer", "KEEP_LAST 1", "KEEP_LAST 1", "lost",
            options={"depth": 1},
        ),
        matched(
            asked,
            (repaired, "the writer waits, for 100 ms at most"),
            ("BEST_EFFORT", "lost"),
            sender="KEEP_ALL, 64" if asked.reliable else keep,
            receiver="KEEP_ALL" if asked.reliable else keep,
            in_program="RELIABLE and KEEP_ALL at both ends; writer: max_samples 64,"
            " max_blocking_time 100 ms",
        ),
        TransportSetting(
            "ros2", repaired, "KEEP_LAST 10", "KEEP_LAST 10", "the writer's oldest is lost",
            reliable=True, queue=10, options={"keep_last": True},
        ),
    ]  # fmt: skip


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client.

    Its makers would take shared memory on one machine, which neither client does.
    """
    changed = "UDP alone instead of shared memory", "socket buffers of 64 MiB"
    default, *others = dds_settings(asked)
    return [replace(default, changed_defaults=changed), *others]


TRANSPORTS = (Dds,)
MEETINGS = {"dds": InDomain()}
PLUGIN_ORDER = 8
