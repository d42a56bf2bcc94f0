# SPDX-License-Identifier: Apache-2.0
"""The C++ contenders of a message: what their programs are asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from wirecost.bench.entry import Sample
from wirecost.bench.message.backend import Carried, sampled, taken_from
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.cpp import programs
from wirecost.bench.message.cpp.programs import Say
from wirecost.bench.message.subject import Subject
from wirecost.bench.program import ProgramFailedError, run
from wirecost.compile.emit.cpp.order import is_plain

MODES = {"wirecost": ("new", "reused", "view"), "protobuf": ("new", "reused", "arena")}


class Cpp:
    """See Backend."""

    lang = "cpp"

    def __init__(self, subject: Subject, users: Sequence[Path], jobs: int, say: Say) -> None:
        """Compiles what is not in the cache. Raises UserError where there is no compiler."""
        built = programs.built(subject, users, jobs, say)
        self._subject = subject
        self._users = [path.stem for path in users]
        self._programs = built.programs
        self.missing = built.missing
        self.environment = {"compiler": built.compiler, "flags": " ".join(programs.FLAGS)}

    def contenders(self) -> list[Contender]:
        versions = {"wirecost": f"wirecost {version('wirecost')}", "protobuf": _protobuf()}
        ours = [
            Contender("cpp", library, mode, self._subject.wire, versions[library])
            for library, modes in MODES.items()
            if library in self._programs
            for mode in modes
            if mode != "view" or has_view(self._subject)
        ]
        theirs = [
            Contender("cpp", name, mode, name, "your own")
            for name in self._users
            if name in self._programs
            for mode in ("new", "reused")
        ]
        return ours + theirs

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        list(run([str(self._programs[library]), "verify", str(folder), str(content)]))
        return taken_from(folder)

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        program = str(self._programs[one.library])
        command = [program, "measure", str(repetitions), one.mode, *map(str, contents)]
        return sampled(run(command), keys)


def has_view(subject: Subject) -> bool:
    """A message of a few numbers is its own view."""
    return not is_plain(subject.schema, subject.schema.message(subject.type))


def _protobuf() -> str:
    """Of the headers that the programs were compiled with."""
    try:
        (line,) = run(["protoc", "--version"])
    except (ProgramFailedError, OSError, ValueError):  # a version that is not known stops nobody
        return "protobuf"
    return line.replace("libprotoc", "protobuf")
