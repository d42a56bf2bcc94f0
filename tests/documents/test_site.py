# SPDX-License-Identifier: Apache-2.0
"""The documentation site builds without a warning and needs nothing outside itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from documents.runs import ROOT

LOADED = re.compile(r'<(?:script|img|iframe)\b[^>]*\bsrc="([^"]+)"|<link\b[^>]*\bhref="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built with warnings as errors: dead links and anchors, pages that no menu lists."""
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
    assert re.search(r"wirecost 0\.\d+\.\d+, commit [0-9a-f]{7}", (site / "index.html").read_text())


@pytest.mark.parametrize("page", ["index.html", "decisions/index.html", "source/SECURITY.md.html"])
def test_a_page_that_no_file_in_docs_has_is_there(site: Path, page: str) -> None:
    assert "<h1" in (site / page).read_text()
