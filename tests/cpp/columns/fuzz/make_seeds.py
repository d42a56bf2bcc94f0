# SPDX-License-Identifier: Apache-2.0
"""Seeds of the columns' fuzzer.

They are the golden vectors as columns and as rows, and a whole message, each behind the byte
that says which it is."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

CONFORMANCE = Path(__file__).parents[3] / "conformance"
SCHEMAS = (
    "conformance.columns2.Sample",
    "conformance.columns3.Sample",
    "osi3.LidarSensorView.Reflection",
    "osi3.MovingObject",
)
"""In the order of the first byte."""
LARGEST = 4096


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        if len(seed) < LARGEST:
            (folder / str(number)).write_bytes(seed)


def seeds() -> Iterator[bytes]:
    for path in sorted(CONFORMANCE.glob("*-columns/*.txt")):
        for line in path.read_text().splitlines():
            words = line.split()
            if line.startswith("#") or not words:
                continue
            schema = SCHEMAS.index(words[0])
            is_golden = path.parent.name.startswith("vectors")
            columns = bytes.fromhex("".join(words[2:3] if is_golden else words[1:2]))
            yield bytes([schema]) + columns
            if is_golden and len(words) > 3:
                yield bytes([len(SCHEMAS) + schema]) + short_rows(bytes.fromhex(words[3]))
            if words[0] == SCHEMAS[2] and len(words) > 3:
                yield bytes([2 * len(SCHEMAS)]) + sensor_view(bytes.fromhex(words[3]))


def short_rows(rows: bytes) -> bytes:
    """Rows of up to 127 bytes, each behind one byte with its length: no tag."""
    out = bytearray()
    at = 0
    while at < len(rows) and rows[at + 1] < 0x80:
        end = at + 2 + rows[at + 1]
        out += rows[at + 1 : end]
        at = end
    return bytes(out)


def sensor_view(rows: bytes) -> bytes:
    """With these reflections, whose field has number 2, in field 1002.

    Lengths of two bytes, so that all sizes fit.
    """
    lidar = bytearray()
    at = 0
    while at < len(rows) and rows[at + 1] < 0x80:
        end = at + 2 + rows[at + 1]
        lidar += b"\x12" + rows[at + 1 : end]
        at = end
    return b"\xd2\x3e" + bytes([len(lidar) & 0x7F | 0x80, len(lidar) >> 7]) + bytes(lidar)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
