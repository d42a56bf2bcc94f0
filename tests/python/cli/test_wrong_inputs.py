# SPDX-License-Identifier: Apache-2.0
"""Wrong inputs are answered with exit status 2 and a sentence that helps.

No work is done before, and there is no traceback."""

from __future__ import annotations

import shlex
import shutil
import struct
import sys
from pathlib import Path

import pytest
from osi3.osi_groundtruth_pb2 import GroundTruth
from syrupy.assertion import SnapshotAssertion

from support.probe_logs import header, record
from support.result_folders import copied
from support.sensor_views import sensor_view
from wirecost.__main__ import main
from wirecost.data.traces import create_trace

ROOT = Path(__file__).parents[3]
LINES = Path(__file__).with_name("wrong_inputs.txt").read_text().splitlines()
COMMANDS = [line for line in LINES if line and not line.startswith("#")]
CLOUD = """VERSION 0.7
FIELDS x y z intensity
SIZE 4 4 4 4
TYPE F F F F
WIDTH 20
HEIGHT 1
DATA binary
"""
LATE = ("--depfile none/d", "--stamp .", "--figures /dev/null/figures")
"""What is found only when everything else is written."""
CAMPAIGNS = {
    "unknown_option": 'scenario = "heap"\n[bench.options]\nnonsense = 1\n',
    "wrong_value": "scenario = \"osi\"\n[bench.options]\nprocesses = 'many'\n",
    "unknown_scenario": 'scenario = "oso"\n',
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("wrong")
    (path / "notes.txt").write_text("buy milk\n")
    (path / "empty").touch()
    (path / "empty_sv_.osi").write_bytes(struct.pack("<I", 0))
    (path / "scan.pcd").write_bytes(CLOUD.encode() + struct.pack("<80f", *range(80)))
    (path / "cut.pcd").write_bytes((path / "scan.pcd").read_bytes()[:-1])
    ground_truth = GroundTruth().SerializeToString()
    for name, of, content in (
        ("sv", "SensorView", sensor_view(1)),
        ("gt", "GroundTruth", ground_truth),
    ):
        with create_trace(path / f"drive_{name}_.osi", of) as trace:
            trace.write(None, content)
    (path / "many").mkdir()
    copied("heap", path / "run")
    (path / "a.wprobe").write_bytes(header(names=[(1, "section")]) + record(1, 100, 150))
    shutil.copy(ROOT / "examples" / "consumers" / "state.proto", path)
    shutil.copy(ROOT / "examples" / "campaigns" / "osi.toml", path / "campaign.toml")
    for name, text in CAMPAIGNS.items():
        (path / f"{name}.toml").write_text(f'name = "a"\n[[bench]]\n{text}')
    return path


def sentence(printed: str) -> str:
    """Return an answer without the usage that a command's own mistakes have."""
    if not printed.startswith("Usage: "):
        return printed[printed.index("wirecost: ") :]  # behind the progress
    return " ".join(printed.partition("\nError: ")[2].split())


@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_said_what_is_wrong_and_what_to_do(
    command: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    snapshot: SnapshotAssertion,
) -> None:
    before = sorted(folder.rglob("*"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["wirecost", *shlex.split(command)])
    with pytest.raises(SystemExit) as ended:
        main()
    printed = capfd.readouterr()
    assert ended.value.code == 2
    assert "Traceback" not in printed.err
    lines = [line for line in printed.err.splitlines() if line.startswith("wirecost: ")]
    assert len(lines) == 1 or printed.err.startswith("Usage: ")
    if not command.endswith(LATE):
        assert (printed.out, sorted(folder.rglob("*"))) == ("", before)
    assert sentence(printed.err) == snapshot
