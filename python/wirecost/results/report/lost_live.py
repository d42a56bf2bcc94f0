# SPDX-License-Identifier: Apache-2.0
"""The answer of ``wirecost lost --live``: who did not get which messages, and what to set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from wirecost.results.records.lost_live import (
    OPEN,
    PLACES,
    READER,
    SENDER,
    SOCKET,
    TAKER,
    WAY,
    WRITER,
    HeardTopic,
    LiveLost,
    Subscription,
)
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section, few
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shown, without_middle

LONGEST_NAME = 24
UNTOLD = "cannot be told"
ROS2, ROS1, DDS = "ros2", "ros1", "dds"
"""Systems in which breakpoints, the nodes themselves, and nobody count what subscribers take."""
UNSEEN, ELSEWHERE = "took nothing", "publisher is elsewhere"
REFUSED = "QoS does not fit"


class _Row(NamedTuple):
    """Messages of a subscription that died at one place."""

    subscription: Subscription
    place: str
    missing: int | None


def live_answer(lost: LiveLost) -> Answer:
    rows = _rows(lost)
    heard = heard_table(lost)
    return Answer(
        sentence(lost),
        ledger_table(lost, rows),
        list(_steps(lost))[:3],
        doubts=list(_doubts(lost)),
        sections=[Section([ledger_table(lost, rows), *([heard] if lost.heard else [])])],
        heading=f"What subscribers of {lost.system} missed",
        document=msgspec.to_builtins(lost),
        least_rows=4,
    )


def sentence(lost: LiveLost) -> str:
    """Return how many messages died, and what cannot be told."""
    span = units.time(lost.seconds * 1e9)
    if lost.unread:
        return (
            f"{counted(lost.unread, 'record')} of calls did not fit into memory: what was taken "
            "cannot be told. Try again with fewer programs beside it."
        )
    if not lost.is_told:
        return f"What subscribers took {_untold(lost)}. {_own(lost)} in {span}."
    told = [each for each in lost.subscriptions if each.taken or each.missing]
    if not told:
        return f"No message was taken in {span}: nothing can be told."
    worst = max(told, key=lambda each: each.missing)
    if not worst.missing:
        return _unknown(told, span) or _none_lost(told, span) + _others(lost)
    count = (
        f"{worst.missing:,}"
        if worst.published is None
        else f"{worst.missing:,} of {worst.published:,}"
    )
    count = f"at least {count}" if worst.is_least else count
    who = f"{count} messages did not reach {_nodes(worst)}"
    places = _places(worst)
    parts = [f"{count:,} {_died(place)}" for place, count in places]
    died = f"they {_died(places[0][0])}" if len(places) == 1 else ", ".join(parts)
    others = counted(sum(bool(each.missing) for each in told) - 1, "more subscriber")
    also = "" if others.startswith("0") else f" {others} lost messages, too."
    return f"{_topic(worst)}: {who} in {span}: {died}.{also}"


def _none_lost(told: list[Subscription], span: str) -> str:
    here = [each.published for each in told if each.published is not None]
    if not here:
        return f"No reader noticed a loss in {span}; the publishers are elsewhere."
    return f"No message was lost: {_took(len(here))} all of {sum(here):,} in {span}."


def _others(lost: LiveLost) -> str:
    """Return how many nodes of ROS 1 do not tell what they took; empty where all do."""
    count = sum(each.taken is None for each in lost.subscriptions)
    more = counted(count, "more subscriber")
    return f" What {more} took {UNTOLD}." if count and lost.system == ROS1 else ""


def _unknown(told: list[Subscription], span: str) -> str:
    """Return what died in ROS 1, or waits, and has no number; empty where nothing did."""
    for each in told:
        if each.is_unsized:
            return (
                f"{_topic(each)}: messages on the way to {_nodes(each)} {_died(SENDER)} in {span}; "
                f"how many {UNTOLD}, as their sizes vary."
            )
    late = max(told, key=lambda each: each.untaken if each.is_open else 0)
    if late.is_open and late.untaken > 1:
        return (
            f"{_topic(late)}: {late.untaken:,} messages of {span} have not reached "
            f"{_nodes(late)}: they wait, or died."
        )
    return ""


def _untold(lost: LiveLost) -> str:
    return f"{UNTOLD} without --attach" if lost.system == ROS2 else UNTOLD


def _own(lost: LiveLost) -> str:
    """Return what wirecost's own subscription missed."""
    told = [topic for topic in lost.heard if topic.missed is not None]
    missed = sum(topic.missed or 0 for topic in told)
    if not told:
        return "wirecost's own subscription received no message with a number"
    if not missed:
        count = sum(topic.published for topic in told)
        return f"wirecost's own subscription missed none of {counted(count, 'message')}"
    topics = counted(sum(bool(topic.missed) for topic in told), "topic")
    return f"wirecost's own subscription missed {counted(missed, 'message')} of {topics}"


def _took(count: int) -> str:
    return "1 subscriber took" if count == 1 else f"{count} subscribers took"


def _died(place: str) -> str:
    return {
        READER: "fell out of the reader's history",
        WRITER: "fell out of the writer's history",
        SOCKET: "were dropped at the full socket",
        WAY: "were lost on the way",
        SENDER: "fell out of the publisher's queue",
        TAKER: "fell out of the subscriber's queue",
        OPEN: "died at a place that cannot be told",
    }[place]


def ledger_table(lost: LiveLost, rows: list[_Row]) -> Table:
    """Return a row for each subscription and place."""
    columns: list[Column[_Row]] = [
        Column("topic", lambda row: _topic(row.subscription)),
        Column("subscriber", lambda row: _nodes(row.subscription), is_text=True),
        Column("published", lambda row: _count(row.subscription.published)),
        Column("taken", lambda row: _count(row.subscription.taken)),
        Column("missing", lambda row: _count(None if lost.unread else row.missing)),
        Column("place", lambda row: row.place, is_text=True),
        Column(
            "drops",
            lambda row: _count(row.subscription.dropped_datagrams),
            optional=1,
        ),
    ]
    notes = ["drops: datagrams at full sockets of its process, of all topics together."]
    if lost.is_attached:
        notes.insert(0, "published: between the first and the last message that it took.")
    if lost.system == ROS1:
        notes = []
    return Table.of("Messages of each subscriber", rows, columns, notes if rows else [])


def heard_table(lost: LiveLost) -> Table:
    """Return a row for each topic that wirecost subscribed to."""
    columns: list[Column[HeardTopic]] = [
        Column("topic", lambda topic: shown(topic.topic, 2 * LONGEST_NAME)),
        Column("published", lambda topic: _count(topic.published)),
        Column("missed", lambda topic: _count(topic.missed)),
        Column("lost on the way", lambda topic: _count(topic.lost)),
    ]
    return Table.of("Messages of wirecost's own subscription", lost.heard, columns)


def _rows(lost: LiveLost) -> list[_Row]:
    rows = []
    for each in lost.subscriptions:
        rows += [_Row(each, place, count) for place, count in _places(each)]
        rows += [_Row(each, REFUSED, None)] if each.refusals else []
        if each.is_unsized or (each.is_open and each.untaken > 1):
            rows.append(_Row(each, SENDER if each.is_unsized else OPEN, None))
            continue
        if each.published is None and each.taken:
            rows += [] if each.missing else [_Row(each, ELSEWHERE, None)]
        elif each.published is None and not each.refusals:
            rows.append(_Row(each, UNSEEN if lost.is_attached else _untold(lost), None))
        elif each.published and not each.missing:
            rows.append(_Row(each, "", 0))
    return sorted(rows, key=lambda row: (-(row.missing or 0), row.place != REFUSED))


def _places(subscription: Subscription) -> list[tuple[str, int]]:
    """Return where its messages died, and how many, most first."""
    places = sorted(subscription.places.items(), key=lambda item: PLACES.index(item[0]))
    return sorted(places, key=lambda item: -item[1])


def _nodes(subscription: Subscription) -> str:
    if not subscription.subscribers:
        return f"process {subscription.pid}"
    first, *others = subscription.subscribers
    name = without_middle(shown(first), LONGEST_NAME)
    return f"{name} and {len(others)} more" if others else name


def _topic(subscription: Subscription) -> str:
    return without_middle(shown(subscription.topic), LONGEST_NAME)


def _count(count: int | None) -> str:
    return units.NONE if count is None else f"{count:,}"


def _steps(lost: LiveLost) -> Iterator[str]:
    """Return what to set, for the places where most messages died."""
    if lost.unread:
        return
    worst = sorted(lost.subscriptions, key=lambda each: -each.missing)
    for each in worst:
        for why, publishers in each.refusals.items():
            of = ", ".join(without_middle(shown(name), LONGEST_NAME) for name in publishers)
            yield f"Let {_nodes(each)} and {of} agree on {_topic(each)}: {shown(why.strip(' ;'))}"
    for each in worst:
        if each.is_unsized:
            yield _longer_sender(lost, each)
        if each.taken is None and each.dropped_datagrams:
            yield (
                f"{_larger_buffer(lost, each)}. {counted(each.dropped_datagrams, 'datagram')} did "
                f"not fit into its sockets; what they held {UNTOLD}"
            )
        for place, _count_there in _places(each):
            if place in REMEDIES:
                yield REMEDIES[place](lost, each)
    if not lost.is_attached and lost.system == ROS2:
        yield (
            "Count what each subscriber takes, by breakpoints, as root"
            "\nwirecost lost --live ros2 --attach"
        )


def _deeper_reader(_lost: LiveLost, each: Subscription) -> str:
    published = units.time((each.published_every_s or 0.0) * 1e9)
    topic, held = _topic(each), counted(each.held, "message")
    deeper = f"Raise the depth of the subscription to {topic}, which held {held}"
    if each.takes_every_s is None:
        return f"{deeper}, or shorten its callback: a message is published every {published}"
    takes = units.time(each.takes_every_s * 1e9)
    rates = f"it takes a message every {takes}, and one is published every {published}"
    if each.takes_every_s > (each.published_every_s or 0.0):
        return f"Shorten the callback of {topic}, or give it a thread of its own: {rates}"
    return f"{deeper}: {rates}, but in bursts, or other callbacks of its node keep it waiting"


def _deeper_writer(_lost: LiveLost, each: Subscription) -> str:
    return (
        f"Raise the depth of the publisher of {_topic(each)}: it overwrote messages before "
        f"{_nodes(each)} had received them"
    )


def _larger_buffer(lost: LiveLost, each: Subscription) -> str:
    usual = "" if lost.usual_buffer is None else f" ({lost.usual_buffer:,} bytes)"
    return (
        f"Enlarge the receive buffer of {_nodes(each)}: net.core.rmem_default{usual} and rmem_max, "
        "or the middleware's own setting; or make the ends reliable"
    )


def _reliable(_lost: LiveLost, each: Subscription) -> str:
    return f"Make both ends of {_topic(each)} reliable: what is lost on the way is then sent again"


def _longer_sender(_lost: LiveLost, each: Subscription) -> str:
    return (
        f"Shorten the callback of {_nodes(each)}, or raise queue_size of the publisher of "
        f"{_topic(each)}: it could not send as fast as it published"
    )


def _longer_taker(_lost: LiveLost, each: Subscription) -> str:
    return (
        f"Shorten the callback of {_nodes(each)}, give {_topic(each)} a callback queue and a "
        "thread of its own, or raise queue_size of its subscriber"
    )


REMEDIES = {
    SENDER: _longer_sender, TAKER: _longer_taker, READER: _deeper_reader, WRITER: _deeper_writer,
    SOCKET: _larger_buffer, WAY: _reliable,
}  # fmt: skip


def _doubts(lost: LiveLost) -> Iterator[tuple[str, str]]:
    if not lost.is_whole:
        yield "It was interrupted: this is what was counted until then.", "bold yellow"
    if lost.is_full:
        yield "Memory was full before the end: later calls are not counted.", "bold yellow"
    untaken = [each for each in lost.subscriptions if each.untaken > max(1, each.held)]
    lines = [
        f"{_nodes(each)} has not taken the last {counted(each.untaken, 'message')} of "
        f"{_topic(each)} yet: they wait, or died."
        + (f" Its socket holds {units.size(each.unread)}." if each.unread else "")
        for each in sorted(untaken, key=lambda each: -each.untaken)
    ]
    lines += [
        f"Process {pid}: {counted(count, 'datagram')} did not fit into its sockets; whose they "
        f"were {UNTOLD}."
        for pid, count in sorted(lost.drops.items(), key=lambda item: -item[1])
    ]
    yield from ((line, "") for line in few(lines))
    if not lost.is_told and lost.system == DDS:
        yield "No reader announces its losses: number messages and compare where taken.", "dim"
    if lost.is_attached and any(each.taken is None for each in lost.subscriptions):
        yield f"{UNSEEN}: within a process, or nothing came.", "dim"
    if any(each.taken and each.published is None for each in lost.subscriptions):
        yield f"{ELSEWHERE}: what fell out of the reader's history cannot be told.", "dim"
    yield f"Counting itself took {units.percent(lost.looking)} of a core.", "dim"
