# SPDX-License-Identifier: Apache-2.0
"""Two states of a system: a sentence, and a row for each topic that changed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wirecost.results.analysis.compare.costs import TopicChange
from wirecost.results.records.cost import SystemCost
from wirecost.results.report.cost.answer import LONGEST_NAME, rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shown, without_middle


def changes_answer(a: SystemCost, b: SystemCost, changes: Sequence[TopicChange]) -> Answer:
    rates = f"{rate_of_bytes(a.bytes_per_s)} → {rate_of_bytes(b.bytes_per_s)}"
    known = (a.known_share, b.known_share)
    shares = f", ≈ {share(known[0])} → {share(known[1])} of a core" if known != (None, None) else ""
    text = f"{rates}{shares}: {counted(len(changes), 'topic')} changed."
    if changes and changes[0].share > 0:
        text += f" Most was added by {changes[0].topic.topic} ({', '.join(changes[0].grown)})."
    return Answer(
        text,
        changes_table(changes),
        more="Everything: --all",
        heading="Costs of two states of a system",
        document={"changes": msgspec.to_builtins(changes)},
    )


def changes_table(changes: Sequence[TopicChange]) -> Table:
    columns = [
        Column[TopicChange](
            "vehicle", lambda one: shown(one.vehicle), shown=any(one.vehicle for one in changes)
        ),
        Column[TopicChange]("topic", lambda one: without_middle(one.topic.topic, LONGEST_NAME)),
        Column[TopicChange]("what", lambda one: ", ".join(one.grown)),
        Column[TopicChange]("Hz", lambda one: _pair(one, "rate_hz", units.significant)),
        Column[TopicChange]("bytes", lambda one: _pair(one, "median_bytes", units.size)),
        Column[TopicChange]("of a core", lambda one: _pair(one, "known_share", share)),
    ]
    return Table.of("Changed topics", changes, columns)


def _pair(change: TopicChange, name: str, show: object) -> str:
    assert callable(show)
    ends = [
        units.NONE if topic is None else str(show(getattr(topic, name)))
        for topic in (change.before, change.after)
    ]
    return ends[0] if ends[0] == ends[1] else " → ".join(ends)
