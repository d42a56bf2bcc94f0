# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller compresses: what arrives, what is refused, what it may take."""

from __future__ import annotations

import gc
import struct
import sys
from typing import Any

import msgpack
import numpy as np
import pytest

from support import needs
from support.hostile_tensors import hostile
from wirecost.messaging.tensor import (
    Compressed,
    FrameError,
    SamplePool,
    codes,
    compress,
    decode,
    encode,
    packages,
    register_plugin,
)
from wirecost.messaging.tensor.budget import MOST_EXPANDED, Budget
from wirecost.messaging.tensor.compressors import jpeg
from wirecost.messaging.tensor.layout import build
from wirecost.system.errors import UserError

LOSSLESS = ("lz4", "zstd")
PACKAGES = {"lz4": "lz4", "zstd": "zstandard", "jpeg": "simplejpeg"}
ARRAYS = {
    "image": np.arange(48 * 64 * 3, dtype="u1").reshape(48, 64, 3),
    "columns": np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)),
    "turned": np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1),
    "gaps": np.arange(100, dtype=">i2")[::3],
    "number": np.array(2.5),
    "nothing": np.zeros((0, 3)),
    "times": np.arange(5).astype("M8[ns]"),
    "texts": np.array(["ab", "ü"]),
    "records": np.array([(1, 2.5), (3, 4.5)], "i4, f8"),
    "incompressible": np.random.default_rng(1).integers(0, 256, 5000).astype("u1"),
}


def there_and_back(value: Any, **options: Any) -> Any:
    return decode(encode(value).tobytes(), **options)


def image(height: int = 48, width: int = 64, colours: bool = True) -> Any:
    rows = np.add.outer(np.arange(height), np.arange(width)).astype("u1")
    return np.stack([rows, 255 - rows, rows // 2], axis=2) if colours else rows


@pytest.fixture(autouse=True)
def libraries() -> None:
    for package in PACKAGES.values():
        needs.package(package)


@pytest.mark.parametrize("how", LOSSLESS)
@pytest.mark.parametrize("name", ARRAYS)
def test_every_bit_arrives(name: str, how: str) -> None:
    array = ARRAYS[name]
    for value in (compress(array, how), {"a": [1, (compress(array, how),)], "b": array}):
        restored = there_and_back(value)
        if isinstance(restored, dict):
            assert restored["b"].tobytes() == array.tobytes()
            restored = restored["a"][1][0]
        assert type(restored) is np.ndarray
        assert (restored.dtype, restored.shape) == (array.dtype, array.shape)
        assert restored.tobytes() == array.tobytes()
        if array.flags.f_contiguous and not array.flags.c_contiguous:
            assert restored.flags.f_contiguous
        if restored.nbytes:
            restored.reshape(-1)[:1] = restored.reshape(-1)[-1:]  # in memory of its own


def test_types_that_numpy_has_not_arrive() -> None:
    narrow = np.arange(7).astype(needs.package("ml_dtypes").bfloat16)
    assert there_and_back(compress(narrow, "zstd")).tolist() == narrow.tolist()


def test_a_level_makes_it_smaller() -> None:
    array = np.arange(20_000, dtype="<i4") ** 2
    assert compress(array, "zstd", level=19).nbytes < compress(array, "zstd", level=1).nbytes
    assert np.array_equal(there_and_back(compress(array, "zstd", level=19)), array)


@pytest.mark.parametrize("colours", [True, False])
def test_jpeg_is_near_and_smaller(colours: bool) -> None:
    sent = image(colours=colours)
    packed = compress(sent, "jpeg")
    assert packed.nbytes < sent.nbytes / 3
    restored = there_and_back({"image": packed})["image"]
    assert (restored.dtype, restored.shape, restored.flags.writeable) == (
        sent.dtype,
        sent.shape,
        True,
    )
    assert np.abs(restored.astype(int) - sent).mean() < 4
    assert compress(sent, "jpeg", quality=30).nbytes < packed.nbytes
    assert np.array_equal(there_and_back(compress(sent[:, ::-1], "jpeg")), (
        there_and_back(compress(sent[:, ::-1].copy(), "jpeg"))
    ))  # fmt: skip


def test_none_is_the_array_itself() -> None:
    array = image()
    assert compress(array, "none").base is array
    assert np.array_equal(there_and_back(compress(array, "none")), array)


def test_what_numpy_sees_as_an_array_is_compressed() -> None:
    pillow = needs.package("PIL.Image")
    array = image()
    restored = there_and_back(compress(pillow.fromarray(array), "lz4"))
    assert np.array_equal(restored, array)


@pytest.mark.parametrize("how", PACKAGES)
def test_it_may_stay_compressed_and_be_sent_on(how: str) -> None:
    array = image()
    frame = encode({"image": compress(array, how), "plain": array}).tobytes()
    decoded = decode(frame, as_="compressed")
    assert np.array_equal(decoded["plain"], array)
    packed = decoded["image"]
    assert type(packed) is Compressed
    assert (packed.codec, packed.shape, packed.dtype) == (how, array.shape, array.dtype)
    assert packed.nbytes == len(packed.data) < array.nbytes
    assert repr(packed) == f"<48x64x3 uint8 as {packed.nbytes} bytes of {how}>"
    assert encode(decoded).tobytes() == frame
    assert encode({"image": packed}).copies == 0
    assert np.array_equal(packed.array(), decode(frame)["image"])
    assert there_and_back(packed, as_="compressed").nbytes == packed.nbytes


def test_what_stays_compressed_keeps_the_sample() -> None:
    released = []
    pool = SamplePool(1)
    frame = encode(compress(image(), "lz4")).tobytes()
    decoded = decode(frame, as_="compressed", owner=pool.borrow(1, released.append))
    assert np.array_equal(decoded.array(), image())
    assert released == []
    del decoded
    gc.collect()
    decode(frame, owner=pool.borrow(2, released.append))
    assert released == [1, 2]


def test_other_frameworks_get_it() -> None:
    jax = needs.package("jax")
    restored = there_and_back({"a": compress(image(), "zstd")}, as_="jax")["a"]
    assert isinstance(restored, jax.Array)
    assert np.array_equal(np.asarray(restored), image())


class Shot:
    def __init__(self, pixels: Any) -> None:
        self.pixels = pixels


register_plugin(Shot, "test shot", lambda shot: {"p": compress(shot.pixels, "lz4")},
                lambda body: Shot(body["p"]))  # fmt: skip


def test_plugins_may_compress() -> None:
    for as_ in (None, "compressed"):
        assert np.array_equal(there_and_back(Shot(image()), as_=as_).pixels, image())


@pytest.mark.parametrize(
    ("array", "how", "options", "reported"),
    [
        (image(), "gzip", {}, "there is no 'gzip'; give lz4, zstd, jpeg, none"),
        (image(), "lz4", {"level": 3}, "lz4 has no level"),
        (image(), "none", {"quality": 3}, "none has no quality"),
        (image(), "zstd", {"level": 23}, "level 23; give 1 to 22"),
        (image(), "jpeg", {"quality": 0}, "quality 0; give 1 to 100"),
        (image().astype("f4"), "jpeg", {}, "not float32 48x64x3; compress with zstd or lz4"),
        (image()[:, :, :2], "jpeg", {}, "not uint8 48x64x2"),
        (np.uint8(1), "jpeg", {}, "not uint8 scalar"),
        (image()[:0], "jpeg", {}, "1 to 65500 rows"),
        (np.zeros((1, 65501), "u1"), "jpeg", {}, "1 to 65500 rows"),
        (np.array([None]), "lz4", {}, "dtype object"),
        (np.ma.array([1], mask=[1]), "lz4", {}, "its data and its mask"),
        ([[1], [1, 2]], "lz4", {}, "list is no array on the host"),
    ],
)
def test_what_cannot_be_compressed_is_refused(
    array: Any, how: str, options: dict[str, int], reported: str
) -> None:
    with pytest.raises(UserError) as raised:
        compress(array, how, **options)
    assert reported in str(raised.value)
    assert str(raised.value).isprintable()


@pytest.mark.parametrize("how", PACKAGES)
def test_damaged_data_are_other_values_or_refused(how: str) -> None:
    whole = bytearray(encode(compress(image(), how)).tobytes())
    (header,) = struct.unpack_from("<I", whole, 16)
    for at in range(header, len(whole), 3):
        changed = bytearray(whole)
        changed[at] ^= 0x55
        try:
            assert decode(changed).shape == (48, 64, 3)
        except FrameError as error:
            assert str(error).isprintable() and len(str(error)) < 300
    for size in range(0, compress(image(), how).nbytes, 7):
        with pytest.raises(FrameError):
            decode(frame_of(how, "|u1", [48, 64, 3], bytes(compress(image(), how).data[:size])))


def frame_of(codec: str, dtype: str, shape: list[int], data: bytes) -> bytes:
    payload = msgpack.packb([0, codec, dtype, shape, None])
    description = msgpack.packb(msgpack.ExtType(codes.COMPRESSED, payload))
    header, layout = build(description, [len(data)], False)
    whole = bytearray(layout.total)
    whole[: len(header)] = header
    whole[layout.segments[0][0] :] = data
    return bytes(whole)


def test_older_readers_refuse_it_in_one_line() -> None:
    """They refuse it as this one refuses the first type that it does not know."""
    frame = encode(compress(image(), "lz4")).tobytes()
    parsed = msgpack.unpackb(frame[48 : struct.unpack_from("<I", frame, 16)[0]])
    assert parsed.code == 12
    after = msgpack.packb(msgpack.ExtType(14, b"\xc0"))
    with pytest.raises(FrameError, match="frame: values of type 14 are unknown to this version"):
        decode(build(after, [], False)[0])


def test_a_tensor_may_expand_by_much_and_no_further() -> None:
    zeros = np.zeros(MOST_EXPANDED // 4, "u1")
    packed = compress(zeros, "zstd")
    assert there_and_back([packed, packed])[1].nbytes == zeros.nbytes
    with pytest.raises(FrameError) as raised:
        there_and_back([packed] * 3)
    assert f" {zeros.nbytes * 2:,} bytes" in str(raised.value)
    packed_again = there_and_back([packed] * 3, as_="compressed")
    assert packed_again[2].array().nbytes == zeros.nbytes


def test_a_budget_for_expanding_is_beside_the_other() -> None:
    budget = Budget(1000)
    budget.expand(MOST_EXPANDED - 10)
    bytes_left = budget.bytes_left
    budget.expand(30)
    assert bytes_left - budget.bytes_left == 20
    budget.expand(5)
    assert bytes_left - budget.bytes_left == 25


def test_many_tiny_ones_are_refused() -> None:
    with pytest.raises(FrameError, match=r"a compressed tensor.*let the sender make one of many"):
        there_and_back([compress(np.zeros(1, "u1"), "lz4")] * 1000)


def test_objects_of_frameworks_have_none_in_them() -> None:
    body = {"data": compress(np.zeros(4), "lz4"), "chunks": [[4]]}
    with pytest.raises(
        FrameError, match="an object of 'dask' has a tensor in it that is compressed"
    ):
        hostile("dask", "array", body)


def test_an_image_is_looked_at_before_there_is_room_for_it() -> None:
    data = bytes(compress(image(), "jpeg").data)
    for shape in ([64, 48, 3], [48, 64], [48, 64, 4], [1 << 20, 1 << 20, 3]):
        with pytest.raises(FrameError, match=r"a JPEG image of \(48, 64, 3\) is said to be"):
            decode(frame_of("jpeg", "|u1", shape, data))
    at = data.index(b"\xff\xc0")
    progressive = data[:at] + b"\xff\xc2" + data[at + 2 :]
    with pytest.raises(FrameError, match="no baseline image in one scan"):
        decode(frame_of("jpeg", "|u1", [48, 64, 3], progressive))
    assert jpeg._MOST_SEGMENTS > 10


def test_a_missing_library_is_named_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    frames = {how: encode(compress(image(), how)).tobytes() for how in PACKAGES}
    monkeypatch.setattr(packages, "_LOADED", {})
    for how, package in PACKAGES.items():
        monkeypatch.setitem(sys.modules, package, None)
        monkeypatch.setitem(sys.modules, f"{package}.block", None)
        with pytest.raises(UserError, match=f"pip install {package}, or .*as_=.compressed"):
            decode(frames[how])
        assert decode(frames[how], as_="compressed").codec == how
