# SPDX-License-Identifier: Apache-2.0
"""Times of rclpy's or rospy's serialization, from which those of any type are learnt."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from wirecost.data.messages.anatomy import Anatomy, anatomy
from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import RosDefinitions, completed
from wirecost.data.messages.ros.installed import MISSING, Ros2Installation
from wirecost.data.messages.ros.known import KnownTypes
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.other_python import environment
from wirecost.measure.cost.spread import with_texts
from wirecost.schema.compile.frontends.ros.packages import Finder
from wirecost.system import children
from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

SCRIPT = Path(__file__).with_name("codec_times.py")
TYPES = {
    "std_msgs": "String Header Bool Float64MultiArray Int8MultiArray Int64 ColorRGBA",
    "geometry_msgs": "Point Vector3Stamped PoseStamped PoseArray PoseWithCovarianceStamped "
    "TwistStamped TransformStamped PolygonStamped AccelWithCovariance",
    "sensor_msgs": "Imu LaserScan PointCloud2 Image JointState CameraInfo NavSatFix BatteryState "
    "Joy MultiDOFJointState PointCloud Range",
    "nav_msgs": "Odometry Path OccupancyGrid GridCells",
    "diagnostic_msgs": "DiagnosticArray",
    "trajectory_msgs": "JointTrajectory",
    "visualization_msgs": "Marker MarkerArray",
    "shape_msgs": "Mesh",
}
"""Types by package; those that an installation lacks are left out."""
LENGTHS = {"messages": (1, 40, 400), "numbers": (100, 30_000), "texts": (3, 200)}
"""Elements of a list that is measured with several lengths, by what it holds."""
MESSAGES = 2
"""Messages of a content."""
LIMIT_S = 300.0


@dataclass(frozen=True)
class CodecObservation:
    """What messages consist of, and nanoseconds of processor time of every repetition, by stage."""

    type: str
    parts: Anatomy
    ns: Mapping[str, Sequence[float]]
    bytes: float

    def median_ns(self, stage: str) -> float:
        return median(self.ns[stage])


LIBRARIES = {"cdr": "rclpy", "ros1": "genpy"}
"""Library that Python's nodes encode by, by wire."""


def observed(wire: str, ros2: Ros2Installation, seed: int = 1) -> list[CodecObservation]:
    """Measure the types that are installed. Raises UserError."""
    contents = list(_contents(wire, ros2, Random(seed)))
    job = [
        [about.type.replace(".", "/"), [base64.b64encode(data).decode() for data in messages]]
        for about, messages in contents
    ]
    seen = []
    for number, times in _answers(LIBRARIES[wire], ros2, json.dumps(job)):
        about, messages = contents[number]
        size = sum(map(len, messages)) / len(messages)
        parts = anatomy(about, messages, size)
        if parts is not None:
            seen.append(CodecObservation(about.type, parts, times, size))
    return seen


def _answers(
    library: str, ros2: Ros2Installation, asked: str
) -> Iterator[tuple[int, dict[str, list[float]]]]:
    command = [str(ros2.interpreter), "-P", str(SCRIPT), library]
    variables = environment([]) if ros2.python is not None else None
    try:
        done = subprocess.run(
            command, input=asked, env=variables, capture_output=True, text=True,
            errors="replace", timeout=LIMIT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise UserError(f"--calibrate: {library} did not end within {LIMIT_S:.0f} s") from error
    if done.returncode == 3:
        remedy = MISSING if library == "rclpy" else "apt install python3-genpy python3-std-msgs"
        raise UserError(f"--calibrate: {library} is not installed here; {remedy}")
    if done.returncode:
        last = shown((done.stderr.strip().splitlines() or [children.ending(done.returncode)])[-1])
        raise UserError(f"--calibrate: {library} ended: {last}")
    for line in done.stdout.splitlines():
        number, times = json.loads(line)
        yield number, times


def _contents(
    wire: str, ros2: Ros2Installation, random: Random
) -> Iterator[tuple[Subject, list[bytes]]]:
    """Yield each type with its lists as they usually are, then with one of them longer."""
    dialect = "ros1" if wire == "ros1" else "ros2"
    finder = Finder(ros2.shares() if wire == "cdr" else [], [], dialect)
    types = KnownTypes(dialect, finder)
    for package, names in TYPES.items():
        for name in names.split():
            text = types.text(f"{package}/{name}")
            if text is None:
                continue
            definitions = RosDefinitions(dialect, {f"{package}/{name}": text}, package)
            about = ros_subject(completed(definitions, finder), package, f"{package}/{name}")
            for lengths in _lengths(about):
                messages = made_up(about, lengths, random.randrange(1 << 30))[:MESSAGES]
                yield about, [with_texts(about, data, random) for data in messages]


def _lengths(about: Subject) -> Iterator[dict[str, int]]:
    yield {}
    for field in about.message_class.DESCRIPTOR.fields:
        kind = "numbers"
        if field.message_type is not None:
            kind = "messages"
        elif field.type == field.TYPE_STRING:
            kind = "texts"
        if field.is_repeated or field.type == field.TYPE_BYTES:
            yield from ({field.name: length} for length in LENGTHS[kind])
