# SPDX-License-Identifier: Apache-2.0
"""Reports in a browser: usable by everyone, on a phone, whatever names hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from analysis.test_campaign import filled, run
from support.axe import needs_axe, serious_faults
from support.chromium import Browser, browser
from support.hostile_results import PAYLOADS, hostile_folder
from support.result_folders import DATA
from wirecost.cli import app
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.scenarios import figures_of
from wirecost.results.report.shared.page import page

LTTNG = DATA.parent / "lttng"
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
LOOKS = [(1280, 800, "light"), (390, 844, "dark")]
PAPER = 718
"""Width of A4 in pixels, without its margins."""
UNFOLD = "document.querySelectorAll('details').forEach(one => { one.open = true; })"
DRAWN = """new Promise(resolve => {
    const look = setInterval(() => {
        if (document.querySelectorAll("svg.marks").length < COUNT) return;
        clearInterval(look);
        resolve(true);
    }, 20);
})"""
EMPTY = """[...document.querySelectorAll(".figure")].filter(figure => {
    const marks = [...figure.querySelectorAll(".role-mark:not(.mark-text):not(.mark-group)")];
    return !marks.some(mark => mark.querySelector("path, line"));
}).map(figure => figure.id)"""
"""Figures without a mark that is no text."""
CUT = """[...document.querySelectorAll("svg.marks")].flatMap(figure => {
    const room = figure.getBoundingClientRect();
    return [...figure.querySelectorAll("text")].filter(text => {
        const at = text.getBoundingClientRect();
        const isSeen = at.width && getComputedStyle(text).opacity !== "0";
        return isSeen && (at.left < room.left - 2 || at.right > room.right + 2);
    }).map(text => `${figure.parentElement.id}: ${text.textContent}`);
})"""
"""Titles, labels and legends that end beyond their figure."""
TOPS = """["h1", ".answer", "figure", "table"].map(kind => {
    const first = document.querySelector(kind);
    return first ? first.getBoundingClientRect().top : Infinity;
})"""
"""Where the heading, the answer, a figure and a table begin."""


def _written(folder: Path, to: Path) -> int:
    """Write the page and return the number of its figures."""
    results = read_results(folder)
    rows = summarize(results)
    figures = figures_of(results, rows)
    to.write_text(page(results_answer(results, rows, figures)))
    return len(figures)


def _opened(tab: Browser, written: Path, figures: int) -> None:
    tab.open(written)
    assert tab.run(DRAWN.replace("COUNT", str(figures)))
    tab.run(UNFOLD)


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as one:
        yield one


def _probes(to: Path) -> None:
    _command("probe", "show", LTTNG, "--deadline", "1ms", "--report", to)


def _comparison(to: Path) -> None:
    _command("compare", DATA / "osi", DATA / "osi", "--report", to)


def _campaign(to: Path) -> None:
    store = filled(to.parent / "store")
    for number in range(16):
        for host, others in (("x86", 2000), ("arm", 500)):
            run(store, number, host, {"a": 1000 + 400 * (number >= 8), "b": others}, "v1")
    _command("campaign", "show", to.parent / "store", "--report", to)


def _command(*words: str | Path) -> None:
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exception is None, done.output


OTHERS: dict[str, Callable[[Path], None]] = {
    "probes": _probes, "comparison": _comparison, "campaign": _campaign,
}  # fmt: skip


@pytest.fixture(params=[*SCENARIOS, *OTHERS])
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, int]:
    """Every kind of page, and the number of its figures."""
    page = tmp_path / "report.html"
    if request.param in OTHERS:
        OTHERS[request.param](page)
        return page, page.read_text().count('<div class="figure"')
    return page, _written(DATA / request.param, page)


def test_everyone_can_read_a_report(written: tuple[Path, int], tab: Browser) -> None:
    needs_axe()
    for width, height, scheme in LOOKS:
        tab.look(width, height, scheme)
        _opened(tab, *written)
        assert serious_faults(tab) == [], f"{width} {scheme}"
        assert tab.run("document.documentElement.scrollWidth") <= width
    assert tab.complaints == []


def test_figures_show_something_and_nothing_is_cut(written: tuple[Path, int], tab: Browser) -> None:
    for width, height, scheme in LOOKS:
        tab.look(width, height, scheme)
        _opened(tab, *written)
        assert tab.run(EMPTY) == []
        assert tab.run(CUT) == []


def test_the_first_screen_has_the_answer_and_a_figure(
    written: tuple[Path, int], tab: Browser
) -> None:
    for width, height, scheme in LOOKS:
        tab.look(width, height, scheme)
        _opened(tab, *written)
        heading, answer, figure, table = tab.run(TOPS)
        assert heading < answer < figure < min(table, 0.75 * height)


def test_a_page_fits_paper(written: tuple[Path, int], tab: Browser) -> None:
    tab.look(PAPER, 1000, media="print")
    _opened(tab, *written)
    assert tab.run("document.documentElement.scrollWidth") <= PAPER


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("name", ["notification", "lists", "transport"])
def test_hostile_names_leave_the_layout(
    name: str, payload: str, tab: Browser, tmp_path: Path
) -> None:
    folder = hostile_folder(name, tmp_path / "r", PAYLOADS[payload], rename=True)
    figures = _written(folder, tmp_path / "report.html")
    for width in (1280, 390):
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
