# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders of a message: what their programs are asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from math import inf
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.allocators import NAMED, loaded
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.program import run
from wirecost.measure.serializers.backend import (
    Carried,
    LaterContenders,
    MessageBackend,
    MessageCounts,
    Timed,
    sampled,
    taken_from,
)
from wirecost.measure.serializers.choices import COLUMNS, HEADERS
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.counting import counted_allocations, counted_instructions
from wirecost.measure.serializers.cpp import programs, rosidl
from wirecost.measure.serializers.cpp.code import has_view
from wirecost.measure.serializers.cpp.programs import Say
from wirecost.measure.serializers.cpp.source import RECYCLED
from wirecost.measure.serializers.cpp.sources import CURRENT_PROTOBUF
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.system.children import ProgramFailedError
from wirecost.system.errors import UserError

NEW, REUSED, RECYCLED_MODE = "new", "reused", "recycled"
MODES = {
    "wirecost": (NEW, REUSED, "view"),
    "protobuf": (NEW, REUSED, "arena"),
    "protobuf-current": (NEW, REUSED, "arena"),
    "wirecost-classes": (NEW, REUSED, "arena"),
    "memcpy": (REUSED,),
    COLUMNS: ("view", "converted"),
}
"""Modes of libraries that have others than new and reused ones."""
WIRES = {
    "protobuf": "protobuf",
    "protobuf-current": "protobuf",
    "wirecost-classes": "protobuf",
    COLUMNS: "columns",
    "messagepack": "messagepack",
    "flatbuffers-table": "flatbuffers",
}
"""Wires of libraries that have one of their own."""
WITHOUT_CACHE = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0"}
"""Variables without a thread's cache, whose freed blocks would count as given."""


@dataclass(frozen=True)
class MessageMemory:
    """Bytes that malloc gives for a message, its own headers included.

    ``kept_bytes``: those that stay when the message is destroyed.
    """

    memory_bytes: int
    kept_bytes: int


class Cpp:
    """See Backend."""

    lang = "cpp"
    most_s = inf

    def __init__(
        self,
        subject: Subject,
        selection: ContenderSelection,
        say: Say,
        look: Callable[[MessageBackend], None] | None = None,
    ) -> None:
        """Compile what is not in the cache. Raises UserError where there is no compiler.

        ``look`` is called once the first programs are compiled, with this backend of these alone;
        with all of them, where they are in the cache.
        """
        self._subject = subject
        self._files = {file.name: file for file in selection.files_of(*HEADERS)}
        self._generated = {program.library: program for program in selection.generated}
        self._allocators = selection.allocators
        self._programs: dict[str, Path] = {}
        self.missing: dict[str, str] = {}

        looked = False

        def early(first: dict[str, Path]) -> None:
            nonlocal looked
            self._programs, looked = first, True
            if look is not None:
                look(self)

        self._built = programs.Programs(subject, selection, say, early)
        self._programs = self._built.programs
        self.missing = self._built.missing
        if look is not None and not looked:
            look(self)
        self.environment = {"compiler": self._built.compiler, "flags": " ".join(selection.flags)}

    def contenders(self) -> list[Contender]:
        return self._under_allocators(self._programs)

    def later(self) -> LaterContenders | None:
        contenders = self._under_allocators(self._built.later)
        return LaterContenders(contenders, self._built.compile_later) if contenders else None

    def _under_allocators(self, names: Iterable[str]) -> list[Contender]:
        mallocs = self._mallocs()
        return [
            replace(contender, allocator=allocator, malloc=malloc)
            for allocator, malloc in mallocs.items()
            for library in names
            for contender in self._modes(library)
        ]

    def _mallocs(self) -> dict[str, str]:
        """Return the file of each allocator's malloc; those that are not loaded are missing."""
        program = str(next(iter(self._programs.values()), ""))
        mallocs: dict[str, str] = {}
        for name in self._allocators if program else ():
            try:
                (line,) = run([program, "allocator"], environment=_environment(name))
                mallocs[name] = _loaded(line, name)
            except (ProgramFailedError, UserError) as error:
                self.missing[name] = str(error)
        return mallocs

    def _modes(self, program: str) -> Iterator[Contender]:
        library = program.removesuffix(RECYCLED)
        ours, _, wire = library.partition("-")
        own = self._subject.wire
        if library in self._generated:
            yield from self._generated[library].contenders
            return
        if library in self._files:
            wire, about = self._files[library].wire or library, "your own"
        elif ours == "wirecost":
            wire, about = WIRES.get(library, wire or own), f"wirecost {version('wirecost')}"
        else:
            wire = WIRES.get(library, own)
            about = VERSIONS[library]()
        # Ours and a user's are sent again by our codec.
        again = "protobuf" if ours == "protobuf" else own
        if program != library:
            yield Contender("cpp", library, RECYCLED_MODE, wire, about, again)
            return
        holders = ours == "wirecost" and library not in ("wirecost-classes", COLUMNS)
        for mode in MODES.get("wirecost" if holders else library, (NEW, REUSED)):
            if not holders or mode != "view" or has_view(self._subject):
                yield Contender("cpp", library, mode, wire, about, again)

    def _program(self, contender: Contender) -> tuple[str, str]:
        """Return the program's path, and what it calls the mode."""
        if contender.mode == RECYCLED_MODE:
            return str(self._programs[f"{contender.library}{RECYCLED}"]), NEW
        return str(self._programs[contender.library]), contender.mode

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        program, mode = self._program(contender)
        command = [program, "verify", str(folder), str(content)]
        list(run(command, environment=_environment(contender.allocator)))
        carried = taken_from(folder)
        return carried if mode == contender.mode else {contender.mode: carried[mode]}

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        program, mode = self._program(contender)
        command = [program, "measure", str(repetitions), mode, *map(str, contents)]
        lines = run(command, environment=_environment(contender.allocator))
        _loaded(next(lines, ""), contender.allocator)
        return sampled(lines, keys)

    def counted(
        self, contender: Contender, content: Path, with_instructions: bool = True
    ) -> MessageCounts:
        program, mode = self._program(contender)
        command = [program, "count", mode, str(content)]
        allocations = counted_allocations(command)
        instructions = (
            counted_instructions(command, content, _environment(contender.allocator))
            if with_instructions
            else None
        )
        return MessageCounts(allocations, instructions)

    def memory(self, contender: Contender, content: Path) -> MessageMemory:
        """Return what glibc's malloc gives for a message. Raises ProgramFailedError."""
        program, mode = self._program(contender)
        environment = {**(_environment(contender.allocator) or os.environ), **WITHOUT_CACHE}
        (line,) = run([program, "memory", mode, str(content)], environment=environment)
        _, allocated, retained = line.split("\t")
        return MessageMemory(int(allocated), int(retained))


def _environment(allocator: str) -> dict[str, str] | None:
    """Return the allocator's environment. Raises UserError where ours is not installed."""
    return NAMED[allocator].environment(os.environ) if allocator else None


def _loaded(line: str, allocator: str) -> str:
    """Return the file of the loaded malloc. Raises ProgramFailedError for another one."""
    return loaded(line, NAMED[allocator].allocator if allocator else None)


def _protobuf() -> str:
    """Return the version of the headers that the programs were compiled with."""
    try:
        (line,) = run(["protoc", "--version"])
    except (ProgramFailedError, OSError, ValueError):  # a version that is not known stops nobody
        return "protobuf"
    return line.replace("libprotoc", "protobuf")


def _debians(package: str, name: str) -> str:
    try:
        installed = "".join(run(["dpkg-query", "-W", "-f=${Version}", package]))
    except (ProgramFailedError, OSError):
        return name
    return f"{name} {installed}"


def _current_protobuf() -> str:
    return f"protobuf {json.loads(CURRENT_PROTOBUF.read_text(encoding='utf-8'))['version']}"


VERSIONS: dict[str, Callable[[], str]] = {
    "protobuf": _protobuf,
    "protobuf-current": _current_protobuf,
    "gencpp": lambda: _debians("libroscpp-core-dev", "roscpp_serialization"),
    "fast-cdr": lambda: _debians("libfastcdr-dev", "Fast-CDR"),
    rosidl.NAME: lambda: f"{rosidl.SUPPORT} of ROS 2",
    "flatbuffers-table": lambda: _debians("libflatbuffers-dev", "FlatBuffers"),
    "messagepack": lambda: _debians("libmsgpack-cxx-dev", "msgpack-cxx"),
    "memcpy": lambda: "none",
}
"""Versions of others' libraries."""
