# SPDX-License-Identifier: Apache-2.0
"""Texts are printed as they are: names come from programs and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion
from typer.testing import CliRunner

from support.answers import all_of
from support.result_folders import copied, edit_meta, edit_samples
from support.snapshots import drawn
from wirecost.cli import app
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.reading import read_results
from wirecost.results.report.results.answer import results_answer
from wirecost.results.report.shared.table import Table

ODD = "[/x] [red]a\x1b[31m\nb"
SHOWN = r"[/x] [red]a\x1b[31m\nb"


def test_tables_are_literal() -> None:
    table = Table(ODD, [ODD, "n"], [[ODD, ODD]], [ODD])
    text = drawn(table, 200)
    assert text.count(SHOWN) == 5
    assert "\x1b" not in text


LONG = "send `a.long.path` and 12 more when it changes, not with every message"
CHANGES = [
    [name, "all peers must change", f"{number} kB"]
    for number, name in enumerate(["short", LONG, "wirecost-columns", "zstd"])
]
NARROW = {
    "a long name takes two lines, and no number is cut": (
        30, ["contender", "total"], [["flatbuffers-current-table-verified", "12.3 ms"]],
    ),
    "a sentence has lines of its own above its numbers": (40, ["change", "who", "bytes"], CHANGES),
    "a heading takes two lines before a name does": (
        20, ["contender", "beside best Protobuf"], [["columns", "12× faster"]],
    ),
    "a list fits": (25, ["contender", "losses"], [["a b", "2 lost; 3 twice"]]),
    "a list takes several lines before a name does": (
        20, ["contender", "losses"], [["a b", "2 lost; 3 twice"]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NARROW)
def test_narrow_tables(name: str, snapshot: SnapshotAssertion) -> None:
    width, headings, rows = NARROW[name]
    assert drawn(Table("title", headings, rows, []), width) == snapshot


def test_a_run_s_names_are_printed(tmp_path: Path) -> None:
    folder = copied("lists", tmp_path / "folder")
    edit_samples(folder, lambda table: table.with_columns(case=table["case"] + ODD))

    def renamed(document: dict[str, list[dict[str, object]]]) -> None:
        for run in document["runs"]:
            run["case"] = f"{run['case']}{ODD}"

    edit_meta(folder, renamed)
    results = read_results(folder)
    text = all_of(results_answer(results, summarize(results)), 400)
    assert SHOWN in text
    assert "\x1b" not in text


def test_a_log_s_models_are_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = Path(__file__).parents[2] / "data" / "logs" / "seconds_2022.json"
    document = json.loads(log.read_text())
    document["Data"][0]["Instance"]["ModelIdentity"] = ODD
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document))
    monkeypatch.setenv("COLUMNS", "200")
    done = CliRunner().invoke(app, ["log", str(path)])
    assert done.exception is None, done.exception
    assert SHOWN in done.output


def test_what_is_not_shown_is_not_explained() -> None:
    headings = ["what", "wire", "memory"]
    notes = ["wire: bytes", "wire, memory: both", "wire, air: more", "total: all"]
    table = Table("T", headings, [["x" * 20, "1", "2"]], notes, ("memory", "wire"))
    for width, remaining in ((80, 4), (28, 4), (21, 2)):
        assert sum(note in drawn(table, width) for note in notes) == remaining
