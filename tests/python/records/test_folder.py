# SPDX-License-Identifier: Apache-2.0
"""Result folders are refused with a reason."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.summary import document
from wirecost.results.records import json_document
from wirecost.results.records.folder import SCHEMA
from wirecost.results.records.reading import read_results
from wirecost.system.errors import UserError

RESULTS = Path(__file__).parents[2] / "data/results"


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


def test_a_json_file_stands_for_the_folder_that_it_names(tmp_path: Path) -> None:
    folder = tmp_path / "kept" / "drive"
    shutil.copytree(RESULTS / "lists", folder)
    samples = read_results(folder).samples
    written = tmp_path / "drive.json"
    written.write_text(json.dumps(document(read_results(folder), [])))
    assert read_results(written).samples.equals(samples)
    folder.rename(tmp_path / "drive")
    assert read_results(written).samples.equals(samples)
    shutil.rmtree(tmp_path / "drive")
    for named in (str(folder), "/" + "x" * 5000, "a\0b", "\x1b[2J"):
        written.write_text(json.dumps({"folder": named}))
        with pytest.raises(UserError, match=r"drive.json: its samples were in .*, which is not"):
            read_results(written)
    with written.open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UserError, match=r"drive.json: larger .*; name a result folder"):
        read_results(written)


def test_a_list_of_numbers_is_on_one_line(snapshot: SnapshotAssertion) -> None:
    document = {
        "a": [1, -2.5, None, 1e30], "b": [[1, 2, None], [3]], "c": ["[\n 1\n]", []], "d": "1,\n 2"
    }  # fmt: skip
    written = json_document.text(document)
    assert json.loads(written) == document
    assert written == snapshot
