# SPDX-License-Identifier: Apache-2.0
"""Which publishes a subscriber never took, and on which side of its reader's history they died."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wirecost.measure.cost.live.handles import UNKNOWN
from wirecost.measure.lost.live.calls import CALL, GONE, LOST, PUBLISH, TAKE, TopicCalls

SAME_NS = 1
"""Nanoseconds by which a time differs after it was sent: DDS counts fractions of 2**-32 s."""


@dataclass
class Ledger:
    """Messages of a topic that a process took, or did not.

    Counted between the first and the last message that it took of each publisher: ``published``,
    ``taken``, and where the others died: ``before`` its reader has them, ``behind`` in its
    history, or ``either``. ``untaken``: published after the last; ``pids``: of the publishers; with
    none here, ``published`` is 0, and ``before`` what its reader noticed.
    ``held``: messages that waited whenever some had fallen out; ``takes_every_s``: time between
    takes while another waited, None where none ever did.
    """

    topic: str
    pid: int
    published: int = 0
    taken: int = 0
    untaken: int = 0
    before: int = 0
    behind: int = 0
    either: int = 0
    pids: set[int] = field(default_factory=set)
    held: int = 0
    takes_every_s: float | None = None
    published_every_s: float | None = None

    @property
    def missing(self) -> int:
        return self.published - self.taken


@dataclass(frozen=True)
class _Pairing:
    """Messages of one publisher that one reader took: their places among the published ones."""

    published: NDArray[np.void]
    places: NDArray[np.int64]
    times: NDArray[np.int64]

    @property
    def count(self) -> int:
        return int(self.places[-1] - self.places[0]) + 1

    def published_at(self, place: int) -> float:
        """Return when the message at a place was published, infinite behind the last one."""
        return float(self.published["time"][place]) if place < len(self.published) else np.inf

    @property
    def after_gaps(self) -> NDArray[np.int64]:
        """Numbers of those takes before which messages are missing."""
        return np.flatnonzero(np.diff(self.places) > 1) + 1


def ledgers(every: Sequence[TopicCalls], of_fast_dds: set[int]) -> list[Ledger]:
    """Return one for each topic and process that takes; ``of_fast_dds``: whose losses are told."""
    return [
        _ledger(topic, pid, every, pid in of_fast_dds)
        for topic, pid in dict.fromkeys((calls.topic, calls.pid) for calls in _of(every, TAKE))
    ]


def _of(every: Sequence[TopicCalls], kind: int, topic: str = "") -> list[TopicCalls]:
    """Return those of a kind whose topic is known, or is that one."""
    return [
        calls
        for calls in every
        if calls.kind == kind and calls.topic != UNKNOWN and topic in ("", calls.topic)
    ]


def _ledger(topic: str, pid: int, every: Sequence[TopicCalls], tells: bool) -> Ledger:
    ledger = Ledger(topic, pid)
    pairings = []
    for published in _of(every, PUBLISH, topic):
        messages = published.calls
        for taken in _of(every, TAKE, topic):
            pairing = _pairing(messages, taken.calls) if taken.pid == pid else None
            if pairing is not None:
                pairings.append(pairing)
                ledger.pids.add(published.pid)
                ledger.untaken += len(messages) - 1 - int(pairing.places[-1])
    if not pairings:
        _note_alone(ledger, every, tells)
        return ledger
    ledger.published = sum(pairing.count for pairing in pairings)
    ledger.taken = sum(len(pairing.places) for pairing in pairings)
    if not ledger.missing:
        return ledger
    least, most = 0, ledger.missing
    if tells:
        least, most = _lost(_own(every, topic, pid, LOST, GONE), pairings)
        least, most = min(least, ledger.missing), min(most, ledger.missing)
    ledger.before, ledger.either = least, most - least
    ledger.behind = ledger.missing - most
    _note_rates(ledger, pairings)
    return ledger


def _own(every: Sequence[TopicCalls], topic: str, pid: int, *kinds: int) -> NDArray[np.void]:
    """Return the calls of a process for a topic."""
    calls = [each for kind in kinds for each in _of(every, kind, topic) if each.pid == pid]
    return np.concatenate([np.zeros(0, CALL), *(each.calls for each in calls)])


def _note_alone(ledger: Ledger, every: Sequence[TopicCalls], tells: bool) -> None:
    """Note what a reader took and noticed of publishers that are elsewhere."""
    taken = _own(every, ledger.topic, ledger.pid, TAKE)
    losses = _own(every, ledger.topic, ledger.pid, LOST, GONE)
    ledger.taken = len(taken)
    if tells and len(taken):
        first, last = taken["time"].min(), taken["time"].max()
        is_between = (losses["time"] > first) & (losses["time"] <= last)
        ledger.before = int(losses["value"][is_between].sum())


def _pairing(published: NDArray[np.void], taken: NDArray[np.void]) -> _Pairing | None:
    """Return which messages were taken; None where none of them was."""
    order = np.argsort(published["value"], kind="stable")
    stamps = published["value"][order]
    places = np.searchsorted(stamps, taken["value"] - SAME_NS)
    is_known = places < len(stamps)
    is_known[is_known] = stamps[places[is_known]] - taken["value"][is_known] <= SAME_NS
    if not is_known.any():
        return None
    places, firsts = np.unique(places[is_known], return_index=True)
    return _Pairing(published[order], places, taken["time"][is_known][firsts])


def _lost(losses: NDArray[np.void], pairings: Sequence[_Pairing]) -> tuple[int, int]:
    """Return how many messages between those taken were lost before the reader, at least, at most.

    A reader notices that when the next message comes, so between its publish and its take. A loss
    that it notices near the first or the last take may belong to messages beyond.
    """
    begins = [pairing.times[0] for pairing in pairings]
    ends = [pairing.times[-1] for pairing in pairings]
    beyond_first = [pairing.published_at(pairing.places[0] + 1) for pairing in pairings]
    beyond_last = [pairing.published_at(pairing.places[-1] + 1) for pairing in pairings]
    times, counts = losses["time"], losses["value"]
    surely = (times > max(begins)) & (times <= min(*ends, *beyond_last))
    perhaps = (times > min(beyond_first)) & (times <= max(ends))
    return int(counts[surely].sum()), int(counts[perhaps].sum())


def _note_rates(ledger: Ledger, pairings: Sequence[_Pairing]) -> None:
    """Note how many messages waited where some fell out, and how fast they are taken then."""
    held, waits = [], []
    for pairing in pairings:
        at = pairing.after_gaps
        came = pairing.published["time"][pairing.places]
        held.append(np.searchsorted(came, pairing.times[at]) - at)
        has_waited = came[1:] < pairing.times[:-1]
        waits.append(np.diff(pairing.times)[has_waited])
    ledger.held = int(np.median(np.concatenate(held)))
    if len(every := np.concatenate(waits)):
        ledger.takes_every_s = float(np.median(every)) / 1e9
    spans = [np.ptp(pairing.published["time"][pairing.places[[0, -1]]]) for pairing in pairings]
    ledger.published_every_s = float(sum(spans)) / 1e9 / max(1, ledger.published - len(pairings))
