# SPDX-License-Identifier: Apache-2.0
"""A node's process as its participant announces it, and domains of one's own."""

from __future__ import annotations

import socket
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from support.second_user import needs_root, python_as_second_user
from wirecost import _dds
from wirecost.errors import UserError
from wirecost.replay.dds import recorder
from wirecost.replay.dds.domain import FreeDomain
from wirecost.replay.dds.process import process_of


@dataclass
class Announced:
    properties: dict[str, str] = field(default_factory=dict)


def announced(pid: str, name: str, host: str = "") -> _dds.FoundParticipant:
    properties = {
        "__Pid": pid,
        "__ProcessName": name,
        "__Hostname": host or socket.gethostname(),
    }
    return cast(_dds.FoundParticipant, Announced(properties))


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for pid, comm, arguments in (
        (12, "filter", "/opt/filter\0-x"),
        (13, "python3", "python3\0/a/n.py"),
    ):
        folder = tmp_path / str(pid)
        folder.mkdir()
        (folder / "comm").write_text(f"{comm}\n")
        (folder / "cmdline").write_text(f"{arguments}\0")
    return tmp_path


@pytest.mark.parametrize(
    ("pid", "name", "host", "expected"),
    [
        ("12", "filter", "", 12),
        ("13", "n.py", "", 13),
        ("13", "python3", "", 13),
        ("12", "other", "", None),
        ("12", "", "", None),
        ("12", "filter", "elsewhere", None),
        ("14", "filter", "", None),
        ("../12", "filter", "", None),
        ("²", "filter", "", None),
    ],
)
def test_process(proc: Path, pid: str, name: str, host: str, expected: int | None) -> None:
    assert process_of(announced(pid, name, host), proc) == expected


def test_nothing_told() -> None:
    assert process_of(cast(_dds.FoundParticipant, Announced())) is None


def test_two_free_domains_are_two() -> None:
    with FreeDomain() as first, FreeDomain() as second:
        assert first.number != second.number


@needs_root
def test_two_users_free_domains_are_two() -> None:
    program = (
        "from wirecost.free_domain import FreeDomain\n"
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
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", port))
        with FreeDomain() as other:
            assert other.number != number


@pytest.mark.parametrize("text", ["x", "-1", "233", "1.5"])
def test_a_domain_that_is_none(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", text)
    with pytest.raises(UserError, match="not a number from 0 to 232"):
        recorder.DdsRecorder(None)
