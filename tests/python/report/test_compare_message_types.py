# SPDX-License-Identifier: Apache-2.0
"""An old and a new schema of one message side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.result_folders import copied, edit_meta, edit_samples
from wirecost.cli import app
from wirecost.results.analysis.compare.comparison import CompareSettings, compare
from wirecost.results.analysis.compare.message_types import aligned, are_other_messages
from wirecost.results.analysis.compare.runs import is_explanatory, read_run
from wirecost.results.report.compare.rows import headline

OLD, NEW = "rsb.protocol.Notification", "acme.Notification"


def of_new_type(to: Path) -> Path:
    """Return the same run, as if measured with a schema of another package."""
    copied("message", to)

    def rename(meta: dict[str, Any]) -> None:
        meta["type"] = NEW
        for run in meta["runs"]:
            run["case"] = run["case"].replace(OLD, NEW)
            run["message_bytes"] *= 2

    edit_meta(to, rename)
    edit_samples(
        to,
        lambda samples: samples.with_columns(
            pl.col(name).cast(pl.String).str.replace(OLD, NEW, literal=True)
            for name in samples.columns
            if name == "case"
        ),
    )
    return to


def test_rows_of_two_types_are_compared_by_contender_and_stage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    snapshot: SnapshotAssertion,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    copied("message", tmp_path / "a")
    of_new_type(tmp_path / "b")
    done = CliRunner().invoke(app, ["compare", "a", "b", "--json", "c"])
    assert done.exit_code == 0, done.output
    assert done.output == snapshot
    assert OLD not in json.dumps(json.loads((tmp_path / "c").read_text())["rows"])


def test_cases_of_two_types_have_one_name(tmp_path: Path) -> None:
    run = read_run(copied("message", tmp_path / "a"))
    other = read_run(of_new_type(tmp_path / "b"))
    assert not are_other_messages(run, run) and are_other_messages(run, other)
    old, new = aligned(run, other)
    cases = {"message", "message by field"}
    assert set(old.samples["case"]) == set(new.samples["case"]) == cases
    assert {run.case for run in new.meta.runs} == cases


def test_messages_without_a_field_fail_nothing_and_one_growth_is_one_regression(
    tmp_path: Path,
) -> None:
    a, b = read_run(copied("message", tmp_path / "a")), read_run(of_new_type(tmp_path / "b"))
    comparison = compare(a, b, CompareSettings(fail_above=0.05))
    grown = {change.row for change in comparison.plain if change.verdict == "larger"}
    assert {row for row in grown if is_explanatory(row, comparison.names)}
    assert not any(is_explanatory(change.row, comparison.names)
                   for change in comparison.regressions())  # fmt: skip
    assert len(comparison.regressions()) == 9
    assert headline(comparison) == "2 regressions above 5 %"
    one = compare(a, b, CompareSettings(fail_above=0.05, only=("protobuf without causes[]",)))
    assert {is_explanatory(change.row, one.names) for change in one.regressions()} == {True}
