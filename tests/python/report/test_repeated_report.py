# SPDX-License-Identifier: Apache-2.0
"""Lists by number of elements: the matrix first, each list's table folded."""

from __future__ import annotations

from support.result_folders import DATA
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import content_of, figures_of
from wirecost.results.report.scenarios.repeated.content import matrix
from wirecost.results.report.scenarios.repeated.figures import FARTHEST, heat

RESULTS = read_results(DATA / "lists")
ROWS = summarize(RESULTS)


def test_the_matrix_has_no_floors_and_tables_of_counts_are_folded() -> None:
    reported = content_of(RESULTS, ROWS)
    (table,) = reported.tables
    assert not [row for row in table.rows if row[0].startswith(("arrays", "memcpy"))]
    assert [folded.title for folded in reported.folded] == [
        "radar-reflection, 1 elements",
        "radar-reflection, 1000 elements",
    ]


def test_colours_end_and_numbers_do_not() -> None:
    figure = figures_of(RESULTS, ROWS)[0]
    assert figure.name == "list-matrix"
    cells = figure.chart.to_dict()["data"]["values"]
    extreme = next(c for c in cells if (c["contender"], c["count"]) == ("protobuf new", "1"))
    assert extreme["ratio"] == FARTHEST
    assert extreme["text"] == "101"


def test_one_list_of_one_size_is_no_matrix() -> None:
    alone = [row for row in ROWS if row.fact("elements") == 1]
    assert heat(alone) is None
    assert matrix([]) is None
