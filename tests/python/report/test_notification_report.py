# SPDX-License-Identifier: Apache-2.0
"""The notification's report says where new objects got their memory, of old folders as well."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from support.result_folders import copied
from wirecost.cli import app
from wirecost.report.scenarios.notification.content import FORMERLY, NEW


@pytest.mark.parametrize(
    ("folder", "memory", "counted"),
    [
        ("notification", FORMERLY, "operator new"),
        ("notification-allocators", NEW, "malloc and its like"),
    ],
)
def test_it_says_where_new_objects_got_their_memory(
    tmp_path: Path, folder: str, memory: str, counted: str
) -> None:
    out = copied(folder, tmp_path / folder)
    done = CliRunner().invoke(app, ["report", str(out), "--format", "md"])
    assert done.exception is None, done.output
    text = (out / "report.md").read_text()
    (cpp, *_) = [line for line in text.splitlines() if "floors hand-written" in line]
    assert memory in cpp
    assert f"allocations ({counted})" in text
    python = text.partition("Python · ticket · total time")[2].partition("###")[0]
    assert memory not in python


def test_the_allocator_stands_behind_the_mode(tmp_path: Path) -> None:
    out = copied("notification-allocators", tmp_path / "folder")
    CliRunner().invoke(app, ["report", str(out), "--format", "md"])
    text = (out / "report.md").read_text()
    assert "| wirecost-ros1 recycled jemalloc |" in text
    assert "| gencpp new glibc |" in text
