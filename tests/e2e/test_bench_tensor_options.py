# SPDX-License-Identifier: Apache-2.0
"""Options of ``bench tensor`` that choose sizes, devices and numbers of messages."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wirecost.cli import app
from wirecost.measure.bench.tensor import settings

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Tensor = Callable[..., dict[str, Any]]


@pytest.fixture
def tensor(wirecost: Run, tmp_path: Path) -> Tensor:
    """``tensor(options…)``: the document of NumPy over shared memory."""

    def run(*options: str) -> dict[str, Any]:
        out = ("--out", str(tmp_path / "r"), "--json", "-")
        done = wirecost("bench", "tensor", "--plugins", "numpy", "--middlewares", *options, *out)
        assert done.returncode == 0, done.stderr
        document: dict[str, Any] = json.loads(done.stdout)
        assert document["failures"] == []
        return document

    return run


def test_a_sweep_has_every_size_and_its_throughput(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The sizes are fewer: those of megabytes are sent a few times per second."""
    assert settings.SWEEP[0] == 64
    assert settings.SWEEP[-1] == 64 << 20
    sizes = settings.SWEEP[:9:4]
    monkeypatch.setattr(settings, "SWEEP", sizes)
    options = ["--middlewares", "shm,zeromq", "--sweep", "--trials", "10", "--rate", "1000"]
    where = ["--out", str(tmp_path / "r"), "--json", str(tmp_path / "rows.json")]
    done = CliRunner().invoke(app, ["bench", "tensor", *options, *where])
    assert done.exit_code == 0, done.output
    document = json.loads((tmp_path / "rows.json").read_text())
    assert document["failures"] == []
    totals = [row for row in document["rows"] if row["stage"] == "total"]
    found = {(row["mware"], row["shape"]) for row in totals}
    assert found == {(name, str(size // 8)) for name in ("shm", "zeromq") for size in sizes}
    for row in totals:
        assert row["n"] == 10
        assert row["bytes_per_s"] > 0


def test_a_device_that_is_not_there_is_reported(tensor: Tensor) -> None:
    document = tensor("zeromq", "--device", "cpu,cuda", "--trials", "5", "--shape", "4x4")
    assert {row["device"] for row in document["rows"]} == {"cpu"}
    assert "numpy cuda" in document["not_run"]


def test_processes_and_their_order(tensor: Tensor) -> None:
    options = ("shm,zeromq", "--trials", "10", "--processes", "2", "--seed", "3")
    rows = [row for row in tensor(*options)["rows"] if row["stage"] == "total"]
    assert {(row["mware"], row["processes"], row["n"]) for row in rows} == {
        ("shm", 2, 10),
        ("zeromq", 2, 10),
    }


def test_a_framework_in_an_interpreter_of_its_own(tensor: Tensor, tmp_path: Path) -> None:
    """This one again, without what this environment lets it find."""
    own = tmp_path / "python"
    own.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    own.chmod(0o755)
    found = tensor("zeromq,in-process", "--trials", "5", "--python", f"numpy={own}")
    assert found["failures"] == []
    assert {row["mware"] for row in found["rows"]} == {"zeromq", "in-process"}
    meta = json.loads((tmp_path / "r" / "meta.json").read_text())
    assert meta["interpreters"]["numpy"]["path"] == str(own)
    assert "numpy" in meta["interpreters"]["numpy"]["packages"]


def test_an_interpreter_takes_what_it_lacks_from_this_installation(
    tensor: Tensor, tmp_path: Path
) -> None:
    venv.create(tmp_path / "bare", with_pip=False)
    bare = tmp_path / "bare" / "bin" / "python"
    found = tensor("zeromq", "--trials", "5", "--python", f"numpy={bare}")
    assert found["failures"] == [] and {row["mware"] for row in found["rows"]} == {"zeromq"}
