# SPDX-License-Identifier: Apache-2.0
"""Compilation of a message's programs, each once.

Programs compiled from the same text stay in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from math import inf
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.choices import HEADERS
from wirecost.measure.serializers.cpp.compiling import compiled
from wirecost.measure.serializers.cpp.source import HARNESS, MAIN, ProgramSource
from wirecost.measure.serializers.cpp.sources import generate, of_file
from wirecost.measure.serializers.cpp.tools import TIMEOUT_S, ran
from wirecost.measure.serializers.selection import ContenderSelection
from wirecost.system import children, private, scratch
from wirecost.system.errors import UserError

KEPT = 40
"""Messages whose programs stay; the ones that were used longest ago go."""

LEAST_UNITS = 2
"""Units for which compiling what they include alone would take as long."""
FIRST = ("protobuf", "wirecost")
"""Programs that are compiled and looked at before the others: what is in use, the likely best."""

Say = Callable[[str], None]
Look = Callable[[dict[str, Path]], None]
"""Function to call with the first programs while nothing else is compiled."""


class NoCompilerError(UserError):
    """Nothing of a language can be measured here; another one may be."""


class Programs:
    """Programs by name, and why others could not be had.

    ``later``: the names of those that are compiled by ``compile_later`` only.
    """

    def __init__(
        self, subject: Subject, selection: ContenderSelection, say: Say, look: Look
    ) -> None:
        """Compile all programs that this machine can compile, but those that take long.

        ``look`` is called where the first of them had to be compiled, and others follow.

        Raises UserError where it has no compiler, or a header cannot be read.
        """
        compiler = os.environ.get("CXX") or shutil.which("c++") or ""
        self.compiler = _version(compiler)
        self.programs: dict[str, Path] = {}
        self._command = [compiler, *selection.flags]
        self._jobs = selection.jobs
        self._folder = scratch.make("message")
        say("generating")
        sources, self.missing = generate(subject, selection, self._folder)
        self._cache = cached(self._folder, self.compiler, *selection.flags)
        # A user's header may include a file that has changed, so it is always compiled.
        missed = [source for source in sources if not (self._cache / source.name).is_file()]
        self._later = [source for source in missed if source.is_later]
        missed = [source for source in missed if not source.is_later]
        for file in selection.files_of(*HEADERS):
            if not file.is_kept:
                users = of_file(subject, selection, file, self._folder)
                missed += users
                sources += users
        if missed:
            first = [source for source in missed if source.name in FIRST]
            for sources_now in (first, missed) if 0 < len(first) < len(missed) else (missed,):
                self._compile(sources_now, say)
                if sources_now is first:
                    there = [s.name for s in first if s.name not in self.missing]
                    look({name: self._folder / name for name in there})
        self._keep(sources, missed)
        if not self._later:
            scratch.remove(self._folder)

    @property
    def later(self) -> list[str]:
        return [source.name for source in self._later]

    def compile_later(self, say: Say, limit_s: float) -> None:
        """Compile what takes long, all of it within ``limit_s``."""
        sources, self._later = self._later, []
        self._compile(sources, say, limit_s)
        self._keep(sources, sources)
        scratch.remove(self._folder)

    def _keep(self, sources: Iterable[ProgramSource], missed: Iterable[ProgramSource]) -> None:
        """Take the programs from the cache, into which those go that were missed there."""
        keep(self._folder, self._cache, [source.name for source in missed])
        waiting = {source.name for source in self._later}
        for name in (source.name for source in sources):
            if name in self.missing or name in waiting:
                continue
            if (self._cache / name).is_file():
                self.programs[name] = self._cache / name
            else:
                self.missing[name] = f"its program is no longer in {self._cache}; run again"
        os.utime(self._cache)

    def _compile(self, sources: Sequence[ProgramSource], say: Say, limit_s: float = inf) -> None:
        """Compile the programs beside their sources. Units that are compiled already stay."""
        units: dict[tuple[str, str], ProgramSource] = {}
        for source in sources:
            for unit, name in source.objects.items():
                if not (self._folder / name).exists():
                    units.setdefault((unit, name), source)
        commands = {
            self._folder / name: self._unit(unit, name, source)
            for (unit, name), source in units.items()
        }
        header = self._folder / f"{HARNESS}.gch"
        others = [self._folder / name for unit, name in units if unit != MAIN]
        if len(others) > LEAST_UNITS and not header.exists():
            commands = {header: self._header(header.name), **commands}

        def report(remaining: int) -> None:
            say(f"compiling, {remaining} of {len(commands)} units left")

        after = dict.fromkeys(others, header)
        complaints = compiled(commands, self._jobs, report, limit_s, after)
        for source in sources:
            objects = [self._folder / name for name in source.objects.values()]
            if why := next(
                (complaints[object_file] for object_file in objects if object_file in complaints),
                "",
            ):
                self.missing[source.name] = why
            elif not (self._folder / source.name).is_file():
                command = [self._command[0], *source.objects.values(), *source.libraries]
                there = ["env", "-C", str(self._folder)]
                if complaint := ran([*there, *command, "-o", source.name]):
                    self.missing[source.name] = f"it does not compile: {complaint}"

    def _unit(self, unit: str, name: str, source: ProgramSource) -> list[str]:
        """Return the command that compiles a unit."""
        first = ["-include", HARNESS] if unit != MAIN else []
        return [*self._there(), *_options(source), *first, "-c", unit, "-o", name]

    def _header(self, name: str) -> list[str]:
        """Return the command that compiles what all units include.

        Units do without it where the compiler refuses it.
        """
        return [*self._there(), "-x", "c++-header", HARNESS, "-o", name]

    def _there(self) -> list[str]:
        return ["env", "-C", str(self._folder), *self._command, "-w"]


def _version(compiler: str) -> str:
    if not compiler:
        raise NoCompilerError("no C++ compiler; apt-get install g++")
    remedy = "set CXX to a C++ compiler, or leave C++ out with --lang python"
    try:
        done = children.run([compiler, "--version"], timeout_s=TIMEOUT_S)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{compiler} does not run ({error}); {remedy}") from error
    if done.returncode != 0:
        raise UserError(f"{compiler} does not run; {remedy}")
    return done.stdout.partition("\n")[0]


def kept_folder(name: str) -> Path:
    """Return a folder of what is compiled once. Raises UserError."""
    chosen = os.environ.get("XDG_CACHE_HOME")
    base = Path(chosen) if chosen and Path(chosen).is_absolute() else private.home() / ".cache"
    return private.private_folder(
        base / "wirecost" / name, "set XDG_CACHE_HOME to a folder of your own"
    )


def cached(folder: Path, *tools: str) -> Path:
    """Return the cache's folder for what these tools make of all texts of a folder."""
    digest = hashlib.blake2b(repr(tools).encode(), digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return private.private_folder(kept_folder("messages") / digest.hexdigest())


def _options(source: ProgramSource) -> list[str]:
    folders = (".", source.holders, source.classes, "generated", *source.include)
    return [f"-I{folder}" for folder in folders]


def keep(folder: Path, cache: Path, names: Iterable[str]) -> None:
    """Move programs into the cache, each at once, and the oldest out of it."""
    for name in names:
        if (folder / name).is_file():
            part = cache / f".{name}.{os.getpid()}"
            shutil.copy2(folder / name, part)
            part.replace(cache / name)
    others = sorted(cache.parent.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in others[:-KEPT]:
        if old != cache:
            shutil.rmtree(old, ignore_errors=True)
