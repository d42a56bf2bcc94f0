# SPDX-License-Identifier: Apache-2.0
"""Reports in a browser: usable by everyone, on a phone, whatever names hold."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.axe import needs_axe, serious_faults
from support.chromium import Browser, browser
from support.hostile_results import PAYLOADS, hostile_folder
from support.result_folders import DATA
from wirecost.analysis.summary import summarize
from wirecost.records.reading import read_results
from wirecost.report.results.page import page
from wirecost.report.scenarios import figures_of

SCENARIOS = [
    "classes", "cloud", "cloud-rings", "heap", "lists", "map", "message", "notification", "osi",
    "probe", "replay", "tensor", "tensor-requests", "transport",
]  # fmt: skip
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
    """The number of its figures."""
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
