# SPDX-License-Identifier: Apache-2.0
"""Result folders of every scenario and version are read; others are refused in one line."""

from __future__ import annotations

import csv
import json
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from support.result_folders import NAMES, copied, edit_meta, edit_samples
from wirecost.cli import app
from wirecost.results.records.json_document import text
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas import SCENARIOS
from wirecost.results.records.table_decoder import ANSWER, REFUSED, REQUEST, ROWS, TOO_LARGE
from wirecost.system.errors import UserError

Edit = Callable[[Path], None]


def refusal(*arguments: object) -> str:
    """Return the one line that a command ends with."""
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert isinstance(done.exception, UserError), (done.exception, done.output)
    reported = str(done.exception)
    assert reported.isprintable()
    assert "; " in reported, "no remedy"
    assert len(reported) < 1000
    return reported


def test_every_scenario_has_a_schema_and_a_folder_here() -> None:
    assert set(SCENARIOS) == {name.partition("-")[0] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_folders_of_every_scenario_and_version_are_reported_and_compared(
    name: str, tmp_path: Path
) -> None:
    folder = copied(name, tmp_path / "folder")
    done = CliRunner().invoke(app, ["report", str(folder), "--format", "html,md,csv"])
    assert done.exception is None, done.output
    assert all((folder / f"report.{form}").stat().st_size > 50 for form in ("html", "md", "csv"))
    done = CliRunner().invoke(app, ["compare", str(folder), str(folder)])
    assert done.exception is None, done.output
    assert "0 slower" in done.output


def _meta(*path: Any, value: Any) -> Edit:
    def change(document: dict[str, Any]) -> None:
        holder: Any = document
        for key in path[:-1]:
            holder = holder[key]
        if value is DELETED:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value

    return lambda folder: edit_meta(folder, change)


DELETED = object()


def _samples(**columns: Any) -> Edit:
    return lambda folder: edit_samples(folder, lambda table: table.with_columns(**columns))


def _text(change: Callable[[str], str]) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "meta.json"
        path.write_text(change(path.read_text()))

    return edit


def _bytes(file: str, content: bytes) -> Edit:
    return lambda folder: (folder / file).write_bytes(content) and None


DAMAGE: dict[str, tuple[Edit, str]] = {
    "a key is missing": (
        _meta("environment", value=DELETED),
        r"meta\.json: Object missing required field `environment`; measure again",
    ),
    "a run is of another type": (
        _meta("runs", 0, value=7),
        r"meta\.json: \$\.runs\[0\]: Expected `object`, got `int`",
    ),
    "a text is a number": (
        _meta("runs", 1, "case", value=1.5),
        r"meta\.json: \$\.runs\[1\]\.case: Expected `str`, got `float`",
    ),
    "a count is negative": (
        _meta("runs", 0, "elements", value=-1),
        r"\$\.runs\[0\]\.elements: Expected `int` >= 0",
    ),
    "the environment is nested": (
        _meta("environment", "cpu", value={"a": {"b": 1}}),
        r"\$\.environment\[\.\.\.\]\[\.\.\.\]",
    ),
    "a number is none": (
        _text(lambda text: text.replace('"seed": 1', '"seed": NaN')),
        r"meta\.json: JSON is malformed",
    ),
    "a number is infinite": (
        _text(lambda text: text.replace('"seed": 1', '"seed": 1e999')),
        r"meta\.json: \$\.seed: ",
    ),
    "it is cut": (_text(lambda text: text[:-30]), r"meta\.json: Input data was truncated"),
    "it is nested without end": (
        _text(lambda _: '{"schema":2,"scenario":"lists","x":' + "[" * 100_000),
        r"meta\.json: nested too deeply",
    ),
    "it is huge": (_text(lambda text: text + " " * (33 << 20)), r"larger than the 33,554,432 byte"),
    "it is empty": (_bytes("meta.json", b""), r"meta\.json: Input data was truncated"),
    "it is of a newer version": (_meta("schema", value=3), "reads up to 2; install a newer"),
    "its version is none": (_meta("schema", value=0), "has schema 0, which never was"),
    "its scenario is no name": (_meta("scenario", value=["lists"]), r"\$\.scenario: Expected `str"),
    "samples are gone": (
        lambda folder: (folder / "samples.parquet").unlink(),
        r"samples\.parquet: No such file or directory; measure again",
    ),
    "samples are none": (
        _bytes("samples.parquet", b"PAR1 no more"),
        r"samples\.parquet: cannot be read \(.*\); measure again",
    ),
    "a column is missing": (
        lambda folder: edit_samples(folder, lambda table: table.drop("ns")),
        r"samples\.parquet: has no column ns; measure again",
    ),
    "a column is of another type": (
        _samples(ns=pl.lit("long")),
        r"column ns is String, not numbers; measure again",
    ),
    "a column is a list": (_samples(bytes=pl.lit([1])), r"column bytes is List\(.*\), not numbers"),
    "a column has nulls": (
        _samples(case=pl.when(pl.int_range(pl.len()) > 0).then("case")),
        r"column case lacks 1 of its values",
    ),
    "a time is none": (_samples(ns=pl.lit(float("nan"))), "column ns holds values that can"),
    "a time is infinite": (_samples(ns=pl.lit(float("inf"))), "column ns holds inf"),
    "a time is negative": (_samples(ns=pl.lit(-1.0)), "column ns holds -1"),
    "a time is next to nothing": (_samples(ns=pl.lit(5e-324)), "column ns holds values that can"),
    "a text is long": (_samples(mode=pl.lit("x" * 5000)), "column mode holds a text of 5,000 byte"),
    "repetitions are missing": (
        lambda folder: edit_samples(folder, lambda table: table.filter(pl.col("repetition") > 0)),
        r"repetitions of encode are missing or there twice",
    ),
    "repetitions are without end": (_samples(repetition=pl.lit(10**9)), "missing or there twice"),
    "a stage is missing": (
        lambda folder: edit_samples(folder, lambda table: table.filter(pl.col("stage") != "total")),
        r"lacks the stage total",
    ),
    "nothing was measured": (
        lambda folder: edit_samples(folder, pl.DataFrame.clear),
        r"samples\.parquet: holds no samples; keep a folder's files together, or measure again",
    ),
    "a run is missing": (_meta("runs", value=[]), r"meta\.json has no run of it; keep a folder's"),
    "a run is of something else": (
        _samples(elements=pl.lit(99)),
        r"its elements is 99, in meta\.json 1; keep",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGE)
def test_what_is_damaged_is_named(what: str, tmp_path: Path) -> None:
    edit, reported = DAMAGE[what]
    folder, good = copied("lists", tmp_path / "folder"), copied("lists", tmp_path / "good")
    edit(folder)
    for line in (refusal("report", folder), refusal("compare", good, folder)):
        assert str(folder) in line
        assert re.search(reported, line), line
    assert not list(folder.glob("report.*"))


def _with_a_stage(table: pl.DataFrame) -> pl.DataFrame:
    """Return the table with one stage more, as long as the others of each contender."""
    first = table.filter(stage=table["stage"][0])
    return pl.concat([table, first.with_columns(stage=pl.lit("later"))])


@pytest.mark.parametrize("name", NAMES)
def test_what_a_newer_version_added_is_left_out(name: str, tmp_path: Path) -> None:
    """Keys, columns and stages are left out; the environment is shown whatever is in it."""
    folder = copied(name, tmp_path / "folder")

    def grown(document: dict[str, Any]) -> None:
        document["later"] = {"deep": [[{"x": None}]]}
        document["environment"]["later"] = "a new fact"
        for holder in (*document["runs"], *document["contenders"].values()):
            holder["later"] = [1, {"x": 2}]

    edit_meta(folder, grown)
    edit_samples(folder, lambda table: _with_a_stage(table).with_columns(later=pl.lit([[1]])))
    assert "later" not in read_results(folder).samples.columns
    done = CliRunner().invoke(app, ["report", str(folder), "--format", "html"])
    assert done.exception is None, done.exception
    assert "a new fact" in (folder / "report.html").read_text()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("other", NAMES)
def test_files_of_two_folders_do_not_fit(name: str, other: str, tmp_path: Path) -> None:
    if name.partition("-")[0] == other.partition("-")[0]:
        return
    folder = copied(name, tmp_path / "folder")
    samples = copied(other, tmp_path / "other") / "samples.parquet"
    samples.replace(folder / "samples.parquet")
    assert "samples.parquet: " in refusal("report", folder)


def test_rows_are_counted_before_they_are_read(tmp_path: Path) -> None:
    """A hundred million equal rows are a few kilobytes."""
    folder = copied("lists", tmp_path / "folder")
    first_row = pl.read_parquet(folder / "samples.parquet").head(1)
    many = pl.select(repetition=pl.int_range(ROWS + 1)).with_columns(
        pl.lit(first_row[name][0]).alias(name) for name in first_row.columns if name != "repetition"
    )
    many.select(first_row.columns).with_columns(repetition=0).write_parquet(
        folder / "samples.parquet"
    )
    assert (folder / "samples.parquet").stat().st_size < 100_000
    assert f"claims {ROWS + 1:,} rows in " in refusal("report", folder)


def test_what_polars_says_of_a_damaged_file_is_not_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its threads write to standard error itself when they give up."""
    folder = copied("lists", tmp_path / "folder")
    path = folder / "samples.parquet"
    content = bytearray(path.read_bytes())
    (footer,) = struct.unpack_from("<I", content, len(content) - 8)
    for at in range(len(content) - 8 - footer, len(content) - 8, 7):
        damaged = bytearray(content)
        damaged[at] ^= 0x7F
        path.write_bytes(damaged)
        try:
            read_results(folder)
        except UserError as error:
            assert str(error).isprintable()
    assert capfd.readouterr() == ("", "")


def test_a_file_that_ends_its_decoder_is_refused_and_the_next_one_read(tmp_path: Path) -> None:
    """Its nulls are counted by a run of 2^63, for which Polars wants memory."""
    folder = copied("lists", tmp_path / "folder")
    damaged = Path(__file__).parents[2] / "attack/corpus/result-table/endless-validity.parquet"
    (folder / "samples.parquet").write_bytes(damaged.read_bytes())
    for _ in range(2):
        reported = (
            r"samples\.parquet: cannot be read \(its decoder ended by SIGABRT\); measure again"
        )
        assert re.search(reported, refusal("report", folder))
    assert len(read_results(copied("lists", tmp_path / "good")).samples) == 108


def test_text_stays_text_in_every_format(tmp_path: Path) -> None:
    odd = "=1+1|<script>alert(1)</script>\n\n# [x](y) \x1b[31m"
    folder = copied("lists", tmp_path / "folder")
    columns = pl.col("contender").replace({"protobuf": odd})
    edit_samples(folder, lambda table: table.with_columns(columns))

    def renamed(document: dict[str, Any]) -> None:
        document["contenders"] = {
            f"{odd} {name}": about | {"library": odd}
            for name, about in document["contenders"].items()
        }
        for run in document["runs"]:
            if run["contender"] == "protobuf":
                run["contender"] = odd
        document["runs"].append(dict(document["runs"][0], case="other", failure=odd))

    edit_meta(folder, renamed)
    done = CliRunner().invoke(app, ["report", str(folder), "--format", "md,html,csv,svg"])
    assert done.exception is None, done.exception
    shown = (folder / "report.md").read_text()
    assert "=1+1\\|&lt;script>alert(1)&lt;/script>\\\\n\\\\n&#35; \\[x\\](y) \\\\x1b\\[31m" in shown
    assert "<script" not in shown
    page = (folder / "report.html").read_text()
    assert "alert(1)" in page
    assert "<script>alert" not in page
    with (folder / "report.csv").open(newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@"))]
    for figure in (folder / "figures").iterdir():
        assert "<script" not in figure.read_text()
        assert "\x1b" not in figure.read_text()


def test_figures_stay_in_their_folder(tmp_path: Path) -> None:
    folder = copied("notification", tmp_path / "deep" / "folder")
    elsewhere = "../../../elsewhere"
    edit_samples(folder, lambda table: table.with_columns(variant=pl.lit(elsewhere)))
    edit_meta(folder, lambda meta: [run.update(variant=elsewhere) for run in meta["runs"]])
    done = CliRunner().invoke(app, ["report", str(folder), "--format", "svg"])
    assert done.exception is None, done.exception
    assert [path.name for path in tmp_path.iterdir()] == ["deep"]
    assert [path.name for path in folder.parent.iterdir()] == ["folder"]
    assert list((folder / "figures").glob("*elsewhere*.svg"))


def test_what_is_written_is_strict() -> None:
    document = {"a": [float("nan"), float("inf"), 1.5], "b\udcff": ("\udcff",), "c": None}
    assert json.loads(text(document)) == {
        "a": [None, None, 1.5], "b\\udcff": ["\\udcff"], "c": None,
    }  # fmt: skip


@pytest.mark.parametrize("file", ["outputs.parquet", "inputs.parquet"])
def test_a_replay_s_tables_are_checked(file: str, tmp_path: Path) -> None:
    folder = copied("replay", tmp_path / "folder")
    column = "digest" if file.startswith("outputs") else "due_ns"
    edit_samples(folder, lambda table: table.with_columns(pl.lit([1]).alias(column)), file)
    command = ["compare", folder, folder] if file.startswith("outputs") else ["report", folder]
    assert f"{file}: column {column}" in refusal(*command)


def test_samples_that_fit_no_memory_are_refused_in_one_line() -> None:
    """The function ``decoded`` ends so when the limit on its memory is reached."""
    program = (
        "from wirecost.results.records import table_decoder as one\n"
        "def decoded(content, columns): raise MemoryError\n"
        "one.decoded = decoded\n"
        "one.main()\n"
    )
    request = REQUEST.pack(2, 3) + b"{}" + b"PAR"
    done = subprocess.run(
        [sys.executable, "-c", program], input=2 * request, capture_output=True, check=True
    )
    one = ANSWER.pack(REFUSED, len(TOO_LARGE)) + TOO_LARGE
    assert (done.stdout, done.stderr) == (2 * one, b"")
