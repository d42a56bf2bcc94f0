# SPDX-License-Identifier: Apache-2.0
"""Documentation is as short as decision 28 says, and each page begins with something to run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents.blocks import WIDTH, documents
from documents.runs import ROOT

LIMIT = 40_000
README_LIMIT = 600
TUTORIAL_LIMIT = 700
DECISION_LIMIT = 300
SCREEN = 25
NOTHING_TO_RUN = {"decisions", "explanation", "formats", "reference"}
TUTORIALS = sorted((ROOT / "docs/tutorials").glob("*.md"))
DECISIONS = sorted((ROOT / "docs/decisions").glob("*.md"))
PAGES = [path for path in documents() if path.parent.name not in NOTHING_TO_RUN]
RUN = re.compile(
    r"^(?:    |\$ )?(?:[A-Z_]+=\S+ )*(?:sudo )?(?:make|pip|python|wirecost|\./\w+) \S"
    r"|^(?:    )?make \w+$|^```(?:python|yaml)$",
    re.MULTILINE,
)
"""A command in a block, or the start of a block that is a program."""
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.DOTALL | re.MULTILINE)


def words(*paths: Path) -> int:
    """Count words as ``wc -w`` does: also bars of tables and what stands in blocks."""
    return sum(len(path.read_text().split()) for path in paths)


def written() -> list[Path]:
    """Return every page that people write or that they read in the repository."""
    folders = ("docs", "examples", "python", "tests")
    return [*ROOT.glob("*.md"), *(path for name in folders for path in (ROOT / name).rglob("*.md"))]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_all_of_it() -> None:
    assert words(*written()) <= LIMIT


def test_the_first_page() -> None:
    visible = re.sub("<!--.*?-->", "", (ROOT / "README.md").read_text())
    assert len(visible.split()) <= README_LIMIT


@pytest.mark.parametrize("path", TUTORIALS, ids=shown)
def test_a_tutorial_takes_ten_minutes(path: Path) -> None:
    assert words(path) <= TUTORIAL_LIMIT


@pytest.mark.parametrize("path", DECISIONS, ids=shown)
def test_a_decision_has_a_page(path: Path) -> None:
    assert words(path) <= DECISION_LIMIT


@pytest.mark.parametrize("path", PAGES, ids=shown)
def test_a_page_begins_with_what_to_run(path: Path) -> None:
    first = "\n".join(path.read_text().splitlines()[:SCREEN])
    assert RUN.search(first)


def test_outputs_of_commands_are_as_wide_as_a_terminal() -> None:
    consoles = (block for path in PAGES for block in CONSOLE.findall(path.read_text()))
    lines = [line for block in consoles for line in block.splitlines()]
    assert len(lines) > 100
    assert [line for line in lines if len(line) > WIDTH and not line.startswith("$ ")] == []


def test_prose_alone_is_nothing_to_run() -> None:
    assert not RUN.search("# Page\n\nRun `wirecost doctor`, which\nwirecosts nothing.\n")
    assert RUN.search("# Page\n\n    wirecost doctor --noise 10\n")
