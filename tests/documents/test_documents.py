# SPDX-License-Identifier: Apache-2.0
"""Every table that a document shows of a run is that of the run that is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.blocks import BLOCK, documents, written
from documents.rows import read_rows
from documents.runs import RESULTS, ROOT, RUNS, read
from wirecost.report.scenarios.osi.content import overview
from wirecost.report.shared.races import race_title, races

KEPT = sorted(path.stem for path in RESULTS.glob("*.csv"))


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_blocks_follow_from_what_is_kept(path: Path) -> None:
    text = path.read_text()
    assert written(text) == text


def test_every_run_that_is_kept_is_shown_and_says_where_it_was_made() -> None:
    blocks = [found for path in documents() for found in BLOCK.finditer(path.read_text())]
    assert {found["run"] for found in blocks} == set(KEPT)
    assert {found["run"] for found in blocks if found["what"] == "origin"} == set(KEPT)
    assert sorted(path.stem for path in RESULTS.glob("*.json")) == KEPT


@pytest.mark.parametrize("name", KEPT)
def test_a_run_was_made_with_the_command_of_its_name(name: str) -> None:
    assert read(name).about["command"] == f"wirecost {' '.join(RUNS[name])}"


@pytest.mark.parametrize("name", [name for name in KEPT if name.startswith("osi")])
def test_tables_follow_from_the_rows(name: str) -> None:
    rows = read_rows(RESULTS / f"{name}.csv")
    kept = read(name)
    for race in races(rows):
        assert kept.table(race_title(race)) == overview(rows, race)


def test_a_table_that_was_changed_is_noticed() -> None:
    found = next(BLOCK.finditer((ROOT / "README.md").read_text()))
    changed = found[0].replace("ms", "s", 1)
    assert changed != found[0]
    assert written(changed) == found[0]


def test_a_table_that_is_not_there_is_named() -> None:
    kept = read(KEPT[0])
    assert kept.table(kept.tables[0].title) == kept.tables[0]
    with pytest.raises(KeyError, match="no such"):
        kept.table("no such")
