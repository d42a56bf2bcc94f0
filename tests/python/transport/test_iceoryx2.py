# SPDX-License-Identifier: Apache-2.0
"""Properties of iceoryx2: shared memory in place, few samples at once, killed processes' files."""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import secrets
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support import needs
from support.transport_peer import PATIENCE, Bytes, Peer, content
from wirecost.messaging.tensor import SamplePool, decode, encode
from wirecost.messaging.transport import Transport, open_transport
from wirecost.messaging.transport.iceoryx2.home import Home
from wirecost.system.errors import UserError

needs.transport("iceoryx2")
iceoryx2 = importlib.import_module("iceoryx2")

SHARED = Path("/dev/shm")


@pytest.fixture
def prefix() -> Iterator[str]:
    """Names of files that no other test has."""
    name = f"wct{secrets.token_hex(4)}_"
    yield name
    for path in (*SHARED.glob(f"{name}*"), *root().rglob(f"{name}*")):
        path.unlink()


def root() -> Path:
    return Home(iceoryx2, None).folder


@pytest.fixture
def here(prefix: str) -> Iterator[Transport]:
    with open_transport("iceoryx2", prefix) as transport:
        yield transport


def left(prefix: str) -> list[str]:
    """Files of nobody."""
    return sorted(map(str, (*SHARED.glob(f"{prefix}*"), *root().rglob(f"{prefix}*"))))


def is_shared(address: int) -> bool:
    """Return whether the memory at ``address`` is a mapped file of ``/dev/shm``."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        start, end = (int(number, 16) for number in line.split(maxsplit=1)[0].split("-"))
        if start <= address < end:
            return "/dev/shm/" in line
    return False


class Placed(Bytes):
    """Notes where it was written."""

    address = 0

    def write_into(self, buffer: Any) -> int:
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(buffer))
        return super().write_into(buffer)


def test_a_frame_is_written_and_read_in_shared_memory(here: Transport) -> None:
    with here.publisher("a") as publisher, here.subscriber("a") as subscriber:
        for size in 0, 1, 63, 64, 1000, 320_000:
            frame = Placed(content(size, 1).data)
            publisher.send(frame)
            assert frame.reads == ["write_into"]
            assert is_shared(frame.address)
            assert frame.address % 64 == 0
            sample = subscriber.receive(PATIENCE)
            assert sample is not None
            if size:
                address = np.frombuffer(sample.buffer, np.uint8).ctypes.data
                assert is_shared(address)
                assert address % 64 == 0
            assert sample.buffer == frame.data
            sample.release()


def test_an_array_lies_in_the_sample_until_nobody_needs_it(here: Transport) -> None:
    with here.publisher("a") as publisher, here.subscriber("a", depth=2) as subscriber:
        pool = SamplePool(2)
        for k in range(5):
            publisher.send(encode(np.full((200, 200), k)))
            sample = subscriber.receive(PATIENCE)
            assert sample is not None
            array = decode(sample.buffer, owner=pool.borrow(sample, type(sample).release))
            assert is_shared(array.ctypes.data)
            assert array.ctypes.data % 64 == 0
            assert not array.flags.writeable
            assert (array == k).all()


def test_more_samples_than_depth_cannot_be_held(here: Transport) -> None:
    with here.publisher("a") as publisher, here.subscriber("a", depth=3) as subscriber:
        held = []
        for k in range(3):
            publisher.send(content(100, k))
            held.append(subscriber.receive(PATIENCE))
        publisher.send(content(100, 3))
        with pytest.raises(UserError, match=r"3 received samples are held .* copy=True"):
            subscriber.receive(0)
        held.pop(0).release()
        sample = subscriber.receive(0)
        assert sample is not None
        assert sample.buffer == content(100, 3).data
        assert [sample.buffer == content(100, k).data for k, sample in enumerate(held, 1)] == [
            True
        ] * 2


def test_a_held_sample_outlives_both_ends(here: Transport) -> None:
    publisher, subscriber = here.publisher("a"), here.subscriber("a")
    publisher.send(content(100_000, 1))
    sample = subscriber.receive(PATIENCE)
    publisher.close()
    subscriber.close()
    assert sample is not None
    assert sample.buffer == content(100_000, 1).data
    sample.release()


def test_a_sample_of_a_killed_publisher_stays_readable(here: Transport, prefix: str) -> None:
    with here.subscriber("a") as subscriber:
        peer = Peer("iceoryx2", prefix)
        peer.call("publisher", topic="a")
        peer.call("send", topic="a", sizes=[200_000])
        sample = subscriber.receive(PATIENCE)
        peer.signal(signal.SIGKILL)
        peer.end()
        # Clears the dead process's files away.
        here.publisher("a").wait_for_subscriber(PATIENCE)
        assert sample is not None
        assert sample.buffer == content(200_000, 0).data
        sample.release()


@pytest.mark.parametrize("role", ["publisher", "subscriber", "replier"])
def test_what_a_killed_process_left_is_removed(prefix: str, role: str) -> None:
    peer = Peer("iceoryx2", prefix)
    peer.call(role, **{"service" if role == "replier" else "topic": "a"})
    if role == "publisher":
        peer.call("send_forever", topic="a", size=100_000)
    peer.signal(signal.SIGKILL)
    peer.end()
    assert left(prefix)
    # Files that are newer than two seconds may be somebody's who is just beginning.
    end = time.monotonic() + PATIENCE
    while left(prefix) and time.monotonic() < end:
        open_transport("iceoryx2", prefix).close()
        time.sleep(0.05)
    assert left(prefix) == []


def test_a_killed_subscriber_is_not_taken_for_one(here: Transport, prefix: str) -> None:
    peer = Peer("iceoryx2", prefix)
    peer.call("subscriber", topic="a")
    with here.publisher("a") as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        peer.signal(signal.SIGKILL)
        peer.end()
        assert not publisher.wait_for_subscriber(0)


def test_a_service_that_was_never_finished_is_made_anew(here: Transport, prefix: str) -> None:
    with here.publisher("a"):
        contents = {path: path.read_bytes() for path in root().glob(f"services/{prefix}*.service")}
    assert contents
    for path, text in contents.items():
        path.write_bytes(text)
        path.chmod(0o600)
        os.utime(path, (time.time() - 60,) * 2)
    with here.publisher("a") as publisher, here.subscriber("a"):
        assert publisher.wait_for_subscriber(PATIENCE)


def test_full_shared_memory_is_an_error_not_a_crash(
    here: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    with here.publisher("a") as publisher, here.subscriber("a") as subscriber:
        with monkeypatch.context() as patch:
            patch.setattr(
                "wirecost.messaging.transport.shared.shared_memory._madvise",
                lambda *_: ctypes.set_errno(errno.EFAULT) or -1,
            )
            with pytest.raises(UserError, match="/dev/shm has less than the 10048 bytes left"):
                publisher.send(content(10_000, 1))
        publisher.send(content(10_000, 1))
        sample = subscriber.receive(PATIENCE)
        assert sample is not None
        assert sample.number == 0


def test_a_strangers_message_is_refused(here: Transport, monkeypatch: pytest.MonkeyPatch) -> None:
    with here.publisher("a") as publisher, here.subscriber("a", depth=1) as subscriber:
        with monkeypatch.context() as patch:
            patch.setattr("wirecost.messaging.transport.base.MAGIC", 5)
            publisher.send(content(100, 1))
        with pytest.raises(UserError, match="a message of 192 bytes is none of wirecost's"):
            subscriber.receive(PATIENCE)
        publisher.send(content(100, 2))
        assert subscriber.receive(PATIENCE)


@pytest.mark.parametrize("address", ["a/b", "x" * 25, "a\0b", "*"])
def test_an_address_that_is_no_name_is_refused(address: str) -> None:
    with pytest.raises(UserError, match=r"^iceoryx2: address [^\n]+$"):
        open_transport("iceoryx2", address)


@pytest.mark.parametrize("depth", [0, 65])
def test_a_depth_beyond_the_services_is_refused(here: Transport, depth: int) -> None:
    with pytest.raises(UserError, match=f"depth {depth} must be 1 to 64"):
        here.subscriber("a", depth=depth)


@pytest.mark.parametrize("topic", ["", "x" * 300])
def test_a_topic_that_cannot_be_is_refused(here: Transport, topic: str) -> None:
    with pytest.raises(UserError, match="must have 1 to 255 characters"):
        here.publisher(topic)
