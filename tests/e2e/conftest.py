# SPDX-License-Identifier: Apache-2.0
"""The command line as a user drives it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from support.quick import environment

STUDIES = Path(__file__).parents[2] / "benchmarks"
Run = Callable[..., "subprocess.CompletedProcess[str]"]


def bench_words(scenario: str) -> tuple[str | Path, ...]:
    """Return the words that measure a scenario, of the package or a study."""
    is_study = (STUDIES / scenario / "race.py").is_file()
    return ("bench", *(("--from", STUDIES) if is_study else ()), scenario)


@pytest.fixture(scope="session")
def wirecost() -> Run:
    """``wirecost("bench", "osi", …)``: the installed command in a process of its own."""
    program = Path(sys.executable).with_name("wirecost")

    def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        command = [str(program), *map(str, arguments)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, cwd=cwd,
            env=environment(),
        )  # fmt: skip

    return run


@pytest.fixture(scope="session")
def bench(wirecost: Run) -> Callable[..., dict[str, Any]]:
    """Return ``bench(folder, options…)``: the ``--json`` document of a run into ``folder``.

    Each contender has one process where the options do not say otherwise."""

    def run(out: Path, *options: str) -> dict[str, Any]:
        few = () if "--processes" in options else ("--processes", "1")
        done = wirecost("bench", "osi", "--out", out, "--json", "-", *options, *few)
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document

    return run


@pytest.fixture(scope="session")
def measure(
    wirecost: Run, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., dict[str, Any]]:
    """``measure(scenario, options…)``: its ``--json`` document, with its new ``folder``.

    The scenario is the package's, or a study's of ``benchmarks``."""

    def run(scenario: str, *options: str | Path) -> dict[str, Any]:
        out = tmp_path_factory.mktemp(scenario) / "result"
        done = wirecost(*bench_words(scenario), *options, "--out", out, "--json", "-")
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        return document | {"folder": out}

    return run


@pytest.fixture(scope="session")
def measured(wirecost: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a short run of the study of lists, which tests share and do not change."""
    out = tmp_path_factory.mktemp("compare") / "run"
    done = wirecost(
        *bench_words("repeated"), "--list", "radar-detection", "--count", "10",
        "--repetitions", "10", "--out", out,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture(scope="session")
def slower(measured: Path) -> Path:
    """Return the same run with Protobuf's encoding three times slower."""
    out = measured.with_name("slower")
    shutil.copytree(measured, out)
    samples = pl.read_parquet(out / "samples.parquet")
    planted = pl.when(contender="protobuf", mode="new", stage="encode").then(pl.col("ns") * 3)
    samples.with_columns(ns=planted.otherwise("ns")).write_parquet(out / "samples.parquet")
    return out
