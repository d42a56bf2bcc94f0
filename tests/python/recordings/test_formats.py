# SPDX-License-Identifier: Apache-2.0
"""One list of formats: each command that takes a recording reads all, or refuses one in a line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from attack.recordings import seeds
from support.sensor_views import sensor_view
from wirecost.cli import app
from wirecost.data.recordings import formats
from wirecost.data.recordings.recording import Recording, is_recording
from wirecost.data.traces import create_trace
from wirecost.system.errors import UserError

COMMANDS = {
    "cost": ["cost", "{path}"],
    "bench message": ["bench", "message", "--data", "{path}", "--topic", "/nowhere"],
    "convert-cloud": ["convert-cloud", "{path}", "{out}.mcap"],
    "compare": ["compare", "{path}", "{path}"],
}
REFUSED = {"bench message", "convert-cloud", "compare"}
"""Commands for which these recordings hold nothing, and which say so."""


def small(folder: Path, suffix: str) -> Path:
    """Write a small recording of a format."""
    path = folder / f"small_sv_{suffix}"
    seed = {".mcap": seeds.mcaps, ".bag": seeds.bags, ".db3": seeds.databases}.get(suffix)
    if seed is not None:
        path.write_bytes(seed()[0])
        return path
    with create_trace(path, "SensorView") as trace:
        for second in range(3):
            trace.write(None, sensor_view(second))
    return path


@pytest.mark.parametrize("suffix", formats.MODULES)
def test_each_format_is_a_recording(tmp_path: Path, suffix: str) -> None:
    path = small(tmp_path, suffix)
    assert is_recording(path)
    with Recording(path) as recording:
        assert recording.count > 0
        assert len(list(recording.each())) == recording.count


@pytest.mark.parametrize("suffix", formats.MODULES)
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_reads_each_format_or_says_why_not(
    tmp_path: Path, command: str, suffix: str
) -> None:
    path = small(tmp_path, suffix)
    words = [word.format(path=path, out=tmp_path / "out") for word in COMMANDS[command]]
    done = CliRunner().invoke(app, words)
    if command not in REFUSED:
        assert done.exit_code == 0, done.output
        return
    assert isinstance(done.exception, UserError)
    assert str(done.exception).startswith(f"{path}: ")
    assert re.search("; |`wirecost", str(done.exception))  # what to do instead
    assert "\n" not in str(done.exception)


def test_the_help_of_cost_names_each_format() -> None:
    text = " ".join(CliRunner().invoke(app, ["cost", "--help"]).output.split())
    for suffix in formats.MODULES:
        assert suffix in text.lower() or suffix[1:].upper() in text
