# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: PLC0415 - each reader needs packages of its own
"""Readers of a recording's topic: ``python contenders.py NAME FILE TOPIC`` measures one of them.

Each returns how many messages it read. Those that decode make objects and no columns, which is in
their favour.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

EVERY = ("Imu", "PointCloud2", "Path", "MarkerArray")
CONTENDERS = {
    "floor": ("here", ("Imu",)),
    "wirecost": ("here", EVERY),
    "rosbags": ("here", EVERY),
    "rerun": ("other", EVERY),
    "mcap-ros2-support-fast": ("other", EVERY),
    "mcap-ros2-support": ("other", EVERY),
    "pybag": ("other", EVERY),
}
"""Which Python has it, and the files that it reads."""


def floor(path: Path, _topic: str) -> int:
    """Copy all fields from strided views of unpacked chunks, whose layout is known."""
    import numpy as np
    import zstandard
    from mcap.reader import SeekingReader
    from mcap.records import Chunk
    from mcap.stream_reader import StreamReader

    count = 0
    columns: list[Any] = []
    with path.open("rb") as file:
        summary = SeekingReader(file).get_summary()
        assert summary is not None
        for about in summary.chunk_indexes:
            file.seek(about.chunk_start_offset)
            chunk = next(StreamReader(file, skip_magic=True, emit_chunks=True).records)
            assert isinstance(chunk, Chunk)
            data = zstandard.ZstdDecompressor().decompress(chunk.data, chunk.uncompressed_size)
            begin = _first_message(data)
            step = 9 + int.from_bytes(data[begin + 1 : begin + 9], "little")
            rows = (len(data) - begin) // step
            at = begin + 31 + 4
            for offset in (0, 4):
                columns.append(np.ndarray(rows, "<u4", data, at + offset, (step,)).copy())
            numbers = at + 24
            for place in range(37):
                view = np.ndarray(rows, "<f8", data, numbers + 8 * place, (step,))
                columns.append(view.copy())
            count += rows
    return count


def _first_message(data: bytes) -> int:
    at = 0
    while data[at] != 5:
        at += 9 + int.from_bytes(data[at + 1 : at + 9], "little")
    return at


def wirecost(path: Path, topic: str) -> int:
    """Make columns in Arrow's layout of all fields."""
    from wirecost import open_recording

    with open_recording(path) as recording:
        return sum(batch.rows for batch in recording[topic].batches())


def rosbags(path: Path, topic: str) -> int:
    """Decode all messages."""
    from mcap.reader import make_reader
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_JAZZY)
    count = 0
    with path.open("rb") as file:
        for schema, _, message in make_reader(file).iter_messages(topics=[topic]):
            assert schema is not None
            store.deserialize_cdr(message.data, schema.name)
            count += 1
    return count


def rerun(path: Path, _topic: str) -> int:
    """Convert to Rerun's columns and write them, as its command does; -1: it does not count."""
    import subprocess

    program = Path(sys.executable).with_name("rerun")
    out = path.with_suffix(".rrd")
    subprocess.run([program, "mcap", "convert", path, "-o", out], check=True, capture_output=True)
    out.unlink()
    return -1


def _decoded(path: Path, topic: str, factory: Any) -> int:
    from mcap.reader import make_reader

    with path.open("rb") as file:
        reader = make_reader(file, decoder_factories=[factory])
        return sum(1 for _ in reader.iter_decoded_messages(topics=[topic]))


def mcap_ros2_support(path: Path, topic: str) -> int:
    """Decode all messages."""
    from mcap_ros2.decoder import DecoderFactory  # type: ignore[import-not-found]

    return _decoded(path, topic, DecoderFactory())


def mcap_ros2_support_fast(path: Path, topic: str) -> int:
    """Decode all messages."""
    from mcap_ros2_support_fast.decoder import (  # type: ignore[import-not-found]
        DecoderFactory,
    )

    return _decoded(path, topic, DecoderFactory())


def pybag(path: Path, topic: str) -> int:
    """Decode all messages."""
    from pybag.mcap_reader import McapFileReader  # type: ignore[import-not-found]

    with McapFileReader.from_file(path) as reader:
        return sum(1 for _ in reader.messages(topic))


def _processor_ms() -> float:
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return 1e3 * sum(each.ru_utime + each.ru_stime for each in used)


WARM_MS = 1500.0
"""CPU time of a first reading from which on it is measured: warming up is a small part of it."""


def main() -> None:
    """Read twice and report the second time, or the first where that took long."""
    name, path, topic = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    read: Callable[[Path, str], int] = globals()[name.replace("-", "_")]
    for _ in range(2):
        before, begin = _processor_ms(), time.perf_counter()
        count = read(path, topic)
        wall_ms = 1e3 * (time.perf_counter() - begin)
        cpu_ms = _processor_ms() - before
        if cpu_ms > WARM_MS:
            break
    # The system's own count begins with what the parent had.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    own_kb = next(int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line)
    peak = max(own_kb, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    result = {"cpu_ms": cpu_ms, "wall_ms": wall_ms, "count": count, "peak_mb": peak / 1024}
    print(json.dumps(result))


if __name__ == "__main__":
    main()
