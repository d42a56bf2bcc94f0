# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench transport`` as a user drives it: real middlewares, in processes of their own."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from support.waiting import until
from wirecost.measure.bench.transport import clients
from wirecost.measure.bench.transport.choices import FLOORS
from wirecost.measure.bench.transport.clients import NATIVE_PREFIX, PROGRAMS
from wirecost.measure.network import profiles, support
from wirecost.results.records.reading import read_results
from wirecost.results.records.schemas.transport import TransportMeta

Run = Callable[..., "subprocess.CompletedProcess[str]"]
QUICK = ("--seconds", "0.3", "--processes", "1")
WIRECOST = Path(sys.executable).with_name("wirecost")


def measured(wirecost: Run, out: Path, *options: str) -> dict[str, Any]:
    done = wirecost("bench", "transport", *options, "--out", str(out), "--json", "-")
    assert done.returncode == 0, done.stderr
    document: dict[str, Any] = json.loads(done.stdout)
    assert document["failures"] == []
    return document


def totals(document: dict[str, Any]) -> dict[tuple[str, str, int], dict[str, Any]]:
    return {
        (row["mware"], row["settings"], row["size"]): row
        for row in document["rows"]
        if row["stage"] == "total"
    }


@pytest.mark.parametrize(("rate", "option"), [("100", "--seconds 10"), ("4000", "")])
def test_a_missing_99th_percentile_is_said_before_the_run(
    rate: str, option: str, wirecost: Run, tmp_path: Path
) -> None:
    options = ("--middlewares", "zeromq", "--settings", "matched", "--sizes", "100", "--rate", rate)
    done = wirecost("bench", "transport", *options, *QUICK, "--out", str(tmp_path / "r"))
    assert done.returncode == 0, done.stderr
    before = done.stderr.partition("%")[0]
    assert ("--seconds" in before) == bool(option)
    assert option in before


def test_latency_losses_and_price_of_each_combination(wirecost: Run, tmp_path: Path) -> None:
    options = (
        "--middlewares",
        "zeromq-tcp,iceoryx2",
        "--sizes",
        "100,64Ki",
        "--rate",
        "100",
        *QUICK,
    )
    document = measured(wirecost, tmp_path / "r", *options, "--subscribers", "2", "--seed", "3")
    rows = totals(document)
    assert rows.keys() == {
        (mware, settings, size)
        for mware in ("zeromq-tcp", "iceoryx2")
        for settings in ("default", "matched")
        for size in (100, 65_536)
    }
    for (_, _, size), row in rows.items():
        assert (row["asked_rate"], row["subscribers"], row["network"]) == (100, 2, "loopback")
        # In a single process, as many are compared as every contender of the case has.
        fewest = min(one["received"] for (_, _, of), one in rows.items() if of == size)
        assert (row["sent"], row["n"]) == (30, fewest)
        assert row["sent"] * 2 == row["received"] + row["lost"]
        assert row["duplicates"] == row["reordered"] == row["wrong"] == row["refused"] == 0
        assert row["checked"] > 0
        assert 0 < row["median_ns"] <= row["p99_ns"] <= row["p999_ns"] <= row["max_ns"]
        for part in ("publisher", "subscribers"):
            assert row["usage"][part]["cpu_ns"] > 1000
            assert row["usage"][part]["memory_bytes"] > 1 << 20
    for (mware, settings, _), row in rows.items():
        assert row["promise"] == ("no loss" if settings == "matched" else ""), mware
        assert row["lost"] == 0 or settings == "default"
        assert row["broken"] == ""
    # What a row says to reproduce it is a command that this program takes.
    words = shlex.split(rows["iceoryx2", "matched", 100]["reproduce"])
    again = measured(wirecost, tmp_path / "again", *words[3:], "--processes", "1")
    assert totals(again).keys() == {("iceoryx2", "matched", 100)}


def test_requests_wait_for_their_replies(wirecost: Run, tmp_path: Path) -> None:
    options = ("--middlewares", "zeromq", "--pattern", "reqrep", "--settings", "matched", *QUICK)
    document = measured(wirecost, tmp_path / "r", *options, "--sizes", "100", "--rate", "50")
    stages = {row["stage"]: row["median_ns"] for row in document["rows"]}
    assert stages.keys() == {"lateness", "request", "total"}
    assert stages["request"] < stages["total"]


def test_best_effort_and_the_queue_are_what_matched_asks_for(wirecost: Run, tmp_path: Path) -> None:
    options = ("--middlewares", "mqtt", "--settings", "matched", "--sizes", "100", *QUICK)
    for asked, qos in (("--reliable", 1), ("--best-effort", 0)):
        out = tmp_path / asked.strip("-")
        (row,) = totals(measured(wirecost, out, *options, asked, "--queue", "7")).values()
        assert (row["reliable"], row["queue"]) == (bool(qos), 7)
        settings = read_results(out).meta_as(TransportMeta).settings
        assert settings["mqtt matched"]["qos"] == qos
        assert row["usage"]["daemon"]["cpu_ns"] > 0


def test_a_peak_is_searched_for(wirecost: Run, tmp_path: Path) -> None:
    options = ("--middlewares", "iceoryx2", "--settings", "matched", "--sizes", "100", *QUICK)
    (row,) = totals(measured(wirecost, tmp_path / "r", *options, "--find-peak")).values()
    peak = row["peak"]
    assert peak["rate"] > 0
    assert peak["tried"]
    assert peak["seconds"] < 60


def test_native_clients_are_another_row(wirecost: Run, tmp_path: Path) -> None:
    if not (PROGRAMS / f"{NATIVE_PREFIX}zeromq").is_file():
        pytest.skip("no native client of ZeroMQ is installed")
    options = (
        "--middlewares",
        "zeromq",
        "--client",
        "python,native",
        "--settings",
        "default",
        *QUICK,
    )
    document = measured(wirecost, tmp_path / "r", *options, "--sizes", "100")
    assert {row["client"] for row in document["rows"]} == {"python", "native"}


def test_floors_are_rows_of_their_own(wirecost: Run, tmp_path: Path) -> None:
    if not clients.floors():
        pytest.skip("the floors' client is not installed")
    chosen = ("--middlewares", ",".join(("zeromq", *FLOORS)), "--settings", "matched")
    document = measured(wirecost, tmp_path / "r", *chosen, "--sizes", "100,64Ki", *QUICK)
    rows = totals(document)
    assert {mware for mware, _, _ in rows} == {"zeromq", *FLOORS}
    assert all(row["checked"] > 0 and row["wrong"] == row["lost"] == 0 for row in rows.values())
    meta = read_results(tmp_path / "r").meta_as(TransportMeta)
    assert meta.requested == ["zeromq"]
    assert meta.settings.keys() == {"zeromq matched"}


def test_a_lossy_network_loses_packets_but_not_what_tcp_repairs(
    wirecost: Run,
    tmp_path: Path,
    snapshot: SnapshotAssertion,
) -> None:
    if why := support.missing(profiles.BUILT_IN["lossy"]):
        pytest.skip(f"no network can be made: {why}")
    options = (
        "--middlewares",
        "zeromq-tcp,iceoryx2",
        "--settings",
        "matched",
        "--network",
        "lossy",
    )
    document = measured(wirecost, tmp_path / "r", *options, "--sizes", "100", *QUICK)
    (row,) = totals(document).values()
    assert (row["mware"], row["network"], row["lost"]) == ("zeromq-tcp", "lossy", 0)
    assert row["median_ns"] > 1_000_000  # the delay of one way
    assert row["wire_bytes"] > 100
    assert document["not_run"] == snapshot
    network = read_results(tmp_path / "r").meta_as(TransportMeta).networks["lossy"]
    assert network["loss_percent"] == 5
    assert network["ping_sent"] > network["ping_received"] > 0


def test_nothing_is_left_when_the_command_is_killed(tmp_path: Path) -> None:
    command = [str(WIRECOST), "bench", "transport", "--middlewares", "mqtt", "--sizes", "100"]
    with subprocess.Popen(
        [*command, "--seconds", "30", "--out", str(tmp_path / "r")],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        until(lambda: len(_below(process.pid)) >= 4)  # both ends, the broker and its parent
        children = _below(process.pid)
        process.kill()
    until(lambda: not any(map(_lives, children)))


def _below(process: int) -> list[int]:
    found = []
    for line in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = line.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == process:
            number = int(line.parent.name)
            found += [number, *_below(number)]
    return found


def _lives(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
