# SPDX-License-Identifier: Apache-2.0
"""The answer of ``wirecost lost``: what a recording lacks, when, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from wirecost.data.recordings.mcap.recorders import OUT_OF_CACHE, RECORD, ROSBAG2
from wirecost.results.records.lost import (
    CACHE,
    CLOCK,
    COMMON,
    LOST,
    RECORDER,
    SHARED,
    SPLIT,
    SYSTEM,
    UNKNOWN,
    UNPUBLISHED,
    VERDICTS,
    Gap,
    LostMessages,
    SharedGap,
    TopicGaps,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section, few
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shell_line, shown, without_middle

ABOUT = "≈"
SEQUENCE = "sequence"
"""Number beside each message in MCAP, of its publisher or its recorder."""
LONGEST_NAME = 60
ENDED = 10
"""Intervals without a message before the end from which on a topic ended early."""
MOST_GAPS = 1000
"""Gaps that the whole answer lists."""
RECORDERS = {
    "cdr": "ros2 bag record --all --max-cache-size 1000000000",
    "ros1": "rosbag record --all --buffsize=1024",
}
"""Recorders with about 1 GB of memory for what waits for the disk, by the encoding of messages."""
CACHES = {RECORD: "wirecost record NODE --cache 1GB", ROSBAG2: RECORDERS["cdr"]}
"""The same for recorders that say what fell out of their cache."""
COUNTING = "wirecost lost --live ros2"
_ALL_SHARE = "Look at what all share: the recorder, its disk, the machine, the network"
CAUSES = {
    SPLIT: "A new file begins in it.",
    CLOCK: "The recorder's clock jumped; nothing is missing.",
    SYSTEM: "No number is missing: the clock jumped, or the whole system stood still.",
    RECORDER: f"{_ALL_SHARE}.",
    COMMON: f"{_ALL_SHARE}, the clock.",
    SHARED: "Look for what these share: a node, a host, a link, the topic that feeds them.",
}


NO_GAP = Gap(start_s=0.0, duration_s=0.0, missing=0, verdict=CACHE)


class _Row(NamedTuple):
    """What became of messages of a topic; ``longest``: of these gaps."""

    topic: TopicGaps
    verdict: str
    gaps: int
    missing: int
    longest: Gap


def lost_answer(lost: LostMessages) -> Answer:
    rows = _rows(lost)
    again = shell_line("wirecost", "lost", *lost.files, "--all")
    return Answer(
        sentence(lost),
        gap_table(rows) if rows else topic_table(lost),
        list(_steps(lost)),
        doubts=[*((line, "") for line in few(_shared_lines(lost))), *_doubts(lost)],
        more=f"Every topic and gap: {again}",
        sections=[Section([gap_table(rows), topic_table(lost), single_gaps(lost)])],
        heading=f"What {shell_line(*lost.files)} lacks",
        document=msgspec.to_builtins(lost),
        warnings=lost.warnings,
        least_rows=5,
    )


def sentence(lost: LostMessages) -> str:
    """Return how many messages are lost, and of how many the file does not tell."""
    parts = []
    if count := lost.missing(CACHE):
        who = f"{counted(count, 'message')} of {_topics(lost, CACHE)}"
        parts.append(f"{who} {OUT_OF_CACHE}, as it says itself")
    if count := lost.missing(LOST):
        are, numbers = ("is", "its number is") if count == 1 else ("are", "their numbers are")
        who = f"{counted(count, 'message')} of {_topics(lost, LOST)} {are} missing"
        parts.append(f"{who}: {numbers} not in the file")
    if count := lost.missing(UNKNOWN):
        are = "is" if count == 1 else "are"
        who = f"about {counted(count, 'message')} of {_topics(lost, UNKNOWN)} {are} missing"
        parts.append(f"{who}, and the file cannot tell why")
    if parts:
        text = "; ".join(parts)
        return f"{text[:1].upper()}{text[1:]}."
    numbered = sum(bool(topic.numbered) for topic in lost.topics)
    steady = sum(not topic.numbered and topic.period_s is not None for topic in lost.topics)
    seen = [f"in the numbers of {counted(numbered, 'topic')}"] if numbered else []
    seen += [f"in the rate of {counted(steady, 'topic')}"] if steady else []
    if not seen:
        return "The file cannot tell of any topic whether messages are missing."
    return f"No loss shows {' and '.join(seen)}."


def _topics(lost: LostMessages, verdict: str) -> str:
    return counted(sum(bool(topic.missing(verdict)) for topic in lost.topics), "topic")


def gap_table(rows: list[_Row]) -> Table:
    """Return a row for each topic and what became of its messages."""
    columns: list[Column[_Row]] = [
        Column("topic", lambda row: _name(row.topic)),
        Column("messages", lambda row: units.amount(row.topic.count), optional=2),
        Column("missing", lambda row: _missing(row.missing, row.verdict)),
        Column("gaps", lambda row: _if_any(row, units.amount(row.gaps))),
        Column("longest", lambda row: _if_any(row, _duration(row.longest.duration_s))),
        Column("at", lambda row: _if_any(row, _at(row.longest.start_s))),
        Column("verdict", lambda row: row.verdict, is_text=True),
        Column("by", _evidence, optional=1, is_text=True),
    ]
    notes = ["at: start of the longest gap, in seconds from the beginning."]
    return Table.of("Gaps", rows, columns, notes if rows else [], cut="front")


def topic_table(lost: LostMessages) -> Table:
    """Return a row for each topic: what tells of its losses."""
    columns: list[Column[TopicGaps]] = [
        Column("topic", _name),
        Column("messages", lambda topic: units.amount(topic.count)),
        Column("rate", _rate),
        Column("numbers", lambda topic: topic.numbered or units.NONE, is_text=True),
        Column("stamps", lambda topic: topic.stamped or units.NONE, is_text=True),
    ]
    return Table.of("What tells of losses", lost.topics, columns, cut="front")


def single_gaps(lost: LostMessages) -> Table:
    """Return a row for each gap, the longest where there are very many."""
    every = [
        _Row(topic, gap.verdict, 1, gap.missing, gap) for topic in lost.topics for gap in topic.gaps
    ]
    count = sum(each.gaps for topic in lost.topics for each in topic.sums.values())
    listed = sorted(every, key=lambda row: -row.longest.duration_s)[:MOST_GAPS]
    notes = [f"The longest {len(listed):,} of {count:,}."]
    columns: list[Column[_Row]] = [
        Column("topic", lambda row: _name(row.topic)),
        Column("at", lambda row: _at(row.longest.start_s)),
        Column("for", lambda row: _duration(row.longest.duration_s)),
        Column("missing", lambda row: _missing(row.missing, row.verdict)),
        Column("verdict", lambda row: row.verdict, is_text=True),
    ]
    in_order = sorted(listed, key=lambda row: row.longest.start_s)
    return Table.of("Each gap", in_order, columns, notes if count > len(listed) else [])


def _rows(lost: LostMessages) -> list[_Row]:
    rows = []
    for topic in lost.topics:
        for verdict, each in topic.sums.items():
            gaps = (gap for gap in topic.gaps if gap.verdict == verdict)
            longest = max(gaps, key=lambda gap: gap.duration_s, default=NO_GAP)
            rows.append(_Row(topic, verdict, each.gaps, each.missing, longest))
    return sorted(rows, key=lambda row: (VERDICTS.index(row.verdict), -row.missing))


def _name(topic: TopicGaps) -> str:
    name = shown(topic.topic, LONGEST_NAME)
    return f"{name} of {without_middle(shown(topic.publisher))}" if topic.publisher else name


def _if_any(row: _Row, text: str) -> str:
    return text if row.gaps else units.NONE


def _missing(count: int, verdict: str) -> str:
    if not count:
        return units.NONE
    return f"{ABOUT} {count:,}" if verdict == UNKNOWN else f"{count:,}"


def _evidence(row: _Row) -> str:
    if row.verdict == CACHE:
        return "recorder"
    if row.verdict in (LOST, UNPUBLISHED):
        return row.topic.numbered
    return "rate" if row.verdict == UNKNOWN else row.topic.stamped or "rate"


def _rate(topic: TopicGaps) -> str:
    if not topic.period_s:
        return units.NONE
    return f"{units.significant(1 / topic.period_s)} Hz"


def _duration(seconds: float) -> str:
    return units.time(seconds * 1e9)


def _at(seconds: float) -> str:
    return f"{seconds:,.2f} s"


def _shared_lines(lost: LostMessages) -> list[str]:
    """Return what several topics lack at the same time, the longest first."""
    every = sorted(lost.shared, key=lambda gap: -gap.duration_s)
    return [_shared_line(gap) for gap in every]


def _shared_line(gap: SharedGap) -> str:
    who = f"{len(gap.topics)} of {gap.able} topics"
    when = f"at {_at(gap.start_s)} for {_duration(gap.duration_s)}"
    return f"{who} have a gap {when}. {CAUSES[gap.cause]}"


def _doubts(lost: LostMessages) -> Iterator[tuple[str, str]]:
    if not lost.is_whole:
        yield "It was interrupted: the rest of the recording is not counted.", "bold yellow"
    if lost.jumps:
        jumps = counted(lost.jumps, "time", "times")
        yield f"The clock jumps, or the recording pauses, {jumps}: only numbers tell of these.", ""
    if any(topic.numbered == SEQUENCE for topic in lost.topics):
        yield f"MCAP's {SEQUENCE} may be the recorder's: losses before it would not show.", "dim"
    for topic in lost.topics:
        if topic.step > 1 and not topic.missing(LOST):
            what = f"numbers grow by {topic.step} with a message at a steady rate"
            yield f"{_name(topic)}: {what}: thinned out, or they count other messages, too.", ""
    yield from ((line, "") for line in few(_ended_early(lost)))
    silent = [topic for topic in lost.topics if not topic.is_told]
    if silent:
        what = counted(len(silent), "topic has", "topics have")
        yield f"{what} neither numbers nor a steady rate: nothing tells of a loss.", "dim"


def _ended_early(lost: LostMessages) -> list[str]:
    """Return which topics with a rate end before the recording; at its end all do, in any order."""
    end_s = max(topic.last_s for topic in lost.topics)
    return [
        f"{_name(topic)} ends {_duration(end_s - topic.last_s)} before the recording: was it still "
        "published? Nothing tells."
        for topic in lost.topics
        # A time beyond a jump of the clock is no end.
        if not lost.jumps
        and topic.period_s
        and end_s - topic.last_s > max(1.0, ENDED * topic.period_s)
    ]


def _steps(lost: LostMessages) -> Iterator[str]:
    """Return what to do: where messages are lost, then so that the next recording tells more."""
    of_all = [gap for gap in lost.shared if gap.cause == RECORDER]
    if lost.missing(CACHE):
        yield (
            "Give the recorder a larger cache and a faster disk: its cache was full"
            f"\n{CACHES[lost.recorder]}"
        )
    wires = [topic.wire for topic in lost.topics if topic.missing(LOST)]
    shared = f"all topics share {counted(len(of_all), 'gap')}"
    if "ros1" in wires:
        why = shared if of_all else "that is where ROS 1 drops messages"
        yield (
            f"Raise the publishers' queue_size and the recorder's buffer: {why}"
            f"\n{RECORDERS['ros1']}"
        )
    elif of_all and wires:
        recorder = "".join(f"\n{RECORDERS[wire]}" for wire in {*wires} & {*RECORDERS})
        yield f"Give the recorder a larger cache and a faster disk: {shared}{recorder}"
    elif "cdr" in wires:
        yield f"See who else misses messages, and where they die\n{COUNTING}"
    elif wires:
        yield "Record on the publisher's machine, too: what that file has was lost on the way"
    unknown = {topic.wire for topic in lost.topics if topic.missing(UNKNOWN)}
    if "cdr" in unknown and "cdr" not in wires:
        yield (
            "Watch the graph while you record, or give the message a counter: the file has no "
            f"numbers\n{COUNTING}"
        )
    if "ros1" in unknown:
        yield "Give the message a Header as its first field: ROS 1 numbers it, and the bag tells"
    if unknown - {"cdr", "ros1"}:
        yield "Give the message a counter that its publisher increases: then the file tells"
    if any(gap.cause == SPLIT for gap in lost.shared):
        yield "Split the recording less often: topics have gaps where a new file begins"
