# SPDX-License-Identifier: Apache-2.0
"""Readers of recordings: what loses stands first, and each reads all messages of its file."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from wirecost_scenarios.recordings import files
from wirecost_scenarios.recordings.__main__ import CONTENDER_FILE
from wirecost_scenarios.recordings.contenders import CONTENDERS
from wirecost_scenarios.recordings.page import PAGE, Measured, text

MOST_LINES = 60


@pytest.mark.parametrize(
    "contender", [name for name, (at, _) in CONTENDERS.items() if at == "here"]
)
def test_a_contender_reads_all_messages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, contender: str
) -> None:
    few = files.FILES["Imu"]._replace(messages=20)
    monkeypatch.setitem(files.FILES, "Imu", few)
    path = files.write_file(tmp_path, "Imu")
    command = [sys.executable, CONTENDER_FILE, contender, path, few.topic]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["count"] == 20


def test_what_loses_stands_first() -> None:
    def taking(cpu_ms: float) -> Measured:
        return Measured(cpu_ms, 1)

    page = text({
        "Imu": {"wirecost": taking(100), "floor": taking(50), "rosbags": taking(2000),
                "pybag": taking(3000)},
        "Path": {"wirecost": taking(100), "rosbags": taking(70)},
    })  # fmt: skip
    assert "**1 of 3 goals are met**" in page
    rows = [line.split() for line in page.splitlines() if line.startswith(("Imu", "Path"))]
    assert rows == [
        ["Path", "rosbags", "0.7", "≥", "5", "missed"],
        ["Imu", "floor", "2", "≤", "1.5", "missed"],
        ["Imu", "rosbags", "20", "≥", "15"],
    ]
    table = [line.split() for line in page.splitlines()[-6:-1]]
    assert table == [
        ["100,000", "Imu", "1,000", "Path"],
        ["floor", "50±1", "–"],
        ["wirecost", "100±1", "100±1"],
        ["rosbags", "2,000±1", "70±1"],
        ["pybag", "3,000±1", "–"],
    ]


def test_the_page_is_short_and_of_these_contenders() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= MOST_LINES
    words = {word for line in lines for word in line.split()}
    assert set(CONTENDERS) <= words
