# SPDX-License-Identifier: Apache-2.0
"""The documentation site builds without a warning and needs nothing outside itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from documents.runs import ROOT
from support.axe import needs_axe, serious_faults
from support.chromium import Browser, browser

PAGES = [
    "index.html",  # prose and tables of a terminal
    "reference/commands/bench.html",  # lists of options
    "reference/generated-code.html",  # code
    "reference/python/wirecost.html",
    "results/osi.html",
    "source/tests/cheats/index.html",
]
"""One of each type."""
SEARCH = """new Promise(resolve => {
    const field = document.querySelector("[data-md-component=search-query]");
    field.focus();
    field.value = "PHRASE";
    field.dispatchEvent(new Event("input", {bubbles: true}));
    field.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
    const look = setInterval(() => {
        const first = document.querySelector(".md-search-result__item a");
        if (first) { clearInterval(look); resolve(first.getAttribute("href")); }
    }, 50);
})"""
LOADED = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site with warnings as errors: dead links and anchors, pages that no menu lists."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "--strict", "-d", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 50
    for page in pages:
        for script, style in LOADED.findall(page.read_text()):
            assert not re.match("(https?:)?//", script or style), f"{page}: {script or style}"


def test_the_foot_of_a_page_says_which_version_it_describes(site: Path) -> None:
    assert re.search(r"wirecost 0\.\d+\.\d+, commit", (site / "index.html").read_text())


@pytest.mark.parametrize("page", ["index.html", "decisions/index.html", "source/SECURITY.md.html"])
def test_a_page_that_no_file_in_docs_has_is_there(site: Path, page: str) -> None:
    assert "<h1" in (site / page).read_text()


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with browser(tmp_path_factory.mktemp("chromium")) as one:
        yield one


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (420, "dark")])
def test_pages_are_accessible_and_fit_the_screen(
    site: Path, tab: Browser, width: int, scheme: str
) -> None:
    needs_axe()
    tab.look(width, 900, scheme)
    tab.open(site / PAGES[0])
    tab.run("localStorage.clear()")  # the choice of the scheme before
    for page in PAGES:
        tab.open(site / page)
        assert serious_faults(tab) == [], page
        assert tab.run("document.documentElement.scrollWidth") <= width, page
    assert tab.complaints == []


@pytest.mark.parametrize(
    ("phrase", "page"),
    [
        ("page fault", "heap.html"),
        ("memcpy", "tensor.html"),
        ("zero copy", "tensor.html"),
        ("PointCloud2", "convert-cloud.html"),
    ],
)
def test_the_search_needs_no_server(site: Path, tab: Browser, phrase: str, page: str) -> None:
    tab.look(1280, 900)
    tab.open(site / "index.html")
    assert page in tab.run(SEARCH.replace("PHRASE", phrase))
    assert tab.complaints == []
