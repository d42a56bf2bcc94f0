# SPDX-License-Identifier: Apache-2.0
"""Properties of Zenoh: peers that meet in a folder, keys, shared memory, a router."""

from __future__ import annotations

import importlib
import json
import queue
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from support import needs
from support.transport_peer import PATIENCE, Peer, content, runtime_folder
from wirecost.messaging.transport import Transport, open_transport
from wirecost.messaging.transport.shared.shared_memory import mappings
from wirecost.messaging.transport.zenoh.adapter import key_of
from wirecost.messaging.transport.zenoh.memory import LEAST_BYTES
from wirecost.system.errors import UserError

needs.transport("zenoh")
zenoh = importlib.import_module("zenoh")


@pytest.fixture(autouse=True)
def run_folder() -> Iterator[Path]:
    with runtime_folder() as folder:
        yield folder / "wirecost" / "zenoh"


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


def test_processes_that_start_at_once_find_each_other() -> None:
    peers = [Peer("zenoh", None) for _ in range(8)]
    for peer in peers[1:]:
        peer.call("subscriber", topic="a")
    peers[0].call("publisher", topic="a")
    assert peers[0].call("wait", topic="a")
    for peer in peers[1:]:
        peer.begin("receive", topic="a", count=1)
    # Of the first the publisher knows now, of the others it may hear later.
    end = time.monotonic() + PATIENCE
    while not all(peer.answered() for peer in peers[1:]) and time.monotonic() < end:
        peers[0].call("send", topic="a", sizes=[100])
    assert [len(peer.answer()) for peer in peers[1:]] == [1] * 7
    assert [peer.end() for peer in peers] == [0] * 8


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


def pools() -> dict[Path, int]:
    """Return the memory behind each pool that this process has mapped, in bytes."""
    files = {}
    for mapping in mappings(lambda name: name.endswith(".zenoh")):
        with suppress(FileNotFoundError):  # of a session that is being closed
            files[mapping.path] = mapping.path.stat()
    return {
        path: status.st_blocks * 512
        for path, status in files.items()
        if status.st_size >= LEAST_BYTES
    }


def test_one_pool_is_all_that_sessions_of_a_process_take() -> None:
    before = pools()
    for _ in range(5):
        with (
            open_transport("zenoh-shm") as here,
            open_transport("zenoh-shm") as there,
            here.publisher("a") as publisher,
            there.subscriber("a") as subscriber,
        ):
            assert publisher.wait_for_subscriber(PATIENCE)
            publisher.send(content(1000, 1))
            assert subscriber.receive(PATIENCE)
    assert len(pools().keys() - before.keys()) <= 1


def received_from(peer: Peer, listener: Transport) -> set[Path]:
    """Return the pools that came with a publisher's messages."""
    before = pools()
    peer.call("publisher", topic="a")
    with listener.subscriber("a") as subscriber:
        assert peer.call("wait", topic="a")
        # One by one: dead pools are freed only while nothing else waits.
        for size in (1000, 2000):
            peer.call("send", topic="a", sizes=[size])
            assert subscriber.receive(PATIENCE)
    return pools().keys() - before.keys()


def test_publishers_that_end_give_back_what_their_listener_has_mapped(shared: Transport) -> None:
    for _ in range(3):
        peer = Peer("zenoh-shm", None)
        (pool,) = received_from(peer, shared)
        assert pools()[pool] >= LEAST_BYTES
        assert peer.end() == 0
        assert pools()[pool] == 0


def test_what_killed_publishers_leave_a_listener_goes_with_those_that_follow(
    shared: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirecost.messaging.transport.zenoh.memory._DEAD_S", 0.0)
    names = []
    for _ in range(4):
        peer = Peer("zenoh-shm", None)
        names += received_from(peer, shared)
        peer.signal(signal.SIGKILL)
        peer.end()
    assert [path for path in names if path.exists()] == names[-2:]


def test_a_router_may_be_between(run_folder: Path) -> None:
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
    assert not run_folder.exists()


def test_an_address_without_a_router_is_an_error() -> None:
    with pytest.raises(UserError, match="start a router at tcp/"):
        open_transport("zenoh", "tcp/127.0.0.1:1")


def test_an_address_that_is_none_is_refused() -> None:
    with pytest.raises(UserError, match="must be like tcp/"):
        open_transport("zenoh", "127.0.0.1:7447")
