# SPDX-License-Identifier: Apache-2.0
"""The examples for Dask and DuckDB, as the documentation starts them."""

from __future__ import annotations

import csv
import math
import os
import sys
from collections import defaultdict
from pathlib import Path

import pytest

from support import needs
from support.programs import execute
from wirecost.data.traces import messages, open_trace

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "fleet"


@pytest.fixture(scope="module")
def fleet() -> Path:
    """Real traces of both kinds that have moving objects."""
    data = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "osi"
    if not data.is_dir():
        pytest.skip(f"no real traces at {data}; set WIRECOST_DATA to where they are")
    return data


@pytest.fixture(scope="module")
def speeds(fleet: Path) -> dict[int, tuple[int, float]]:
    """Return number of objects and largest speed by type, by Protobuf alone."""
    found: dict[int, list[float]] = defaultdict(list)
    for path in fleet.rglob("*.osi"):
        with open_trace(path) as trace:
            for _, message in trace.frames():
                parsed = messages.parse(trace.type_name, message)
                truth = getattr(parsed, "global_ground_truth", parsed)
                for item in truth.moving_object:  # type: ignore[attr-defined]
                    velocity = item.base.velocity
                    found[item.type].append(math.hypot(velocity.x, velocity.y))
    return {kind: (len(values), max(values)) for kind, values in found.items()}


@pytest.mark.parametrize(
    ("example", "packages"),
    [
        ("dask_speeds.py", ("dask", "pandas", "pyarrow")),
        ("duckdb_speeds.py", ("duckdb", "pyarrow")),
    ],
)
def test_both_find_the_fastest_objects(
    fleet: Path, speeds: dict[int, tuple[int, float]], example: str, packages: tuple[str, ...]
) -> None:
    for package in packages:
        needs.package(package)
    done = execute([sys.executable, EXAMPLES / example, fleet])
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(speeds) > 1
    assert {int(row["type"]): int(row["count"]) for row in rows} == {
        kind: count for kind, (count, _) in speeds.items()
    }
    for row in rows:
        assert float(row["max"]) == pytest.approx(speeds[int(row["type"])][1], rel=1e-12)
