# SPDX-License-Identifier: Apache-2.0
"""``wirecost topics``, ``echo`` and ``hz`` beside real senders in processes of their own."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support import needs
from support.programs import execute
from support.transport_peer import runtime_folder
from wirecost.system.locks import hold

WIRECOST = Path(sys.executable).with_name("wirecost")
TRANSPORTS = ["zeromq", "iceoryx2"]
LONGEST_S = 120
SENDER = """
import sys, time
import numpy as np
import wirecost
with wirecost.publish(sys.argv[1], sys.argv[2], address=sys.argv[3] or None) as camera:
    print("open", flush=True)
    number = 0
    while True:
        image = np.full((48, 64, 3), 7, np.uint8)
        camera.send({"image": image, "number": number, "name": "front\\x1b[31m"})
        number += 1
        time.sleep(0.01)
"""


@pytest.fixture(autouse=True)
def folder() -> Iterator[Path]:
    with runtime_folder() as made:
        yield made


@contextmanager
def sending(
    transport: str, topic: str, address: str = "", program: str = SENDER
) -> Iterator[subprocess.Popen[str]]:
    needs.transport(transport)
    with started(sys.executable, "-c", program, transport, topic, address) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        yield process


@contextmanager
def started(*words: str | Path) -> Iterator[subprocess.Popen[str]]:
    """Killed at the end."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def wirecost(*words: str, width: int = 80) -> subprocess.CompletedProcess[str]:
    return execute([WIRECOST, *words], env=os.environ | {"COLUMNS": str(width)}, timeout=LONGEST_S)


def lines(*words: str) -> list[str]:
    done = wirecost(*words)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_nothing_is_open() -> None:
    line = "No process of yours on this machine publishes a topic of wirecost."
    assert lines("topics") == [line]
    assert json.loads(wirecost("topics", "--json", "-").stdout) == {"topics": []}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_what_is_open_is_listed(transport: str, snapshot: SnapshotAssertion) -> None:
    with sending(transport, "camera") as process:
        wirecost("echo", "camera", "--count", "1")
        shown = lines("topics")
        (one,) = json.loads(wirecost("topics", "--json", "-").stdout)["topics"]
    assert max(map(len, shown)) <= 80
    assert shown[0].split() == ["transport", "topic", "carries", "process", "since", "sent"]
    assert shown[2].split()[:2] == [transport, "camera"]
    assert (one["transport"], one["topic"], one["address"]) == (transport, "camera", None)
    assert (one["pid"], one["program"]) == (process.pid, "python")
    assert one["carries"] == snapshot
    assert one["sent"] >= 1
    assert lines("topics") == lines("topics") != shown  # killed, and cleared away


def test_names_are_shown_and_not_obeyed() -> None:
    with sending("zeromq", "front\x1b[31m\ncamera"):
        shown = wirecost("topics", width=120).stdout
    assert r"front\x1b[31m\ncamera" in shown
    assert "\x1b" not in shown


def test_damaged_files_are_left_out(folder: Path) -> None:
    with sending("zeromq", "camera"):
        streams = folder / "wirecost" / "streams"
        (whole,) = streams.iterdir()
        content = whole.read_bytes()
        for number, damaged in enumerate((b"", content[:20], content[::-1], b"[" * 100_000)):
            path = streams / f"{number:016x}.sent"
            path.write_bytes(damaged)
            held = hold(path)
            assert lines("topics")[2].split()[:2] == ["zeromq", "camera"]
            assert lines("echo", "camera", "--count", "1")[-1] == "---"
            held.release()
        os.mkfifo(streams / "fifo.sent")
        (streams / "dead.sent").write_bytes(content)
        (one,) = json.loads(wirecost("topics", "--json", "-").stdout)["topics"]
        assert one["topic"] == "camera"
        assert not (streams / "dead.sent").exists()
    (folder / "wirecost").chmod(0o777)
    done = wirecost("topics")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(r"wirecost: .*: can.*\n", done.stderr)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_echo_finds_its_topic(transport: str, snapshot: SnapshotAssertion) -> None:
    with sending(transport, "camera"):
        shown = lines("echo", "camera", "--count", "2")
        assert shown[0] == snapshot
        assert re.fullmatch(r"number: \d+", shown[1])
        assert shown[2:4] == [r"name: front\x1b[31m", "---"]
        assert shown[4] == shown[0]
        assert len(shown) == 8
        documents = [json.loads(line) for line in lines("echo", "camera", "--count=3", "--json")]
    assert len(documents) == 3
    for one in documents:
        assert one["image"] == {
            "kind": "numpy", "dtype": "uint8", "shape": [48, 64, 3], "min": 7, "mean": 7.0,
            "max": 7, "first": [7] * 6,
        }  # fmt: skip
        assert one["name"] == "front\x1b[31m"


ODD = """
import sys, time
import wirecost
from wirecost.tensor import register_plugin
class Own: pass
register_plugin(Own, "own\x1b", lambda _: 1, lambda _: Own())
with wirecost.publish(sys.argv[1], sys.argv[2]) as camera:
    print("open", flush=True)
    while True:
        camera.send(Own())
        camera.send([{"a": 1}])
        time.sleep(0.01)
"""


def test_echo_goes_on_after_what_it_cannot_read(snapshot: SnapshotAssertion) -> None:
    with sending("zeromq", "camera", program=ODD):
        done = wirecost("echo", "camera", "--count", "4")
    assert done.returncode == 0
    assert done.stdout == snapshot
    line = r"wirecost: frame: holds an object of the plugin .*own\\x1b.*: register it here too\n"
    assert re.fullmatch(2 * line, done.stderr)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_echo_waits_for_a_sender_of_a_named_transport(transport: str) -> None:
    needs.transport(transport)
    words = "echo", "camera", "--transport", transport, "--count", "1"
    with started(WIRECOST, *words) as program, sending(transport, "camera"):
        shown, _ = program.communicate(timeout=LONGEST_S)
    assert program.returncode == 0
    assert shown.endswith("---\n")


def test_a_topic_at_several_places(folder: Path, snapshot: SnapshotAssertion) -> None:
    with sending("zeromq", "camera"), sending("iceoryx2", "camera"):
        for command in "echo", "hz":
            done = wirecost(command, "camera")
            assert (done.returncode, done.stdout) == (2, "")
            assert done.stderr == snapshot
            assert lines(command, "camera", "--transport", "iceoryx2", "--count", "1")
    elsewhere = folder / "sockets"
    elsewhere.mkdir(mode=0o700)
    with sending("zeromq", "camera", str(elsewhere)):
        assert lines("echo", "camera", "--count", "1")
        done = wirecost("echo", "camera", "--address", "/nowhere")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"/nowhere but at {elsewhere}" in done.stderr


@pytest.mark.parametrize("command", ["echo", "hz"])
def test_a_topic_that_nobody_publishes(command: str, snapshot: SnapshotAssertion) -> None:
    done = wirecost(command, "camera")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == snapshot


RATE = re.compile(
    r" *[\d.]+ Hz( +[\d.]+ (ns|µs|ms|s)){3} +(?P<window>\d+) +[\d.]+ (B|kB|MB) +(?P<lost>\d+)"
)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_hz_counts(transport: str) -> None:
    with sending(transport, "camera"):
        shown = lines("hz", "camera", "--count", "150", "--window", "20")
        assert shown[0].split() == ["rate", "min", "max", "std", "window", "bytes/s", "lost"]
        for line in shown[1:]:
            assert len(line) <= 80
            found = RATE.fullmatch(line)
            assert found is not None, line
            assert int(found["window"]) <= 20
        assert lines("hz", "camera", "--seconds", "0.5")[-1]


def test_hz_of_a_topic_where_nothing_comes() -> None:
    needs.transport("zeromq")
    shown = lines("hz", "camera", "--transport", "zeromq", "--seconds", "1.5")
    assert shown == ["no message"]


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("command", ["echo", "hz"])
def test_ctrl_c_ends_in_order(
    command: str, transport: str, folder: Path, snapshot: SnapshotAssertion
) -> None:
    # A shell's background job, as this may be, ignores Ctrl-C, and so would what it starts.
    words = "env", "--default-signal=INT", WIRECOST, command, "camera"
    with sending(transport, "camera"), started(*words) as program:
        assert program.stdout is not None
        assert program.stdout.readline()
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=LONGEST_S)
        assert program.returncode == 130 and errors == snapshot
    assert lines("topics")
    assert list(folder.rglob("*.sent")) == []


def test_the_shell_completes_topics_and_transports() -> None:
    def completed(*words: str) -> list[str]:
        environment = os.environ | {
            "_WIRECOST_COMPLETE": "complete_bash",
            "COMP_WORDS": " ".join(("wirecost", *words)),
            "COMP_CWORD": str(len(words)),
        }
        done = execute([WIRECOST], env=environment, timeout=LONGEST_S)
        return done.stdout.split()

    with sending("zeromq", "camera"):
        for command in "echo", "hz":
            assert completed(command, "cam") == ["camera"]
            assert completed(command, "camera", "--transport", "zero") == ["zeromq", "zeromq-tcp"]
    assert completed("echo", "cam") == []
    assert completed("transports", "--test", "zeromq,ice") == ["zeromq,iceoryx2"]
    assert completed("to") == ["topics"]
