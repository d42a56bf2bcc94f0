# SPDX-License-Identifier: Apache-2.0
"""Of a file with many messages, what is held grows with its chunks, not with its messages."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from random import Random

import numpy as np
import pytest
from mcap.writer import CompressionType, Writer

from wirecost.data.recordings import message_sizes
from wirecost.data.recordings.mcap.frames import FoundFrames
from wirecost.data.recordings.message_sizes import MessageSizes
from wirecost.data.recordings.recording import Recording


def small_messages(path: Path, count: int) -> Path:
    """Write messages of 8 bytes in chunks of 64 KiB."""
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=1 << 16, compression=CompressionType.NONE)
        writer.start()
        schema = writer.register_schema("a/msg/B", "ros2msg", b"int32 x\n")
        channel = writer.register_channel("/a", "cdr", schema)
        for number in range(count):
            data = b"\0\1\0\0" + number.to_bytes(4, "little")
            writer.add_message(channel, number, data, number)
        writer.finish()
    return path


def opened_bytes(path: Path) -> int:
    """Return the most memory that opening a recording and taking messages of it needs."""
    tracemalloc.start()
    try:
        with Recording(path) as recording:
            groups = recording.groups("/a", has_schema=False)
            last = recording.count - 1
            taken = recording.messages(groups, [0, last // 2, last])
            assert [int.from_bytes(data[4:], "little") for data in taken] == [0, last // 2, last]
            assert recording.begin_ns == 0
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_opening_takes_no_memory_for_each_message(tmp_path: Path) -> None:
    few, many = (small_messages(tmp_path / f"{n}.mcap", n) for n in (5_000, 50_000))
    opened_bytes(few)  # what is imported
    assert opened_bytes(many) - opened_bytes(few) < 4 * 45_000


@pytest.mark.parametrize("span", [10, 300, 100_000])
def test_frames_by_number_are_those_of_the_whole_table(span: int) -> None:
    """However chunks overlap in time; some messages have one time, and stand outside a chunk."""
    random = Random(span)
    found = FoundFrames()
    for chunk in (-1, *(100 * number for number in range(1, 40))):
        begin = 250 * random.randrange(40)
        for offset in sorted(random.sample(range(10_000), 25)):
            found.add(random.randrange(3), begin + random.randrange(span), chunk, offset)
    index = found.index()
    for channels in ({0}, {0, 2}, {0, 1, 2}):
        whole = index.of(channels)
        count = len(whole.chunk)
        assert count == index.counts[list(channels)].sum()
        assert index.span(channels) == (whole.log_time[0], whole.log_time[-1])
        wanted = sorted(random.sample(range(count), 20))
        picked = index.picked(channels, [*wanted, count])
        for name in ("log_time", "chunk", "offset"):
            assert (getattr(picked, name) == getattr(whole, name)[wanted]).all()
        low, high = sorted((int(whole.log_time[count // 4]), int(whole.log_time[count // 2])))
        pieces = list(index.pieces(channels, low, high))
        assert [piece.chunk for piece in pieces] == sorted({piece.chunk for piece in pieces})
        inside = (whole.log_time >= low) & (whole.log_time < high)
        assert {(p.chunk, int(at)) for p in pieces for at in p.offset} == set(
            zip(whole.chunk[inside].tolist(), whole.offset[inside].tolist(), strict=True)
        )
        assert all((np.diff(piece.offset.astype(np.int64)) > 0).all() for piece in pieces)


def test_sizes_have_their_median_also_where_they_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    random = Random(2)
    values = np.array([random.randrange(1, 200_000) for _ in range(4_001)], np.uint64)
    sizes = MessageSizes()
    assert (sizes.count, sizes.median, sizes.is_one) == (0, 0, False)
    sizes.add(values[:2_000])
    for value in values[2_000:].tolist():
        sizes.append(value)
    assert (sizes.count, sizes.total, sizes.largest) == (4_001, values.sum(), values.max())
    assert sizes.median == np.median(values) and not sizes.is_one
    monkeypatch.setattr(message_sizes, "MOST", 500)
    rounded = MessageSizes()
    rounded.add(values)
    assert len(rounded._counts) <= 500
    assert 0 <= rounded.median - sizes.median < 1024
    assert (rounded.count, rounded.total) == (sizes.count, sizes.total)
