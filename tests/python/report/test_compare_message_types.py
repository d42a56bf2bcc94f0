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
from wirecost.results.analysis.compare.comparison import UNKNOWN_NOISE, CompareSettings, compare
from wirecost.results.analysis.compare.message_types import (
    aligned,
    are_other_messages,
    difference,
)
from wirecost.results.analysis.compare.runs import is_explanatory, read_run
from wirecost.results.records.schemas.message import ALL
from wirecost.results.report.compare import tables
from wirecost.results.report.compare.first import comparison_answer
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


def of_another_schema(to: Path) -> Path:
    """Return the same run as if of a schema with another field, whose rest is the same message."""
    copied("message", to)

    def with_a_field(meta: dict[str, Any]) -> None:
        meta["fields"].append({"path": "added", "own": 0, "all": 0})
        for run in meta["runs"]:
            if run["variant"] == ALL:
                run["message_bytes"] += 0.125
                run["message_digest"] = f"f{run['message_digest'][1:]}"

    edit_meta(to, with_a_field)
    return to


@pytest.mark.parametrize(
    ("limits", "status"),
    [("", 0), ("--fail-size-above 1%", 0), ("--fail-size-above 0%", 3),
     ("--fail-size-above 0.01%", 3)],
)  # fmt: skip
def test_an_explicit_limit_alone_decides_on_sizes(limits: str, status: int, tmp_path: Path) -> None:
    a, b = copied("message", tmp_path / "a"), of_another_schema(tmp_path / "b")
    words = ["compare", str(a), str(b), "--fail-above", "5%", *limits.split()]
    only = ["--only", "cpp protobuf new", "--json", str(tmp_path / "c.json")]
    assert CliRunner().invoke(app, [*words, *only]).exit_code == status
    (size,) = json.loads((tmp_path / "c.json").read_text())["numbers"]
    assert (size["b"] - size["a"], size["regression"]) == (0.125, status == 3)
    assert 0.0001 < size["change"] < 0.001


def test_another_field_makes_other_messages_though_the_rest_is_the_same(tmp_path: Path) -> None:
    a, b = read_run(copied("message", tmp_path / "a")), read_run(of_another_schema(tmp_path / "b"))
    assert are_other_messages(a, b)
    assert difference(a, b).startswith("Two schemas")
    alone, twice = (compare(a, b, CompareSettings(), again=again) for again in (None, a))
    assert UNKNOWN_NOISE in alone.notes and UNKNOWN_NOISE not in twice.notes
    assert not [text for text in tables.warnings(alone) if "contents" in text]


def test_few_chosen_rows_are_all_listed(tmp_path: Path) -> None:
    a, b = read_run(copied("message", tmp_path / "a")), read_run(of_another_schema(tmp_path / "b"))
    few = CompareSettings(fail_above=0.05, fail_size_above=0, only=("protobuf encode cpp",))
    answer = comparison_answer(compare(a, b, few))
    assert {row[0] for row in answer.table.rows} >= {"new", "reused"}
    assert answer.table.rows[0][-1] == "REGRESSION"
    assert not comparison_answer(compare(a, b, CompareSettings())).table.rows


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
    assert "1.03 kB → 2.07 kB, +100 % and 1 more size" in headline(comparison)
    one = compare(a, b, CompareSettings(fail_above=0.05, only=("protobuf without causes[]",)))
    assert {is_explanatory(change.row, one.names) for change in one.regressions()} == {True}
