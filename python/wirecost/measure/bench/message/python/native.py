# SPDX-License-Identifier: Apache-2.0
"""Our Python classes as an extension over the generated C++, built once and kept in the cache."""

from __future__ import annotations

import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from wirecost.measure.bench.message.cpp.programs import cached, keep
from wirecost.measure.bench.message.cpp.tools import ran
from wirecost.measure.bench.message.subject import Subject
from wirecost.schema.compile.compiler import emitted, write
from wirecost.schema.compile.emit import Request
from wirecost.system import scratch

PACKAGE = "wire_native"


def build(subject: Subject, folder: Path) -> str:
    """Put the package below ``folder/python``; return why it cannot be had, if so."""
    cmake = shutil.which("cmake", path=str(Path(sys.executable).parent)) or shutil.which("cmake")
    if cmake is None or find_spec("nanobind") is None:
        return "pip install cmake nanobind, apt-get install g++"
    request = Request((subject.wire,), native=True)
    with scratch.folder("native") as sources:
        write(emitted(subject.schema, ("cpp", "python"), request), sources)
        package = sources / "python" / PACKAGE
        cache = cached(sources, sys.version)
        if not any(cache.glob("_native.*")):
            options = [
                f"-DPython_EXECUTABLE={sys.executable}",
                f"-DWIRECOST_EXTENSION_DIR={sources}",
            ]
            complaint = ran([cmake, "-S", str(package), "-B", str(sources / "build"), *options])
            complaint = complaint or ran([cmake, "--build", str(sources / "build")])
            if complaint:
                return f"it does not compile: {complaint}"
            keep(sources, cache, [path.name for path in sources.glob("_native.*")])
        for path in cache.glob("_native.*"):
            shutil.copy(path, package)
        shutil.copytree(package, folder / "python" / PACKAGE)
    return ""
