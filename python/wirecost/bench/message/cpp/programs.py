# SPDX-License-Identifier: Apache-2.0
"""Compiles a message's programs, each once: what was compiled of the same text stays in the user's
cache folder."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wirecost import children, private, scratch
from wirecost.bench.message.cpp import code
from wirecost.bench.message.cpp.sources import SHARED, Source, generate
from wirecost.bench.message.cpp.tools import TIMEOUT_S, first_error, ran
from wirecost.bench.message.ros.installed import Ros2
from wirecost.bench.message.subject import Subject
from wirecost.errors import UserError

FLAGS = ("-std=c++20", "-O2", "-DNDEBUG")
POLL_S = 0.05
KEPT = 20
"""Messages whose programs stay; the ones that were used longest ago go."""

Say = Callable[[str], None]


@dataclass
class Built:
    """Programs by name, and why others could not be had."""

    compiler: str
    programs: dict[str, Path] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)


def built(
    subject: Subject,
    lists: Sequence[str],
    users: Sequence[Path],
    ros2: Ros2,
    jobs: int,
    say: Say,
) -> Built:
    """All programs that this machine can compile; ``lists``: types of elements that columns are
    tried for; ``users``: headers of the user's own codecs.
    Raises UserError where it has no compiler, or a header cannot be read."""
    compiler = os.environ.get("CXX") or shutil.which("c++") or ""
    version = _version(compiler)
    with scratch.folder("message") as made:
        say("generating")
        sources, missing = generate(subject, lists, ros2, made)
        kept = _cache() / _key(made, version)
        found = Built(version, missing=missing)
        # What a user's header includes may have changed, so that one is always compiled.
        theirs = [_users(subject, path, made) for path in users]
        wanted = [one for one in sources if not (kept / one.name).is_file()] + theirs
        sources += theirs
        if wanted:
            _compile(compiler, made, wanted, jobs, say, found)
        _keep(made, kept, wanted)
    for one in sources:
        if one.name in found.missing:
            continue
        if (kept / one.name).is_file():
            found.programs[one.name] = kept / one.name
        else:
            found.missing[one.name] = f"its program is no longer in {kept}; run again"
    os.utime(kept)
    return found


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


def _users(subject: Subject, path: Path, folder: Path) -> Source:
    """Its program is named as the header is."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"--contender {path}: {error}; name a header that can be read") from error
    (folder / "users").mkdir(exist_ok=True)
    (folder / "users" / path.name).write_text(text, encoding="utf-8")
    unit = f"{path.stem}.users.cpp"
    (folder / unit).write_text(code.users(subject, f"users/{path.name}"), encoding="utf-8")
    return Source(path.stem, (unit,), include=(str(path.parent.resolve()),))


def _cache() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    base = Path(chosen) if chosen and Path(chosen).is_absolute() else private.home() / ".cache"
    return private.private_folder(
        base / "wirecost" / "messages", "set XDG_CACHE_HOME to a folder of your own"
    )


def _key(folder: Path, compiler: str) -> str:
    """Of all texts, the compiler and its flags."""
    digest = hashlib.blake2b(f"{compiler} {FLAGS}".encode(), digest_size=16)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class _Compiling:
    """One unit; what the compiler says goes into ``errors``."""

    unit: str
    process: subprocess.Popen[bytes]
    errors: Path
    begun_s: float


def _compile(
    compiler: str, folder: Path, sources: Sequence[Source], jobs: int, say: Say, found: Built
) -> None:
    """The programs, beside their sources. Compilers end with this function, whatever ends it."""
    units = {unit: source for source in reversed(sources) for unit in (*source.units, SHARED)}
    waiting, running = deque(reversed(units.items())), list[_Compiling]()
    failed: dict[str, str] = {}
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                unit, source = waiting.popleft()
                running.append(_start(compiler, folder, source, unit))
            left = len(waiting) + len(running)
            say(f"compiling, {left} of {len(units)} units left")
            time.sleep(POLL_S)
            for one in [one for one in running if _has_ended(one)]:
                running.remove(one)
                if one.process.returncode != 0:
                    for source in sources:
                        if one.unit in (*source.units, SHARED):
                            failed.setdefault(source.name, _complaint(one.errors))
    finally:
        for one in running:
            children.end(one.process)
    for source in sources:
        if source.name not in failed:
            objects = [f"{unit}.o" for unit in (*source.units, SHARED)]
            command = [compiler, *objects, *source.libraries, "-o", source.name]
            if complaint := ran(["env", "-C", str(folder), *command]):
                failed[source.name] = f"it does not compile: {complaint}"
    found.missing |= failed


def _start(compiler: str, folder: Path, source: Source, unit: str) -> _Compiling:
    errors = folder / f"{unit}.errors"
    with errors.open("wb") as file:
        command = ["env", "-C", str(folder), *_command(compiler, source, unit)]
        process = children.start(command, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    return _Compiling(unit, process, errors, time.monotonic())


def _has_ended(one: _Compiling) -> bool:
    if time.monotonic() - one.begun_s > TIMEOUT_S:
        children.end(one.process)
    return one.process.poll() is not None


def _complaint(errors: Path) -> str:
    text = errors.read_text(encoding="utf-8", errors="replace")
    return f"it does not compile: {first_error(text)}"


def _command(compiler: str, source: Source, unit: str) -> list[str]:
    include = [
        f"-I{folder}" for folder in (".", "cpp", source.classes, "generated", *source.include)
    ]
    return [compiler, *FLAGS, "-w", *include, "-c", unit, "-o", f"{unit}.o"]


def _keep(made: Path, kept: Path, sources: Sequence[Source]) -> None:
    """Into the cache, each at once, and the oldest out of it."""
    private.private_folder(kept)
    for source in sources:
        if (made / source.name).is_file():
            part = kept / f".{source.name}.{os.getpid()}"
            shutil.copy2(made / source.name, part)
            part.replace(kept / source.name)
    others = sorted(kept.parent.iterdir(), key=lambda path: path.stat().st_mtime)
    for old in others[:-KEPT]:
        if old != kept:
            shutil.rmtree(old, ignore_errors=True)
