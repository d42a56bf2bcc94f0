# SPDX-License-Identifier: Apache-2.0
"""``wirecost doctor`` on the machine the tests run on; nothing is changed."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_every_check_is_reported_in_the_table_and_in_json(wirecost: Run) -> None:
    done = wirecost("doctor", "--all", "--json", "-")
    assert done.returncode == 0, done.stderr
    checks = json.loads(done.stdout)["checks"]
    assert len({check["name"] for check in checks}) == len(checks) >= 22
    assert all(check["title"] in done.stderr for check in checks)
    assert {check["verdict"] for check in checks} <= {"ok", "warn", "fail", "n/a"}


def test_strict_exits_with_2_when_a_check_fails(wirecost: Run, tmp_path: Path) -> None:
    file = tmp_path / "doctor.json"
    code = wirecost("doctor", "--strict", "--json", file).returncode
    assert code == (2 if json.loads(file.read_text())["verdict"] == "fail" else 0)


def test_noise_is_reported_for_every_cpu(wirecost: Run) -> None:
    done = wirecost("doctor", "--noise", "0.2", "--cpus", "all", "--json", "-")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert [one["cpu"] for one in document["noise"]] == document["cpus"]
    assert all(one["elapsed_ns"] >= 2e8 for one in document["noise"])
    assert "Noise over" in done.stderr


def test_there_is_nothing_to_undo_at_first(
    wirecost: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    done = wirecost("doctor", "--undo")
    assert done.returncode == 0
    assert "nothing to undo" in done.stderr
