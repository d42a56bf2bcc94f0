# SPDX-License-Identifier: Apache-2.0
"""``bench osi --table1`` and ``--builds debug``: what takes minutes, at tiny sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wirecost.cli import app
from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.measure.bench.osi import cases, content
from wirecost.measure.bench.osi.cases import OsiWork
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.content import TABLE1

SMALLER = 1000


def test_table_1_is_measured_row_by_row_and_shown_beside_the_reports(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = cases.table1_cases

    def smaller(*arguments: Any) -> tuple[OsiWork, ...]:
        """Debug FMUs take minutes to build, and the next test has some."""
        works = [work for work in whole(*arguments) if work.build == "release"]
        return tuple(replace(work, reflections=work.reflections // SMALLER) for work in works)

    monkeypatch.setattr(cases, "table1_cases", smaller)
    rows = tuple(replace(row, reflections=row.reflections // SMALLER) for row in TABLE1)
    monkeypatch.setattr(content, "TABLE1", rows)
    out = tmp_path / "r"
    options = ["--steps", "1", "--processes", "1", "--variant", "published", "--out", str(out)]
    done = CliRunner().invoke(app, ["bench", "osi", "--table1", *options])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["report", str(out), "--format", "md"])
    assert done.exit_code == 0, done.output
    text = (out / "report.md").read_text()
    table = text.partition("Table 1 of the report and this machine · published")[2]
    rows_and_more = dropwhile(lambda line: "|" not in line, table.splitlines())
    lines = [line.split("|") for line in takewhile(lambda line: "|" in line, rows_and_more)]
    here = {cells[1].strip(): cells[3].strip() for cells in lines}
    assert {row.subject for row in TABLE1} <= here.keys()
    unmeasured = {row.subject for row in TABLE1 if here[row.subject] == "–"}
    assert unmeasured == {"debug build"}


def test_a_debug_build_is_measured_beside_the_release(
    bench: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    """Only one contender's debug FMUs need no library built before."""
    registry = Registry()
    if not Path(registry.manifest["build_directory"] or INSTALLED / "none").is_dir():
        pytest.skip("debug FMUs can be built in a checkout only")
    registry.make("debug", ["arrays"])  # those that are there may be of older sources
    options = ("--contenders", "arrays", "--reflections", "36", "--steps", "2")
    document = bench(tmp_path / "r", *options, "--builds", "release,debug")
    assert document["failures"] == []
    digests = {row["build"]: row["digest"] for row in document["rows"] if row["stage"] == "source"}
    assert digests.keys() == {"release", "debug"}
    assert digests["release"] == digests["debug"]
    assert registry.missing("debug", ["arrays"]) == []
