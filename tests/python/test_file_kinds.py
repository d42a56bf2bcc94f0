# SPDX-License-Identifier: Apache-2.0
"""A file is answered by the command that reads it, or refused with that command's name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from support import result_folders
from support.probe_logs import header, record
from support.sensor_views import sensor_view
from wirecost.cli import app
from wirecost.data.recordings.recording import Recording
from wirecost.data.traces import create_trace, open_trace
from wirecost.results.records.folder import META
from wirecost.results.records.journal import NAME as JOURNAL
from wirecost.results.records.remedy_trial import TRIAL
from wirecost.schema.compile import frontends
from wirecost.system.errors import UserError
from wirecost.system.file_kinds import KINDS, answering_command, kind_of, reading_command

SUFFIX_KINDS = [suffix for kind in KINDS for suffix in kind.suffixes]
PATTERNS = [pattern for kind in KINDS for pattern in kind.patterns]


@pytest.mark.parametrize("suffix", SUFFIX_KINDS)
def test_a_file_that_is_no_schema(suffix: str, tmp_path: Path):
    path = tmp_path / f"a b{suffix}"
    path.write_text("x")
    with pytest.raises(UserError, match=f"no schema; `wirecost .*'{path}'.*` reads it"):
        frontends.load([str(path)])


@pytest.mark.parametrize("pattern", PATTERNS)
def test_folders(pattern: str, tmp_path: Path):
    path = tmp_path / pattern.replace("**", "a/b").replace("*", "log")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    kind = next(kind for kind in KINDS if pattern in kind.patterns)
    assert kind_of(tmp_path) == kind
    assert reading_command(tmp_path) == (f"`wirecost {kind.commands[0].format(tmp_path)}` reads it")


def test_others(tmp_path: Path):
    assert kind_of(tmp_path) is kind_of(tmp_path / "a.txt") is None
    assert reading_command(tmp_path) == reading_command(tmp_path / "a.txt") == ""
    assert answering_command(tmp_path / "a.proto") == answering_command(tmp_path / "a.pcd") == []


def test_the_table_knows_each_kind_of_results():
    assert {META, JOURNAL, TRIAL} <= set(PATTERNS)


def test_commands_that_read_another_kind_name_it(tmp_path: Path):
    path = tmp_path / "scan.pcd"
    path.write_text("x")
    for reader in (Recording, open_trace):
        with pytest.raises(UserError, match=r"; `wirecost bench codecs .*` reads it"):
            reader(path)


def _trace(path: Path) -> Path:
    with create_trace(path, "SensorView") as trace:
        trace.write(0, sensor_view(0))
        trace.write(10**9, sensor_view(1))
    return path


def _logs(folder: Path) -> Path:
    log = header(names=[(1, "section")]) + record(1, 100, 150) + record(2, 200, 250)
    (folder / "a.wprobe").write_bytes(log)
    return folder


def _results(folder: Path) -> Path:
    result_folders.copied("heap", folder / "result")
    return folder / "result"


@pytest.mark.parametrize(
    ("make", "command"),
    [
        (lambda folder: _trace(folder / "drive_sv.osi"), ["trace", "info"]),
        (lambda folder: _trace(folder / "A.MCAP"), ["cost"]),
        (_logs, ["probe", "show"]),
        (_results, ["results"]),
    ],
)
def test_a_dropped_file_is_answered_by_its_command(
    make: Callable[[Path], Path], command: list[str], tmp_path: Path
):
    path = str(make(tmp_path))
    dropped, named = (CliRunner().invoke(app, [*words, path]) for words in ([], command))
    assert dropped.exception is None, dropped.output
    assert (dropped.output, dropped.exit_code) == (named.output, 0)
    assert 3 < len(dropped.output.splitlines()) <= 24


@pytest.mark.parametrize("name", ["scan.pcd", "model.fmu", "cost.json", "campaign.toml"])
def test_a_dropped_file_that_no_command_answers_at_once(name: str, tmp_path: Path):
    path = tmp_path / name
    path.write_text("x")
    done = CliRunner().invoke(app, [str(path)])
    assert isinstance(done.exception, UserError)
    assert str(done.exception).endswith(f"error: no schema; {reading_command(path)}")
