# SPDX-License-Identifier: Apache-2.0
"""Samples on disk as they come: cut anywhere, what is whole is read; damaged, it is refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from syrupy.assertion import SnapshotAssertion

from support.journals import WHO, fill
from wirecost.results.records.finished import NothingMeasuredError, finish, read_journal
from wirecost.results.records.journal import NAME, Journal
from wirecost.system.errors import UserError


def test_rounds_become_samples(tmp_path: Path) -> None:
    journal = fill(tmp_path)
    run = journal.run({**WHO, "failure": None}, {**WHO, "contender": "late"})
    run.row(repetition=3, ns=1.0, minor_faults=None)  # of a round that was not ended
    journal.close()
    meta, samples = read_journal(tmp_path)
    assert samples["ns"].to_list() == [100, 100.5, 101]
    assert samples.schema["minor_faults"] == pl.Int64
    assert set(samples["contender"]) == {"a"}
    assert meta["scenario"] == "heap" and meta["not_run"] == {"b": "absent"}
    assert [entry["contender"] for entry in meta["runs"]] == ["a", "a"]


def test_who_failed_has_no_samples_and_who_took_no_part_no_run(tmp_path: Path) -> None:
    journal = fill(tmp_path)
    for failure in ("it lied", None):
        run = journal.run({**WHO, "failure": None}, {**WHO, "contender": "b"})
        run.row(repetition=0, ns=1.0)
        journal.flush()
        run.about(failure and {**WHO, "contender": "b", "failure": failure})
    journal.close()
    meta, samples = read_journal(tmp_path)
    assert set(samples["contender"]) == {"a"}
    assert [entry["failure"] for entry in meta["runs"]] == [None, "it lied"]


def test_a_journal_cut_anywhere_is_read_up_to_there(tmp_path: Path) -> None:
    fill(tmp_path / "whole", 5).close()
    content = (tmp_path / "whole" / NAME).read_bytes()
    counts = set()
    for size in range(len(content)):
        folder = tmp_path / "cut"
        folder.mkdir(exist_ok=True)
        (folder / NAME).write_bytes(content[:size])
        try:
            counts.add(len(read_journal(folder)[1]))
        except NothingMeasuredError:
            counts.add(0)
    assert counts == set(range(5))


DAMAGE = {
    "another version": '{"journal": 2}\n',
    "no version": '{"meta": {}}\n',
    "no object": '{"journal": 1}\n[]\n',
    "no JSON": '{"journal": 1}\n{"meta"\n{}\n',
    "a run that is not there": '{"journal": 1}\n{"run": 7, "rows": {"ns": [1]}}\n',
    "a run counted from the end": '{"journal": 1}\n{"run": -1, "about": {}, "columns": {}}\n',
    "logs elsewhere": '{"journal": 1}\n{"run": 0, "about": {}, "columns": {}, "logs": "../x"}\n',
    "logs of the system": '{"journal": 1}\n{"run": 0, "about": {}, "columns": {}, "logs": "/x"}\n',
    "a column of text": '{"run": 0, "rows": {"ns": "abc", "x": [1]}}',
    "columns that differ in length": '{"run": 0, "rows": {"ns": [1], "x": [1, 2]}}',
    "an unknown type": '{"meta": {"types": {"ns": "Object"}}}',
    "a number of words": '{"run": 0, "rows": {"ns": [[1], {"a": 2}]}}',
    "an endless step": '{"run": 0, "steps": [Infinity, [1]]}',
    "an endless process": '{"run": 0, "process": Infinity, "steps": [0, [1]]}',
    "deep nesting": '{"meta": {"a": ' + "[" * 100_000 + "]" * 100_000 + "}}",
}


@pytest.mark.parametrize("lines", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_journal_is_refused_in_one_line(tmp_path: Path, lines: str) -> None:
    if not lines.startswith('{"journal"'):
        run = json.dumps({"run": 0, "about": {**WHO, "failure": None}, "columns": WHO})
        lines = f'{{"journal": 1}}\n{run}\n{lines}\n'
    (tmp_path / NAME).write_text(lines)
    with pytest.raises(UserError) as caught:
        read_journal(tmp_path)
    assert str(caught.value).count("\n") == 0 and str(tmp_path) in str(caught.value)


def test_nothing_measured_says_why(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    journal = Journal(tmp_path)
    journal.about(scenario="heap", not_run={"b": "not installed"})
    journal.run({**WHO, "failure": "its message is wrong"}, WHO)
    journal.close()
    with pytest.raises(NothingMeasuredError) as caught:
        finish(tmp_path, False)
    assert str(caught.value) == snapshot


FULL = """
import resource, sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from support.journals import fill
from wirecost.results.records.finished import finish
folder = Path({folder!r})
journal = fill(folder)
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, resource.RLIM_INFINITY))
try:
    for _ in range(10_000):
        journal.about(padding="x" * 100)
except OSError as error:
    print(error.strerror, error.filename)
journal.about(padding="more")
resource.setrlimit(resource.RLIMIT_FSIZE, ({limit} if {still} else resource.RLIM_INFINITY,) * 2)
try:
    finish(folder, "full")
except OSError as error:
    print(error.strerror)
"""


@pytest.mark.parametrize("still", [False, True])
def test_a_full_disk_leaves_what_was_written_before(tmp_path: Path, still: bool) -> None:
    """A limit of the process stands for the disk: the same calls fail at the same places."""
    folder = tmp_path / "r"
    code = FULL.format(
        tests=str(Path(__file__).parents[1]), folder=str(folder), limit=1500, still=still
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    reported = [f"File too large {folder / NAME}"] + still * ["File too large"]
    assert done.stdout.splitlines() == reported
    if still:
        assert [path.name for path in folder.iterdir()] == [NAME]
        assert len(read_journal(folder)[1]) == 3
    else:
        assert sorted(path.name for path in folder.iterdir()) == ["meta.json", "samples.parquet"]
        meta = json.loads((folder / "meta.json").read_text())
        assert meta["interrupted"] == "full"
        assert pl.read_parquet(folder / "samples.parquet")["ns"].to_list() == [100, 100.5, 101]
