# SPDX-License-Identifier: Apache-2.0
"""Topics whose tensors lie on a device, with a stand-in for it (support/fake_cuda.py)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import wirecost
from support import fake_cuda
from support.fake_cuda import Tensor
from support.messaging_fakes import fake_transports
from wirecost.messaging.tensor import to_host, use_devices
from wirecost.system.errors import UserError

ARRAY = np.arange(1000.0)


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a fake device in a program that says nothing about devices afterwards."""
    fake_cuda.install(monkeypatch)
    with fake_transports(monkeypatch):
        yield
    use_devices()


def test_nothing_leaves_a_device_unless_it_was_said() -> None:
    with wirecost.publish("fake", "t") as topic, wirecost.subscribe("fake", "t") as messages:
        with pytest.raises(UserError, match="use_devices"):
            topic.send(Tensor(ARRAY, "cuda:0"))
        use_devices(device_to_host="copy")
        assert topic.send(Tensor(ARRAY, "cuda:0"))
        assert messages.receive(1).device.type == "cpu"


def test_what_a_topic_says_itself_goes_first() -> None:
    with (
        wirecost.publish("fake", "t", device_to_host=to_host) as topic,
        wirecost.subscribe("fake", "t", as_="numpy") as messages,
    ):
        topic.send(Tensor(ARRAY, "cuda:0"))
        assert messages.receive(1).tolist() == ARRAY.tolist()
