# SPDX-License-Identifier: Apache-2.0
"""Chains of a program's own sections: executions of one loop number belong together."""

from __future__ import annotations

import polars as pl

from wirecost.analysis.chains.hops import Hops
from wirecost.analysis.chains.walk import Chain, Found, Part


def chains_of_loops(events: pl.DataFrame, first: str, last: str) -> tuple[Hops, Found]:
    """From the begin of an execution of section ``first`` to the end of the next one of ``last``
    with the same loop number, in whatever thread or process. The ``callbacks`` of the hops are
    those executions; nothing is published."""
    sections = events.filter(
        pl.col("kind") == "section", pl.col("section").is_in([first, last])
    ).select("process", "thread", "section", "loop", "begin_ns", "end_ns", "^counter:.*$")
    callbacks = sections.sort("begin_ns").with_row_index("index")
    begun = callbacks.filter(section=first).select(
        "loop", "begin_ns", first="index", first_begin="begin_ns", first_end="end_ns"
    )
    ended = callbacks.filter(section=last)
    pairs = ended.join_asof(
        begun, on="begin_ns", by="loop", strategy="backward", check_sortedness=False
    )
    linked = pairs.drop_nulls("first")
    chains = [_chain(row, first, last) for row in linked.iter_rows(named=True)]
    used = linked["first"].n_unique()
    found = Found(
        sorted(chains, key=lambda chain: chain.begin_ns),
        inputs=len(begun),
        without_output=len(begun) - used,
        unlinked=len(ended) - len(linked),
    )
    return Hops(pl.DataFrame(schema={"topic": pl.String}), callbacks), found


def _chain(row: dict[str, int], first: str, last: str) -> Chain:
    until = min(row["first_end"], row["begin_ns"])
    parts = [
        Part("section", first, "", row["first_begin"], until, row["first"]),
        Part("between", f"{first} → {last}", "", until, row["begin_ns"], row["index"]),
        Part("section", last, "", row["begin_ns"], row["end_ns"], row["index"]),
    ]
    return Chain(None, parts)
