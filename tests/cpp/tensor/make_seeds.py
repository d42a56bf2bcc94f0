# SPDX-License-Identifier: Apache-2.0
"""Seeds of the fuzzer of tensors.

They are the golden vectors as frames, and the Arrow messages in them, each behind the byte that
says which it is."""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "conformance" / "tensor"
MARK = b"\xff\xff\xff\xff"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds()):
        (folder / str(number)).write_bytes(seed)


def seeds() -> Iterator[bytes]:
    for name in ("good.txt", "refused.txt"):
        for line in (VECTORS / name).read_text().splitlines():
            if not line.startswith("#"):
                frame = bytes.fromhex(line.split(" ")[-1])
                yield b"F" + frame
                yield from (b"A" + message for message in messages(frame))


def messages(frame: bytes) -> Iterator[bytes]:
    at = frame.find(MARK)
    while at >= 0 and at + 8 <= len(frame):
        (size,) = struct.unpack_from("<I", frame, at + 4)
        yield frame[at + 8 : at + 8 + size]
        at = frame.find(MARK, at + 8)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
