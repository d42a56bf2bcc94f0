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
"""Time after the start within which a latched topic delivers what it had kept, in nanoseconds.

Subscriptions come to stand one after the other, so other inputs may come before.
"""


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
    """Stamps of the headers of ``timed``, where there are any."""
    player: Player
    first_ns: int
    """When the first timed input, or else the first call, was received."""
    digests: Digests


def prepare(snapshot: Snapshot, recorded: Recorded) -> Prepared:
    """Raise UserError where there is nothing to play."""
    latched = {joined.topic.name for joined in snapshot.inputs if joined.topic.qos.is_latched}
    numbers = {joined.topic.name: i for i, joined in enumerate(snapshot.inputs)}
    inputs = [message for message in recorded.inputs if message.topic in numbers]
    first = min((message.log_ns for message in inputs), default=0)
    # A busy machine may deliver kept messages late; over DDS, their time of publication shows it.
    were_kept = [
        message.topic in latched
        and (message.log_ns <= first + KEPT_NS or message.publish_ns < first)
        for message in inputs
    ]
    early = [message for message, was_kept in zip(inputs, were_kept, strict=True) if was_kept]
    timed = [message for message, was_kept in zip(inputs, were_kept, strict=True) if not was_kept]
    if not timed and not early and not recorded.calls:
        raise UserError(f"{snapshot.node}: no input was recorded; record while the system is busy")
    calls = [call.request_ns for call in recorded.calls]
    start = timed[0].log_ns if timed else min(calls, default=0)
    player = Player([(m.log_ns - start, numbers[m.topic], m.data) for m in timed], True)
    stamped = {
        joined.topic.name
        for joined in snapshot.inputs
        if begins_with_header(joined.topic.type, joined.topic.definition)
    }
    stamps = [stamp_ns(snapshot.profile, m.data) if m.topic in stamped else None for m in timed]
    digests = Digests(snapshot.profile, [joined.topic for joined in snapshot.outputs])
    return Prepared(snapshot, recorded, early, timed, stamps, player, start, digests)
