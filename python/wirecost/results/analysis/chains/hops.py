# SPDX-License-Identifier: Apache-2.0
"""Messages taken by callbacks, and what was published meanwhile, from the events of probes.

The names of sections say what they are: ``<node> publish <topic>`` is a span with the identity of
the message, ``<node> <topic> queue wait`` (ROS 1) or ``<node> <topic> take→callback`` (ROS 2) the
span from receiving a message to its callback, which is the next section of the same thread.
Callbacks of timers, and those of ROS 2's subscriptions that no such span precedes, are known by
their names alone (``analysis.ros_names``).

A callback's message is the last equal one that was published before (``IDENTITY``). Where the
publisher recorded no identity, as until ROS 2 Iron, it is the last of the topic before the source
time stamp (``STAMP``); without either, as within a process, the last of the topic before the
callback received one (``ORDER``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from wirecost.results.analysis.chains.joins import JOINS, joins_of
from wirecost.results.analysis.ros_names import place_of

PUBLISH = r"^(.*?) ?publish (\S+)$"
WAIT = r"^(.*?) ?(\S+) (?:queue wait|take→callback|queued→callback)$"
OTHERS = (" deserialize", " take", " send")
"""Sections of a thread that are no callbacks."""

IDENTITY, STAMP, ORDER = "identity", "source time stamp", "order in time"
GRACE_NS = 20_000
"""Two readings of a system's clocks may disagree by so much."""
OLDEST_NS = 1_000_000_000
"""A message that was published longer before its source time stamp is another one."""

PUBLISHED = ["process", "thread", "node", "topic", "message", "begin_ns", "end_ns", "value"]


@dataclass(frozen=True)
class Hops:
    """Messages and the callbacks that took or published them; times are of CLOCK_MONOTONIC.

    ``published``: each message that was given out, with columns ``PUBLISHED``, its own ``index``
    and the ``callback`` (an index of ``callbacks``) in which that was, null outside any, or whose
    message it is made of by the ``rule``.

    ``callbacks``: each that took a message: ``index``, ``process``, ``thread``, ``node``,
    ``topic``, null of timers, ``section``, ``received_ns``, ``begin_ns``, ``end_ns``, and
    ``source``, the index in ``published`` of the message, null where its publisher was not
    recorded, and the ``rule`` by which it was found; counters follow.

    ``joins``: what callbacks work on that they did not take (``joins.JOINS``).
    """

    published: pl.DataFrame
    callbacks: pl.DataFrame
    joins: pl.DataFrame = field(default_factory=lambda: pl.DataFrame(schema=JOINS))
    joins_left_out: bool = False
    """There were too many callbacks in a node to look at all pairs."""


def hops_of(events: pl.DataFrame) -> Hops:
    """Find hops in the event table of all logs of one machine (``records.probe_log.EVENTS``)."""
    published = _published(events)
    callbacks = _callbacks(events)
    callbacks = _with_source(callbacks, published)
    published = _with_callback(published, callbacks)
    published, joins, left_out = joins_of(events, published, callbacks)
    return Hops(published, callbacks, joins, left_out)


def _published(events: pl.DataFrame) -> pl.DataFrame:
    return (
        events.filter(pl.col("kind") == "span", pl.col("section").str.contains(PUBLISH))
        .with_columns(
            node=pl.col("section").str.extract(PUBLISH, 1),
            topic=pl.col("section").str.extract(PUBLISH, 2),
        )
        .select(PUBLISHED)
        .sort("begin_ns")
        .with_row_index("index")
    )


def _callbacks(events: pl.DataFrame) -> pl.DataFrame:
    """Return those that a wait precedes, and those that none ever does.

    A wait whose callback was not recorded is left out.
    """
    keys = ["process", "thread"]
    waits = (
        events.filter(pl.col("kind") == "span", pl.col("section").str.contains(WAIT))
        .with_columns(
            node=pl.col("section").str.extract(WAIT, 1),
            topic=pl.col("section").str.extract(WAIT, 2),
        )
        .select(
            *keys,
            "node",
            "topic",
            "message",
            received_ns="begin_ns",
            start_ns="end_ns",
            wall_minus_ns=pl.col("wall_ns") - pl.col("begin_ns"),
        )
        # Behind the take that is received twice stands what says more.
        .sort("start_ns", pl.col("message").is_not_null())
    )
    sections = (
        events.filter(
            pl.col("kind") == "section",
            ~pl.any_horizontal(pl.col("section").str.ends_with(ending) for ending in OTHERS),
        )
        .with_row_index("event")
        .select(*keys, "section", "event", "end_ns", "^counter:.*$", start_ns="begin_ns")
        .sort("start_ns", "end_ns", descending=[False, True])
    )
    waited = waits.join_asof(
        sections, on="start_ns", by=keys, strategy="forward", check_sortedness=False
    )
    with_wait = (
        waited.drop_nulls("section")
        .unique("event", keep="last", maintain_order=True)
        .filter(pl.col("section").str.contains(pl.col("topic"), literal=True))
    )
    others = _without_wait(sections, with_wait["section"])
    return (
        pl.concat([with_wait, others], how="diagonal")
        .with_columns(begin_ns="start_ns")
        .drop("start_ns", "event")
        .sort("begin_ns")
        .with_row_index("index")
    )


def _without_wait(sections: pl.DataFrame, waited: pl.Series) -> pl.DataFrame:
    """Return callbacks of timers and of subscriptions whose messages' receipt is never recorded."""
    places = {
        name: place
        for name in sections["section"].unique().to_list()
        if (place := place_of(name)) is not None and place.kind in ("timer", "subscription")
    }
    named = pl.DataFrame(
        [
            (name, node_place.node, node_place.what if node_place.kind == "subscription" else None)
            for name, node_place in places.items()
        ],
        schema={"section": pl.String, "node": pl.String, "topic": pl.String},
        orient="row",
    )
    return (
        sections.join(named, on="section", how="inner")
        .filter(~pl.col("section").is_in(waited.implode()))
        .with_columns(
            received_ns="start_ns",
            message=pl.lit(None, pl.UInt64),
            wall_minus_ns=pl.lit(None, pl.Int64),
        )
    )


def _with_source(callbacks: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Return the last equal message that was published before the callback received it.

    Where there is none, it is that of the topic by its time.
    """
    identified = published.drop_nulls("message")
    without = published.filter(pl.col("message").is_null())
    clear = pl.col("source").is_null()
    sent = pl.col("message").cast(pl.Int64, strict=False) - pl.col("wall_minus_ns")
    is_stamp = ((pl.col("received_ns") - sent).abs() < 60 * OLDEST_NS).fill_null(value=False)
    callbacks = _last(callbacks, identified, ["topic", "message"], "received_ns").with_columns(
        rule=pl.when(~clear).then(pl.lit(IDENTITY))
    )
    callbacks = callbacks.with_columns(sent_ns=pl.when(is_stamp).then(sent + GRACE_NS))
    for by, time, rule, chosen in (
        (["topic"], "sent_ns", STAMP, clear & is_stamp),
        (["topic", "process"], "received_ns", ORDER, clear & pl.col("message").is_null()),
    ):
        rest = _last(callbacks.filter(chosen).drop("source", "rule"), without, by, time)
        rest = rest.with_columns(rule=pl.when(~clear).then(pl.lit(rule)))
        callbacks = pl.concat([callbacks.filter(~chosen), rest], how="diagonal_relaxed")
    return callbacks.drop("sent_ns", "wall_minus_ns").sort("index")


def _last(
    callbacks: pl.DataFrame, published: pl.DataFrame, by: list[str], time: str
) -> pl.DataFrame:
    """Return ``callbacks`` with the index of the last of ``published`` not after ``time``."""
    sources = published.select(*by, source="index", published_ns="begin_ns").sort("published_ns")
    matched = callbacks.sort(time).join_asof(
        sources,
        left_on=time,
        right_on="published_ns",
        by=by,
        strategy="backward",
        check_sortedness=False,
    )
    if time == "received_ns":
        return matched.drop("published_ns")
    near = pl.col(time) - pl.col("published_ns") <= OLDEST_NS
    return matched.with_columns(source=pl.when(near).then("source")).drop("published_ns")


def _with_callback(published: pl.DataFrame, callbacks: pl.DataFrame) -> pl.DataFrame:
    around = callbacks.select(
        "process", "thread", callback="index", around_ns="end_ns", begin_ns="begin_ns"
    )
    joined = published.sort("begin_ns").join_asof(
        around.sort("begin_ns"),
        on="begin_ns",
        by=["process", "thread"],
        strategy="backward",
        check_sortedness=False,
    )
    inside = pl.col("begin_ns") <= pl.col("around_ns")
    return (
        joined.with_columns(callback=pl.when(inside).then("callback"))
        .drop("around_ns")
        .sort("index")
    )
