# SPDX-License-Identifier: Apache-2.0
"""The Python contenders of a message: our dataclasses, others' libraries, and JSON."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from math import inf
from pathlib import Path

import google.protobuf
from google.protobuf.internal import api_implementation

from wirecost.data.messages.shapes import is_octets
from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.serializers.backend import (
    Carried,
    LaterContenders,
    MessageCounts,
    Timed,
    sampled,
    taken_from,
)
from wirecost.measure.serializers.choices import COLUMNS, MODULE
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.programs import Say
from wirecost.measure.serializers.own_lists import own_lists
from wirecost.measure.serializers.python import (
    extension,
    rclpy_library,
)
from wirecost.measure.serializers.python.libraries import NATIVE, NEW, VIEW
from wirecost.measure.serializers.python.start import Start
from wirecost.measure.serializers.python.subject_folder import keep
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile.compiler import Columns, emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.system import scratch

MODULE_OF_WORKER = "wirecost.measure.serializers.python.worker"
DEEPEST = 8
"""Messages around a list in columns."""


class Python:
    """See Backend."""

    lang = "python"
    most_s = 1.0

    def __init__(self, subject: Subject, selection: ContenderSelection, say: Say) -> None:
        self._subject = subject
        self._selection = selection
        self._files = {file.name: file for file in selection.files_of(MODULE)}
        self._folder = scratch.make("message")
        self.missing: dict[str, str] = {}
        self._lists, why = own_lists(subject, selection, depth=DEEPEST)
        if why:
            self.missing[COLUMNS] = why
        request = Request((subject.wire, *subject.other_wires))
        columns = Columns(tuple(dict.fromkeys(type_ for _, type_ in self._lists)))
        write(emitted(subject.schema, ("python",), request, columns), self._folder)
        keep(subject, self._folder)
        self.environment: dict[str, str] = {}
        if subject.wire == "ros1" and find_spec("genpy") is None:
            self.missing["genpy"] = "apt-get install python3-genpy"
        self._starts: dict[str, tuple[Start, set[tuple[str, str]]]] = {}
        self._has_native = self._is_native_later = False
        if selection.takes(NATIVE):
            self._find_native(say)
        self._ros2 = selection.ros2
        self._rclpy = ""
        if subject.wire == "cdr" and selection.takes(rclpy_library.NAME):
            self._rclpy, why = rclpy_library.probed(subject, selection.ros2)
            if why:
                self.missing[rclpy_library.NAME] = why

    def _find_native(self, say: Say) -> None:
        """Compile the extension, unless that is for later."""
        self._has_native = extension.kept(self._subject, self._folder)
        if not self._has_native and not extension.missing():
            self._is_native_later = not self._selection.asks_for(NATIVE)
        if not self._has_native and not self._is_native_later:
            self._compile_native(say)

    def _compile_native(self, say: Say, limit_s: float = inf) -> None:
        self._is_native_later = False
        why = extension.build(self._subject, self._folder, self._selection.jobs, say, limit_s)
        self._has_native = not why
        if why:
            self.missing[NATIVE] = why

    def contenders(self) -> list[Contender]:
        return [
            contender for contender in self._all() if self._selection.takes(contender.library)
        ] + [self._one(name, file.wire or name, "your own") for name, file in self._files.items()]

    def _all(self) -> list[Contender]:
        own = self._subject.wire
        ours = f"wirecost {version('wirecost')}"
        googles = f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})"
        contenders = [self._one("wirecost", own, ours), self._one("protobuf", "protobuf", googles)]
        if self._has_native:
            contenders.append(self._native())
        if self._has_views:
            contenders.append(self._one("wirecost", own, ours, VIEW))
        if self._lists:
            contenders.append(self._one(COLUMNS, "columns", ours, VIEW))
        if self._subject.ros is not None:
            contenders.append(self._one("rosbags", own, f"rosbags {version('rosbags')}"))
        if own == "ros1" and "genpy" not in self.missing:
            contenders.append(self._one("genpy", own, f"genpy {_version('genpy')}"))
        if self._rclpy:
            contenders.append(self._one(rclpy_library.NAME, own, self._rclpy))
        contenders.append(self._one("messagepack", "messagepack", f"msgpack {version('msgpack')}"))
        contenders.append(self._one("json", "json", f"json of Python {platform.python_version()}"))
        return contenders + [
            self._one(f"wirecost-{wire}", wire, ours) for wire in self._subject.other_wires
        ]

    def later(self) -> LaterContenders | None:
        if not self._is_native_later:
            return None
        return LaterContenders([self._native()], self._compile_native)

    def _native(self) -> Contender:
        return self._one(NATIVE, self._subject.wire, f"wirecost {version('wirecost')}")

    @property
    def _has_views(self) -> bool:
        """True where our dataclasses have lists of bytes that can stay in the message."""
        fields = (field for message in self._subject.schema.messages() for field in message.fields)
        return self._subject.ros is not None and any(map(is_octets, fields))

    def _one(self, library: str, wire: str, about: str, mode: str = NEW) -> Contender:
        again = "protobuf" if library == "protobuf" else self._subject.wire
        return Contender("python", library, mode, wire, about, again)

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        list(self._run("verify", contender, content, out=str(folder)))
        return taken_from(folder)

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        (content,) = contents
        return sampled(
            self._run("measure", contender, content, repetitions=repetitions, most_s=self.most_s),
            keys,
        )

    def counted(self, contender: Contender, content: Path) -> MessageCounts:
        """Count nothing: an interpreter's allocations and instructions are mostly its own."""
        del contender, content
        return MessageCounts()

    def _run(
        self, command: str, contender: Contender, content: Path, **more: object
    ) -> Iterator[str]:
        file = self._files.get(contender.library)
        job = {
            "command": command,
            "library": str(file.path.resolve()) if file else contender.library,
            "mode": contender.mode,
            "content": str(content),
            "lists": self._lists,
        } | more
        yield from self._start(contender, command).lines(job)

    def _start(self, contender: Contender, command: str) -> Start:
        """Return a worker's start, another one for each time that a contender is measured."""
        is_rclpy = contender.library == rclpy_library.NAME
        python = str(self._ros2.interpreter) if is_rclpy else sys.executable
        start, done = self._starts.get(python, (None, set()))
        if start is None or not start.is_free or (command, contender.key) in done:
            shared = {"folder": str(self._folder), "type": self._subject.type}
            variables = rclpy_library.variables(self._ros2) if is_rclpy else None
            start, done = Start([python, "-P", "-m", MODULE_OF_WORKER], shared, variables), set()
            self._starts[python] = start, done
        done.add((command, contender.key))
        return start


def _version(package: str) -> str:
    """Return the version of a package that may not say it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
