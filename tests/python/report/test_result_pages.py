# SPDX-License-Identifier: Apache-2.0
"""The page of a result folder: what stands at its top, and figures without scripts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from support.answers import results_page
from support.result_folders import NAMES
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared.totals import totals

KEPT = Path(__file__).parents[2] / "data" / "results"
HOSTILE = "</noscript></script><script>alert(1)</script>&\"'\u202e" + "x" * 300


def _page(name: str, stills: bool = False) -> str:
    results = read_results(KEPT / name)
    return results_page(results, stills=stills)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_begins_with_the_answer_and_a_figure(name: str) -> None:
    body = _page(name).split("<body>")[1]
    places = [body.index(part) for part in ("<h1>", 'class="lead answer"', "<figure", "<table")]
    assert places == sorted(places)


def test_a_busy_machine_is_said_above_the_figure_and_all_that_is_wrong_below() -> None:
    text = _page("osi")
    assert text.index("2 CPUs at") < text.index("<figure")
    doubts = text.split(">Machine</h2>")[1]
    assert doubts.index("load ") < doubts.index("CONFIG_NO_HZ_FULL") < doubts.index("</ul>")


@pytest.mark.parametrize("name", ["osi", "notification", "tensor", "cloud"])
def test_each_figure_has_a_place_and_is_drawn_once(name: str) -> None:
    results = read_results(KEPT / name)
    count = len(figures_of(results, summarize(results)))
    places = re.findall(r'id="figure-(\d+)"', _page(name))
    assert sorted(map(int, places)) == list(range(count))


def test_without_scripts_figures_are_there_too_if_asked_for() -> None:
    assert "<noscript><div" not in _page("osi")
    assert _page("osi", stills=True).count("<svg") >= 1


def test_totals_are_the_quickest_first_and_one_contender_is_no_race() -> None:
    rows = summarize(read_results(KEPT / "osi"))
    figure = totals(rows, rows[0].race, 1)
    assert figure is not None
    points = figure.chart.to_dict()["data"]["values"]
    assert [point["us"] for point in points] == sorted(point["us"] for point in points)
    alone = [row for row in rows if row.contender == rows[0].contender]
    assert totals(alone, rows[0].race, 1) is None


def test_names_stay_text_in_figures_without_scripts() -> None:
    results = read_results(KEPT / "osi")
    rows = [replace(row, contender=HOSTILE + row.contender) for row in summarize(results)]
    figure = totals(rows, rows[0].race, 1)
    assert figure is not None
    text = results_page(results, rows, [figure], stills=True)
    body = text[: text.rindex("<script>")]
    body = body[: body.rindex("<script>")]
    assert "<script" not in body
    assert "alert(1)" in body
    assert body.count("</noscript>") == 1
