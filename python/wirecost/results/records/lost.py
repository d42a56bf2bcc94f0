# SPDX-License-Identifier: Apache-2.0
"""What ``wirecost lost`` found: messages that a recording lacks, topic by topic."""

from __future__ import annotations

import msgspec

from wirecost.results.records.schemas.common import Amount, Count, Real

FORMAT = "wirecost-lost"
VERSION = 1
CACHE, LOST, UNPUBLISHED, RESTARTED, LATE, UNKNOWN = (
    "recorder's cache", "lost", "not published", "publisher restarted", "late, not lost",
    "cannot be told",
)  # fmt: skip
"""What became of the messages of a gap: the recorder says that they fell out of its cache; numbers
are missing; the publisher's numbers go on; they begin anew; all messages came, later; nothing in
the file tells."""
VERDICTS = (CACHE, LOST, UNKNOWN, RESTARTED, UNPUBLISHED, LATE)
SPLIT, CLOCK, SYSTEM, RECORDER, COMMON, SHARED = (
    "split", "clock", "system", "recorder", "common", "shared"
)  # fmt: skip
"""Causes of a gap that several topics have: a split of the recording; a jump of the recorder's
clock; of everybody's, or a stop of the whole system; the recorder, its disk or its machine; one of
these, as all topics have it; something that these topics alone share."""


class Gap(msgspec.Struct, kw_only=True, frozen=True):
    """A time without messages that were to come, or between two of which some are missing.

    ``start_s``: time of the last message before it, from the beginning of the recording;
    ``missing``: messages, by their numbers if they are lost, else by the rate; ``verdict``: of
    VERDICTS; ``is_caught_up``: messages came at once after it; ``is_split``: a new file begins in
    it.
    """

    start_s: Real
    duration_s: Amount
    missing: Count
    verdict: str
    is_caught_up: bool = False
    is_split: bool = False


class GapSum(msgspec.Struct, kw_only=True, frozen=True):
    """All gaps of a topic with one verdict; none where only their messages were counted."""

    gaps: Count
    missing: Count


class TopicGaps(msgspec.Struct, kw_only=True, frozen=True):
    """A topic of one publisher; ``publisher``: its node, empty where the recording has no name.

    ``numbered``: what numbers its messages, empty where nothing does; ``stamped``: what tells when
    they were published; ``period_s``: None where there is no steady rate; ``step``: by which the
    numbers usually grow with a message, above 1 where they count more than these messages;
    ``sums``: by verdict; ``gaps``: the longest, at most 10,000 of each verdict.
    """

    topic: str
    publisher: str = ""
    wire: str = ""
    count: Count
    numbered: str = ""
    stamped: str = ""
    period_s: Amount | None = None
    step: Count = 1
    first_s: Real = 0.0
    last_s: Real = 0.0
    sums: dict[str, GapSum] = {}
    gaps: list[Gap] = []

    @property
    def is_told(self) -> bool:
        """Whether a loss would be seen."""
        return bool(self.numbered) or self.period_s is not None

    def missing(self, *verdicts: str) -> int:
        return sum(self.sums[verdict].missing for verdict in verdicts if verdict in self.sums)


class SharedGap(msgspec.Struct, kw_only=True, frozen=True):
    """A gap that several topics have at the same time, of ``able`` that come often enough."""

    start_s: Real
    duration_s: Amount
    topics: list[str]
    able: Count
    cause: str


class LostMessages(msgspec.Struct, kw_only=True, frozen=True):
    """Topics, and gaps that several of them share.

    ``jumps``: of the clock, and pauses; ``recorder``: which says what fell out of its cache.
    """

    format: str = FORMAT
    version: int = VERSION
    files: list[str]
    topics: list[TopicGaps]
    shared: list[SharedGap] = []
    jumps: Count = 0
    recorder: str = ""
    warnings: list[str] = []
    is_whole: bool = True

    def missing(self, *verdicts: str) -> int:
        return sum(topic.missing(*verdicts) for topic in self.topics)
