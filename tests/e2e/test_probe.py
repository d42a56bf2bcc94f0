# SPDX-License-Identifier: Apache-2.0
"""``wirecost probe`` as a user drives it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = Path(__file__).parents[2] / "build/cmake/tests/cpp/probe/probe_recorder"


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("probe")
    environment = os.environ | {"WIRECOST_PROBE": str(folder), "WIRECOST_PROBE_SIZE": "128000"}
    for arguments in (["threads", "2", "1100"], ["nested"], ["elapsed"]):
        subprocess.run([PROGRAM, *arguments], check=True, env=environment, capture_output=True)
    return folder


def test_show_prints_the_table_of_sections(wirecost: Run, logs: Path) -> None:
    done = wirecost("probe", "show", logs, "--deadline", "1000", "--all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.partition("Where the time goes")[0].splitlines()
    (outer,) = [line.split() for line in lines if line.startswith("outer") and "µs" in line]
    assert outer[1] == "4"
    assert outer[-1] == "0"
    assert any("session 0→1" in line for line in lines)
    assert "· inner" in done.stdout
    assert done.stdout.count("100 executions dropped") == 2


def test_show_gives_the_same_as_json(wirecost: Run, logs: Path) -> None:
    done = wirecost("probe", "show", logs, "--json", "-", "--deadline", "0.000001")
    document = json.loads(done.stdout)
    sections = {one["section"]: one for one in document["sections"]}
    assert sections["0"]["count"] == 1000
    assert sections["0"]["p50_ns"] <= sections["0"]["p99_ns"] <= sections["0"]["max_ns"]
    assert sections["0"]["deadline_misses"] == 1000
    assert sections["0"]["p99.99_ns"] is None
    assert sum(log["dropped"] for log in document["logs"]) == 200


def test_convert_writes_what_other_tools_read(wirecost: Run, logs: Path, tmp_path: Path) -> None:
    for form in ("parquet", "setlevel", "perfetto"):
        done = wirecost("probe", "convert", logs, "--format", form, "--out", tmp_path / form)
        assert done.returncode == 0, done.stderr
    events = pl.read_parquet(tmp_path / "parquet")
    assert len(events) == 2000 + 7 + 12 + 4
    trace = json.loads((tmp_path / "perfetto").read_text())["traceEvents"]
    assert len([event for event in trace if event["ph"] in "Xi"]) == len(events)
    done = wirecost("probe", "convert", logs, "--format", "parquet", "--out", tmp_path / "parquet")
    assert done.returncode == 2
    assert "add --force" in done.stderr


def test_planted_causes_are_named(wirecost: Run, tmp_path: Path) -> None:
    found: list[dict[str, list[str]]] = []
    # A machine that does other work meanwhile can hide a cause once, hardly three times.
    for attempt in range(3):
        logs = tmp_path / str(attempt)
        environment = os.environ | {"WIRECOST_PROBE": str(logs)}
        environment["WIRECOST_PROBE_COUNTERS"] = "minor-faults,context-switches"
        subprocess.run(
            [PROGRAM, "planted", "200"], check=True, env=environment, capture_output=True
        )
        document = json.loads(wirecost("probe", "show", logs, "--json", "-").stdout)
        if document["logs"][0]["counters"]["minor-faults"] == "n/a":
            pytest.skip("the kernel counts nothing for this user")
        causes = {
            one["section"]: [cause["name"] for cause in one["causes"]] for one in document["causes"]
        }
        found.append(causes)
        if "minor-faults" in causes["faults"] and "value" in causes["input"]:
            return
    pytest.fail(f"not found: {found}")


def test_long_names_leave_room_for_the_numbers(wirecost: Run, tmp_path: Path) -> None:
    program = (
        "from wirecost.probe import Section\n"
        "section = Section('/perception/obstacle_segmentation/ring_outlier_filter')\n"
        "for _ in range(100):\n    section.mark(0, loop=1)\n    section.mark(1, loop=1)\n"
    )
    environment = os.environ | {"WIRECOST_PROBE": str(tmp_path)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    table = wirecost("probe", "show", tmp_path, "--all").stdout.split("\n\n")[1]
    assert all(len(line) <= 80 for line in table.splitlines())
    assert "ring_outlier_filter 0→1" in table
    assert table.count("…") == 2  # the two names are cut, no number is
