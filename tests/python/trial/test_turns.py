# SPDX-License-Identifier: Apache-2.0
"""A remedy that breaks the program takes nothing of the others along."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.observe.trial.remedy import PLAIN, Change
from wirecost.observe.trial.turns import Turn, take
from wirecost.results.records.new_folder import new_folder
from wirecost.results.records.remedy_trial import TRIAL, begin_trial, kept_where_it_fails
from wirecost.system.errors import UserError

PLAN: list[Turn] = [
    (name, Change(), number) for number in (1, 2, 3) for name in (PLAIN, "good", "bad")
]


def test_a_remedy_that_fails_has_no_further_turns(snapshot: SnapshotAssertion) -> None:
    turns_taken: list[tuple[str, int]] = []

    def one(name: str, _: Change, number: int) -> None:
        turns_taken.append((name, number))
        if name == "bad" and number == 2:
            raise UserError("ended with status 139")

    assert take(PLAN, lambda *_: None, one) == snapshot
    assert [number for name, number in turns_taken if name == "bad"] == [1, 2]
    assert [number for name, number in turns_taken if name == "good"] == [1, 2, 3]


def test_without_the_program_as_it_is_there_is_nothing_to_compare() -> None:
    def one(name: str, _: Change, number: int) -> None:
        raise UserError(f"{name} {number}")

    with pytest.raises(UserError, match="as it is 1"):
        take(PLAN, lambda *_: None, one)


def test_what_failed_is_kept_with_its_runs(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with (
        pytest.raises(UserError, match=f"ended early; its runs are in {out}"),
        new_folder("try", out) as pending,
    ):
        begin_trial(pending.path)
        (pending.path / "runs" / "as-it-is-1").mkdir(parents=True)
        (pending.path / "runs" / "as-it-is-1" / "printed").write_text("why")
        with kept_where_it_fails(pending):
            raise UserError("ended early")
    assert (out / "runs" / "as-it-is-1" / "printed").read_text() == "why"


def test_where_nothing_ran_nothing_is_kept(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match=r"^no function matches$"),
        new_folder("try", tmp_path / "out") as pending,
    ):
        begin_trial(pending.path)
        with kept_where_it_fails(pending):
            raise UserError("no function matches")
    assert list(tmp_path.iterdir()) == []


def test_what_had_run_when_the_disk_was_full_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    full = OSError(errno.ENOSPC, "No space left on device", "samples.parquet")
    with (
        pytest.raises(UserError, match=f"^samples.parquet: .*; make room; its runs are in {out}$"),
        new_folder("try", out) as pending,
    ):
        (pending.path / "runs").mkdir()
        (pending.path / "runs" / "printed").write_text("")
        with kept_where_it_fails(pending):
            raise full
    assert (out / "runs" / "printed").is_file()


def test_what_a_killed_trial_had_done_is_kept(tmp_path: Path) -> None:
    partial = tmp_path / ".old.partial"
    (partial / "runs").mkdir(parents=True)
    begin_trial(partial)
    (tmp_path / ".old.partial.lock").write_text("")
    with new_folder("try", tmp_path / "new") as pending:
        assert pending.recovered == [tmp_path / "old"]
    assert (tmp_path / "old" / TRIAL).exists() and (tmp_path / "old" / "runs").is_dir()
