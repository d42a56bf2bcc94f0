# SPDX-License-Identifier: Apache-2.0
"""Everything of ours that reads, in this process: one target each."""

from __future__ import annotations

import ctypes
import io
import socket
import tempfile
import time
from contextlib import suppress
from functools import cache, partial
from pathlib import Path

import numpy as np
import polars as pl

from attack import corpora, messages
from attack.from_file import FromFile
from attack.recordings import seeds
from attack.target import Target
from wirecost.data.clouds import decode, kitti, packed_recording, pcd, ply
from wirecost.data.clouds.conversion import Wanted
from wirecost.data.clouds.packed_message import (
    CDR,
    CLOUD,
    packed_message,
    store,
    unpacked_message,
)
from wirecost.data.columns.opened import open_recording
from wirecost.data.messages.cdr_values import CdrError
from wirecost.data.messages.ros.reader import FAULTS
from wirecost.data.recordings.recording import Recording
from wirecost.data.recordings.series import read_series
from wirecost.data.recordings.survey import survey
from wirecost.data.traces import open_trace
from wirecost.data.traces.info import info
from wirecost.measure.bench.engine.program import SCHEMAS
from wirecost.measure.bench.osi.verification import IndependentReader
from wirecost.measure.lost.recording import lost_messages
from wirecost.measure.network import profiles
from wirecost.messaging.transport.shared import trailer
from wirecost.observe.heap.report import read_report
from wirecost.replay.dds import entities, parameters
from wirecost.replay.recording import call_record
from wirecost.replay.recording.reader import read_recording
from wirecost.replay.recording.snapshot import read_snapshot
from wirecost.replay.ros1 import tcpros
from wirecost.replay.ros1.sockets import PeerError
from wirecost.results.records import probe_log, recorded, setlevel
from wirecost.results.report.lost import lost_answer
from wirecost.schema.columns.converter import Converter
from wirecost.schema.compile import plugin
from wirecost.schema.compile.compiler import compile_schema
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.schema import CompileError
from wirecost.system.errors import UserError
from wirecost.system.progress import silent


def _trace(path: Path) -> None:
    with open_trace(path) as trace:
        for _, message in trace.frames():
            len(message)


def _trace_info(path: Path) -> None:
    with open_trace(path) as trace:
        info(trace, silent)


def _cloud_message(data: bytes) -> None:
    """Pack a cloud of a recording and unpack it, as ``convert-cloud`` does."""
    wanted = Wanted(error=None, quick=False, memory=1 << 24)
    try:
        cloud = store(CDR).deserialize_cdr(data, CLOUD)
    except FAULTS as error:
        raise UserError("no PointCloud2") from error
    packed, _, _ = packed_message(cloud, wanted)
    unpacked_message(packed, wanted)


def _node(path: Path) -> None:
    read_snapshot(path.parent)


def _probe_log(path: Path) -> None:
    probe_log.events_of(probe_log.read_logs([path]))


def _ros2_trace(name: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for other, content in corpora.ros2_trace().items():
            Path(folder, other).write_bytes(data if other == name else content)
        probe_log.events_of(recorded.read_recorded([Path(folder)]))


def _compiled(path: Path) -> None:
    wires = ("protobuf", "ros1", "cdr")
    compile_schema([str(path)], ["cpp", "python", "java"], Request(wires=wires))


@cache
def _to_rows() -> Converter:
    return Converter.to_rows_of("osi3.SensorView")


@cache
def _to_columns() -> Converter:
    return Converter.to_columns_of("osi3.SensorView", ["all"])


def _rows(data: bytes) -> None:
    _to_rows().to_rows(memoryview(data))


def _columns(data: bytes) -> None:
    _to_columns().to_columns(memoryview(data))


@cache
def _independent(wire: str, schema: str) -> IndependentReader:
    return IndependentReader(wire, SCHEMAS / schema)


def _canonical(wire: str, schema: str, data: bytes) -> None:
    buffer = ctypes.create_string_buffer(data, len(data))
    _independent(wire, schema).read("SensorView", ctypes.addressof(buffer), len(data))


def _header(data: bytes) -> None:
    here, there = socket.socketpair()
    with here, there:
        here.sendall(data[: 1 << 16])
        here.shutdown(socket.SHUT_WR)
        tcpros.read_header(there, time.monotonic() + 5)


def _trailer(data: bytes) -> None:
    stream, number, _ = trailer.split(data)
    trailer.StreamCounter().add(stream, number)


def _lost(path: Path) -> None:
    series = read_series([path], [], lambda *_: None)
    if series.topics:
        lost_answer(lost_messages([str(path)], series))


def _cost(path: Path) -> None:
    for topic in survey([path], [], lambda *_: None).topics:
        len(topic.parts.vector()) if topic.parts is not None else topic.unknown


def _columns_of(path: Path) -> None:
    with open_recording(path) as recording:
        for topic in recording.values():
            with suppress(UserError):
                for batch in topic.batches():
                    pl.DataFrame(batch)


def _message_data(path: Path) -> None:
    with Recording(path) as recording:
        for topic in {
            each.topic for each in recording.connections if each.count and each.is_readable
        }:
            for group in recording.groups(topic, has_schema=True):
                recording.messages([group], range(min(group.count, 8)))


def _whole_bags() -> list[bytes]:
    return seeds.bags()[:-1]  # the last is cut off


def _clouds_in_mcap() -> list[bytes]:
    types = store("cdr").types
    stamp = types["builtin_interfaces/msg/Time"](1, 2)
    cloud = types[CLOUD](
        header=types["std_msgs/msg/Header"](stamp, "lidar"),
        height=1,
        width=8,
        fields=[
            types["sensor_msgs/msg/PointField"](name, 4 * number, 7, 1)
            for number, name in enumerate("xyz")
        ],
        is_bigendian=False,
        point_step=12,
        row_step=96,
        data=np.arange(96, dtype=np.uint8),
        is_dense=True,
    )
    file = io.BytesIO()
    recording = packed_recording.McapMessages(file)
    recording.add(CLOUD, "/lidar", 1, bytes(store("cdr").serialize_cdr(cloud, CLOUD)))
    recording.finish()
    return [file.getvalue()]


def _convert_cloud(path: Path) -> None:
    wanted = Wanted(None, quick=True, memory=1 << 24)
    packed_recording.convert(path, path.with_name("out.mcap"), "", wanted, lambda *_: None)


NAME = "20261122T101010Z_sv_370_32011_3_attack"
"""A trace's name by OSI's rules: it tells what the trace holds."""

TARGETS = (
    Target("trace-osi", partial(corpora.traces, ".osi"), FromFile(f"{NAME}.osi", _trace)),
    Target("trace-mcap", partial(corpora.traces, ".mcap"), FromFile(f"{NAME}.mcap", _trace)),
    Target("trace-txth", partial(corpora.traces, ".txth"), FromFile(f"{NAME}.txth", _trace)),
    Target(
        "trace-mcap-info", partial(corpora.traces, ".mcap"), FromFile(f"{NAME}.mcap", _trace_info)
    ),
    Target("trace-osi-info", partial(corpora.traces, ".osi"), FromFile(f"{NAME}.osi", _trace_info)),
    Target(
        "recording", corpora.recordings, FromFile("r.mcap", partial(read_recording, profile="ros2"))
    ),
    Target("node", corpora.nodes, FromFile("node.json", _node)),
    Target("probe-log", corpora.probe_logs, FromFile("a.wprobe", _probe_log)),
    *(
        Target(f"ros2-trace-{name}", partial(corpora.ros2_files, name), partial(_ros2_trace, name))
        for name in ("metadata", "channel_0")
    ),
    Target("performance-log", corpora.performance_logs, FromFile("log.json", setlevel.read_logs)),
    Target("heap-report", corpora.heap_reports, FromFile("heap.json", read_report)),
    Target("network-profile", corpora.network_profiles, FromFile("own.toml", profiles.read)),
    Target("cloud", corpora.clouds, FromFile("a.pcd", pcd.load)),
    Target("cloud-message", corpora.cloud_messages, _cloud_message),
    Target("cloud-packed", corpora.packed_clouds, partial(decode, limit=1 << 24)),
    Target("cloud-ply", corpora.ply_clouds, FromFile("a.ply", ply.load)),
    Target("cloud-kitti", corpora.kitti_clouds, FromFile("a.bin", kitti.load)),
    Target(
        "descriptor-set",
        corpora.descriptor_sets,
        FromFile("a.fds", _compiled),
        (UserError, CompileError),
    ),
    Target("protoc-request", corpora.protoc_requests, partial(plugin.answer, warn=str)),
    Target(
        "ros-definition",
        corpora.ros_definitions,
        FromFile("A.msg", _compiled),
        (UserError, CompileError),
    ),
    Target(
        "ros-service",
        corpora.ros_services,
        FromFile("A.srv", _compiled),
        (UserError, CompileError),
    ),
    Target("to-rows", corpora.sensor_views, _rows, (ValueError,)),
    Target("to-columns", corpora.sensor_views, _columns, (ValueError,)),
    *(
        Target(f"independent-{wire}", corpus, partial(_canonical, wire, schema), (ValueError,))
        for wire, schema, corpus in (
            ("protobuf", "osi.fds", corpora.sensor_views),
            ("columns", "osi_columns.fds", corpora.sensor_views),
            ("flatbuffers", "osi_table.bfbs", partial(corpora.sent_views, "flatbuffers-table")),
            (
                "flatbuffers-struct",
                "osi_struct.bfbs",
                partial(corpora.sent_views, "flatbuffers-struct"),
            ),
            ("arrays", "-", partial(corpora.sent_views, "arrays")),
        )
    ),
    Target("tcpros-header", corpora.headers, _header, (PeerError,)),
    Target("dds-graph", corpora.graphs, entities.read, (CdrError,)),
    Target("dds-parameters", corpora.parameter_replies, parameters.read_values, (CdrError,)),
    Target("call", corpora.calls, partial(call_record.decode, "/twice"), (ValueError,)),
    Target("trailer", corpora.trailers, _trailer),
    *messages.TARGETS,
    *(
        Target(f"{command}-{kind}", corpus, FromFile(f"a.{kind}", read))
        for command, read in (
            ("cost", _cost),
            ("columns-read", _columns_of),
            ("lost", _lost),
            ("message-data", _message_data),
        )
        for kind, corpus in (("mcap", seeds.mcaps), ("bag", _whole_bags), ("db3", seeds.databases))
    ),
    Target("convert-cloud", _clouds_in_mcap, FromFile("a.mcap", _convert_cloud)),
)
