# SPDX-License-Identifier: Apache-2.0
"""What a message takes of a processor at a rate, from what was measured of its parts."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.counted import counted
from wirecost.report.shared import units
from wirecost.report.shared.races import LANGUAGES, contenders, races
from wirecost.report.shared.table import Amount, Table

SECOND = 1e9


def at_rate(meta: dict[str, Any], rows: list[Row]) -> Table | None:
    """A row for each contender, the cheapest of a language first; None where no rate was asked
    for."""
    asked = meta.get("at_rate")
    if not asked:
        return None
    rate, subscribers, carrying = asked["rate"], asked["subscribers"], asked["carrying"]
    transport = _transport_ns(carrying, subscribers)
    body = []
    for race in races(rows):
        mine = []
        for name, stages in contenders(rows, race):
            ns = {stage: row.median_ns for stage, row in stages.items()}
            # Both sides' objects are destroyed together; each subscriber has some of its own.
            destroyed = ns["destroy"] / 2
            sender = ns["fill"] + ns["encode"] + destroyed
            each = ns["decode"] + ns["read"] + destroyed
            whole = (sender + subscribers * each + transport) * rate / SECOND
            cells = [units.time(rate * sender), units.time(rate * each)]
            if carrying:
                cells.append(units.time(rate * transport))
            size = round(stages["total"].bytes * rate * subscribers)
            lang = LANGUAGES.get(race[4], race[4])
            mine.append((whole, [f"{lang} {name}", *cells, _share(whole), units.size(size)]))
        body += [cells for _, cells in sorted(mine, key=lambda one: one[0])]
    over = [carrying["over"]] if carrying else []
    headings = ["contender", "sender", "subscriber", *over, "of a core", "delivered"]
    title = f"At {units.significant(rate)} messages a second, {counted(subscribers, 'subscriber')}"
    optional, bars = ("sender", "subscriber"), ("of a core", "delivered")
    return Table(title, headings, body, [_note(carrying, subscribers)], optional, bars)


def _transport_ns(carrying: dict[str, Any] | None, subscribers: int) -> float:
    """Of all processes, for a message."""
    if not carrying:
        return 0.0
    each: float = carrying["subscriber_ns"]
    return float(carrying["sender_ns"] + subscribers * each + carrying["server_ns"])


def _note(carrying: dict[str, Any] | None, subscribers: int) -> str:
    note = (
        "Processor time in a second, and bytes delivered in it. sender: fill and encode; "
        "subscriber: decode and read, each of them; destroying is half of either. Computed from "
        "the medians above."
    )
    if not carrying:
        return f"{note} What carries the messages is not in it: --over measures a transport."
    lost = 1 - carrying["received"]
    note += (
        f" {carrying['over']} ({carrying['library']}): processor time of the processes at both ends"
        f" and between them, which sent {carrying['messages']:,} of these messages at this rate to "
        f"{subscribers} of their own, by wirecost's adapters in Python; a program in C++ takes "
        "less. Not measured: a network, and what programs do besides."
    )
    return note + (f" {units.percent(lost)} of the messages did not come." if lost else "")


def _share(value: float) -> str:
    percent = 100 * value
    text = f"{percent:.3f}" if percent < 0.1 else units.significant(percent)
    return Amount(f"{text} %", value)
