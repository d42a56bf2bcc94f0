# SPDX-License-Identifier: Apache-2.0
"""A node's process as its participant announces it, and domains of one's own."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from support.second_user import needs_root, python_as_second_user
from wirecost import _dds
from wirecost.replay.dds import recorder
from wirecost.replay.dds.domain import FreeDomain
from wirecost.replay.dds.graph import process_of
from wirecost.system.errors import UserError

HERE = socket.gethostname()
MACHINE_ID = Path("/etc/machine-id")


@dataclass
class Announced:
    properties: dict[str, str] = field(default_factory=dict)
    ports: set[int] = field(default_factory=set)


def announced(properties: dict[str, str], port: int) -> _dds.FoundParticipant:
    return cast(_dds.FoundParticipant, Announced(properties, {port}))


def cyclone(pid: object, host: str = HERE) -> dict[str, str]:
    return {"__Pid": str(pid), "__Hostname": host}


def fast(pid: object, host: str) -> dict[str, str]:
    start = "fastdds.physical_data"
    return {f"{start}.process": str(pid), f"{start}.host": host}


@pytest.fixture
def port() -> Iterator[int]:
    """Return a port at which this process receives."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.bind(("127.0.0.1", 0))
        yield receiver.getsockname()[1]


def test_a_process_is_found_by_what_each_implementation_announces(port: int) -> None:
    own = os.getpid()
    assert process_of(announced(cyclone(own), port)) == own
    assert process_of(announced(fast(own, f"{HERE}:56447697835327488"), port)) == own
    assert process_of(announced(fast(own, HERE), port)) == own
    if MACHINE_ID.exists():
        assert process_of(announced(fast(own, MACHINE_ID.read_text().strip()), port)) == own


@pytest.mark.parametrize("host", ["", "elsewhere", "elsewhere:1", f"{HERE}2", "0" * 32])
def test_a_process_of_another_machine_is_none(host: str, port: int) -> None:
    assert process_of(announced(cyclone(os.getpid(), host), port)) is None
    assert process_of(announced(fast(os.getpid(), host), port)) is None


def test_a_number_in_a_container_is_no_process_here(port: int) -> None:
    """It has our host's name, and another process that number here."""
    with subprocess.Popen(["sleep", "60"]) as other:
        assert process_of(announced(cyclone(other.pid), port)) is None
        other.kill()
    assert process_of(announced(cyclone(other.pid), port)) is None


@pytest.mark.parametrize("pid", ["", "../12", "²", "-1", "9" * 30])
def test_what_is_no_number_is_no_process(pid: str, port: int) -> None:
    assert process_of(announced(cyclone(pid), port)) is None


def test_nothing_told() -> None:
    assert process_of(announced({}, 1)) is None


def test_two_free_domains_are_two() -> None:
    with FreeDomain() as first, FreeDomain() as second:
        assert first.number != second.number


@needs_root
def test_two_users_free_domains_are_two() -> None:
    program = (
        "from wirecost.system.free_domain import FreeDomain\n"
        "with FreeDomain() as domain: print(domain.number)"
    )
    with FreeDomain() as first:
        done = python_as_second_user(program)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout) != first.number


def test_a_domain_in_use_is_left_alone() -> None:
    with FreeDomain() as probe:
        number = probe.number
    port = 7400 + 250 * number + 10
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as occupant:
        occupant.bind(("127.0.0.1", port))
        with FreeDomain() as other:
            assert other.number != number


@pytest.mark.parametrize("text", ["x", "-1", "233", "1.5"])
def test_a_domain_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(UserError, match="not a number from 0 to 232"):
        recorder.DdsRecorder(None)
