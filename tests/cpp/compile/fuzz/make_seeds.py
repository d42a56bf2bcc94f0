# SPDX-License-Identifier: Apache-2.0
"""Makes what the fuzzers start from: small messages on every wire behind the byte that names it.

The notifications are the golden vectors; the sensor views are random. JSON's texts, and what
classes are given, stand behind the byte that says what of it is fuzzed.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

TESTS = Path(__file__).parents[3]
sys.path[:0] = [str(TESTS / "python"), str(TESTS.parent / "python")]

from osi3.osi_sensorview_pb2 import SensorView  # noqa: E402

from support import json_texts, sequential_reference  # noqa: E402
from support.random_protobuf import fill  # noqa: E402

WIRES = ("protobuf", "ros1", "cdr")
"""In the order of the first byte."""
LARGEST = 20_000


def main(folder: Path) -> None:
    vectors = TESTS / "conformance" / "vectors" / "notification.txt"
    for number, line in enumerate(vectors.read_text().splitlines()):
        if not line.startswith("#"):
            _, wire, content = line.split()
            write(folder / "notification", f"{number}", wire, bytes.fromhex(content))
            if wire == "protobuf":
                write_behind(folder / "classes", f"{number}", 2, bytes.fromhex(content))
    extended = bytes.fromhex("0801 a2060161 b80605 da06020802 d2060408016200")
    write_behind(folder / "classes", "extensions", 3, extended)
    write_behind(folder / "classes", "operations", 4, random.Random(0).randbytes(500))
    count = 0
    for seed in range(100):
        message = fill(SensorView(), random.Random(seed), 3)
        for wire in WIRES:
            data = (
                message.SerializeToString(deterministic=True)
                if wire == "protobuf"
                else sequential_reference.encode(message, wire)
            )
            if len(data) < LARGEST:
                count += 1
                write(folder / "sensor_view", f"{seed}-{wire}", wire, data)
    if not count:
        raise SystemExit("no sensor view is small enough")
    texts = [text for text, *_ in (*json_texts.TEXTS, *json_texts.REFUSED)]
    for number, text in enumerate(texts):
        write_behind(folder / "json", f"{number}", 0, text.encode())


def write(folder: Path, name: str, wire: str, data: bytes) -> None:
    write_behind(folder, name, WIRES.index(wire), data)


def write_behind(folder: Path, name: str, first: int, data: bytes) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(bytes([first]) + data)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
