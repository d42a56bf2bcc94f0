# SPDX-License-Identifier: Apache-2.0
"""``wirecost campaign``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples" / "campaigns").glob("*.toml"))


def wirecost(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "wirecost", "campaign", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_are_whole(path: Path) -> None:
    done = wirecost("plan", path, "--json", "-")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["tasks"] and {task["scenario"] for task in found["tasks"]} == {path.stem}
    assert "order of running" in done.stderr


SMALL = """\
name = "small"
repetitions = 2

[[bench]]
scenario = "tensor"
expected = "5 s"
[bench.options]
plugins = "numpy"
middlewares = "in-process,memcpy"
processes = 1
[bench.matrix]
trials = [2, 3]

[[bench]]
scenario = "tensor"
expected = "5 s"
[bench.options]
plugins = "numpy"
middlewares = "shm"
"""


def test_a_campaign_is_run_resumed_and_shown(tmp_path: Path) -> None:
    path, store = tmp_path / "campaign.toml", tmp_path / "store"
    path.write_text(SMALL)
    done = wirecost("run", path, "--store", store, "--json", "-")
    # Floors alone carry no objects: that task fails, the others go on.
    assert done.returncode == 1, done.stderr
    outcome = json.loads(done.stdout)
    assert (outcome["done"], outcome["failed"]) == (4, 2)
    assert "floors cannot carry" in done.stderr
    again = wirecost("run", path, "--store", store)
    assert again.returncode == 2 and "give --resume" in again.stderr
    shown = wirecost("status", store, "--json", "-")
    assert shown.returncode == 0, shown.stderr
    found = json.loads(shown.stdout)
    assert found["overlaps"] == [] and len(found["records"]) == 6
    assert "No two of" in shown.stderr
    samples = pl.read_parquet(store / "samples" / "**" / "*.parquet")
    counts = samples.filter(stage="total").group_by("task").len()
    assert sorted(counts["len"].to_list()) == [4, 4, 6, 6]
    resumed = wirecost("run", path, "--store", store, "--resume")
    assert "0 measured, 2" in " ".join(resumed.stdout.split())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["campaign.toml", "store"]
