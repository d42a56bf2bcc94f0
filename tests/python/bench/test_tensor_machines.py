# SPDX-License-Identifier: Apache-2.0
"""The tensor benchmark between two machines: clocks, and what hostile peers may not do."""

from __future__ import annotations

import json
import queue
import random
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from msgspec import structs
from syrupy.assertion import SnapshotAssertion

from wirecost.measure.bench.tensor import clocks, listener
from wirecost.measure.bench.tensor.addresses import forms, parse, refusal
from wirecost.measure.bench.tensor.commands import (
    VERSION,
    RefusedCommandError,
    check_command,
    check_side,
    check_start,
)
from wirecost.measure.bench.tensor.link import Link, LinkError, host_port, plain
from wirecost.measure.bench.tensor.remote import LostListenerError, Remote
from wirecost.messaging.transport import find, names
from wirecost.results.analysis.summary import summarize
from wirecost.results.records.folder import Results
from wirecost.results.records.schemas import tensor
from wirecost.results.report.scenarios.tensor import tables as tensor_tables
from wirecost.system.errors import UserError

TOKEN = "0123456789abcdef"
PLANTED_NS = 123_456_789_012
START = {
    "do": "start", "worker": 0, "way": "zeromq-tcp", "role": "listen", "size": 100,
    "topic": "bench_0123456789ab", "address": "tcp://127.0.0.1:5555",
}  # fmt: skip
ORDER = {
    "plugin": "numpy", "shape": [2, 3], "dtype": "float64", "content": "ones", "device": "cpu",
    "objects": True, "first": 0, "count": 5, "rate": 100.0, "seed": 1,
}  # fmt: skip
WRONG: tuple[Any, ...] = (
    None, -1, 1 << 70, 1.5, float("nan"), True, "x" * 10_000, "__import__('os')", "../x", [], {},
    [[]], [0], [1 << 40] * 40, {"do": "block"}, "O", "i4,i4", "\x1b[2J", "int64\n",
)  # fmt: skip


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_offset_is_found_within_its_bound_however_uneven_the_way(seed: int) -> None:
    rng = random.Random(seed)
    at = 0
    drift = rng.uniform(-1e-4, 1e-4)

    def ping() -> tuple[int, int, int]:
        nonlocal at
        sent_at = at
        at += rng.randrange(10, 10 ** rng.randrange(2, 7))
        reported = at + PLANTED_NS + round(at * drift)
        at += rng.randrange(10, 10 ** rng.randrange(2, 7))
        return sent_at, reported, at

    before, begun = clocks.read(ping), at
    at += 5_000_000_000
    ended, after = at, clocks.read(ping)
    reading = clocks.between(before, after)
    assert reading.bound_ns < 300_000 + 1_000_000
    for moment in (begun, (begun + ended) // 2, ended):
        true = PLANTED_NS + round(moment * drift)
        # What drifts while pings travel is a ten-thousandth of their time.
        assert abs(reading.offset_ns - true) <= reading.bound_ns + 1000


def test_a_slow_peer_is_asked_less_often() -> None:
    pings = []

    def ping() -> tuple[int, int, int]:
        pings.append(1)
        time.sleep(clocks.READING_S / 4)
        return 0, 50, 100

    assert clocks.read(ping) == clocks.ClockReading(0, 51)
    assert len(pings) == clocks.LEAST_PINGS


@contextmanager
def pair_of_links(most: int = 1000) -> Iterator[tuple[socket.socket, Link]]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = socket.create_connection(server.getsockname())
        link = Link(server.accept()[0], most)
    with there:
        yield there, link
    link.close()


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        (b"x" * 1001, "a line is longer than 1000 bytes"),
        (b"x" * 1001 + b"\n", "a line is longer than 1000 bytes"),
        (b"{'do': 1}\n", "a line is not JSON"),
        (b"[" * 900 + b"\n", "a line is not JSON"),
        (b"\xff\xfe\n", "a line is not JSON"),
        (b"[1]\n", "a line is not a JSON object"),
        (b'{"a":', "the connection was closed"),
    ],
)
def test_lines_that_are_none_are_refused(line: bytes, reported: str) -> None:
    with pair_of_links() as (there, link):
        there.sendall(line)
        there.shutdown(socket.SHUT_WR)
        with pytest.raises(LinkError, match=reported):
            link.wait(30)


def test_lines_come_one_by_one_however_they_are_cut() -> None:
    with pair_of_links() as (there, link):
        there.sendall(b'{"a": 1}\n{"b":')
        assert link.wait(30) == {"a": 1}
        assert link.wait(0.01) is None
        there.sendall(b" 2}\n")
        assert link.wait(30) == {"b": 2}


def test_deeply_nested_lines_are_refused() -> None:
    with pair_of_links(1 << 20) as (there, link):
        threading.Thread(target=there.sendall, args=(b"[" * 500_000 + b"\n",)).start()
        with pytest.raises(LinkError, match="not JSON"):
            link.wait(30)


def test_only_known_commands_with_known_words_are_taken() -> None:
    check_start(START, False)
    check_command({"do": "open"})
    check_command({"do": "block", "order": ORDER})
    check_command({"do": "block", "order": ORDER | {"objects": False, "plugin": ""}})
    for key in START:
        for wrong in WRONG:
            if key == "do" or (key == "address" and wrong in (None, "O")):
                continue
            with pytest.raises(RefusedCommandError):
                check_start(START | {key: wrong}, True)
    for key in ORDER:
        for wrong in WRONG:
            if (key, wrong) in (("rate", 1.5), ("objects", True)):
                continue
            with pytest.raises(RefusedCommandError):
                check_command({"do": "block", "order": ORDER | {key: wrong}})
        with pytest.raises(RefusedCommandError):
            check_command({"do": "block", "order": {k: v for k, v in ORDER.items() if k != key}})
    for reported in (*WRONG, {"do": "close"}, {"do": "open", "x": 1}, {"do": []}):
        with pytest.raises(RefusedCommandError):
            check_command(reported)


def test_folders_are_for_publishers_on_this_machine() -> None:
    for address in ("/tmp/x", "unixsock-stream//tmp/x"):
        check_start(START | {"address": address}, True)
        with pytest.raises(RefusedCommandError, match="address"):
            check_start(START | {"address": address}, False)


def test_stamps_that_are_none_are_refused() -> None:
    good = {"stamps": [[0, 1, 2, 3]], "nbytes": 5, "failure": None}
    check_side(good, 1, 4)
    # What is compressed has a stamp more.
    check_side(good | {"stamps": [[*row, 5] for row in good["stamps"]]}, 1, 4)
    for key in good:
        for wrong in (1.5, "x" if key != "failure" else [], [[1, 2, 3]], [[0, 1, 2, "3"]], {}):
            with pytest.raises(RefusedCommandError):
                check_side(good | {key: wrong}, 1, 4)
    with pytest.raises(RefusedCommandError):
        check_side(good | {"stamps": [[0, 1, 2, 3]] * 100}, 1, 4)


def test_a_peers_words_cannot_steer_a_terminal() -> None:
    assert plain("\x1b[2Jx\ny" + "z" * 1000) == " [2Jx y" + "z" * 293


class Serving:
    """A listener in a thread."""

    def __init__(self) -> None:
        self._said: queue.Queue[str] = queue.Queue()
        self.ended: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._run, daemon=True).start()
        line = self.said()
        assert line.startswith("waiting at 127.0.0.1:") and line.endswith(f"--token {TOKEN}")
        self.port = int(line.split()[2].rpartition(":")[2].rstrip(";"))

    def _run(self) -> None:
        try:
            listener.serve("127.0.0.1", 0, TOKEN, {}, self._said.put)
            self.ended.put("")
        except UserError as error:
            self.ended.put(str(error))

    def said(self) -> str:
        return self._said.get(timeout=60)


@pytest.mark.parametrize(
    "hello",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"\x00" * 100_000,
        b'{"do": "hello"}\n',
        b'{"do": "hello", "version": %d, "token": "wrong"}\n' % VERSION,
        b'{"do": "hello", "version": %d, "token": ["%s"]}\n' % (VERSION, TOKEN.encode()),
        b'{"do": "hello", "version": %d, "token": "\\ud800"}\n' % VERSION,
        b'{"do": "start"}\n',
        b"",
    ],
)
def test_strangers_are_refused_and_the_publisher_still_comes(hello: bytes) -> None:
    serving = Serving()
    with socket.create_connection(("127.0.0.1", serving.port)) as stranger:
        stranger.sendall(hello)
        stranger.shutdown(socket.SHUT_WR)
        assert serving.said().startswith("127.0.0.1 was refused: ")
    with Remote("127.0.0.1", serving.port, TOKEN) as remote:
        assert remote.loopback
        assert abs((reading := remote.clock()).offset_ns) <= reading.bound_ns
    assert serving.ended.get(timeout=60) == ""


def test_a_wrong_token_is_reported() -> None:
    serving = Serving()
    with pytest.raises(UserError, match="the token is another one"):
        Remote("127.0.0.1", serving.port, TOKEN[::-1])
    with Remote("127.0.0.1", serving.port, TOKEN):
        pass
    assert serving.ended.get(timeout=60) == ""


@pytest.mark.parametrize(
    "command",
    [
        {"do": "system", "command": "true"},
        {"do": "start", "worker": 0},
        START | {"way": "memcpy"},
        {"do": "tell", "worker": 0, "command": {"do": "eval"}},
        {"do": "end", "worker": "x"},
        {"do": ["bye"]},
    ],
)
def test_a_publisher_that_asks_for_something_else_is_cut_off(command: dict[str, Any]) -> None:
    serving = Serving()
    with Remote("127.0.0.1", serving.port, TOKEN) as remote:
        remote.send(command)
        reported = serving.ended.get(timeout=60)
        assert reported.startswith("127.0.0.1 went away before it was done: ")
        with pytest.raises(LostListenerError, match=r"listener 127.0.0.1:\d+: the connection was"):
            remote.clock()


@contextmanager
def fake(answer: Callable[[dict[str, Any]], bytes]) -> Iterator[int]:
    """Return a listener's port that answers each line so."""

    def run() -> None:
        connected = server.accept()[0]
        with connected, connected.makefile("rb") as lines:
            for line in lines:
                connected.sendall(answer(json.loads(line)))

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=run, daemon=True).start()
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("line", "reported"),
    [
        (b"HTTP/1.1 400\r\n\r\n", "a line is not JSON"),
        (b'{"failure": "\\u001b[2Jno"}\n', r" \[2Jno"),
        (b'{"version": %d}\n' % VERSION, "no listener"),
    ],
)
def test_what_is_no_listener_is_reported_in_one_line(line: bytes, reported: str) -> None:
    with fake(lambda _: line) as port, pytest.raises(UserError, match=reported) as caught:
        Remote("127.0.0.1", port, TOKEN)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "clock",
    [
        {"monotonic": "1", "wall": 1},
        {"monotonic": 1},
        {"monotonic": 1 << 80, "wall": 1},
        {"worker": 0},
        {"worker": "0", "answer": {}},
    ],
)
def test_clocks_that_are_none_are_refused(clock: dict[str, Any]) -> None:
    def answer(command: dict[str, Any]) -> bytes:
        hello = {"version": VERSION, "memory": 1, "environment": {"x": [1]}}
        return json.dumps(hello if command["do"] == "hello" else clock).encode() + b"\n"

    with fake(answer) as port, pytest.raises(UserError, match="that is no"):
        Remote("127.0.0.1", port, TOKEN)


def test_what_leaves_the_machine_is_what_transports_say() -> None:
    ours = {name for name in names() if find(name).capabilities.other_machines}
    assert {name for name in forms() if not name.startswith("raw-")} == ours
    assert refusal("iceoryx2", {}, True) == "same machine only"
    assert refusal("dds", {}, True) is None
    assert refusal("dds", {"dds": "5@10.0.0.1"}, False) is None
    assert "give --address dds=DOMAIN@INTERFACE" in (refusal("dds", {}, False) or "")
    assert parse(["dds=5@10.0.0.1", "websocket=ws://a:1"])["websocket"] == "ws://a:1"
    for wrong in ("dds", "dds=", "shm=x", "=x"):
        with pytest.raises(UserError, match="--address"):
            parse([wrong])
    assert host_port("--peer", "[::1]:80") == ("::1", 80)
    for wrong in ("host", ":80", "host:", "host:99999", "host:-1", "host:²"):
        with pytest.raises(UserError, match="give HOST:PORT"):
            host_port("--peer", wrong)


def test_the_report_tells_clocks_and_late_messages(snapshot: SnapshotAssertion) -> None:
    samples = pl.DataFrame(
        [
            {
                "case": "2x3 float64", "variant": "ones", "build": "release", "contender": name,
                "mode": "numpy", "plugin": "numpy", "stage": stage, "repetition": n, "round": 0,
                "ns": ns + n,
            }
            for name, ns in (("dds", 400_000), ("grpc", 20_000))
            for stage in ("encode", "transit", "total")
            for n in range(5)
        ]
    )  # fmt: skip
    run = tensor.TensorRun(
        case="2x3 float64", variant="ones", build="release", contender="dds", mode="numpy",
        plugin="numpy", mware="dds", dtype="float64", shape="2x3", pattern="pubsub", device="cpu",
        message_bytes=48, message_digest="", sent=40, received=40, lost=0, duplicates=0,
        reordered=0, bytes_per_s=None, lost_without_pause=None, late=0, most_lag_ns=0,
        asked_rate=100.0, rate=97.5, clock_offset_ns=-1_500_000_000, clock_bound_ns=30_000,
        failure=None,
    )  # fmt: skip
    late_run = structs.replace(run, contender="grpc", mware="grpc", late=3, most_lag_ns=5000)
    meta = tensor.TensorMeta(
        schema=2, scenario="tensor", created="", command=[], interrupted=False, environment={},
        trials=1, rate=100.0, content="", pattern="pubsub", warm_up=0, gc="",
        contenders={name: tensor.TensorAbout(library="") for name in ("dds", "grpc")},
        runs=[run, late_run], listener=tensor.Listener(host="other"),
    )  # fmt: skip
    rows = summarize(Results(Path(), meta, samples))
    bounds = {(row.contender, row.stage): row.below_clock_bound for row in rows}
    assert bounds["dds", "encode"] is bounds["grpc", "encode"] is None
    assert (bounds["dds", "total"], bounds["grpc", "total"]) == (False, True)
    reported = tensor_tables.clocks(meta, rows)
    assert reported is not None
    late = tensor_tables.schedule(meta)
    assert late is not None
    assert [reported, late] == snapshot
    for run in meta.runs:
        run.clock_bound_ns = run.late = None
    assert tensor_tables.clocks(meta, summarize(Results(Path(), meta, samples))) is None
    assert tensor_tables.schedule(meta) is None
