# SPDX-License-Identifier: Apache-2.0
"""Bars in the cells of a page's tables: how long they are, where they stand, how they are drawn."""

from __future__ import annotations

import math
import pickle
import re
from pathlib import Path
from typing import Any

import pytest
from lxml import html  # type: ignore[import-untyped]

from support.answers import results_page
from support.hostile_results import PAYLOADS
from support.result_folders import DATA, NAMES
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import content_of
from wirecost.results.report.shared import units
from wirecost.results.report.shared.answer import Answer
from wirecost.results.report.shared.page import bundle, page
from wirecost.results.report.shared.table import Amount, Table, with_bars

TEMPLATES = Path(__file__).parents[3] / "python" / "wirecost" / "results" / "report" / "templates"
NUMBER = re.compile(r"[−-]?\d")


def _column(*cells: str) -> Table:
    return Table("t", ["name", "time"], [["a", cell] for cell in cells], [], bars=("time",))


def _lengths(table: Table, column: int = 1) -> list[int | None]:
    return [row[column][1] for row in with_bars(table)]


def test_bars_begin_at_zero_and_the_longest_is_the_largest_number() -> None:
    cells = (units.time(0), units.time(1), units.time(50), units.time(200.0))
    assert _lengths(_column(*cells)) == [0, 0, 25, 100]


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, -3.0, 10**400],
    ids=["no number", "endless", "endless below", "negative", "beyond a double"],
)
def test_what_no_length_can_show_has_no_bar_and_changes_no_other(value: float) -> None:
    cells = (Amount("x", value), units.time(10), units.time(20))
    assert _lengths(_column(*cells)) == [None, 50, 100]


def test_cells_without_a_number_have_no_bar() -> None:
    assert _lengths(_column("–", units.time(10), "", "n/a", "7", units.time(20))) == [
        None, 50, None, None, None, 100,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "cells",
    [
        (),
        ("–", "–"),
        (units.time(5),),
        (units.time(5), "–"),
        (units.time(0), units.time(0)),
        (units.size(7), units.size(7), "–"),
    ],
    ids=["no rows", "no numbers", "one", "one beside none", "zeros", "alike"],
)
def test_where_nothing_is_to_be_compared_there_are_no_bars(cells: tuple[str, ...]) -> None:
    assert set(_lengths(_column(*cells))) <= {None}


def test_columns_have_a_scale_each_and_those_of_a_tuple_one() -> None:
    rows = [
        ["a", units.time(10), units.time(40), units.size(5), units.time(1)],
        ["b", units.time(20), units.time(80), units.size(10), units.time(1)],
    ]
    headings = ["name", "part", "total", "size", "without"]
    table = Table("t", headings, rows, [], bars=(("part", "total"), "size"))
    lengths = [[length for _, length in row] for row in with_bars(table)]
    assert lengths == [[None, 12, 50, 50, None], [None, 25, 100, 100, None]]
    assert [[cell for cell, _ in row] for row in with_bars(table)] == rows


def test_the_column_of_names_has_none_even_if_a_name_from_a_file_is_its_heading() -> None:
    rows: list[list[str]] = [[units.time(1)] * 2, [units.time(2)] * 2]
    table = Table("t", ["host", "host"], rows, [], bars=(("host",),))
    assert [[length for _, length in row] for row in with_bars(table)] == [[None, 50], [None, 100]]


def test_an_amount_is_its_text_and_keeps_its_number() -> None:
    assert (units.time(43.2e6), units.time(43.2e6).value) == ("43.2 ms", 43.2e6)
    assert (units.size(2_500), units.size(2_500).value) == ("2.50 kB", 2_500)
    marked = units.time(40) + "*"
    assert (marked, marked.value) == ("40.0 ns*", 40)
    again = pickle.loads(pickle.dumps(marked))
    assert (again, again.value) == (marked, 40)
    assert math.isnan(Amount("unknown").value)


def test_template_writes_a_length_and_nothing_of_the_text_into_the_style() -> None:
    hostile = '1" onclick="alert(1);background:url(http://x)' + PAYLOADS["markup"]
    cells = [Amount(hostile, 1.0), Amount(hostile, 4.0), Amount(hostile, -1.0), hostile]
    table = Table(hostile, ["name", hostile], [["a", cell] for cell in cells], [], bars=(hostile,))
    rendered = page(Answer("", table))
    document: Any = html.document_fromstring(rendered.replace(bundle(), ""))
    drawn = document.xpath("//tbody//td[2]")
    assert [cell.get("style") for cell in drawn] == ["--bar:25%", "--bar:100%", None, None]
    assert all(set(cell.attrib) <= {"style", "class"} for cell in drawn)
    assert all("alert(1);background" in cell.text_content() for cell in drawn)
    assert len(document.xpath("//*[@style]")) == 2


@pytest.mark.parametrize("name", NAMES)
def test_each_scenario_declares_columns_it_has_whose_cells_keep_their_numbers(name: str) -> None:
    results = read_results(DATA / name)
    content = content_of(results, summarize(results))
    tables = [*content.tables, *content.folded, *content.details]
    for table in tables:
        for group in table.bars:
            for heading in [group] if isinstance(group, str) else group:
                assert heading in table.headings, table.title
                at = table.headings.index(heading, 1)
                cells = [row[at] for row in table.rows if NUMBER.match(row[at])]
                amounts = [isinstance(cell, Amount) for cell in cells]
                assert all(amounts), (table.title, heading, cells)
                assert all(not isinstance(cell, Amount) or NUMBER.match(cell) for cell in cells)


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"replay-without-inputs"}))
def test_every_scenario_s_page_has_bars_with_scripts_off(name: str) -> None:
    results = read_results(DATA / name)
    text = results_page(results, figures=[]).replace(bundle(), "")
    body = text[text.index("<h2 id=") : text.index("<script>")]
    lengths = [int(length) for length in re.findall(r'<td style="--bar:(\d+)%">', body)]
    assert max(lengths) == 100
    assert all(0 <= length <= 100 for length in lengths)


def test_bars_are_drawn_by_style_alone_and_add_no_text() -> None:
    layout = (TEMPLATES / "layout.html.j2").read_text()
    rule = re.search(r"td\[style\]::after \{([^}]*)\}", layout)
    assert rule is not None
    assert 'content: ""' in rule[1]
    assert "var(--bar)" in rule[1]
    assert "print-color-adjust: exact" in rule[1]
    assert "--bar" not in (TEMPLATES / "page.js").read_text()
