# SPDX-License-Identifier: Apache-2.0
"""Properties of ZeroMQ: sockets in a folder, one publisher a topic, queues that drop."""

from __future__ import annotations

import importlib
import os
import signal
import socket
import stat
import tempfile
from pathlib import Path

import numpy as np
import pytest

from support import needs
from support.transport_peer import PATIENCE, Peer, content
from wirecost.messaging.transport import Transport, open_transport
from wirecost.messaging.transport.shared.rendezvous import (
    LEAST_NAME,
    MOST_NAME,
    MOST_PATH,
    file_name,
    private_folder,
)
from wirecost.system.errors import UserError

needs.transport("zeromq")
zmq = importlib.import_module("zmq")


@pytest.fixture(autouse=True)
def run_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    return tmp_path / "wirecost"


@pytest.fixture(params=["zeromq", "zeromq-tcp"])
def here(request: pytest.FixtureRequest):
    with open_transport(request.param) as transport:
        yield transport


@pytest.fixture
def ipc():
    with open_transport("zeromq") as transport:
        yield transport


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir())


def test_a_sample_is_the_message_that_libzmq_received(here: Transport) -> None:
    with here.publisher("a") as publisher, here.subscriber("a") as subscriber:
        assert publisher.wait_for_subscriber(PATIENCE)
        for _ in range(5):
            publisher.send(content(320_000, 1))
            sample = subscriber.receive(PATIENCE)
            assert sample is not None
            assert isinstance(sample.buffer.obj, zmq.Frame)
            assert np.frombuffer(sample.buffer, np.uint8).ctypes.data % 16 == 0


def test_a_topic_has_one_publisher(here: Transport) -> None:
    first = here.publisher("a")
    with pytest.raises(UserError, match="topic 'a' has one already"):
        here.publisher("a")
    here.replier("a").close()
    first.close()
    here.publisher("a").close()


def test_closing_leaves_no_file(here: Transport, run_folder: Path) -> None:
    subscriber, publisher = here.subscriber("a"), here.publisher("a")
    replier, requester = here.replier("b"), here.requester("b")
    assert files(run_folder)
    for endpoint in subscriber, replier, publisher, requester:
        endpoint.close()
    assert files(run_folder) == []


def test_what_a_killed_process_left_is_removed(here: Transport, run_folder: Path) -> None:
    peer = Peer(here.name, None)
    peer.call("publisher", topic="old")
    peer.call("replier", service="old")
    peer.signal(signal.SIGKILL)
    peer.end()
    assert files(run_folder)
    here.publisher("new").close()
    assert files(run_folder) == []


def test_a_slow_subscriber_loses_alone(ipc: Transport) -> None:
    with (
        ipc.publisher("a") as publisher,
        ipc.subscriber("a", depth=4) as slow,
        ipc.subscriber("a") as quick,
    ):
        frame = content(200_000, 1)
        for subscriber in slow, quick:
            while not subscriber.receive(0.05):
                publisher.send(frame)
        while quick.receive(0.05):
            pass
        for _ in range(200):
            publisher.send(frame)
            assert quick.receive(PATIENCE)
        assert quick.count.lost == 0
        while slow.receive(0.1):
            pass
        publisher.send(frame)
        assert slow.receive(PATIENCE)
        assert slow.count.lost > 0


def test_queues_are_not_taken_for_full_when_they_are_empty(ipc: Transport) -> None:
    with ipc.publisher("a") as publisher, ipc.subscriber("a") as subscriber:
        assert publisher.wait_for_subscriber(PATIENCE)
        frame = content(1000, 1)
        for _ in range(500):
            publisher.send(frame)
            assert subscriber.receive(PATIENCE)


def test_a_strangers_message_is_refused() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,  # of a short path: a socket's has few bytes
        open_transport("zeromq", folder) as ipc,
        ipc.subscriber("a") as subscriber,
        zmq.Context() as context,
    ):
        stranger = context.socket(zmq.XPUB)
        stranger.bind(f"ipc://{folder}/a.topic.sock")
        assert stranger.poll(PATIENCE * 1000)
        stranger.send(b"hello")
        with pytest.raises(UserError, match="a message of 5 bytes is none of wirecost's"):
            subscriber.receive(PATIENCE)
        stranger.close()


def test_an_address_is_the_one_topic_that_is_there() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    with (
        open_transport("zeromq-tcp", address) as transport,
        transport.publisher("a") as publisher,
        transport.subscriber("a") as subscriber,
    ):
        assert publisher.wait_for_subscriber(PATIENCE)
        publisher.send(content(10, 1))
        assert subscriber.receive(PATIENCE)
        with pytest.raises(UserError, match="give an address that is free"):
            transport.publisher("b")


def test_topics_find_their_own_ports(run_folder: Path) -> None:
    with open_transport("zeromq-tcp") as transport:
        for topic in "abc":
            transport.subscriber(topic)
        ports = {path.read_text() for path in (run_folder / "zeromq-tcp").glob("*.port")}
        assert len(ports) == 3


@pytest.mark.parametrize("address", ["127.0.0.1:5555", "tcp://127.0.0.1", "udp://127.0.0.1:1"])
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UserError, match="must be like tcp://"):
        open_transport("zeromq-tcp", address)


def test_a_folder_that_others_can_write_is_refused(run_folder: Path) -> None:
    run_folder.mkdir()
    run_folder.chmod(0o777)
    with pytest.raises(UserError, match="can be written by others; remove it, or set XDG_RUNTIME"):
        private_folder("zeromq")
    run_folder.rmdir()
    (run_folder.parent / "other").mkdir(mode=0o700)
    run_folder.symlink_to(run_folder.parent / "other")
    with pytest.raises(UserError, match="not a folder; remove it, or set XDG_RUNTIME_DIR"):
        private_folder("zeromq")
    run_folder.unlink()
    run_folder.mkdir(mode=0o755)
    for folder in private_folder("zeromq"), run_folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_names_of_files_are_short_and_different() -> None:
    topics = ["a", "a/b", "a%2Fb", "ä", "x" * 300, "x" * 301, "..", "/"]
    names = [file_name(topic) for topic in topics]
    assert len(set(names)) == len(names)
    assert all(len(os.fsencode(name)) <= MOST_NAME and "/" not in name for name in names)
    assert all(len(os.fsencode(file_name(topic, LEAST_NAME))) <= LEAST_NAME for topic in topics)


def test_long_names_meet_in_long_folders() -> None:
    with (
        tempfile.TemporaryDirectory(prefix="f" * (MOST_PATH - 60), dir="/tmp") as folder,
        open_transport("zeromq", folder) as transport,
    ):
        with transport.publisher("t" * 40) as publisher, transport.subscriber("t" * 40) as listener:
            assert publisher.wait_for_subscriber(PATIENCE)
            publisher.send(content(10, 1))
            assert listener.receive(PATIENCE)
        with pytest.raises(UserError, match="set XDG_RUNTIME_DIR"):
            open_transport("zeromq", f"{folder}/{'g' * 40}").publisher("t" * 40)
