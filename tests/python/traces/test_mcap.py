# SPDX-License-Identifier: Apache-2.0
"""``.mcap`` and ``.txth``: real traces there and back, damaged files, OSI's rules for metadata."""

from __future__ import annotations

import io
import struct
import tracemalloc
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcap.reader import SeekingReader, make_reader
from mcap.records import Chunk
from mcap.writer import CompressionType, IndexType, Writer

from support.sensor_views import sensor_view
from support.traces import messages as messages_of
from wirecost.data.recordings.mcap import index as mcap_index
from wirecost.data.recordings.mcap.file import McapFile
from wirecost.data.traces import create_trace, messages, open_trace
from wirecost.data.traces.choices import COMPRESSIONS
from wirecost.data.traces.mcap_writer import DATE_TIME, about_named
from wirecost.system.errors import UserError
from wirecost.system.mapped import Mapped
from wirecost.system.progress import silent

ROS = "only_osi_topic.mcap"


def written(**options: object) -> tuple[io.BytesIO, Writer]:
    out = io.BytesIO()
    writer = Writer(out, chunk_size=64, **options)
    writer.start()
    return out, writer


def channel(writer: Writer, topic: str, name: str = "osi3.SensorView") -> int:
    schema = writer.register_schema(name, "protobuf", b"not looked at")
    return writer.register_channel(topic, "protobuf", schema)


def trace_of(count: int = 6, **options: object) -> bytes:
    out, writer = written(**options)
    number = channel(writer, "view")
    for second in range(count):
        writer.add_message(number, second * 10**9, sensor_view(second), second * 10**9)
    writer.finish()
    return out.getvalue()


def read(path: Path, data: bytes) -> tuple[list[bytes], list[str]]:
    path.write_bytes(data)
    with open_trace(path) as trace:
        return [bytes(message) for _, message in trace.frames()], trace.warnings


def test_real_traces_there_and_back(osi_data: Path, tmp_path: Path) -> None:
    paths = [p for p in osi_data.rglob("*") if p.suffix in (".osi", ".mcap") and p.name != ROS]
    assert len(paths) >= 13
    for path in paths:
        with open_trace(path) as trace:
            assert trace.warnings == []
            expected = [data for _, data in messages_of(path)]
            assert [bytes(message) for _, message in trace.frames()] == expected
            for form in (*COMPRESSIONS, "txth"):
                suffix = "txth" if form == "txth" else "mcap"
                between, back = tmp_path / f"between.{suffix}", tmp_path / "back.osi"
                compression = form if form in COMPRESSIONS else "zstd"
                name = trace.type_name
                with create_trace(between, name, about_named(path), compression) as writer:
                    for time, message in trace.frames():
                        writer.write(time, message)
                with (
                    open_trace(between, type_name=name) as source,
                    create_trace(back, name) as writer,
                ):
                    for time, message in source.frames():
                        writer.write(time, message)
                with open_trace(back, type_name=name) as last:
                    assert [bytes(m) for _, m in last.frames()] == expected, (path, form)


@pytest.mark.parametrize(
    ("seconds", "moved"),
    [
        ([1, None, 3], "frame 1"),
        ([3, 1, 2, 3, 1], "3 of 5 frames, first 1"),
        ([None, None], "all 2 frames"),
        ([2, 2, 2], None),
    ],
)
@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_frames_stay_in_order_whatever_their_times(
    tmp_path: Path, seconds: list[int | None], moved: str | None, compression: str
) -> None:
    path = tmp_path / "out.mcap"
    frames = [sensor_view(number) for number in range(len(seconds))]
    with create_trace(path, "SensorView", compression=compression) as writer:
        for second, frame in zip(seconds, frames, strict=True):
            writer.write(None if second is None else second * 10**9, frame)
    with open_trace(path) as trace:
        assert [bytes(message) for _, message in trace.frames()] == frames
    with path.open("rb") as file:
        published = [m.publish_time for _, _, m in make_reader(file).iter_messages()]
    for second, time in zip(seconds, published, strict=True):
        assert second is None or time == second * 10**9
    if moved is None:
        assert writer.warnings == []
    else:
        (warning,) = writer.warnings
        assert f"back in {moved};" in warning


def test_the_metadata_is_what_osi_asks_for(tmp_path: Path) -> None:
    path = tmp_path / "20240603T143803.5Z_sv_370_3200_2_drive.mcap"
    with create_trace(path, "SensorView") as writer:
        for second in range(2):
            writer.write(second * 10**9, sensor_view(second))
    with path.open("rb") as file:
        reader = make_reader(file)
        (metadata,) = reader.iter_metadata()
        summary = reader.get_summary()
    assert metadata.name == "net.asam.osi.trace"
    osi = {"version": messages.schema_version(), "min_osi_version": "3.7.0"}
    protobuf = messages.PROTOBUF_VERSION
    assert metadata.metadata == osi | {
        "max_osi_version": "3.7.0",
        "min_protobuf_version": protobuf,
        "max_protobuf_version": protobuf,
        "creation_time": "2024-06-03T14:38:03.5Z",
    }
    assert summary is not None
    assert summary.chunk_indexes
    (only,) = summary.channels.values()
    assert only.topic == "SensorView"
    assert only.message_encoding == "protobuf"
    assert only.metadata == {
        "net.asam.osi.trace.channel.osi_version": "3.7.0",
        "net.asam.osi.trace.channel.protobuf_version": protobuf,
    }
    (schema,) = summary.schemas.values()
    assert (schema.name, schema.encoding) == ("osi3.SensorView", "protobuf")
    files = FileDescriptorSet.FromString(schema.data).file
    seen: set[str] = set()
    for file in files:
        assert set(file.dependency) <= seen
        seen.add(file.name)


def test_dates_follow_the_names(tmp_path: Path) -> None:
    for stamp, date in {
        "20210818T150542Z": "2021-08-18T15:05:42Z",
        "20210818T150542+0200": "2021-08-18T15:05:42+02:00",
        "20210818T150542-05": "2021-08-18T15:05:42-05:00",
    }.items():
        reported = about_named(tmp_path / f"{stamp}_sv_312_300_15_highway.osi").file[
            "creation_time"
        ]
        assert reported == date
        assert DATE_TIME.fullmatch(date)
    assert about_named(tmp_path / "20219918T150542Z_sv_312_300_15_highway.osi").file == {}


def test_several_channels_are_chosen_by_topic(tmp_path: Path) -> None:
    out, writer = written()
    numbers = [channel(writer, topic) for topic in ("left", "right")]
    for second in range(4):
        writer.add_message(numbers[second % 2], second, sensor_view(second), second)
    writer.finish()
    path = tmp_path / "two.mcap"
    path.write_bytes(out.getvalue())
    with pytest.raises(UserError, match="choose --topic left or right"):
        open_trace(path)
    with pytest.raises(UserError, match="has no OSI channel middle"):
        open_trace(path, topic="middle")
    with open_trace(path, topic="right") as trace:
        assert [bytes(m) for _, m in trace.frames()] == [sensor_view(1), sensor_view(3)]


def test_other_encodings_are_refused(osi_data: Path, tmp_path: Path) -> None:
    (ros,) = osi_data.rglob(ROS)
    with pytest.raises(UserError, match=r"no OSI channel in Protobuf .*ros1"):
        open_trace(ros)
    path = tmp_path / "noise.mcap"
    path.write_bytes(b"MCAP, but not really")
    with pytest.raises(UserError, match="not an MCAP file"):
        open_trace(path)


def test_frames_come_in_the_order_of_their_log_times(tmp_path: Path) -> None:
    out, writer = written()
    number = channel(writer, "view")
    order = [3, 0, 5, 1, 4, 2]
    for second in order:
        writer.add_message(number, second * 10**9, sensor_view(second), 0)
    writer.finish()
    frames, warnings = read(tmp_path / "mixed.mcap", out.getvalue())
    assert frames == [sensor_view(second) for second in sorted(order)]
    assert warnings == []


@pytest.mark.parametrize(
    "options",
    [
        {"index_types": IndexType.NONE},
        {"index_types": IndexType.CHUNK},
        {"use_chunking": False},
        {"use_statistics": False},
        {"repeat_channels": False},
        {"repeat_schemas": False},
    ],
)
def test_without_an_index_all_is_read(tmp_path: Path, options: dict[str, object]) -> None:
    frames, warnings = read(tmp_path / "bare.mcap", trace_of(**options))
    assert frames == [sensor_view(second) for second in range(6)]
    assert warnings == []


def test_an_index_cannot_be_larger_than_its_file() -> None:
    """Many chunks can name one index, and a file of megabytes so claim billions of frames."""
    data = memoryview(trace_of())
    summary = SeekingReader(mcap_index.stream(data)).get_summary()
    assert summary is not None
    assert len(mcap_index._by_summary(data, summary, silent).frames) == 6
    summary.chunk_indexes *= len(data)
    with pytest.raises(ValueError, match="larger than its file"):
        mcap_index._by_summary(data, summary, silent)


def test_pages_of_the_index_are_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "drive.mcap"
    path.write_bytes(trace_of(compression=CompressionType.NONE))
    noted: list[int] = []
    monkeypatch.setattr(Mapped, "note_read", lambda _, size: noted.append(size))
    with McapFile(path) as file:
        assert sum(noted) == max(piece.chunk for piece in file.contents.frames.pieces()) > 0


def test_without_a_summary_all_is_read_with_one_warning(tmp_path: Path) -> None:
    options = {"use_statistics": False, "use_summary_offsets": False}
    data = trace_of(
        index_types=IndexType.NONE, repeat_channels=False, repeat_schemas=False, **options
    )
    frames, (warning,) = read(tmp_path / "bare.mcap", data)
    assert frames == [sensor_view(second) for second in range(6)]
    assert "has no summary" in warning


@pytest.mark.parametrize("compression", [CompressionType.NONE, CompressionType.ZSTD])
def test_a_file_cut_anywhere_yields_its_whole_frames(
    tmp_path: Path, compression: CompressionType
) -> None:
    data = trace_of(compression=compression)
    expected = [sensor_view(second) for second in range(6)]
    counts = []
    for size in range(len(data)):
        try:
            frames, warnings = read(tmp_path / "cut.mcap", data[:size])
        except UserError as error:
            assert "no OSI channel" in str(error) or "not an MCAP" in str(error)
            continue
        assert frames == expected[: len(frames)]
        assert len(warnings) == 1
        counts.append(len(frames))
    assert counts == sorted(counts)
    assert counts[-1] == 6


@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.data())
def test_hostile_bytes_are_refused_or_read(tmp_path: Path, data: st.DataObject) -> None:
    compression = data.draw(st.sampled_from(list(CompressionType)))
    whole = bytearray(trace_of(3, compression=compression))
    places = st.integers(0, len(whole) - 1)
    for _ in range(data.draw(st.integers(1, 5))):
        whole[data.draw(places)] = data.draw(st.integers(0, 255))
    try:
        frames, _ = read(tmp_path / "hostile.mcap", bytes(whole))
    except UserError as error:
        assert "\n" not in str(error)
    else:
        assert all(len(frame) < len(whole) for frame in frames)


@pytest.mark.parametrize("compression", ["zstd", "lz4"])
@pytest.mark.parametrize("claimed", [0, 10, 1 << 40])
def test_a_chunk_gets_no_more_memory_than_it_says(compression: str, claimed: int) -> None:
    import lz4.frame
    import zstandard

    pack = zstandard.compress if compression == "zstd" else lz4.frame.compress
    chunk = Chunk(
        compression=compression,
        data=pack(bytes(1 << 26)),
        message_start_time=0,
        message_end_time=0,
        uncompressed_crc=0,
        uncompressed_size=claimed,
    )
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="chunk"):
            mcap_index.unpacked(chunk)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_messages_behind_the_end_of_the_data_are_reported(tmp_path: Path) -> None:
    data = trace_of(
        2,
        use_chunking=False,
        index_types=IndexType.NONE,
        repeat_channels=False,
        use_statistics=False,
        use_summary_offsets=False,
    )
    end = data.index(b"\x0f\x04" + bytes(7))
    last = data.rindex(b"\x05", 0, end - len(sensor_view(1)) - 22)
    moved = data[:last] + data[end : end + 13] + data[last:end] + data[end + 13 :]
    frames, warnings = read(tmp_path / "behind_sv_.mcap", moved)
    assert frames == [sensor_view(0), sensor_view(1)]
    assert f"at byte {last}" in warnings[0]


@pytest.mark.parametrize("has_summary", [True, False], ids=["summary", "no summary"])
@pytest.mark.parametrize("opcode", [0x10, 0x7F, 0x80, 0xFF])
def test_records_of_others_are_skipped(tmp_path: Path, opcode: int, has_summary: bool) -> None:
    """MCAP, "Opcode": readers skip the records that they do not know."""
    options = {} if has_summary else {"use_chunking": False, "use_statistics": False}
    data = trace_of(**options)
    expected, _ = read(tmp_path / "a.mcap", data)
    other = struct.pack("<BQ", opcode, 7) + b"private"
    places = [at for at, _ in mcap_index._records(memoryview(data), [])]
    for at in places if not has_summary else places[:1]:
        frames, warnings = read(tmp_path / "a.mcap", data[:at] + other + data[at:])
        assert frames == expected
        assert not any("damaged" in warning for warning in warnings)


def test_an_unknown_compression_is_named(tmp_path: Path) -> None:
    data = trace_of(compression=CompressionType.ZSTD).replace(b"zstd", b"lzma")
    path = tmp_path / "a.mcap"
    path.write_bytes(data)
    with open_trace(path) as trace, pytest.raises(UserError, match="compressed by lzma"):
        list(trace.frames())
    path.write_bytes(data[: data.rindex(b"\x0f\x04")])  # without its summary
    with pytest.raises(UserError, match="chunks are compressed by lzma, which is not read"):
        open_trace(path)


def test_a_changed_byte_in_a_chunk_is_seen(tmp_path: Path) -> None:
    data = trace_of(compression=CompressionType.NONE)
    frame = sensor_view(3)
    assert data.count(frame) == 1
    with pytest.raises(UserError, match="checksum is wrong"):
        read(tmp_path / "changed.mcap", data.replace(frame, frame[:-1] + b"\x05"))


def test_columns_beside_a_list_survive_text(tmp_path: Path) -> None:
    view = messages.message_class("SensorView")()
    lidar = view.lidar_sensor_view.add()
    count = b"\x80\x80\x80\x80\x0e\x2a"  # element count 42
    lidar.reflection_columns = count
    message = view.SerializeToString()
    assert messages.lists(messages.parse("SensorView", memoryview(message))) == {
        "lidar_sensor_view": 1,
        "lidar_sensor_view.reflection_columns": 42,
    }
    path = tmp_path / "columns_sv_.txth"
    with create_trace(path, "SensorView") as writer:
        writer.write(0, message)
    with open_trace(path) as trace:
        assert [bytes(m) for _, m in trace.frames()] == [message]


def test_text_that_ends_early_yields_what_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "cut_sv_.txth"
    with create_trace(path, "SensorView") as writer:
        for second in range(3):
            writer.write(None, sensor_view(second, 1))
    path.write_text(path.read_text()[:-6])
    with open_trace(path) as trace:
        assert len(list(trace.frames())) == 2
        (warning,) = trace.warnings
    assert "in frame 2" in warning
    # Without empty lines a field that comes again begins the next message.
    path.write_text("timestamp {\n  seconds: 1\n}\n" * 4)
    with open_trace(path) as trace:
        assert [time for time, _ in trace.frames()] == [10**9] * 4


def chunk_of(definitions: int) -> bytes:
    """Return the beginning of a file, up to the end of a chunk with different definitions."""
    out = io.BytesIO()
    writer = Writer(out, 1 << 20, CompressionType.ZSTD, IndexType.NONE)
    writer.start()
    for number in range(definitions):
        schema = writer.register_schema("one", "ros2msg", b"x" * 10_000 + bytes([number]))
        writer.add_message(writer.register_channel(f"/{number}", "cdr", schema), 0, b"", 0)
    writer.flush()
    return out.getvalue()


def test_definitions_in_chunks_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed they take nothing; one that comes again in each chunk counts once."""
    monkeypatch.setattr(mcap_index, "MAX_DEFINITIONS", 100_000)
    path = tmp_path / "many.mcap"
    one = chunk_of(1)
    chunk = one[one.index(b"\x06", 8 + 9) :]
    for content, is_refused in ((one + 50 * chunk, False), (chunk_of(50), True)):
        path.write_bytes(content)
        with McapFile(path) as file:
            assert ("64 MiB of definitions" in file.contents.complaint) == is_refused
            assert sum(len(each.data) for each in file.contents.schemas.values()) <= 100_000
            assert len(file.contents.frames) == (9 if is_refused else 51)
