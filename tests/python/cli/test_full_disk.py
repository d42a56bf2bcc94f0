# SPDX-License-Identifier: Apache-2.0
"""Places where nothing can be written.

One line says which file, why, and what to do; what was there stays as it was, and nothing
half-written is left."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from cost.drives import drive
from support import replayed, result_folders, written_places
from support.probe_logs import header, record
from support.sensor_views import sensor_view
from wirecost.data.traces import create_trace

ROOT = Path(__file__).parents[3]
COMMANDS = """
results {inputs}/results --json {place}/x.json
results {inputs}/results --json {place}/former
probe show {inputs}/logs --json {place}/former
probe show {inputs}/logs --report {place}/former.html
probe show {inputs}/logs --report {place}/x.html
probe show {inputs}/logs --figures {place}/figures
probe convert {inputs}/logs --format parquet --out {place}/x.parquet
probe convert {inputs}/logs --format perfetto --out {place}/former --force
probe convert {inputs}/logs --format setlevel --out {place}/x.json
probe convert {inputs}/logs --format values --out {place}/x.values
compare {inputs}/a {inputs}/a --json {place}/former
compare {inputs}/a {inputs}/a --markdown {place}/x.md
compare {inputs}/a {inputs}/a --report {place}/former.html
compare {inputs}/a {inputs}/a --figures {place}/figures
compile {inputs}/state.proto --lang cpp,python --wire protobuf --out {place}/x
compile {inputs}/state.proto --lang cpp --wire protobuf --out {inputs}/out --depfile {place}/former
trace info {inputs}/drive.osi --type SensorView --json {place}/former
trace check {inputs}/drive.osi --type SensorView --json {place}/x.json
trace convert {inputs}/drive.osi {place}/x.mcap --type SensorView
trace convert {inputs}/drive.osi {place}/x.osi --type SensorView
trace convert {inputs}/drive.osi {place}/x.txth --type SensorView
columns advise {inputs}/drive.osi --type SensorView --json {place}/x.json
columns read {inputs}/drive.bag --topic /imu --out {place}/x.parquet
columns read {inputs}/drive.bag --topic /imu --out {place}/x.arrow
columns read {inputs}/drive.bag --topic /imu --out {place}/x.npz
columns write {inputs}/empty.parquet --type std_msgs/msg/Empty --out {place}/x.mcap
doctor --json {place}/x.json
doctor --noise 60 --report {place}/x.svg
transports --json {place}/x.json
campaign plan {inputs}/campaign.toml --json {place}/x.json
campaign status {inputs}/store --json {place}/former
campaign show {inputs}/store --json {place}/x.json
campaign show {inputs}/store --report {place}/x.html
campaign import {place}/x/y {inputs}/a
campaign run {inputs}/campaign.toml --store {place}/x/y
campaign run {inputs}/campaign.toml --store {inputs}/made --json {place}/x.json
probe run --out {place}/x/y -- true
probe run --json {place}/x.json -- true
probe try --out {place}/x/y -- true
probe attach 1 --out {place}/x.parquet
record /node --out {place}/x/y
record /node --out {inputs}/made --json {place}/x.json
replay {inputs}/recording -y --out {place}/x/y
replay {inputs}/recording -y --try --out {place}/x/y
bench message {inputs}/state.proto --type State --out {place}/x/y
bench osi --out {place}/x/y
bench tensor --out {place}/x/y
bench transport --out {place}/x/y
""".strip().splitlines()
SAYS = {
    "full": ("No space left on device; make room",),
    "read-only": ("Read-only file system; name a", "cannot be written; name a"),
}


def _inputs(folder: Path) -> Path:
    folder.mkdir()
    (folder / "results").mkdir()
    result_folders.copied("heap", folder / "a")
    result_folders.copied("heap", folder / "results" / "a")
    (folder / "logs").mkdir()
    records = (record(number + 1, 100 * number, 100 * number + 50) for number in range(40))
    log = header(names=[(1, "section")]) + b"".join(records)
    (folder / "logs" / "a.wprobe").write_bytes(log)
    with create_trace(folder / "drive.osi", "SensorView") as trace:
        for second in range(5):
            trace.write(second * 10**9, sensor_view(second))
    drive(folder / "drive.bag")
    times = pl.Series("log_time", [0], pl.Datetime("ns"))
    pl.DataFrame([times]).write_parquet(folder / "empty.parquet")
    replayed.write_recording(folder / "recording")
    shutil.copy(ROOT / "examples" / "consumers" / "state.proto", folder)
    shutil.copy(ROOT / "examples" / "campaigns" / "osi.toml", folder / "campaign.toml")
    command = [sys.executable, "-m", "wirecost", "campaign", "import", folder / "store"]
    subprocess.run([*command, folder / "a"], capture_output=True, check=True)
    return folder


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple]:
    """By command and place: status, standard error, what changed in the place."""
    folder = tmp_path_factory.mktemp("full")
    out = folder / "out.json"
    if subprocess.run(
        ["unshare", "--mount", "mount", "-t", "tmpfs", "none", folder],
        capture_output=True, check=False,
    ).returncode:  # fmt: skip
        pytest.skip("no file system can be mounted here")
    driver = [sys.executable, written_places.__file__, str(_inputs(folder / "in")), str(out)]
    paths = os.pathsep.join(map(str, (ROOT / "tests" / "python", ROOT / "tests")))
    subprocess.run(
        ["unshare", "--mount", *driver], input="\n".join(COMMANDS), text=True, check=True,
        capture_output=True, env={**os.environ, "PYTHONPATH": paths},
    )  # fmt: skip
    rows = json.loads(out.read_text())
    return {(line, place): (status, said, changed) for line, place, status, said, changed in rows}


@pytest.mark.parametrize("place", SAYS)
@pytest.mark.parametrize("command", COMMANDS)
def test_it_is_said_which_file_and_nothing_is_left(
    printed: dict[tuple[str, str], tuple], command: str, place: str
) -> None:
    status, said, changed = printed[command, place]
    (line,) = (one for one in said.splitlines() if one.startswith("wirecost: "))
    assert status == 2 and "Traceback" not in said
    name = command.partition("{place}/")[2].split()[0]
    assert line.startswith(f"wirecost: PLACE/{name}")
    assert any(text in line for text in SAYS[place])
    assert changed == []


@pytest.mark.parametrize(
    "words", [["-h"], ["bench", "-h"], ["results", "IN"], ["results", "IN", "--json", "-"]]
)
def test_a_full_disk_under_standard_output(words: list[str]) -> None:
    given = [str(result_folders.DATA) if word == "IN" else word for word in words]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-m", "wirecost", *given],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 2
    last = done.stderr.splitlines()[-1]
    assert last == f"wirecost: standard output: {SAYS['full'][0]}"
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


@pytest.mark.parametrize("words", [["-h"], ["results", str(result_folders.DATA)]])
def test_a_reader_that_has_gone_is_no_error_to_speak_of(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "wirecost", *words],
        stdout=writing, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")
