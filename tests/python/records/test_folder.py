# SPDX-License-Identifier: Apache-2.0
"""Result folders are refused with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.results.records import json_document
from wirecost.results.records.folder import SCHEMA
from wirecost.results.records.reading import read_results
from wirecost.system.errors import UserError


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


def test_a_list_of_numbers_is_on_one_line(snapshot: SnapshotAssertion) -> None:
    document = {
        "a": [1, -2.5, None, 1e30], "b": [[1, 2, None], [3]], "c": ["[\n 1\n]", []], "d": "1,\n 2"
    }  # fmt: skip
    written = json_document.text(document)
    assert json.loads(written) == document
    assert written == snapshot
