# SPDX-License-Identifier: Apache-2.0
"""``wirecost compare STORE --baseline A --against B``: two revisions of a campaign's store."""

from __future__ import annotations

from typing import Any

from wirecost.analysis.campaign.subjects import described
from wirecost.analysis.compare.comparison import Comparison, Settings, compare
from wirecost.analysis.compare.of_store import runs_of
from wirecost.campaign.store import SAMPLES, Store
from wirecost.errors import UserError


def comparisons(
    named: str, baseline: str, against: str, settings: Settings
) -> list[tuple[str, str, Comparison]]:
    """Scenario, machine and comparison of each machine that has both. Raises UserError."""
    store = Store(named)
    records, samples = store.records(), store.scan(SAMPLES)
    there = sorted(set(described(records)["revision"]))
    for option, revision in (("--baseline", baseline), ("--against", against)):
        if revision not in there or samples is None:
            known = ", ".join(name or "(none)" for name in there) or "nothing"
            raise UserError(
                f"{option} {revision}: {named} has no measurement of it; there are {known}"
            )
    assert samples is not None
    before, after = (runs_of(named, records, samples, one) for one in (baseline, against))
    both = [key for key in before if key in after]
    if not both:
        raise UserError(f"{named}: no machine measured both; run the campaign for both on one")
    return [(*key, compare(before[key], after[key], settings)) for key in both]


def one_document(found: list[tuple[str, str, Any]]) -> dict[str, Any]:
    """``found``: scenario, machine and the comparison's own document."""
    return {
        "comparisons": [
            {"scenario": scenario, "machine": machine, **document}
            for scenario, machine, document in found
        ]
    }
