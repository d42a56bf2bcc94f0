# SPDX-License-Identifier: Apache-2.0
"""The Python contenders of a message: our dataclasses, Google's library, and JSON."""

from __future__ import annotations

import json
import platform
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import google.protobuf
from google.protobuf.internal import api_implementation

from wirecost import scratch
from wirecost.bench.entry import Sample
from wirecost.bench.message.backend import Carried, sampled, taken_from
from wirecost.bench.message.contender import Contender
from wirecost.bench.message.subject import Subject
from wirecost.bench.program import run
from wirecost.compile.compiler import emitted, write
from wirecost.compile.emit import Request

MODULE = "wirecost.bench.message.python.worker"


class Python:
    """See Backend."""

    lang = "python"

    def __init__(self, subject: Subject, users: Sequence[Path]) -> None:
        """``users``: modules with codecs of the user's own."""
        self._subject = subject
        self._users = {path.stem: str(path.resolve()) for path in users}
        self._folder = scratch.make("message")
        write(emitted(subject.schema, ("python",), Request((subject.wire,))), self._folder)
        (self._folder / "schema.fds").write_bytes(subject.descriptors.SerializeToString())
        self.missing: dict[str, str] = {}
        self.environment: dict[str, str] = {}

    def contenders(self) -> list[Contender]:
        versions = {
            "wirecost": f"wirecost {version('wirecost')}",
            "protobuf": f"protobuf {google.protobuf.__version__} ({api_implementation.Type()})",
            "json": f"json of Python {platform.python_version()}",
        }
        ours = [
            Contender("python", library, "new", "json" if library == "json" else "protobuf", about)
            for library, about in versions.items()
        ]
        return ours + [Contender("python", name, "new", name, "your own") for name in self._users]

    def carried(self, library: str, folder: Path, content: Path) -> dict[str, Carried]:
        list(self._run("verify", library, content, out=str(folder)))
        return taken_from(folder)

    def measured(
        self, one: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[Sample]:
        (content,) = contents
        lines = self._run("measure", one.library, content, repetitions=repetitions)
        return sampled(lines, keys)

    def _run(self, command: str, library: str, content: Path, **more: object) -> Iterator[str]:
        job = {
            "command": command,
            "library": self._users.get(library, library),
            "content": str(content),
            "folder": str(self._folder),
            "type": self._subject.type,
        } | more
        return run([sys.executable, "-P", "-m", MODULE], json.dumps(job))
