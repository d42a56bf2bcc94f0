# SPDX-License-Identifier: Apache-2.0
"""Who pays in a running graph: a row for each end of a topic in each process."""

from __future__ import annotations

from collections.abc import Iterator

from wirecost.results.records.cost import EndCost, SystemCost
from wirecost.results.report.cost.answer import LONGEST_NAME, names_of, rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Amount, Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import without_middle


def payers_answer(cost: SystemCost) -> Answer:
    """Return what publishing, taking and callbacks cost together, and a row for each end."""
    living = [process for process in cost.processes if not process.has_ended]
    whole = sum(process.share for process in living)
    published = sum(end.call_share for end in cost.ends if end.is_publisher)
    take_share = sum(end.call_share for end in cost.ends if not end.is_publisher)
    callbacks = sum(end.callback_share for end in cost.ends)
    text = (
        f"{share(whole)} of a core by {counted(len(living), 'process', 'processes')}: publishing "
        f"{share(published)}, taking {share(take_share)}, callbacks {share(callbacks)}, the rest "
        f"{share(max(0.0, whole - published - take_share - callbacks))}."
    )
    if cost.ends:
        most = cost.ends[0]
        verb = "publishes" if most.is_publisher else "takes"
        text += f" Most is paid by {_payer(most)}, which {verb} {most.topic}."
    if cost.lost_records:
        text += f" {counted(cost.lost_records, 'record')} of calls did not fit, so this is too low."
    return Answer(text, next(payers_tables(cost)))


def payers_tables(cost: SystemCost) -> Iterator[Table]:
    """Yield the table of who pays, where that is known."""
    if not cost.ends:
        return
    columns = [
        Column[EndCost]("node", _payer),
        Column[EndCost]("", lambda end: "publishes" if end.is_publisher else "takes"),
        Column[EndCost]("topic", lambda end: without_middle(end.topic, LONGEST_NAME)),
        Column[EndCost]("Hz", lambda end: units.significant_amount(end.rate_hz)),
        Column[EndCost](
            "in process",
            lambda end: units.significant_amount(end.intra_hz if end.is_publisher else None),
            shown=any(end.intra_hz for end in cost.ends),
        ),
        Column[EndCost]("bytes/s", _bytes),
        Column[EndCost]("rcl", lambda end: share(end.call_share), bar="core"),
        Column[EndCost]("callback", _callback, bar="core"),
    ]
    notes = [
        "rcl: publishing or taking, in rcl and below, as a share of a core.",
        "callback: after a take, until the executor waits or takes again.",
        "The rest: threads of the middleware, executors, timers' own work.",
    ]
    yield Table.of("Who pays, by breakpoints in rcl", cost.ends, columns, notes)


def _payer(end: EndCost) -> str:
    return names_of(end.nodes) or str(end.pid)


def _bytes(end: EndCost) -> Amount:
    if end.bytes_per_s is None:
        return Amount(units.UNKNOWN)
    return Amount(rate_of_bytes(end.bytes_per_s), end.bytes_per_s)


def _callback(end: EndCost) -> str:
    return units.NONE if end.is_publisher else share(end.callback_share)
