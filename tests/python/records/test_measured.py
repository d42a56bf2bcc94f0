# SPDX-License-Identifier: Apache-2.0
"""Result folders are listed by time, whatever is in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from wirecost.cli import app
from wirecost.results.records.result_folders import latest, measured_in
from wirecost.results.report.shared.screen import SCREEN
from wirecost.system.errors import UserError

KEPT = Path(__file__).parents[2] / "data" / "results"


def _made(folder: Path, created: str, **more: object) -> Path:
    folder.mkdir()
    meta = {"scenario": "osi", "created": created, "command": ["wirecost"], "runs": [], **more}
    (folder / "meta.json").write_text(json.dumps(meta))
    return folder


def test_folders_of_all_versions_are_listed() -> None:
    folders = measured_in(KEPT)
    assert len(folders) == sum((path / "meta.json").is_file() for path in KEPT.iterdir())
    assert not [folder for folder in folders if folder.problem]
    assert {"osi", "tensor", "replay"} <= {folder.scenario for folder in folders}


def test_the_latest_is_last(tmp_path: Path) -> None:
    _made(tmp_path / "b", "2026-01-02T00:00:00+00:00")
    _made(tmp_path / "a", "2026-01-03T00:00:00+00:00")
    (tmp_path / "other").mkdir()
    assert [folder.folder.name for folder in measured_in(tmp_path)] == ["b", "a"]
    assert latest(tmp_path) == tmp_path / "a"


def test_damaged_folders_are_listed_with_the_reason_and_are_not_the_latest(tmp_path: Path) -> None:
    _made(tmp_path / "good", "2026-01-02T00:00:00+00:00", environment={"doctor": {"verdict": "ok"}})
    _made(tmp_path / "odd", "2026-01-03T00:00:00+00:00", command=3)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "meta.json").write_text('{"scenario": "os')
    by_name = {folder.folder.name: folder for folder in measured_in(tmp_path)}
    assert by_name["good"].verdict == "ok"
    assert by_name["odd"].problem.startswith("$.command: Expected `array`")
    assert by_name["cut"].problem
    assert latest(tmp_path).name == "good"


def test_what_a_terminal_would_obey_is_shown(tmp_path: Path) -> None:
    _made(tmp_path / "a", "2026-01-02T00:00:00+00:00", scenario="o\x1b[2J")
    assert measured_in(tmp_path)[0].scenario == r"o\x1b[2J"


@pytest.mark.parametrize("name", ["none", "empty"])
def test_where_nothing_is_the_error_says_what_to_do(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="measure with `wirecost bench`"):
        latest(tmp_path / name)


def test_a_folder_that_is_not_there_is_answered_with_a_command(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"`wirecost results \.` lists those in the current folder"):
        measured_in(tmp_path / "results")


def test_a_run_that_goes_on_is_not_listed(tmp_path: Path) -> None:
    (tmp_path / ".now.partial").mkdir()
    (tmp_path / ".now.partial" / "journal.jsonl").write_text("")
    assert measured_in(tmp_path) == []


def test_contenders_that_failed_count_once(tmp_path: Path) -> None:
    runs = [{"contender": "a", "failure": "no"}, {"contender": "a", "failure": "no"}]
    _made(tmp_path / "x", "2026-01-02T00:00:00+00:00", runs=[*runs, {"contender": "b"}])
    (folders,) = measured_in(tmp_path)
    assert (folders.contenders, folders.failed) == (2, 1)


def test_the_list_fits_one_screen_the_latest_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(1, 31):
        _made(tmp_path / f"of-{day:02}", f"2026-01-{day:02}T00:00:00+00:00")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def lines(*options: str) -> list[str]:
        return CliRunner().invoke(app, ["results", ".", *options]).output.splitlines()

    def listed(*options: str) -> list[str]:
        return [line.split()[0] for line in lines(*options) if line.startswith("of-")]

    assert len(lines()) <= SCREEN
    shown = listed()
    assert shown[:2] == ["of-30", "of-29"]
    assert f"… {30 - len(shown)} more rows" in "\n".join(lines())
    assert len(listed("--all")) == 30
    assert listed("--last", "2") == ["of-30", "of-29"]
