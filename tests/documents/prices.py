# SPDX-License-Identifier: Apache-2.0
"""How wrong prices are: ``python -m documents.prices`` measures others' types beside them.

A type compiles in seconds, all of them in 20 minutes. The page is ``docs/results/prices.md``.
"""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from documents.runs import RESULTS
from support import foreign
from wirecost.data.messages.content import made_up
from wirecost.data.messages.ros.definitions import RosDefinitions, completed
from wirecost.data.messages.ros.known import KnownTypes
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure import cost
from wirecost.measure.cost.calibration import observed
from wirecost.measure.cost.prices import PREFERRED, known_prices
from wirecost.schema.compile import frontends
from wirecost.schema.compile.frontends.ros.packages import Finder
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

PAGE = RESULTS / "prices.md"
ROWS = RESULTS / "prices.tsv"
PRICES = Path(cost.__file__).with_name("prices.json")
ROS = {
    "std_msgs": "String Header Float64MultiArray ColorRGBA",
    "geometry_msgs": "Point PoseStamped PoseArray PoseWithCovarianceStamped TwistStamped "
    "TransformStamped PolygonStamped WrenchStamped",
    "sensor_msgs": "Imu LaserScan PointCloud2 Image CompressedImage JointState CameraInfo "
    "NavSatFix BatteryState Joy MultiDOFJointState PointCloud Range MagneticField Temperature",
    "nav_msgs": "Odometry Path OccupancyGrid GridCells",
    "diagnostic_msgs": "DiagnosticArray",
    "visualization_msgs": "Marker MarkerArray",
    "trajectory_msgs": "JointTrajectory",
    "tf2_msgs": "TFMessage",
    "stereo_msgs": "DisparityImage",
    "shape_msgs": "Mesh",
    "actionlib_msgs": "GoalStatusArray",
}
"""Types of ROS's own interfaces, by package."""
OSI = "TrafficUpdate HostVehicleData MotionRequest TrafficCommand"
PROTOBUF = {
    "foxglove_schemas_protobuf": "foxglove.",
    "gtfs_realtime_bindings": "transit_realtime.FeedMessage",
    "opentelemetry_proto": "opentelemetry.proto.trace.v1.TracesData",
    "meshtastic": "meshtastic.MeshPacket",
    "bosdyn_api": "bosdyn.api.RobotState",
}
"""Packages of Protobuf schemas, and how the names of the types that are measured begin."""
MOST = 20
"""Most types of a package."""


@dataclass(frozen=True)
class PriceError:
    """A type's times in nanoseconds, measured and by prices."""

    lang: str
    library: str
    wire: str
    type: str
    bytes: float
    stage: str
    measured_ns: float
    priced_ns: float

    @property
    def error(self) -> float:
        return self.priced_ns / self.measured_ns - 1


def subjects() -> Iterator[Subject]:
    """Yield types of others on each wire."""
    for dialect in ("ros2", "ros1"):
        known = KnownTypes(dialect, Finder([], [], dialect))
        for package, names in ROS.items():
            for name in names.split():
                text = known.text(f"{package}/{name}")
                if text is None:
                    continue
                read = RosDefinitions(dialect, {f"{package}/{name}": text}, package)
                finder = Finder([], [], dialect)
                yield ros_subject(completed(read, finder), package, f"{package}/{name}")
    descriptors = frontends.descriptors(["osi3"])
    for name in OSI.split():
        yield subject(descriptors, "osi3", f"osi3.{name}")
    for package, begin in PROTOBUF.items():
        described = foreign.descriptor_set(package)
        names_of = sorted(
            f"{file.package}.{message.name}"
            for file in described.file
            for message in file.message_type
            if f"{file.package}.{message.name}".startswith(begin)
        )
        for name in names_of[:MOST]:
            yield subject(described, package, name)


def errors(languages: tuple[str, ...]) -> Iterator[PriceError]:
    """Measure every type. Prices must be this machine's."""
    prices = known_prices()
    for about in subjects():
        try:
            content = [made_up(about, {}, 7)]
        except UserError:
            continue
        for lang in languages:
            for library in PREFERRED[lang, about.wire]:
                try:
                    seen = observed(about, lang, library, content, lambda _text: None)
                except (ProgramFailedError, UserError) as error:
                    print(f"{about.type}: {error}", file=sys.stderr)
                    continue
                for one in seen:
                    priced = prices.of_library(lang, library, about.wire, one.parts)
                    if priced is None:
                        continue
                    of_stage = {"encode": priced.encode_ns, "decode": priced.decode_ns}
                    for stage, ns in of_stage.items():
                        yield PriceError(
                            lang, library, about.wire, about.type, one.bytes, stage,
                            one.ns[stage], ns,
                        )  # fmt: skip
                if seen:
                    break


def written(found: list[PriceError]) -> None:
    """Write rows and page."""
    with ROWS.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["lang", "library", "wire", "type", "bytes", "stage", "measured", "priced"])
        for one in found:
            times = (f"{one.measured_ns:.1f}", f"{one.priced_ns:.1f}")
            row = (one.lang, one.library, one.wire, one.type, f"{one.bytes:.0f}", one.stage)
            writer.writerow([*row, *times])
    PAGE.write_text(page(found), encoding="utf-8")


def kept() -> list[PriceError]:
    """Read the rows that are kept."""
    with ROWS.open(newline="", encoding="utf-8") as file:
        return [
            PriceError(
                row["lang"], row["library"], row["wire"], row["type"], float(row["bytes"]),
                row["stage"], float(row["measured"]), float(row["priced"]),
            )
            for row in csv.DictReader(file, delimiter="\t")
        ]  # fmt: skip


def page(found: list[PriceError]) -> str:
    """Write what rows say, and the errors that the shipped prices of rclpy and of paths state."""
    lines = [
        "# How large the errors of estimates are",
        "",
        "    wirecost cost drive.mcap --calibrate",
        "",
        f"{len({one.type for one in found})} types of others, measured as `bench message` does and "
        "computed as `cost` does (`python -m documents.prices`; [rows](prices.tsv), nanoseconds):",
        "",
        "| library | stage | types | median error | p95 |",
        "|---|---|---|---|---|",
    ]
    groups: dict[tuple[str, str], list[PriceError]] = {}
    for one in found:
        groups.setdefault((f"{one.lang}/{one.library}/{one.wire}", one.stage), []).append(one)
    for (library, stage), some in groups.items():
        sizes = np.abs([one.error for one in some])
        lines.append(
            f"| {library} | {stage} | {len(some)} | {np.median(sizes):.0%} | "
            f"{np.percentile(sizes, 95):.0%} |"
        )
    every = np.abs([one.error for one in found])
    worst = max(found, key=lambda one: abs(one.error))
    lines += [
        "",
        f"All: median {np.median(every):.0%}, 95th percentile {np.percentile(every, 95):.0%}; "
        f"worst: {worst.type}, {worst.error:+.0%}.",
    ]
    shipped = json.loads(PRICES.read_text())
    rclpy = shipped["spread"]["python rclpy cdr"]
    paths = [
        f"{name} {max(path['spread'].values()):.0%}"
        for name, path in sorted(shipped["paths"].items())
    ]
    lines += [
        "",
        f"rclpy's costs are fitted over its installed types; nine in ten errors of a type that the "
        f"fit had not seen are below {rclpy['encode']:.0%} (encode) and {rclpy['decode']:.0%} "
        "(decode).",
        "",
        "Paths (publish, take) were measured at eight sizes on a virtual machine of two "
        "processors, twice, at different loads (a wake-up from idle is dear): the shipped costs "
        f"lie between, and nine in ten errors are below: {', '.join(paths)}. Other machines may "
        "differ more; `--calibrate` measures yours.",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    written(list(errors(tuple(sys.argv[1:]) or ("cpp", "python"))))
