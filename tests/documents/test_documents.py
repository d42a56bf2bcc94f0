# SPDX-License-Identifier: Apache-2.0
"""Every table that a document shows of a run is that of the rows kept of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from documents.blocks import BLOCK, RESULTS, ROOT, documents, written


@pytest.mark.parametrize("path", documents(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_blocks_follow_from_the_rows(path: Path) -> None:
    text = path.read_text()
    assert written(text) == text


def test_every_run_that_is_kept_is_shown_and_says_where_it_was_made() -> None:
    shown = {found["run"] for path in documents() for found in BLOCK.finditer(path.read_text())}
    kept = {path.stem for path in RESULTS.glob("*.csv")}
    assert kept == shown == {path.stem for path in RESULTS.glob("*.json")}


def test_a_table_that_was_changed_is_noticed() -> None:
    found = next(BLOCK.finditer((ROOT / "README.md").read_text()))
    changed = found[0].replace("ms", "s", 1)
    assert changed != found[0]
    assert written(changed) == found[0]
