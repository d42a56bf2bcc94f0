# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders of a message: what their programs are asked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from wirecost.bench.entry import Sample
from wirecost.bench.message.backend import Carried, sampled, taken_from
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.cpp import programs, rosidl
from wirecost.bench.message.cpp.code import has_view
from wirecost.bench.message.cpp.programs import Say
from wirecost.bench.message.ros.installed import Ros2
from wirecost.bench.message.subject import Subject
from wirecost.bench.program import ProgramFailedError, run

NEW, REUSED = "new", "reused"
MODES = {"wirecost": (NEW, REUSED, "view"), "protobuf": (NEW, REUSED, "arena")}
"""Of libraries that have others than new and reused ones."""
WIRES = {
    "protobuf": "protobuf",
    "wirecost-classes": "protobuf",
    "wirecost-columns": "columns",
    "messagepack": "messagepack",
    "flatbuffers-table": "flatbuffers",
}
"""Of libraries that have one of their own."""


class Cpp:
    """See Backend."""

    lang = "cpp"

    def __init__(
        self,
        subject: Subject,
        lists: Sequence[str],
        users: Sequence[Path],
        ros2: Ros2,
        jobs: int,
        say: Say,
    ) -> None:
        """Compiles what is not in the cache. Raises UserError where there is no compiler."""
        built = programs.built(subject, lists, users, ros2, jobs, say)
        self._subject = subject
        self._users = [path.stem for path in users]
        self._programs = built.programs
        self.missing = built.missing
        self.environment = {"compiler": built.compiler, "flags": " ".join(programs.FLAGS)}

    def contenders(self) -> list[Contender]:
        return [one for library in self._programs for one in self._modes(library)]

    def _modes(self, library: str) -> Iterator[Contender]:
        ours, _, wire = library.partition("-")
        own = self._subject.wire
        if library in self._users:
            wire, about = library, "your own"
        elif ours == "wirecost":
            wire, about = WIRES.get(library, wire or own), f"wirecost {version('wirecost')}"
        else:
            wire = WIRES.get(library, own)
            about = VERSIONS[library]()
        # Ours and a user's are sent again by our codec.
        again = "protobuf" if library == "protobuf" else own
        holders = ours == "wirecost" and library not in ("wirecost-classes", "wirecost-columns")
        for mode in MODES.get("wirecost" if holders else library, (NEW, REUSED)):
            if mode != "view" or has_view(self._subject):
                yield Contender("cpp", library, mode, wire, about, again)

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        list(run([str(self._programs[library]), "verify", str(folder), str(content)]))
        return taken_from(folder)

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        program = str(self._programs[one.library])
        command = [program, "measure", str(repetitions), one.mode, *map(str, contents)]
        return sampled(run(command), keys)


def _protobuf() -> str:
    """Of the headers that the programs were compiled with."""
    try:
        (line,) = run(["protoc", "--version"])
    except (ProgramFailedError, OSError, ValueError):  # a version that is not known stops nobody
        return "protobuf"
    return line.replace("libprotoc", "protobuf")


def _debians(package: str, name: str) -> str:
    try:
        found = "".join(run(["dpkg-query", "-W", "-f=${Version}", package]))
    except (ProgramFailedError, OSError):
        return name
    return f"{name} {found}"


VERSIONS: dict[str, Callable[[], str]] = {
    "protobuf": _protobuf,
    "gencpp": lambda: _debians("libroscpp-core-dev", "roscpp_serialization"),
    "fast-cdr": lambda: _debians("libfastcdr-dev", "Fast-CDR"),
    rosidl.NAME: lambda: f"{rosidl.SUPPORT} of ROS 2",
    "flatbuffers-table": lambda: _debians("libflatbuffers-dev", "FlatBuffers"),
    "messagepack": lambda: _debians("libmsgpack-cxx-dev", "msgpack-cxx"),
}
"""Of others' libraries."""
