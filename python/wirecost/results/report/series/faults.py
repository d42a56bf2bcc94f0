# SPDX-License-Identifier: Apache-2.0
"""Messages around faults of ``bench transport``: a topic for each kind of subscriber."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wirecost.results.records.folder import Results
from wirecost.results.records.schemas.transport import TransportMeta
from wirecost.results.records.table_columns import LARGEST_NUMBER
from wirecost.results.report.series.mcap_file import Channel, SeriesPart
from wirecost.results.report.series.messages import MessageType
from wirecost.results.report.series.names import Distinct, topic

ROLES = {0: "undisturbed", 1: "disturbed", 2: "replacement"}
KIND = MessageType(
    "Fault",
    "A message for a subscriber while something failed. The fault is when the folder was "
    "created; a message's time is when it was sent, relative to that.",
    {
        "latency_us": "Microseconds until it arrived; absent if it did not.",
        "arrived": "1 if it arrived, else 0.",
    },
)


def fault_parts(results: Results, created_ns: int, out: Path) -> list[SeriesPart]:
    del out
    topics = Distinct()
    parts = []
    for fault in results.meta_as(TransportMeta).faults:
        rows = np.array(
            [
                (row[0], np.nan if row[1] is None else row[1], row[2])
                for row in fault.timeline
                if len(row) == 3 and None not in (row[0], row[2]) and _in_bounds(row)
            ],
            np.float64,
        ).reshape(-1, 3)
        about = {
            "fault": fault.fault, "mware": fault.mware, "client": fault.client,
            "settings": fault.settings, "network": fault.network,
        }  # fmt: skip
        for role, word in ROLES.items():
            chosen = rows[rows[:, 2] == role]
            if not len(chosen):
                continue
            mode = f"{fault.client} {fault.settings}"
            named = topic("faults", fault.fault, fault.mware, mode, fault.network, word)
            channel = Channel(topics.name(named), KIND, about | {"subscriber": word})
            latency = chosen[:, 1] / 1e3
            columns = {"latency_us": latency, "arrived": np.isfinite(latency).astype(np.float64)}
            since = np.maximum(chosen[:, 0], -created_ns).astype(np.int64)
            parts.append(SeriesPart(channel, np.int64(created_ns) + since, columns))
    return parts


def _in_bounds(row: list[int | None]) -> bool:
    return all(x is None or abs(x) < LARGEST_NUMBER for x in row)
