# SPDX-License-Identifier: Apache-2.0
"""What many recordings cost: a row for each vehicle and week, and each of its topics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wirecost.results.analysis.compare.weeks import VehicleWeek
from wirecost.results.records.cost import SystemCost, TopicCost
from wirecost.results.report.cost.answer import rate_of_bytes, share
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer, Section, few
from wirecost.results.report.shared.table import Column, Table
from wirecost.system.counted import counted
from wirecost.system.foreign import shell_line, shown

Week = tuple[VehicleWeek, SystemCost]


def weeks_answer(
    store: str, costs: Mapping[VehicleWeek, SystemCost], there: int, notes: Sequence[str]
) -> Answer:
    """Return what a store has; ``there``: recordings not read again; ``notes``: on all of them."""
    columns = [
        Column[Week]("vehicle", lambda one: shown(one[0][0])),
        Column[Week]("week", lambda one: one[0][1]),
        Column[Week]("recordings", lambda one: f"{len(one[1].files):,}"),
        Column[Week]("hours", lambda one: units.significant(one[1].duration_s / 3600), optional=1),
        Column[Week]("bytes/s", lambda one: rate_of_bytes(one[1].bytes_per_s)),
        Column[Week]("of a core", lambda one: share(one[1].known_share)),
        Column[Week]("costliest topic", lambda one: shown(one[1].topics[0].topic)),
    ]
    table = Table.of("Publishing and taking", costs.items(), columns)
    recordings = sum(len(cost.files) for cost in costs.values())
    weeks = sorted({week for _, week in costs})
    vehicles = {vehicle for vehicle, _ in costs}
    text = (
        f"{shown(store)}: {counted(recordings, 'recording')} of "
        f"{counted(len(vehicles), 'vehicle')} in {counted(len(weeks), 'week')}"
        f"{f'; {there:,} of them were there' if there else ''}."
    )
    words = ("wirecost", "compare", store, "--baseline", *weeks[-2:-1], "--against", weeks[-1])
    steps = [f"To see what grew:\n{shell_line(*words)}"] if len(weeks) > 1 else []
    of_topic = [
        Column[tuple[VehicleWeek, TopicCost]]("vehicle", lambda one: shown(one[0][0])),
        Column[tuple[VehicleWeek, TopicCost]]("week", lambda one: one[0][1]),
        Column[tuple[VehicleWeek, TopicCost]]("topic", lambda one: shown(one[1].topic)),
        Column[tuple[VehicleWeek, TopicCost]]("Hz", lambda one: units.significant(one[1].rate_hz)),
        Column[tuple[VehicleWeek, TopicCost]](
            "bytes/s", lambda one: rate_of_bytes(one[1].bytes_per_s)
        ),
        Column[tuple[VehicleWeek, TopicCost]]("of a core", lambda one: share(one[1].known_share)),
    ]
    topics = [(key, topic) for key, cost in costs.items() for topic in cost.topics]
    return Answer(
        text,
        table,
        hints=steps,
        doubts=[(line, "bold yellow") for line in few(notes)],
        more="--all prints all topics and notes",
        sections=[Section([table, Table.of("Topics", topics, of_topic)])],
        heading=f"Costs of {counted(recordings, 'recording')}",
        document={
            "store": store,
            "there": there,
            "notes": list(notes),
            "weeks": [
                {"vehicle": vehicle, "week": week, "recordings": len(cost.files),
                 "duration_s": cost.duration_s, "bytes_per_s": cost.bytes_per_s,
                 "share": cost.known_share}
                for (vehicle, week), cost in costs.items()
            ],
        },
    )  # fmt: skip
