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

from wirecost.measure.bench.transport import clients, ground
from wirecost.measure.bench.transport.contender import TransportContender
from wirecost.measure.bench.transport.faults import registry, replacing, server_killed
from wirecost.measure.bench.transport.faults.fault import FaultOutcome, Setup
from wirecost.measure.bench.transport.setting_groups import AskedQuality, settings_of
from wirecost.measure.network import support
from wirecost.measure.network.profiles import BUILT_IN
from wirecost.messaging.transport import find
from wirecost.messaging.transport.shared.server_process import program

Run = Callable[..., "subprocess.CompletedProcess[str]"]
BLIND = """
import sys
from wirecost.__main__ import main
from wirecost.measure.network import support
support.program = lambda name: None if name == "tc" else name
main()
"""
SMALL = (
    "--middlewares",
    "zeromq-tcp",
    "--sizes",
    "1000",
    "--settings",
    "default",
    "--processes",
    "1",
)


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
    assert "other subscriber lost" in found["others"]


Happen = Callable[[str, str], FaultOutcome]


@pytest.fixture
def happen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Happen:
    """``happen(fault, transport)``, watched for less long than usual."""
    monkeypatch.setattr(replacing, "AFTER_S", 2.0)
    monkeypatch.setattr(server_killed, "AFTER_S", 4.0)

    def run(fault: str, mware: str) -> FaultOutcome:
        default = settings_of(mware, AskedQuality())[0]
        with ground.opened(None, 2) as loopback:
            contender = TransportContender(mware, clients.python(), default)
            setup = Setup(contender, loopback, tmp_path, topics=20)
            return registry.faults()[fault].run(setup)

    return run


def test_another_publisher_takes_the_place_of_a_killed_one(happen: Happen) -> None:
    found = happen("publisher-killed", "zeromq")
    assert found.recovered_ns is not None and 0 < found.recovered_ns < 2e9
    times = [sent for sent, latency, _ in found.messages if sent is not None and latency]
    assert min(times) < -0.5e9 and max(times) > 1e9
    assert found.memory_bytes_after is not None and found.memory_bytes_after > 1 << 20


def test_who_stands_still_gets_nothing_meanwhile(happen: Happen) -> None:
    found = happen("queue-overflow", "zeromq")
    arrived: dict[int, list[int]] = {0: [], 1: []}
    for sent, latency, role in found.messages:
        if sent is not None and latency is not None and role is not None:
            arrived[role].append(sent + latency)
    assert not [at for at in arrived[1] if 0.1e9 < at < 1.9e9]
    assert [at for at in arrived[0] if 0.1e9 < at < 1.9e9]
    assert max(arrived[1]) > 2e9 and found.lost is not None


def test_a_killed_broker_is_started_again(happen: Happen) -> None:
    if why := find("mqtt").missing() or (program("mosquitto") is None and "no mosquitto"):
        pytest.skip(f"mqtt: not installed: {why}")
    found = happen("server-killed", "mqtt")
    assert found.recovered_ns is not None and 0 < found.recovered_ns < 4e9
    down = [row for row in found.messages if row[0] is not None and 0.05e9 < row[0] < 0.4e9]
    assert down and all(latency is None for _, latency, _ in down)


def test_each_of_many_topics_carries_a_message(happen: Happen) -> None:
    found = happen("many-topics", "zeromq")
    assert found.lost == 0 and found.recovered_ns is not None
    assert found.others.startswith("20 topics: 0")


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
    assert "apt install iproute2" in done.stderr
    assert {run["network"] for run in _meta(out)["runs"]} == {"loopback"}
