# SPDX-License-Identifier: Apache-2.0
"""A recorder whose disk is slow: what its recording says of itself, and what it really lacks."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from wirecost.data.recordings.series import read_series
from wirecost.measure.lost.recording import lost_messages
from wirecost.replay.recording.snapshot import MESSAGES
from wirecost.results.records.lost import CACHE, LOST, UNKNOWN

from .ros1 import NODE, PYTHON, go, system, wait_for

NAME, COUNT, QUEUE, BYTES, CACHE_SIZE = "recorded", 300, 1000, 20_000, "200kB"
SUBSCRIBED_S = 2.0
SLOW = """
import os, runpy, time
write = os.write
def slow(descriptor, content):
    time.sleep(0.3)
    return write(descriptor, content)
os.write = slow
runpy.run_module("wirecost", run_name="__main__")
"""
"""The command on a disk that takes 0.3 s for each write."""


@dataclass(frozen=True)
class RecorderRow:
    """Messages that a recording lacks: counted by itself; in truth; said to be lost elsewhere."""

    said: int
    lacking: int
    elsewhere: int

    @property
    def is_right(self) -> bool:
        return 0 < self.said == self.lacking and not self.elsewhere


def run(folder: Path) -> RecorderRow:
    """Record a listener of 50 messages per second, 1 MB/s, with a cache of 0.2 MB."""
    about = [NAME, COUNT, QUEUE, 0, BYTES]
    out = folder / "recording"
    with system(folder) as start:
        start(PYTHON, NODE, "listen", *about, stdout=subprocess.DEVNULL)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        talker = start(PYTHON, NODE, "talk", *about, **pipes)
        wait_for(talker.stdout, b"ready")
        words = ["record", f"/{NAME}_listener", "--cache", CACHE_SIZE, "--out", out]
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        recorder = start(sys.executable, "-c", SLOW, *words, **silent)
        while not (out / "node.json").exists():
            time.sleep(0.1)
        time.sleep(SUBSCRIBED_S)
        go(talker)
        wait_for(talker.stdout, b"done")
        time.sleep(SUBSCRIBED_S)
        recorder.send_signal(signal.SIGINT)
        recorder.wait()
    path = out / MESSAGES
    lost = lost_messages([str(path)], read_series([path], [], lambda *_: None))
    (topic,) = (each for each in lost.topics if each.topic == f"/{NAME}")
    return RecorderRow(
        topic.missing(CACHE), COUNT - topic.count, topic.missing(LOST) + topic.missing(UNKNOWN)
    )
