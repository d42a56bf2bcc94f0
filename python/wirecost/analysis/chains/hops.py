# SPDX-License-Identifier: Apache-2.0
"""Which callback took which message, and what it published meanwhile, from the events of probes.

The names of sections say what they are: ``<node> publish <topic>`` is a span with the identity of
the message, ``<node> <topic> queue wait`` (ROS 1) or ``<node> <topic> take→callback`` (ROS 2) the
span from receiving a message to its callback, which is the next section of the same thread.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

PUBLISH = r"^(.*?) ?publish (\S+)$"
WAIT = r"^(.*?) ?(\S+) (?:queue wait|take→callback)$"
OTHERS = (" deserialize",)
"""Sections of a thread that are no callbacks."""

PUBLISHED = ["process", "thread", "node", "topic", "message", "begin_ns", "end_ns", "value"]


@dataclass(frozen=True)
class Hops:
    """``published``: each message that was given out, with columns ``PUBLISHED``, its own ``index``
    and the ``callback`` (an index of ``callbacks``) in which that was, null outside any.

    ``callbacks``: each that took a message: ``index``, ``process``, ``thread``, ``node``,
    ``topic``, ``section``, ``received_ns``, ``begin_ns``, ``end_ns``, and ``source``, the index in
    ``published`` of the message, null where its publisher was not recorded; counters follow.
    All times are of CLOCK_MONOTONIC."""

    published: pl.DataFrame
    callbacks: pl.DataFrame


def hops_of(events: pl.DataFrame) -> Hops:
    """From the event table of all logs of one machine (``records.probe_log.EVENTS``)."""
    published = _published(events)
    callbacks = _callbacks(events)
    callbacks = _with_source(callbacks, published)
    return Hops(_with_callback(published, callbacks), callbacks)


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
    """Those that a queue wait precedes; a wait whose callback was not recorded is left out."""
    keys = ["process", "thread"]
    waits = (
        events.filter(pl.col("kind") == "span", pl.col("section").str.contains(WAIT))
        .with_columns(
            node=pl.col("section").str.extract(WAIT, 1),
            topic=pl.col("section").str.extract(WAIT, 2),
        )
        .select(*keys, "node", "topic", "message", received_ns="begin_ns", start_ns="end_ns")
        .sort("start_ns")
    )
    sections = (
        events.filter(
            pl.col("kind") == "section",
            ~pl.any_horizontal(pl.col("section").str.ends_with(one) for one in OTHERS),
        )
        .with_row_index("event")
        .select(*keys, "section", "event", "end_ns", "^counter:.*$", start_ns="begin_ns")
        .sort("start_ns", "end_ns", descending=[False, True])
    )
    found = waits.join_asof(
        sections, on="start_ns", by=keys, strategy="forward", check_sortedness=False
    )
    return (
        found.drop_nulls("section")
        .unique("event", keep="last", maintain_order=True)
        .filter(pl.col("section").str.contains(pl.col("topic"), literal=True))
        .with_columns(begin_ns="start_ns")
        .drop("start_ns", "event")
        .sort("begin_ns")
        .with_row_index("index")
    )


def _with_source(callbacks: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """The last equal message that was published before the callback received it."""
    sources = published.drop_nulls("message").select(
        "topic", "message", source="index", received_ns="begin_ns"
    )
    return (
        callbacks.sort("received_ns")
        .join_asof(
            sources.sort("received_ns"),
            on="received_ns",
            by=["topic", "message"],
            strategy="backward",
            check_sortedness=False,
        )
        .sort("index")
    )


def _with_callback(published: pl.DataFrame, callbacks: pl.DataFrame) -> pl.DataFrame:
    around = callbacks.select(
        "process", "thread", callback="index", around_ns="end_ns", begin_ns="begin_ns"
    )
    found = published.sort("begin_ns").join_asof(
        around.sort("begin_ns"),
        on="begin_ns",
        by=["process", "thread"],
        strategy="backward",
        check_sortedness=False,
    )
    inside = pl.col("begin_ns") <= pl.col("around_ns")
    return (
        found.with_columns(callback=pl.when(inside).then("callback"))
        .drop("around_ns")
        .sort("index")
    )
