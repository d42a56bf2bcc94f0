# SPDX-License-Identifier: Apache-2.0
"""OSI's GroundTruth in protoc's C++ classes, and in ours with the same interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from wirecost.data.messages.content_file import write_content
from wirecost.data.messages.subject import Subject, subject
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.entry import Entry, StageSample
from wirecost.measure.bench.engine.measurement import Case, Measurement
from wirecost.measure.serializers.backend import Carried, Timed
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.backend import Cpp
from wirecost.measure.serializers.race import RacePart, run_race
from wirecost.measure.serializers.selection import OPTIMIZED, ContenderSelection
from wirecost.schema.compile import frontends
from wirecost.system import scratch
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

from ..shared.narrowing import narrowed
from ..shared.stages import Stages, combined
from .settings import Settings

LIBRARIES = {
    "protobuf": "protobuf",
    "protobuf-current": "protobuf-current",
    "wirecost-classes": "wirecost",
}
"""Names in the results."""
MODES = {"new": "fresh", "arena": "arena"}
KEPT = {"new": "reused", "arena": "arena-reused"}
"""Modes in which the objects are kept, by those in which they are new."""
OF_NEW: Stages = {
    "build": {"fill": 1, "destroy": 0.5},
    "parse": {"decode": 1, "destroy": 0.5},
    "total": {"fill": 1, "encode": 1, "decode": 1, "destroy": 1},
}
"""Two objects with the same content are destroyed at once."""
OF_KEPT: Stages = {"rebuild": {"fill": 1}, "encode": {"encode": 1}, "reparse": {"decode": 1}}
COUNTED = ("", "glibc")
"""Allocators under which the memory of a message is known: glibc counts what it gives."""


class ClassesBackend(Cpp):
    """The programs of GroundTruth.

    A contender's stages are those of new objects and, in a process of their own, those of objects
    that are kept.
    """

    def contenders(self) -> list[Contender]:
        return [contender for contender in super().contenders() if contender.mode in MODES]

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        carried = super().carried(contender, folder, content)
        for new, reused in KEPT.items():
            if carried.get(new) != carried.get(reused):
                raise ProgramFailedError("objects that are kept make another message")
        return carried

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        samples: list[StageSample] = []
        for mode, stages in ((contender.mode, OF_NEW), (KEPT[contender.mode], OF_KEPT)):
            measured = super().measured(replace(contender, mode=mode), contents, keys, repetitions)
            for item in combined(measured, stages):
                if isinstance(item, Timed):
                    yield item
                else:
                    samples.append(item)
        yield from sorted(samples, key=lambda sample: sample.repetition)


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raise UserError on what cannot be run."""
    fields = ["version", "timestamp", "moving_object"]
    narrow = narrowed(frontends.descriptors(["osi3"]), "osi3.GroundTruth", fields)
    about = subject(narrow, "osi3", "osi3.GroundTruth")
    allocators = settings.allocators or ("",)
    libraries = frozenset(LIBRARIES)
    selection = ContenderSelection(
        libraries, allocators=allocators, flags=OPTIMIZED, jobs=settings.jobs
    )
    backend = ClassesBackend(about, selection, measurement.report)
    contenders = backend.contenders()
    if not contenders:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in backend.missing.items())
        raise UserError(f"no contender can run; {reasons}")
    cases = [(content, count) for content in settings.contents for count in settings.objects]
    measurement.about(
        backend.environment,
        total=len(cases) * len(contenders) * settings.repetitions,
        repetitions=settings.repetitions,
        processes=settings.plan.processes,
        seed=settings.seed,
        contenders={_name(contender): {"library": contender.version} for contender in contenders},
        allocators={name: NAMED[name].settings for name in settings.allocators},
        not_run=backend.missing,
        types={"ns": "Float64"},
    )
    for content, count in cases:
        entries = [_entry(contender, content, count) for contender in contenders]
        with measurement.case(entries[0].who["case"], entries, settings.repetitions) as case:
            messages = [ground_truth(about, count, content == "full")]
            run_race([RacePart(about, messages, backend, entries)], case, settings.plan)
            _count_memory(messages, backend, case)


def _name(contender: Contender) -> str:
    return f"{LIBRARIES[contender.library]} {contender.under(MODES[contender.mode])}"


def _entry(contender: Contender, content: str, count: int) -> Entry[Contender]:
    who = {
        "case": f"{content}, {count} object{'s' * (count > 1)}",
        "variant": content,
        "build": "release",
        "contender": LIBRARIES[contender.library],
        "mode": contender.under(MODES[contender.mode]),
        "objects": count,
    }
    facts = {"memory_bytes": None, "kept_bytes": None, "malloc": contender.malloc}
    return Entry(_name(contender), contender, who, facts)


def ground_truth(about: Subject, objects: int, is_full: bool) -> bytes:
    """Make a message with so many moving objects; sparse ones have four of the seven vectors."""
    message = about.message_class()
    message.version.version_major = 3
    message.timestamp.seconds, message.timestamp.nanos = 12, 34
    for index in range(objects):
        moving = message.moving_object.add()
        _fill_sparse(moving, index)
        if is_full:
            _fill_more(moving, index)
    return about.write(message)


def _fill_sparse(moving: Any, index: int) -> None:
    moving.id.value = index
    moving.type = moving.TYPE_VEHICLE
    dimension = moving.base.dimension
    dimension.length, dimension.width, dimension.height = 4.5, 1.75, 1.5
    _set(moving.base.position, float(index))
    _set(moving.base.orientation, 0.125)
    _set(moving.base.velocity, index + 30.0)


def _fill_more(moving: Any, index: int) -> None:
    """Fill in what else a simulator knows of a vehicle: text, a list of lanes, more messages."""
    _set(moving.base.acceleration, 0.75)
    _set(moving.base.orientation_rate, 0.0625)
    _set(moving.base.orientation_acceleration, 0.03125)
    for lane in range(2):
        moving.assigned_lane_id.add().value = 1000 + index % 8 + lane
    moving.model_reference = "vehicles/passenger/saloon.glb"
    _set(moving.vehicle_attributes.bbcenter_to_rear, -1.5)
    classification = moving.vehicle_classification
    classification.type = classification.TYPE_MEDIUM_CAR
    light = classification.light_state
    light.brake_light_state = light.BRAKE_LIGHT_STATE_OFF


def _set(vector: Any, first: float) -> None:
    """Set the three numbers of a vector or an orientation."""
    names = ("roll", "pitch", "yaw") if hasattr(vector, "roll") else ("x", "y", "z")
    for name, value in zip(names, (first, first + 0.5, first + 0.25), strict=True):
        setattr(vector, name, value)


def _count_memory(
    messages: Sequence[bytes], backend: ClassesBackend, case: Case[Contender]
) -> None:
    """Fill in what a message holds, where that is known."""
    with scratch.folder("classes") as folder:
        write_content(folder / "content", messages)
        for entry in case.running:
            case.report(f"{entry.key}, memory")
            if entry.contender.allocator in COUNTED:
                with entry.failing(ProgramFailedError):
                    memory = backend.memory(entry.contender, folder / "content")
                    entry.facts |= asdict(memory)
