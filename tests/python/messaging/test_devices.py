# SPDX-License-Identifier: Apache-2.0
"""Topics and services whose tensors stay on a device.

Stand-ins are support/fake_cuda.py and support/fake_libcuda.cpp."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import wirecost
from support import fake_cuda, fake_driver, needs
from support.fake_cuda import Tensor
from support.fake_driver import Peer
from support.messaging_fakes import fake_transports
from wirecost.messaging.tensor import to_host, use_devices
from wirecost.messaging.tensor.ipc import receiving
from wirecost.messaging.tensor.ipc.ring_file import FOLDER, SLOTS
from wirecost.system.errors import UserError

ARRAY = np.arange(1000.0)


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Install a fake device, and return a folder for rings of its own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    fake_cuda.install(monkeypatch)
    with fake_driver.in_this_process(monkeypatch), fake_transports(monkeypatch):
        yield tmp_path / "wirecost" / FOLDER
    use_devices()


def sent(count: int = 1) -> Tensor:
    return Tensor(ARRAY + count, "cuda:0")


def test_nothing_is_passed_so_unless_it_was_said(device: Path) -> None:
    with wirecost.publish("fake", "t") as topic, wirecost.subscribe("fake", "t") as messages:
        with pytest.raises(UserError, match="use_devices"):
            topic.send(sent())
        use_devices(device_to_host="copy")
        assert topic.send(sent())
        message = messages.receive(1)
        assert message.device.type == "cpu"
    assert not device.exists()
    with pytest.raises(UserError, match="ipc='yes': give True or False"):
        use_devices(ipc="yes")  # type: ignore[arg-type]


def test_said_once_it_holds_for_topics_and_services(device: Path) -> None:
    use_devices(ipc=True)
    with wirecost.publish("fake", "t") as topic, wirecost.subscribe("fake", "t") as messages:
        for count in range(3):
            assert topic.send({"a": sent(count), "n": count})
        for count in range(3):
            message = messages.receive(1)
            assert message["n"] == count and message["a"].device.type == "cuda"
            assert message["a"].array.tolist() == (ARRAY + count).tolist()
        assert messages.count.received == 3 and messages.count.lost == 0
    with wirecost.serve("fake", "s") as service, wirecost.request("fake", "s") as client:

        def serve() -> None:
            question = next(service)
            question.answer(Tensor(question.message.array * 2, "cuda:0"))

        thread = threading.Thread(target=serve)
        thread.start()
        assert client.ask(sent()).array.tolist() == ((ARRAY + 1) * 2).tolist()
        thread.join()
    assert list(device.glob("*.ring")) == []


def test_what_a_topic_says_itself_goes_first(device: Path) -> None:
    use_devices(ipc=True)
    with (
        wirecost.publish("fake", "t", device_to_host=to_host) as topic,
        wirecost.subscribe("fake", "t", as_="numpy") as messages,
    ):
        topic.send(sent())
        assert messages.receive(1).tolist() == (ARRAY + 1).tolist()
    assert not device.exists()


def test_what_was_overwritten_counts_as_lost_and_the_next_one_is_received() -> None:
    use_devices(ipc=True)
    more = 5
    with wirecost.publish("fake", "t") as topic, wirecost.subscribe("fake", "t") as messages:
        for count in range(SLOTS + more):
            topic.send(sent(count))
        assert messages.receive(1).array[0] == more
        assert (messages.count.received, messages.count.lost) == (1, more)
        assert next(messages).array[0] == more + 1
        for count in range(2 * SLOTS):
            topic.send(sent(count))

        async def two() -> list[float]:
            first = await messages.receive_async(1)
            return [first.array[0], (await anext(messages)).array[0]]

        assert asyncio.run(two()) == [SLOTS, SLOTS + 1]
        lost = more + (SLOTS - 2) + SLOTS
        assert (messages.count.received, messages.count.lost) == (4, lost)


def test_a_topic_that_was_closed_takes_no_more_and_keeps_nothing(device: Path) -> None:
    use_devices(ipc=True)
    with wirecost.subscribe("fake", "t") as messages:
        topic = wirecost.publish("fake", "t")
        topic.send(sent())
        assert messages.receive(1).array[0] == 1
        topic.send(sent(2))
        topic.close()
        assert list(device.glob("*.ring")) == []
        with pytest.raises(UserError, match="closed already"):
            topic.send(sent(3))
        assert messages.receive(0) is None
        assert messages.count.lost == 1
    assert not receiving._OPEN


@pytest.mark.parametrize("transport", ["zeromq", "iceoryx2"])
def test_between_two_processes(transport: str) -> None:
    needs.transport(transport)
    peer = Peer()
    try:
        peer.do("publish", transport, "device")
        with wirecost.subscribe(transport, "device", depth=8) as messages:
            assert peer.do("wait") == "True"
            peer.do("put", 3, "torch", 5, 2000)
            for _ in range(3):
                message = messages.receive(30)
                assert message["a"].array.tolist() == list(range(5, 2005))
                assert message["host"].tolist() == [1, 1, 1]
            del message
            peer.do("put", 1, "cupy", 6, 2000)
            peer.end(kill=True)
            assert messages.receive(3) is None
            assert messages.count.received == 3 and messages.count.lost == 1
    finally:
        peer.end()
