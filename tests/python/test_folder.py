# SPDX-License-Identifier: Apache-2.0
"""Result folders: whole or not there, and refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from wirecost.errors import UserError
from wirecost.records.folder import SCHEMA, new_folder, read_results, write_results


def test_a_folder_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "result"
    with pytest.raises(RuntimeError), new_folder("osi", out) as pending:
        (pending.path / "half").write_text("written")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []
    with new_folder("osi", out) as pending:
        write_results(pending.path, {"scenario": "osi"}, pl.DataFrame({"ns": [1]}))
    assert pl.read_parquet(out / "samples.parquet")["ns"].to_list() == [1]
    assert [path.name for path in tmp_path.iterdir()] == ["result"]


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(UserError, match="not empty"), new_folder("osi", tmp_path):
        pass
    assert (tmp_path / "mine").read_text() == "precious"


def test_an_unwritable_place_is_named() -> None:
    with pytest.raises(UserError, match="writable --out"), new_folder("osi", Path("/proc/nowhere")):
        pass


def test_a_newer_schema_is_refused_and_a_damaged_one_too(tmp_path: Path) -> None:
    head = {"schema": SCHEMA + 1, "scenario": "lists"}
    (tmp_path / "meta.json").write_text(json.dumps(head))
    with pytest.raises(UserError, match="install a newer wirecost"):
        read_results(tmp_path)
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(UserError, match="truncated; measure again"):
        read_results(tmp_path)
    (tmp_path / "meta.json").unlink()
    with pytest.raises(UserError, match=r"not a result folder .*; name one that was measured"):
        read_results(tmp_path)
