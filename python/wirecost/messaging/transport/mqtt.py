# SPDX-License-Identifier: Apache-2.0
"""MQTT 5 over a broker, at most once (QoS 0): retained messages show who is there."""

from __future__ import annotations

import secrets
import socket
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar

from wirecost.messaging.transport.base import Capabilities, Frame, Publisher
from wirecost.messaging.transport.meeting import AtServer
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.settings import (
    DEEP,
    DEFAULT,
    MATCHED,
    OLDEST,
    UNLIMITED,
    AskedQuality,
    TransportSetting,
    matched,
)
from wirecost.messaging.transport.shared.broker_based import BrokerTransport, Linked
from wirecost.messaging.transport.shared.inbox_based import (
    InboxReplier,
    InboxRequester,
    InboxSubscriber,
    joined,
)
from wirecost.messaging.transport.shared.server_process import host_and_port
from wirecost.messaging.transport.shared.trailer import TRAILER
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

_MAX_BYTES = 268_435_455
"""MQTT's own limit, of a packet."""
_WAITING = 16
"""Frames that wait for the broker to take them."""
_NO_LIMIT = 1 << 20
_ANSWER_S = 10
_PORT = 1883
_CHANGED_DEFAULTS = (
    "mosquitto: persistence false", f"max_packet_size {_MAX_BYTES}", "max_queued_messages 1000",
    "set_tcp_nodelay true", "paho: TCP_NODELAY 1", "reconnect_delay_set 1 s",
)  # fmt: skip
# Root stays root: a broker that changed its user would not end with this process.
_CONFIG = f"""\
listener {{port}} {{host}}
user root
allow_anonymous true
persistence false
max_packet_size {_MAX_BYTES}
max_queued_messages 1000
set_tcp_nodelay true
log_type error
log_type warning
log_dest stdout
"""


def _checked(topic: str) -> str:
    if not topic or len(topic.encode()) > 60_000 or set("+#\0") & set(topic) or topic[0] == "$":
        raise UserError(
            f"topic {topic!r}: MQTT's are not empty, do not start with $ and have none of + #"
        )
    return topic


def _presence(topic: str, who: str) -> str:
    return f"wirecost/present/{topic}/{who}"


def _no_delay(client: Any, user: Any, opened: Any) -> None:  # noqa: ARG001
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _properties(**values: Any) -> Any:
    from paho.mqtt.packettypes import PacketTypes  # noqa: PLC0415
    from paho.mqtt.properties import Properties  # noqa: PLC0415

    properties: Any = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]
    for name, value in values.items():
        setattr(properties, name, value)
    return properties


class _MqttLink:
    """One connection to the broker, made again when it is lost; subscribed to ``topics``."""

    def __init__(
        self,
        address: str | None,
        topics: Sequence[str],
        take: Callable[[Any], object],
        present_at: str | None = None,
        qos: int = 0,
    ) -> None:
        """Connect to a broker.

        ``present_at``: a topic whose publisher learns that this subscriber is there; ``qos``: of
        what it subscribes to.
        """
        from paho.mqtt.client import Client, MQTTv5  # noqa: PLC0415
        from paho.mqtt.enums import CallbackAPIVersion  # noqa: PLC0415

        host, port = host_and_port(address or "127.0.0.1", _PORT)
        self._topics = topics
        self._qos = qos
        self._deliver = take
        self._presence = present_at and _presence(present_at, secrets.token_hex(8))
        self._ready = threading.Event()
        self._refused = ""
        self.connections = 0
        self.client = client = Client(CallbackAPIVersion.VERSION2, protocol=MQTTv5)
        client.on_socket_open = _no_delay
        client.on_connect = self._connected
        client.on_subscribe = self._subscribed
        client.on_message = self._take
        client.reconnect_delay_set(1, 1)
        if self._presence:
            client.will_set(self._presence, b"", retain=True)
        try:
            client.connect(host, port)
        except OSError as error:
            raise UserError(
                f"no MQTT broker at {host}:{port} ({error}): start mosquitto, or give its address"
            ) from error
        client.loop_start()
        if not self._ready.wait(_ANSWER_S) or self._refused:
            why = self._refused or "it does not answer"
            self.close()
            raise UserError(f"MQTT broker at {host}:{port}: {why}; give another one's address")

    def _take(self, client: Any, user: Any, message: Any) -> None:  # noqa: ARG002
        self._deliver(message)

    def _connected(self, client: Any, user: Any, flags: Any, reason: Any, _: Any) -> None:  # noqa: ARG002
        if reason.is_failure:
            self._refused = str(reason)
            self._ready.set()
            return
        self.connections += 1
        if self._topics:
            client.subscribe([(topic, self._qos) for topic in self._topics])
        else:
            self._ready.set()

    def _subscribed(self, client: Any, user: Any, mid: int, reasons: Any, _: Any) -> None:  # noqa: ARG002
        for reason in reasons:
            if reason.is_failure:
                self._refused = str(reason)
        if self._presence:
            client.publish(self._presence, b"1", retain=True)
        self._ready.set()

    def close(self) -> None:
        if self._presence and self.client.is_connected():
            self.client.publish(self._presence, b"", retain=True)
        self.client.disconnect()
        self.client.loop_stop()


class _Presence:
    """Subscribers of a topic, by the broker's retained messages."""

    def __init__(self, topic: str) -> None:
        self.topic = _presence(topic, "+")
        self._present: set[str] = set()

    def take(self, message: Any) -> None:
        if message.payload:
            self._present.add(message.topic)
        else:
            self._present.discard(message.topic)

    def wait(self, timeout: float) -> bool:
        return wait_until(lambda: bool(self._present), timeout)


class _MqttPublisher(Linked, Publisher):
    def __init__(self, address: str | None, topic: str, quality: Quality = OWN) -> None:
        super().__init__()
        self._qos = quality.get("qos", 0)
        self._room = quality.room(_WAITING, _NO_LIMIT)
        self._topic = _checked(topic)
        self._presence = _Presence(topic)
        self._link = _MqttLink(address, [self._presence.topic], self._presence.take)
        self._waiting: deque[Any] = deque()
        self._connection = self._link.connections

    def _send(self, frame: Frame, trailer: bytes) -> bool:
        if frame.nbytes + len(self._topic.encode()) + 64 > _MAX_BYTES:
            raise UserError(f"a frame of {frame.nbytes} bytes: MQTT carries at most 256 MiB")
        waiting = self._waiting
        if self._connection != self._link.connections:
            # Messages that waited for the connection before are never reported.
            self._connection = self._link.connections
            waiting.clear()
        while waiting and _is_done(waiting[0]):
            waiting.popleft()
        if len(waiting) >= self._room:
            return False
        sent = self._link.client.publish(self._topic, joined(frame, trailer), self._qos)
        if sent.rc:
            return False  # the broker is away
        waiting.append(sent)
        return True

    def wait_for_subscriber(self, timeout: float) -> bool:
        return self._presence.wait(timeout)

    def close(self) -> None:
        # Messages that were sent reach the broker, unless that is stuck.
        if self._waiting and self._link.client.is_connected():
            with suppress(RuntimeError, ValueError):  # the connection was lost meanwhile
                self._waiting[-1].wait_for_publish(1)
        self._waiting.clear()
        super().close()


def _is_done(sent: Any) -> bool:
    """Return whether a message was sent, or never will be as its connection was lost."""
    try:
        return bool(sent.is_published())
    except (RuntimeError, ValueError):
        return True


class _MqttSubscriber(Linked, InboxSubscriber):
    def __init__(self, address: str | None, topic: str, depth: int, quality: Quality = OWN) -> None:
        super().__init__(depth, quality.waits())
        self._link = _MqttLink(
            address,
            [_checked(topic)],
            lambda message: self.inbox.put(message.payload),
            topic,
            quality.get("qos", 0),
        )


def _service(name: str) -> str:
    return "wirecost/service/" + _checked(name)


class _MqttRequester(Linked, InboxRequester):
    def __init__(self, address: str | None, service: str) -> None:
        super().__init__(service)
        self._topic = _service(service)
        self._replies = "wirecost/reply/" + secrets.token_hex(16)
        self._presence = _Presence(self._topic)
        self._link = _MqttLink(address, [self._replies, self._presence.topic], self._take)

    def _take(self, message: Any) -> None:
        if message.topic == self._replies:
            self.inbox.put(message.payload)
        else:
            self._presence.take(message)

    def _send(self, message: bytes) -> None:
        properties = _properties(
            ResponseTopic=self._replies, CorrelationData=message[-TRAILER.size : -8]
        )
        self._link.client.publish(self._topic, message, properties=properties)

    def wait_for_replier(self, timeout: float) -> bool:
        return self._presence.wait(timeout)


class _MqttReplier(Linked, InboxReplier):
    def __init__(self, address: str | None, service: str) -> None:
        super().__init__()
        topic = _service(service)
        self._link = _MqttLink(address, [topic], self._take, topic)

    def _take(self, message: Any) -> None:
        sent_with = message.properties
        if not hasattr(sent_with, "ResponseTopic"):
            return  # a stranger's, who wants no reply

        def reply(answer: bytes) -> None:
            named = getattr(sent_with, "CorrelationData", None)
            properties = _properties(**({} if named is None else {"CorrelationData": named}))
            self._link.client.publish(sent_with.ResponseTopic, answer, properties=properties)

        self.inbox.put((message.payload, reply))


class Mqtt(BrokerTransport):
    name = "mqtt"
    title = "MQTT"
    package = Package("paho-mqtt", ("paho",))
    capabilities: ClassVar[Capabilities] = Capabilities(
        send_copies=3,
        receive_copies=4,
        aligned=False,
        request_reply=True,
        other_machines=True,
        full="the publisher drops while 16 frames wait for the broker; of what waits at the"
        " subscriber the oldest is lost; QoS 0",
        server="mosquitto, or another broker that speaks MQTT 5",
        exposed="whoever reaches the broker can read and send",
    )

    broker = "mosquitto"
    configuration = _CONFIG
    publishes = _MqttPublisher
    subscribes = _MqttSubscriber
    requests = _MqttRequester
    replies = _MqttReplier


def settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the Python client."""
    sent_again = "QoS 1: acknowledged, sent again"
    once = "QoS 0: sent once over TCP"
    broker = "; the broker drops above 1000"
    return [
        TransportSetting(
            DEFAULT, once, UNLIMITED, UNLIMITED, f"nothing is refused{broker}",
            options={"depth": DEEP}, changed_defaults=_CHANGED_DEFAULTS,
        ),
        matched(
            asked,
            (sent_again, f"refused at the publisher{broker}"),
            (once, f"refused at the publisher; {OLDEST}"),
            promise=False,
            qos=int(asked.reliable),
        ),
        TransportSetting(
            "qos1", sent_again, UNLIMITED, UNLIMITED, f"nothing is refused{broker}",
            options={"qos": 1, "depth": DEEP},
        ),
    ]  # fmt: skip


def native_settings(asked: AskedQuality) -> list[TransportSetting]:
    """Return the groups of settings of the native client.

    libmosquitto's thread calls the subscriber, so that what waits there waits in the socket.
    """
    receiver = "the socket's"
    full = "refused at the publisher; the broker drops above 1000"
    groups = [replace(group, receiver_queue=receiver) for group in settings(asked)]
    return [replace(group, full=full) if group.name == MATCHED else group for group in groups]


TRANSPORTS = (Mqtt,)
MEETINGS = {"mqtt": AtServer()}
PLUGIN_ORDER = 4
