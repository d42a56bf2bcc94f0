# SPDX-License-Identifier: Apache-2.0
"""Names, findings and numbers of traces; and their conversion."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from support.sensor_views import sensor_view
from wirecost.data.traces import About, convert, create_trace, messages, open_trace
from wirecost.data.traces.check import Severity, check
from wirecost.data.traces.conversion import Wanted
from wirecost.data.traces.convert import Bound
from wirecost.data.traces.info import Spread, info
from wirecost.data.traces.names import parse_name, type_of
from wirecost.system.errors import UserError
from wirecost.system.progress import silent

STEP = 50_000_000
GOOD = "20240603T143803Z_sv_370_3200_6_drive.osi"


def view(number: int) -> bytes:
    return sensor_view(0, number * STEP)


def write(path: Path, frames: list[bytes], about: About | None = None) -> Path:
    with create_trace(path, "SensorView", about) as writer:
        for frame in frames:
            writer.write(messages.timestamp_ns("SensorView", memoryview(frame)), frame)
    return path


def findings(path: Path, type_name: str | None = None) -> dict[str, Severity]:
    with open_trace(path, type_name=type_name) as trace:
        checked = check(trace, silent)
    assert all(finding.remedy for finding in checked)
    return {finding.text: finding.severity for finding in checked}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("20210818T150542Z_sv_312_300_1523_highway.osi", "SensorView"),
        ("20240603T143803.535904Z_gt_370_3200_364_a_b_c.mcap", "GroundTruth"),
        ("20210818T150542+0200_svc_312_300_1_x.txth", "SensorViewConfiguration"),
        ("20210818T150542Z_multi_312_300_1_x.mcap", None),
        ("20210818T150542Z_sd_3.7.0_6.30.2_10_x.mcap", "SensorData"),
        ("drive_sd_late.osi", "SensorData"),
        ("gt.osi", "GroundTruth"),
        ("svelte_gtk.osi", None),
        ("sv_and_gt.osi", None),
    ],
)
def test_names_tell_the_type(name: str, message: str | None) -> None:
    assert type_of(Path(name)) == message
    assert (parse_name(Path(name)) is not None) == name.startswith("20")


def test_versions_in_a_name_may_have_dots() -> None:
    name = parse_name(Path("20210818T150542Z_sd_3.7.0_6.30.2_10_x.mcap"))
    assert name is not None
    assert (name.osi, name.protobuf, name.frames) == ("370", "6302", 10)


def test_padding_of_columns_is_no_unknown_field(tmp_path: Path) -> None:
    path = write(tmp_path / GOOD, [sensor_view(100, number * STEP) for number in range(6)])
    out = tmp_path / "columns" / GOOD
    out.parent.mkdir()
    with open_trace(path) as trace:
        convert.convert(trace, out, Wanted(columns=("all",)), "zstd", Bound(), Bound(), silent)
    with open_trace(out) as trace:
        paddings = [b"\x8a\x80\x80\x80\x0e" in bytes(m) for _, m in trace.frames()]
    assert all(paddings)
    assert findings(out) == findings(path)


def test_a_good_trace_has_no_finding(tmp_path: Path) -> None:
    frames = [view(number) for number in range(6)]
    path = write(tmp_path / GOOD, frames)
    assert findings(path) == {}
    mcap = tmp_path / GOOD.replace(".osi", ".mcap")
    assert findings(write(mcap, frames)) == {}


def test_every_fault_is_one_finding(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    order = [0, 1, 2, 2, 9, 10, 11]
    other = messages.message_class("SensorView")()
    other.timestamp.nanos, other.version.version_major = 12 * STEP, 4
    frames = [*map(view, order), other.SerializeToString(), b"\xff", b"\xba\x3e\x01x"]
    path = write(tmp_path / GOOD, frames)
    path.write_bytes(path.read_bytes() + b"\x07")
    assert findings(path) == snapshot


def test_a_wrong_type_in_the_name_is_seen(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    truth = messages.message_class("GroundTruth")()
    truth.timestamp.seconds, truth.version.version_major = 1, 3
    for number in range(3):
        truth.moving_object.add().base.position.x = number
    path = tmp_path / "20240603T143803Z_tu_300_3200_1_drive.osi"
    write(path, [truth.SerializeToString()])
    with open_trace(path) as trace:
        assert trace.type_name == "GroundTruth"
        (text,) = trace.warnings
    assert text == snapshot
    assert findings(path) == snapshot
    assert findings(path, "TrafficUpdate")


@pytest.mark.parametrize(
    ("added", "found"), [(b"", "SensorView"), (b"\x82\x7d\x00", "GroundTruth")]
)
def test_a_type_in_the_name_yields_to_one_that_knows_all_fields(
    tmp_path: Path, added: bytes, found: str
) -> None:
    """But not where no type knows them all: the trace may be of a newer OSI."""
    message = messages.message_class("SensorView")()
    message.timestamp.seconds, message.version.version_major = 1, 3
    message.global_ground_truth.timestamp.seconds = 1
    message.global_ground_truth.moving_object.add().base.position.x = 1
    frame = message.SerializeToString() + added
    assert 0 < messages.fits("GroundTruth", [memoryview(frame)]) < 0.5
    with open_trace(write(tmp_path / "drive_gt.osi", [frame])) as trace:
        assert trace.type_name == found
        assert len(trace.warnings) == (found != "GroundTruth")


def test_metadata_that_osi_would_refuse_is_found(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    channel = {"net.asam.osi.trace.channel.osi_version": "3.6.0"}
    about = About("view", {"zero_time": "yesterday"}, channel)
    path = write(tmp_path / GOOD.replace(".osi", ".mcap"), [view(n) for n in range(6)], about)
    assert findings(path) == snapshot


def test_numbers_of_a_trace(tmp_path: Path) -> None:
    path = write(tmp_path / GOOD, [view(number) for number in range(6)])
    with open_trace(path) as trace:
        about = info(trace, silent)
    assert (about.type, about.frames, about.duration_ns) == ("SensorView", 6, 5 * STEP)
    assert about.rate_hz == pytest.approx(20.0)
    assert about.osi_versions == ("3.7.0",)
    sizes = sorted(len(view(number)) for number in range(6))
    assert about.frame_bytes == Spread(sizes[0], int(sizes[2] / 2 + sizes[3] / 2), sizes[-1])


def test_lists_of_real_traces(osi_data: Path) -> None:
    (path,) = osi_data.rglob("testBrakeAndIndicatorLights.mcap")
    with open_trace(path) as trace:
        about = info(trace, silent)
    assert about.lists["global_ground_truth.moving_object"] == Spread(2, 2, 2)
    assert about.lists["global_ground_truth.traffic_light"] == Spread(3, 3, 3)
    assert about.rate_hz == pytest.approx(100.0)


@pytest.mark.parametrize(
    ("start", "stop", "numbers"),
    [
        ("0", None, range(6)),
        ("2", "5", range(2, 5)),
        ("0.1s", "0.2s", range(2, 4)),
        ("0.05s", "4", range(1, 4)),
        ("1", "0.15s", range(1, 3)),
        ("9", None, range(0)),
    ],
)
def test_a_part_is_chosen_by_frames_or_seconds(
    tmp_path: Path, start: str, stop: str | None, numbers: range
) -> None:
    path = write(tmp_path / GOOD, [view(number) for number in range(6)])
    bounds = Bound.parse("--from", start), Bound.parse("--to", stop) if stop else Bound()
    out = tmp_path / "part_sv_.osi"
    with open_trace(path) as trace:
        done = convert.convert(trace, out, Wanted(), "zstd", *bounds, silent)
    assert done.frames == len(numbers)
    with open_trace(out) as trace:
        assert [bytes(m) for _, m in trace.frames()] == [view(number) for number in numbers]


@pytest.mark.parametrize("text", ["", "-1", "1e3", "2.5", "s", "１s", "1" * 30])
def test_other_bounds_are_refused(text: str) -> None:
    with pytest.raises(UserError, match="give a frame number"):
        Bound.parse("--from", text)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty_sv_.osi", b"", "holds no frame"),
        (
            "letter_sv_.txth",
            b"Dear all,\nthis is text.\n",
            "frame 0 from line 1 is not a SensorView",
        ),
        ("empty_sv_.txth", b"\n\n", "holds no frame"),
        ("cut_sv_.txth", b"timestamp {\n  seconds: 1\n", "frame 0 from line 1 is not a SensorView"),
        ("none.mcap", None, "holds no frame"),
    ],
)
def test_a_trace_without_a_frame_is_not_converted(
    tmp_path: Path, name: str, data: bytes | None, why: str
) -> None:
    path, out = tmp_path / name, tmp_path / "out.osi"
    if data is None:
        write(path, [])
    else:
        path.write_bytes(data)

    def converted() -> None:
        with open_trace(path) as trace:
            convert.convert(trace, out, Wanted(), "zstd", Bound(), Bound(), silent)

    with pytest.raises(UserError, match=why):
        converted()
    assert not out.exists()


@pytest.mark.parametrize("first", [".osi", ".txth"])
def test_frames_out_of_order_come_back_in_theirs(
    tmp_path: Path, first: str, snapshot: SnapshotAssertion
) -> None:
    untimed = messages.message_class("SensorView")(host_vehicle_id={"value": 7})
    frames = [view(3), untimed.SerializeToString(), view(1), view(1), view(5)]
    path = write(tmp_path / f"in_sv_{first}", frames)
    between, back = tmp_path / "between.mcap", tmp_path / "back_sv_.osi"
    warnings = []
    for source, out in ((path, between), (between, back)):
        with open_trace(source) as trace:
            convert.convert(trace, out, Wanted(), "zstd", Bound(), Bound(), silent)
            warnings.append(trace.warnings)
    with open_trace(back) as trace:
        assert [bytes(message) for _, message in trace.frames()] == frames
    assert [len(texts) for texts in warnings] == [1, 0] and warnings[0] == snapshot
    # Nor does a log time that keeps the order count as a fault of its own.
    assert not [text for text in findings(between) if text.startswith("log time differs")]


def test_every_frame_is_converted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reverse(message: memoryview) -> bytes:
        if bytes(message) == view(4):
            raise ValueError("too late")
        return bytes(message)[::-1]

    path = write(tmp_path / GOOD, [view(number) for number in range(6)])
    out = tmp_path / "out.osi"
    monkeypatch.setattr(convert, "conversion", lambda _type, _wanted, _before: reverse)
    form = Wanted(columns=("all",))
    with open_trace(path) as trace:
        convert.convert(trace, out, form, "zstd", Bound(), Bound(frame=4), silent)
        with pytest.raises(UserError, match=r"frame 4 is not a SensorView \(too late\)"):
            convert.convert(trace, tmp_path / "no.osi", form, "zstd", Bound(), Bound(), silent)
    with open_trace(out, type_name="SensorView") as trace:
        assert [bytes(m) for _, m in trace.frames()] == [view(number)[::-1] for number in range(4)]
    assert not (tmp_path / "no.osi").exists()


@pytest.mark.parametrize(
    "wanted",
    [
        Wanted(columns=("all",), rows=True),
        Wanted(reduce=("a=auto",)),
        Wanted(rows=True, also_rows=True),
    ],
)
def test_options_that_contradict_each_other_are_refused(wanted: Wanted) -> None:
    with pytest.raises(UserError, match="--columns"):
        wanted.check()
