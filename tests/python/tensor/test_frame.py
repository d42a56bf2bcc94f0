# SPDX-License-Identifier: Apache-2.0
"""The tensor frame's format: golden vectors, and frames cut, changed and made up."""

from __future__ import annotations

import json
import resource
import struct
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from support import needs
from wirecost.messaging.tensor import FrameError, decode, encode
from wirecost.system.errors import UserError

VECTORS = Path(__file__).parents[2] / "conformance" / "tensor"
MESSAGE = {
    "image": np.arange(12, dtype="u1").reshape(3, 4),
    "pose": (np.eye(3)[:, ::2], 1 << 80, None),
    "name": "camera",
    "long": b"x" * 2000,
    "table": np.zeros(2, "i4, f8"),
}


def vectors(name: str) -> list[list[str]]:
    lines = (VECTORS / name).read_text().splitlines()
    return [line.split(" ") for line in lines if not line.startswith("#")]


def plain(value: Any) -> Any:  # noqa: PLR0911  one line a kind
    """Return a value as the vectors write it."""
    match value:
        case np.ndarray():
            items = value.reshape(-1).tolist()
            return {"dtype": value.dtype.str, "shape": list(value.shape), "items": items}
        case bytes():
            return {"hex": value.hex()}
        case pyarrow.Table():
            return {"table": value.to_pydict()}
        case tuple():
            return {"tuple": [plain(item) for item in value]}
        case bool():
            return value
        case int() if abs(value) >> 64:
            return {"integer": str(value)}
        case dict() if not all(isinstance(key, str) for key in value):
            return {"map": [[key, plain(item)] for key, item in value.items()]}
        case dict():
            return {key: plain(item) for key, item in value.items()}
        case list():
            return [plain(item) for item in value]
    return value


@pytest.mark.parametrize(("name", "value", "frame"), vectors("good.txt"), ids=lambda v: v[:20])
def test_golden_frames(name: str, value: str, frame: str) -> None:
    for _ in range(2):  # the second time from the cache of headers
        decoded = decode(bytes.fromhex(frame))
        assert plain(decoded) == json.loads(value), name
    assert plain(decode(encode(decoded).tobytes())) == json.loads(value)


@pytest.mark.parametrize(
    ("name", "frame"), [[*v, ""][:2] for v in vectors("refused.txt")], ids=lambda v: v[:20]
)
def test_what_is_no_frame_is_refused(name: str, frame: str) -> None:
    for _ in range(2):
        with pytest.raises(FrameError, match=r"^frame: "):
            decode(bytes.fromhex(frame))
    assert name


def test_every_truncation_is_refused() -> None:
    for message in (MESSAGE, np.arange(6.0)):
        for checksum in (False, True):
            if checksum:
                needs.package("xxhash")
            whole = encode(message, checksum=checksum).tobytes()
            decode(whole)
            for size in range(len(whole)):
                with pytest.raises(FrameError):
                    decode(whole[:size])


@pytest.mark.parametrize("message", [MESSAGE, np.arange(6.0)], ids=["tree", "array"])
def test_every_changed_byte_of_a_header_is_refused(message: Any) -> None:
    whole = bytearray(encode(message).tobytes())
    (header,) = struct.unpack_from("<I", whole, 16)
    decode(whole)
    for at in range(header):
        for change in (1, 0x80, 0xFF):
            changed = bytearray(whole)
            changed[at] ^= change
            with pytest.raises(FrameError):
                decode(changed)


def test_changed_data_are_other_values_or_refused_by_the_checksum() -> None:
    needs.package("xxhash")
    message = np.arange(50, dtype="u1")
    whole = bytearray(encode(message).tobytes())
    (header,) = struct.unpack_from("<I", whole, 16)
    whole[-1] ^= 1
    assert decode(whole)[-1] == 48
    frame = encode(message, checksum=True)
    summed = bytearray(frame.nbytes)
    frame.write_into(summed)
    assert bytes(summed) == frame.tobytes()
    assert decode(summed).tolist() == message.tolist()
    for at in range(header, len(summed)):
        changed = bytearray(summed)
        changed[at] ^= 4
        with pytest.raises(FrameError, match="changed in transit"):
            decode(changed)


def test_the_checksum_is_xxh3_of_padding_and_segments() -> None:
    xxhash = needs.package("xxhash")
    for message in (np.arange(7, dtype="u1"), None, [np.zeros(3), np.zeros(0), "x"]):
        whole = encode(message, checksum=True).tobytes()
        (header,) = struct.unpack_from("<I", whole, 16)
        assert len(whole) % 8 == 0
        expected = xxhash.xxh3_64_intdigest(whole[header:-8])
        assert struct.unpack("<Q", whole[-8:])[0] == expected


def with_crc(header: bytearray) -> bytes:
    struct.pack_into("<I", header, 28, crc32(bytes(header[32:]), crc32(bytes(header[:28]))))
    return bytes(header)


@settings(max_examples=400, deadline=None)
@given(st.data())
def test_headers_that_lie_under_a_true_checksum_are_refused_or_read(data: st.DataObject) -> None:
    whole = bytearray(encode(MESSAGE).tobytes())
    (header,) = struct.unpack_from("<I", whole, 16)
    start = whole[:header]
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(32, header - 1))
        start[at] = data.draw(st.integers(0, 255))
    try:
        decoded = decode(with_crc(start) + bytes(whole[header:]))
    except UserError:
        return
    repr(decoded)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_descriptions_of_random_bytes_are_refused_or_read(description: bytes) -> None:
    header = bytearray(struct.pack("<4sHHQIIII", b"WCTF", 1, 0, 32 + len(description), 0, 0, 0, 0))
    header += description
    struct.pack_into("<I", header, 16, len(header))
    try:
        repr(decode(with_crc(header)))
    except UserError:
        return


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.complex_numbers(allow_nan=False)
    | st.text()
    | st.binary()
    | st.datetimes()
    | st.dates()
    | st.timedeltas(),
    lambda inner: (
        st.lists(inner)
        | st.lists(inner).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner)
    ),
)


@settings(max_examples=200, deadline=None)
@given(VALUES)
def test_any_value_comes_back(value: Any) -> None:
    assert decode(encode(value).tobytes()) == value


def test_lies_about_sizes_take_no_memory() -> None:
    limit = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (256 << 20), limit[1]))
    try:
        for _, frame in [[*v, ""][:2] for v in vectors("refused.txt")]:
            with pytest.raises(FrameError):
                decode(bytes.fromhex(frame))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, limit)


def test_a_header_has_a_limit() -> None:
    with pytest.raises(UserError, match="as arrays"):
        encode([float(n) for n in range(2_000_000)])
