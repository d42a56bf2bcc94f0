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
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from wirecost.measure.bench.message.cpp import programs
from wirecost.measure.bench.message.cpp.tools import ran
from wirecost.measure.bench.message.subject import Subject
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.system import scratch

PACKAGE = "wire_native"
FLAGS = ("-O3", "-DNDEBUG", "-fPIC", "-fvisibility=hidden", "-fno-stack-protector", "-w")
"""As nanobind's own functions for CMake have them."""
NANOBIND = "nanobind.o"
"""Nanobind's own part, which the first schema compiles."""
REMEDY = "apt-get install g++ python3-dev, pip install nanobind"


def build(subject: Subject, folder: Path, jobs: int) -> str:
    """Build the package below ``folder/python``; return why not, if so.

    What was compiled once stays in the user's cache folder.
    """
    compiler = os.environ.get("CXX") or shutil.which("c++")
    found = find_spec("nanobind")
    python_headers = Path(sysconfig.get_path("include"))
    if compiler is None or found is None or found.origin is None:
        return REMEDY
    if not (python_headers / "Python.h").is_file():
        return REMEDY
    nanobind = Path(found.origin).parent
    headers = (python_headers, nanobind / "include", nanobind / "ext" / "robin_map" / "include")
    with scratch.folder("native") as sources:
        write(
            emitted(subject.schema, ("cpp", "python"), Request((subject.wire,), native=True)),
            sources,
        )
        package = sources / "python" / PACKAGE
        made = f"_native{sysconfig.get_config_var('EXT_SUFFIX')}"
        cache = programs.cached(sources, sys.version, version("nanobind"), compiler, *FLAGS)
        if not (cache / made).is_file():
            command = [compiler, *FLAGS, *(f"-isystem{path}" for path in headers)]
            includes = [f"-I{package / 'native'}", f"-I{sources / 'cpp'}"]
            own = [*command, "-std=c++20", *includes]
            units = (package / "native").glob("*.cpp")
            commands = [_unit(own, unit, sources / f"own-{unit.stem}.o") for unit in units]
            runtime = programs.cached(nanobind / "src", sys.version, *command)
            if (runtime / NANOBIND).is_file():
                os.utime(runtime)
                shutil.copy(runtime / NANOBIND, sources)
            else:  # the longest one
                theirs = [*command, "-std=c++17", "-fno-strict-aliasing"]
                whole = nanobind / "src" / "nb_combined.cpp"
                commands.insert(0, _unit(theirs, whole, sources / NANOBIND))
            with ThreadPoolExecutor(jobs) as pool:
                complaint = next(filter(None, pool.map(ran, commands)), "")
            if not complaint:
                objects = map(str, sources.glob("*.o"))
                together = [compiler, "-shared", "-s", *objects, "-o", str(sources / made)]
                complaint = ran(together)
            if complaint:
                return f"it does not compile: {complaint}"
            programs.keep(sources, runtime, [NANOBIND])
            programs.keep(sources, cache, [made])
        shutil.copy(cache / made, package)
        shutil.copytree(package, folder / "python" / PACKAGE)
    return ""


def _unit(command: list[str], source: Path, made: Path) -> list[str]:
    """Return the command that compiles a source."""
    return [*command, "-c", str(source), "-o", str(made)]
