# SPDX-License-Identifier: Apache-2.0
"""The library over every transport: loops, event loops, requests; what is missing is skipped."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
import threading
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import wirecost
from support import needs
from wirecost.messaging.transport import find, names
from wirecost.system.errors import UserError

PATIENCE_S = 60.0
IMAGE = np.arange(40_000.0).reshape(200, 200)
Place = tuple[str, str, str | None]


# A process can be a node of one ROS master only, and other tests are nodes of others.
IN_PROCESS = [name for name in names() if name != "ros1"]


@pytest.fixture(params=IN_PROCESS)
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    """Return a transport, a topic of the test's own, and an address."""
    with needs.server(request.param) as address:
        yield request.param, f"t{uuid.uuid4().hex}", address


def test_messages_of_one_process_reach_its_listener(place: Place) -> None:
    transport, topic, address = place
    with (
        wirecost.subscribe(transport, topic, address=address) as messages,
        wirecost.publish(transport, topic, address=address) as pub,
    ):
        assert pub.wait_for_subscriber(PATIENCE_S)
        for number in range(30):
            assert pub.send({"image": IMAGE + number, "n": number})
            message = messages.receive(PATIENCE_S)
            assert message is not None
            assert message["n"] == number
            np.testing.assert_array_equal(message["image"], IMAGE + number)
        assert messages.receive(0) is None
        # The last arrays are let go of in another thread, after their subscription ended.
    np.testing.assert_array_equal(message["image"], IMAGE + 29)
    held = [message]
    del message
    last = threading.Thread(target=held.clear)
    last.start()
    last.join()
    assert not held


def test_an_event_loop_listens(place: Place) -> None:
    transport, topic, address = place

    async def main() -> list[int]:
        got = []
        async with (
            wirecost.subscribe(transport, topic, address=address) as messages,
            wirecost.publish(transport, topic, address=address) as pub,
        ):
            assert pub.wait_for_subscriber(PATIENCE_S)
            waiting = asyncio.create_task(messages.receive_async())
            await asyncio.sleep(0.01)
            waiting.cancel()
            for number in range(10):
                await pub.send_async(np.full(20_000, number))
                async for message in messages:
                    got.append(int(message[-1]))
                    break
            assert await messages.receive_async(0.05) is None
        return got

    assert asyncio.run(asyncio.wait_for(main(), 2 * PATIENCE_S)) == list(range(10))


def test_a_service_answers(place: Place) -> None:
    transport, service, address = place
    if not find(transport).capabilities.request_reply:
        for ends in (wirecost.request, wirecost.serve):
            with pytest.raises(UserError, match="no requests"):
                ends(transport, service, address=address)
        return

    def answer(requests: wirecost.messaging.api.Service) -> None:
        for request in requests:
            request.answer({"twice": request.message["image"] * 2})

    with ThreadPoolExecutor(1) as pool:
        with (
            wirecost.serve(transport, service, address=address) as requests,
            wirecost.request(transport, service, address=address) as policy,
        ):
            answering = pool.submit(answer, requests)
            # Half of the answers are kept, more than some middlewares lend by themselves.
            kept = []
            for number in range(12):
                twice = policy.ask({"image": IMAGE + number}, PATIENCE_S)["twice"]
                np.testing.assert_array_equal(twice, 2 * (IMAGE + number))
                kept.append(twice if number % 2 else None)
            np.testing.assert_array_equal(kept[1], 2 * (IMAGE + 1))
            del twice, kept
        answering.result(PATIENCE_S)


FORGETFUL = """
import sys, threading, wirecost
place, address = sys.argv[1:3], sys.argv[3] or None
messages = wirecost.subscribe(*place, address=address)
camera = wirecost.publish(*place, address=address)
assert camera.wait_for_subscriber(60)
camera.send(1)
assert messages.receive(60) == 1
threading.Thread(target=list, args=(messages,), daemon=True).start()
"""


@pytest.mark.parametrize("place", names(), indirect=True)
def test_a_program_ends_that_closes_nothing(place: Place) -> None:
    transport, topic, address = place
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-c", FORGETFUL, transport, topic, address or ""],
            env=os.environ | {"XDG_RUNTIME_DIR": folder},
            timeout=PATIENCE_S,
            check=True,
        )
        assert [path for path in Path(folder).rglob("*") if not path.is_dir()] == []


def test_topics_of_one_transport_in_several_threads(place: Place) -> None:
    transport, topic, address = place

    def exchange(name: str) -> bool:
        with (
            wirecost.subscribe(transport, name, address=address) as messages,
            wirecost.publish(transport, name, address=address) as pub,
        ):
            assert pub.wait_for_subscriber(PATIENCE_S)
            sent = np.full(50_000, hash(name), np.int64)
            for number in range(100):
                sent[0] = number
                assert pub.send(sent)
                received = messages.receive(PATIENCE_S)
                assert received is not None
                np.testing.assert_array_equal(received, sent)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(exchange, [f"{topic}_{number}" for number in range(4)]))
