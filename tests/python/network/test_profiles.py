# SPDX-License-Identifier: Apache-2.0
"""Network profiles: built in, and of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost.measure.network import profiles
from wirecost.measure.network.profiles import Profile
from wirecost.system.errors import UserError


def test_the_built_in_ones_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "networks.md").read_text()
    for profile in profiles.BUILT_IN.values():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{profile.name}`"))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        cut = f"{profile.cut_s:g} s, {profile.cut_after_s:g} s after the first message"
        assert cells[1:7] == [
            f"{profile.delay_ms:g} ms", f"{profile.jitter_ms:g} ms", f"{profile.loss_percent:g} %",
            f"{profile.rate_mbit:g} Mbit/s", str(profile.queue_packets),
            cut if profile.cut_s else "–",
        ]  # fmt: skip


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "campus.toml"
    path.write_text("delay_ms = 10\njitter_ms = 2.5\nloss_percent = 1\nqueue_packets = 50\n")
    profile = profiles.find(str(path))
    assert profile == Profile("campus", 10, 2.5, 1, queue_packets=50)
    assert profile.needs_delay and not profiles.BUILT_IN["narrow"].needs_delay


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("delay_ms = ", "no TOML: Invalid value"),
        ("delay = 3", "delay: is no key; write delay_ms"),
        ("delay_ms = -1", "delay_ms: give a number from 0 to 2000"),
        ("delay_ms = nan", "delay_ms: give a number from 0 to 2000"),
        ("delay_ms = true", "delay_ms: give a number from 0 to 2000"),
        ("delay_ms = '3'", "delay_ms: give a number from 0 to 2000"),
        ("rate_mbit = 0", "rate_mbit: give a number from 0.1 to 1000"),
        ("queue_packets = 1.5", "queue_packets: give a whole number"),
        ("queue_packets = [1]", "queue_packets: give a number from 1 to 10000"),
        ("delay_ms = 1\njitter_ms = 2", "jitter_ms: is more than delay_ms; give at most as much"),
        ("name = 'wan'", "name: wan is built in; give another name"),
        ("name = 3", "name: give 1 to 40 printable characters"),
        ("name = '\\u001b'", "name: give 1 to 40 printable characters"),
        ("[link]\ndelay_ms = 1", "link: is no key; write name, delay_ms,"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text.replace("'\\u001b'", '"\\u001b"'))
    with pytest.raises(UserError) as raised:
        profiles.find(str(path))
    assert str(raised.value).startswith(f"{path}: {why}")
    assert "\n" not in str(raised.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "binary.toml").write_bytes(b"\xff")
    with pytest.raises(UserError, match="not UTF-8"):
        profiles.find(str(tmp_path / "binary.toml"))
    with pytest.raises(UserError, match="No such file"):
        profiles.find(str(tmp_path / "absent.toml"))
    with pytest.raises(UserError, match="'wann' is unknown: did you mean wan"):
        profiles.find("wann")
