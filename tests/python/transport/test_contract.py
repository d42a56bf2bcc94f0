# SPDX-License-Identifier: Apache-2.0
"""Duties of every transport, in two processes; transports that are missing here are skipped."""

from __future__ import annotations

import secrets
import select
import signal
import time
import zlib
from collections.abc import Callable, Iterator

import pytest

from support import needs
from support.transport_peer import PATIENCE, Bytes, Peer, content, runtime_folder
from wirecost.messaging.transport import (
    Publisher,
    Sample,
    Subscriber,
    Transport,
    find,
    names,
    open_transport,
)
from wirecost.system.errors import UserError

SIZES = [0, 1, 24, 1000, 65_535, 65_536, 320_000, 8_000_000]
RUN = secrets.token_hex(4)
TOPICS = iter(range(1_000_000))
ASKING = [name for name in names() if find(name).capabilities.request_reply]


@pytest.fixture(scope="module", params=names())
def place(request: pytest.FixtureRequest) -> Iterator[tuple[str, str | None]]:
    """Return a transport's name and where it is."""
    with runtime_folder(), needs.server(request.param) as address:
        yield request.param, address


@pytest.fixture(scope="module")
def helper(place: tuple[str, str | None]) -> Iterator[Peer]:
    """One other process for the tests that leave it alive: starting one takes its time."""
    peer = Peer(*place)
    yield peer
    assert peer.end() == 0


@pytest.fixture
def start(place: tuple[str, str | None]) -> Iterator[Callable[[], Peer]]:
    """Start another process, which the test may kill."""
    peers: list[Peer] = []

    def begin() -> Peer:
        peers.append(Peer(*place))
        return peers[-1]

    yield begin
    for peer in peers:
        peer.end()


@pytest.fixture
def here(place: tuple[str, str | None]) -> Iterator[Transport]:
    with open_transport(*place) as transport:
        yield transport


@pytest.fixture
def topic() -> str:
    # Other runs of the tests may use the same middleware at the same time.
    return f"contract/run_{RUN}/topic_{next(TOPICS)}"


def next_of(subscriber: Subscriber) -> Sample:
    sample = subscriber.receive(PATIENCE)
    assert sample is not None, "nothing came"
    return sample


def test_content_of_all_sizes_is_equal(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("publisher", topic=topic)
    with here.subscriber(topic) as subscriber:
        assert helper.call("wait", topic=topic)
        for seed, size in enumerate(SIZES):
            helper.begin("send", topic=topic, sizes=[size])
            sample = next_of(subscriber)
            assert bytes(sample.buffer) == content(size, 0).data
            assert sample.number == seed
            sample.release()
            sample.release()
            helper.answer()
        assert subscriber.count.received == len(SIZES)
        assert subscriber.count.lost == 0
        assert subscriber.receive(0) is None
        assert subscriber.receive(0.01) is None
    helper.call("close", topic=topic)


def test_a_burst_waits_to_be_received(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("subscriber", topic=topic)
    with here.publisher(topic) as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        frames = [content(5000 + k, k) for k in range(10)]
        for frame in frames:
            assert publisher.send(frame)
        assert publisher.sent == 10
        got = helper.call("receive", topic=topic, count=10)
    assert got == [[frame.nbytes, zlib.crc32(frame.data)] for frame in frames]
    helper.call("close", topic=topic)


def test_a_frame_is_read_as_often_as_is_said(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("subscriber", topic=topic)
    with here.publisher(topic) as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        frame = content(320_000, 1)
        publisher.send(frame)
        assert helper.call("receive", topic=topic, count=1)
    if here.capabilities.send_copies == 1:
        assert len(frame.reads) == 1
    helper.call("close", topic=topic)


def test_memory_may_be_changed_after_sending(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("subscriber", topic=topic)
    with here.publisher(topic) as publisher:
        assert publisher.wait_for_subscriber(PATIENCE)
        expected = []
        for value in b"abc":
            memory = bytearray([value]) * 300_000
            frame = Bytes(b"")
            frame.data, frame.nbytes = memory, len(memory)
            publisher.send(frame)
            expected.append([len(memory), zlib.crc32(memory)])
            memory[:] = bytes(len(memory))
        assert helper.call("receive", topic=topic, count=3) == expected
    helper.call("close", topic=topic)


def test_held_samples_keep_their_content(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("publisher", topic=topic)
    with here.subscriber(topic, depth=8) as subscriber:
        assert helper.call("wait", topic=topic)
        sizes = [100_000 + k for k in range(6)]
        assert helper.call("send", topic=topic, sizes=sizes) == 6
        held = [next_of(subscriber) for _ in sizes]
        for seed, (size, sample) in enumerate(zip(sizes, held, strict=True)):
            assert bytes(sample.buffer) == content(size, seed).data
            sample.release()
    helper.call("close", topic=topic)


def test_two_topics_do_not_mix(here: Transport, helper: Peer, topic: str) -> None:
    other = topic + "/other"
    with here.subscriber(topic) as first, here.subscriber(other) as two:
        for name in topic, other:
            helper.call("publisher", topic=name)
            assert helper.call("wait", topic=name)
        helper.call("send", topic=topic, sizes=[10, 11])
        helper.call("send", topic=other, sizes=[20])
        assert [len(next_of(first).buffer) for _ in range(2)] == [10, 11]
        assert len(next_of(two).buffer) == 20
        assert first.receive(0.02) is None
        assert two.receive(0) is None
    for name in topic, other:
        helper.call("close", topic=name)


def test_a_late_subscriber_gets_what_is_sent_from_then_on(
    here: Transport, helper: Peer, topic: str
) -> None:
    helper.call("publisher", topic=topic)
    assert helper.call("send", topic=topic, sizes=[5] * 10) == 10
    with here.subscriber(topic) as subscriber:
        assert helper.call("wait", topic=topic)
        helper.call("send", topic=topic, sizes=[7, 8, 9])
        got = [next_of(subscriber) for _ in range(3)]
        assert [len(sample.buffer) for sample in got] == [7, 8, 9]
        assert [sample.number for sample in got] == [10, 11, 12]
        assert subscriber.count.lost == 0
    helper.call("close", topic=topic)


def test_a_killed_publisher_is_replaced(
    here: Transport, start: Callable[[], Peer], topic: str
) -> None:
    streams = set()
    with here.subscriber(topic) as subscriber:
        for _ in range(2):
            peer = start()
            peer.call("publisher", topic=topic)
            peer.begin("wait", topic=topic)
            # A receiver that does not receive may not notice the new publisher.
            while not peer.answered():
                assert subscriber.receive(0.02) is None
            assert peer.answer()
            assert peer.call("send", topic=topic, sizes=[50_000] * 3) == 3
            for _ in range(3):
                sample = next_of(subscriber)
                streams.add(sample.stream)
                sample.release()
            peer.signal(signal.SIGKILL)
        assert subscriber.count.received == 6
        assert subscriber.count.lost == 0
    assert len(streams) == 2


def test_a_publisher_killed_while_sending_does_no_harm(
    here: Transport, start: Callable[[], Peer], helper: Peer, topic: str
) -> None:
    with here.subscriber(topic) as subscriber:
        peer = start()
        peer.call("publisher", topic=topic)
        assert peer.call("wait", topic=topic)
        peer.call("send_forever", topic=topic, size=1_000_000)
        for _ in range(3):
            next_of(subscriber).release()
        peer.signal(signal.SIGKILL)
        while sample := subscriber.receive(0.1):
            assert len(sample.buffer) == 1_000_000
            sample.release()
        helper.call("publisher", topic=topic)
        helper.begin("wait", topic=topic)
        while not helper.answered():
            if sample := subscriber.receive(0.02):
                sample.release()
        assert helper.answer()
        helper.begin("send", topic=topic, sizes=[77])
        while len((sample := next_of(subscriber)).buffer) != 77:
            sample.release()
        helper.answer()
    helper.call("close", topic=topic)


def test_a_subscriber_killed_while_receiving_does_no_harm(
    here: Transport, start: Callable[[], Peer], helper: Peer, topic: str
) -> None:
    with here.publisher(topic) as publisher:
        peer = start()
        peer.call("subscriber", topic=topic)
        assert publisher.wait_for_subscriber(PATIENCE)
        frame = content(1_000_000, 3)
        for k in range(40):
            publisher.send(frame)
            if k == 20:
                peer.signal(signal.SIGKILL)
        helper.call("subscriber", topic=topic)
        last = content(999, 4)
        assert reached(publisher, helper, topic, last)
    helper.call("close", topic=topic)


def reached(publisher: Publisher, helper: Peer, topic: str, frame: Bytes) -> bool:
    """Send until the other process has it: a subscriber that is gone may still seem there."""
    expected = [[frame.nbytes, zlib.crc32(frame.data)]]
    end = time.monotonic() + PATIENCE
    got = None
    # What was on its way to a broker before it subscribed may come first.
    while got != expected and time.monotonic() < end:
        helper.begin("receive", topic=topic, count=1)
        while time.monotonic() < end and not helper.answered():
            publisher.wait_for_subscriber(0.1)
            publisher.send(frame)
            time.sleep(0.02)
        got = helper.answer()
    return bool(got == expected)


def test_what_a_slow_subscriber_loses_is_counted(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("publisher", topic=topic)
    with here.subscriber(topic, depth=4) as subscriber:
        assert helper.call("wait", topic=topic)
        # More than sockets and queues have room for, so that somebody must lose or wait.
        helper.begin("send", topic=topic, sizes=[200_000] * 300)
        time.sleep(0.3)
        numbers = []
        while sample := subscriber.receive(0.2):
            numbers.append(sample.number)
            sample.release()
        sent = helper.answer()
        last = -1
        until = time.monotonic() + PATIENCE
        while last < sent - 1 and time.monotonic() < until:
            # A publisher that has no room yet loses this one as well.
            sent = helper.call("send", topic=topic, sizes=[3])
            while last < sent - 1 and (sample := subscriber.receive(0.5)):
                last = sample.number
                numbers.append(last)
                sample.release()
        assert last == sent - 1
        assert numbers == sorted(numbers)
        count = subscriber.count
        assert count.received == len(numbers)
        assert count.received + count.lost == sent - numbers[0]
        assert count.duplicates == count.reordered == 0
    helper.call("close", topic=topic)


def test_ends_close_twice_and_are_free_again(here: Transport, topic: str) -> None:
    for _ in range(3):
        publisher, subscriber = here.publisher(topic), here.subscriber(topic)
        publisher.close()
        subscriber.close()
        publisher.close()
        subscriber.close()


def test_a_blocked_receiver_is_interrupted(start: Callable[[], Peer], topic: str) -> None:
    peer = start()
    peer.call("subscriber", topic=topic)
    peer.call("receive_forever", topic=topic)
    time.sleep(0.2)
    assert peer.signal(signal.SIGINT) == 3


def test_a_descriptor_tells_of_every_message(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("publisher", topic=topic)
    with here.subscriber(topic) as subscriber:
        descriptor = subscriber.fileno()
        if descriptor is None:
            pytest.skip("it has no descriptor")
        assert helper.call("wait", topic=topic)
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        for _ in range(2):
            assert helper.call("send", topic=topic, sizes=[100, 20_000, 300_000])
            sizes: list[int] = []
            end = time.monotonic() + PATIENCE
            while len(sizes) < 3 and time.monotonic() < end:
                assert poll.poll(PATIENCE * 1000), f"silent after {sizes}"
                if sample := subscriber.receive(0):
                    sizes.append(len(sample.buffer))
                    sample.release()
            assert sizes == [100, 20_000, 300_000]
    helper.call("close", topic=topic)


@pytest.mark.parametrize("place", [n for n in names() if n not in ASKING], indirect=True)
def test_who_has_no_requests_says_so(here: Transport) -> None:
    for make in here.requester, here.replier:
        with pytest.raises(NotImplementedError, match="no requests"):
            make("service")


@pytest.mark.parametrize("place", ASKING, indirect=True)
def test_requests_are_answered(here: Transport, helper: Peer, topic: str) -> None:
    helper.call("replier", service=topic)
    with here.requester(topic) as requester:
        assert requester.wait_for_replier(PATIENCE)
        helper.begin("reply", service=topic, count=len(SIZES))
        for seed, size in enumerate(SIZES):
            frame = content(size, seed)
            sample = requester.ask(frame, PATIENCE)
            assert bytes(sample.buffer) == frame.data
            sample.release()
        assert helper.answer() == len(SIZES)
    helper.call("close", topic=topic)


@pytest.mark.parametrize("place", ASKING, indirect=True)
def test_a_reply_that_comes_too_late_is_not_the_next_ones(
    here: Transport, helper: Peer, topic: str
) -> None:
    helper.call("replier", service=topic)
    with here.requester(topic) as requester:
        assert requester.wait_for_replier(PATIENCE)
        helper.begin("reply", service=topic, count=1, late=0.5)
        with pytest.raises(UserError, match=r"no reply within 0\.1 s"):
            requester.ask(content(100, 1), 0.1)
        helper.answer()
        helper.begin("reply", service=topic, count=1)
        frame = content(200, 2)
        assert bytes(requester.ask(frame, PATIENCE).buffer) == frame.data
        helper.answer()
    helper.call("close", topic=topic)


@pytest.mark.parametrize("place", ASKING, indirect=True)
def test_a_question_to_nobody_is_an_error(here: Transport, topic: str) -> None:
    with here.requester(topic) as requester:
        assert not requester.wait_for_replier(0.05)
        with pytest.raises(UserError, match=topic):
            requester.ask(content(10, 0), 0.1)


@pytest.mark.parametrize("place", ASKING, indirect=True)
def test_a_killed_replier_is_replaced(
    here: Transport, start: Callable[[], Peer], topic: str
) -> None:
    frame = content(1000, 1)
    with here.requester(topic) as requester:
        for _ in range(2):
            peer = start()
            peer.call("replier", service=topic)
            peer.begin("reply", service=topic, count=1000)
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                try:
                    sample = requester.ask(frame, 1)
                    break
                except UserError:
                    continue
            assert bytes(sample.buffer) == frame.data
            sample.release()
            peer.signal(signal.SIGKILL)
