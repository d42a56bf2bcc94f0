# SPDX-License-Identifier: Apache-2.0
"""What is Zenoh's own: peers that meet in a folder, keys, shared memory, a router."""

from __future__ import annotations

import importlib
import json
import queue
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

import needs
from transport_peer import PATIENCE, Peer, content
from wirecost.errors import UserError
from wirecost.transport import Transport, open_transport
from wirecost.transport.zenoh import key_of

needs.transport("zenoh")
zenoh = importlib.import_module("zenoh")


@pytest.fixture(autouse=True)
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "wirecost" / "zenoh"


@pytest.fixture
def shared() -> Iterator[Transport]:
    with open_transport("zenoh-shm") as transport:
        yield transport


@pytest.mark.parametrize(
    ("topic", "key"),
    [
        ("image", "image"),
        ("camera/image", "camera/image"),
        ("/camera//image", "%/camera/%/image"),
        ("a*?#$%", "a%2A%3F%23%24%25"),
        ("größe", "gr%C3%B6%C3%9Fe"),
    ],
)
def test_topics_are_keys_without_wildcards(topic: str, key: str) -> None:
    assert key_of(topic) == key
    assert str(zenoh.KeyExpr(key)) == key


def test_a_topic_without_a_name_is_refused(shared: Transport) -> None:
    with pytest.raises(UserError, match="must have a name"):
        shared.publisher("")


def test_all_peers_know_each_other_whoever_ends(run_folder: Path) -> None:
    first, second = Peer("zenoh", None), Peer("zenoh", None)
    first.call("publisher", topic="a")
    second.call("subscriber", topic="a")
    assert first.call("wait", topic="a")
    second.signal(signal.SIGKILL)
    second.end()
    with open_transport("zenoh") as third, third.subscriber("a") as subscriber:
        assert len(list(run_folder.glob("*.peer"))) == 2
        assert first.call("wait", topic="a")
        first.call("send", topic="a", sizes=[100])
        while sample := subscriber.receive(PATIENCE):
            if sample.buffer == content(100, 0).data:
                break
        assert sample
        assert first.end() == 0
    assert list(run_folder.iterdir()) == []


@pytest.mark.parametrize("size", [100, 320_000, 20_000_000])
def test_messages_travel_in_shared_memory(shared: Transport, size: int) -> None:
    peer = Peer("zenoh-shm", None)
    payloads: queue.Queue[object] = queue.Queue()
    session = shared.session
    subscriber = session.declare_subscriber("a", lambda sample: payloads.put(sample.payload))
    peer.call("publisher", topic="a")
    assert peer.call("wait", topic="a")
    peer.call("send", topic="a", sizes=[size])
    payload = payloads.get(timeout=PATIENCE)
    assert payload.as_shm() is not None
    assert payload.to_bytes()[:size] == content(size, 0).data
    subscriber.undeclare()
    assert peer.end() == 0


def test_messages_go_on_where_shared_memory_is_used_up(shared: Transport) -> None:
    with shared.publisher("a") as publisher, shared.subscriber("a") as subscriber:
        assert publisher.wait_for_subscriber(PATIENCE)
        held = []
        # All of what waits and of what is held lies in the pool, which has room for eight.
        for k in range(20):
            publisher.send(content(5_000_000, k))
            held.append(subscriber.inbox.take(PATIENCE))
        assert None not in held
        assert held[-1].to_bytes()[:5_000_000] == content(5_000_000, 19).data
        assert held[-1].as_shm() is None


def test_a_router_may_be_between(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp/127.0.0.1:{free.getsockname()[1]}"
    settings = zenoh.Config()
    for name, value in {
        "mode": "router",
        "listen/endpoints": [address],
        "scouting/multicast/enabled": False,
    }.items():
        settings.insert_json5(name, json.dumps(value))
    router = zenoh.open(settings)
    peer = Peer("zenoh", address)
    peer.call("publisher", topic="a")
    with open_transport("zenoh", address) as transport, transport.subscriber("a") as subscriber:
        assert peer.call("wait", topic="a")
        peer.call("send", topic="a", sizes=[1000])
        sample = subscriber.receive(PATIENCE)
        assert sample is not None
        assert sample.buffer == content(1000, 0).data
        assert peer.end() == 0
    router.close()
    assert not (tmp_path / "wirecost").exists()


def test_an_address_without_a_router_is_an_error() -> None:
    with pytest.raises(UserError, match="start a router at tcp/"):
        open_transport("zenoh", "tcp/127.0.0.1:1")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match="must be like tcp/"):
        open_transport("zenoh", "127.0.0.1:7447")
