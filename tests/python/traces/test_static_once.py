# SPDX-License-Identifier: Apache-2.0
"""Static data once: every message comes back, whatever changes and whatever is lost."""

from __future__ import annotations

import hashlib
import random
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from osi3.osi_groundtruth_pb2 import GroundTruth
from osi3.osi_sensorview_pb2 import SensorView
from syrupy.assertion import SnapshotAssertion

from support.traces import GROUND_TRUTH
from support.traces import messages as messages_of
from wirecost.__main__ import main
from wirecost.data.traces import create_trace, messages, open_trace, wire
from wirecost.data.traces.static_once import ALWAYS, Joiner, MissingStaticError, Splitter

ROS = "only_osi_topic.mcap"
LISTS = ("lane", "traffic_light", "reference_line")
KNOWN = {"GroundTruth": GroundTruth, "SensorView": SensorView}
"""OSI's own classes, which know nothing of static data."""


def wirecost(*words: object) -> int:
    """Run a command in this process; return its exit status."""
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr("sys.argv", ["wirecost", *map(str, words)])
        main()
    return int(ended.value.code or 0)


def disturb(listed: Any, chance: random.Random, step: int) -> None:
    match chance.randrange(12):
        case 0:
            listed.add().id.value = chance.randrange(9)  # perhaps there already
        case 1 if listed:
            del listed[chance.randrange(len(listed))]
        case 2:
            listed.reverse()
        case 3 if listed:
            listed[-1].MergeFromString(wire.bytes_field(900, str(step).encode()))
        case 4:
            del listed[:]
        case 5:
            listed.add()  # without an identifier


def world(seed: int, steps: int) -> list[GroundTruth]:
    """Return messages in which all that can happen to a list happens now and then."""
    chance = random.Random(seed)
    truth, made = GroundTruth(), []
    truth.version.version_major, truth.host_vehicle_id.value = 3, 7
    for number in range(4):
        truth.lane.add().id.value = number
    for step in range(steps):
        truth.timestamp.nanos = step
        del truth.moving_object[:]
        for number in range(2):
            item = truth.moving_object.add(type=2)
            item.id.value = 7 * number  # an identifier of 0 has no bytes
            item.base.position.x = step * number
        for name in LISTS:
            disturb(getattr(truth, name), chance, step)
        if chance.randrange(8) == 0:
            truth.country_code = chance.randrange(3)
        if chance.randrange(8) == 0:
            truth.ClearField("country_code")
        made.append(GroundTruth.FromString(truth.SerializeToString()))
    return made


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 2**32),
    repeat_every=st.integers(0, 6),
    dropped=st.sets(st.integers(0, 29), max_size=12),
    keep=st.sampled_from([("moving_object",), (), ("lane", "traffic_light")]),
    apart=st.booleans(),
)
def test_every_message_comes_back_or_is_said_to_lack_its_static_data(
    seed: int, repeat_every: int, dropped: set[int], keep: tuple[str, ...], apart: bool
) -> None:
    truths = world(seed, 30)
    splitter, joiner, sent, last = Splitter(keep, repeat_every, apart=apart), Joiner(), 0, -1
    for number, truth in enumerate(truths):
        split = splitter.split(truth.SerializeToString())
        sent += len(split.message)
        old = GroundTruth.FromString(split.message)  # a reader that knows nothing
        for name in (*ALWAYS, *keep):
            assert getattr(old, name) == getattr(truth, name)
        if split.static is not None:
            joiner.hold(split.static)  # latched: it comes whatever is lost
        if number in dropped:
            continue
        last = number
        try:
            back = joiner.join(split.message)
        except MissingStaticError:
            assert dropped and not apart
            continue
        assert GroundTruth.FromString(back) == truth
        assert back == truth.SerializeToString(deterministic=True)
    gaps = [n for first, end in joiner.lost for n in range(first, end + 1)]
    assert gaps == sorted(number for number in dropped if number < last)
    assert sent < 1.2 * sum(truth.ByteSize() for truth in truths) + 30 * 40


def test_a_lane_that_stays_is_sent_once() -> None:
    truth = GroundTruth()
    for number in range(100):
        lane = truth.lane.add()
        lane.id.value = number + 1
        lane.classification.centerline.add(x=number, y=2, z=3)
    splitter, sizes = Splitter(), []
    for step in range(10):
        truth.timestamp.nanos = step + 1
        if step == 5:
            truth.lane[3].classification.type = 1
            del truth.lane[50]
        sizes.append(len(splitter.split(truth.SerializeToString()).message))
    assert sizes[0] > 2000
    assert max(sizes[1:5]) < 40
    assert sizes[4] < sizes[5] == sizes[9] < 120  # one lane, and the id of another


def test_real_traces_come_back(osi_data: Path, tmp_path: Path) -> None:
    """By OSI's own classes and Protobuf's own comparison; older readers lose no moving object."""
    smaller = 0
    (tmp_path / "back").mkdir()
    for path in sorted([*osi_data.rglob("*.osi"), *osi_data.rglob("*.mcap")]):
        if path.name == ROS:
            continue
        name = "GroundTruth" if path.name in GROUND_TRUTH else None
        once, apart = tmp_path / path.name, tmp_path / "apart.mcap"
        back = tmp_path / "back" / path.name
        typed = ["--type", name] if name else []
        wirecost("trace", "split", path, once, "--repeat-every", "70", *typed, "--force")
        wirecost("trace", "convert", path, apart, "--static-once", *typed, "--force")
        original = list(messages_of(path))
        for split in (once, apart):
            wirecost("trace", "join", split, back, *typed, "--force")
            assert list(messages_of(back)) == original, path
            assert digests(list(messages_of(back))) == digests(original)
        for (kind, message), (_, split_message) in zip(original, messages_of(once), strict=True):
            assert moving(kind, message) == moving(kind, split_message)
        before, after = (sum(len(m) for _, m in messages_of(one)) for one in (path, once))
        assert after < 1.2 * before
        smaller += after < before / 3
    assert smaller >= 2


def digests(found: list[tuple[str, bytes]]) -> list[str]:
    return [
        hashlib.sha256(
            KNOWN[name].FromString(message).SerializeToString(deterministic=True)
        ).hexdigest()
        for name, message in found
    ]


def moving(name: str, message: bytes) -> list[bytes]:
    parsed = KNOWN[name].FromString(message)
    truth = parsed.global_ground_truth if isinstance(parsed, SensorView) else parsed
    return [one.SerializeToString() for one in truth.moving_object]


def trace_of(folder: Path, changing: int = 6) -> Path:
    """Write 15 frames whose lanes change once."""
    path = folder / "drive_gt_.osi"
    with create_trace(path, "GroundTruth") as writer:
        for step in range(15):
            truth = GroundTruth()
            truth.timestamp.nanos = step + 1
            truth.moving_object.add().id.value = 1
            for number in range(40):
                lane = truth.lane.add()
                lane.id.value = number + 1
                lane.classification.centerline.add(x=number, y=step >= changing)
            writer.write(step, truth.SerializeToString())
    return path


def test_lost_messages_are_listed_and_nothing_is_invented(
    tmp_path: Path,
    snapshot: SnapshotAssertion,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def said() -> list[str]:
        return [line for line in capsys.readouterr().err.splitlines() if " %  " not in line]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    path, once, cut, back = trace_of(Path()), *(Path(f"{name}_gt_.osi") for name in "scb")
    assert wirecost("trace", "split", path, once, "--repeat-every", "5") == 0
    split = capsys.readouterr().out
    assert split == snapshot(name="split")
    assert len(split.splitlines()) <= 24
    frames = [message for _, message in messages_of(once)]
    with create_trace(cut, "GroundTruth") as writer:
        for number, frame in enumerate(frames):
            if number not in (3, 8, 9):
                writer.write(number, frame)
    assert wirecost("trace", "join", cut, back) == 2
    assert said() == snapshot(name="refused")
    assert not back.exists()
    assert wirecost("trace", "join", cut, back, "--skip") == 0
    assert said() == snapshot(name="skipped")
    original = [message for _, message in messages_of(path)]
    assert [message for _, message in messages_of(back)] == [
        original[n] for n in (0, 1, 2, 4, 5, 6, 7, 13, 14)
    ]
    assert wirecost("trace", "split", once, back, "--force") == 2
    assert wirecost("trace", "join", path, back, "--force") == 2
    assert said() == snapshot(name="wrong way round")


@pytest.mark.parametrize(
    "mark",
    [
        b"\x09\x01",  # cut
        b"\x32\x02\x08\x0a" * 2,  # a list changed twice
        b"\x32\x02\x08\x02",  # a field that is no list
    ],
)
def test_damaged_marks_are_refused(mark: bytes) -> None:
    joiner = Joiner()
    truth = GroundTruth(timestamp={"nanos": 1}, lane=[{"id": {"value": 1}}])
    first = Splitter().split(truth.SerializeToString()).message
    joiner.join(first)
    named = messages.parse("GroundTruth", memoryview(first)).static_once.version
    later = b"\x12\x02\x08\x01" if mark.endswith(b"\x02") else b""
    content = (b"" if mark.startswith(b"\x09") else b"\x09" + struct.pack("<Q", named)) + mark
    with pytest.raises(ValueError, match=r"damaged|twice|no ids"):
        joiner.join(later + wire.bytes_field(messages.STATIC_ONCE, content))


def test_a_split_trace_keeps_its_type(tmp_path: Path) -> None:
    once, plain = tmp_path / "once.osi", tmp_path / "drive.osi"
    trace_of(tmp_path).rename(plain)
    assert wirecost("trace", "split", plain, once) == 0
    with open_trace(once) as trace:
        assert (trace.type_name, trace.warnings) == ("GroundTruth", [])
