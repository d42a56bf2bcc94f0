# SPDX-License-Identifier: Apache-2.0
"""Output of every kept result folder, of old versions as well."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.result_folders import DATA, NAMES
from wirecost.cli import app


@pytest.mark.parametrize("name", NAMES)
def test_its_tables(
    name: str, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(DATA)
    monkeypatch.setenv("COLUMNS", "160")
    done = CliRunner().invoke(app, ["report", name, "--tables"])
    assert done.exception is None, done.output
    assert done.output == snapshot
