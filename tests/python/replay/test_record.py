# SPDX-License-Identifier: Apache-2.0
"""A node's inputs, outputs and calls come into a recording that others read, however it ends."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from mcap.reader import make_reader
from syrupy.assertion import SnapshotAssertion

from support.replay_fakes import (
    ANSWER,
    COMMAND,
    MAP,
    SERVICE,
    STAMPED,
    FakeRecorder,
    FakeSystem,
    stamped,
)
from support.waiting import until
from wirecost.replay.middleware import Call, Qos
from wirecost.replay.record.record import Request, record
from wirecost.replay.recording import call_record
from wirecost.replay.recording.bag_metadata import Counted, bag_metadata
from wirecost.replay.recording.reader import read_recording
from wirecost.replay.recording.snapshot import read_snapshot
from wirecost.replay.recording.writer import CHUNK_BYTES, INPUT, OUTPUT, RecordingWriter
from wirecost.replay.systems import SYSTEMS
from wirecost.system.errors import UserError

MESSAGES = 50


def recorded(folder: Path, recorder: FakeRecorder, drive: Callable[[], None]) -> None:
    """Record while ``drive`` runs."""
    driver = threading.Thread(target=drive)
    request = Request(FakeSystem(recorder), "/node", os.getpid(), [], None, None)
    driver.start()
    record(request, folder, lambda *_: None, lambda: not driver.is_alive())
    driver.join()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """50 messages in, 50 out, a map from before the start, a topic that came later, one call."""
    recorder = FakeRecorder(None)
    recorder.subscribed = [STAMPED, MAP]
    recorder.published = [ANSWER, replace(ANSWER, name="/rosout")]
    recorder.provides = [SERVICE]
    recorder.keep("/map", b"\x03the map")

    def drive() -> None:
        until(lambda: recorder.listens_to("/out"))
        for number in range(MESSAGES):
            recorder.send("/in", stamped(number))
            recorder.send("/out", stamped(2 * number))
        recorder.subscribed = [STAMPED, MAP, replace(STAMPED, name="/late")]
        until(lambda: recorder.listens_to("/late"))
        recorder.send("/late", b"late")
        now = time.time_ns()
        recorder.finished = [Call("/twice", "/other", now, now + 5, b"ab", b"abab")]
        time.sleep(0.3)

    recorded(tmp_path, recorder, drive)
    return tmp_path


def test_everything_that_came_is_read_again(recording: Path) -> None:
    recorded = read_recording(recording / "recording.mcap", "ros1")
    inputs = [stored for stored in recorded.inputs if stored.topic == "/in"]
    assert [stored.data for stored in inputs] == [stamped(i) for i in range(MESSAGES)]
    assert [stored.data for stored in recorded.outputs] == [stamped(2 * i) for i in range(MESSAGES)]
    assert [(stored.topic, stored.data) for stored in recorded.inputs if stored.topic != "/in"] == [
        ("/map", b"\x03the map"),
        ("/late", b"late"),
    ]
    assert abs(inputs[0].log_ns - time.time_ns()) < 60e9
    (call,) = recorded.calls
    assert (call.service, call.caller, call.request, call.reply) == (
        "/twice",
        "/other",
        b"ab",
        b"abab",
    )
    assert not recorded.notes


def test_the_snapshot_tells_how_the_node_was_started(recording: Path) -> None:
    snapshot = read_snapshot(recording)
    assert snapshot.process is not None
    assert snapshot.process.executable == str(Path("/proc/self/exe").readlink())
    assert snapshot.process.working_directory == str(Path.cwd())
    assert snapshot.process.affinity == sorted(os.sched_getaffinity(0))
    assert snapshot.pid_found == "given"
    assert snapshot.parameters == {"/node/gain": 2}
    assert [joined.topic.name for joined in snapshot.inputs] == ["/in", "/map", "/late"]
    assert [joined.messages for joined in snapshot.inputs] == [MESSAGES, 1, 1]
    assert [joined.topic for joined in snapshot.outputs] == [ANSWER]
    assert snapshot.inputs[1].topic.qos.durability == "transient_local"
    assert snapshot.inputs[2].after_s > 0
    assert snapshot.ended == "interrupted"


def test_other_readers_read_the_messages(recording: Path) -> None:
    with (recording / "recording.mcap").open("rb") as file:
        reader = make_reader(file)
        assert reader.get_header().profile == "ros1"
        messages = list(reader.iter_messages(topics=["/in"]))
        latched = {
            channel.topic: channel.metadata["latching"]
            for channel in reader.get_summary().channels.values()  # type: ignore[union-attr]
            if channel.message_encoding == "ros1"
        }
    assert [message.data for _, _, message in messages] == [stamped(i) for i in range(MESSAGES)]
    schema, channel, _ = messages[0]
    assert schema is not None
    assert (schema.name, schema.encoding) == (STAMPED.type, "ros1msg")
    assert schema.data.decode() == STAMPED.definition
    assert channel.metadata["md5sum"] == STAMPED.type_hash
    assert latched == {"/in": "0", "/map": "1", "/out": "0", "/late": "0"}


def test_rosbags_reads_a_ros2_recording_with_its_qos(tmp_path: Path) -> None:
    from rosbags.rosbag2 import Reader

    path = tmp_path / "recording.mcap"
    qos = Qos(reliability="best_effort", durability="transient_local", depth=3)
    topic = replace(STAMPED, type="std_msgs/msg/String", definition="string data\n", qos=qos)
    with RecordingWriter(path, SYSTEMS["dds"]) as writer:
        channel = writer.add_topic(topic, INPUT)
        writer.write(channel, 10, 9, b"\0\1\0\0\2\0\0\0a\0")
        writer.write_call(SERVICE, Call("/twice", "", 1, 2, b"a", b"aa"), 11)
    with Reader(path) as reader:
        (only,) = [(c.topic, c.msgtype, time, data) for c, time, data in reader.messages()
                    if c.topic == "/in"]  # fmt: skip
        (connection,) = [c for c in reader.connections if c.topic == "/in"]
    assert only == ("/in", "std_msgs/msg/String", 10, b"\0\1\0\0\2\0\0\0a\0")
    (profile,) = connection.ext.offered_qos_profiles  # type: ignore[union-attr]
    assert (profile.depth, profile.reliability.name, profile.durability.name) == (
        3,
        "BEST_EFFORT",
        "TRANSIENT_LOCAL",
    )


def test_rosbags_opens_the_folder_of_a_ros2_recording(tmp_path: Path) -> None:
    from rosbags.highlevel import AnyReader
    from rosbags.typesys import Stores, get_typestore

    text = replace(STAMPED, name="/text", type="std_msgs/msg/String", definition="string data\n")
    latched = replace(text, name="/kept", qos=Qos(durability="transient_local", depth=1))
    path = tmp_path / "recording.mcap"
    with RecordingWriter(path, SYSTEMS["dds"]) as writer:
        inward, outward = writer.add_topic(text, INPUT), writer.add_topic(text, OUTPUT)
        other = writer.add_topic(latched, INPUT)
        for i in range(3):
            writer.write(inward, 1000 + i, 0, b"\0\1\0\0\2\0\0\0%d\0" % i)
        writer.write(outward, 5000, 0, b"\0\1\0\0\2\0\0\0s\0")
        writer.write(other, 900, 0, b"\0\1\0\0\2\0\0\0k\0")
        writer.write_call(SERVICE, Call("/twice", "", 1, 2, b"a", b"aa"), 9000)
        writer.write_bag_metadata()
    with AnyReader([tmp_path]) as reader:
        counts = {c.topic: (c.msgtype, c.msgcount) for c in reader.connections}
        assert counts == {
            "/text": ("std_msgs/msg/String", 4),
            "/kept": ("std_msgs/msg/String", 1),
        }
        assert (reader.start_time, reader.end_time, reader.message_count) == (900, 5001, 5)
        connections = [
            (c.topic, t, reader.deserialize(data, c.msgtype).data)
            for c, t, data in reader.messages()
        ]
        (extra,) = [c.ext for c in reader.connections if c.topic == "/kept"]
        (profile,) = extra.offered_qos_profiles  # type: ignore[union-attr]
        assert (profile.depth, profile.durability.name) == (1, "TRANSIENT_LOCAL")
    assert connections == [
        ("/kept", 900, "k"),
        *(("/text", 1000 + i, str(i)) for i in range(3)),
        ("/text", 5000, "s"),
    ]
    message = b"\0\1\0\0\2\0\0\0b\0"
    # Where nobody gave the definitions, the reader's own serve.
    with RecordingWriter(tmp_path / "bare.mcap", SYSTEMS["dds"]) as writer:
        writer.write(writer.add_topic(replace(text, definition=""), INPUT), 7, 0, message)
        writer.write_bag_metadata()
    with AnyReader([tmp_path], default_typestore=get_typestore(Stores.ROS2_HUMBLE)) as reader:
        (only,) = reader.messages()
        assert reader.deserialize(only[2], only[0].msgtype).data == "b"
        assert only[2] == message


def test_bag_metadata_is_yaml_whatever_the_names_are() -> None:
    from ruamel.yaml import YAML

    name = 'a"b\\c\n\t\x00\x7f\x85é\U0001f600: #{'
    topic = replace(STAMPED, name=name, type="- ' &x")
    for counted in ([], [Counted(topic), Counted(topic, 2, 5, 9), Counted(MAP)]):
        read = YAML(typ="safe").load(bag_metadata("recording.mcap", "cdr", counted))
        bag = read["rosbag2_bagfile_information"]
        assert (bag["version"], bag["storage_identifier"]) == (5, "mcap")
        assert bag["relative_file_paths"] == [bag["files"][0]["path"]] == ["recording.mcap"]
        assert len(bag["topics_with_message_count"]) == (2 if counted else 0)
    entry = bag["topics_with_message_count"][0]
    assert (entry["topic_metadata"]["name"], entry["topic_metadata"]["type"]) == (name, "- ' &x")
    assert entry["message_count"] == bag["message_count"] == bag["files"][0]["message_count"] == 2
    assert bag["duration"] == {"nanoseconds": 4}
    assert bag["starting_time"] == {"nanoseconds_since_epoch": 5}


def test_a_recording_cut_anywhere_is_read_up_to_there(recording: Path, tmp_path: Path) -> None:
    content = (recording / "recording.mcap").read_bytes()
    whole = [stored.data for stored in read_recording(recording / "recording.mcap", "ros1").inputs]
    cut = tmp_path / "cut.mcap"
    generator = random.Random(1)
    counts = set()
    for size in [0, 1, 8, 20, *generator.sample(range(len(content)), 150)]:
        cut.write_bytes(content[:size])
        try:
            recorded = read_recording(cut, "ros1")
        except UserError as error:
            assert "\n" not in str(error)
            assert size < 40
            continue
        assert [stored.data for stored in recorded.inputs] == whole[: len(recorded.inputs)]
        assert recorded.notes or len(recorded.inputs) == len(whole)
        counts.add(len(recorded.inputs))
    assert {0, len(whole)} <= counts


def test_damaged_bytes_never_do_worse_than_one_line(recording: Path, tmp_path: Path) -> None:
    content = (recording / "recording.mcap").read_bytes()
    damaged = tmp_path / "damaged.mcap"
    generator = random.Random(2)
    refused = 0
    for _ in range(300):
        bad = bytearray(content)
        for _ in range(generator.randrange(1, 4)):
            at = generator.randrange(len(bad))
            bad[at : at + 8] = generator.choice([generator.randbytes(8), b"\xff" * 8, b"\0" * 8])
        damaged.write_bytes(bad)
        try:
            read_recording(damaged, "ros1")
        except UserError as error:
            assert "\n" not in str(error)
            refused += 1
    assert refused < 100


def test_another_profile_is_refused(recording: Path) -> None:
    with pytest.raises(UserError, match=r"profile 'ros1', but node\.json has 'ros2'"):
        read_recording(recording / "recording.mcap", "ros2")


@pytest.mark.parametrize(
    "call",
    [Call("/s", "/a", 1, 2, b"", b""), Call("/s", "ä", -1, 2**62, b"x" * 70000, b"y", "no")],
)
def test_calls_survive_their_encoding_and_nothing_else_does(call: Call) -> None:
    encoded = call_record.encode(call)
    assert call_record.decode("/s", encoded) == call
    for size in range(0, len(encoded), max(1, len(encoded) // 50)):
        with pytest.raises(ValueError, match="call"):
            call_record.decode("/s", encoded[:size])


def test_a_disk_that_fills_leaves_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "recording.mcap"
    code = f"""
import resource, signal
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
from wirecost.system.errors import UserError
from wirecost.replay.recording.writer import INPUT, RecordingWriter
from wirecost.replay.middleware import Topic
from wirecost.replay.systems import SYSTEMS
import os
try:
    with RecordingWriter(Path({str(path)!r}), SYSTEMS["ros1"]) as writer:
        channel = writer.add_topic(Topic("/in", "a/B"), INPUT)
        for i in range(100):
            writer.write(channel, i, i, os.urandom(1000))
            writer.flush()
except UserError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.count("\n") == 1
    assert "raise ulimit -f" in done.stdout
    assert 20 < len(read_recording(path, "ros1").inputs) < 40


def test_a_killed_recorder_leaves_all_but_the_last_fifth_of_a_second(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    path = tmp_path / "recording.mcap"
    with RecordingWriter(path, SYSTEMS["ros1"]) as writer:
        channel = writer.add_topic(STAMPED, OUTPUT)
        writer.write(channel, 1, 1, b"a")
        writer.flush()
        recorded = read_recording(path, "ros1")
        assert [stored.data for stored in recorded.outputs] == [b"a"]
        assert recorded.notes == snapshot


def test_a_node_that_goes_away_ends_the_recording(tmp_path: Path) -> None:
    recorder = FakeRecorder(os.getpid())
    recorder.subscribed = [STAMPED]
    request = Request(FakeSystem(recorder), "/node", None, [], 10.0, None)

    def drive() -> None:
        until(lambda: recorder.listens_to("/in"))
        recorder.send("/in", stamped(1))
        recorder.gone = True

    driver = threading.Thread(target=drive)
    driver.start()
    snapshot = record(request, tmp_path, lambda *_: None, lambda: False)
    driver.join()
    assert snapshot.ended == "node gone"
    assert snapshot.inputs[0].messages == 1


def test_a_launched_node_is_found_and_ended(tmp_path: Path) -> None:
    recorder = FakeRecorder(None)
    recorder.subscribed = [STAMPED]
    request = Request(FakeSystem(recorder), "/node", None, [*COMMAND, "--deaf"], 0.3, None)
    snapshot = record(request, tmp_path, lambda *_: None, lambda: False)
    assert snapshot.pid_found == "launched"
    assert snapshot.process is not None
    assert snapshot.process.arguments == [*COMMAND, "--deaf"]
    assert not Path(f"/proc/{snapshot.pid}").exists()


def test_a_node_without_a_known_process_asks_for_one(tmp_path: Path) -> None:
    request = Request(FakeSystem(FakeRecorder(None)), "/node", None, [], 1.0, None)
    with pytest.raises(UserError, match="give --pid PID, or let record start it with --launch"):
        record(request, tmp_path, lambda *_: None, lambda: False)


def test_secrets_stay_out_of_the_snapshot(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "ROS_DOMAIN_ID": "7",
        "ROS_API_TOKEN": "hush",
        "MY_PASSWORD": "hush",
        "OMP_NUM_THREADS": "2",
        "FASTRTPS_DEFAULT_PROFILES_FILE": "/f.xml",
    }
    parameters = tmp_path / "node.yaml"
    parameters.write_text("gain: 3\n")
    out = tmp_path / "out"
    out.mkdir()
    command = [*COMMAND, "--deaf", "a:=b", "--params-file", str(parameters)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as node:
        assert node.stdout is not None
        node.stdout.readline()
        request = Request(FakeSystem(FakeRecorder(node.pid)), "/node", None, [], 0.1, None)
        try:
            record(request, out, lambda *_: None, lambda: False)
        finally:
            node.kill()
    text = (out / "node.json").read_text()
    assert "hush" not in text
    document = json.loads(text)
    variables = document["process"]["environment"]
    assert variables["ROS_DOMAIN_ID"] == "7"
    assert variables["OMP_NUM_THREADS"] == "2"
    assert variables["FASTRTPS_DEFAULT_PROFILES_FILE"] == "/f.xml"
    assert "HOME" not in variables
    assert document["remaps"] == ["a:=b"]
    assert document["parameter_files"] == {str(parameters): "gain: 3\n"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "not of a recording"),
        ({"version": 2}, "version 2, this wirecost reads 1"),
        ({"inputs": 3}, "damaged"),
        ({"process": {}}, "damaged"),
        ({"node": None}, "damaged"),
    ],
)
def test_a_damaged_snapshot_is_one_line(
    recording: Path, change: dict[str, object], message: str
) -> None:
    path = recording / "node.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(UserError, match=message) as raised:
        read_snapshot(recording)
    assert "\n" not in str(raised.value)


def test_chunks_are_closed_several_times_a_second() -> None:
    from wirecost.replay.record.session import FLUSH_S

    assert FLUSH_S <= 0.25
    assert CHUNK_BYTES <= 8 << 20


def test_a_node_is_not_sent_again_what_it_published_itself(tmp_path: Path) -> None:
    recorder = FakeRecorder(os.getpid())
    recorder.subscribed = [replace(STAMPED, name="/tf"), STAMPED]
    recorder.published = [replace(STAMPED, name="/tf"), ANSWER]
    request = Request(FakeSystem(recorder), "/node", None, [], 0.1, None)
    record(request, tmp_path, lambda *_: None, lambda: False)
    assert recorder.listened == [
        ("/tf", None, "/node"),
        ("/in", None, None),
        ("/tf", "/node", None),
        ("/out", None, None),
    ]


def test_a_process_that_ends_ends_the_recording(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "0.5"]) as process:
        recorder = FakeRecorder(process.pid)
        request = Request(FakeSystem(recorder), "/node", None, [], 20.0, None)
        waiter = threading.Thread(target=process.wait)
        waiter.start()
        snapshot = record(request, tmp_path, lambda *_: None, lambda: False)
        waiter.join()
    assert snapshot.ended == "node gone" and len(snapshot.notes) == 1


def test_what_is_learnt_with_the_first_message_is_in_the_snapshot_at_once(tmp_path: Path) -> None:
    recorder = FakeRecorder(os.getpid())
    recorder.subscribed = [replace(MAP, type="*", definition="", qos=Qos())]
    recorder.keep("/map", b"the map")
    seen = []

    def drive() -> None:
        recorder.subscribed = [MAP]

        def latched() -> bool:
            seen[:] = [joined.topic for joined in read_snapshot(tmp_path).inputs]
            return seen == [MAP]

        until((tmp_path / "node.json").exists)
        until(latched)

    recorded(tmp_path, recorder, drive)
    assert seen == [MAP]
