# SPDX-License-Identifier: Apache-2.0
"""Steps of a simulation: synthetic, of any length of road, or those of a trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from wirecost.data.traces import Trace, messages, open_trace, wire
from wirecost.data.traces.static_once import Fields, Place, by_id, records
from wirecost.system.errors import UserError
from wirecost.system.progress import Progress

STEPS = 16
"""Steps that are sent again and again."""
STEP_S = 0.05
LANES = 4
"""Lanes beside each other."""
LENGTH_M, WIDTH_M = 100, 3.5
"""Metres of a lane."""
POINT_EVERY_M = 10
READ = 400
"""Frames of a trace that are read for what changes."""
ROADS = ("lane", "lane_boundary")


@dataclass(frozen=True)
class FieldChange:
    """Field of the GroundTruth, or of the elements of a list in it, over a trace's steps."""

    path: str
    bytes: float
    """Mean of a step."""
    changed: float
    """Share of the bytes whose value differs from the step before."""


@dataclass(frozen=True)
class Steps:
    """Content that is sent: roads as one message, and a message of the traffic for each step."""

    source: str
    roads: bytes
    traffic: list[bytes]
    counts: tuple[int, int, int]
    """Lanes, boundaries, moving objects."""
    covered: float = 1.0
    changes: list[FieldChange] = field(default_factory=list)


def _truth() -> Any:
    return messages.message_class("GroundTruth")()


def synthetic(kilometres: int, objects: int) -> Steps:
    """Return a winding road with that many kilometres of lanes, 100 m each, and its traffic."""
    roads = _truth()
    sections = kilometres * 1000 // LENGTH_M // LANES
    for section in range(sections):
        for number in range(LANES + 1):
            _add_boundary(roads, section, number)
        for number in range(LANES):
            _add_lane(roads, section, number, sections)
    traffic = [
        _traffic(step * STEP_S, objects, sections * LENGTH_M).SerializeToString()
        for step in range(STEPS)
    ]
    counts = (len(roads.lane), len(roads.lane_boundary), objects)
    return Steps(f"{kilometres:,} km of lanes", roads.SerializeToString(), traffic, counts)


def _point(out: Any, along_m: float, beside_m: float) -> None:
    out.x = along_m
    out.y = 200 * math.sin(along_m / 500) + beside_m
    out.z = 5 * math.cos(along_m / 900)


def _add_boundary(roads: Any, section: int, number: int) -> None:
    boundary = roads.lane_boundary.add()
    boundary.id.value = _boundary(section, number)
    is_edge = number in (0, LANES)
    boundary.classification.type = 3 if is_edge else 4  # solid or dashed line
    boundary.classification.color = 4  # white
    for along in range(0, LENGTH_M + 1, POINT_EVERY_M):
        point = boundary.boundary_line.add(width=0.12, height=0.01)
        _point(point.position, section * LENGTH_M + along, number * WIDTH_M)


def _add_lane(roads: Any, section: int, number: int, sections: int) -> None:
    lane = roads.lane.add()
    lane.id.value = _lane(section, number)
    about = lane.classification
    about.type = 2  # driving
    for along in range(0, LENGTH_M + 1, POINT_EVERY_M):
        _point(about.centerline.add(), section * LENGTH_M + along, number * WIDTH_M + WIDTH_M / 2)
    if number:
        about.right_adjacent_lane_id.add().value = _lane(section, number - 1)
    if number + 1 < LANES:
        about.left_adjacent_lane_id.add().value = _lane(section, number + 1)
    about.right_lane_boundary_id.add().value = _boundary(section, number)
    about.left_lane_boundary_id.add().value = _boundary(section, number + 1)
    pair = about.lane_pairing.add()
    pair.antecessor_lane_id.value = _lane((section - 1) % sections, number)
    pair.successor_lane_id.value = _lane((section + 1) % sections, number)


def _lane(section: int, number: int) -> int:
    return 100_000 + section * LANES + number


def _boundary(section: int, number: int) -> int:
    return 10_000_000 + section * (LANES + 1) + number


def _traffic(time_s: float, objects: int, length_m: int) -> Any:
    truth = _truth()
    truth.timestamp.seconds, rest = divmod(round(time_s * 1e9), 10**9)
    truth.timestamp.nanos = rest
    truth.host_vehicle_id.value = 1
    for number in range(objects):
        item = truth.moving_object.add(type=2)
        item.id.value = number + 1
        speed = 25 + number % 7
        along = (number * 37.5 + speed * time_s) % length_m
        base = item.base
        base.dimension.length, base.dimension.width, base.dimension.height = 4.6, 1.9, 1.5
        _point(base.position, along, (number % LANES) * WIDTH_M + WIDTH_M / 2)
        slope = 0.4 * math.cos(along / 500)
        base.orientation.yaw = math.atan(slope)
        base.orientation.pitch, base.orientation.roll = 0.001 * slope, -0.002 * slope
        base.velocity.x, base.velocity.y, base.velocity.z = speed, speed * slope, 0.1 * slope
        turn = -speed * math.sin(along / 500) / 1250
        base.acceleration.x, base.acceleration.y, base.acceleration.z = 0.1 * turn, turn, 0.02
        base.orientation_rate.yaw, base.orientation_rate.pitch = turn / speed, 0.001 * turn
        base.orientation_rate.roll = 0.002 * turn
        rear = item.vehicle_attributes.bbcenter_to_rear
        rear.x, rear.y, rear.z = -1.4, 0.0, -0.4
        item.vehicle_classification.type = 4
        light = item.vehicle_classification.light_state
        light.indicator_state, light.brake_light_state = 2, 2
    return truth


def of_trace(path: Path, topic: str | None, type_name: str | None, progress: Progress) -> Steps:
    """Return steps of a trace that have the same moving objects. Raises UserError.

    Roads are those of the first frame that has lanes, also where later ones leave them out.
    """
    with open_trace(path, topic, type_name, progress) as trace:
        truths = _truths(trace, progress)
    if not truths:
        raise UserError(f"{path}: no frame has a GroundTruth; name another trace")
    lanes = messages.field_number("GroundTruth", "lane")
    first = next((truth for truth in truths if lanes in records(truth)), None)
    if first is None:
        raise UserError(f"{path}: no frame has lanes; leave the trace out for a synthetic road")
    roads = _only(_parsed(first), ROADS)
    moving = [
        _only(_parsed(truth), ("timestamp", "host_vehicle_id", "moving_object")) for truth in truths
    ]
    chosen = _alike(moving)
    sent = len(roads.SerializeToString()) + len(chosen[0].SerializeToString())
    counts = (len(roads.lane), len(roads.lane_boundary), len(chosen[0].moving_object))
    return Steps(
        path.name,
        roads.SerializeToString(),
        [truth.SerializeToString() for truth in chosen],
        counts,
        min(1.0, sent / max(len(first), 1)),
        changes(truths),
    )


def _truths(trace: Trace, progress: Progress) -> list[bytes]:
    truths = []
    for number, (_, message) in enumerate(trace.frames(0, READ)):
        progress(number, min(READ, trace.frame_count or READ), f"reading {trace.path.name}")
        try:
            place = Place.find(trace.type_name, message)
        except ValueError as error:
            raise UserError(
                f"{trace.path}: frame {number} is no {trace.type_name} ({error}); give --type"
            ) from error
        if place is not None:
            truths.append(place.truth)
    return truths


def _parsed(truth: bytes) -> Any:
    try:
        return messages.parse("GroundTruth", memoryview(truth))
    except ValueError as error:
        raise UserError(f"a frame is no GroundTruth ({error}); give --type") from error


def _only(truth: Any, names: tuple[str, ...]) -> Any:
    reduced = _truth()
    for descriptor, value in truth.ListFields():
        if descriptor.name not in names:
            continue
        if descriptor.is_repeated:
            getattr(reduced, descriptor.name).extend(value)
        else:
            getattr(reduced, descriptor.name).CopyFrom(value)
    return reduced


def _alike(truths: list[Any]) -> list[Any]:
    """Return the longest run of steps with the same objects, at most so many as are sent."""
    best: list[Any] = []
    run: list[Any] = []
    ids: list[int] = []
    for truth in truths:
        now = [item.id.value for item in truth.moving_object]
        run = [*run, truth] if now == ids else [truth]
        ids = now
        if len(run) > len(best) and len(set(now)) == len(now):
            best = run
        if len(best) == STEPS:
            break
    return best or truths[:1]


def changes(truths: list[bytes]) -> list[FieldChange]:
    """Return how much of each field differs from the step before, the largest fields first."""
    total: dict[str, list[int]] = {}
    pairs = max(1, len(truths) - 1)
    for before, now in pairwise(map(records, truths)):
        for path, size, changed in _compared(before, now):
            of_path = total.setdefault(path, [0, 0])
            of_path[0] += size
            of_path[1] += changed
    return sorted(
        (
            FieldChange(path=path, bytes=size / pairs, changed=changed / max(1, size))
            for path, (size, changed) in total.items()
        ),
        key=lambda change: -change.bytes,
    )


def _compared(before: Fields, now: Fields) -> list[tuple[str, int, int]]:
    """Return path, bytes and bytes that differ: of an element, its fields."""
    compared = []
    fields = messages.message_class("GroundTruth").DESCRIPTOR.fields_by_number
    for number, is_now in now.items():
        was = before.get(number, [])
        descriptor = fields.get(number)
        name = descriptor.name if descriptor is not None else f"field {number}"
        after_by_id, before_by_id = by_id(number, is_now), by_id(number, was)
        element = descriptor.message_type if descriptor is not None else None
        is_list = descriptor is not None and descriptor.is_repeated
        if element is None or not is_list or after_by_id is None or before_by_id is None:
            size = sum(map(len, is_now))
            compared.append((name, size, size * (was != is_now)))
            continue
        of_element = element.fields_by_number
        for key, record in after_by_id.items():
            old = _fields(before_by_id.get(key), number)
            for inner, values in _fields(record, number).items():
                size = sum(map(len, values))
                inner_name = of_element[inner].name if inner in of_element else f"field {inner}"
                changed = size * (old.get(inner) != values)
                compared.append((f"{name}.{inner_name}", size, changed))
    return compared


def _fields(record: bytes | None, number: int) -> dict[int, list[bytes]]:
    value = wire.first(memoryview(record), number) if record is not None else None
    return records(bytes(value)) if isinstance(value, memoryview) else {}
