# SPDX-License-Identifier: Apache-2.0
"""Our Python classes over the generated C++, compiled as an extension.

The compiler is called itself, as CMake takes as long as the small extensions, and nanobind's part
is compiled once for all schemas.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from wirecost.data.messages.subject import Subject
from wirecost.measure.serializers.cpp import programs
from wirecost.measure.serializers.cpp.compiling import compiled
from wirecost.measure.serializers.cpp.tools import ran
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.schema.compile.emit.python import native_package
from wirecost.system import scratch

PACKAGE = "wire_native"
FLAGS = ("-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-w")
"""As nanobind's own functions for CMake have them."""
NANOBIND = "nanobind.o"
"""Nanobind's own part, which the first schema compiles."""
REMEDY = "apt-get install g++ python3-dev, pip install nanobind"


def missing() -> str:
    """Return how to install what the extension is compiled with; empty where it is there."""
    has_headers = (Path(sysconfig.get_path("include")) / "Python.h").is_file()
    return "" if _compiler() and find_spec("nanobind") and has_headers else REMEDY


def kept(subject: Subject, folder: Path) -> bool:
    """Put the package below ``folder/python`` if its extension was compiled before."""
    if missing():
        return False
    with scratch.folder("native") as sources:
        package, cache = _generated(subject, sources)
        return _put(cache, package, folder)


def build(
    subject: Subject, folder: Path, jobs: int, say: Callable[[str], None], limit_s: float
) -> str:
    """Build the package below ``folder/python`` within ``limit_s``; return why not, if so.

    What was compiled once stays in the user's cache folder.
    """
    if why := missing():
        return why
    with scratch.folder("native") as sources:
        package, cache = _generated(subject, sources)
        command, nanobind = _command()
        own = [*command, "-std=c++20", f"-I{package / 'native'}", f"-I{sources / 'cpp'}"]
        runtime = programs.cached(nanobind / "src", sys.version, *command)
        commands: dict[Path, list[str]] = {}
        if (runtime / NANOBIND).is_file():
            os.utime(runtime)
            shutil.copy(runtime / NANOBIND, sources)
        else:
            runtime_command = [*command, "-std=c++17", "-fno-strict-aliasing"]
            whole = nanobind / "src" / "nb_combined.cpp"
            commands[sources / NANOBIND] = [*runtime_command, "-c", str(whole)]
        # Messages that hold all others are in the last files, and compile for longest.
        for name in reversed(native_package.units(subject.schema)):
            unit = package / "native" / name
            commands[sources / f"own-{unit.stem}.o"] = [*own, "-c", str(unit)]

        def report(remaining: int) -> None:
            say(f"compiling the Python extension, {remaining} of {len(commands)} units left")

        whole_commands = {
            extension: [*words, "-o", str(extension)] for extension, words in commands.items()
        }
        complaints = compiled(whole_commands, jobs, report, limit_s)
        if complaints:
            return next(iter(complaints.values()))
        objects = [str(sources / NANOBIND), *map(str, sources.glob("own-*.o"))]
        extension = sources / _module()
        if complaint := ran([command[0], "-shared", "-s", *objects, "-o", str(extension)]):
            return f"it does not compile: {complaint}"
        programs.keep(sources, runtime, [NANOBIND])
        programs.keep(sources, cache, [extension.name])
        return "" if _put(cache, package, folder) else f"it is no longer in {cache}; run again"


def _generated(subject: Subject, sources: Path) -> tuple[Path, Path]:
    """Write the sources; return the package and the folder where its extension is kept."""
    request = Request((subject.wire,), native=True)
    write(emitted(subject.schema, ("cpp", "python"), request), sources)
    cache = programs.cached(sources, sys.version, version("nanobind"), _compiler(), *FLAGS)
    return sources / "python" / PACKAGE, cache


def _put(cache: Path, package: Path, folder: Path) -> bool:
    """Put the package below a folder, with its extension; return whether that is there."""
    extension = cache / _module()
    if not extension.is_file():
        return False
    shutil.copy(extension, package)
    shutil.copytree(package, folder / "python" / PACKAGE)
    return True


def _compiler() -> str:
    return os.environ.get("CXX") or shutil.which("c++") or ""


def _command() -> tuple[list[str], Path]:
    """Return how compiling begins, and nanobind's folder."""
    spec = find_spec("nanobind")
    assert spec is not None
    assert spec.origin is not None
    nanobind = Path(spec.origin).parent
    headers = (
        Path(sysconfig.get_path("include")),
        nanobind / "include",
        nanobind / "ext" / "robin_map" / "include",
    )
    return [_compiler(), *FLAGS, *(f"-isystem{path}" for path in headers)], nanobind


def _module() -> str:
    return f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
