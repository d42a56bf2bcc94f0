# SPDX-License-Identifier: Apache-2.0
"""What a recorder's cache had no room for is counted by topic in the recording, and is told."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from lost.recordings import BEGIN, SECOND, Drive, db3, mcap, steady
from support.answers import first_screen
from support.programs import execute
from support.replay_fakes import STAMPED, FakeRecorder, FakeSystem, stamped
from support.waiting import until
from wirecost._middleware import Queue
from wirecost.cli.record_progress import recording_answer
from wirecost.data.messages.cdr_values import Writer
from wirecost.data.recordings import dropped
from wirecost.data.recordings.recording import Recording
from wirecost.data.recordings.series import RecordingSeries, read_series
from wirecost.measure.lost.dropped import with_dropped
from wirecost.measure.lost.recording import lost_messages
from wirecost.replay.record import topics
from wirecost.replay.record.record import Request, record
from wirecost.replay.recording.snapshot import Snapshot, read_snapshot
from wirecost.replay.recording.writer import INPUT, RecordingWriter
from wirecost.replay.systems import SYSTEMS
from wirecost.results.records.lost import CACHE, LOST, UNKNOWN, LostMessages, TopicGaps
from wirecost.results.report.campaign.content import incomplete_recordings
from wirecost.results.report.lost import lost_answer
from wirecost.system.errors import UserError

SENT = 200
CACHE_BYTES = 10_000


def read(path: Path) -> RecordingSeries:
    return read_series([path], (), lambda *_: None)


def topic_of(series: RecordingSeries, name: str) -> TopicGaps:
    return next(topic for topic in lost(series).topics if topic.topic == name)


def lost(series: RecordingSeries) -> LostMessages:
    return lost_messages(["drive"], series)


def screen(found: LostMessages) -> str:
    return " ".join(first_screen(lost_answer(found)).split())


@pytest.fixture
def stalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Snapshot:
    """Record on a disk that stands still until 200 messages have come, then takes one more."""
    recorder, goes_on = FakeRecorder(None), threading.Event()
    recorder.subscribed = [STAMPED]
    queues: list[Queue] = []
    written: list[int] = []
    write: Callable[..., None] = RecordingWriter.write

    def queue(size: int) -> Queue:
        queues.append(Queue(size))
        return queues[0]

    def slow(*arguments: object) -> None:
        assert goes_on.wait(30)
        write(*arguments)
        written.append(1)

    def counts() -> tuple[int, int, int]:
        return queues[0].counts().get(0, (0, 0, 0))

    def drive() -> None:
        until(lambda: recorder.listens_to("/in"))
        for number in range(SENT):
            recorder.send("/in", stamped(number))
        until(lambda: counts()[0] == SENT)
        goes_on.set()
        until(lambda: len(written) == SENT - counts()[1])
        recorder.send("/in", stamped(SENT))
        until(lambda: len(written) == SENT - counts()[1] + 1)

    monkeypatch.setattr(topics, "Queue", queue)
    monkeypatch.setattr(RecordingWriter, "write", slow)
    driver = threading.Thread(target=drive)
    request = Request(
        FakeSystem(recorder), "/node", os.getpid(), [], None, None, cache_bytes=CACHE_BYTES
    )
    driver.start()
    snapshot = record(request, tmp_path, lambda *_: None, lambda: not driver.is_alive())
    driver.join()
    return snapshot


def test_a_disk_that_stands_still_is_told_of_by_the_recording(
    stalled: Snapshot, tmp_path: Path
) -> None:
    found = lost(read(tmp_path / "recording.mcap"))
    (topic,) = found.topics
    assert topic.count < SENT and topic.count + topic.missing(CACHE) == SENT + 1
    assert topic.missing(LOST, UNKNOWN) == 0
    text = screen(found)
    assert f"{topic.missing(CACHE)} messages of 1 topic fell out of the recorder's cache" in text
    assert "wirecost record NODE --cache 1GB" in text
    (joined,) = read_snapshot(tmp_path).inputs
    assert joined.overflowed == joined.dropped == topic.missing(CACHE)
    said = " ".join(first_screen(recording_answer(tmp_path, stalled)).split())
    assert f"{joined.dropped} dropped, {joined.dropped} of them as its cache was full" in said
    assert "wirecost record NODE --cache 1GB" in said


def test_a_killed_recorder_has_counted_until_then(tmp_path: Path) -> None:
    path = tmp_path / "recording.mcap"
    with RecordingWriter(path, SYSTEMS["ros1"]) as writer:
        channel = writer.add_topic(STAMPED, INPUT)
        for count in (3, 3, 8):
            writer.write(channel, count, count, stamped(count))
            writer.note_dropped({"/in": count})
        writer.flush()
        cut = tmp_path / "cut.mcap"
        cut.write_bytes(path.read_bytes())
    for file in (path, cut):
        with Recording(file) as recording:
            assert recording.dropped == {"/in": 8}
            assert "8 messages of 1 topic fell out of the recorder's cache" in recording.warnings


def event(counts: dict[str, int]) -> bytes:
    """Return a message of rosbag2's recorder."""
    writer = Writer()
    writer.string("/rosbag2_recorder")
    writer.scalar("I", len(counts))
    for topic, count in counts.items():
        writer.string(topic)
        writer.scalar("Q", 77)
        writer.scalar("Q", count)
    return writer.message()


def drive() -> Drive:
    """Return 10 Hz for 20 s, with a hole of 2 s in which 19 messages are missing."""
    made = Drive()
    made.publish("/points", steady(10))
    made.lose("/points", lambda one: BEGIN + 5 * SECOND < one.stamp_ns < BEGIN + 7 * SECOND)
    return made


@pytest.mark.parametrize(("counts", "left"), [((12, 7), 0), ((19, 2), 0), ((6, 0), 13)])
def test_what_rosbag2_published_of_itself_explains_gaps(
    tmp_path: Path, counts: tuple[int, int], left: int
) -> None:
    events = [event({"/points": count, "/other": 1}) for count in counts]
    folder = db3(tmp_path / "drive", drive(), events)
    series = read(folder)
    assert series.dropped == {"/points": sum(counts), "/other": 2}
    points = topic_of(series, "/points")
    assert (points.missing(CACHE), points.missing(UNKNOWN)) == (sum(counts), left)
    assert {gap.verdict for gap in points.gaps} == {UNKNOWN if left else CACHE}
    assert topic_of(series, "/other").missing(CACHE) == 2
    text = screen(lost(series))
    assert f"{sum(counts) + 2} messages of 2 topics fell out of the recorder's cache" in text
    assert "ros2 bag record --all --max-cache-size 1000000000" in text


LOG = """\
[INFO] [1700000000.1] [rosbag2_recorder]: Recording...
[WARN] [1700000000.2] [rosbag2_cpp]: Cache buffers lost messages per topic:\x20
\t/imu: 5
Total lost: 5
[WARN] [1700000000.3] [rosbag2_cpp]: Cache buffers lost messages per topic:\x20
\t/imu: 6
\t/points: 19
Total lost: 25
"""


def test_the_log_of_rosbag2_repeats_what_it_counts(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(LOG)
    assert dropped.of_log(log) == {"/imu": 6, "/points": 19}
    log.write_text("[INFO] [1.0] [rosbag2_recorder]: Recording stopped\n")
    assert not dropped.of_log(log)
    log.write_text("nothing of it")
    for path in (log, tmp_path / "absent", tmp_path):
        with pytest.raises(UserError, match="name the log of ros2 bag record"):
            dropped.of_log(path)


def test_a_log_given_beside_the_recording_is_told_of(tmp_path: Path) -> None:
    folder, log = db3(tmp_path / "drive", drive()), tmp_path / "log"
    log.write_text(LOG)
    words = [sys.executable, "-m", "wirecost", "lost"]
    done = execute([*words, folder, "--log", log], check=True)
    said = " ".join(done.stdout.split())
    assert "25 messages of 2 topics fell out of the recorder's cache, as it says itself." in said
    assert "1. Give the recorder a larger cache" in said and "--max-cache-size" in said
    assert len(done.stdout.splitlines()) <= 24
    refused = execute([*words, "--live", "ros2", "--log", log])
    assert refused.returncode == 2 and "--log: for a recording" in refused.stderr


@pytest.mark.parametrize("text", ["", "-1", "1.5", "²", "9" * 40, "x"])
def test_counts_that_are_none_are_left_out(text: str) -> None:
    assert not dropped.of_metadata([{"/in": text}])


@pytest.mark.parametrize(
    "data", [b"", b"\0\1\0\0", event({"/a": 1})[:-4], b"\0\1\0\0\1\0\0\0\0\0\0\0\xff\xff\xff\xff"]
)
def test_events_that_are_none_are_left_out(data: bytes) -> None:
    assert not dropped.of_event(data)


def test_the_largest_counts_are_bounded() -> None:
    assert dropped.of_event(event({"/a": (1 << 64) - 1}))["/a"] == dropped.MOST


def test_numbers_that_are_missing_and_were_not_dropped_stay_lost(tmp_path: Path) -> None:
    path = mcap(tmp_path / "drive.mcap", drive())
    (points,) = with_dropped(lost(read(path)).topics, {"/points": 4})
    assert (points.missing(CACHE), points.missing(LOST)) == (4, 15)
    assert {gap.verdict for gap in points.gaps} == {LOST}
    assert with_dropped([points], {}) == [points]


def test_a_campaign_says_which_recordings_lack_messages() -> None:
    said = "5 of 5 messages of drive.mcap; 7 messages of 1 topic fell out of the recorder's cache"
    metas = [f'{{"content": "{said}"}}', f'{{"content": "{said}"}}', '{"content": "5 of 5"}', ""]
    (line,) = incomplete_recordings(pl.DataFrame({"meta": metas}))
    assert line.startswith("5 of 5 messages of drive.mcap: 7 messages of 1 topic fell out of")
