# SPDX-License-Identifier: Apache-2.0
"""A system of ROS 2's kind on Cyclone DDS, in a domain of its own on loopback."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirecost._middleware import Queue, Sink
from wirecost.data.messages.cdr_values import Writer

ROOT = Path(__file__).parents[3]
FILTER = ROOT / "build" / "cmake" / "tests" / "cpp" / "dds" / "points_filter"
ROBOT = ROOT / "tests" / "nodes" / "dds" / "robot.py"
POINTS_HASH = "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"
POINT_BYTES = 16

Received = tuple[int, int, int, int, int, bytes]


@contextmanager
def running(
    command: list[str | Path], environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """Start a node and wait until it is ready; end it with the block."""
    node = subprocess.Popen(
        [str(each) for each in command],
        env=os.environ | environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert node.stdout is not None
        assert node.stdout.readline() == "ready\n"
        yield node
    finally:
        node.terminate()
        try:
            node.wait(10)
        except subprocess.TimeoutExpired:
            node.kill()
            node.wait()


def robot(*options: str) -> list[str | Path]:
    return [sys.executable, ROBOT, *options]


def end(node: subprocess.Popen[str]) -> str:
    """End the node and return what it prints at its end."""
    node.terminate()
    output, _ = node.communicate(timeout=10)
    assert node.returncode == 0
    return output


def take(queue: Queue, count: int, seconds: float = 10) -> list[Received]:
    """At least ``count`` messages unless the time is over first."""
    until = time.monotonic() + seconds
    got: list[Received] = []
    while len(got) < count and time.monotonic() < until:
        got += queue.take(count, 0.1)
    return got


def cloud(number: int, points: int) -> bytes:
    """Return a ``PointCloud2`` whose stamp is the number."""
    writer = Writer()
    writer.scalar("i", number)
    writer.scalar("I", 0)
    writer.string("lidar")
    for value in (1, points, 0):
        writer.scalar("I", value)
    writer.scalar("B", 0)
    for value in (POINT_BYTES, points * POINT_BYTES, points * POINT_BYTES):
        writer.scalar("I", value)
    writer.octets(bytes([number % 256]) * (points * POINT_BYTES))
    writer.scalar("B", 1)
    return writer.message()


def send(sink: Sink, count: int, points: int, interval_s: float = 0.005) -> None:
    """Clouds from 0 on, at an even pace: a node keeps no more than ten that it did not read."""
    start = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, start + number * interval_s - time.monotonic()))
        sink.send(cloud(number, points))


def stamp(message: bytes) -> int:
    """Return the first field, seconds of a header's or a clock's time."""
    return int(struct.unpack_from("<i", message, 4)[0])
