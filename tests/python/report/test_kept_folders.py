# SPDX-License-Identifier: Apache-2.0
"""Output of every kept result folder, of old versions as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.result_folders import DATA, NAMES, copied
from wirecost.cli import app
from wirecost.system.errors import UserError


@pytest.mark.parametrize("name", NAMES)
def test_its_tables(
    name: str, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.chdir(DATA)
    monkeypatch.setenv("COLUMNS", "160")
    done = CliRunner().invoke(app, ["report", name, "--tables"])
    assert done.exception is None, done.output
    assert done.output == snapshot


def test_a_table_is_printed_by_words_of_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(DATA)
    one = CliRunner().invoke(app, ["report", "message", "--tables", "by", "FIELD"])
    assert one.output.startswith("Where it goes, by field")
    every = CliRunner().invoke(app, ["report", "message", "--tables"]).output
    assert CliRunner().invoke(app, ["report", "message", "--tables", "all"]).output == every
    absent = CliRunner().invoke(app, ["report", "message", "--tables", "colour"]).exception
    assert isinstance(absent, UserError)
    assert "there are: " in str(absent) and "Where it goes, by field" in str(absent)
    alone = CliRunner().invoke(app, ["report", "message", "field"]).exception
    assert isinstance(alone, UserError) and "--tables" in str(alone)


def test_without_a_folder_the_table_is_of_the_latest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    copied("message", tmp_path / "results" / "one")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["report", "--tables", "field"])
    assert done.output.startswith("Where it goes, by field")
