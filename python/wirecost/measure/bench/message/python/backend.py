# SPDX-License-Identifier: Apache-2.0
"""The Python contenders of a message: our dataclasses, others' libraries, and JSON."""

from __future__ import annotations

import json
import platform
import shutil
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import google.protobuf
from google.protobuf.internal import api_implementation

from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.program import run
from wirecost.measure.bench.message.backend import (
    Carried,
    MessageCounts,
    Timed,
    sampled,
    taken_from,
)
from wirecost.measure.bench.message.contender import Contender
from wirecost.measure.bench.message.cpp import programs
from wirecost.measure.bench.message.cpp.tools import ran
from wirecost.measure.bench.message.python import rclpy_library
from wirecost.measure.bench.message.python.libraries import NATIVE, NEW, VIEW
from wirecost.measure.bench.message.python.subject_folder import keep
from wirecost.measure.bench.message.selection import MODULE, ContenderSelection
from wirecost.measure.bench.message.shapes import is_octets
from wirecost.measure.bench.message.subject import Subject
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.system import scratch

MODULE_OF_WORKER = "wirecost.measure.bench.message.python.worker"
NATIVE_PACKAGE = "wire_native"


class Python:
    """See Backend."""

    lang = "python"
    most_s = 1.0

    def __init__(self, subject: Subject, selection: ContenderSelection) -> None:
        self._subject = subject
        self._selection = selection
        self._files = {file.name: file for file in selection.files_of(MODULE)}
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
        if selection.asks_for(NATIVE) and (why := _build_native(subject, self._folder)):
            self.missing[NATIVE] = why
        self._ros2 = selection.ros2
        self._rclpy = ""
        if subject.wire == "cdr" and selection.takes(rclpy_library.NAME):
            self._rclpy, why = rclpy_library.probed(subject, selection.ros2)
            if why:
                self.missing[rclpy_library.NAME] = why

    def contenders(self) -> list[Contender]:
        return [
            contender for contender in self._all() if self._selection.takes(contender.library)
        ] + [self._one(name, file.wire or name, "your own") for name, file in self._files.items()]

    def _all(self) -> list[Contender]:
        own = self._subject.wire
        ours = f"wirecost {version('wirecost')}"
        googles = f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})"
        contenders = [self._one("wirecost", own, ours), self._one("protobuf", "protobuf", googles)]
        if self._selection.asks_for(NATIVE) and NATIVE not in self.missing:
            contenders.append(self._one(NATIVE, own, ours))
        if self._has_views:
            contenders.append(self._one("wirecost", own, ours, VIEW))
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
        library = contender.library
        file = self._files.get(library)
        job = {
            "command": command,
            "library": str(file.path.resolve()) if file else library,
            "mode": contender.mode,
            "content": str(content),
            "folder": str(self._folder),
            "type": self._subject.type,
        } | more
        python, variables = sys.executable, None
        if library == rclpy_library.NAME:
            python, variables = str(self._ros2.interpreter), rclpy_library.variables(self._ros2)
        return run([python, "-P", "-m", MODULE_OF_WORKER], json.dumps(job), variables)


def _version(package: str) -> str:
    """Return the version of a package that may not say it."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "of unknown version"


def _build_native(subject: Subject, folder: Path) -> str:
    """Build our classes over the generated C++ below ``folder/python``; return why not, if so.

    An extension is built once and kept in the cache.
    """
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None or find_spec("nanobind") is None:
        return "pip install cmake nanobind, apt-get install g++"
    request = Request((subject.wire,), native=True)
    with scratch.folder("native") as sources:
        write(emitted(subject.schema, ("cpp", "python"), request), sources)
        package = sources / "python" / NATIVE_PACKAGE
        cache = programs.cached(sources, sys.version)
        if not any(cache.glob("_native.*")):
            options = [
                f"-DPython_EXECUTABLE={sys.executable}",
                f"-DWIRECOST_EXTENSION_DIR={sources}",
            ]
            complaint = ran([cmake, "-S", str(package), "-B", str(sources / "build"), *options])
            complaint = complaint or ran([cmake, "--build", str(sources / "build")])
            if complaint:
                return f"it does not compile: {complaint}"
            programs.keep(sources, cache, [path.name for path in sources.glob("_native.*")])
        for path in cache.glob("_native.*"):
            shutil.copy(path, package)
        shutil.copytree(package, folder / "python" / NATIVE_PACKAGE)
    return ""
