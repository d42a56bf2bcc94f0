# SPDX-License-Identifier: Apache-2.0
"""Facts about the open topics, and how one is found by its name."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

import wirecost
from support.messaging_fakes import fake_transports
from support.transport_peer import runtime_folder
from wirecost.messaging.api.topics import find_topic, topics
from wirecost.messaging.transport.shared.progress import Progress
from wirecost.system.errors import UserError

GOOD: dict[str, Any] = {
    "transport": "fake",
    "topic": "camera",
    "address": None,
    "pid": 4711,
    "program": "camera.py",
    "since": 1.5e9,
    "carries": "",
}


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with fake_transports(monkeypatch), runtime_folder() as folder:
        yield folder


@contextmanager
def sender(text: bytes | None = None, **fields: Any) -> Iterator[None]:
    """Open a publisher that announced this."""
    progress = Progress(hash((text, str(fields))) % 2**64)
    progress.announce(json.dumps(GOOD | fields).encode() if text is None else text)
    yield
    progress.close()


def test_a_publication_is_listed_until_it_is_closed(snapshot: SnapshotAssertion) -> None:
    before = time.time()
    with wirecost.publish("fake", "camera", address="here") as camera:
        (open_topic,) = topics()
        assert (open_topic.transport, open_topic.topic, open_topic.address) == (
            "fake",
            "camera",
            "here",
        )
        assert (open_topic.pid, open_topic.carries, open_topic.sent) == (os.getpid(), "", 0)
        assert before <= open_topic.since <= time.time()
        assert open_topic.program
        camera.send({"image": np.zeros((4, 3), np.uint8), "t": 1.5})
        camera.send("something else")
        (open_topic,) = topics()
        assert open_topic.carries == snapshot
        assert open_topic.sent == 2


class Evil:
    """Object that cannot be looked at."""

    @property
    def dtype(self) -> str:
        raise RuntimeError("no")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        return np.zeros(3)


def test_what_cannot_be_described_is_sent_all_the_same() -> None:
    with wirecost.publish("fake", "camera") as camera:
        camera.send(Evil())
        (open_topic,) = topics()
        assert (open_topic.carries, open_topic.sent) == ("", 1)


def test_long_names_are_not_listed_but_sent() -> None:
    with wirecost.publish("fake", "c" * 5000) as camera:
        camera.send(1)
        assert topics() == []
    with wirecost.publish("fake", "camera") as camera:
        camera.send({f"field{number}" * 9: "text" for number in range(1000)})
        (open_topic,) = topics()
        assert len(open_topic.carries) < 300


REFUSED = [
    b"no JSON",
    b"[" * 4000,
    b"[]",
    b"{}",
    b"\xff\xfe",
    *(
        json.dumps(GOOD | fields).encode()
        for fields in (
            {"topic": 3},
            {"pid": True},
            {"pid": -1},
            {"pid": 10**30},
            {"since": float("nan")},
            {"since": 1e300},
            {"carries": None},
            {"program": "x" * 2000},
            {"more": 1},
        )
    ),
]


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: str(text[-30:]))
def test_what_is_no_announcement_is_left_out(text: bytes) -> None:
    with sender(text), sender():
        assert [topic.program for topic in topics()] == ["camera.py"]


def test_a_topic_is_found_by_its_name() -> None:
    with pytest.raises(UserError, match=r"camera: no process of yours .* give --transport, and"):
        find_topic("camera")
    assert find_topic("camera", "zenoh", "tcp/elsewhere:7447") == ("zenoh", "tcp/elsewhere:7447")
    assert find_topic("camera", "zenoh") == ("zenoh", None)
    with sender(), sender(program="a second one"), sender(topic="other"):
        assert find_topic("camera") == ("fake", None)
    with sender(address="there"):
        assert find_topic("camera") == find_topic("camera", "fake") == ("fake", "there")
        assert find_topic("camera", "fake", "elsewhere") == ("fake", "elsewhere")
        with pytest.raises(UserError, match="camera: not published at elsewhere but at there; "):
            find_topic("camera", None, "elsewhere")


def test_a_topic_that_is_at_several_places_must_be_named() -> None:
    with sender(), sender(transport="zeromq"):
        with pytest.raises(
            UserError, match=r"^camera: published over fake and zeromq; give --transport fake or"
        ):
            find_topic("camera")
        assert find_topic("camera", "zeromq") == ("zeromq", None)
        with sender(address="there"):
            with pytest.raises(
                UserError, match="over fake at its usual address and there; give --address"
            ):
                find_topic("camera", "fake")
            assert find_topic("camera", "fake", "there") == ("fake", "there")
