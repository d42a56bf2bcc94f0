# SPDX-License-Identifier: Apache-2.0
"""The Java contenders of a message: protobuf-java, and our holders."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

from wirecost import scratch
from wirecost.bench.entry import Sample
from wirecost.bench.message.backend import Carried, sampled, taken_from
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.cpp.tools import ran
from wirecost.bench.message.java import code
from wirecost.bench.message.subject import Subject
from wirecost.bench.program import PROGRAMS, run
from wirecost.compile.compiler import emitted, write
from wirecost.compile.emit import Request

JAR = PROGRAMS / "notification.jar"
"""Google's library, with which the notification's contenders were built."""
MODES = {"wirecost": ("new", "reused"), "protobuf": ("new", "best")}
REMEDY = (
    "apt-get install openjdk-17-jdk-headless maven, then install wirecost from a checkout with "
    "`make run`"
)


class Java:
    """See Backend."""

    lang = "java"

    def __init__(self, subject: Subject, say: Callable[[str], None]) -> None:
        self._subject = subject
        self._folder = scratch.make("message")
        self.environment: dict[str, str] = {}
        self.missing: dict[str, str] = {}
        complaint = self._compiled(say)
        if complaint:
            self.missing = dict.fromkeys(MODES, complaint)

    def _compiled(self, say: Callable[[str], None]) -> str:
        """What is in the way, if anything."""
        if self._subject.ros is not None:
            return "Java takes part for messages of Protobuf"
        javac = shutil.which("javac")
        if javac is None or shutil.which("java") is None or not JAR.is_file():
            return REMEDY
        protoc = shutil.which("protoc")
        if protoc is None:
            return "apt-get install protobuf-compiler"
        self._protoc = next(iter(run([protoc, "--version"])), protoc)
        say("compiling Java")
        folder = self._folder
        write(emitted(self._subject.schema, ("java",), Request(("protobuf",))), folder)
        described = folder / "schema.fds"
        found = code.with_packages(self._subject.descriptors)
        described.write_bytes(found.SerializeToString())
        files = [one.name for one in found.file if not one.name.startswith(code.WELL_KNOWN)]
        (folder / "google").mkdir()
        options = [f"--descriptor_set_in={described}", f"--java_out={folder / 'google'}"]
        if files and (complaint := ran([protoc, *options, *files])):
            return f"protoc: {complaint}"
        program = folder / "wirecost" / "message"
        program.mkdir(parents=True)
        (program / "Harness.java").write_text(code.harness(), encoding="utf-8")
        (program / "Programs.java").write_text(code.programs(self._subject), encoding="utf-8")
        sources = folder / "sources"
        listed = "\n".join(f'"{path}"' for path in sorted(folder.rglob("*.java")))
        sources.write_text(listed, encoding="utf-8")
        to = ["-d", str(folder / "classes"), "-cp", str(JAR), "-nowarn", "-proc:none"]
        complaint = ran([javac, *to, f"@{sources}"])
        return f"it does not compile: {complaint}" if complaint else ""

    def contenders(self) -> list[Contender]:
        googles = f"protobuf-java {self._version()}, classes by {self._protoc}"
        versions = {"wirecost": f"wirecost {version('wirecost')}", "protobuf": googles}
        return [
            Contender("java", library, mode, "protobuf", versions[library])
            for library, modes in MODES.items()
            if library not in self.missing
            for mode in modes
        ]

    def _version(self) -> str:
        return "" if self.missing else next(iter(self._run("version")), "")

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        list(self._run("verify", library, str(folder), str(content)))
        return taken_from(folder)

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        (content,) = contents
        lines = self._run("measure", one.library, str(repetitions), one.mode, str(content))
        return sampled(lines, keys)

    def _run(self, *arguments: str) -> Iterator[str]:
        path = f"{self._folder / 'classes'}:{JAR}"
        options = [f"-Djava.io.tmpdir={self._folder}", "-XX:-UsePerfData", "-cp", path]
        # The program waits for the JIT compiler, whose threads may get no processor otherwise until
        # all is measured; what it compiles is the same.
        options.append("-Xbatch")
        return run(["java", *options, "wirecost.message.Harness", *arguments])
