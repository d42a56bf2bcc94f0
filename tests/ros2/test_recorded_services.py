# SPDX-License-Identifier: Apache-2.0
"""A service is available to its clients while it is recorded, and what they call is recorded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.ros2_wheels import DISTRIBUTIONS, NODES, python_of
from wirecost.replay.recording.reader import read_recording
from wirecost.system.free_domain import FreeDomain

WIRECOST = Path(sys.executable).with_name("wirecost")
CALLS = 3


@contextmanager
def running(*words: str | Path, until: str, domain: int) -> Iterator[subprocess.Popen[str]]:
    """Start a program and wait for a line with ``until``; end it as by Ctrl-C."""
    environment = os.environ | {"ROS_DOMAIN_ID": str(domain), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        read = []
        for line in process.stdout:
            read.append(line)
            if until in line:
                break
        else:
            pytest.fail("".join(read))
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_available_while_recorded(distribution: str, tmp_path: Path) -> None:
    python, node, recorded = python_of(distribution), NODES / "service.py", tmp_path / "recorded"
    record = (WIRECOST, "record", "/server", "--system", "dds", "--out", recorded)
    with FreeDomain() as domain:
        number = domain.number
        with (
            running(python, node, "serve", until="ready", domain=number),
            running(*record, until="messages of", domain=number),
        ):
            subprocess.run(
                [python, node, "call", str(CALLS)],
                env=os.environ | {"ROS_DOMAIN_ID": str(number)}, check=True, timeout=60,
            )  # fmt: skip
    calls = read_recording(recorded / "recording.mcap", "ros2").calls
    assert [call.service for call in calls] == ["/switch"] * CALLS
