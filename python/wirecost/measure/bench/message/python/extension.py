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
from collections.abc import Sequence
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
            runtime = _nanobind_object(nanobind, command)
            units = sorted((package / "native").glob("*.cpp"))
            includes = [f"-I{package / 'native'}", f"-I{sources / 'cpp'}"]
            complaint, objects = _compiled([*command, "-std=c++20", *includes], units, jobs)
            if isinstance(runtime, str):
                return f"it does not compile: {runtime}"
            if not complaint:
                together = [compiler, "-shared", "-s", *map(str, objects), str(runtime)]
                complaint = ran([*together, "-o", str(sources / made)])
            if complaint:
                return f"it does not compile: {complaint}"
            programs.keep(sources, cache, [made])
        shutil.copy(cache / made, package)
        shutil.copytree(package, folder / "python" / PACKAGE)
    return ""


def _compiled(command: list[str], units: Sequence[Path], jobs: int) -> tuple[str, list[Path]]:
    """Compile units beside their sources; return the first complaint, if any, and the objects."""
    objects = [unit.with_suffix(".o") for unit in units]
    with ThreadPoolExecutor(jobs) as pool:
        complaints = pool.map(
            lambda one: ran([*command, "-c", str(one[0]), "-o", str(one[1])]),
            zip(units, objects, strict=True),
        )
        return next(filter(None, complaints), ""), objects


def _nanobind_object(nanobind: Path, command: list[str]) -> Path | str:
    """Return nanobind's own part, compiled by the first schema, or the compiler's complaint."""
    made = "nanobind.o"
    cache = programs.cached(nanobind / "src", sys.version, *command)
    if not (cache / made).is_file():
        source = nanobind / "src" / "nb_combined.cpp"
        with scratch.folder("nanobind") as folder:
            options = ["-std=c++17", "-fno-strict-aliasing"]
            complaint = ran([*command, *options, "-c", str(source), "-o", str(folder / made)])
            if complaint:
                return complaint
            programs.keep(folder, cache, [made])
    os.utime(cache)
    return cache / made
