# SPDX-License-Identifier: Apache-2.0
"""Topics of recordings as columns, in programs and as files."""

from __future__ import annotations

import errno
import gc
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from mcap.writer import Writer
from typer.testing import CliRunner

import wirecost
from cost.drives import drive, mcap
from recordings.rosbags_messages import store
from recordings.small import small_recording
from wirecost.cli import app
from wirecost.data.columns import files
from wirecost.data.columns.opened import RecordingWarning
from wirecost.data.columns.reading import TopicReader
from wirecost.data.recordings.mcap import index
from wirecost.data.recordings.recording import Recording
from wirecost.system.errors import UserError

HEAD = b"\0\1\0\0"
INT = ("/a", "cdr", "a/msg/B", "ros2msg", b"int32 x\n")


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["columns", "read", *map(str, words)])


def ints(path: Path, numbers: list[int], channels: list[Any] | None = None) -> Path:
    """Write an MCAP file with a message each second."""
    data = [(0, n * 10**9, HEAD + struct.pack("<i", number)) for n, number in enumerate(numbers)]
    mcap(path, channels or [INT], data)
    return path


@pytest.mark.parametrize("name", ["mcap_file", "bag", "db3", "ros2_folder", "zstd_file"])
def test_every_format_has_the_values_that_rosbags_reads(tmp_path: Path, name: str) -> None:
    path = small_recording(tmp_path, name)
    is_ros1 = name == "bag"
    types = store("ros1" if is_ros1 else "ros2")
    decode = types.deserialize_ros1 if is_ros1 else types.deserialize_cdr
    known: dict[str, list[Any]] = {}
    with Recording(path) as recording:
        for connection, message in recording.each():
            type_ = connection.type.replace("/msg/", "/").replace("/", "/msg/")
            decoded = decode(bytes(message.data), type_)
            known.setdefault(connection.topic, []).append((message.time_ns, decoded))
    with wirecost.open_recording(path) as opened:
        assert set(opened) == set(known)
        for topic, messages in known.items():
            frame = opened[topic].polars()
            times = frame["log_time"].cast(pl.Int64).to_list()
            assert times == [time for time, _ in messages]
            if topic == "/status":
                assert frame["data"].to_list() == [message.data for _, message in messages]
        imu = [message for _, message in known["/imu"]]
        stamps = [each.header.stamp.sec * 10**9 + each.header.stamp.nanosec for each in imu]
        assert opened["/imu"].numpy("header.stamp").astype(int).tolist() == stamps
        assert opened["/imu"].numpy("angular_velocity.y").tolist() == [2.0] * len(imu)
        assert opened["/imu"].numpy("orientation_covariance").shape == (len(imu), 9)
        cloud = known["/points"][0][1]
        (first, *_) = opened["/points"].select("data").arrow()["data"]
        assert first.as_py() == cloud.data.tobytes()


def test_batches_are_lazy_and_have_their_rows(tmp_path: Path) -> None:
    path = ints(tmp_path / "a.mcap", list(range(25)))
    with wirecost.open_recording(path) as opened:
        topic = opened["/a"]
        sizes = [batch.rows for batch in topic.batches(10)]
        assert sizes == [10, 10, 5]
        assert pa.record_batch(next(topic.batches(10)))["x"].to_pylist() == list(range(10))
        assert topic.columns == {"log_time": "datetime64[ns]", "x": "int32"}


def test_a_window_has_its_begin_and_not_its_end(tmp_path: Path) -> None:
    path = ints(tmp_path / "a.mcap", list(range(25)))
    with wirecost.open_recording(path) as opened:
        chosen = opened["/a"].between(3 * 10**9, 6 * 10**9)
        assert chosen.numpy("x").tolist() == [3, 4, 5]
        assert opened["/a"].between(10**12).numpy("x").tolist() == []


def test_of_two_definitions_that_of_most_messages_is_read(tmp_path: Path) -> None:
    other = ("/a", "cdr", "a/msg/C", "ros2msg", b"float64 y\n")
    path = tmp_path / "a.mcap"
    data = [(0, n, HEAD + struct.pack("<i", n)) for n in range(3)]
    mcap(path, [INT, other], [*data, (1, 9, HEAD + bytes(8))])
    left_out = "1 message left out: of type a/msg/C"
    with wirecost.open_recording(path) as opened, pytest.warns(RecordingWarning, match=left_out):
        assert opened["/a"].numpy("x").tolist() == [0, 1, 2]


def test_a_missing_definition_comes_from_a_folder(tmp_path: Path) -> None:
    path = ints(tmp_path / "a.mcap", [7], [("/a", "cdr", "a/msg/B", "", b"")])
    remedy = "give the folder that holds its package with -I"
    with wirecost.open_recording(path) as opened, pytest.raises(UserError, match=remedy):
        opened["/a"].polars()
    (tmp_path / "in" / "a" / "msg").mkdir(parents=True)
    (tmp_path / "in" / "a" / "msg" / "B.msg").write_text("int32 x\n")
    borrowed = "definitions that it lacks are those of files"
    opened = wirecost.open_recording(path, [tmp_path / "in"])
    with opened, pytest.warns(RecordingWarning, match=borrowed):
        assert opened["/a"].numpy("x").tolist() == [7]


def test_a_time_that_no_column_holds_is_a_warning(tmp_path: Path) -> None:
    whole = HEAD + struct.pack("<i", 1)
    mcap(tmp_path / "a.mcap", [INT], [(0, 0, whole), (0, 2**64 - 1, whole)])
    late = "1 message has a log_time behind the year 2262"
    opened = wirecost.open_recording(tmp_path / "a.mcap")
    with opened, pytest.warns(RecordingWarning, match=late):
        assert opened["/a"].polars()["log_time"].cast(pl.Int64).to_list() == [0, 2**63 - 1]


def test_what_is_lost_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    whole = HEAD + struct.pack("<i", 1)
    mcap(path, [INT], [(0, 0, whole), (0, 1, whole[:6]), (0, 2, b"\0\7\0\0\0\0\0\0")])
    with wirecost.open_recording(path) as opened, pytest.warns(RecordingWarning) as warned:
        assert opened["/a"].numpy("x").tolist() == [1]
    assert [str(each.message) for each in warned] == [
        "1 message has no row: plain CDR is read, not XCDR2",
        "1 message has no row: too short, or with a length beyond the end",
    ]


def test_a_damaged_chunk_is_said_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with path.open("wb") as file:
        writer = Writer(file, chunk_size=64)
        writer.start()
        channel = writer.register_channel("/a", "cdr", writer.register_schema(*INT[2:]))
        for number in range(100):
            writer.add_message(channel, number, HEAD + struct.pack("<i", 0x12345678), number)
        writer.finish()
    with wirecost.open_recording(path) as opened:
        count = len(opened["/a"].numpy("x"))
    data = bytearray(path.read_bytes())
    at = data.index(b"\x28\xb5\x2f\xfd")  # of the first chunk
    data[at + 8 : at + 12] = b"\xff\xff\xff\xff"
    path.write_bytes(data)
    lost = "lost in the damaged chunk"
    with wirecost.open_recording(path) as opened, pytest.warns(RecordingWarning, match=lost):
        assert 0 < len(opened["/a"].numpy("x")) < count == 100


def test_a_field_of_any_size_is_no_array(tmp_path: Path) -> None:
    drive(tmp_path / "a.bag")
    with wirecost.open_recording(tmp_path / "a.bag") as opened:
        with pytest.raises(UserError, match=r"data has no fixed size; take polars\(\) or arrow"):
            opened["/points"].numpy("data")
        with pytest.raises(UserError, match="orientation consists of several fields"):
            opened["/imu"].numpy("orientation")
        assert "/none" not in opened


def test_a_topic_becomes_any_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_recording(tmp_path, "mcap_file")
    monkeypatch.chdir(tmp_path)
    fields = "orientation.w,header,angular_velocity_covariance"
    for suffix in ("parquet", "arrow", "npz"):
        out = f"imu.{suffix}"
        done = run(path, "--topic", "/imu", "--fields", fields, "--out", out)
        assert done.exit_code == 0, done.output
        assert f"{out}: 100 messages of /imu in 5 columns" in done.stdout
    frame = pl.read_parquet(tmp_path / "imu.parquet")
    assert frame.equals(pl.read_ipc(tmp_path / "imu.arrow"))
    assert frame.height == 100
    arrays = np.load(tmp_path / "imu.npz")
    assert arrays["log_time"].tolist() == frame["log_time"].cast(pl.Int64).to_list()
    assert arrays["orientation.w"].tolist() == [1.0] * 100
    assert arrays["angular_velocity_covariance"].shape == (100, 9)
    begins = arrays["header.frame_id.offsets"]
    assert begins.tolist() == list(range(0, 404, 4))
    assert arrays["header.frame_id"].tobytes() == b"base" * 100


def test_arrays_of_offsets_have_names_of_their_own(tmp_path: Path) -> None:
    value = {"a": [{"offsets": 5, "_offsets": 6}], "b": [[1, 2], [3]], "c": ["xy", "z"]}
    channel = ("/a", "json", "A", "", b"")
    path = tmp_path / "a.mcap"
    mcap(path, [channel], [(0, n, json.dumps(value).encode()) for n in range(2)])
    assert run(path, "--out", tmp_path / "a.npz").exit_code == 0
    arrays = np.load(tmp_path / "a.npz")
    assert {name: arrays[name].tolist() for name in arrays if name != "log_time"} == {
        "a.__offsets": [0, 1, 2], "a.offsets": [5, 5], "a._offsets": [6, 6],
        "b.offsets": [0, 2, 4], "b.item.offsets": [0, 2, 3, 5, 6], "b": [1, 2, 3, 1, 2, 3],
        "c.offsets": [0, 2, 4], "c.item.offsets": [0, 2, 3, 5, 6], "c": [*b"xyzxyz"],
    }  # fmt: skip


def test_all_topics_go_to_a_folder(tmp_path: Path) -> None:
    path = small_recording(tmp_path, "db3")
    out = tmp_path / "columns"
    done = run(path, "--out", out, "--json", "-", "--from", "1s")
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    rows = {each["topic"]: each["rows"] for each in document["topics"]}
    assert rows == {"/points": 10, "/imu": 50, "/status": 1}
    assert sorted(file.name for file in out.iterdir()) == [
        "imu.parquet", "points.parquet", "status.parquet",
    ]  # fmt: skip
    again = run(path, "--out", out)
    assert "exists; name another file or add --force" in str(again.exception)


def test_a_folder_unpacks_each_chunk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = small_recording(tmp_path, "mcap_file")
    unpacked: list[int] = []

    def chunk_at(view: memoryview, at: int) -> memoryview:
        unpacked.append(at)
        return whole(view, at)

    whole = index.chunk_at
    with Recording(path) as recording:
        topics = {each.topic for each in recording.connections if each.count}
    monkeypatch.setattr(index, "chunk_at", chunk_at)
    done = run(path, "--out", tmp_path / "all")
    assert done.exit_code == 0, done.output
    assert len(topics) > 1
    assert len(unpacked) == len(set(unpacked)) > 0
    for file in (tmp_path / "all").iterdir():
        name = next(topic for topic in topics if topic.strip("/") == file.stem)
        with wirecost.open_recording(path) as opened:
            assert pl.read_parquet(file).equals(opened[name].polars())


def test_a_file_that_cannot_be_written_leaves_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(reader: TopicReader, batches: Iterator[Any], path: Path) -> None:
        if reader.topic == "/imu":
            raise OSError(errno.ENOSPC, "No space left on device")
        write(reader, batches, path)

    def readers() -> int:
        gc.collect()
        return sum(type(each) is TopicReader for each in gc.get_objects())

    before, write = readers(), files.FORMATS[".parquet"]
    monkeypatch.setitem(files.FORMATS, ".parquet", full)
    done = run(small_recording(tmp_path, "db3"), "--out", tmp_path / "all")
    assert "imu.parquet: No space left on device; make room" in str(done.exception)
    assert not list(tmp_path.glob("all/*"))
    del done
    assert readers() <= before


def test_topics_that_are_no_ros_are_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    mcap(path, [INT, ("/j", "cbor", "J", "", b"")],
         [(0, 0, HEAD + bytes(4)), (1, 0, b"{}")])  # fmt: skip
    done = run(path, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "/j is left out" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--topic", "/b", "--out", "b.parquet"], "has no topic /b; choose --topic /a"),
        (["--topic", "/a", "--out", "b.csv"], "name a file that ends in .parquet, .arrow, .npz"),
        (["--topic", "/a", "--fields", "y", "--out", "b.npz"], "has no field y; choose from x"),
        (["--out", "b.npz", "--from", "3s", "--to", "2s"], "lies before --from 3s; exchange them"),
    ],
)
def test_wrong_words_are_answered_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    path = ints(tmp_path / "a.mcap", [1, 2])
    monkeypatch.chdir(tmp_path)
    done = run(path, *words)
    assert said in str(done.exception)
    assert [file.name for file in tmp_path.iterdir()] == ["a.mcap"]
