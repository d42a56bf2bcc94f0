# SPDX-License-Identifier: Apache-2.0
"""``wirecost cost`` as a user runs it: a recording, a graph of ROS 1, two states."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from cost.drives import POINTS, RATES_HZ, STEP, USED, drive
from support.ros1_system import MISSING, Ros1System, ros1_system, until
from wirecost.cli import app
from wirecost.measure.standins import turns
from wirecost.results.records.proof import Proof
from wirecost.results.report.cost.proof_answer import proof_answer

COST = [sys.executable, "-m", "wirecost", "cost"]
SCREEN, COLUMNS = 24, 80


def run(*words: str | Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*COST, *map(str, words)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == status, done.stderr
    return done


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("drive")
    drive(folder / "drive.mcap")
    return folder / "drive"


def document(*words: str | Path) -> Any:
    return json.loads(run(*words, "--json", "-").stdout)


def test_the_answer_is_one_screen(recording: Path) -> None:
    lines = run(recording).stdout.splitlines()
    assert len(lines) <= SCREEN
    # Commands stay in one piece, so that they can be copied.
    assert max(len(line) for line in lines if "wirecost " not in line) <= COLUMNS
    assert lines[0].startswith("3.2")  # MB/s
    assert "/imu" in lines[0] + lines[1]
    assert any("remove padding" in line for line in lines)


def test_the_example_is_written_once_and_replaces_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        assert "3 topics" in run("--example").stdout
    assert run("drive.mcap").stdout == run("--example").stdout
    (tmp_path / "drive.mcap").write_text("mine")
    assert "another file is there" in run("--example", status=2).stderr
    assert (tmp_path / "drive.mcap").read_text() == "mine"


def test_numbers_add_up(recording: Path) -> None:
    found = document(recording)
    rows = {topic["topic"]: topic for topic in found["topics"]}
    assert {name: pytest.approx(row["rate_hz"]) for name, row in rows.items()} == RATES_HZ
    assert all(row["encode_ns"] > 0 and row["decode_ns"] > 0 for row in rows.values())
    more = document(recording, "--subscribers", "/points=3")
    tripled = next(one for one in more["topics"] if one["topic"] == "/points")
    assert tripled["decode_ns"] == rows["/points"]["decode_ns"]
    assert tripled["subscribers"] == 3


def test_inside_a_cloud(recording: Path) -> None:
    inside = document(recording, "--topic", "/points")["inside"]
    columns = {column["name"]: column for column in inside["columns"]}
    padding = "(padding, bytes 12–15, 24–31)"
    assert list(columns) == ["x", "y", "z", "intensity", "ring", padding]
    assert columns[padding]["bytes"] / columns["x"]["bytes"] == (STEP - USED) / 4
    assert columns["x"]["zero_share"] == 1.0
    without = next(one for one in inside["packings"] if one["what"] == "without padding")
    assert without["share"] == pytest.approx(1 - (STEP - USED) / STEP, abs=0.01)
    (waste,) = inside["waste"]
    assert waste.startswith("fields intensity, ring are constant: publish them once")
    assert inside["fields"][0]["bytes"] >= POINTS * STEP or len(inside["fields"]) > 1


def test_two_states(recording: Path, tmp_path: Path) -> None:
    before = document(recording)
    after = json.loads(json.dumps(before))
    points = next(one for one in after["topics"] if one["topic"] == "/points")
    points["rate_hz"] *= 2
    after["topics"] = [one for one in after["topics"] if one["topic"] != "/imu"]
    for name, content in (("a.json", before), ("b.json", after)):
        (tmp_path / name).write_text(json.dumps(content))
    compare = [
        sys.executable,
        "-m",
        "wirecost",
        "compare",
        tmp_path / "a.json",
        tmp_path / "b.json",
    ]
    done = subprocess.run(
        [*compare, "--fail-above", "5%"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3, done.stderr
    assert "2 topics changed" in done.stdout
    assert "/points" in done.stdout and "went" in done.stdout


def test_a_page(recording: Path, tmp_path: Path) -> None:
    page = tmp_path / "cost.html"
    run(recording, "--report", page)
    text = page.read_text()
    assert "What each topic takes of a core" in text
    assert "http" not in text.partition("<script")[0].replace("http-equiv", "")


def test_measured_times_replace_computed_ones(recording: Path) -> None:
    found = document(recording, "--measure", "/imu", "--lang", "python")
    rows = {topic["topic"]: topic for topic in found["topics"]}
    has_rclpy = find_spec("rclpy") is not None
    assert rows["/imu"]["is_measured"] == has_rclpy and not rows["/points"]["is_measured"]
    assert rows["/imu"]["library"] == "rclpy"
    assert has_rclpy or any("/imu is not measured: rclpy" in text for text in found["warnings"])


def test_a_transport_adds_its_time(recording: Path) -> None:
    plain, carried = document(recording), document(recording, "--over", "zeromq")
    assert carried["over"] == "zeromq"
    assert all(topic["carry_ns"] > 0 for topic in carried["topics"])
    assert plain["over"] == ""


def test_an_advice_is_proved_with_stand_ins(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is the one that the advice prints; a shorter one would prove less."""
    monkeypatch.setattr(turns, "LONGEST_S", turns.SHORTEST_S)
    monkeypatch.setattr(turns, "MOST_ROUNDS", turns.LEAST_ROUNDS)
    printed = run(recording, "--lang", "python", "--json", "-").stdout
    cost = json.loads(printed)
    number, remedy = next(
        (number, one) for number, one in enumerate(cost["remedies"], 1) if one["kind"] == "packed"
    )
    assert remedy["command"].endswith(f"--prove {number} --lang python")
    done = CliRunner().invoke(
        app, ["cost", str(recording), "--prove", str(number), "--lang", "python", "--json", "-"]
    )
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    # What is promised is of the client that stands in, which may be another one.
    of_client = {"command", "share", "publish_share", "take_share", "spread"}
    assert {name: found["remedy"][name] for name in remedy if name not in of_client} == {
        name: value for name, value in remedy.items() if name not in of_client
    }
    assert found["remedy"]["share"] > 0
    assert found["client"] in ("plain Fast DDS in C++", "rclpy over Fast DDS")
    for pair in found["turns"]:
        saved = pair["before"]["bytes_per_s"] - pair["after"]["bytes_per_s"]
        assert saved == pytest.approx(POINTS * (STEP - USED) * RATES_HZ["/points"])
    answer = proof_answer(msgspec.convert(found, Proof))
    assert "remove padding" in answer.sentence
    assert len(answer.table.rows) == 4


def test_a_proof_has_a_bounded_number_of_processes(recording: Path) -> None:
    many = ["--lang", "python", "--subscribers", "/points=9999", "--prove", "1"]
    assert "at most 16" in run(recording, *many, status=2).stderr


def test_the_printed_command_for_all_is_one(
    recording: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wirecost.cli.cost._calibrate", lambda *_: None)
    words = ["--lang", "python", "--python", sys.executable, "--calibrate"]
    said = CliRunner().invoke(app, ["cost", str(recording), *words])
    assert said.exit_code == 0, said.output
    (command,) = [line for line in said.stdout.splitlines() if line.startswith("All topics: ")]
    done = CliRunner().invoke(app, shlex.split(command)[3:])
    assert done.exit_code == 0, done.output


def test_what_changes_would_save(recording: Path) -> None:
    text = run(recording, "--what-if").stdout
    assert len(text.splitlines()) <= SCREEN
    assert "packed" in text and "half rate" in text
    saved = {(one["topic"], one["kind"]): one for one in document(recording)["remedies"]}
    assert saved["/points", "packed"]["is_sure"] and saved["/points", "packed"]["is_worth"]
    assert saved["/imu", "half rate"]["bytes_per_s"] == pytest.approx(50 * 316 / 2, rel=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.mcap"], "no such file"),
        ([], "name a recording"),
        (["--live", "ros3"], "give ros2, ros1 or dds"),
        (["{}", "--topic", "/none"], "has no message here"),
        (["{}", "--subscribers", "/none=2"], "no such topic"),
        (["{}", "--subscribers", "points"], "give TOPIC=N"),
        (["{}", "--measure", "/none"], "no such topic"),
        (["{}", "--lang", "java"], "give cpp or python"),
        (["{}", "--over", "fastds"], "choose fastdds, fastdds-udp, cyclonedds, zenoh"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    recording: Path, words: list[str], said: str
) -> None:
    done = run(*(word.format(recording) for word in words), status=2)
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ros1System]:
    """Somebody publishes on /in."""
    with ros1_system(tmp_path_factory.mktemp("ros")) as made:
        made.node("source")
        until(lambda: "/in" in made.published())
        yield made


@pytest.mark.skipif(MISSING, reason="needs roscore, rospy and topic-tools of Debian")
def test_a_graph_of_ros_1(system: Ros1System) -> None:
    done = subprocess.run(
        [*COST, "--live", "ros1", "--for", "5s", "--json", "-"],
        env=system.environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    rows = {topic["topic"]: topic for topic in found["topics"]}
    (process,) = [one for one in found["processes"] if one["nodes"] == rows["/in"]["publishers"]]
    assert 0 < process["explained"] < process["share"] < 1
    assert process["threads"]
    assert rows["/in"]["count"] > 10
    assert rows["/in"]["encode_ns"] > 0
    assert len(rows["/in"]["publishers"]) == 1
