# SPDX-License-Identifier: Apache-2.0
"""Good inputs to start from: small, and every kind of record or field in them."""

from __future__ import annotations

import ctypes
import json
import math
import struct
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import numpy as np
from google.protobuf import descriptor_pb2
from google.protobuf.compiler import plugin_pb2
from osi3.osi_sensorview_pb2 import SensorView

from support import ctf_traces
from support.probe_logs import header, record
from wirecost.data.clouds import encode
from wirecost.data.clouds.packed_message import CDR, CLOUD, store
from wirecost.data.messages.cdr_values import Writer
from wirecost.data.traces import create_trace
from wirecost.measure.bench.osi.contenders import Registry
from wirecost.measure.bench.osi.fmu import open_fmu
from wirecost.messaging.transport.shared import trailer
from wirecost.replay.dds import entities, parameters
from wirecost.replay.middleware import Call, Qos, Service, Topic
from wirecost.replay.process.state import ProcessState
from wirecost.replay.recording import call_record
from wirecost.replay.recording.snapshot import JoinedTopic, Snapshot, write_snapshot
from wirecost.replay.recording.writer import INPUT, OUTPUT, RecordingWriter
from wirecost.replay.ros1 import tcpros
from wirecost.replay.systems import SYSTEMS
from wirecost.schema.columns.converter import Converter


def sensor_view(reflections: int, seconds: int = 1) -> SensorView:
    """Return a view with that many reflections, an object and a time stamp."""
    view = SensorView()
    view.version.version_major = 3
    view.timestamp.seconds = seconds
    view.sensor_id.value = 7
    lidar = view.lidar_sensor_view.add()
    for i in range(reflections):
        reflection = lidar.reflection.add()
        reflection.signal_strength = -40.0 + i
        reflection.time_of_flight = 1e-7 * i
        reflection.normal_to_surface.x = math.sin(i)
        reflection.object_id.value = i % 3
    moving = view.global_ground_truth.moving_object.add()
    moving.id.value = 11
    moving.base.position.x = 12.5
    moving.model_reference = "car"
    return view


def sensor_views() -> list[bytes]:
    """In rows, and in columns as ``trace convert`` makes them."""
    rows = [sensor_view(n).SerializeToString() for n in (0, 1, 9)]
    converter = Converter.to_columns_of("osi3.SensorView", ["lidar_sensor_view.reflection"])
    return rows + [bytes(converter.to_columns(memoryview(message))) for message in rows]


def sent_views(contender: str) -> list[bytes]:
    """Sensor views as that contender of ``bench osi`` sends them."""
    views = []
    for reflections in (0, 3):
        fmu = open_fmu(Registry().archive(contender, "source", 2, "release"))
        with tempfile.TemporaryDirectory() as logs:
            fmu.start({"reflections": reflections, "objects": 2, "log_folder": logs})
            fmu.step(0.0)
            message = fmu.message("OSMPSensorViewOut")
            views.append(ctypes.string_at(message.address, message.size))
            fmu.close()
    return views


def _made(suffix: str, make: Callable[[Path], None]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"20261122T101010Z_sv_370_32011_3_attack{suffix}")
        make(path)
        return path.read_bytes()


def traces(suffix: str) -> list[bytes]:
    """Traces of the format with that ending, one without a frame among them."""

    def trace(frames: int, compression: str) -> Callable[[Path], None]:
        def make(path: Path) -> None:
            with create_trace(path, "SensorView", compression=compression) as writer:
                for i in range(frames):
                    writer.write(i * 10**9, sensor_view(2, i).SerializeToString())

        return make

    kinds = [(0, "none"), (3, "none"), (3, "zstd"), (2, "lz4")]
    return [_made(suffix, trace(*kind)) for kind in kinds[: 4 if suffix == ".mcap" else 2]]


def recordings() -> list[bytes]:
    """Return recordings of a ROS 2 node with a call, whole and never finished."""
    qos = Qos(durability="transient_local")
    topic = Topic("/in", "std_msgs/msg/String", definition="string data\n", qos=qos)
    said = Topic("/out", "std_msgs/msg/String", definition="string data\n")
    twice = Service("/twice", "std_srvs/srv/Trigger")

    def make(path: Path) -> None:
        with RecordingWriter(path, SYSTEMS["dds"]) as writer:
            channels = [writer.add_topic(topic, INPUT), writer.add_topic(said, OUTPUT)]
            for i in range(6):
                writer.write(channels[i % 2], 10 + i, i, b"\0\1\0\0\2\0\0\0a\0")
            writer.write_call(twice, Call("/twice", "", 1, 2, b"a", b"aa"), 11)

    whole = _made(".mcap", make)
    return [whole, whole[: len(whole) // 2]]


def nodes() -> list[bytes]:
    """``node.json`` of a node that was found running, and of one whose process is unknown."""
    process = ProcessState(
        executable="/bin/node",
        arguments=["/bin/node", "--ros-args", "-r", "__ns:=/a"],
        working_directory="/",
        environment={"ROS_DOMAIN_ID": "3"},
        affinity=[0],
        policy="SCHED_OTHER",
        priority=0,
        nice=0,
        limits={"RLIMIT_NOFILE": (1024, None)},
    )
    topic = JoinedTopic(Topic("/in", "std_msgs/msg/String", qos=Qos(depth=3)), 0.5, 7)
    service = Service("/twice", "std_srvs/srv/Trigger")
    node = Snapshot("dds", "ros2", "/a/node", 7, "given", process, parameters={"rate": 2.0})
    node.inputs, node.outputs, node.provides = [topic], [topic], [service]

    def make(path: Path, snapshot: Snapshot) -> None:
        write_snapshot(path.parent, snapshot)
        (path.parent / "node.json").rename(path)

    return [
        _made(".json", partial(make, snapshot=snapshot))
        for snapshot in (node, Snapshot("ros1", "ros1", "/node"))
    ]


def descriptor_sets() -> list[bytes]:
    """Return the schema compiler's own input: OSI's root, and one with an option of every sort."""
    file = descriptor_pb2.FileDescriptorProto(name="a/b.proto", package="a.b", syntax="proto3")
    colour = file.enum_type.add(name="Colour")
    colour.value.add(name="RED", number=0)
    colour.value.add(name="BLUE", number=7)
    outer = file.message_type.add(name="Outer")
    kinds = descriptor_pb2.FieldDescriptorProto
    for number in range(1, 19):
        if number not in (kinds.TYPE_GROUP, kinds.TYPE_MESSAGE, kinds.TYPE_ENUM):
            outer.field.add(
                name=f"f{number}",
                number=number,
                type=number,
                label=kinds.LABEL_OPTIONAL,  # type: ignore[arg-type]
            )
    inner = outer.nested_type.add(name="Inner")
    inner.field.add(name="x", number=1, type=kinds.TYPE_SINT32, label=kinds.LABEL_REPEATED)
    for number, label in ((30, kinds.LABEL_OPTIONAL), (31, kinds.LABEL_REPEATED)):
        outer.field.add(
            name=f"inner{number}",
            number=number,
            type=kinds.TYPE_MESSAGE,
            type_name=".a.b.Outer.Inner",
            label=label,
        )
    outer.field.add(
        name="colour",
        number=40,
        type=kinds.TYPE_ENUM,
        type_name=".a.b.Colour",
        label=kinds.LABEL_OPTIONAL,
    )
    outer.oneof_decl.add(name="either")
    outer.field.add(
        name="one", number=41, type=kinds.TYPE_STRING, oneof_index=0, label=kinds.LABEL_OPTIONAL
    )
    file.source_code_info.location.add(path=[4, 0], span=[1, 1, 1], leading_comments=" Why.\n")
    old = descriptor_pb2.FileDescriptorProto(name="old.proto", package="old", syntax="proto2")
    message = old.message_type.add(name="Old")
    message.field.add(
        name="text",
        number=1,
        type=kinds.TYPE_STRING,
        label=kinds.LABEL_REQUIRED,
        default_value='a"b\\n',
    )
    message.field.add(
        name="number",
        number=2,
        type=kinds.TYPE_FLOAT,
        label=kinds.LABEL_OPTIONAL,
        default_value="-inf",
    )
    sets = descriptor_pb2.FileDescriptorSet
    return [sets(file=[file]).SerializeToString(), sets(file=[file, old]).SerializeToString()]


def protoc_requests() -> list[bytes]:
    """Return the requests that the compiler gets as a plugin of protoc."""
    requests = []
    for options, data in zip(("", "lang=cpp+java,imports"), descriptor_sets(), strict=True):
        files = descriptor_pb2.FileDescriptorSet.FromString(data).file
        request = plugin_pb2.CodeGeneratorRequest(
            file_to_generate=[files[0].name], parameter=options, proto_file=files
        )
        requests.append(request.SerializeToString())
    return requests


def ros_definitions() -> list[bytes]:
    return [
        b"# a comment\nuint8 RED=1\nstring WORD=a # b\nint32 x\nfloat64[3] xyz\nstring[] names\n",
        b"bool[<=4] few\nstring<=8 short 'a'\nint32 x 5\nuint8[] data\n",
        b"time stamp\nduration d\nchar c\nbyte b\nfloat32[] v\n",
    ]


def ros_services() -> list[bytes]:
    return [b"int64 a\n---\nbool success\nstring message\n", b"---\n", b"string[] names\n---\n"]


def performance_logs() -> list[bytes]:
    document = {
        "Header": {
            "EventFields": ["EventId", "GlobalTime", "SimulationTime", "MessageId", "MessageSize"],
            "EventTypes": ["StartSourceCalc", "StartSerialize", "StopSerialize"],
            "OsiMessages": ["SensorView"],
        },
        "Data": [
            {
                "Instance": {"ModelIdentity": "model"},
                "OsiEvents": [[i % 3, 1e6 + i, 0.1 * i, 0, 100 + i] for i in range(9)],
            }
        ],
    }
    return [json.dumps(document).encode(), json.dumps(document, indent=1).encode()[:-9]]


def heap_reports() -> list[bytes]:
    pool = {"bytes": 1 << 20, "peak_bytes": 9, "growths_in_background": 1, "growths_waited_for": 0}
    return [json.dumps({"format": "wirecost-heap-report", "version": 1, "pool": pool}).encode()]


def clouds() -> list[bytes]:
    head = (
        "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z intensity ring\nSIZE 4 4 4 4 2\nTYPE F F F F U\n"
        "COUNT 1 1 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA {}\n"
    )
    points = b"".join(struct.pack("<ffffH", i, 2, 3, 0.5, i) for i in range(3))
    return [
        head.format("binary").encode() + points,
        head.format("ascii").encode() + b"1 2 3 0.5 1\n2 3 4 nan 2\n3 4 5 0.1 3\n",
        head.format("binary_compressed").encode() + struct.pack("<II", 54, 54) + points,
    ]


def cloud_messages() -> list[bytes]:
    """Return clouds of two rows with a gap behind each, and of fields of every type."""
    kinds = store(CDR).types
    header = kinds["std_msgs/msg/Header"](kinds["builtin_interfaces/msg/Time"](1, 2), "a")
    field = kinds["sensor_msgs/msg/PointField"]
    fields = [field(f"f{number}", number * 8, number, 1) for number in range(1, 9)]
    cloud = kinds[CLOUD](header, 2, 3, fields, False, 80, 250, np.arange(500, dtype=np.uint8), True)
    return [bytes(store(CDR).serialize_cdr(cloud, CLOUD))]


def packed_clouds() -> list[bytes]:
    floats = np.arange(300, dtype=np.float32).reshape(100, 3) ** 0.5
    mixed = np.zeros(64, [("x", "<f4"), ("y", "<f4"), ("z", "<f4"), ("ring", "u1"), ("t", "<f8")])
    mixed["ring"] = np.arange(64) % 4
    for number, name in enumerate("xyzt"):
        mixed[name] = np.arange(64) * (0.3 + number)
    return [encode(floats), encode(floats, error=0.01), encode(mixed), encode(mixed, error=0.1)]


def ply_clouds() -> list[bytes]:
    head = (
        "ply\nformat {} 1.0\nelement pose 1\nproperty double t\nelement vertex 2\n"
        "property float x\nproperty float y\nproperty float z\nproperty uchar intensity\n"
        "element face 1\nproperty list uchar int vertex_indices\nend_header\n"
    )
    points = b"".join(struct.pack(">fffB", i, 2, 3, i) for i in range(2))
    return [
        head.format("binary_big_endian").encode() + bytes(8) + points + b"\1\0\0\0\0",
        head.format("ascii").encode() + b"0\n1 2 3 0\n2 3 4 1\n1 0\n",
    ]


def kitti_clouds() -> list[bytes]:
    return [struct.pack("<8f", *range(8)), struct.pack("<10f", *range(10))]


def headers() -> list[bytes]:
    fields = {"callerid": "/a", "topic": "/t", "type": "std_msgs/String", "md5sum": "*" * 32}
    return [tcpros.encode(fields)]


def graphs() -> list[bytes]:
    node = entities.NodeEntities("/ns/node", [b"\1" * 16], [b"\2" * 16, b"\3" * 16])
    return [
        entities.write(entities.ParticipantEntities(b"\7" * 16, [node, node]), size)
        for size in (16, 24)
    ]


def calls() -> list[bytes]:
    return [
        call_record.encode(Call("/twice", "/caller", 1, 2, b"abc", b"")),
        call_record.encode(Call("/twice", "", 1, 2, b"", b"", error="no")),
    ]


def parameter_replies() -> list[bytes]:
    """``GetParameters``' replies: a text, lists and a number."""
    replies = []
    for kind, value in ((4, "text"), (7, [1, -2]), (9, ["a", "bc"]), (3, 0.5)):
        writer = Writer()
        writer.scalar("I", 1)
        parameters.write_value(writer, parameters.Typed(kind, value))
        replies.append(writer.message())
    return replies


def probe_logs() -> list[bytes]:
    """Sections in each other with counters, a mark and a text; and a log without a record."""
    head = header([("cycles", 1), ("faults", 2)], [(0, "outer"), (1, "inner")])
    records = [
        record(1, 100, 900, section=0, counted=3, counters=(5, 6)),
        record(2, 200, 300, section=1, parent=0, depth=1, part=1),
        record(3, 250, 250, kind=2, section=1, value=9, loop=1),
    ]
    return [head, head + b"".join(records)]


@cache
def ros2_trace() -> dict[str, bytes]:
    """Return the files of a ROS 2 trace by their names: a node that answers messages."""
    with tempfile.TemporaryDirectory() as folder:
        events = [*ctf_traces.node_events(7, "a"), *ctf_traces.cycles(7, 3)]
        form = ctf_traces.Form(in_packets=False)
        ctf_traces.write_trace(Path(folder), events, form, packet_events=10)
        return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def ros2_files(name: str) -> list[bytes]:
    content = ros2_trace()[name]
    return [content, ctf_traces.in_packets(content, "<")] if name == "metadata" else [content]


def network_profiles() -> list[bytes]:
    """All keys, in two files."""
    keys = "delay_ms = 10\njitter_ms = 2.5\nloss_percent = 1e0\nrate_mbit = 50\n"
    cut = 'name = "own"\nqueue_packets = 200\ncut_after_s = 1\ncut_s = 2_0\n'
    return [keys.encode(), cut.encode()]


def trailers() -> list[bytes]:
    return [trailer.TRAILER.pack(7, number, 0, trailer.MAGIC) for number in (0, 1, 2**63)] + [
        bytes(40) + trailer.TRAILER.pack(7, 3, 8, trailer.MAGIC)
    ]
