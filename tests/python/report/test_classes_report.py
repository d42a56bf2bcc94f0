# SPDX-License-Identifier: Apache-2.0
"""What the report of ``bench classes`` leads with."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from wirecost.analysis.race import Ratio
from wirecost.analysis.summary import Row, summarize
from wirecost.records.reading import read_results
from wirecost.report.scenarios.classes.content import content
from wirecost.report.shared.units import significant

FOLDER = Path(__file__).parents[2] / "data" / "results" / "classes"


def led(rows: list[Row]) -> str:
    return content(read_results(FOLDER), rows).lead or ""


def with_ratio(row: Row, median: float, low: float, high: float) -> Row:
    if row.contender != "wirecost" or row.ratio is None:
        return row
    best = Ratio("protobuf arena", 2 * median, (2 * low, 2 * high))
    return replace(
        row, processes=10, ratio=Ratio(row.ratio.to, median, (low, high)), ratio_best=best
    )


def test_the_lead_tells_gains_and_losses_of_each_content() -> None:
    rows = summarize(read_results(FOLDER))
    contents = dict.fromkeys(row.variant for row in rows)
    slower = led([with_ratio(row, 1.5, 1.4, 1.6) for row in rows])
    quicker = led([with_ratio(row, 0.25, 0.2, 0.3) for row in rows])
    assert slower.count(f"slower in building ({significant(1.5)})") == len(contents)
    assert quicker.count(f"quicker in building ({significant(0.25)})") == len(contents)
    assert "quicker in" not in slower and "slower in" not in quicker
    total = f"in total {significant(0.5)} of the time of Protobuf's quickest mode"
    assert quicker.count(total) == len(contents)


def test_the_lead_has_no_ratio_that_is_no_difference() -> None:
    rows = [with_ratio(row, 1.2, 0.9, 1.4) for row in summarize(read_results(FOLDER))]
    assert not re.search(r"slower|quicker in", led(rows))
    assert "our classes are no different" in led(rows)
