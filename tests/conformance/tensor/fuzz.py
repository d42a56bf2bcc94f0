# SPDX-License-Identifier: Apache-2.0
"""Feeds made-up frames to the decoder, guided by coverage; needs atheris.

The header's sizes and checksum are put right, or hardly a frame would be looked into. Anything
but a value or a UserError ends the run, and so does a difference between C++ and Python::

    PYTHONPATH=tests:tests/python python tests/conformance/tensor/fuzz.py -max_total_time=600 CORPUS
"""

from __future__ import annotations

import importlib
import pkgutil
import struct
import sys
from pathlib import Path
from zlib import crc32

import atheris

with atheris.instrument_imports(include=["wirecost.messaging.tensor"]):
    from attack.tensor.native import read
    from wirecost.messaging.tensor import compressors, decode, encode, frameworks
    from wirecost.system.errors import UserError

    for package in (compressors, frameworks):
        for module in pkgutil.iter_modules(package.__path__):
            importlib.import_module(f"{package.__name__}.{module.name}")

VECTORS = Path(__file__).parent


def corrected(data: bytes) -> bytes:
    """With sizes that fit and a true checksum, where there is a header to have them."""
    frame = bytearray(data)
    if len(frame) < 32:
        return data
    frame[:6] = b"WCTF\1\0"
    struct.pack_into("<Q", frame, 8, len(frame))
    (header,) = struct.unpack_from("<I", frame, 16)
    header = min(max(header, 32), len(frame))
    struct.pack_into("<I", frame, 16, header)
    rest = bytes(frame[32:header])
    struct.pack_into("<I", frame, 28, crc32(rest, crc32(bytes(frame[:28]))))
    return bytes(frame)


def one(data: bytes) -> None:
    try:
        frame = corrected(data)
        decoded = decode(frame)
        repr(decoded)
        encode(decoded)
        read(frame)
    except UserError:
        return


def seeds(corpus: Path) -> None:
    """Write the golden vectors, and the frames that the program's caller has put there."""
    corpus.mkdir(parents=True, exist_ok=True)
    for name in ("good.txt", "refused.txt"):
        for line in (VECTORS / name).read_text().splitlines():
            if not line.startswith("#"):
                key, frame = line.split(" ")[0], line.split(" ")[-1]
                (corpus / key).write_bytes(bytes.fromhex(frame))


if __name__ == "__main__":
    if sys.argv[1:] and not sys.argv[-1].startswith("-"):
        seeds(Path(sys.argv[-1]))
    atheris.Setup(sys.argv, one)
    atheris.Fuzz()
