# SPDX-License-Identifier: Apache-2.0
"""The Rust contenders of a message: prost, buffa and rkyv, each where it is asked for."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from math import inf
from pathlib import Path
from typing import Any

from wirecost.data.messages.subject import Subject
from wirecost.measure.bench.engine.entry import StageSample
from wirecost.measure.bench.engine.program import run
from wirecost.measure.bench.message.backend import (
    Carried,
    MessageCounts,
    Timed,
    sampled,
    taken_from,
)
from wirecost.measure.bench.message.choices import RUST, RUST_LIBRARIES
from wirecost.measure.bench.message.contender import Contender
from wirecost.measure.bench.message.counting import counted_allocations, counted_instructions
from wirecost.measure.bench.message.cpp.programs import cached, keep
from wirecost.measure.bench.message.rust import cargo, code
from wirecost.measure.bench.message.selection import ContenderSelection, is_large, left_out
from wirecost.system import scratch

MODES = {
    "prost": ("new", "reused"),
    "buffa": ("new", "reused", "view"),
    "rkyv": ("new", "view"),
}
WIRES = {"rkyv": "rkyv"}
"""Wires of libraries that have one of their own."""


class Rust:
    """See Backend."""

    lang = RUST
    most_s = inf

    def __init__(
        self, subject: Subject, selection: ContenderSelection, say: Callable[[str], None]
    ) -> None:
        """Compile what is not in the cache."""
        self._subject = subject
        self._programs: dict[str, Path] = {}
        self.missing: dict[str, str] = {}
        compiler = cargo.compiler()
        self.environment = {"rust": compiler} if compiler else {}
        refused = code.refused(subject) or ("" if compiler else cargo.REMEDY)
        for library in filter(selection.takes, RUST_LIBRARIES):
            if is_large(subject) and not selection.asks_for(library):
                self.missing[library] = left_out(library)
            elif complaint := refused or self._compiled(library, compiler, selection.jobs, say):
                self.missing[library] = complaint

    def _compiled(self, library: str, compiler: str, jobs: int, say: Callable[[str], None]) -> str:
        """Compile a library's program, once; return what is in the way, if anything."""
        with scratch.folder("message") as folder:
            code.generate(self._subject, library, folder)
            kept = cached(folder, compiler)
            program = kept / library
            if not program.is_file():
                more = "" if cargo.has_crates() else ", with all that it needs: minutes, once"
                say(f"compiling Rust, {library}{more}")
                if complaint := cargo.compiled(folder, library, jobs, folder / library):
                    return complaint
                keep(folder, kept, [library])
            os.utime(kept)
        self._programs[library] = program
        return ""

    def contenders(self) -> list[Contender]:
        own = self._subject.wire
        return [
            Contender(RUST, library, mode, WIRES.get(library, own), version(library))
            for library in self._programs
            for mode in MODES[library]
        ]

    def later(self) -> None:
        """Return none: what is large is compiled where it is asked for."""

    def carried(self, contender: Contender, folder: Path, content: Path) -> dict[str, Carried]:
        list(self._run(contender, "verify", str(folder), str(content)))
        return taken_from(folder)

    def measured(
        self, contender: Contender, contents: Sequence[Path], keys: Sequence[str], repetitions: int
    ) -> Iterator[StageSample | Timed]:
        (content,) = contents
        words = ("measure", str(repetitions), contender.mode, str(content))
        return sampled(self._run(contender, *words), keys)

    def counted(self, contender: Contender, content: Path) -> MessageCounts:
        program = str(self._programs[contender.library])
        command = [program, "count", contender.mode, str(content)]
        return MessageCounts(counted_allocations(command), counted_instructions(command, content))

    def _run(self, contender: Contender, *words: str) -> Iterator[str]:
        return run([str(self._programs[contender.library]), *words])


def version(library: str) -> str:
    """Return a library's name with the version that is compiled."""
    manifest = tomllib.loads((code.CRATE / "Cargo.toml").read_text(encoding="utf-8"))
    declared: Any = manifest["dependencies"][library]
    pinned = declared if isinstance(declared, str) else declared["version"]
    return f"{library} {pinned.removeprefix('=')}"
