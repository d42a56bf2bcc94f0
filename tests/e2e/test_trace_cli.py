# SPDX-License-Identifier: Apache-2.0
"""``wirecost trace`` as a user drives it, on real traces and the built FMUs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from support.waiting import until
from wirecost.cli import trace_play
from wirecost.measure.bench.osi import player
from wirecost.system.interruption import Interrupted

Run = Callable[..., "subprocess.CompletedProcess[str]"]

SENSOR_VIEWS = "20230621T113737Z_sv_350_32112_100.osi"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def real() -> Callable[[str], Path]:
    """Return a real trace by its file name."""
    data = Path(os.environ.get("WIRECOST_DATA", ROOT.parent / "shared" / "data")) / "osi"
    if not data.is_dir():
        pytest.skip(f"no real traces at {data}; set WIRECOST_DATA to where they are")

    def find(name: str) -> Path:
        (path,) = data.rglob(name)
        return path

    return find


@pytest.fixture(scope="module")
def trace(wirecost: Run) -> Callable[..., Any]:
    """``trace("info", …)``: the document that ``--json -`` gives."""

    def run(*arguments: str | Path) -> Any:
        done = wirecost("trace", *arguments, "--json", "-")
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)

    return run


def test_info_tells_what_is_in_a_trace(
    trace: Callable[..., Any], real: Callable[[str], Path]
) -> None:
    first, second = trace("info", real(SENSOR_VIEWS), real("acc-test.osi"))
    assert (first["type"], first["frames"], first["osi_versions"]) == ("SensorView", 100, ["3.5.0"])
    assert first["lists"]["global_ground_truth.moving_object"] == {"min": 2, "median": 2, "max": 2}
    assert (second["type"], second["frames"]) == ("GroundTruth", 1010)
    assert second["rate_hz"] == pytest.approx(30.3, abs=0.1)


@pytest.mark.parametrize("columns", ["80", "120"])
def test_tables_fit_the_terminal(
    wirecost: Run, real: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    names = [SENSOR_VIEWS, "acc-test.osi", "testBrakeAndIndicatorLights.mcap"]
    done = wirecost("trace", "info", *map(real, names))
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= int(columns)
    (line,) = [line for line in done.stdout.splitlines() if "GroundTruth" in line]
    assert "acc-test.osi" in line
    assert "1,010" in line
    assert line.rstrip().endswith("3.5.0")


def test_check_says_by_its_exit_code_whether_there_are_errors(
    wirecost: Run, trace: Callable[..., Any], real: Callable[[str], Path]
) -> None:
    good = wirecost("trace", "check", real(SENSOR_VIEWS))
    assert good.returncode == 0
    assert "warning" in good.stdout
    swerve = real("20240603T152322.095000Z_sv_370_3200_618_dronetracker_135_swerve.mcap")
    bad = wirecost("trace", "check", swerve, real("only_osi_topic.mcap"))
    assert bad.returncode == 1
    assert "holds 411;" in bad.stdout and "no OSI channel" in bad.stdout
    (document,) = trace("check", swerve)
    assert [one["severity"] for one in document["findings"]] == ["error"]


def test_convert_there_and_back(wirecost: Run, real: Callable[[str], Path], tmp_path: Path) -> None:
    source = real(SENSOR_VIEWS)
    for step, (start, end) in enumerate(
        [(source, "a.mcap"), ("a.mcap", "b.txth"), ("b.txth", "c.osi")]
    ):
        options = ("--compression", "lz4") if step == 0 else ()
        done = wirecost("trace", "convert", start, end, *options, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith("100 frames of SensorView: ")
        assert done.stdout.endswith(f"\n{end}\n")
    assert (tmp_path / "c.osi").read_bytes() == source.read_bytes()
    done = wirecost("trace", "convert", source, "c.osi", cwd=tmp_path)
    assert done.returncode == 2
    assert "add --force" in done.stderr
    options = ("--force", "--from", "10", "--to", "1.5s")
    done = wirecost("trace", "convert", source, "c.osi", *options, cwd=tmp_path)
    assert done.stdout.startswith("5 frames of SensorView: ")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.mcap", "b.txth", "c.osi"]


def test_a_cut_trace_is_converted_with_one_warning(
    wirecost: Run, real: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "cut[bold]_sv_.osi"  # brackets are markup to the console
    path.write_bytes(real(SENSOR_VIEWS).read_bytes()[:-1])
    done = wirecost("trace", "convert", path, tmp_path / "out.mcap")
    assert done.returncode == 0
    assert "99 frames" in done.stdout
    assert done.stderr.count(f"warning: {path}: cut off") == 1
    assert "99 whole frames" in done.stderr


def writing(process: int, folder: Path) -> bool:
    """Return whether it has a file open there that has no name yet, or one for itself."""
    for file in Path(f"/proc/{process}/fd").iterdir():
        with suppress(OSError):  # it was closed meanwhile
            if str(file.readlink()).startswith((f"{folder}/#", f"{folder}/.out.mcap")):
                return True
    return False


def test_an_interrupt_leaves_nothing_half_written(tmp_path: Path) -> None:
    path = tmp_path / "large_sv_.osi"
    with path.open("wb") as file:
        for _ in range(2000):
            file.write(struct.pack("<I", 1 << 20))
            file.seek(1 << 20, os.SEEK_CUR)
        file.truncate(file.tell())
    program = Path(sys.executable).with_name("wirecost")
    options = ["--type", "SensorView", "--compression", "zstd"]
    command = [program, "trace", "convert", path, tmp_path / "out.mcap", *options]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    until(lambda: writing(process.pid, tmp_path), seconds=60)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) != 0
    assert {p.name for p in tmp_path.iterdir()} <= {path.name, f"{path.name}.index"}


@pytest.mark.parametrize("fmi", [2, 3])
def test_a_trace_is_played_into_a_sensor(
    trace: Callable[..., Any], real: Callable[[str], Path], fmi: int
) -> None:
    options = ("--contender", "protobuf", "--sensor-fmi", str(fmi), "--as-fast-as-possible")
    played = trace("play", real(SENSOR_VIEWS), *options, "--loop", "--steps", "150")
    assert played["frames"] == len(played["step_ns"]) == 150
    assert 0 < played["median_ns"] <= played["p99_ns"]
    lists = played["lists"]
    assert lists["SensorView.global_ground_truth.moving_object"] == [2] * 150
    assert set(lists["SensorData.moving_object"]) == {1}


def test_an_interrupt_before_the_first_frame_is_no_fault_of_the_trace(
    real: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> Iterator[object]:
        raise Interrupted(signal.SIGTERM)

    monkeypatch.setattr(player, "play", interrupted)
    with pytest.raises(Interrupted, match="SIGTERM"):
        trace_play.command(real(SENSOR_VIEWS), contender="protobuf", fast=True)


def test_a_trace_keeps_its_pace(trace: Callable[..., Any], real: Callable[[str], Path]) -> None:
    before = time.monotonic()
    options = ("--contender", "protobuf", "--rate", "4", "--steps", "21")
    trace("play", real(SENSOR_VIEWS), *options)
    assert time.monotonic() - before >= 20 * 0.1 / 4


def test_a_trace_in_a_folder_that_is_only_read_is_fine(
    trace: Callable[..., Any], real: Callable[[str], Path], tmp_path: Path
) -> None:
    path = tmp_path / "copy_sv_.osi"
    shutil.copy(real(SENSOR_VIEWS), path)
    tmp_path.chmod(0o500)
    try:
        (reported,) = trace("info", path)
    finally:
        tmp_path.chmod(0o700)
    assert reported["frames"] == 100
