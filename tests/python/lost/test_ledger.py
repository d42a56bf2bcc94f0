# SPDX-License-Identifier: Apache-2.0
"""What publishes, takes and losses say of a subscriber's messages, and what they leave open."""

from __future__ import annotations

import numpy as np
import pytest

from wirecost.measure.lost.live.calls import CALL, GONE, LOST, PUBLISH, TAKE, TopicCalls
from wirecost.measure.lost.live.ledger import Ledger, ledgers

TALKER, LISTENER = 10, 20
STAMP = 1_700_000_000_000_000_000
"""Clock of the publisher at time 0 of CLOCK_MONOTONIC."""
MS = 1_000_000


def calls(kind: int, pid: int, *events: tuple[int, int]) -> TopicCalls:
    """Return calls at times in milliseconds, with their values."""
    block = np.array([(time * MS, value) for time, value in events], CALL)
    return TopicCalls(pid, "/t", kind, [block])


def published(*times: int, pid: int = TALKER) -> TopicCalls:
    return calls(PUBLISH, pid, *((time, STAMP + time * MS) for time in times))


def taken(**events: int) -> TopicCalls:
    """Return takes: ``m10=12`` of the message of time 10 at time 12."""
    pairs = ((time, STAMP + int(name[1:]) * MS) for name, time in events.items())
    return calls(TAKE, LISTENER, *pairs)


def ledger(*every: TopicCalls, tells: bool = True) -> Ledger:
    (only,) = ledgers(every, {LISTENER} if tells else set())
    return only


def test_messages_that_the_reader_never_had_died_before_it() -> None:
    noticed = calls(LOST, LISTENER, (30, 2))
    only = ledger(published(0, 10, 20, 30, 40), taken(m0=1, m30=31, m40=41), noticed)
    assert (only.published, only.taken, only.untaken) == (5, 3, 0)
    assert (only.before, only.behind, only.either) == (2, 0, 0)


def test_messages_that_its_writer_no_longer_has_died_before_it() -> None:
    gone = calls(GONE, LISTENER, (29, 1), (29, 1))
    only = ledger(published(0, 10, 20, 30), taken(m0=1, m30=31), gone)
    assert (only.before, only.behind) == (2, 0)


def test_the_others_fell_out_of_the_history() -> None:
    only = ledger(published(0, 10, 20, 30, 40, 50), taken(m0=1, m30=41, m40=81, m50=121))
    assert (only.before, only.behind, only.either, only.held) == (0, 2, 0, 2)
    assert only.takes_every_s == pytest.approx(0.04)
    assert only.published_every_s == pytest.approx(0.01)


def test_losses_near_the_ends_are_not_counted_as_those_between() -> None:
    before, behind = calls(LOST, LISTENER, (9, 5)), calls(LOST, LISTENER, (60, 7))
    only = ledger(published(10, 20, 30, 40, 60), taken(m10=11, m40=41), before, behind)
    assert (only.missing, only.before, only.behind, only.untaken) == (2, 0, 2, 1)


def test_a_loss_that_may_belong_to_either_side_is_left_open() -> None:
    noticed = calls(LOST, LISTENER, (25, 1))  # the reader had 10 then, but took it later
    only = ledger(published(10, 20, 30, 40), taken(m10=35, m40=41), noticed)
    assert (only.before, only.behind, only.either) == (0, 1, 1)


def test_another_middleware_leaves_all_open() -> None:
    only = ledger(published(0, 10, 20), taken(m0=1, m20=21), tells=False)
    assert (only.before, only.behind, only.either) == (0, 0, 1)


def test_a_time_is_the_same_though_dds_rounds_it() -> None:
    takes = taken(m0=1, m10=11)
    takes.blocks[0]["value"] += (-1, 1)
    assert ledger(published(0, 10), takes).taken == 2


def test_a_publisher_of_which_nothing_came_is_not_one_of_its_own() -> None:
    """It may be in the same process, without the middleware, or have another partition."""
    only = ledger(published(0, 10), published(3, 13, pid=LISTENER), taken(m0=1, m10=11))
    assert (only.published, only.missing, only.pids) == (2, 0, {TALKER})


def test_publishers_count_for_themselves() -> None:
    only = ledger(
        published(0, 10, 20), published(5, 15, 25, pid=11), taken(m0=1, m5=6, m20=21, m25=26)
    )
    assert (only.published, only.taken, only.missing) == (6, 4, 2)


@pytest.mark.parametrize(("tells", "before"), [(True, 3), (False, 0)])
def test_of_a_publisher_elsewhere_only_what_the_reader_noticed_counts(
    tells: bool, before: int
) -> None:
    losses = [calls(LOST, LISTENER, (1, 9), (20, 2), (90, 5)), calls(GONE, LISTENER, (30, 1))]
    only = ledger(taken(m0=1, m30=31, m40=41), *losses, tells=tells)
    assert (only.published, only.taken) == (0, 3)
    assert (only.before, only.behind, only.either) == (before, 0, 0)
