# SPDX-License-Identifier: Apache-2.0
"""A small message over several wires, in C++, Python and Java.

The notification of Protobuf on its wire, and the same fields as a message of ROS on those of ROS 1
and ROS 2. Python and Java hold texts as bytes, C++ as strings.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2 as pb

from wirecost.data.messages.ros.definitions import RosDefinitions
from wirecost.data.messages.ros.subject import ros_subject
from wirecost.data.messages.subject import Subject, canonical, subject
from wirecost.measure.bench.engine.allocators import NAMED
from wirecost.measure.bench.engine.entry import Entry
from wirecost.measure.bench.engine.measurement import Measurement
from wirecost.measure.bench.engine.program import SCHEMAS
from wirecost.measure.serializers.backend import MessageBackend
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.languages import backend_of
from wirecost.measure.serializers.race import RacePart, run_race
from wirecost.measure.serializers.selection import OPTIMIZED, CodecFile, ContenderSelection
from wirecost.system.errors import UserError

from .messages import NotificationContent, mirror
from .settings import Settings

CODECS = Path(__file__).parent
HAND_WRITTEN = {"cpp": "hand_written.hpp", "java": "HandWritten.java"}
"""Files with codecs of the ros1 wire."""
FLOORS = {"hand_written": "hand-written", "HandWritten": "hand-written", "memcpy": "memcpy"}
"""Names of rows, by those of libraries."""
ORDER = (
    "protobuf",
    "wirecost",
    "wirecost-classes",
    "hand_written",
    "HandWritten",
    "memcpy",
    "gencpp",
    "fast-cdr",
    "genpy",
    "wirecost-native",
)
"""Order of libraries in tables."""
OWNING = "owning, validating"


@dataclass(frozen=True)
class NotificationRow:
    """A contender's names in rows and tables, and its promises."""

    contender: str
    mode: str
    guarantees: str


def selection(settings: Settings, lang: str, wire: str) -> ContenderSelection:
    """Return what is compiled: nothing for modes that nobody asks for."""
    libraries = settings.libraries(lang, wire)
    path = CODECS / HAND_WRITTEN.get(lang, "")
    return ContenderSelection(
        libraries,
        (CodecFile(path, wire, is_kept=True),) if path.stem in libraries else (),
        has_recycled="recycled" in settings.modes,
        allocators=settings.allocators or ("",),
        flags=OPTIMIZED,
    )


def row_of(contender: Contender, wire: str) -> NotificationRow | None:
    """Return a contender's row; None for modes that take no part."""
    lang, library, mode = contender.lang, contender.library, contender.mode
    if library == "wirecost-classes":
        return NotificationRow("wirecost-protobuf", "facade", OWNING) if mode == "new" else None
    if lang == "python" and mode != "new":
        return None
    guarantees = OWNING
    if library == "memcpy":
        guarantees = "neither; a floor"
    elif lang == "cpp" and mode == "view":
        guarantees = "borrowing, validating"
    elif lang == "java" and library == "protobuf" and mode != "new":
        mode = "view" if mode == "best" else mode
        reused = ", builders reused" if mode == "reused" else ""
        guarantees = f"view of the buffer, validating, by reference{reused}"
    elif lang != "cpp" and library != "protobuf":
        guarantees = f"{OWNING}, by reference"
    if library in FLOORS:
        guarantees = guarantees if "floor" in guarantees else f"{guarantees}; a floor"
        return NotificationRow(FLOORS[library], mode, guarantees)
    if library in ("wirecost", "wirecost-native"):
        return NotificationRow(f"{library}-{wire}", mode, guarantees)
    return NotificationRow(library, mode, guarantees)


@dataclass(frozen=True)
class Side:
    """A wire in one language."""

    subject: Subject
    wire: str
    backend: MessageBackend
    rows: list[tuple[Contender, NotificationRow]]

    def part(
        self, content: NotificationContent, filled: list[Any], identity: list[bytes]
    ) -> RacePart:
        """Return the part; ``filled``: the messages; ``identity``: their bytes, for the digest."""
        messages = identity
        if self.wire != "protobuf":
            new = self.subject.message_class
            messages = [self.subject.write(mirror(message, new())) for message in filled]
        entries = [_entry(contender, row, self.wire, content) for contender, row in self.rows]
        return RacePart(self.subject, messages, self.backend, entries, identity)


def _entry(
    contender: Contender, row: NotificationRow, wire: str, content: NotificationContent
) -> Entry[Contender]:
    mode = contender.under(row.mode)
    who = {
        "case": content.case,
        "variant": content.kind,
        "build": "release",
        "lang": contender.lang,
        "contender": row.contender,
        "mode": mode,
        "wire": wire,
        "factor": content.factor,
    }
    facts = {"allocations": None, "instructions": None, "malloc": contender.malloc}
    return Entry(f"{contender.lang} {row.contender} {mode}", contender, who, facts)


def subject_of(lang: str, wire: str) -> Subject:
    """Return the notification as a subject of ROS for ROS's wires, else of Protobuf."""
    if wire == "protobuf":
        described = (SCHEMAS / "rsb_notification.fds").read_bytes()
        descriptors = pb.FileDescriptorSet.FromString(described)
        return subject(descriptors, "notification.proto", "rsb.protocol.Notification")
    texts = {
        f"rsb_msgs/{path.stem}": path.read_text(encoding="utf-8")
        for path in sorted((SCHEMAS / "rsb_msgs" / "msg").glob("*.msg"))
    }
    if lang != "cpp":
        # Texts are bytes for everyone there, as those of Protobuf's message are.
        texts = {name: text.replace("string ", "uint8[] ") for name, text in texts.items()}
    dialect = "ros1" if wire == "ros1" else "ros2"
    return ros_subject(RosDefinitions(dialect, texts), "rsb_msgs", "rsb_msgs/Notification")


def _sides(settings: Settings, say: Callable[[str], None]) -> tuple[list[Side], dict[str, str]]:
    """Return the wires in all languages, and contenders that cannot take part with the reason."""
    sides: list[Side] = []
    missing: dict[str, str] = {}
    for lang, wire in settings.sides():
        about = subject_of(lang, wire)
        try:
            backend = backend_of(lang, about, selection(settings, lang, wire), say)
        except UserError as error:  # there is no compiler
            missing[lang] = str(error)
            continue
        named = [(contender, row_of(contender, wire)) for contender in backend.contenders()]
        rows = [(contender, row) for contender, row in named if row and row.mode in settings.modes]
        rows.sort(key=lambda named: ORDER.index(named[0].library))
        sides.append(Side(about, wire, backend, rows))
        missing |= {
            f"{lang} {FLOORS.get(name, name)}": why for name, why in backend.missing.items()
        }
    return sides, missing


def run(settings: Settings, measurement: Measurement) -> None:
    """Measure all cases. Raises UserError on what cannot be run."""
    sides, missing = _sides(settings, measurement.report)
    total = sum(len(side.rows) for side in sides)
    if not total:
        raise settings.without_contender(missing)
    contents = [
        NotificationContent(kind, size, settings.seed)
        for kind in settings.contents
        for size in settings.sizes
    ]
    repetitions = settings.repetitions
    measurement.about(
        {name: text for side in sides for name, text in side.backend.environment.items()},
        total=repetitions * total * len(contents),
        repetitions=repetitions,
        processes=settings.plan("").processes,
        seed=settings.seed,
        contenders={
            f"{contender.lang} {row.contender} {row.mode}": {
                "wire": side.wire,
                "library": contender.version,
                "guarantees": row.guarantees,
            }
            for side in sides
            for contender, row in side.rows
        },
        allocators={name: NAMED[name].settings for name in settings.allocators},
        not_run=missing,
        types={"ns": "Float64", "bytes": "Float64"},
    )
    new = subject_of("cpp", "protobuf").message_class
    for content in contents:
        filled = content.messages(new)
        identity = list(map(canonical, filled))
        for lang in settings.languages:
            parts = [
                side.part(content, filled, identity)
                for side in sides
                if side.backend.lang == lang and side.rows
            ]
            entries = [entry for part in parts for entry in part.entries]
            if not entries:
                continue
            with measurement.case(f"{lang}, {content.case}", entries, repetitions) as case:
                run_race(parts, case, settings.plan(lang), is_counted=lang == "cpp")
