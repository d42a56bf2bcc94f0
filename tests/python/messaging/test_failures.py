# SPDX-License-Identifier: Apache-2.0
"""Replies of a service in place of an answer, where a program decides on messages' fate."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

import wirecost
from support.messaging_fakes import fake_transports
from wirecost.messaging.tensor import use_devices
from wirecost.system.errors import UserError


@pytest.fixture(autouse=True)
def transports(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with fake_transports(monkeypatch):
        yield
    use_devices()


def test_a_failure_is_not_moved_to_a_device() -> None:
    seen: list[Any] = []

    def place(message: Any) -> Any:
        seen.append(message)
        return [message]

    use_devices(host_to_device=place)
    with wirecost.serve("fake", "s") as service, wirecost.request("fake", "s") as client:

        def serve() -> None:
            next(service).fail("cannot see")
            next(service).answer("answer")

        thread = threading.Thread(target=serve)
        thread.start()
        with pytest.raises(UserError, match="s over fake: cannot see"):
            client.ask("first")
        assert client.ask("second") == ["answer"]
        thread.join()
    assert seen == ["first", "second", "answer"]
