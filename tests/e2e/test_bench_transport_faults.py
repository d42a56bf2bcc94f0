# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench transport --faults`` and ``--network``, as a user drives them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from wirecost.network import support
from wirecost.network.profiles import BUILT_IN

Run = Callable[..., "subprocess.CompletedProcess[str]"]
BLIND = """
import sys
from wirecost.__main__ import main
from wirecost.network import support
support.program = lambda name: None if name == "tc" else name
main()
"""
SMALL = ("--mwares", "zeromq-tcp", "--sizes", "1000", "--settings", "default", "--processes", "1")


def _meta(folder: Path) -> dict[str, Any]:
    meta: dict[str, Any] = json.loads((folder / "meta.json").read_text())
    return meta


def test_a_subscriber_is_killed_and_another_one_comes(wirecost: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = (*SMALL, "--seconds", "0.3", "--faults", "subscriber-killed,server-killed")
    done = wirecost("bench", "transport", *options, "--out", out)
    assert done.returncode == 0, done.stderr
    (found,) = _meta(out)["faults"]  # there is no server to be killed
    assert found["fault"] == "subscriber-killed" and found["failure"] is None
    assert found["network"] == "loopback" and found["mware"] == "zeromq-tcp"
    assert 0 < found["recovered_ns"] < 4e9
    assert 0 < found["memory_bytes_before"] < 1 << 30
    # It is there only after it was killed; the other one has all messages before and after.
    joined = [row for row in found["timeline"] if row[2] == 2 and row[1] is not None]
    other = [row for row in found["timeline"] if row[2] == 0]
    assert joined and min(sent for sent, *_ in joined) > 0
    assert min(sent for sent, *_ in other) < 0 < max(sent for sent, *_ in other)
    assert "the other subscriber lost" in found["others"]
    again = tmp_path / "again"
    done = wirecost("bench", "transport", *options, "--resume", out, "--out", again)
    assert done.returncode == 0, done.stderr
    assert _meta(again)["faults"] == [found]


def test_a_network_is_made_and_recorded(wirecost: Run, tmp_path: Path) -> None:
    if why := support.missing(BUILT_IN["lan"]):
        pytest.skip(f"no network lan: {why}")
    out, own = tmp_path / "out", tmp_path / "campus.toml"
    own.write_text("rate_mbit = 100\nqueue_packets = 200\n")
    done = wirecost(
        "bench", "transport", *SMALL, "--seconds", "0.5", "--network", f"lan,{own}", "--out", out
    )
    assert done.returncode == 0, done.stderr
    meta = _meta(out)
    assert set(meta["networks"]) == {"lan", "campus"}
    assert meta["networks"]["campus"]["queue_packets"] == 200
    assert meta["networks"]["lan"]["ping_received"] == meta["networks"]["lan"]["ping_sent"]
    assert {run["network"] for run in meta["runs"]} == {"lan", "campus"}
    for run in meta["runs"]:
        # TCP's and Ethernet's headers are on the wire, too.
        assert 1066 < run["wire_bytes"] < 2000 and run["lost"] == 0


def test_without_the_right_loopback_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = subprocess.run(
        [
            sys.executable, "-c", BLIND, "bench", "transport", *SMALL, "--seconds", "0.3",
            "--network", "wan", "--out", str(out),
        ],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "not measured: network wan: tc not found: apt install iproute2" in done.stderr
    assert {run["network"] for run in _meta(out)["runs"]} == {"loopback"}


def test_an_unknown_fault_is_refused_before_anything_runs(wirecost: Run, tmp_path: Path) -> None:
    done = wirecost("bench", "transport", "--faults", "killed", "--out", tmp_path / "out")
    assert done.returncode == 2 and not (tmp_path / "out").exists()
    assert "--faults: 'killed' is unknown: did you mean" in done.stderr
