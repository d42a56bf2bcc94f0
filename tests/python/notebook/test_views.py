# SPDX-License-Identifier: Apache-2.0
"""Results as a notebook shows them; the example notebook runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import polars as pl
import pytest

from wirecost.results import notebook
from wirecost.results.notebook.views import markup
from wirecost.results.report.shared.table import Table
from wirecost.system.errors import UserError

ROOT = Path(__file__).parents[3]
KEPT = ROOT / "tests" / "data" / "results"
EXAMPLE = ROOT / "examples" / "notebooks" / "results.ipynb"


@pytest.mark.parametrize("name", ["osi", "notification", "tensor", "replay"])
def test_a_result_folder_shows_its_tables_and_first_figure(name: str) -> None:
    view = notebook.results(KEPT / name)
    html = view._repr_html_()
    assert view.tables
    assert all(table.headings[0] in html for table in view.tables)
    assert html.count("<svg") == min(len(view.figures), 1)
    assert view.samples["ns"].dtype in (pl.Int64, pl.Float64)


def test_a_table_is_a_frame() -> None:
    view = notebook.results(KEPT / "osi")
    table = view.table("20 reflections")
    assert table.columns[0] == "contender"
    assert set(table["contender"]) == {"protobuf", "flatbuffers-table", "columns"}
    with pytest.raises(UserError, match="there are 20 reflections"):
        view.table("none")


def test_names_stay_text() -> None:
    hostile = "<script>alert(1)</script>"
    html = markup(hostile, hostile, [Table(hostile, [hostile], [[hostile]], [hostile])], [])
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 6


def test_the_example_runs(tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    shutil.copytree(KEPT / "notification", tmp_path / "results" / "run")
    messages = nbformat.read(EXAMPLE, as_version=4)
    nbclient.NotebookClient(messages, resources={"metadata": {"path": str(tmp_path)}}).execute()
    first, second, third = (cell for cell in messages.cells if cell.cell_type == "code")
    assert "<svg" in first.outputs[0]["data"]["text/html"]
    assert "median_us" in second.outputs[0]["data"]["text/plain"]
    assert "vega" in str(third.outputs[0]["data"]).lower()
