# SPDX-License-Identifier: Apache-2.0
"""Samples and processes of ``bench message``: no process without a sample, none left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from wirecost.cli import app, measuring
from wirecost.measure.bench.message.choices import PROCESSES, REPETITIONS
from wirecost.system.errors import UserError


@pytest.mark.parametrize(
    ("options", "samples", "processes"),
    [
        ("", REPETITIONS, PROCESSES),
        ("--processes 18", REPETITIONS, 18),
        ("--processes 40", 40, 40),
        ("--processes 40 --repetitions 80", 80, 40),
        ("--repetitions 2", 2, 2),
    ],
)
def test_plan(
    options: str, samples: int, processes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[tuple[int, int]] = []

    def keep(*arguments: Any) -> None:
        (settings,) = arguments[-1].args
        planned.append((settings.plan.samples, settings.plan.processes))

    monkeypatch.setattr(measuring, "measure", keep)
    schema = tmp_path / "state.proto"
    done = CliRunner().invoke(app, ["bench", "message", str(schema), *options.split()])
    assert done.exit_code == 0, done.output
    assert planned == [(samples, processes)]


def test_fewer_samples_than_processes_are_refused() -> None:
    words = ["bench", "message", "state.proto", "--processes", "40", "--repetitions", "30"]
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, UserError)
    assert "--repetitions 40" in str(done.exception)
