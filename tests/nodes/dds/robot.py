# SPDX-License-Identifier: Apache-2.0
"""Rest of a robot for ``points_filter``, on Cyclone DDS's Python package.

It speaks as ROS 2 Humble does (GIDs of 24 bytes): publishes /points, /clock and, once,
/tf_static; answers /lookup and what asks for its parameters or sets them (all but one). Ends by
SIGINT or SIGTERM.

    ROS_DOMAIN_ID=… python robot.py [--points COUNT] [--rate HZ]"""

import argparse
import os
import signal
import sys
import threading
from types import FrameType
from typing import Any

import ros_messages as ros
from cyclonedds.core import Entity, Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.internal import InvalidSample
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic
from cyclonedds.util import duration

NAME, NAMESPACE = "robot", "/test"
POINTS_HASH = "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5"
USUAL = (Policy.Reliability.Reliable(duration(seconds=1)), Policy.History.KeepLast(10))
LOSSY = (Policy.Reliability.BestEffort, Policy.History.KeepLast(5))
LATCHED = (*USUAL[:1], Policy.Durability.TransientLocal, Policy.History.KeepLast(1))
POINT_BYTES = 16
FIXED = "frame"
PARAMETERS = {
    "frame": ros.ParameterValue(4, False, 0, 0.0, "lidar"),
    "rate": ros.ParameterValue(3, False, 0, 12.5, ""),
    "rings": ros.ParameterValue(7, False, 0, 0.0, "", integer_array_value=[1, 2, 3]),
    "use_sim_time": ros.ParameterValue(1, True, 0, 0.0, ""),
}


class Robot:
    def __init__(self, points: int, domain: int) -> None:
        self._participant = DomainParticipant(domain, qos=Qos(Policy.Userdata(b"enclave=/;")))
        self._readers: list[DataReader] = []
        self._writers: list[DataWriter] = []
        typehash = Policy.Userdata(f"typehash={POINTS_HASH};".encode())
        self._points = self._writer("rt/points", ros.PointCloud2, *USUAL, typehash)
        self._clock = self._writer("rt/clock", ros.Clock, *LOSSY)
        transforms = self._writer("rt/tf_static", ros.TfMessage, *LATCHED)
        self._lookup = self._service("/lookup", ros.TriggerRequest, ros.TriggerReply)
        own = f"{NAMESPACE}/{NAME}"
        self._list = self._service(f"{own}/list_parameters", ros.ListRequest, ros.ListReply)
        self._get = self._service(f"{own}/get_parameters", ros.GetRequest, ros.GetReply)
        self._set = self._service(f"{own}/set_parameters", ros.SetRequest, ros.SetReply)
        self._cloud = _cloud(points)
        self._count = 0
        mounted = ros.TransformStamped(
            ros.Header(ros.Time(0, 0), "base"), "lidar", ros.Numbers([0, 0, 1.5, 0, 0, 0, 1])
        )
        transforms.write(ros.TfMessage([mounted]))
        self._announce()

    def publish(self) -> None:
        self._count += 1
        self._clock.write(ros.Clock(ros.Time(self._count, 0)))
        self._cloud.header.stamp.sec = self._count
        self._points.write(self._cloud)

    def answer(self) -> None:
        requests, replies = self._lookup
        for each in _taken(requests):
            replies.write(ros.TriggerReply(each.client, each.call, True, f"answer {each.call}"))
        requests, replies = self._list
        for each in _taken(requests):
            replies.write(ros.ListReply(each.client, each.call, list(PARAMETERS), []))
        requests, replies = self._get
        for each in _taken(requests):
            values = [PARAMETERS[name] for name in each.names]
            replies.write(ros.GetReply(each.client, each.call, values))

        requests, replies = self._set
        for each in _taken(requests):
            results = [_set(parameter) for parameter in each.parameters]
            replies.write(ros.SetReply(each.client, each.call, results))

    def _reader(self, topic: str, type_: type, *policies: object) -> DataReader:
        reader = DataReader(
            self._participant, Topic(self._participant, topic, type_), qos=Qos(*policies)
        )
        self._readers.append(reader)
        return reader

    def _writer(self, topic: str, type_: type, *policies: object) -> DataWriter:
        writer = DataWriter(
            self._participant, Topic(self._participant, topic, type_), qos=Qos(*policies)
        )
        self._writers.append(writer)
        return writer

    def _service(self, name: str, request: type, reply: type) -> tuple[DataReader, DataWriter]:
        return (
            self._reader(f"rq{name}Request", request, *USUAL),
            self._writer(f"rr{name}Reply", reply, *USUAL),
        )

    def _announce(self) -> None:
        node = ros.NodeEntities(
            NAMESPACE,
            NAME,
            [_gid(each) for each in self._readers],
            [_gid(each) for each in self._writers],
        )
        writer = self._writer("ros_discovery_info", ros.ParticipantEntities, *LATCHED)
        writer.write(ros.ParticipantEntities(_gid(self._participant), [node]))


def _taken(reader: DataReader) -> list[Any]:
    return [each for each in reader.take(16) if not isinstance(each, InvalidSample)]


def _set(parameter: ros.Parameter) -> ros.SetResult:
    if parameter.name == FIXED:
        return ros.SetResult(False, "read-only")
    PARAMETERS[parameter.name] = parameter.value
    return ros.SetResult(True, "")


def _gid(entity: Entity) -> ros.Gid:
    return ros.Gid(list(entity.guid.bytes.ljust(24, b"\0")))


def _cloud(points: int) -> ros.PointCloud2:
    fields = [ros.PointField(name, 4 * at, 7, 1) for at, name in enumerate("xyzi")]
    size = points * POINT_BYTES
    data = [each % 251 for each in range(size)]
    header = ros.Header(ros.Time(0, 0), "lidar")
    return ros.PointCloud2(header, 1, points, fields, False, POINT_BYTES, size, data, True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--points", type=int, default=100)
    parser.add_argument("--rate", type=float, default=10.0)
    options = parser.parse_args()
    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    robot = Robot(options.points, int(os.environ.get("ROS_DOMAIN_ID", "0")))
    sys.stdout.write("ready\n")
    sys.stdout.flush()

    def answer() -> None:
        while not ended.wait(0.01):
            robot.answer()

    answering = threading.Thread(target=answer)
    answering.start()
    while not ended.wait(1 / options.rate):
        robot.publish()
    answering.join()


if __name__ == "__main__":
    main()
