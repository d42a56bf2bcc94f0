# SPDX-License-Identifier: Apache-2.0
"""A robot of seven nodes, fourteen topics and types, 50 MB a second; its contents are synthetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.typesys import Stores, get_typestore

from wirecost.data.clouds.point_cloud2 import is_cloud, remove_padding
from wirecost.data.recordings.connection import RecordedConnection
from wirecost.data.recordings.survey import RecordingSurvey, SubjectCache, TopicSurvey

STORE = get_typestore(Stores.ROS2_JAZZY)
STORES = {"cdr": STORE, "ros1": get_typestore(Stores.ROS1_NOETIC)}
SECONDS, CONTENTS = 4.0, 4
"""Seconds of the survey, and different messages of a topic."""


@dataclass(frozen=True)
class RobotTopic:
    """``make``: a message of a number as rosbags' class."""

    name: str
    type: str
    hz: float
    publisher: str
    takers: tuple[str, ...]
    make: Callable[[int], Any]

    def messages(self, wire: str) -> list[bytes]:
        written = [STORE.serialize_cdr(self.make(one), self.type) for one in range(CONTENTS)]
        if wire == "ros1":
            return [bytes(STORE.cdr_to_ros1(data, self.type)) for data in written]
        return [bytes(data) for data in written]


def new(type_: str, **values: Any) -> Any:
    return STORE.types[type_](**values)


def _header(number: int) -> Any:
    stamp = new("builtin_interfaces/msg/Time", sec=number, nanosec=0)
    return new("std_msgs/msg/Header", stamp=stamp, frame_id="base_link")


def _vector(x: float = 1.0) -> Any:
    return new("geometry_msgs/msg/Vector3", x=x, y=2.0, z=3.0)


def _pose(number: int) -> Any:
    point = new("geometry_msgs/msg/Point", x=float(number), y=2.0, z=0.0)
    turn = new("geometry_msgs/msg/Quaternion", x=0.0, y=0.0, z=0.0, w=1.0)
    return new("geometry_msgs/msg/Pose", position=point, orientation=turn)


def _octets(count: int, seed: int) -> Any:
    return np.random.default_rng(seed).integers(0, 255, count, np.uint8)


def _floats(count: int, seed: int) -> Any:
    return np.random.default_rng(seed).random(count)


def _cloud(points: int) -> Callable[[int], Any]:
    def make(number: int) -> Any:
        offsets = (("x", 0), ("y", 4), ("z", 8), ("intensity", 16), ("ring", 20))
        fields = [
            new("sensor_msgs/msg/PointField", name=name, offset=offset, datatype=7, count=1)
            for name, offset in offsets
        ]
        return new(
            "sensor_msgs/msg/PointCloud2", header=_header(number), height=1, width=points,
            fields=fields, is_bigendian=False, point_step=32, row_step=32 * points,
            data=_octets(32 * points, number), is_dense=True,
        )  # fmt: skip

    return make


def _image(number: int) -> Any:
    return new(
        "sensor_msgs/msg/Image", header=_header(number), height=480, width=640, encoding="rgb8",
        is_bigendian=0, step=1920, data=_octets(640 * 480 * 3, number),
    )  # fmt: skip


def _camera_info(number: int) -> Any:
    region = new(
        "sensor_msgs/msg/RegionOfInterest", x_offset=0, y_offset=0, height=0, width=0,
        do_rectify=False,
    )  # fmt: skip
    return new(
        "sensor_msgs/msg/CameraInfo", header=_header(number), height=480, width=640,
        distortion_model="plumb_bob", d=_floats(5, 1), k=_floats(9, 2), r=_floats(9, 3),
        p=_floats(12, 4), binning_x=0, binning_y=0, roi=region,
    )  # fmt: skip


def _imu(number: int) -> Any:
    turn, none = _pose(number).orientation, np.zeros(9)
    return new(
        "sensor_msgs/msg/Imu", header=_header(number), orientation=turn,
        orientation_covariance=none, angular_velocity=_vector(), angular_velocity_covariance=none,
        linear_acceleration=_vector(), linear_acceleration_covariance=none,
    )  # fmt: skip


def _scan(number: int) -> Any:
    ranges = _floats(1080, number).astype(np.float32)
    return new(
        "sensor_msgs/msg/LaserScan", header=_header(number), angle_min=-2.0, angle_max=2.0,
        angle_increment=0.004, time_increment=0.0, scan_time=0.05, range_min=0.1, range_max=30.0,
        ranges=ranges, intensities=ranges,
    )  # fmt: skip


def _odometry(number: int) -> Any:
    twist = new("geometry_msgs/msg/Twist", linear=_vector(), angular=_vector())
    with_pose = new(
        "geometry_msgs/msg/PoseWithCovariance", pose=_pose(number), covariance=np.zeros(36)
    )
    with_twist = new("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.zeros(36))
    return new(
        "nav_msgs/msg/Odometry", header=_header(number), child_frame_id="wheels", pose=with_pose,
        twist=with_twist,
    )  # fmt: skip


def _joints(number: int) -> Any:
    names = [f"joint_{place}" for place in range(12)]
    values = _floats(12, number)
    return new(
        "sensor_msgs/msg/JointState", header=_header(number), name=names, position=values,
        velocity=values, effort=values,
    )  # fmt: skip


def _map(number: int) -> Any:
    stamp = _header(number).stamp
    about = new(
        "nav_msgs/msg/MapMetaData", map_load_time=stamp, resolution=0.05, width=400, height=400,
        origin=_pose(0),
    )  # fmt: skip
    data = _octets(160_000, number).view(np.int8)
    return new("nav_msgs/msg/OccupancyGrid", header=_header(number), info=about, data=data)


def _stamped(number: int) -> Any:
    return new("geometry_msgs/msg/PoseStamped", header=_header(number), pose=_pose(number))


def _path(number: int) -> Any:
    poses = [_stamped(place) for place in range(50)]
    return new("nav_msgs/msg/Path", header=_header(number), poses=poses)


def _objects(number: int) -> Any:
    poses = [_pose(place) for place in range(30)]
    return new("geometry_msgs/msg/PoseArray", header=_header(number), poses=poses)


def _command(number: int) -> Any:
    twist = new("geometry_msgs/msg/Twist", linear=_vector(float(number)), angular=_vector())
    return new("geometry_msgs/msg/TwistStamped", header=_header(number), twist=twist)


def _text(number: int) -> Any:
    return new("std_msgs/msg/String", data=f"state {number}: all parts of the robot work")


TOPICS = (
    RobotTopic("/points", "sensor_msgs/msg/PointCloud2", 10, "lidar", ("filter",), _cloud(60_000)),
    RobotTopic("/scan", "sensor_msgs/msg/LaserScan", 20, "lidar", ("mapper",), _scan),
    RobotTopic("/image", "sensor_msgs/msg/Image", 20, "camera", ("detector",), _image),
    RobotTopic("/info", "sensor_msgs/msg/CameraInfo", 20, "camera", ("detector",), _camera_info),
    RobotTopic("/imu", "sensor_msgs/msg/Imu", 100, "base", ("mapper",), _imu),
    RobotTopic("/odom", "nav_msgs/msg/Odometry", 50, "base", ("mapper", "planner"), _odometry),
    RobotTopic("/joints", "sensor_msgs/msg/JointState", 50, "base", ("planner",), _joints),
    RobotTopic("/near", "sensor_msgs/msg/PointCloud2", 10, "filter", ("detector",), _cloud(38_000)),
    RobotTopic("/objects", "geometry_msgs/msg/PoseArray", 10, "detector", ("planner",), _objects),
    RobotTopic("/map", "nav_msgs/msg/OccupancyGrid", 2, "mapper", ("planner",), _map),
    RobotTopic("/pose", "geometry_msgs/msg/PoseStamped", 50, "mapper", ("planner",), _stamped),
    RobotTopic("/path", "nav_msgs/msg/Path", 5, "planner", ("base",), _path),
    RobotTopic("/command", "geometry_msgs/msg/TwistStamped", 20, "planner", ("base",), _command),
    RobotTopic("/state", "std_msgs/msg/String", 10, "base", ("planner",), _text),
)


def topics_of(wire: str) -> tuple[RobotTopic, ...]:
    """Return the topics whose types are there: Debian's ROS 1 has not all packages."""
    if wire != "ros1":
        return TOPICS
    return tuple(one for one in TOPICS if find_spec(one.type.partition("/")[0]) is not None)


def nodes_of(topics: Sequence[RobotTopic]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(node for one in topics for node in (one.publisher, *one.takers)))


def robot_survey(messages: Mapping[str, list[bytes]], wire: str) -> RecordingSurvey:
    """Return what a recording of the robot would say."""
    subjects, topics = SubjectCache([]), []
    version = 1 if wire == "ros1" else 2
    for number, topic in enumerate(topics_of(wire)):
        text, _ = STORES[wire].generate_msgdef(topic.type, ros_version=version)
        connection = RecordedConnection(
            number, topic.name, topic.type, wire, f"ros{version}msg", text.encode(), 0
        )
        survey = TopicSurvey(connection)
        survey.publishers, survey.subscribers = [topic.publisher], list(topic.takers)
        survey.watched_s = SECONDS
        for tick in range(int(SECONDS * topic.hz)):
            data = messages[topic.name][tick % CONTENTS]
            survey.note(int(1e9 * tick / topic.hz), len(data))
            survey.sample[tick % CONTENTS] = data
        subjects.describe(Path("robot"), survey)
        topics.append(survey)
    return RecordingSurvey(topics, SECONDS)


def packed(survey: RecordingSurvey) -> dict[str, list[bytes]]:
    """Return the clouds of a survey without padding, by topic."""
    found: dict[str, list[bytes]] = {}
    for topic in survey.topics:
        if is_cloud(topic.connection.type) and topic.subject is not None:
            for message in topic.whole_messages():
                remove_padding(message)
                found.setdefault(topic.connection.topic, []).append(topic.subject.write(message))
    return found
