# SPDX-License-Identifier: Apache-2.0
"""Every table that a document shows of a run is that of the run that is kept."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from documents import compiling, origins, prices, processes
from documents.blocks import BLOCK, CELL, documents, written
from documents.figures import FIGURES, drawn
from documents.rows import read_rows
from documents.runs import RESULTS, ROOT, RUNS, read
from wirecost.measure.bench.osi.content import overview, table1
from wirecost.results.report.shared.races import race_title, races

KEPT = sorted(path.stem for path in RESULTS.glob("*.csv"))


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_blocks_follow_from_what_is_kept(path: Path) -> None:
    text = path.read_text()
    assert written(text) == text


@pytest.mark.parametrize("name", FIGURES)
def test_figures_follow_from_what_is_kept(name: str) -> None:
    assert (RESULTS / f"{name}.svg").read_text() == drawn(name)


def test_the_page_of_fairness_has_the_table_of_processes() -> None:
    assert processes.table() in (ROOT / "docs" / "fairness.md").read_text()


def test_the_page_of_fairness_has_the_table_of_runs() -> None:
    assert origins.table() in (ROOT / "docs" / "fairness.md").read_text()


def test_every_run_that_is_kept_is_shown() -> None:
    texts = [path.read_text() for path in documents()]
    shown = {block["run"] for text in texts for block in BLOCK.finditer(text)}
    assert shown == set(KEPT)
    assert sorted(path.stem for path in RESULTS.glob("*.json")) == KEPT


@pytest.mark.parametrize("name", KEPT)
def test_a_run_was_made_with_the_command_of_its_name(name: str) -> None:
    if name == compiling.NAME:
        assert read(name).about["command"] == compiling.COMMAND
        return
    command = str(read(name).about["command"]).replace(
        "--mwares", "--middlewares"
    )  # its former name
    assert command == f"wirecost {' '.join(RUNS[name])}"


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith("osi")])
def test_tables_follow_from_the_rows(name: str) -> None:
    run = read(name)
    rows = read_rows(RESULTS / f"{name}.csv")
    if name == "osi-table1":
        assert run.tables == table1(rows)
        return
    for race in races(rows):
        # Bars are of pages alone; a document shows text.
        assert run.table(race_title(race)) == replace(overview(rows, race), bars=())


def test_the_table_of_compilers_follows_from_its_rows() -> None:
    rows = compiling.read(RESULTS / f"{compiling.NAME}.csv")
    assert read(compiling.NAME).tables == [compiling.table(rows)]
    ratios = compiling.ratios(rows)
    assert ratios.pop("holders") > 1  # where each program compiles the codecs
    assert max(ratios.values()) <= 1.3


@pytest.mark.parametrize(
    "path",
    [ROOT / "README.md", *sorted(RESULTS.glob("*.md"))],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_prose_has_no_measured_figures_of_its_own(path: Path) -> None:
    """They are cells of tables, which follow from runs; prose would not change with them."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    prose = re.sub(r"`[^`\n]+`", "", CELL.sub("", text))
    assert re.findall(r"\d[\d,.]*\s?(?:ns|µs|ms|×|times)(?!\w)", prose) == []


def test_a_table_that_was_changed_is_noticed() -> None:
    blocks = BLOCK.finditer((RESULTS / "osi.md").read_text())
    block = next(block for block in blocks if " ms " in block[0])
    changed = block[0].replace(" ms ", " s ", 1)
    assert changed != block[0]
    assert written(changed) == block[0]


def test_a_figure_in_a_sentence_that_was_changed_is_noticed() -> None:
    text = (ROOT / "README.md").read_text()
    changed, figures = CELL.subn("**0 ns**", text)
    assert figures >= 3
    assert changed != text
    assert written(changed) == text


def test_a_column_that_is_not_there_is_named() -> None:
    title = read("osi").tables[0].title
    with pytest.raises(KeyError, match="no such"):
        written(f"<!-- results/osi: columns no such | {title} -->\n```\n```\n")


def test_a_table_that_is_not_there_is_named() -> None:
    run = read(KEPT[0])
    assert run.table(run.tables[0].title) == run.tables[0]
    with pytest.raises(KeyError, match="no such"):
        run.table("no such")


def test_the_page_of_errors_follows_from_its_rows() -> None:
    assert prices.PAGE.read_text() == prices.page(prices.kept())
