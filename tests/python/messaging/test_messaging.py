# SPDX-License-Identifier: Apache-2.0
"""The library's promises, over a transport within one process."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest

import wirecost
from support import needs
from support.messaging_fakes import MISSING, OPEN, RELEASED, fake_transports
from wirecost.messaging.api import opening
from wirecost.system.errors import UserError

KINDS = pytest.mark.parametrize("kind", ["fake", "fake-descriptor"])
IMAGE = np.arange(12.0).reshape(3, 4)


@pytest.fixture(autouse=True)
def transports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with fake_transports(monkeypatch):
        yield


@contextmanager
def both() -> Iterator[
    tuple[wirecost.messaging.api.Subscription, wirecost.messaging.api.Publication]
]:
    with (
        wirecost.subscribe("fake", "camera") as messages,
        wirecost.publish("fake", "camera") as pub,
    ):
        yield messages, pub


def test_importing_wirecost_imports_nothing_else() -> None:
    program = (
        "import sys, wirecost; assert 'publish' in wirecost.__all__;"
        "heavy = {'numpy', 'zmq', 'zenoh', 'iceoryx2', 'asyncio', 'wirecost.messaging.api'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules);"
        "wirecost.publish; assert 'numpy' in sys.modules;"
        "assert not {'zmq', 'zenoh', 'iceoryx2', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
    assert {"publish", "serve", "__doc__"} <= set(dir(wirecost))
    with pytest.raises(AttributeError, match="publsh"):
        wirecost.publsh  # noqa: B018


@KINDS
def test_messages_arrive_in_order_as_views(kind: str) -> None:
    with wirecost.subscribe(kind, "camera") as messages, wirecost.publish(kind, "camera") as pub:
        assert pub.wait_for_subscriber()
        for number in range(3):
            assert pub.send({"image": IMAGE + number, "t": number})
        for number, message in zip(range(3), messages, strict=False):
            np.testing.assert_array_equal(message["image"], IMAGE + number)
            assert message["t"] == number
            assert not message["image"].flags.writeable
        assert messages.receive(0) is None
        assert messages.receive(0.01) is None
        assert (pub.sent, pub.dropped, messages.count.received) == (3, 0, 3)
    assert messages.closed


def test_a_sample_is_held_as_long_as_its_arrays() -> None:
    with (
        wirecost.subscribe("fake", "camera") as messages,
        wirecost.publish("fake", "camera") as pub,
    ):
        pub.send("no tensor")
        assert messages.receive() == "no tensor"
        assert len(RELEASED) == 1
        pub.send({"image": IMAGE})
        image = messages.receive()["image"][1]
        assert len(RELEASED) == 1
        del image
        assert len(RELEASED) == 2


def test_too_many_held_messages_are_an_error_that_names_the_remedy() -> None:
    with (
        wirecost.subscribe("fake", "camera", depth=2) as messages,
        wirecost.subscribe("fake", "camera", depth=2, copy=True) as copies,
        wirecost.publish("fake", "camera") as pub,
    ):
        for number in range(4):
            pub.send(np.full(3, number))
        held = [messages.receive(), messages.receive()]
        with pytest.raises(UserError, match=r"2 received messages .* copy=True or a larger depth"):
            messages.receive()
        held.append(held)  # a cycle: let go of by the collector only
        del held
        assert messages.receive()[0] == 2  # nothing was lost
        arrays = [copies.receive() for _ in range(4)]
        assert [array[0] for array in arrays] == [0, 1, 2, 3]
        arrays[0][:] = 7
    for depth, copy in ((1, False), (0, True)):
        with pytest.raises(UserError, match=f"depth={depth}"):
            wirecost.subscribe("fake", "camera", depth=depth, copy=copy)


def test_options_of_decoding() -> None:
    with (
        wirecost.subscribe("fake", "camera", as_="polars") as tables,
        wirecost.subscribe("fake", "camera", writable=True) as messages,
        wirecost.publish("fake", "camera", checksum=True) as pub,
    ):
        pandas = needs.package("pandas")
        pub.send(pandas.DataFrame({"speed": [1.5, 2.5]}))
        assert type(tables.receive()).__module__.startswith("polars")
        messages.receive()
        pub.send(IMAGE)
        array = messages.receive()
        array[0, 0] = 5
        assert array[0, 0] == 5


def test_what_cannot_be_read_or_sent_is_one_error_and_the_next_goes_on() -> None:
    with (
        wirecost.subscribe("fake", "camera") as messages,
        wirecost.publish("fake", "camera") as pub,
    ):
        with pytest.raises(UserError, match="do not support"):
            pub.send(object())
        pub._endpoint._send(Garbage(), pub._endpoint.trailer())
        pub.send(1)
        with pytest.raises(UserError, match="frame"):
            next(messages)
        gc.collect()
        assert len(RELEASED) == 1
        assert next(messages) == 1
    for closed in (messages.receive, lambda: pub.send(1), pub.wait_for_subscriber):
        with pytest.raises(UserError, match="camera over fake: it is closed"):
            closed()
    assert list(messages) == []


class OnDevice:
    """Object that presents itself like a tensor in a GPU's memory."""

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **_: object) -> object:
        raise AssertionError("must not be asked")


def test_tensors_leave_a_device_only_when_told_to() -> None:
    moved: list[object] = []

    def to_host(tensor: object) -> np.ndarray:
        moved.append(tensor)
        return IMAGE

    with both() as (messages, pub):
        with pytest.raises(UserError, match=r"DLPack device 2:0: move it .*device_to_host"):
            pub.send({"image": OnDevice()})
        with wirecost.publish("fake", "camera", device_to_host=to_host) as camera:
            camera.send({"image": OnDevice()})
        np.testing.assert_array_equal(messages.receive()["image"], IMAGE)
    assert len(moved) == 1


class Garbage:
    def tobytes(self) -> bytes:
        return b"WCTF" + bytes(200)


def test_a_close_in_another_thread_ends_the_loop() -> None:
    messages = wirecost.subscribe("fake", "camera")
    with ThreadPoolExecutor(1) as pool:
        listening = pool.submit(list, messages)
        messages.close()
        assert listening.result(10) == []
    messages.close()


def test_several_threads_may_send_and_receive() -> None:
    with (
        wirecost.subscribe("fake", "camera") as messages,
        wirecost.publish("fake", "camera") as pub,
    ):
        got: list[int] = []

        def listen() -> None:
            while (message := messages.receive(5)) != -1:
                got.append(message)

        threads = [threading.Thread(target=listen) for _ in range(3)]
        for thread in threads:
            thread.start()
        with ThreadPoolExecutor(4) as pool:
            assert all(pool.map(pub.send, range(200)))
        for _ in threads:
            pub.send(-1)
        for thread in threads:
            thread.join(20)
        assert sorted(got) == list(range(200))
        assert messages.count.lost == 0


def test_one_transport_serves_all_of_a_process() -> None:
    first = wirecost.publish("fake", "one")
    with wirecost.publish("fake", "two"), wirecost.subscribe("fake", "three", address="elsewhere"):
        assert [opened.address for opened in OPEN] == [None, "elsewhere"]
    first.close()
    assert not OPEN


def test_the_transport_for_one_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opening, "ON_ONE_MACHINE", ("fake", "fake-descriptor"))
    with wirecost.publish("camera") as pub:
        assert (pub.transport, pub.topic) == ("fake", "camera")
    MISSING["fake"] = "not installed: pip install fake"
    with wirecost.subscribe("camera") as messages:
        assert messages.transport == "fake-descriptor"
    with pytest.raises(UserError, match="fake: not installed: pip install fake"):
        wirecost.publish("fake", "camera")
    MISSING["fake-descriptor"] = "nor this"
    with pytest.raises(UserError, match="pip install fake; fake-descriptor: nor this"):
        wirecost.publish("camera")
    with pytest.raises(UserError, match="'fake' is a middleware: give a topic"):
        wirecost.publish("fake")
    with pytest.raises(UserError, match="unknown"):
        wirecost.publish("carrier-pigeon", "camera")


def answering(service: wirecost.messaging.api.Service) -> None:
    while True:
        try:
            for question in service:
                message = question.message
                if isinstance(message, np.ndarray):
                    question.answer(message * 2)
                    with pytest.raises(UserError, match="answered already"):
                        question.answer(1)
                elif message == "end":
                    return
                elif message == "fail":
                    question.fail("cannot see")
                elif message == "no form":
                    question.answer(object())
        except UserError as error:
            assert "do not support" in str(error)


def test_requests_are_answered_or_told_why_not() -> None:
    with (
        ThreadPoolExecutor(1) as pool,
        wirecost.serve("fake", "policy") as service,
        wirecost.request("fake", "policy") as policy,
    ):
        running = pool.submit(answering, service)
        np.testing.assert_array_equal(policy.ask(IMAGE, timeout=10), IMAGE * 2)
        for question, reason in (
            ("fail", "policy over fake: cannot see"),
            ("no form", "do not support it"),
            ("nothing", "the service gave no answer"),
        ):
            with pytest.raises(UserError, match=reason):
                policy.ask(question)
        asking = ThreadPoolExecutor(1)
        last = asking.submit(policy.ask, "end")
        running.result(10)
        service.close()
        with pytest.raises(UserError, match="the service ended"):
            last.result(10)
        asking.shutdown()


def test_nobody_to_ask() -> None:
    with (
        wirecost.request("fake", "nobody") as nobody,
        pytest.raises(UserError, match="nobody serves it within 3 s"),
    ):
        nobody.ask(1, timeout=3)
    for ends in (wirecost.request, wirecost.serve):
        with pytest.raises(UserError, match=r"fake-topics: .*no requests"):
            ends("fake-topics", "policy")


@KINDS
def test_an_event_loop_receives(kind: str) -> None:
    async def main() -> list[int]:
        got = []
        async with (
            wirecost.subscribe(kind, "camera") as messages,
            wirecost.publish(kind, "camera") as pub,
        ):

            async def send() -> None:
                for number in range(20):
                    await asyncio.sleep(0.001)
                    assert await pub.send_async(np.full(2, number))

            sending = asyncio.create_task(send())
            async for message in messages:
                got.append(int(message[0]))
                if len(got) == 20:
                    break
            await sending
            assert await messages.receive_async(0) is None
            assert await messages.receive_async(0.01) is None
        assert [message async for message in messages] == []
        with pytest.raises(UserError, match="closed"):
            await messages.receive_async()
        return got

    assert asyncio.run(main()) == list(range(20))


@KINDS
def test_cancelling_loses_nothing(kind: str) -> None:
    async def main() -> None:
        async with (
            wirecost.subscribe(kind, "camera") as messages,
            wirecost.publish(kind, "camera") as pub,
        ):
            for number in range(50):
                waiting = asyncio.create_task(messages.receive_async())
                await asyncio.sleep(0)
                await asyncio.sleep(0.0005)
                waiting.cancel()
                pub.send(number)
                try:
                    message = await waiting
                except asyncio.CancelledError:
                    message = await messages.receive_async(10)
                assert message == number
            # Waiting for ever ends with the connection.
            waiting = asyncio.create_task(anext(messages, "ended"))
            await asyncio.sleep(0.01)
        assert await waiting == "ended"

    asyncio.run(main())


def test_what_the_worker_took_is_not_lost_to_threads() -> None:
    async def cancelled(messages: wirecost.messaging.api.Subscription) -> None:
        waiting = asyncio.create_task(messages.receive_async())
        await asyncio.sleep(0.02)
        waiting.cancel()

    with (
        wirecost.subscribe("fake", "camera") as messages,
        wirecost.publish("fake", "camera") as pub,
    ):
        asyncio.run(cancelled(messages))
        pub.send(1)
        assert messages.receive(10) == 1
        asyncio.run(cancelled(messages))
        pub.send(IMAGE)
    gc.collect()
    assert len(RELEASED) in {1, 2}  # the second was taken and given back, or never taken


def test_an_event_loop_asks_and_serves() -> None:
    async def main() -> None:
        async with (
            wirecost.serve("fake", "policy") as service,
            wirecost.request("fake", "policy") as policy,
        ):
            asking = asyncio.create_task(policy.ask_async(IMAGE))
            async for question in service:
                question.answer(question.message + 1)
                break
            np.testing.assert_array_equal(await asking, IMAGE + 1)

    asyncio.run(main())
