# SPDX-License-Identifier: Apache-2.0
"""Servers, addresses and other makes' peers of WebSocket, gRPC, MQTT and NATS."""

from __future__ import annotations

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support import needs
from wirecost.messaging.tensor import encode
from wirecost.messaging.transport import open_transport
from wirecost.messaging.transport.shared.discovery import Offer, offered, path_of
from wirecost.messaging.transport.shared.inbox import Inbox
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_until

PATIENCE = 30.0
FRAME = encode({"number": 7})
SCHEMES = {"websocket": "ws://", "grpc": ""}


@pytest.fixture(params=list(SCHEMES))
def serving(request: pytest.FixtureRequest) -> str:
    """Return a transport whose publishers are servers."""
    name: str = request.param
    needs.transport(name)
    return name


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture
def address(serving: str) -> str:
    return f"{SCHEMES[serving]}127.0.0.1:{free_port()}"


def test_a_given_address_serves_all_topics_of_a_process(serving: str, address: str) -> None:
    with open_transport(serving, address) as first, open_transport(serving, address) as other:
        publishers = [first.publisher(topic) for topic in ("a", "b/c")]
        first.replier("service")
        for topic, publisher in zip(("a", "b/c"), publishers, strict=True):
            with other.subscriber(topic) as subscriber:
                assert publisher.wait_for_subscriber(PATIENCE)
                publisher.send(FRAME)
                sample = subscriber.receive(PATIENCE)
                assert sample
                assert bytes(sample.buffer) == FRAME.tobytes()
        with other.requester("service") as requester:
            assert requester.wait_for_replier(PATIENCE)


def test_an_address_that_is_taken_is_an_error(serving: str, address: str) -> None:
    with open_transport(serving, address) as first, open_transport(serving, address) as other:
        first.publisher("a")
        with pytest.raises(UserError, match="cannot be served"):
            other.publisher("b")
        with pytest.raises(UserError, match="publishes it already"):
            first.publisher("a")
        first.replier("a")
        with pytest.raises(UserError, match="answers it already"):
            first.replier("a")


def test_an_address_that_is_none(serving: str) -> None:
    with pytest.raises(UserError, match="host:port is needed"):
        open_transport(serving, "nowhere")


def test_a_topic_without_a_name_is_refused(serving: str, tmp_path: Path) -> None:
    with open_transport(serving, str(tmp_path)) as transport:
        for name in "", "ä" * 100:
            with pytest.raises(UserError, match="a name of 1 to 200 bytes"):
                transport.publisher(name)
            with pytest.raises(UserError, match="a name of 1 to 200 bytes"):
                transport.subscriber(name)


def test_a_subscriber_of_any_make_reads_a_websocket(tmp_path: Path) -> None:
    needs.transport("websocket")
    from websockets.sync.client import connect

    with open_transport("websocket", str(tmp_path)) as transport:
        publisher = transport.publisher("a b")
        (server,) = offered(tmp_path, path_of("topic", "a b"))
        with connect(f"{server}/topic/a%20b", max_size=None, proxy=None) as client:
            assert publisher.wait_for_subscriber(PATIENCE)
            publisher.send(FRAME)
            message = client.recv(PATIENCE)
        assert isinstance(message, bytes)
        assert message[:-24] == FRAME.tobytes()


def test_an_offer_ends_with_its_owner(tmp_path: Path) -> None:
    path = path_of("topic", "x/../y")
    offer = Offer(tmp_path, path, "here")
    assert offered(tmp_path, path) == ["here"]
    assert offered(tmp_path, path_of("topic", "z")) == []
    offer.close()
    offer.close()
    assert offered(tmp_path, path) == []
    gone = Offer(tmp_path, path, "gone")
    # As after SIGKILL: the lock is gone and the file is there.
    os.close(gone._descriptor)
    assert offered(tmp_path, path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def broker() -> Iterator[str]:
    with needs.server("mqtt") as address:
        assert address
        yield address


def test_a_client_of_any_make_reads_mqtt(broker: str) -> None:
    from paho.mqtt.client import Client
    from paho.mqtt.enums import CallbackAPIVersion

    messages = Inbox(4)
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_message = lambda client, user, message: messages.put(message)  # noqa: ARG005
    client.on_subscribe = lambda *_: messages.put("subscribed")
    host, port = broker.split(":")
    client.connect(host, int(port))
    client.loop_start()
    client.subscribe("robot/#")
    assert messages.take(PATIENCE) == "subscribed"
    with open_transport("mqtt", broker) as transport, transport.publisher("robot/arm") as publisher:
        publisher.send(FRAME)
        message = messages.take(PATIENCE)
        assert message.topic == "robot/arm"
        assert message.payload[:-24] == FRAME.tobytes()
    client.disconnect()
    client.loop_stop()


@pytest.mark.parametrize("topic", ["", "a/+", "#", "$SYS/x", "a\0"])
def test_mqtt_refuses_patterns(broker: str, topic: str) -> None:
    with open_transport("mqtt", broker) as transport:
        with pytest.raises(UserError, match="MQTT's are not empty"):
            transport.publisher(topic)
        with pytest.raises(UserError, match="MQTT's are not empty"):
            transport.subscriber(topic)


def test_a_client_of_any_make_reads_nats() -> None:
    import nats

    async def read(address: str) -> bytes:
        client = await nats.connect(f"nats://{address}")
        subscription = await client.subscribe("wirecost.topic.robot%2Farm%2E1")
        await client.flush()
        transport = open_transport("nats", address)
        with transport, transport.publisher("robot/arm.1") as publisher:
            publisher.send(FRAME)
            message = await subscription.next_msg(PATIENCE)
        await client.close()
        return bytes(message.data)

    with needs.server("nats") as address:
        assert address
        assert asyncio.run(read(address))[:-24] == FRAME.tobytes()


SERVERS = {"mqtt": "no MQTT broker at .*: start mosquitto", "nats": "no NATS server at .*: start"}


@pytest.mark.parametrize("name", SERVERS)
def test_a_publisher_outlives_its_server(name: str) -> None:
    with needs.server(name) as address:
        publisher = open_transport(name, address).publisher("x")
        assert publisher.send(FRAME)
    # Nobody takes them; the publisher says so and does not wait.
    assert wait_until(lambda: not publisher.send(FRAME), PATIENCE)
    assert publisher.dropped
    publisher.close()
    with pytest.raises(UserError, match=SERVERS[name]):
        open_transport(name, address).publisher("x")


def test_what_waits_for_a_lost_nats_server_does_not_hold_up_the_end() -> None:
    from wirecost.messaging.transport.nats import _NatsLink

    with needs.server("nats") as address:
        link = _NatsLink(address)
    assert wait_until(lambda: not link.client.is_connected, PATIENCE)
    link.publish("x", b"waits").result(PATIENCE)
    assert link.client.pending_data_size
    link.close()


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_ends_with_its_owner(name: str) -> None:
    with needs.server(name):
        pass
    script = (
        "import os, signal\n"
        "from wirecost.transport import find\n"
        f"with find({name!r}).server() as address:\n"
        "    print(address, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    host, port = done.stdout.decode().strip().split(":")

    def gone() -> bool:
        with suppress(OSError):
            socket.create_connection((host, int(port)), 1).close()
            return False
        return True

    assert wait_until(gone, PATIENCE)


def test_the_newest_wait() -> None:
    inbox = Inbox(2)
    descriptor = inbox.fileno()
    for message in "abc":
        inbox.put(message)
    assert [inbox.take(0), inbox.take(None), inbox.take(0), inbox.take(0.01)] == [
        "b",
        "c",
        None,
        None,
    ]
    with pytest.raises(BlockingIOError):
        os.eventfd_read(descriptor)
    inbox.close()
    inbox.put("d")


def test_a_message_of_a_lost_connection_is_not_waited_for() -> None:
    needs.transport("mqtt")
    from paho.mqtt.client import MQTTMessageInfo
    from paho.mqtt.enums import MQTTErrorCode

    from wirecost.messaging.transport.mqtt import _is_done

    sent = MQTTMessageInfo(1)
    assert not _is_done(sent)
    sent.rc = MQTTErrorCode.MQTT_ERR_CONN_LOST
    assert _is_done(sent)
