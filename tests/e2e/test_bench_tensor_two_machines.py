# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench tensor --role``: two processes as two machines, and two network namespaces."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]
PROGRAM = str(Path(sys.executable).with_name("wirecost"))
SHIFT_NS = 987_654_321_000
SHIFTED = f"""
import time
true = time.monotonic_ns
time.monotonic_ns = lambda: true() + {SHIFT_NS}
"""

TALKATIVE = """
from wirecost.__main__ import main
from wirecost.cli import console
console.LINE_EVERY_S = 0
main()
"""
"""A line of progress at each step."""


@contextmanager
def listening(
    *options: str, before: tuple[str, ...] = (), more: dict[str, str] | None = None
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """Start a listener; return it and the options that it says a publisher needs."""
    command = [*before, PROGRAM, "bench", "tensor", "--role", "listen", *options]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, **(more or {})}
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert "wirecost bench tensor" in line
        yield process, line.partition("bench tensor")[2].split()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_listener_whose_clock_is_ahead_is_distinguished_from_a_slow_transport(
    wirecost: Run, tmp_path: Path
) -> None:
    """Another clock in the listener and its workers, of what only Python reads."""
    shift = tmp_path / "shift"
    shift.mkdir()
    (shift / "sitecustomize.py").write_text(SHIFTED)
    out = tmp_path / "out"
    with listening("--listen-at", "127.0.0.1:0", more={"PYTHONPATH": str(shift)}) as (there, peer):
        done = wirecost(
            "bench", "tensor", *peer, "--plugins", "numpy", "--trials", "10", "--out", out,
            "--middlewares", "shm,raw-zeromq-tcp,zeromq-tcp,iceoryx2", "--json", "-",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert there.wait(60) == 0
    reported = json.loads(done.stdout)
    assert reported["failures"] == []
    assert reported["not_run"] == {"shm": "same machine only", "iceoryx2": "same machine only"}
    totals = {row["contender"]: row for row in reported["rows"] if row["stage"] == "total"}
    assert set(totals) == {"raw-zeromq-tcp", "zeromq-tcp"}
    for row in totals.values():
        assert (row["n"], row["lost"], row["asked_rate"]) == (10, 0, 100)
        assert row["late"] <= 10 and row["most_lag_ns"] >= 0
        # The clock that was planted is not in the time.
        assert -row["clock_bound_ns"] < row["median_ns"] < SHIFT_NS / 10
        assert row["below_clock_bound"] == (abs(row["median_ns"]) < row["clock_bound_ns"])
    assert all(
        (row["clock_bound_ns"] is not None) == (row["stage"] in ("transit", "total"))
        for row in reported["rows"]
    )
    meta = json.loads((out / "meta.json").read_text())
    for run in meta["runs"]:
        assert abs(run["clock_offset_ns"] - SHIFT_NS) <= run["clock_bound_ns"]
    assert "Clocks of two" in (out / "report.html").read_text()
    walls = meta["listener"]["wall_minus_monotonic_ns"]
    assert abs(walls["publisher"] - walls["listener"] - SHIFT_NS) < SHIFT_NS / 100


TOKEN = "t0ps3cretw0rd"


def holders_of(word: str) -> list[str]:
    """Return the command lines of all processes that have it."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            found.append(path.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return [line for line in found if word in line]


@pytest.mark.parametrize("there", ["--token-file", "WIRECOST_TOKEN"])
def test_the_token_stands_nowhere(tmp_path: Path, there: str) -> None:
    file, out = tmp_path / "token", tmp_path / "out"
    file.write_text(f"{TOKEN}\n")
    by_file, by_variable = ["--token-file", str(file)], {"WIRECOST_TOKEN": TOKEN}
    options, more = (by_file, None) if there == "--token-file" else ([], by_variable)
    seen: list[str] = []
    with listening("--listen-at", "127.0.0.1:0", *options, more=more) as (_, peer):
        assert not [word for word in peer if TOKEN in word]
        place = peer[peer.index("--peer") + 1].rstrip(",")
        command = [
            PROGRAM, "bench", "tensor", "--role", "publish", "--peer", place, "--plugins", "numpy",
            "--trials", "20", "--middlewares", "zeromq-tcp", "--out", str(out),
            *(by_file if more else []),
        ]  # fmt: skip
        publisher = subprocess.Popen(
            command, env=os.environ | ({} if more else by_variable),
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        while publisher.poll() is None:
            seen += holders_of(TOKEN)
        assert publisher.stdout is not None
        printed = publisher.stdout.read()
        publisher.stdout.close()
    assert publisher.returncode == 0, printed
    assert TOKEN not in printed
    assert seen == []
    files = [path for path in out.rglob("*") if path.is_file()]
    assert out / "meta.json" in files
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]


def test_a_token_on_the_command_line_is_in_no_file_and_no_list_of_processes(
    wirecost: Run, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    with listening("--listen-at", "127.0.0.1:0", "--token", TOKEN) as (_, peer):
        assert holders_of(TOKEN) == []
        place = peer[peer.index("--peer") + 1].rstrip(",")
        done = wirecost(
            "bench", "tensor", "--role", "publish", "--peer", place, "--token", TOKEN,
            "--plugins", "numpy", "--trials", "5", "--middlewares", "zeromq-tcp", "--out", out,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    assert out / "meta.json" in files
    assert not [path for path in files if TOKEN.encode() in path.read_bytes()]


def test_requests_between_two_machines(wirecost: Run, tmp_path: Path) -> None:
    with listening("--listen-at", "127.0.0.1:0") as (_, peer):
        done = wirecost(
            "bench", "tensor", *peer, "--plugins", "numpy", "--trials", "5", "--pattern", "reqrep",
            "--middlewares", "zeromq-tcp", "--out", tmp_path / "out", "--json", "-",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    rows = {row["stage"]: row for row in json.loads(done.stdout)["rows"]}
    assert rows["total"]["clock_bound_ns"] is None
    assert rows["reply"]["clock_bound_ns"] > 0


def test_compressed_images_between_two_machines(wirecost: Run, tmp_path: Path) -> None:
    with listening("--listen-at", "127.0.0.1:0") as (_, peer):
        done = wirecost(
            "bench", "tensor", *peer, "--plugins", "image-jpeg", "--dtype", "uint8", "--shape",
            "64x96x3", "--trials", "5", "--middlewares", "zeromq-tcp", "--out", tmp_path / "out",
            "--json", "-",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    reported = json.loads(done.stdout)
    assert reported["failures"] == []
    rows = {row["stage"]: row for row in reported["rows"]}
    assert rows["decompress"]["median_ns"] > 0
    assert rows["decompress"]["clock_bound_ns"] is None


def test_a_lost_listener_is_one_line_and_what_was_measured_is_kept(tmp_path: Path) -> None:
    out = tmp_path / "out"
    with listening("--listen-at", "127.0.0.1:0") as (there, peer):
        command = [
            sys.executable, "-c", TALKATIVE, "bench", "tensor", *peer, "--plugins", "numpy",
            "--trials", "1000", "--middlewares", "raw-zeromq-tcp,zeromq-tcp", "--rate", "500",
            "--out", str(out),
        ]  # fmt: skip
        publisher = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert publisher.stdout is not None and publisher.stderr is not None
        assert "contenders of" in publisher.stderr.readline()
        for line in publisher.stderr:
            percent = line.split("%")[0].strip()
            if percent.isdecimal() and int(percent) >= 20:  # both have had a turn
                there.kill()
                break
        stdout, stderr = publisher.communicate(timeout=120)
    assert publisher.returncode == 2, stdout + stderr
    (said,) = (line for line in stderr.splitlines() if " %  " not in line)
    assert said.startswith("wirecost: listener 127.0.0.1:")
    assert said.endswith("was kept")
    meta = json.loads((out / "meta.json").read_text())
    assert meta["interrupted"].startswith("listener 127.0.0.1:")
    assert all(run["failure"] is None for run in meta["runs"])
    assert max(run["sent"] for run in meta["runs"]) >= 200


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"no network namespaces: ip {' '.join(words)}: {done.stderr.strip()}")


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    """Two that are joined by a cable: 198.18.0.1 and 198.18.0.2."""
    if shutil.which("ip") is None:
        pytest.skip("no network namespaces: ip is not installed")
    here = f"wirecost{os.getpid()}"
    both = f"{here}a", f"{here}b"
    try:
        for name in both:
            _ip("netns", "add", name)
        ends = "veth", "veth"
        _ip(
            "link", "add", ends[0], "netns", both[0], "type", "veth",
            "peer", "name", ends[1], "netns", both[1],
        )  # fmt: skip
        for last, (name, end) in enumerate(zip(both, ends, strict=True), 1):
            _ip("-n", name, "address", "add", f"198.18.0.{last}/24", "dev", end)
            for one in (end, "lo"):
                _ip("-n", name, "link", "set", one, "up")
        yield both
    finally:
        for name in both:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def _timed(seconds: int) -> tuple[str, ...]:
    """Return words that give a command a CLOCK_MONOTONIC of its own, where that is possible."""
    words = ("unshare", "--time", "--fork", "--monotonic", str(seconds), "--")
    try:
        done = subprocess.run([*words, "true"], capture_output=True, check=False)
    except FileNotFoundError:
        return ()
    return () if done.returncode else words


def test_two_network_namespaces(namespaces: tuple[str, str]) -> None:
    """The namespaces are two machines: no network but the cable, and, if possible, own clocks."""
    publishing, other = namespaces
    shift = 5000
    timed = _timed(shift)
    # Not the test's own folder, whose path may be too long for sockets below it.
    with tempfile.TemporaryDirectory() as folder, listening(
        "--listen-at", "198.18.0.2:7790", "--address", "dds=7@198.18.0.2",
        before=("ip", "netns", "exec", other, *timed),
    ) as (_, peer):  # fmt: skip
        addresses = {
            "zeromq-tcp": "tcp://198.18.0.1:5555", "raw-zeromq-tcp": "tcp://198.18.0.1:5556",
            "websocket": "ws://198.18.0.1:5557", "grpc": "198.18.0.1:5558",
            "raw-zenoh": "tcp/198.18.0.2:5559", "dds": "7@198.18.0.1",
        }  # fmt: skip
        reported = [f"--address={name}={address}" for name, address in addresses.items()]
        out = Path(folder) / "out"
        done = subprocess.run(
            [
                "ip", "netns", "exec", publishing, PROGRAM, "bench", "tensor", *peer, *reported,
                "--plugins", "numpy", "--trials", "5", "--out", str(out), "--json", "-",
                "--middlewares", ",".join([*addresses, "mqtt", "zeromq"]),
            ],
            capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        meta = json.loads((out / "meta.json").read_text())
    document: dict[str, Any] = json.loads(done.stdout)
    usable = set(addresses) - set(document["not_run"])
    assert usable >= {"zeromq-tcp", "raw-zeromq-tcp"}
    assert document["failures"] == []
    assert document["not_run"]["zeromq"] == "same machine only"
    assert document["not_run"]["mqtt"].endswith("give --address mqtt=BROKER:PORT")
    totals = {row["contender"]: row for row in document["rows"] if row["stage"] == "total"}
    assert set(totals) == usable
    assert all((row["n"], row["lost"]) == (5, 0) for row in totals.values())
    for run in meta["runs"]:
        planted = shift * 1_000_000_000 if timed else 0
        assert abs(run["clock_offset_ns"] - planted) <= run["clock_bound_ns"], timed
