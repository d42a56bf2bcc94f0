# SPDX-License-Identifier: Apache-2.0
"""A disk that fills under ``record``, or is slow: it says so, and what was written is read."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from support.ros1_system import DEBIAN_MODULES, MISSING, ros1_system, until
from wirecost.replay.recording.writer import CHUNK_BYTES
from wirecost_scenarios.lost import recorder
from wirecost_scenarios.lost.ros1 import LARGE, NODE

pytestmark = pytest.mark.skipif(MISSING, reason="needs roscore and rospy of Debian")
MEGABYTES = 12
WIRECOST = f"{shlex.quote(sys.executable)} -m wirecost"
SCRIPT = f"""
mkdir place
mount -t tmpfs -o size={MEGABYTES}m small place || exit 77
{WIRECOST} record /full_listener --for 30 --out place/out 2> errors
echo $? > status
{WIRECOST} lost place/out/recording.mcap --json lost.json > said 2> unread
echo $? >> status
"""


def test_messages_up_to_a_full_disk_are_read(tmp_path: Path) -> None:
    about = ["full", "100000", "10", "0", str(LARGE)]
    with ros1_system(tmp_path) as system:
        python, node = sys.executable, str(NODE)
        system.start(python, node, "listen", *about, PYTHONPATH=DEBIAN_MODULES)
        go = f"(sleep 5; echo go; sleep 100) | {python} {node} talk {shlex.join(about)}"
        system.start("sh", "-c", go, PYTHONPATH=DEBIAN_MODULES)
        until(lambda: "/full" in system.published())
        script = f"cd {tmp_path}; {SCRIPT}"
        recording = system.start("unshare", "--mount", "sh", "-c", script)
        if recording.wait(100) == 77:
            pytest.skip("no file system can be mounted here")
    assert (tmp_path / "status").read_text().split() == ["2", "0"]
    (error,) = [
        line
        for line in (tmp_path / "errors").read_text().splitlines()
        if line.startswith("wirecost: ")
    ]
    assert "No space left on device; make room" in error
    (topic,) = [
        topic
        for topic in json.loads((tmp_path / "lost.json").read_text())["topics"]
        if topic["topic"] == "/full"
    ]
    # What did not fit is one chunk at most.
    least = MEGABYTES * 2**20 - CHUNK_BYTES - 2 * LARGE
    assert topic["count"] > least / LARGE
    assert not topic["gaps"]
    assert "cut off" in (tmp_path / "unread").read_text()


def test_messages_for_which_a_slow_disk_left_no_room_are_counted(tmp_path: Path) -> None:
    row = recorder.run(tmp_path)
    assert row.is_right, row
