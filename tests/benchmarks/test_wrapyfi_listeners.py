# SPDX-License-Identifier: Apache-2.0
"""Wrapyfi's listeners, which wait for ever unless an alarm breaks the wait off."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType, SimpleNamespace
from typing import Any

import pytest

from support import needs
from wirecost_scenarios.wrapyfi import contender as wrapyfi


class Listener(wrapyfi.WrapyfiReceiver):
    """Counts its alarms."""

    alarms = 0

    def _late(self, number: int, frame: FrameType | None) -> None:
        self.alarms += 1
        super()._late(number, frame)


@pytest.fixture
def listener(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[], Any]], Listener]]:
    before = signal.getsignal(signal.SIGALRM)

    def made(exchange: Callable[[], Any]) -> Listener:
        turns = iter((lambda: "first", exchange))
        first_then_this = SimpleNamespace(exchange=lambda: (next(turns)(),))
        monkeypatch.setattr(wrapyfi, "_exchange", lambda *_: first_then_this)
        receiver = Listener("zeromq", "topic")
        first = receiver.receive(60)
        assert first is not None and first.message == "first"
        return receiver

    yield made
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_wait_is_broken_off(listener: Any) -> None:
    waiting = listener(lambda: time.sleep(600))
    assert waiting.receive(0.01) is None
    assert waiting.alarms == 1


def test_a_message_that_is_being_decoded_is_not(listener: Any) -> None:
    """An import of a framework may be what would be broken off."""
    slow: Any = None

    def hook(document: Any) -> Any:
        while slow.alarms < 3:
            time.sleep(0.001)
        return document

    slow = listener(lambda: json.loads('{"a": 1}', object_hook=hook))
    assert slow.receive(0.01).message == {"a": 1}
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


def test_jax_is_whole_before_its_first_message() -> None:
    """Later a message's wait could break off the import of what its first array needs."""
    needs.package("jax")
    program = (
        "import sys, numpy\n"
        "from wirecost.measure.bench.tensor.plugins import PLUGINS\n"
        "jax = PLUGINS['jax'].load()\n"
        "known = set(sys.modules)\n"
        "jax.numpy.array(numpy.ones((20, 30)))\n"
        "print(*sorted(name for name in set(sys.modules) - known if name.startswith('jax')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
