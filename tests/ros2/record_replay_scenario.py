# SPDX-License-Identifier: Apache-2.0
"""Steps of ``test_record_replay.py`` in a network of its own.

It records a node of DDS while it runs, kills a replay, and replays. Everything but the capture
of packets is an ordinary user's.

    python record_replay_scenario.py FOLDER USER NAME OPTION… -- NODE… -- DRIVER…

Prints JSON."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import polars as pl
import psutil

WIRECOST = Path(sys.executable).with_name("wirecost")
ALL_KINDS, OUTGOING, IPV6 = 3, 4, 0x86DD
OURS = {"127.0.0.1", "239.255.0.1"}
MARK = "TEST_SCENARIO"


class Scenario:
    def __init__(self, folder: Path, user: int) -> None:
        os.chown(folder, user, user)
        self._as_user: dict[str, Any] = {
            "user": user, "group": user, "extra_groups": [], "cwd": folder, "text": True,
            "env": {"PATH": os.environ["PATH"], "HOME": str(folder), MARK: str(folder),
                    "ROS_LOG_DIR": str(folder), "WIRECOST_STATE": str(folder / "state"),
                    "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        }  # fmt: skip

    def start(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, **self._as_user)

    def wirecost(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [WIRECOST, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self._as_user
        )

    def replay(self, out: str) -> subprocess.Popen[str]:
        return self.wirecost("replay", "recording", "--no-report", "--out", out, "--json", "-")


def processes() -> list[list[str]]:
    """Commands of all processes of this scenario but this one."""
    return [
        each.info["cmdline"]
        for each in psutil.process_iter(["environ", "status", "cmdline"])
        if (each.info["environ"] or {}).get(MARK) == sys.argv[1]
        and each.info["status"] != psutil.STATUS_ZOMBIE
    ]


def shared_memory(user: int) -> list[str]:
    """Return a user's files of Fast DDS in shared memory; other tests run as another user."""
    files = []
    for each in Path("/dev/shm").iterdir():
        with suppress(FileNotFoundError):
            if "fast" in each.name and each.stat().st_uid == user:
                files.append(str(each))
    return files


def until(condition: Callable[[], bool], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def capture() -> Iterator[Callable[[], list[str]]]:
    """Capture what leaves by a second interface, but for the kernel's own IPv6."""
    if "wired" not in dict(map(reversed, socket.if_nameindex())):  # type: ignore[arg-type]
        yield lambda: []
        return
    with socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_KINDS)) as packets:
        packets.bind(("wired", ALL_KINDS))
        packets.setblocking(False)

        def seen() -> list[str]:
            lines = []
            while True:
                try:
                    content, (_, protocol, direction, *_) = packets.recvfrom(65536)
                except BlockingIOError:
                    return lines
                if direction == OUTGOING and protocol != IPV6:
                    lines.append(f"{protocol:04x} {content[:40].hex()}")

        yield seen


def listened_to(process: psutil.Process) -> set[str]:
    """Addresses that a process listens at, for whoever it is."""
    addresses = set()
    if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
        return {"none, since it has ended"}
    for each in process.net_connections("inet"):
        if each.type == socket.SOCK_DGRAM or each.status == psutil.CONN_LISTEN:
            addresses.add(each.laddr.ip)
    return addresses


def main() -> None:
    folder, user, name, *words = sys.argv[1:]
    first = words.index("--")
    second = words.index("--", first + 1)
    options, node, driver = words[:first], words[first + 1 : second], words[second + 1 :]
    scenario = Scenario(Path(folder), int(user))
    result: dict[str, Any] = {}
    with capture() as leaving:
        around = [scenario.start(*driver), scenario.start(*node)]
        time.sleep(6)  # five scenarios start at once
        options += ["--for", "4", "--out", "recording", "--json", "-"]
        recording = scenario.wirecost("record", "--system", "dds", name, *options)
        out, error = recording.communicate(timeout=120)
        result["record"] = {"status": recording.returncode, "error": error[-2000:]}
        if recording.returncode == 0:
            result["record"] |= json.loads(out)
        result["node"] = around[1].pid
        for each in around:
            each.send_signal(signal.SIGINT)
        for each in around:
            each.wait(60)
        time.sleep(2)  # the kernel reports twice within a second that a multicast group was left
        result["left while recording"] = leaving()[:3]

        # Nodes of others that end at Ctrl-C may leave theirs, and other tests have some, too.
        before = set(shared_memory(int(user)))
        killed = scenario.replay("killed")
        program = node[1] if node[1:] else node[0]
        result["killed"] = until(lambda: any(program in each for each in processes()))
        result["listened to"] = sorted(listened_to(psutil.Process(killed.pid)) - OURS)
        time.sleep(2)  # it plays by now
        killed.kill()
        result["killed run"] = killed.communicate()[1][-2000:]
        until(lambda: not processes())
        result["after the killed run"] = processes()
        # A node that did not end in time, and had to be killed, leaves memory of Fast DDS.
        before |= set(shared_memory(int(user)))

        replay = scenario.replay("out")
        out, error = replay.communicate(timeout=300)
        result["replay"] = {"status": replay.returncode, "error": error[-2000:]}
        if replay.returncode == 0:
            result["replay"] |= json.loads(out)
            samples = pl.read_parquet(Path(folder, "out", "samples.parquet"))
            result["cases"] = dict(samples.group_by("case").len().rows())
            result["printed"] = Path(folder, "out", "node-output-1.txt").read_text()
        result["left while replaying"] = leaving()[:3]
    result["after"] = [*processes(), *(set(shared_memory(int(user))) - before)]
    print(json.dumps(result))


main()
