# SPDX-License-Identifier: Apache-2.0
"""Messages that a callback works on besides the one that it took: those that others kept.

Nothing records which message a callback reads, so these are rules, and each join has its own:

- ``periodic_async`` and ``partial_sync``: the program says so by ``message_link_*`` tracepoints. A
  node's statements about an output replace the rules below for it.
- ``header stamp``: what is published has the header stamp of the message that was kept.
- ``last input``: the last message that another callback of the node took, which never publishes
  anything itself.
- ``message filter``: the last message that a callback took and published nothing for, which else
  publishes the same topics: a filter waits for the messages that belong together.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import polars as pl

from wirecost.results.analysis.ros_names import HEADER, INFRASTRUCTURE, LINK

LAST_INPUT, FILTER, STAMPED = "last input", "message filter", "header stamp"
JOINS = pl.Schema({"callback": pl.UInt32, "kept": pl.UInt32, "rule": pl.String})
"""Indices of callbacks: ``callback`` works on what ``kept`` took."""
MOST_PAIRS = 20_000
"""Pairs of sections of a node to look at."""

Link = tuple[str, str, str]
"""Node, topic that is taken, topic that is published."""


def joins_of(
    events: pl.DataFrame, published: pl.DataFrame, callbacks: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, bool]:
    """Return ``published``, the joins, and whether pairs were left out.

    In ``published``, what was published outside callbacks has the callback whose message it is made
    of by its header stamp.
    """
    stamps = _Stamps.of(events, callbacks)
    published = stamps.with_callbacks(published)
    outputs = published.drop_nulls("callback").filter(~pl.col("topic").is_in(INFRASTRUCTURE))
    working = callbacks.with_columns(
        publishes=pl.col("index").is_in(outputs["callback"].unique().implode())
    )
    links = _links(events)
    tables, pairs = [], 0
    for consumer, other, rule in _pairs(working, outputs, links):
        pairs += 1
        if pairs > MOST_PAIRS:
            break
        producers = other.filter(~pl.col("publishes")) if rule == FILTER else other
        last = (
            consumer.filter("publishes")
            .select(callback="index", process="process", at_ns="begin_ns")
            .sort("at_ns")
            .join_asof(
                producers.select("process", kept="index", at_ns="end_ns").sort("at_ns"),
                on="at_ns",
                by="process",
                strategy="backward",
                check_sortedness=False,
            )
            .drop_nulls("kept")
            .select("callback", "kept", rule=pl.lit(rule))
        )
        stamped = stamps.joined(consumer, other)
        last = last.join(stamped, on="callback", how="anti")
        tables += [last, stamped]
    joins = pl.concat([pl.DataFrame(schema=JOINS), *(part.cast(JOINS) for part in tables)])
    return published, joins, pairs > MOST_PAIRS


def _pairs(
    callbacks: pl.DataFrame, outputs: pl.DataFrame, links: dict[Link, str]
) -> Iterator[tuple[pl.DataFrame, pl.DataFrame, str]]:
    """Yield executions of two sections of a node, and a rule.

    By it the first, which publishes, works on what the second kept.
    """
    keys = ["process", "node", "section"]
    topics = (
        callbacks.select(*keys, callback="index")
        .join(outputs.select("callback", output="topic"), on="callback")
        .group_by(keys)
        .agg(pl.col("output").unique())
    )
    published = {tuple(key): set(names) for *key, names in topics.iter_rows()}
    for node, of_node in callbacks.group_by("process", "node", maintain_order=True):
        sections = [
            _Section(rows, published.get((*node, *section), set()))
            for section, rows in of_node.group_by("section", maintain_order=True)
            if rows["topic"][0] not in INFRASTRUCTURE
        ]
        for section in sections:
            for other in sections:
                if section is not other and (rule := section.rule(other, links)) is not None:
                    yield section.rows, other.rows, rule


class _Section:
    """Executions of one section, what it takes and publishes."""

    def __init__(self, rows: pl.DataFrame, outputs: set[str]) -> None:
        self.rows = rows
        self.node, self.topic = rows["node"][0], rows["topic"][0]
        self.outputs = outputs

    def rule(self, other: _Section, links: dict[Link, str]) -> str | None:
        """Return the rule by which this works on what the other kept; None: it does not."""
        if not self.outputs or other.topic is None:
            return None
        stated = [links.get((self.node, other.topic, output)) for output in self.outputs]
        if any(stated):
            return next(filter(None, stated))
        if any(node == self.node and out in self.outputs for node, _, out in links):
            return None
        if not other.outputs:
            return LAST_INPUT
        return FILTER if self.topic is not None and other.outputs <= self.outputs else None


@dataclass(frozen=True)
class _Stamps:
    """Header stamps of messages.

    ``taken``: by callbacks (``kept``, ``node``, ``stamp``, ``begin_ns``, ``end_ns``); ``given``:
    published (``process``, ``thread``, ``node``, ``topic``, ``stamp``, ``begin_ns``). Many may be
    the same, as while a simulation stands still.
    """

    taken: pl.DataFrame
    published: pl.DataFrame
    given: pl.DataFrame
    """``callback``, ``stamp`` and ``begin_ns`` of what callbacks published."""

    @classmethod
    def of(cls, events: pl.DataFrame, callbacks: pl.DataFrame) -> _Stamps:
        keys = ["process", "thread", "begin_ns"]
        stamps = (
            events.filter(pl.col("kind") == "span", pl.col("section").str.contains(HEADER))
            .with_columns(
                node=pl.col("section").str.extract(HEADER, 1),
                out=pl.col("section").str.extract(HEADER, 2).fill_null("") != "",
                topic=pl.col("section").str.extract(HEADER, 3),
            )
            .select(*keys, "node", "out", "topic", stamp="message")
            .drop_nulls("stamp")
        )
        given_out = stamps.filter("out").drop("out")
        taken_in = stamps.filter(~pl.col("out")).join(
            callbacks.select(*keys, "end_ns", kept="index"), on=keys, how="inner"
        )
        inside = (
            given_out.sort("begin_ns")
            .join_asof(
                callbacks.select(*keys, "end_ns", callback="index").sort("begin_ns"),
                on="begin_ns",
                by=["process", "thread"],
                strategy="backward",
                check_sortedness=False,
            )
            .filter(pl.col("begin_ns") <= pl.col("end_ns"))
            .select("callback", "stamp", "begin_ns")
        )
        return cls(
            taken_in.select("kept", "node", "stamp", "begin_ns", "end_ns"), given_out, inside
        )

    def joined(self, one: pl.DataFrame, other: pl.DataFrame) -> pl.DataFrame:
        """Return the last earlier executions of ``other`` that took the stamps of ``one``."""
        taken_in = self.taken.filter(pl.col("kept").is_in(other["index"].implode()))
        return (
            self.given.filter(pl.col("callback").is_in(one["index"].implode()))
            .sort("begin_ns")
            .join_asof(
                taken_in.drop("node").sort("begin_ns"),
                on="begin_ns",
                by="stamp",
                strategy="backward",
                check_sortedness=False,
            )
            .drop_nulls("kept")
            .sort("end_ns")
            .unique("callback", keep="last", maintain_order=True)
            .select("callback", "kept", rule=pl.lit(STAMPED))
        )  # fmt: skip

    def with_callbacks(self, published: pl.DataFrame) -> pl.DataFrame:
        """Return where a thread of the node published what a callback had taken before."""
        own = ["process", "thread", "node", "topic"]
        stamps = self.published.select(*own, "stamp", begin_ns="begin_ns").sort("begin_ns")
        alone = (
            published.filter(pl.col("callback").is_null())
            .sort("begin_ns")
            .join_asof(
                stamps, on="begin_ns", by=own, strategy="nearest", tolerance=1_000_000,
                check_sortedness=False,
            )
            .join_asof(
                self.taken.select("node", "stamp", "kept", begin_ns="end_ns").sort("begin_ns"),
                on="begin_ns", by=["node", "stamp"], strategy="backward", check_sortedness=False,
            )
            .drop_nulls("kept")
            .select("index", "kept")
        )  # fmt: skip
        return (
            published.join(alone, on="index", how="left", maintain_order="left")
            .with_columns(
                callback=pl.coalesce("callback", pl.col("kept").cast(pl.UInt32)),
                rule=pl.when(pl.col("kept").is_not_null()).then(pl.lit(STAMPED)),
            )
            .drop("kept")
        )


def _links(events: pl.DataFrame) -> dict[Link, str]:
    """Return what programs say of themselves, with the tracepoint by which they do."""
    names = events.filter(pl.col("kind") == "span", pl.col("section").str.contains(LINK))["section"]
    parts = pl.DataFrame({"section": names.unique()}).select(
        *(pl.col("section").str.extract(LINK, i).alias(str(i)) for i in (1, 3, 4, 2))
    )
    return {
        (node, input_topic, output): kind for node, input_topic, output, kind in parts.iter_rows()
    }
