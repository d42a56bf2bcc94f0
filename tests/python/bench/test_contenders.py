# SPDX-License-Identifier: Apache-2.0
"""Announcement of building a contender's models, and message of its failure."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.osi.contenders import Registry
from wirecost.system.errors import UserError

ROWS = [
    {"name": "quick", "library": "quick 1", "default": True},
    {"name": "rival", "library": "rival 2", "default": False, "minutes": 9},
    {"name": "rival-arena", "library": "rival 2", "default": False, "minutes": 9},
]


def registry(folder: Path) -> Registry:
    """Return the registry of a checkout whose build folder has no build."""
    common = {"wire": "protobuf", "schema": "osi.fds", "compared": "exact"}
    build = folder / "build"
    build.mkdir()
    (build / "CMakeCache.txt").write_text("")
    fmus = folder / "fmus"
    fmus.mkdir()
    (fmus / "manifest.json").write_text(
        json.dumps({"build_directory": str(build), "contenders": [common | row for row in ROWS]})
    )
    return Registry(fmus)


def test_what_takes_long_is_said_before_it_starts(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    contenders = registry(tmp_path)
    assert contenders.rivals == ["rival", "rival-arena"]
    assert [
        contenders.effort("debug", ["quick"]),
        contenders.effort("release", ["quick", "rival", "rival-arena"]),
    ] == snapshot


def test_a_failed_build_says_its_first_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cmake = tmp_path / "bin" / "cmake"
    cmake.parent.mkdir()
    lines = ("FAILED: x.o", "x.cpp:1: error: no go", "stopped")
    cmake.write_text("#!/bin/sh\n" + "".join(f"echo {line!r}\n" for line in lines) + "exit 1\n")
    cmake.chmod(cmake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr("sys.executable", str(cmake.with_name("python")))
    with pytest.raises(UserError, match=r"failed: x\.cpp:1: error: no go$"):
        registry(tmp_path).make("release", ["quick"])
