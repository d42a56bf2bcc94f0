# SPDX-License-Identifier: Apache-2.0
"""Real processes, with a client that drops, doubles, reorders, delays or damages messages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from support.faulty_client import EVERY, FAULTS
from wirecost.measure.bench.transport import clients
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.ground import Ground, Spot
from wirecost.measure.bench.transport.peak import fault
from wirecost.measure.bench.transport.session import (
    TransportBlock,
    TransportOrder,
    TransportSession,
)
from wirecost.measure.bench.transport.setting_groups import AskedQuality, settings_of
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError

COUNT = 2000
RATE = 2000.0
LOOPBACK = Ground("loopback", Spot(), (Spot(),))
FAULTY = Path(__file__).parents[1] / "support" / "faulty_client.py"
(MATCHED,) = (
    setting
    for setting in settings_of("zeromq", AskedQuality(queue=1000))
    if setting.name == "matched"
)


@pytest.fixture(scope="module")
def blocks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, TransportBlock]]:
    """Run a block of each fault; they share their processes."""
    logs = tmp_path_factory.mktemp("logs")
    with scratch.run():
        client = clients.python((sys.executable, str(FAULTY)))
        contender = TransportContender("zeromq", client, MATCHED)
        with TransportSession(contender, "pubsub", LOOPBACK, 1, max(FAULTS), logs) as session:
            yield {
                name: session.run(TransportOrder(size, RATE, COUNT, check=1, quiet_s=0.1))
                for size, name in FAULTS.items()
            }


def numbers(block: TransportBlock) -> tuple[int, int, int, int]:
    counts = block.counts
    return counts.lost, counts.duplicates, counts.reordered, counts.wrong


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("none", (0, 0, 0, 0)),
        ("drop", (COUNT // EVERY["drop"], 0, 0, 0)),
        ("double", (0, COUNT // EVERY["double"], 0, 0)),
        ("reorder", (0, 0, COUNT // EVERY["reorder"], 0)),
        ("delay", (0, 0, 0, 0)),
        ("corrupt", (0, 0, 0, COUNT // EVERY["corrupt"])),
    ],
)
def test_each_fault_shows_in_its_number_alone(
    blocks: dict[str, TransportBlock], name: str, expected: tuple[int, int, int, int]
) -> None:
    assert blocks[name].counts.sent == COUNT
    # The first and last of a block may be spared: what is held is sent with the next one.
    actual = numbers(blocks[name])
    assert all(abs(number - other) <= 1 for number, other in zip(actual, expected, strict=True))
    assert [bool(number) for number in actual] == [bool(number) for number in expected]


def test_a_delay_of_a_millisecond_shows_in_every_percentile(
    blocks: dict[str, TransportBlock],
) -> None:
    good, late = (
        np.percentile(blocks[name].arrivals[0].stages["total"], [1, 50, 99])
        for name in ("none", "delay")
    )
    assert late[0] >= 1_000_000
    assert late[1] >= good[0] + 1_000_000


def test_a_rate_does_not_hold_where_messages_are_lost(blocks: dict[str, TransportBlock]) -> None:
    assert "lost" in fault(blocks["drop"], RATE)


def test_what_was_spent_and_passed_is_known(blocks: dict[str, TransportBlock]) -> None:
    price = blocks["none"].price
    assert set(price.parts) == {"publisher", "subscribers"}
    for part in price.parts.values():
        # Less than all of its time, more than a microsecond for each message.
        assert 1000 * COUNT < part.cpu_ns < 2e9
        assert part.switches > 0
        assert part.memory_bytes > 1 << 20


def test_requests_and_replies_have_both_directions(tmp_path: Path) -> None:
    with scratch.run():
        contender = TransportContender("zeromq", clients.python(), MATCHED)
        with TransportSession(contender, "reqrep", LOOPBACK, 1, 100, tmp_path) as session:
            block = session.run(TransportOrder(100, 200.0, 20, quiet_s=0.1))
    assert (block.counts.sent, block.counts.received, block.counts.lost) == (20, 20, 0)
    (arrivals,) = block.arrivals
    assert (arrivals.stages["request"] < arrivals.stages["total"]).all()


def test_several_subscribers_get_all_of_it(tmp_path: Path) -> None:
    with scratch.run():
        contender = TransportContender("zeromq-tcp", clients.python(), MATCHED)
        with TransportSession(contender, "pubsub", LOOPBACK, 3, 100, tmp_path) as session:
            block = session.run(TransportOrder(100, 200.0, 20, quiet_s=0.1))
    assert (block.counts.sent, block.counts.received, block.counts.lost) == (20, 60, 0)
    assert len(block.arrivals) == 3


def test_a_client_that_ends_is_named_with_its_last_words(tmp_path: Path) -> None:
    with scratch.run():
        command = (sys.executable, "-c", "import sys; sys.exit('no library')")
        client = clients.ClientProgram("python", command, ("zeromq",))
        with (
            pytest.raises(ProgramFailedError, match=r"ended with status 1: no library"),
            TransportSession(
                TransportContender("zeromq", client, MATCHED), "pubsub", LOOPBACK, 1, 100, tmp_path
            ),
        ):
            pass
