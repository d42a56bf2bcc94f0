# SPDX-License-Identifier: Apache-2.0
"""What a system costs: a sentence, a row for each topic, what to do."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.results.records.cost import ProcessCost, Remedy, SystemCost, ThreadCost, TopicCost
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Amount, Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shell_line, without_middle

ABOUT = "≈"
"""Mark of a time that is computed, and whose error nobody knows."""
STEPS, NAMED, ROWS = 3, 3, 5
"""Changes that the first answer has, nodes of a topic that a table names, and topics that changes
give way to."""
LONGEST_NAME, LONGEST_IN_TEXT = 26, 60
MOST_THREADS = 30
ThreadOfProcess = tuple[ProcessCost, ThreadCost]
LEAST_SHARE = 1e-4
"""Share of a core below which a change's is not said."""
LEAST_PART = 0.005
"""Part of all topics' cost from which on the costliest topic's is said."""
MOST_UNREAD = 0.05
"""Share of the bytes from which on it is said first that they could not be read."""
LARGE = 1e6
"""Bytes a second from which on it matters that a publisher keeps all messages."""


def what_if_answer(cost: SystemCost) -> Answer:
    """Return a row for each topic that a change would save something of, and a column for each."""
    kinds = dict.fromkeys(remedy.kind for remedy in cost.remedies)
    by_topic = {(remedy.topic, remedy.kind): remedy for remedy in cost.remedies}
    topics = dict.fromkeys(topic.topic for topic in cost.topics)
    rows = Table.matrix(
        "What each change would save, by itself",
        "topic",
        [
            (without_middle(name, LONGEST_NAME), name)
            for name in topics
            if any((name, kind) in by_topic for kind in kinds)
        ],
        [(kind, kind) for kind in kinds],
        lambda name, kind: _saved(by_topic.get((name, kind))),
        ["Bytes a second; where these stay the same, share of a core."],
    )
    return Answer(sentence(cost), rows)


def _saved_share(one: Remedy) -> str:
    return f"{ABOUT} −{share(one.share)}" if one.share else units.NONE


def _saved(one: Remedy | None) -> str:
    if one is None:
        return units.NONE
    if not one.bytes_per_s and not one.share:
        return "latency" if one.latency else units.NONE
    return f"−{rate_of_bytes(one.bytes_per_s)}" if one.bytes_per_s else f"−{share(one.share)}"


def sentence(cost: SystemCost) -> str:
    """Return what all topics cost together, and whose most of it is.

    What is not known comes first where it is most of the bytes, and has no verdict.
    """
    topics = counted(len({topic.topic for topic in cost.topics}), "topic")
    timeless = len({topic.topic for topic in cost.topics if not topic.has_rate})
    unread = _unread_share(cost)
    text = _missed(cost)
    if not any(topic.has_rate for topic in cost.topics):
        return f"{text}The times of all messages give no rate, so no cost of {topics} is known."
    if timeless:
        text += f"{timeless} of {topics}: the times of their messages give no rate. "
    if unread >= MOST_UNREAD:
        text += f"The time that {100 * unread:.3g} % of the bytes take is not known. "
    text += rate_of_bytes(cost.bytes_per_s)
    priced = [topic for topic in cost.topics if topic.encode_share is not None]
    if priced:
        text += f" and {share_range(cost.share, cost.spread)} of a core"
        names = len({topic.topic for topic in priced})
        if unread:
            text += f" (of {names} of {topics})"
    text += f" for {topics}"
    first = cost.topics[0]
    of_first = first.share / cost.share if cost.share else 0.0
    if of_first >= LEAST_PART and len(cost.topics) > 1 and unread < MOST_UNREAD:
        text += f"; {100 * of_first:.0f} % of it is {without_middle(first.topic, LONGEST_IN_TEXT)}"
    if cost.processes:
        living = [process for process in cost.processes if not process.has_ended]
        whole = share(sum(process.share for process in living))
        text += f" ({whole} of a core by {counted(len(living), 'process', 'processes')}"
        explained = [process for process in living if process.explained is not None]
        if took := sum(process.share for process in explained):
            parts = sum(process.explained or 0.0 for process in explained)
            text += f", of which publishing and taking are {ABOUT} {100 * parts / took:.2g} %"
        text += ")"
    if not cost.worth:
        where = " in what is known" if timeless or unread >= MOST_UNREAD else ""
        return f"{text}: nothing{where} is worth changing."
    worth = len({remedy.topic for remedy in cost.worth})
    return f"{text}. {worth} of {topics} {'is' if worth == 1 else 'are'} worth changing."


def _missed(cost: SystemCost) -> str:
    """Return how many messages did not arrive, of which rates and bytes are by others'."""
    missed = sum(topic.missed for topic in cost.topics)
    if not missed:
        return ""
    most = max(cost.topics, key=lambda topic: topic.missed)
    of_most = "" if missed == most.missed else f", {most.missed} of them"
    return (
        f"{missed} of {counted(cost.count, 'message')} were missed here{of_most} of {most.topic}; "
        "they are counted by their sequence numbers. "
    )


def _unread_share(cost: SystemCost) -> float:
    """Return the share of all bytes whose messages could not be read."""
    unread = sum(topic.bytes for topic in cost.topics if topic.unknown)
    return unread / cost.bytes if cost.bytes else 0.0


def qos_hints(cost: SystemCost) -> list[str]:
    """Return a line for each large topic whose publishers may keep any number of its messages."""
    return [
        f"{topic.topic}: {topic.qos}: at {rate_of_bytes(topic.bytes_per_s)} one slow subscriber "
        "fills its publisher's memory, or stops it; keep last N bounds that."
        for topic in cost.topics
        if topic.bytes_per_s >= LARGE
        and any("reliable" in offer and "keep all" in offer for offer in topic.qos.split(", "))
    ]


def step(remedy: Remedy, cost: SystemCost) -> str:
    """Return a remedy in a line, its command behind a line break."""
    topic = next(topic_cost for topic_cost in cost.topics if topic_cost.topic == remedy.topic)
    gains = [rate_of_bytes(remedy.bytes_per_s)] if remedy.bytes_per_s else []
    spread = remedy.spread if topic.is_own else None
    ends = [
        (share_range(part, spread), where)
        for part, where in ((remedy.publish_share, "publishing"), (remedy.take_share, "taking"))
        if part >= LEAST_SHARE
    ]
    if ends:
        (first, where), *others = ends
        gains.append(
            ", ".join(
                [
                    f"{first} of a core in {where}",
                    *(f"{share_of_core} in {at}" for share_of_core, at in others),
                ]
            )
        )
    text = f"{without_middle(remedy.topic, LONGEST_IN_TEXT)}: {remedy.what}"
    if gains:
        text += f": saves {' and '.join(gains)}"
    extra = [remedy.latency] if remedy.latency and not ends else []
    extra += [f"it takes {remedy.memory}"] if remedy.memory else []
    if extra:
        text += f": {', '.join(extra)}"
    return f"{text}.\n{remedy.command}" if remedy.command else f"{text}."


def _short(name: str) -> str:
    """Return a type's name without its package."""
    return name.replace("/", ".").rpartition(".")[2]


def table(cost: SystemCost) -> Table:
    has_path = any(topic.send_ns is not None for topic in cost.topics)
    columns = [
        Column[TopicCost]("topic", lambda topic: without_middle(topic.topic, LONGEST_NAME)),
        Column[TopicCost]("type", lambda topic: without_middle(_short(topic.type), LONGEST_NAME)),
        Column[TopicCost]("Hz", _rate),
        Column[TopicCost]("median", lambda topic: _size(topic, topic.median_bytes), optional=2),
        Column[TopicCost]("largest", lambda topic: _size(topic, topic.largest_bytes), optional=1),
        Column[TopicCost]("MB/s", _megabytes),
        Column[TopicCost](
            "publish" if has_path else "encode",
            lambda topic: _share(topic, topic.publish_share, topic.publish_spread),
            bar="core",
        ),
        Column[TopicCost](
            "take" if has_path else "decode",
            lambda topic: _share(topic, topic.take_share, topic.take_spread),
            bar="core",
        ),
    ]
    title = f"Shares of a core: {cost.includes}" if cost.includes else "Shares of a core"
    return Table.of(title, cost.topics, columns, notes(cost))


def tables(cost: SystemCost) -> Iterator[Table]:
    """Yield all tables: topics, remedies, ends, processes."""
    if cost.is_listened:
        yield table(cost)
    if cost.remedies:
        columns = [
            Column[Remedy]("topic", lambda one: one.topic),
            Column[Remedy]("worth it", lambda one: "yes" if one.is_worth else ""),
            Column[Remedy]("what", lambda one: one.what, is_text=True),
            Column[Remedy](
                "bytes/s",
                lambda one: f"−{rate_of_bytes(one.bytes_per_s)}" if one.bytes_per_s else units.NONE,
            ),
            Column[Remedy]("of a core", _saved_share),
            Column[Remedy]("publisher", lambda one: _part(one.publish_share)),
            Column[Remedy]("subscribers", lambda one: _part(one.take_share)),
            Column[Remedy](
                "also",
                lambda one: "; ".join(filter(None, (one.latency, one.memory))),
                is_text=True,
            ),
            Column[Remedy]("effort", lambda one: one.effort, is_text=True),
        ]
        yield Table.of("What changes would save, each by itself", cost.remedies, columns)
    if ends := [topic for topic in cost.topics if topic.publishers is not None or topic.qos]:
        is_live = any(topic.publishers is not None for topic in ends)
        columns_of_ends = [
            Column[TopicCost]("topic", lambda topic: topic.topic),
            Column[TopicCost](
                "published by", lambda topic: names_of(topic.publishers), shown=is_live
            ),
            Column[TopicCost]("taken by", lambda topic: names_of(topic.takers), shown=is_live),
            Column[TopicCost]("QoS", lambda topic: topic.qos.replace(", ", "; ")),
        ]
        yield Table.of("Ends", ends, columns_of_ends)
    if cost.processes:
        columns_of_processes = [
            Column[ProcessCost](
                "process",
                lambda one: f"{one.pid} {one.command}" + " (ended)" * one.has_ended,
            ),
            Column[ProcessCost]("nodes", lambda one: names_of(one.nodes)),
            Column[ProcessCost]("of a core", lambda one: share(one.share)),
            Column[ProcessCost]("publish, take", _explained),
        ]
        notes_of_processes = ["publish, take: of the nodes' topics, as computed."]
        yield Table.of(
            "Processes of the graph", cost.processes, columns_of_processes, notes_of_processes
        )
        threads = [
            (process, thread)
            for process in cost.processes
            for thread in process.threads
            if thread.share
        ]
        threads.sort(key=lambda pair: -pair[1].share)
        columns_of_threads = [
            Column[ThreadOfProcess]("process", lambda pair: f"{pair[0].pid} {pair[0].command}"),
            Column[ThreadOfProcess]("thread", lambda pair: f"{pair[1].tid} {pair[1].name}"),
            Column[ThreadOfProcess]("of a core", lambda pair: share(pair[1].share)),
        ]
        title = "Threads that ran"
        if len(threads) > MOST_THREADS:
            title = f"The busiest {MOST_THREADS} of {len(threads)} threads that ran"
        yield Table.of(title, threads[:MOST_THREADS], columns_of_threads)


def _explained(process: ProcessCost) -> str:
    return units.NONE if process.explained is None else f"{ABOUT} {share(process.explained)}"


def names_of(nodes: list[str] | None) -> str:
    """Return the first of several nodes, and how many more there are."""
    names = list(dict.fromkeys(nodes or ()))
    more = len(names) - NAMED
    return "; ".join([*names[:NAMED], *([f"{more} more"] if more > 0 else [])])


def notes(cost: SystemCost) -> list[str]:
    """Return what the table's marks mean, and why some of its times are missing."""
    lines = []
    unknown: dict[str, list[TopicCost]] = {}
    for topic in cost.topics:
        if topic.unknown:
            unknown.setdefault(topic.unknown, []).append(topic)
    for why, topics in unknown.items():
        rate = rate_of_bytes(sum(topic.bytes_per_s for topic in topics))
        lines.append(f"No times of {counted(len(topics), 'topic')} ({rate}): {why}.")
    if any(topic.count > 1 and topic.has_rate and not topic.rate_hz for topic in cost.topics):
        lines.append("kept: published before wirecost listened, so these messages give no rate.")
    if any(topic.subscribers > 1 for topic in cost.topics):
        lines.append("take: all subscribers together; MB/s: as published.")
    elif all(topic.takers is None for topic in cost.topics):
        example = shell_line(f"{cost.topics[0].topic}=3")
        lines.append(f"Assumes one subscriber per topic; change it with --subscribers {example}.")
    return lines


def doubts(cost: SystemCost) -> list[tuple[str, str]]:
    """Return lines about what makes the numbers doubtful, and their styles."""
    lines = []
    if not cost.is_whole:
        lines.append(("Interrupted: the figures are of what was read until then.", "yellow"))
    if ended := sum(process.has_ended for process in cost.processes):
        text = f"{counted(ended, 'process', 'processes')} ended meanwhile; they are in --all."
        lines.append((text, "yellow"))
    if cost.looking is not None:
        lines.append((f"Listening itself took {share(cost.looking)} of a core.", "dim"))
    if not cost.is_listened:
        return lines
    if cost.is_own:
        others = cost.prices.get("others", "")
        text = f"Ranges are of timings that were taken on this machine on {cost.prices.get('date')}"
        text += f"; they are wide, for others used {others} of its processors." if others else "."
        lines.append((text, "yellow" if others else "dim"))
    elif cost.is_partly_own:
        text = f"{ABOUT} is of this machine's timings and, where a library is not here, another's."
        lines.append((text, "dim"))
    else:
        text = (
            f"{ABOUT} is estimated from another machine's timings; --calibrate measures this one."
        )
        lines.append((text, "yellow"))
    return lines


def share_range(value: float, spread: float | None) -> str:
    """Return a share with its interval, or marked where that says nothing."""
    if spread is None or spread >= 1:
        return f"{ABOUT} {share(value)}"
    low, high = (share(value * (1 + sign * spread)) for sign in (-1, 1))
    return high if low == high else f"{low.removesuffix(' %')}–{high}"


def _part(value: float) -> str:
    return f"{ABOUT} −{share(value)}" if value else units.NONE


def share(value: float | None) -> str:
    """Return a share in percent, with two digits; ``?`` where nobody knows it."""
    if value is None:
        return units.UNKNOWN
    percent = 100 * value
    if 0 < percent < 0.01:
        return "< 0.01 %"
    return f"{percent:.2g} %" if percent < 99.5 else f"{percent:.0f} %"


def rate_of_bytes(bytes_per_s: float) -> str:
    return f"{units.size(round(bytes_per_s))}/s"


def _rate(topic: TopicCost) -> Amount:
    if topic.has_rate and not topic.rate_hz:
        label = "kept" if topic.count > 1 else "once"
        return Amount(label if topic.count else units.NONE, 0.0)
    if not topic.has_rate:
        return Amount(units.UNKNOWN)
    return units.significant_amount(topic.rate_hz)


def _size(topic: TopicCost, size: int) -> Amount:
    return units.size(size if topic.count else None)


def _megabytes(topic: TopicCost) -> Amount:
    return _number(topic.bytes_per_s / 1e6) if topic.has_rate else Amount(units.UNKNOWN)


def _number(value: float) -> Amount:
    return Amount("< 0.01" if 0 < value < 0.01 else f"{value:.3g}", value)


def _share(topic: TopicCost, value: float | None, spread: float | None) -> Amount:
    if value is None:
        return Amount(units.UNKNOWN)
    return Amount(share_range(value, spread if topic.is_own else None), value)
