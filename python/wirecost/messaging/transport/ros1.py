# SPDX-License-Identifier: Apache-2.0
"""ROS 1 through rospy: frames as ``std_msgs/UInt8MultiArray``.

The messages' bytes are written and taken as they are, past genpy's tuples of numbers.
"""

from __future__ import annotations

import functools
import importlib
import os
import struct
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher, Transport
from wirecost.messaging.transport.meeting import AtServer
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.settings import (
    DEEP,
    DEFAULT,
    TCP,
    UNLIMITED,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.shared.inbox_based import InboxSubscriber
from wirecost.messaging.transport.shared.ros_topic import RosPublisher
from wirecost.messaging.transport.shared.server_process import (
    NoServerError,
    program,
    reachable,
    running,
)
from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

_MASTER = "http://127.0.0.1:11311"
_QUEUE = 16
_READ_BYTES = 1 << 20
_ARRAY = struct.Struct("<III")
"""Layout of a UInt8MultiArray: no dimensions, no offset, bytes of the data, which follow."""
_PAD = bytes(4)
"""Puts the frame on a multiple of 16 of the message."""

_node_lock = threading.Lock()
_node_of: str | None = None
"""The master of this process's node; rospy has one in a process, for ever."""


def _host(address: str) -> tuple[str, int]:
    parts = urllib.parse.urlsplit(address)
    with suppress(ValueError):
        if parts.scheme == "http" and parts.hostname and parts.port:
            return parts.hostname, parts.port
    raise UserError(f"address {address!r}: the master's is needed, http://host:port")


def _node(master: str) -> Any:
    """Return rospy, as a node of that master."""
    global _node_of  # noqa: PLW0603
    import rospy  # noqa: PLC0415

    with _node_lock:
        host, port = _host(master)
        if not reachable(host, port):
            raise UserError(f"no ROS master at {master}: start roscore, or set ROS_MASTER_URI")
        if _node_of not in {None, master}:
            raise UserError(
                f"ros1: this process is a node of {_node_of} already, and can be none of {master}:"
                " use another process"
            )
        if _node_of is None:
            os.environ["ROS_MASTER_URI"] = master
            if host in {"127.0.0.1", "localhost"} and "ROS_IP" not in os.environ:
                os.environ.setdefault("ROS_HOSTNAME", "127.0.0.1")
            rospy.init_node(
                "wirecost", argv=[], anonymous=True, disable_signals=True, disable_rosout=True
            )
            _node_of = master
            threading.Thread(target=_end_with_program, daemon=True).start()
    return rospy


def _end_with_program() -> None:
    import rospy  # noqa: PLC0415

    # rospy's threads would keep a program alive that forgets close().
    threading.main_thread().join()
    rospy.signal_shutdown("the program ends")


@functools.cache
def _raw() -> type[Any]:
    """Return a message class that rospy takes for the generated one, but whose content is bytes."""
    generated: Any = importlib.import_module("std_msgs.msg").UInt8MultiArray

    class Raw(generated):  # type: ignore[misc]
        __slots__ = ("parts",)

        def __init__(self, parts: Sequence[Any] = ()) -> None:
            self.parts = parts

        def serialize(self, buff: Any) -> None:
            for part in self.parts:
                buff.write(part)

        def deserialize(self, data: bytes) -> Any:
            self.parts = (data,)
            return self

    return Raw


class _Ros1Topic:
    """A publisher of rospy's; each connection has a queue and a thread."""

    def __init__(self, rospy: Any, topic: str, queue: int | None) -> None:
        """Queue so many messages for each connection; None writes to the socket and waits."""
        try:
            self.publisher = rospy.Publisher(topic, _raw(), queue_size=queue, tcp_nodelay=True)
        except ValueError as error:
            raise UserError(f"topic {topic!r}: not a name of ROS ({error})") from error
        self._closed = False

    def send(self, parts: Sequence[Any]) -> None:
        self.publisher.publish(_raw()(parts))

    def wait(self, timeout: float) -> bool:
        return wait_until(lambda: self.publisher.get_num_connections() > 0, timeout)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self.publisher.unregister()


class _Ros1Publisher(RosPublisher):
    def _parts(self, frame: Frame, trailer: bytes) -> Sequence[Any]:
        size = len(_PAD) + frame.nbytes + len(trailer)
        return [_ARRAY.pack(0, 0, size), _PAD, *frame.parts(), self.trailer(len(_PAD))]


class _Ros1Subscriber(InboxSubscriber):
    def __init__(self, rospy: Any, topic: str, depth: int, waits: bool) -> None:
        super().__init__(depth, waits)
        try:
            self._subscriber: Any = rospy.Subscriber(
                topic, _raw(), self._take, buff_size=_READ_BYTES, tcp_nodelay=True
            )
        except ValueError as error:
            raise UserError(f"topic {topic!r}: not a name of ROS ({error})") from error

    def _take(self, message: Any) -> None:
        self.inbox.put(message.parts[0])

    def _receive(self, timeout: float | None) -> tuple[Any, Callable[[], object] | None] | None:
        message = self.inbox.take(timeout)
        if message is None:
            return None
        if len(message) >= _ARRAY.size and _ARRAY.unpack_from(message)[0] == 0:
            message = memoryview(message)[_ARRAY.size :]
        return message, None

    def close(self) -> None:
        subscriber, self._subscriber = self._subscriber, None
        if subscriber is not None:
            subscriber.unregister()
        super().close()


class Ros1(Transport):
    name = "ros1"
    title = "ROS 1"
    package = Package(
        "python3-rospy",
        ("rospy", "std_msgs"),
        "apt install python3-rospy python3-std-msgs python3-sensor-msgs (with system packages)",
        debian=True,
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=1,
        receive_copies=2,
        aligned=False,
        request_reply=False,
        other_machines=True,
        full="the publisher's queue of 16 for each connection loses its oldest, then the"
        " subscriber's does",
        server="roscore",
        exposed="every user of this machine can connect to its ports on loopback; so can other"
        " machines if ROS_HOSTNAME or ROS_IP names another address, or the master is elsewhere",
    )

    def __init__(self, address: str | None = None) -> None:
        """Join a master at ``address``, else ``ROS_MASTER_URI``, else the usual one on loopback."""
        super().__init__(address)
        self._rospy = _node((address or os.environ.get("ROS_MASTER_URI") or _MASTER).rstrip("/"))

    @classmethod
    def no_server(cls) -> str | None:
        return None if program("rosmaster") else "no rosmaster: apt install python3-rosmaster"

    @classmethod
    @contextmanager
    def server_at(cls, host: str) -> Iterator[str | None]:
        master = program("rosmaster")
        if master is None:
            raise NoServerError(f"ros1: {cls.no_server()}")
        with scratch.folder("ros1") as folder:
            environment = {
                **os.environ,
                "ROS_HOSTNAME": host,
                "ROS_LOG_DIR": str(folder),
                "PYTHONUNBUFFERED": "1",
            }

            def command(port: int) -> list[str]:
                return [master, "--core", "-p", str(port)]

            with running(command, folder / "out", environment, host) as port:
                yield f"http://{host}:{port}"

    def publisher(self, topic: str) -> Publisher:
        queue = None if self.quality.waits(makers=True) else self.quality.room(_QUEUE, _QUEUE)
        return _Ros1Publisher(self.name, _Ros1Topic(self._rospy, topic, queue))

    def subscriber(self, topic: str, *, depth: int = 16) -> InboxSubscriber:
        return _Ros1Subscriber(self._rospy, topic, depth, self.quality.waits())


_ROSPY = "none: rospy writes to the socket"
_OLDEST_OF_BOTH = "the oldest of the publisher's queue, then of the subscriber's, is lost"


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    return [
        TransportSetting(
            DEFAULT,
            TCP,
            _ROSPY,
            UNLIMITED,
            "the publisher waits",
            True,
            options={"depth": DEEP},
            changed_defaults=("tcp_nodelay True", f"buff_size {_READ_BYTES}"),
        ),
        matched(
            asked,
            (TCP, "the publisher waits"),
            (TCP, _OLDEST_OF_BOTH),
            sender=_ROSPY if asked.reliable else "",
            in_program="rospy: queue_size=None; a callback that waits for room in a queue of"
            f" {asked.queue}",
        ),
    ]


def native_settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the native client.

    roscpp never waits, whatever is asked for.
    """
    most = "100000, 1 GiB"
    lost = TCP, _OLDEST_OF_BOTH
    return [
        TransportSetting(DEFAULT, TCP, most, most, _OLDEST_OF_BOTH),
        matched(asked, lost, lost, promise=False),
    ]


TRANSPORTS = (Ros1,)
MEETINGS = {"ros1": AtServer("ROS_IP")}
PLUGIN_ORDER = 9
