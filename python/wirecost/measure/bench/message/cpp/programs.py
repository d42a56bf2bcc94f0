# SPDX-License-Identifier: Apache-2.0
"""Compilation of a message's programs, each once.

Programs compiled from the same text stay in the user's cache folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirecost.measure.bench.message.cpp.source import ProgramSource
from wirecost.measure.bench.message.cpp.sources import generate, of_file
from wirecost.measure.bench.message.cpp.tools import TIMEOUT_S, first_error, ran
from wirecost.measure.bench.message.selection import HEADERS, ContenderSelection
from wirecost.measure.bench.message.subject import Subject
from wirecost.system import children, private, scratch
from wirecost.system.errors import UserError

POLL_S = 0.05
KEPT = 40
"""Messages whose programs stay; the ones that were used longest ago go."""

FIRST = ("protobuf", "wirecost")
"""Programs that are compiled and looked at before the others: what is in use, the likely best."""

Say = Callable[[str], None]
Look = Callable[[dict[str, Path]], None]
"""Function to call with the first programs while nothing else is compiled."""


@dataclass
class Built:
    """Programs by name, and why others could not be had."""

    compiler: str
    programs: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def built(subject: Subject, selection: ContenderSelection, say: Say, look: Look) -> Built:
    """Compile all programs that this machine can compile.

    ``look`` is called where the first of them had to be compiled, and others follow.

    Raises UserError where it has no compiler, or a header cannot be read.
    """
    compiler = os.environ.get("CXX") or shutil.which("c++") or ""
    version = _version(compiler)
    with scratch.folder("message") as folder:
        say("generating")
        sources, missing = generate(subject, selection, folder)
        cache = cached(folder, version, *selection.flags)
        programs = Built(version, missing=missing)
        # A user's header may include a file that has changed, so it is always compiled.
        missed = [source for source in sources if not (cache / source.name).is_file()]
        for file in selection.files_of(*HEADERS):
            if not file.is_kept:
                users = of_file(subject, selection, file, folder)
                missed += users
                sources += users
        if missed:
            command = [compiler, *selection.flags]
            first = [source for source in missed if source.name in FIRST]
            for sources_now in (first, missed) if 0 < len(first) < len(missed) else (missed,):
                _compile(command, folder, sources_now, selection.jobs, say, programs)
                if sources_now is first:
                    look({s.name: folder / s.name for s in first if s.name not in programs.missing})
        keep(folder, cache, [source.name for source in missed])
    for source in sources:
        if source.name in programs.missing:
            continue
        if (cache / source.name).is_file():
            programs.programs[source.name] = cache / source.name
        else:
            programs.missing[source.name] = f"its program is no longer in {cache}; run again"
    os.utime(cache)
    return programs


def _version(compiler: str) -> str:
    if not compiler:
        raise UserError("no C++ compiler; apt-get install g++, or leave C++ out with --lang python")
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


@dataclass(frozen=True)
class _Compiling:
    """One unit; what the compiler says goes into ``errors``."""

    object: str
    process: subprocess.Popen[bytes]
    errors: Path
    begun_s: float


def _compile(
    compiler: Sequence[str],
    folder: Path,
    sources: Sequence[ProgramSource],
    jobs: int,
    say: Say,
    programs: Built,
) -> None:
    """Compile the programs beside their sources.

    Units that are compiled already stay. Compilers end with this function, however it ends.
    """
    units = {
        (unit, name): source
        for source in reversed(sources)
        for unit, name in source.objects.items()
        if not (folder / name).exists()
    }
    waiting, running = deque(reversed(units.items())), list[_Compiling]()
    failed: dict[str, str] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                (unit, name), source = waiting.popleft()
                running.append(_start([*compiler, *_options(source)], folder, unit, name))
            remaining = len(waiting) + len(running)
            say(f"compiling, {remaining} of {len(units)} units left")
            time.sleep(POLL_S)
            for compiling in [item for item in running if _has_ended(item)]:
                running.remove(compiling)
                if compiling.process.returncode != 0:
                    for source in sources:
                        if compiling.object in source.objects.values():
                            failed.setdefault(source.name, _complaint(compiling.errors))
    finally:
        for compiling in running:
            children.end(compiling.process)
    for source in sources:
        if source.name not in failed and not (folder / source.name).is_file():
            command = [compiler[0], *source.objects.values(), *source.libraries, "-o", source.name]
            if complaint := ran(["env", "-C", str(folder), *command]):
                failed[source.name] = f"it does not compile: {complaint}"
    programs.missing |= failed


def _start(compiler: Sequence[str], folder: Path, unit: str, name: str) -> _Compiling:
    errors = folder / f"{name}.errors"
    with errors.open("wb") as file:
        command = ["env", "-C", str(folder), *compiler, "-w", "-c", unit, "-o", name]
        process = children.start(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    return _Compiling(name, process, errors, time.monotonic())


def _has_ended(compiling: _Compiling) -> bool:
    if time.monotonic() - compiling.begun_s > TIMEOUT_S:
        children.end(compiling.process)
    return compiling.process.poll() is not None


def _complaint(errors: Path) -> str:
    text = errors.read_text(encoding="utf-8", errors="replace")
    return f"it does not compile: {first_error(text)}"


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
