# SPDX-License-Identifier: Apache-2.0
"""The Python contenders of a message: our dataclasses, others' libraries, and JSON."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import google.protobuf
from google.protobuf.internal import api_implementation

from wirecost import scratch
from wirecost.bench.entry import Sample
from wirecost.bench.message.backend import Carried, sampled, taken_from
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.python import rclpy_library
from wirecost.bench.message.python.libraries import NEW, OURS, VIEW
from wirecost.bench.message.python.subject_folder import keep
from wirecost.bench.message.ros.installed import Ros2
from wirecost.bench.message.shapes import is_octets
from wirecost.bench.message.subject import Subject
from wirecost.bench.program import run
from wirecost.compile.compiler import emitted, write
from wirecost.compile.emit import Request

MODULE = "wirecost.bench.message.python.worker"


class Python:
    """See Backend."""

    lang = "python"

    def __init__(self, subject: Subject, users: Sequence[Path], ros2: Ros2) -> None:
        """``users``: modules with codecs of the user's own."""
        self._subject = subject
        self._users = {path.stem: str(path.resolve()) for path in users}
        self._folder = scratch.make("message")
        write(
            emitted(subject.schema, ("python",), Request((subject.wire, *subject.other_wires))),
            self._folder,
        )
        keep(subject, self._folder)
        self.missing: dict[str, str] = {}
        self.environment: dict[str, str] = {}
        if subject.wire == "ros1" and find_spec("genpy") is None:
            self.missing["genpy"] = "apt-get install python3-genpy"
        self._ros2 = ros2
        self._rclpy = ""
        if subject.wire == "cdr":
            self._rclpy, why = rclpy_library.probed(subject, ros2)
            if why:
                self.missing[rclpy_library.NAME] = why

    def contenders(self) -> list[Contender]:
        own = self._subject.wire
        mine = f"wirecost {version('wirecost')}"
        googles = f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})"
        found = [self._one("wirecost", own, mine), self._one("protobuf", "protobuf", googles)]
        if self._has_views:
            found.append(self._one("wirecost", own, mine, VIEW))
        if self._subject.ros is not None:
            found.append(self._one("rosbags", own, f"rosbags {version('rosbags')}"))
        if own == "ros1" and "genpy" not in self.missing:
            found.append(self._one("genpy", own, f"genpy {_version('genpy')}"))
        if self._rclpy:
            found.append(self._one(rclpy_library.NAME, own, self._rclpy))
        found.append(self._one("messagepack", "messagepack", f"msgpack {version('msgpack')}"))
        found.append(self._one("json", "json", f"json of Python {platform.python_version()}"))
        found += [self._one(f"wirecost-{wire}", wire, mine) for wire in self._subject.other_wires]
        return found + [self._one(name, name, "your own") for name in self._users]

    @property
    def _has_views(self) -> bool:
        """Whether our dataclasses have lists of bytes that can stay in the message."""
        fields = (field for message in self._subject.schema.messages() for field in message.fields)
        return self._subject.ros is not None and any(map(is_octets, fields))

    def _one(self, library: str, wire: str, about: str, mode: str = NEW) -> Contender:
        again = "protobuf" if library == "protobuf" else self._subject.wire
        return Contender("python", library, mode, wire, about, again)

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        for mode in (NEW, VIEW) if library == OURS and self._has_views else (NEW,):
            list(self._run("verify", library, mode, content, out=str(folder)))
        return taken_from(folder)

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        (content,) = contents
        lines = self._run("measure", one.library, one.mode, content, repetitions=repetitions)
        return sampled(lines, keys)

    def _run(
        self, command: str, library: str, mode: str, content: Path, **more: object
    ) -> Iterator[str]:
        job = {
            "command": command,
            "library": self._users.get(library, library),
            "mode": mode,
            "content": str(content),
            "folder": str(self._folder),
            "type": self._subject.type,
        } | more
        python, variables = sys.executable, None
        if library == rclpy_library.NAME:
            python, variables = str(self._ros2.interpreter), rclpy_library.variables(self._ros2)
        return run([python, "-P", "-m", MODULE], json.dumps(job), variables)


def _version(package: str) -> str:
    """Of one that may not say it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"
