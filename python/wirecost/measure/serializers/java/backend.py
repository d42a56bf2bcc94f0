# SPDX-License-Identifier: Apache-2.0
"""The Java contenders of a message: protobuf-java, our holders, and lists in columns."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from math import inf
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.program import PROGRAMS, run
from wirecost.measure.serializers.backend import (
    Carried,
    LaterContenders,
    MessageCounts,
    Timed,
    sampled,
    taken_from,
)
from wirecost.measure.serializers.choices import COLUMNS, JAVA
from wirecost.measure.serializers.contender import Contender
from wirecost.measure.serializers.cpp.tools import ran
from wirecost.measure.serializers.java import code
from wirecost.measure.serializers.java.columns_code import columns_program
from wirecost.measure.serializers.own_lists import own_lists
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.schema.compile.compiler import Columns, emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.system import scratch

JAR = PROGRAMS / "protobuf-java.jar"
"""Google's library."""
MODES = {
    "wirecost": ("new", "reused"),
    "protobuf": ("new", "reused", "best"),
    COLUMNS: ("view",),
}
REMEDY = (
    "apt-get install openjdk-17-jdk-headless maven, then install wirecost from a checkout with "
    "`make run`"
)


class Java:
    """See Backend."""

    lang = "java"
    most_s = inf

    def __init__(
        self, subject: Subject, selection: ContenderSelection, say: Callable[[str], None]
    ) -> None:
        self._subject = subject
        self._folder = scratch.make("message")
        self._files = {file.name: file for file in selection.files_of(JAVA)}
        has_google = subject.ros is None and selection.takes("protobuf")
        self._libraries = [name for name in ("wirecost", "protobuf") if selection.takes(name)]
        if subject.ros is not None and "protobuf" in self._libraries:
            self._libraries.remove("protobuf")
        self._lists, why = own_lists(subject, selection)
        if self._lists:
            self._libraries.append(COLUMNS)
        self.environment: dict[str, str] = {}
        self.missing: dict[str, str] = {COLUMNS: why} if why else {}
        complaint = self._compiled(has_google, say)
        if complaint:
            self.missing |= dict.fromkeys((*self._libraries, *self._files), complaint)

    def _compiled(self, has_google: bool, say: Callable[[str], None]) -> str:
        """Compile all; return what is in the way, if anything."""
        javac = shutil.which("javac")
        if javac is None or shutil.which("java") is None or not JAR.is_file():
            return REMEDY
        say("compiling Java")
        folder = self._folder
        request = Request((self._subject.wire,))
        columns = Columns(tuple(dict.fromkeys(type_ for _, type_ in self._lists)))
        write(emitted(self._subject.schema, ("java",), request, columns), folder)
        if has_google and (complaint := self._googles_classes()):
            return complaint
        program = folder / "wirecost" / "message"
        program.mkdir(parents=True)
        for name in ("Harness.java", "Stopwatch.java"):
            shutil.copy(code.TEMPLATES / name, program)
        text = code.programs(self._subject, has_google, list(self._files), bool(self._lists))
        (program / "Programs.java").write_text(text, encoding="utf-8")
        if self._lists:
            text = columns_program(self._subject, self._lists)
            (program / "Columns.java").write_text(text, encoding="utf-8")
        (folder / "users").mkdir()
        for file in self._files.values():
            shutil.copy(file.path, folder / "users")
        sources = folder / "sources"
        listed = "\n".join(f'"{path}"' for path in sorted(folder.rglob("*.java")))
        sources.write_text(listed, encoding="utf-8")
        to = ["-d", str(folder / "classes"), "-cp", str(JAR), "-nowarn", "-proc:none"]
        complaint = ran([javac, *to, f"@{sources}"])
        return f"it does not compile: {complaint}" if complaint else ""

    def _googles_classes(self) -> str:
        """Run protoc; return why it cannot, if so."""
        protoc = shutil.which("protoc")
        if protoc is None:
            return "apt-get install protobuf-compiler"
        self._protoc = next(iter(run([protoc, "--version"])), protoc)
        folder = self._folder
        described = folder / "schema.fds"
        descriptors = code.with_packages(self._subject.descriptors)
        described.write_bytes(descriptors.SerializeToString())
        files = [
            file.name for file in descriptors.file if not file.name.startswith(code.WELL_KNOWN)
        ]
        (folder / "google").mkdir()
        options = [f"--descriptor_set_in={described}", f"--java_out={folder / 'google'}"]
        complaint = ran([protoc, *options, *files]) if files else ""
        return f"protoc: {complaint}" if complaint else ""

    def contenders(self) -> list[Contender]:
        own = self._subject.wire
        contenders = [
            Contender("java", library, mode, _wire(library, own), self._about(library), again=own)
            for library in self._libraries
            if library not in self.missing
            for mode in MODES[library]
        ]
        return contenders + [
            Contender("java", name, "new", file.wire or name, "your own", again=own)
            for name, file in self._files.items()
            if name not in self.missing
        ]

    def later(self) -> LaterContenders | None:
        return None

    def _about(self, library: str) -> str:
        if library == "protobuf":
            return f"protobuf-java {self._version()}, classes by {self._protoc}"
        return f"wirecost {version('wirecost')}"

    def _version(self) -> str:
        return next(iter(self._run("version")), "")

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        list(self._run("verify", contender.library, str(folder), str(content)))
        return taken_from(folder)

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        (content,) = contents
        words = (contender.library, str(repetitions), contender.mode, str(content))
        return sampled(self._run("measure", *words), keys)

    def counted(self, contender: Contender, content: Path) -> MessageCounts:
        """Count nothing: compiled code allocates what escape analysis leaves of it."""
        del contender, content
        return MessageCounts()

    def _run(self, *arguments: str) -> Iterator[str]:
        path = f"{self._folder / 'classes'}:{JAR}"
        options = [f"-Djava.io.tmpdir={self._folder}", "-XX:-UsePerfData", "-cp", path]
        # The program waits for the JIT compiler, whose threads may get no processor otherwise until
        # all is measured; what it compiles is the same.
        # The serial collector works on the thread that is timed.
        options += ["-Xbatch", "-XX:+UseSerialGC"]
        return run(["java", *options, "wirecost.message.Harness", *arguments])


def _wire(library: str, own: str) -> str:
    return "columns" if library == COLUMNS else own
