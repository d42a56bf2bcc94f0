# SPDX-License-Identifier: Apache-2.0
"""The decoders as programs: each reads a file of cases and writes its results."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from attack.decoders.cases import BOUNDED, MESSAGES, NESTED, PROTOS, ROOT, Result, read_results
from attack.decoders.decode import DECODERS
from support import native
from support.programs import JAVAC
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request

TESTS = ROOT / "tests"
CPP = ROOT / "build" / "cmake" / "tests" / "cpp" / "compile"
CPP_NAMES = {
    "decoders": ("holder", "reused", "utf8", "view", "api", "google-cpp"),
    "decoders_kept": ("kept", "kept-reused", "kept-utf8"),
}
JAVA = Path(__file__).with_name("Decoders.java")
PATIENCE = 600
"""Seconds for one file of cases."""
MEBIBYTES = 4096


@dataclass(frozen=True)
class Program:
    """``command(cases, folder)`` writes a file of results for each of ``names`` into the folder."""

    names: tuple[str, ...]
    command: Callable[[Path, Path], list[str]]

    def run(self, cases: Path, folder: Path) -> dict[str, list[Result]]:
        """Results by decoder; fewer than cases where the program ended before its time."""
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(TESTS), str(TESTS / "python"))),
            "ASAN_OPTIONS": f"hard_rss_limit_mb={MEBIBYTES}",
        }
        done = subprocess.run(
            self.command(cases, folder),
            env=environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            reported = done.stderr.strip()[-3000:]
            (folder / f"{self.names[0]}.txt").write_text(f"exit {done.returncode}: {reported}")
        return {name: list(read_results(folder / name)) for name in self.names}


def in_python(name: str) -> Program:
    def command(cases: Path, folder: Path) -> list[str]:
        module = "attack.decoders.decode"
        return [sys.executable, "-m", module, name, str(cases), str(folder / name)]

    return Program((name,), command)


def in_cpp(name: str) -> Program:
    """Built with all tests in C++."""
    return Program(
        CPP_NAMES[name], lambda cases, folder: [str(CPP / name), str(cases), str(folder)]
    )


def in_java(name: str, folder: Path, preserve_unknown: bool = False) -> Program:
    """Compiled into a folder."""
    wires = ("protobuf",) if preserve_unknown else ("protobuf", "ros1", "cdr")
    # What nests has one wire only; the runtime of all wires takes the place of its own.
    for paths, of_these in ((NESTED, wires[:1]), ((*PROTOS, BOUNDED), wires)):
        request = Request(of_these, preserve_unknown=preserve_unknown)
        write(compile_schema([str(path) for path in paths], ["java"], request), folder)
    sources = [*sorted((folder / "java").rglob("*.java")), JAVA]
    command = [*JAVAC, "-nowarn", "-d", str(folder / "classes")]
    subprocess.run([*command, *map(str, sources)], check=True)
    java = ["java", f"-Xmx{MEBIBYTES // 2}m", "-Xss4m", "-cp", str(folder / "classes"), "Decoders"]

    def run(cases: Path, out: Path) -> list[str]:
        return [*java, str(cases), str(out / name), *MESSAGES]

    return Program((name, f"{name}-reused"), run)


def all_programs(folder: Path) -> list[Program]:
    """Every decoder there is; what has to be compiled for them goes into the folder."""
    native.folder()  # built before the program that imports it has its limits
    programs = [in_python(name) for name in DECODERS]
    programs += [in_cpp(name) for name in CPP_NAMES]
    if shutil.which("javac"):
        programs.append(in_java("java", folder / "java"))
        programs.append(in_java("kept-java", folder / "kept-java", preserve_unknown=True))
    return programs
