# SPDX-License-Identifier: Apache-2.0
"""Closed standard streams, and names that are no text.

A command ends with a status and one line, never with a traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.programs import execute
from support.sensor_views import sensor_view
from wirecost.data.traces import create_trace

PROGRAM = str(Path(sys.executable).with_name("wirecost"))
COMMANDS = ["--version", "--help", "trace info drive_sv_.osi", "trace info drive_sv_.osi --json -"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with create_trace(tmp_path / "drive_sv_.osi", "SensorView") as writer:
        writer.write(None, sensor_view(1))
    return tmp_path


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return execute(["sh", "-c", f'exec "{PROGRAM}" {line}'], cwd=folder, timeout=60)


@pytest.mark.parametrize("command", COMMANDS)
def test_closed_standard_output_is_an_error(command: str, folder: Path) -> None:
    done = run(f"{command} >&-", folder)
    assert done.returncode == 2
    (line,) = (line for line in done.stderr.splitlines() if line.startswith("wirecost: "))
    assert line.startswith("wirecost: standard output: ")
    assert run(f"{command} >&- 2>&- <&-", folder).returncode == 2


@pytest.mark.parametrize("command", COMMANDS)
def test_without_standard_error_the_result_is_the_same(command: str, folder: Path) -> None:
    done = run(f"{command} 2>&- <&-", folder)
    assert done.returncode == 0
    assert done.stdout == run(command, folder).stdout != ""


def test_what_is_said_on_closed_standard_error_is_not_in_the_output(folder: Path) -> None:
    done = run("trace info nothing.osi 2>&-", folder)
    assert (done.returncode, done.stdout) == (2, "")


def test_a_file_does_not_take_the_place_of_closed_standard_output(folder: Path) -> None:
    done = run("trace convert drive_sv_.osi out.osi >&-", folder)
    assert done.returncode == 2
    assert (folder / "out.osi").read_bytes() == (folder / "drive_sv_.osi").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([b"trace", b"info", b"q\xff.osi"], "q\\udcff.osi: No such file"),
        ([b"bench", b"tensor", b"--plugins", b"q\xff"], "--plugins q\\udcff: there are"),
    ],
)
def test_names_that_are_no_text_are_one_line(
    arguments: list[bytes], said: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [PROGRAM.encode(), *arguments], cwd=tmp_path, check=False, capture_output=True, timeout=60
    )
    assert done.returncode == 2
    (line,) = done.stderr.decode().splitlines()
    assert said in line
