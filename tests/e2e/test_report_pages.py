# SPDX-License-Identifier: Apache-2.0
"""Reports in a browser: usable by everyone, on a phone, whatever names hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.axe import needs_axe, serious_faults
from support.chromium import Browser, browser
from support.hostile_results import PAYLOADS, hostile_folder
from support.result_folders import DATA
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.page import page
from wirecost.results.report.scenarios import figures_of

SCENARIOS = [
    "classes", "cloud", "cloud-rings", "heap", "lists", "message", "notification", "osi",
    "probe", "replay", "tensor", "tensor-requests", "transport",
]  # fmt: skip
BARS = """[...document.querySelectorAll("td[style]")].map(cell => {
    const bar = getComputedStyle(cell, "::after");
    const length = parseFloat(bar.backgroundSize);
    return [cell.getAttribute("style"), length, parseFloat(bar.width), bar.content];
})"""
"""Of cells with bars, what they ask for and what is drawn: percent, pixels and text."""
SORTED = """(() => {
    const table = document.querySelector("table");
    const column = [...table.tHead.rows[0].cells].findIndex(one => one.textContent === "total");
    const cells = () => [...table.tBodies[0].rows].map(row => row.cells[column]);
    const before = cells().map(cell => cell.outerHTML);
    table.querySelectorAll("th button")[column].click();
    const bars = cells().map(cell => parseInt(cell.style.getPropertyValue("--bar")));
    return [before, cells().map(cell => cell.outerHTML), bars];
})()"""
"""Cells of a column before and after a click on its heading, and their bars then."""
LOOKS = [(1280, "light"), (420, "dark")]
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
DRAWN = """new Promise(resolve => {
    const look = setInterval(() => {
        if (document.querySelectorAll("svg.marks").length < COUNT) return;
        clearInterval(look);
        resolve(true);
    }, 20);
})"""


def _written(folder: Path, to: Path) -> int:
    """Write the page and return the number of its figures."""
    results = read_results(folder)
    rows = summarize(results)
    figures = figures_of(results, rows)
    to.write_text(page(results, rows, figures))
    return len(figures)


def _opened(tab: Browser, written: Path, figures: int) -> None:
    tab.open(written)
    assert tab.run(DRAWN.replace("COUNT", str(figures)))
    tab.run(UNFOLD)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as one:
        yield one


@pytest.mark.parametrize("name", SCENARIOS)
def test_everyone_can_read_a_report(name: str, tab: Browser, tmp_path: Path) -> None:
    needs_axe()
    figures = _written(DATA / name, tmp_path / "report.html")
    for width, scheme in LOOKS:
        tab.look(width, 900, scheme)
        _opened(tab, tmp_path / "report.html", figures)
        assert serious_faults(tab) == [], f"{width} {scheme}"
        assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", ["notification", "lists", "transport"])
def test_hostile_names_leave_the_layout(
    name: str, payload: str, tab: Browser, tmp_path: Path
) -> None:
    folder = hostile_folder(name, tmp_path / "r", PAYLOADS[payload], rename=True)
    figures = _written(folder, tmp_path / "report.html")
    for width in (1280, 420):
        tab.look(width, 900)
        _opened(tab, tmp_path / "report.html", figures)
        assert tab.run("document.documentElement.scrollWidth") <= width
        # Beside its sticky first column, a table's other columns remain in sight.
        widest = (
            "Math.max(...[...document.querySelectorAll('td:first-child')].map(c => c.clientWidth))"
        )
        assert tab.run(widest) < 0.6 * width
        assert tab.run("document.querySelectorAll('body script').length") == 2
    assert tab.complaints == []


def test_bars_are_as_long_as_asked_for_without_scripts(tab: Browser, tmp_path: Path) -> None:
    _written(DATA / "osi", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    (tmp_path / "plain.html").write_text(re.sub(r"(?s)<script>.*?</script>", "", text))
    tab.look(1280, 900)
    tab.open(tmp_path / "plain.html")
    tab.run(UNFOLD)
    shown = tab.run(BARS)
    assert len(shown) > 50
    assert len({style for style, *_ in shown}) > 20
    for style, length, width, content in shown:
        assert style == f"--bar:{length:g}%"
        assert (width, content) == (64, '""')


def test_bars_follow_their_rows(tab: Browser, tmp_path: Path) -> None:
    figures = _written(DATA / "osi", tmp_path / "report.html")
    tab.look(1280, 900)
    _opened(tab, tmp_path / "report.html", figures)
    before, after, bars = tab.run(SORTED)
    assert before != after
    assert sorted(before) == sorted(after)
    assert bars == sorted(bars)
    assert bars[-1] == 100
