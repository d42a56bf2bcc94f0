# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe chain``: from a message to the output that follows from it, over all nodes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from wirecost.cli.ending import Output, answering
from wirecost.cli.options import duration, option
from wirecost.cli.output_files import write_text
from wirecost.cli.probe_show import Files, deadline_ns
from wirecost.results.report.shared.answer import Answer
from wirecost.system.errors import UserError

if TYPE_CHECKING:
    import polars as pl

    from wirecost.results.analysis.chains.hops import Hops
    from wirecost.results.analysis.chains.listed import ListedChain
    from wirecost.results.analysis.chains.walk import Chain, Found

EXAMPLE = "wirecost probe chain LOGS --from points --to detections --deadline 50ms"


@answering(others={"--perfetto": "perfetto_file"})
def command(
    files: Files,
    first: Annotated[
        str | None,
        option(
            "The topic at which chains start; or a node, or a section.", "--from", metavar="TOPIC"
        ),
    ] = None,
    last: Annotated[
        str | None,
        option("The topic at which chains end; or a node, or a section.", "--to", metavar="TOPIC"),
    ] = None,
    deadline: Annotated[
        float | None,
        duration(
            "List the chains that took longer, such as 50ms, and why.", "--deadline", unit="ms"
        ),
    ] = None,
    perfetto_file: Annotated[
        Path | None, option("Write the chains for ui.perfetto.dev.", "--perfetto", metavar="FILE")
    ] = None,
    *,
    output: Output,
) -> Answer:
    """List chains of callbacks, or print where the time of one went and why it was late.

    Without --from and --to all chains are listed, the longest first.
    """
    import polars as pl

    from wirecost.results.analysis.chains.latency import latency_of
    from wirecost.results.records.recorded import event_tables, read_recorded
    from wirecost.results.records.recorded_machine import prices_beside
    from wirecost.results.report.chains import perfetto
    from wirecost.results.report.chains.tables import chain_answer

    limit_ns = deadline_ns(deadline)
    if (first is None) != (last is None):
        raise UserError("give both --from and --to, or neither, which lists all chains")
    if first is None and perfetto_file:
        raise UserError("--perfetto: needs --from and --to; without them, chains are listed")
    events = pl.concat(event_tables(read_recorded(files)), how="diagonal")
    if first is None or last is None:
        return _list(events, limit_ns, output)
    hops, walked = _found(events, first, last)
    if not walked.chains:
        raise UserError(_nothing(hops, walked, first, last))
    prices = prices_beside(files)
    latency = latency_of(walked, hops, events, limit_ns, prices.ns if prices else {})
    if perfetto_file is not None:
        text = json.dumps(perfetto.trace(walked.chains, first, last))
        write_text("--perfetto", perfetto_file, text)
    return chain_answer(latency, walked.chains, first, last)


def _list(events: pl.DataFrame, limit_ns: float | None, output: Output) -> Answer:
    from wirecost.results.analysis.chains.hops import hops_of
    from wirecost.results.analysis.chains.latency import latency_of
    from wirecost.results.analysis.chains.listed import listed
    from wirecost.results.analysis.chains.walk import chains_between
    from wirecost.results.report.chains.tables import CHAINS_LISTED, list_answer

    hops = hops_of(events)
    listing = listed(hops, limit_ns)
    if not listing.chains:
        raise UserError(
            "no callback took a message that was recorded; record nodes with wirecost probe run or "
            "ros2 trace, or give --from and --to two sections of your own"
        )
    longest = None
    if output.report is not None:
        first = listing.chains[0]
        walked = chains_between(hops, first.first, first.last)
        longest = latency_of(walked, hops, events, limit_ns, {})
    return list_answer(
        listing, limit_ns, longest, lambda: _chains_of(hops, listing.chains[:CHAINS_LISTED])
    )


def _chains_of(hops: Hops, listing: Sequence[ListedChain]) -> list[Chain]:
    """Return the chains from begin to end of those that are listed, each once."""
    from wirecost.results.analysis.chains.walk import chains_between

    ends = dict.fromkeys((chain.first, chain.last) for chain in listing)
    return [chain for first, last in ends for chain in chains_between(hops, first, last).chains]


def _found(events: pl.DataFrame, first: str, last: str) -> tuple[Hops, Found]:
    """Follow chains by topics, or by sections where both are names of sections."""
    from wirecost.results.analysis.chains.hops import hops_of
    from wirecost.results.analysis.chains.walk import chains_between, chains_of_loops

    if {first, last} <= set(events.filter(kind="section")["section"]):
        return chains_of_loops(events, first, last)
    hops = hops_of(events)
    return hops, chains_between(hops, first, last)


def _nothing(hops: Hops, walked: Found, first: str, last: str) -> str:
    """Return why there is no chain, and what to do."""
    published = set(hops.published["topic"])
    received = set(hops.callbacks["topic"].drop_nulls())
    ends = published | set(hops.callbacks["node"])
    for name, topic, recorded in (("--from", first, published | received), ("--to", last, ends)):
        if topic not in recorded:
            listed = ", ".join(sorted(recorded)[:12]) or "none; record with wirecost probe run"
            return f"{name} {topic}: not recorded; recorded topics: {listed}"
    if walked.unlinked:
        return (
            f"{last}: all {walked.unlinked:,} messages were published outside a callback that took "
            "a message, as by a timer that works on none; list all chains: without --from and --to"
        )
    return f"no message of {last} follows from one of {first}; record all nodes in between"
