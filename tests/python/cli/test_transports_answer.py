# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost transports`` and ``bench transport`` say where shared memory is not installed."""

from __future__ import annotations

from dataclasses import replace

from wirecost.cli.transports_answer import LIKELY, ON_ONE_MACHINE, transports_answer
from wirecost.messaging.api.available import AvailableTransport, transports
from wirecost.messaging.transport import SHARED_MEMORY, find
from wirecost.results.report.shared.answer import Answer

WHY = f"not installed: pip install {SHARED_MEMORY}"


def answer(shared_memory: bool) -> Answer:
    """Answer on a machine that has every transport, or all but those with shared memory."""

    def made(item: AvailableTransport) -> AvailableTransport:
        is_here = shared_memory or not item.capabilities.shared_memory
        return replace(item, missing=None if is_here else WHY, no_server=None)

    return transports_answer([made(item) for item in transports()], [], {}, None)


def test_that_no_shared_memory_is_here_comes_first() -> None:
    lacking = answer(shared_memory=False)
    assert lacking.sentence.startswith("No middleware with shared memory")
    assert WHY in lacking.sentence
    assert SHARED_MEMORY not in f"{lacking.sentence.partition('Try')[2]} {lacking.more}"


def test_the_advice_is_what_is_measured() -> None:
    whole = answer(shared_memory=True)
    first, *others = LIKELY[ON_ONE_MACHINE]
    assert f"Try {first}" in whole.sentence
    assert f"--middlewares {','.join((first, *others))} " in whole.more
    assert find(first).capabilities.shared_memory
