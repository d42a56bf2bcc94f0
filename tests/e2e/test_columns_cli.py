# SPDX-License-Identifier: Apache-2.0
"""``wirecost columns advise`` as a user drives it."""

from __future__ import annotations

import importlib
import json
import os
import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from osi3.osi_sensorview_pb2 import SensorView
from syrupy.assertion import SnapshotAssertion

from wirecost import _core
from wirecost.data import osi

Run = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT = Path(__file__).parents[2]
SCHEMA = Path(_core.__file__).parent / "schemas" / "osi.fds"
HEADER = """VERSION 0.7
FIELDS x y z intensity
SIZE 4 4 4 4
TYPE F F F F
WIDTH 2000
HEIGHT 1
DATA binary
"""


@pytest.fixture(scope="module")
def cloud(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """2000 points up to 40 m away."""
    random = np.random.default_rng(5)
    points = random.uniform((-23, -23, -2, 0), (23, 23, 2, 255), (2000, 4)).astype("<f4")
    path = tmp_path_factory.mktemp("clouds") / "scan.pcd"
    path.write_bytes(HEADER.encode() + points.tobytes())
    return path


@pytest.mark.parametrize("columns", ["80", "120"])
def test_tables_fit_the_terminal(
    wirecost: Run, cloud: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    first = wirecost("columns", "advise", cloud).stdout.splitlines()
    assert len(first) <= 24
    assert max(map(len, first)) <= int(columns) or first[-1].endswith("--all")
    done = wirecost("columns", "advise", cloud, "--all")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    tables = [line for line in lines if not line.startswith("  --")]
    assert max(map(len, tables)) <= int(columns)
    (flight,) = [line for line in lines if line.startswith("time_of_flight")]
    assert flight.endswith("scaled")
    assert "6.67e-12 s" in flight
    assert "  --reduce osi3.LidarSensorView.Reflection.signal_strength=error:0.1" in lines


def test_what_is_pasted_into_compile_gives_the_printed_size(
    wirecost: Run, cloud: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = wirecost("columns", "advise", cloud, "--list", "reflection", "--json", "-")
    assert done.returncode == 0, done.stderr
    (advice,) = json.loads(done.stdout)["lists"]
    words = [word for line in advice["to_compile"] for word in line.split()]
    made = wirecost(
        "compile", SCHEMA, "--lang", "python", "--wire", "protobuf,columns", "--namespace",
        "pasted", "--out", tmp_path, *words,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr
    monkeypatch.syspath_prepend(str(tmp_path / "python"))
    module = importlib.import_module("pasted.osi3.osi_sensorview_columns")
    points = np.frombuffer(cloud.read_bytes()[len(HEADER) :], "<f4").reshape(-1, 4)
    x, y, z, intensity = points.astype("<f8").T
    values = {
        "time_of_flight": 2 * np.sqrt(x * x + y * y + z * z) / 299_792_458,
        "signal_strength": 10 * np.log10(np.maximum(intensity / 255, 0.5 / 255)),
    }
    kind = module.LidarSensorViewReflectionColumns
    assert len(kind.build(2000, values)) + 10 == advice["totals"]["recommended"]["bytes"]
    assert advice["totals"]["rows"]["bytes"] == 2000 * 20
    assert advice["totals"]["recommended"]["bytes"] < 0.2 * 2000 * 20


def test_what_is_pasted_into_convert_makes_such_a_trace(wirecost: Run, tmp_path: Path) -> None:
    times = np.random.default_rng(6).uniform(1e-8, 4e-7, 5000)
    rows = [{"time_of_flight": time, "signal_strength": -3.0} for time in times.tolist()]
    content = SensorView(lidar_sensor_view=[{"reflection": rows}]).SerializeToString()
    source, out = tmp_path / "drive_sv_.osi", tmp_path / "columns_sv_.osi"
    source.write_bytes(2 * (struct.pack("<I", len(content)) + content))
    done = wirecost("columns", "advise", source, "--json", "-")
    assert done.returncode == 0, done.stderr
    (advice,) = json.loads(done.stdout)["lists"]
    words = [word for line in advice["to_convert"] for word in line.split()]
    assert words[1] == "lidar_sensor_view.reflection"
    made = wirecost("trace", "convert", source, out, *words)
    assert made.returncode == 0, made.stderr
    # Where a frame begins decides on a few bytes of padding.
    assert abs(out.stat().st_size - advice["totals"]["recommended"]["bytes"]) < 400
    (flight,) = [c for c in advice["columns"] if c["field"] == "time_of_flight"]
    with osi.open(out) as frames:
        found = frames[1].columns("lidar_sensor_view.reflection")
        off = np.abs(found.time_of_flight.values - times).max()
        assert off == flight["forms"]["error"]["largest_error"]
        assert found.signal_strength.form == "constant"


def test_errors_that_are_asked_for(wirecost: Run, cloud: Path) -> None:
    options = ["--error", "time_of_flight=1e-9", "--error", "intensity=0", "--json", "-"]
    done = wirecost("columns", "advise", cloud, *options)
    assert done.returncode == 0, done.stderr
    lists = json.loads(done.stdout)["lists"]
    reduced = {c["field"]: c["reduce"] for one in lists for c in one["columns"]}
    assert reduced["time_of_flight"] == "error:1e-09"
    assert reduced["intensity"] == "exact"


def test_the_users_page_runs(wirecost: Run, tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    pytest.importorskip("pyarrow")
    page = (ROOT / "docs" / "columns.md").read_text()
    files = {"proto": "scan.proto", "cpp": "scan.cpp", "java": "Example.java"}
    for language, name in files.items():
        block, *_parts = re.findall(rf"```{language}\n(.*?)```", page, re.S)
        (tmp_path / name).write_text(block)
    columns, trace = re.findall(r"```python\n(.*?)```", page, re.S)
    (command,) = re.findall(r"    wirecost (compile .*?generated)\n", page, re.S)
    done = wirecost(*command.replace("\\\n", "").split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr

    def run(*words: str | Path, **environment: str) -> str:
        made = subprocess.run(
            list(map(str, words)), capture_output=True, text=True, timeout=300, check=False,
            cwd=tmp_path, env=os.environ | environment,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        return made.stdout

    run("g++", "-std=c++20", "-Wall", "-Wextra", "-Igenerated/cpp", "scan.cpp", "-o", "scan")
    assert run(tmp_path / "scan") == snapshot
    sources = sorted((tmp_path / "generated" / "java").rglob("*.java"))
    run("javac", "-d", "classes", *sources, "Example.java")
    assert run("java", "-cp", "classes", "Example") == snapshot
    known = os.pathsep.join(filter(None, ("generated/python", os.environ.get("PYTHONPATH"))))
    run(sys.executable, "-c", columns, PYTHONPATH=known)
    view = SensorView(lidar_sensor_view=[{"reflection": [{"time_of_flight": 1e-8}] * 3}])
    content = view.SerializeToString()
    (tmp_path / "drive_sv_.osi").write_bytes(struct.pack("<I", len(content)) + content)
    assert "'lidar_sensor_view[0].reflection': 3" in run(sys.executable, "-c", trace)
