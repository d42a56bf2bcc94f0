# SPDX-License-Identifier: Apache-2.0
"""Columns as messages: the bytes that rosbags writes, and a line for what no message can be."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import wirecost
from cost.drives import mcap
from recordings.rosbags_messages import RandomValues, encoded, store, types
from recordings.small import small_recording
from recordings.test_columns import plan_of, taken
from wirecost import _core
from wirecost.cli import app
from wirecost.data.columns import writing
from wirecost.data.columns.plan import ColumnPlan
from wirecost.data.columns.writing import column_values
from wirecost.data.recordings.recording import Recording

IMU = "sensor_msgs/msg/Imu"
LATE = datetime(2200, 1, 1)


def run(*words: object) -> Any:
    return CliRunner().invoke(app, ["columns", *map(str, words)])


def written(plan: ColumnPlan, frame: pl.DataFrame, most_bytes: int = 1 << 30) -> list[bytes]:
    columns = column_values(plan, frame, "it")
    memory, ends = _core.record_messages(plan.native, columns, frame.height, 0, most_bytes)
    begins = [0, *ends.tolist()[:-1]]
    return [memory[begin:end].tobytes() for begin, end in zip(begins, ends.tolist(), strict=True)]


def restore(dialect: str, name: str, seeds: Sequence[int]) -> None:
    messages = [encoded(dialect, name, RandomValues(dialect, seed).message(name)) for seed in seeds]
    plan = plan_of(dialect, name)
    _, batch = taken(plan, messages)
    assert written(plan, pl.DataFrame(batch)) == messages, name


@pytest.mark.parametrize("dialect", ["ros1", "ros2"])
@settings(max_examples=60, deadline=None, derandomize=True)
@given(data=st.data())
def test_messages_are_the_bytes_that_they_were(dialect: str, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(types(dialect)))
    restore(dialect, name, data.draw(st.lists(st.integers(0, 1 << 30), min_size=1, max_size=4)))


@pytest.mark.thorough
@pytest.mark.parametrize("dialect", ["ros1", "ros2"])
def test_messages_of_all_types_are_the_bytes_that_they_were(dialect: str) -> None:
    for name in types(dialect):
        restore(dialect, name, range(5))


def messages_of(path: Path, topic: str) -> list[tuple[int, bytes]]:
    with Recording(path) as recording:
        return [
            (message.time_ns, bytes(message.data))
            for connection, message in recording.each()
            if connection.topic == topic
        ]


@pytest.mark.parametrize(
    ("name", "topic", "type_", "suffix"),
    [
        ("mcap_file", "/imu", "sensor_msgs/msg/Imu", "parquet"),
        ("mcap_file", "/points", "sensor_msgs/msg/PointCloud2", "parquet"),
        ("db3", "/imu", "sensor_msgs/msg/Imu", "arrow"),
        ("bag", "/imu", "sensor_msgs/Imu", "arrow"),
        ("bag", "/points", "sensor_msgs/PointCloud2", "arrow"),
    ],
)
def test_a_topic_goes_to_columns_and_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, topic: str, type_: str, suffix: str
) -> None:
    monkeypatch.setattr(writing, "PIECE_BYTES", 1000)
    path = small_recording(tmp_path, name)
    file, back = tmp_path / f"{topic[1:]}.{suffix}", tmp_path / "back.mcap"
    assert run("read", path, "--topic", topic, "--out", file).exit_code == 0
    wire = ["--wire", "ros1"] if name == "bag" else []
    done = run("write", file, "--type", type_, "--out", back, *wire)
    assert done.exit_code == 0, done.exception
    original = messages_of(path, topic)
    assert messages_of(back, topic) == original
    assert f"messages of {topic}, {type_}, " in done.stdout.replace("\n", " ")
    with wirecost.open_recording(path) as one, wirecost.open_recording(back) as other:
        assert one[topic].polars().equals(other[topic].polars())


@pytest.mark.parametrize("order", ["<", ">"])
def test_points_become_the_bytes_of_clouds(tmp_path: Path, order: str) -> None:
    kinds = store("ros2").types
    rows = np.zeros(6, np.dtype({
        "names": ["x", "id", "normal"], "formats": [f"{order}f4", "u1", (f"{order}f8", 2)],
        "offsets": [0, 5, 8], "itemsize": 26,
    }))  # fmt: skip
    rows["x"], rows["id"], rows["normal"] = np.arange(6), np.arange(6) + 9, -np.ones((6, 2))
    fields = [
        kinds["sensor_msgs/msg/PointField"](*about)
        for about in (("x", 0, 7, 1), ("id", 5, 2, 1), ("normal", 8, 8, 2))
    ]
    time = kinds["builtin_interfaces/msg/Time"](1, 2)
    header = kinds["std_msgs/msg/Header"](time, "base")
    name = "sensor_msgs/msg/PointCloud2"

    def message(height: int, width: int, gap: int = 0) -> bytes:
        lines = rows[: height * width].view(np.uint8).reshape(height, -1)
        data = np.pad(lines, [(0, 0), (0, gap)]).reshape(-1)
        step = lines.shape[1] + gap
        cloud = kinds[name](header, height, width, fields, order == ">", 26, step, data, True)
        return encoded("ros2", name, cloud)

    text = store("ros2").generate_msgdef(name, ros_version=2)[0].encode()
    for gap in (0, 2):
        data = [message(2, 3, gap), message(1, 5), message(1, 1)]
        path, file, back = (tmp_path / f"{gap}{end}" for end in (".mcap", ".arrow", "_back.mcap"))
        mcap(path, [("/p", "cdr", name, "ros2msg", text)], [(0, n, d) for n, d in enumerate(data)])
        assert run("read", path, "--topic", "/p", "--out", file).exit_code == 0
        done = run("write", file, "--type", name, "--topic", "/p", "--out", back)
        if gap:
            assert "points are not as width, height, row_step and fields say" in str(done.exception)
        else:
            assert [message for _, message in messages_of(back, "/p")] == data


@pytest.fixture(scope="module")
def imu(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    folder = tmp_path_factory.mktemp("imu")
    path = small_recording(folder, "mcap_file")
    assert run("read", path, "--topic", "/imu", "--out", folder / "imu.parquet").exit_code == 0
    return pl.read_parquet(folder / "imu.parquet")


def with_field(frame: pl.DataFrame, column: str, name: str, value: pl.Expr) -> pl.DataFrame:
    return frame.with_columns(pl.col(column).struct.with_fields(value.alias(name)))


def renamed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("orientation").struct.rename_fields(["x", "y", "z", "v"]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.drop("orientation"), "has no column orientation, which sensor_msgs.Imu needs"),
        (renamed, "has no column orientation.w, which"),
        (
            lambda f: with_field(f, "orientation", "x", pl.lit(1.0, pl.Float32)),
            "column orientation.x is Float32, of sensor_msgs.Imu it is Float64; cast it",
        ),
        (
            lambda f: f.with_columns(pl.col("orientation_covariance").arr.to_list()),
            "column orientation_covariance is List(Float64), of sensor_msgs.Imu it is Array(",
        ),
        (
            lambda f: with_field(f, "orientation", "x", pl.lit(None, pl.Float64)),
            "column orientation.x has 100 nulls, and a message has a value there; fill them",
        ),
        (
            lambda f: f.with_columns(
                pl.concat_arr([pl.lit(None, pl.Float64)] * 9).alias("orientation_covariance")
            ),
            "column orientation_covariance has 900 nulls",
        ),
        (
            lambda f: with_field(f, "header", "stamp", pl.lit(LATE, pl.Datetime("ns"))),
            "stamp: a time beyond its 32 bits; change the column",
        ),
    ],
)  # fmt: skip
def test_columns_of_another_kind_are_refused_in_a_line(
    tmp_path: Path, imu: pl.DataFrame, change: Callable[[pl.DataFrame], pl.DataFrame], said: str
) -> None:
    change(imu).write_parquet(tmp_path / "a.parquet")
    done = run("write", tmp_path / "a.parquet", "--type", IMU, "--out", tmp_path / "b.mcap")
    assert f"{tmp_path / 'a.parquet'}: {said}" in str(done.exception)
    assert len(str(done.exception).splitlines()) == 1
    assert not (tmp_path / "b.mcap").exists()


def test_what_is_not_written_is_reported(tmp_path: Path, imu: pl.DataFrame) -> None:
    early = pl.datetime(1969, 12, 31, time_unit="ns")
    frame = imu.head(3).with_columns(early.alias("log_time"), pl.lit(1).alias("drive"))
    frame.write_ipc(tmp_path / "a.arrow")
    out = tmp_path / "b.mcap"
    done = run("write", tmp_path / "a.arrow", "--type", IMU, "--out", out, "--json", "-")
    document = json.loads(done.stdout)
    assert (document["messages"], document["left_out"], document["early"]) == (3, ["drive"], 3)
    assert "column drive is left out: the type has no such field" in done.stderr
    assert [time for time, _ in messages_of(out, "/a")] == [0, 0, 0]
    again = run("write", tmp_path / "a.arrow", "--type", IMU, "--out", out)
    assert "b.mcap: exists; name another file or add --force" in str(again.exception)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--type", "Imu"], "--type Imu: give a package and a name, such as sensor_msgs/msg/Imu"),
        (["--type", "a/msg/B"], "--type a/msg/B: nothing here defines it; give the folder that"),
        (["--type", IMU, "--wire", "cdr2"], "--wire cdr2: choose cdr or ros1"),
        (["--type", IMU, "--out", "b.bag"], "--out b.bag: name a file that ends in .mcap"),
        (["--type", IMU], "a.parquet: cannot be read"),
    ],
)
def test_wrong_words_are_answered_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.parquet").write_bytes(b"PAR1 and no more than this")
    done = run("write", "a.parquet", "--out", "b.mcap", *words)
    assert said in str(done.exception)
    assert len(str(done.exception).splitlines()) == 1
    assert [file.name for file in tmp_path.iterdir()] == ["a.parquet"]


def test_a_type_of_a_folder_is_carried_with_all_that_it_uses(tmp_path: Path) -> None:
    folder = tmp_path / "in" / "a" / "msg"
    folder.mkdir(parents=True)
    (folder / "B.msg").write_text("builtin_interfaces/Time t\nC[] list\nuint8[2] id\n")
    (folder / "C.msg").write_text("geometry_msgs/Point p\nstring name\n")
    stamps = pl.Series("t", [5], pl.Datetime("ns"))
    points = [[{"p": {"x": 1.0, "y": 2.0, "z": 3.0}, "name": "a"}]]
    frame = pl.DataFrame({"log_time": stamps, "t": stamps, "list": points, "id": [b"ab"]})
    frame.write_parquet(tmp_path / "a.parquet")
    words = ["--type", "a/msg/B", "-I", tmp_path / "in", "--out", tmp_path / "b.mcap"]
    assert run("write", tmp_path / "a.parquet", *words).exit_code == 0
    ((_, message),) = messages_of(tmp_path / "b.mcap", "/a")
    expected = struct.pack("<4xII I4x3dI2s 2s", 0, 5, 1, 1.0, 2.0, 3.0, 2, b"a\0", b"ab")
    assert message == b"\0\1\0\0" + expected[4:]
    with wirecost.open_recording(tmp_path / "b.mcap") as recording:
        assert recording["/a"].polars().equals(frame)
    (folder / "B.msg").write_text("D[] list\n")
    (folder / "D.msg").write_text("")
    refused = run("write", tmp_path / "a.parquet", *words, "--force")
    assert "list is a list of messages without fields" in str(refused.exception)
    wrong = frame.with_columns(pl.lit(b"abc").alias("id"))
    (folder / "B.msg").write_text("uint8[2] id\n")
    wrong.write_parquet(tmp_path / "a.parquet")
    refused = run("write", tmp_path / "a.parquet", *words, "--force")
    assert "column id has 1 value of other sizes than 2 bytes" in str(refused.exception)


def test_columns_that_contradict_each_other_are_refused() -> None:
    plan = plan_of("ros2", "std_msgs/msg/String")
    text = np.frombuffer(b"ab", np.uint8)
    for begins in ([0, 1], [0, 3], [1, 2], [0, 2, 1], [-1, 2], [0]):
        columns = [(2, text, np.array(begins, np.int64))]
        with pytest.raises(ValueError, match="data: a column of another size"):
            _core.record_messages(plan.native, columns, 1, 0, 1 << 20)
    with pytest.raises(ValueError, match="data: a column of another size"):
        _core.record_messages(plan.native, [], 1, 0, 1 << 20)
