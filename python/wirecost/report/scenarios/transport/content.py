# SPDX-License-Identifier: Apache-2.0
"""The transport benchmark's tables."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.summary import Row
from wirecost.records.folder import Results
from wirecost.report.scenarios import Content
from wirecost.report.shared import units
from wirecost.report.shared.races import contenders, races
from wirecost.report.shared.table import Table

TITLE = "What a transport costs"


def content(results: Results, rows: list[Row]) -> Content:
    tables = [_latency(rows)]
    tables += [one for one in (_broken(results.meta), _peaks(results.meta)) if one.rows]
    return Content(TITLE, None, tables, [], "")


def _latency(rows: list[Row]) -> Table:
    body = []
    for race in races(rows):
        for name, stages in contenders(rows, race):
            total = stages["total"]
            facts = total.facts
            usage = facts["usage"]
            cpu = [
                units.time(usage[part]["cpu_ns"]) if part in usage else "–"
                for part in ("publisher", "subscribers", "daemon")
            ]
            wire = facts["wire_bytes"]
            body.append(
                [
                    f"{race[0]}, {name}",
                    units.time(total.median_ns),
                    units.time(total.p99_ns),
                    units.time(facts["p999_ns"]),
                    units.time(facts["max_ns"]),
                    str(facts["lost"]),
                    *cpu,
                    "–" if wire is None else f"{wire / total.bytes:.2f}",
                ]
            )
    headings = ["case and contender", "p50", "p99", "p99.9", "max", "lost"]
    return Table(
        "Latency and processor time per message",
        [*headings, "publisher", "subscribers", "daemon", "wire/payload"],
        body,
        [],
    )


def _broken(meta: dict[str, Any]) -> Table:
    body = [
        [f"{run['mware']} {run['mode']}", run["case"], run["broken"], run["reproduce"]]
        for run in meta["runs"]
        if run["broken"]
    ]
    return Table("Broken promises", ["contender", "case", "what", "to see it"], body, [])


def _peaks(meta: dict[str, Any]) -> Table:
    body = [
        [
            f"{run['case']}, {run['mware']} {run['mode']}",
            f"{run['peak']['rate']:.0f} Hz",
            "yes" if run["peak"]["confirmed"] else "no",
            run["peak"]["limit"],
        ]
        for run in meta["runs"]
        if run["peak"]
    ]
    return Table("Peak rates", ["case and contender", "peak", "held at 90 %", "limit"], body, [])
