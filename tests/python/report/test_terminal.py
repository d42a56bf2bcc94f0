# SPDX-License-Identifier: Apache-2.0
"""What is printed is printed as it is: names come from programs and files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

from support.result_folders import copied, edit_meta, edit_samples
from wirecost.analysis.summary import summarize
from wirecost.cli import app
from wirecost.records.reading import read_results
from wirecost.report.results.printed import print_results
from wirecost.report.shared.table import Table
from wirecost.report.shared.terminal import print_table

ODD = "[/x] [red]a\x1b[31m\nb"
SHOWN = r"[/x] [red]a\x1b[31m\nb"


def test_tables_are_literal() -> None:
    out = io.StringIO()
    table = Table(ODD, [ODD, "n"], [[ODD, ODD]], [ODD])
    print_table(Console(file=out, width=200), table)
    assert out.getvalue().count(SHOWN) == 5
    assert "\x1b" not in out.getvalue()


def test_a_long_name_takes_two_lines_and_no_number_is_cut() -> None:
    out = io.StringIO()
    name = "flatbuffers-current-table-verified"
    table = Table("title", ["contender", "total"], [[name, "12.3 ms"]], [])
    print_table(Console(file=out, width=30), table)
    lines = out.getvalue().splitlines()
    (first,) = [i for i, line in enumerate(lines) if "12.3 ms" in line]
    assert lines[first].removesuffix("12.3 ms").strip() + lines[first + 1].strip() == name


def test_a_sentence_has_lines_of_its_own_above_its_numbers() -> None:
    out = io.StringIO()
    long = "send `a.long.path` and 12 more when it changes, not with every message"
    names = ["short", long, "wirecost-columns", "zstd"]
    body = [[name, "all peers must change", f"{n} kB"] for n, name in enumerate(names)]
    print_table(Console(file=out, width=40), Table("title", ["change", "who", "bytes"], body, []))
    assert out.getvalue().splitlines()[1:-1] == [
        "change                   who bytes",
        "──────────────────────────────────",
        "short  all peers must change  0 kB",
        "send `a.long.path` and 12 more when it",
        "changes, not with every message",
        "       all peers must change  1 kB",
        "wirecost-columns",
        "       all peers must change  2 kB",
        "zstd   all peers must change  3 kB",
    ]


def test_a_heading_takes_two_lines_before_a_name_does() -> None:
    out = io.StringIO()
    table = Table("title", ["contender", "beside best Protobuf"], [["columns", "12× faster"]], [])
    print_table(Console(file=out, width=20), table)
    assert [line.split() for line in out.getvalue().splitlines()[1:6]] == [
        ["beside"],
        ["best"],
        ["contender", "Protobuf"],
        ["─" * 20],
        ["columns", "12×", "faster"],
    ]


def test_a_list_takes_several_lines_before_a_name_does() -> None:
    table = Table("title", ["contender", "went wrong"], [["a b", "2 lost; 3 twice"]], [])
    for width, lines in ((25, [["a", "b", "2", "lost;", "3", "twice"]]),
                         (20, [["a", "b", "2", "lost;"], ["3", "twice"]])):  # fmt: skip
        out = io.StringIO()
        print_table(Console(file=out, width=width), table)
        printed = [line.split() for line in out.getvalue().splitlines()]
        assert all(line in printed for line in lines), out.getvalue()


def test_a_run_s_names_are_printed(tmp_path: Path) -> None:
    folder = copied("lists", tmp_path / "folder")
    edit_samples(folder, lambda table: table.with_columns(case=table["case"] + ODD))

    def renamed(document: dict[str, list[dict[str, object]]]) -> None:
        for run in document["runs"]:
            run["case"] = f"{run['case']}{ODD}"

    edit_meta(folder, renamed)
    results = read_results(folder)
    out = io.StringIO()
    print_results(Console(file=out, width=400), results, summarize(results))
    assert SHOWN in out.getvalue()
    assert "\x1b" not in out.getvalue()


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
