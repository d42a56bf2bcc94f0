# SPDX-License-Identifier: Apache-2.0
"""Sockets of plain Cyclone DDS that overflow: the process is named, since DDS names none of it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from support.networks import run_inside

NODES = Path(__file__).parents[2] / "nodes/dds/stopped_reader.py"
GRAPH = """
import os, signal, subprocess, sys, time
from pathlib import Path
node, folder = sys.argv[1], Path(sys.argv[2])
own = {**os.environ, "CYCLONEDDS_URI": "<Internal><SocketReceiveBufferSize max='20kB'/></Internal>"}
with (folder / "numbers").open("wb") as numbers:
    reader = subprocess.Popen([sys.executable, node, "read"], env=own, stdout=numbers)
writer = subprocess.Popen([sys.executable, node, "write"])
words = ["lost", "--live", "dds", "--for", "100s", "--json", folder / "lost.json"]
watch = subprocess.Popen([sys.executable, "-m", "wirecost", *words], stderr=subprocess.PIPE)
while b"watching" not in watch.stderr.readline():
    pass
time.sleep(4)
for number in (signal.SIGSTOP, signal.SIGCONT):
    reader.send_signal(number)
    time.sleep(3)
watch.send_signal(signal.SIGINT)
sys.stderr.buffer.write(watch.communicate()[1])
for process in (reader, writer):
    process.kill()
sys.exit(watch.returncode)
"""


def test_a_reader_that_stands_still_drops_at_its_socket(tmp_path: Path) -> None:
    done = run_inside("loopback", [sys.executable, "-c", GRAPH, NODES, tmp_path])
    assert done.returncode == 0, done.stderr
    pid, *numbers = map(int, (tmp_path / "numbers").read_text().split())
    missing = numbers[-1] - numbers[0] + 1 - len(numbers)
    drops = json.loads((tmp_path / "lost.json").read_text())["drops"]
    assert list(drops) == [str(pid)]
    assert missing > 50 and drops[str(pid)] >= missing
    assert f"Process {pid}: {drops[str(pid)]} datagrams did not fit" in " ".join(
        done.stdout.split()
    )
