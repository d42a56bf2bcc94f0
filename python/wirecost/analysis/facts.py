# SPDX-License-Identifier: Apache-2.0
"""What a scenario's summary rows have beside medians: its declared facts (``Scenario.facts``).

Most stand in the run's record in ``meta.json``; those that follow from the samples are made here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.analysis.race import Name, Race
from wirecost.analysis.tail import tail_of
from wirecost.records.scenarios import SCENARIOS, Scenario

_FIRST = (
    "allocations", "instructions", "elements", "compressed_bytes", "tail", "memory_bytes",
    "map_memory_bytes", "study", "scan", "points", "heap", "counters", "ratio_floor",
)  # fmt: skip
FLAT_ORDER = tuple(dict.fromkeys([*_FIRST, *(f for s in SCENARIOS.values() for f in s.facts)]))
"""All facts in the order in which ``--json`` has them; new ones come last."""


def facts_of(
    scenario: Scenario, run: dict[str, Any], race: Race, name: Name, stage: str
) -> dict[str, Any]:
    """Facts of one row, by name: ``run`` is its contender's record, ``name`` the contender."""
    facts = {fact: run.get(fact) for fact in scenario.facts}
    if "tail" in facts:
        contender, mode = name
        samples = race.samples.filter(contender=contender, mode=mode, stage="total")
        facts["tail"] = tail_of(samples)
    if "p999_ns" in facts:
        series = race.series[name, stage]
        facts["p999_ns"] = float(np.percentile(series, 99.9))
        facts["max_ns"] = float(np.max(series))
    if scenario.floor is not None:
        facts["ratio_floor"] = race.ratio(name, stage, (scenario.floor(name[0]), ""))
    if "clock_bound_ns" in facts:
        bound = run.get("clock_bound_ns") if _crosses(run, stage) else None
        facts["clock_bound_ns"] = bound
        facts["below_clock_bound"] = (
            None if bound is None else abs(race.median(name, stage).value) < bound
        )
    return facts


def _crosses(run: dict[str, Any], stage: str) -> bool:
    """Whether a stage begins on one machine and ends on another, where there are two."""
    return stage in ("transit", "reply") or (stage == "total" and run.get("pattern") == "pubsub")
