# SPDX-License-Identifier: Apache-2.0
"""Lead of the report of the study classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.race import Ratio
from wirecost.results.analysis.summary import Row, summarize
from wirecost.results.records.reading import read_results
from wirecost_scenarios.classes.content import content

FOLDER = Path(__file__).parents[1] / "data" / "results" / "classes"


def led(rows: list[Row]) -> str:
    return content(read_results(FOLDER), rows).lead or ""


def with_ratio(row: Row, median: float, low: float, high: float) -> Row:
    if row.contender != "wirecost" or row.ratio is None:
        return row
    best = Ratio("protobuf arena", 2 * median, (2 * low, 2 * high))
    return replace(
        row, processes=10, ratio=Ratio(row.ratio.to, median, (low, high)), ratio_best=best
    )


def test_the_lead_tells_gains_and_losses_of_each_content(snapshot: SnapshotAssertion) -> None:
    rows = summarize(read_results(FOLDER))
    ratios = {
        "slower": (1.5, 1.4, 1.6),
        "quicker": (0.25, 0.2, 0.3),
        "no different": (1.2, 0.9, 1.4),
    }
    leads = {name: led([with_ratio(row, *of) for row in rows]) for name, of in ratios.items()}
    assert leads == snapshot
