# SPDX-License-Identifier: Apache-2.0
"""A recording made ready to be played any number of times."""

from __future__ import annotations

from dataclasses import dataclass

from wirecost._middleware import Player
from wirecost.replay.play.digests import Digests
from wirecost.replay.play.stamps import begins_with_header, stamp_ns
from wirecost.replay.recording.reader import Recorded, Stored
from wirecost.replay.recording.snapshot import Snapshot
from wirecost.system.errors import UserError

KEPT_NS = 10**9
"""What a latched topic delivers so soon after the start it had kept: subscriptions come to stand
one after the other, so other inputs may come before."""


@dataclass(frozen=True)
class Prepared:
    """A recording made ready to be played any number of times.

    ``early``: what latched topics had kept when the recording began, in order.
    """

    snapshot: Snapshot
    recorded: Recorded
    early: list[Stored]
    timed: list[Stored]
    stamps: list[int | None]
    """Of the headers of ``timed``, where there are any."""
    player: Player
    first_ns: int
    """When the first timed input, or else the first call, was received."""
    digests: Digests


def prepare(snapshot: Snapshot, recorded: Recorded) -> Prepared:
    """Raise UserError where there is nothing to play."""
    latched = {one.topic.name for one in snapshot.inputs if one.topic.qos.is_latched}
    known = {one.topic.name: i for i, one in enumerate(snapshot.inputs)}
    inputs = [one for one in recorded.inputs if one.topic in known]
    first = min((one.log_ns for one in inputs), default=0)
    # A busy machine may deliver kept messages late; over DDS, their time of publication shows it.
    kept = [
        one.topic in latched and (one.log_ns <= first + KEPT_NS or one.publish_ns < first)
        for one in inputs
    ]
    early = [one for one, was_kept in zip(inputs, kept, strict=True) if was_kept]
    timed = [one for one, was_kept in zip(inputs, kept, strict=True) if not was_kept]
    if not timed and not early and not recorded.calls:
        raise UserError(f"{snapshot.node}: no input was recorded; record while the system is busy")
    calls = [call.request_ns for call in recorded.calls]
    start = timed[0].log_ns if timed else min(calls, default=0)
    player = Player([(m.log_ns - start, known[m.topic], m.data) for m in timed], True)
    stamped = {
        one.topic.name
        for one in snapshot.inputs
        if begins_with_header(one.topic.type, one.topic.definition)
    }
    stamps = [stamp_ns(snapshot.profile, m.data) if m.topic in stamped else None for m in timed]
    digests = Digests(snapshot.profile, [one.topic for one in snapshot.outputs])
    return Prepared(snapshot, recorded, early, timed, stamps, player, start, digests)
