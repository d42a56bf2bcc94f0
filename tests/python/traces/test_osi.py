# SPDX-License-Identifier: Apache-2.0
"""``.osi`` files: whole frames whatever the bytes, the index beside them, memory."""

from __future__ import annotations

import gzip
import lzma
import os
import struct
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from support.sensor_views import sensor_view
from wirecost.data.traces import create_trace, open_trace
from wirecost.data.traces.info import info
from wirecost.data.traces.osi_file import OsiTrace
from wirecost.data.traces.osi_index import HEADER, index_path
from wirecost.system.errors import UserError
from wirecost.system.progress import silent
from wirecost.system.regular_file import LFS_POINTER

FRAMES = [b"", b"a", b"four", bytes(100), b"\x12\x02\x08\x07"]


def content(frames: list[bytes]) -> bytes:
    return b"".join(struct.pack("<I", len(frame)) + frame for frame in frames)


def read(path: Path, worthwhile: int = 1 << 20) -> list[bytes]:
    with OsiTrace(path, worthwhile=worthwhile) as trace:
        return [bytes(message) for _, message in trace.frames()]


def test_a_trace_cut_at_any_byte_yields_all_whole_frames_and_one_warning(tmp_path: Path) -> None:
    whole = content(FRAMES)
    ends = [len(content(FRAMES[:count])) for count in range(len(FRAMES) + 1)]
    path = tmp_path / "cut_sv_.osi"
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        count = sum(end <= size for end in ends) - 1
        if size and not count:
            with pytest.raises(UserError, match="no trace, or damaged: holds no whole frame"):
                open_trace(path)
            continue
        with open_trace(path) as trace:
            assert [bytes(message) for _, message in trace.frames()] == FRAMES[:count]
            assert trace.frame_count == count
            assert len(trace.warnings) == (size not in ends)
            assert all(f"the {count} whole frames" in text for text in trace.warnings)


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_lead_beyond_the_file(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    assume(not data.startswith(LFS_POINTER))
    path = tmp_path_factory.getbasetemp() / "any_sv_.osi"
    path.write_bytes(data)
    frames = read(path, worthwhile=0)
    joined = content(frames)
    assert data[: len(joined)] == joined
    assert frames == read(path)


def test_frames_have_numbers_and_times(tmp_path: Path) -> None:
    path = tmp_path / "times_sv_.osi"
    with create_trace(path, "SensorView") as writer:
        for second in range(5):
            writer.write(None, sensor_view(second, 5))
    with open_trace(path) as trace:
        assert trace.type_name == "SensorView"
        assert [time for time, _ in trace.frames(1, 3)] == [1_000_000_005, 2_000_000_005]
        assert [time for time, _ in trace.frames(4, 9)] == [4_000_000_005]
        assert list(trace.frames(7)) == []


def test_a_frame_outlives_its_trace(tmp_path: Path) -> None:
    path = tmp_path / "held_sv_.osi"
    path.write_bytes(content(FRAMES))
    with open_trace(path) as trace:
        held = [message for _, message in trace.frames()]
    assert [bytes(message) for message in held] == FRAMES
    assert held[3].readonly


def test_the_index_is_written_once_and_again_when_stale(tmp_path: Path) -> None:
    path = tmp_path / "trace.osi"
    path.write_bytes(content(FRAMES))
    index = index_path(path)
    assert read(path, worthwhile=0) == FRAMES
    first = index.stat()
    assert first.st_size == HEADER.size + 8 * (len(FRAMES) + 1)
    assert read(path, worthwhile=0) == FRAMES
    assert index.stat().st_mtime_ns == first.st_mtime_ns
    with path.open("ab") as file:
        file.write(content([b"more"]))
    assert read(path, worthwhile=0) == [*FRAMES, b"more"]
    # Same size and time, other content: the digest tells.
    stat = path.stat()
    path.write_bytes(content([*reversed(FRAMES), b"more"]))
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert read(path, worthwhile=0) == [*reversed(FRAMES), b"more"]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["trace.osi", "trace.osi.index"]


def test_small_traces_get_no_index(tmp_path: Path) -> None:
    path = tmp_path / "trace.osi"
    path.write_bytes(content(FRAMES))
    assert read(path) == FRAMES
    assert not index_path(path).exists()


def test_where_no_index_can_be_written_it_is_kept_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "trace.osi"
    path.write_bytes(content(FRAMES))
    index_path(path).mkdir()
    assert read(path, worthwhile=0) == FRAMES
    assert sorted(p.name for p in tmp_path.iterdir()) == ["trace.osi", "trace.osi.index"]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_hostile_index_is_not_believed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "indexed.osi"
    path.write_bytes(content(FRAMES))
    read(path, worthwhile=0)
    index = bytearray(index_path(path).read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(index) - 1))
        index[at] = data.draw(st.integers(0, 255))
    index_path(path).write_bytes(
        index[: data.draw(st.integers(0, len(index)) | st.just(len(index)))]
    )
    try:
        frames = read(path, worthwhile=0)
    except UserError as error:
        assert "index: does not" in str(error)
        frames = read(path, worthwhile=0)
    # A last offset that is too early is no lie about the frames before it.
    assert frames == FRAMES[: len(frames)]


@pytest.mark.parametrize(
    "offsets",
    [[0, 2**63], [0, 2**64 - 1], [9, 5], [0, 0], [2**64 - 2, 0]],
    ids=["far", "at the end of numbers", "backwards", "without length", "around"],
)
def test_sizes_are_those_that_the_file_can_have(tmp_path: Path, offsets: list[int]) -> None:
    """`trace info` reads sizes off the index, whoever wrote that."""
    path = tmp_path / "sv_one.osi"
    path.write_bytes(content(FRAMES))
    read(path, worthwhile=0)
    index = bytearray(index_path(path).read_bytes())
    struct.pack_into("<2Q", index, HEADER.size + 8, *offsets)
    index_path(path).write_bytes(index)
    with (
        OsiTrace(path, "SensorView", worthwhile=0) as trace,
        pytest.raises(UserError, match="index: does not fit its trace; it was removed"),
    ):
        info(trace, silent)
    with OsiTrace(path, "SensorView", worthwhile=0) as trace:
        assert info(trace, silent).bytes == sum(map(len, FRAMES))


@pytest.mark.parametrize("suffix", [".osi", ".mcap", ".txth"])
@pytest.mark.parametrize("reason", [KeyboardInterrupt, ValueError])
def test_what_is_not_finished_leaves_nothing(
    tmp_path: Path, suffix: str, reason: type[BaseException]
) -> None:
    def write() -> None:
        with create_trace(tmp_path / f"out{suffix}", "SensorView") as writer:
            writer.write(0, sensor_view(0))
            raise reason

    with pytest.raises(reason):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", [".osi", ".mcap"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, suffix: str) -> None:
    frame, count = bytes(1 << 20), 96
    path, out = tmp_path / "large_sv_.osi", tmp_path / f"out_sv_{suffix}"
    with path.open("wb") as file:  # zeros are holes: the file takes no room
        for _ in range(count):
            file.write(struct.pack("<I", len(frame)))
            file.seek(len(frame), os.SEEK_CUR)
        file.truncate(file.tell())
    tracemalloc.start()
    try:
        with (
            open_trace(path, type_name="SensorView") as trace,
            create_trace(out, "SensorView") as writer,
        ):
            for time, message in trace.frames():
                writer.write(time, message)
        with open_trace(out, type_name="SensorView") as trace:
            assert sum(len(message) for _, message in trace.frames()) == count * len(frame)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    limit = 4 << 20 if suffix == ".osi" else 48 << 20
    assert peak < limit


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("none.osi", None, "No such file"),
        ("trace.bin", b"", "no trace of OSI by its suffix"),
        ("empty.osi", b"", "holds no frame; record it again"),
        ("noise.osi", content([b"\xff" * 20] * 3), "not OSI messages"),
        ("noise_sv_.osi", content([b"\xff" * 20] * 3), "not OSI messages"),
        ("letter_sv_.osi", b"Dear all,\nthis is text.\n", "holds no whole frame"),
        ("packed_sv_.osi", gzip.compress(os.urandom(1 << 20), mtime=0), "packed by gzip"),
        ("xz_sv_.osi", lzma.compress(sensor_view(1)), "packed by xz"),
        ("one_sv_.osi", sensor_view(1), "one message without its length"),
        ("old_sv_.osi", b"$$__$$".join([sensor_view(1)] * 3), "format, with $$__$$"),
        ("big_sv_.osi", struct.pack(">I", len(sensor_view(1))) + sensor_view(1), "are big-endian"),
    ],
)
def test_what_is_no_trace_is_reported_in_one_line(
    tmp_path: Path, name: str, data: bytes | None, says: str
) -> None:
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UserError) as error:
        open_trace(path)
    assert says in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
