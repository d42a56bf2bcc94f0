# SPDX-License-Identifier: Apache-2.0
"""Native extensions of the test schemas, built once for each content of their sources."""

from __future__ import annotations

import fcntl
import hashlib
import importlib
import shutil
import subprocess
import sys
import time
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

import nanobind

from support.compiled import PROTOS, ROOT, module_name
from wirecost.schema.compile.compiler import compile_schema, write
from wirecost.schema.compile.emit import Request, Texts

CMAKE = Path(sys.executable).with_name("cmake")
BUILDS = ROOT / "build" / "test-native"
KEPT_SECONDS = 24 * 3600
PACKAGES = {
    # Chains nest without bound, which only Protobuf allows.
    "chains": (["conformance"], Request(("protobuf",), "chains", True, native=True)),
    "every": (
        [name for name in PROTOS if name != "conformance"],
        Request(("protobuf", "ros1", "cdr"), "every", native=True, json=True),
    ),
}
"""Root namespace, schemas and what is asked for."""

# Building takes longer than running: nothing is optimised.
_PROJECT = """cmake_minimum_required(VERSION 3.18)
project(test_native LANGUAGES CXX)
set(CMAKE_BUILD_TYPE Release)
set(CMAKE_CXX_FLAGS_RELEASE "-O0 -DNDEBUG")
"""


@cache
def folder() -> Path:
    """Return the folder of the generated packages, with their extensions."""
    texts: Texts = {}
    for schemas, request in PACKAGES.values():
        inputs = [str(PROTOS[name]) for name in schemas]
        texts |= compile_schema(inputs, ["cpp", "python"], request)
    return built(texts, list(PACKAGES))


def built(generated: Texts, roots: list[str]) -> Path:
    """Return the folder of packages, by their root namespaces, with extensions."""
    project = _PROJECT + "".join(f"add_subdirectory(python/{root}_native)\n" for root in roots)
    texts = {PurePosixPath("CMakeLists.txt"): project} | generated
    content = repr((sorted(texts.items()), sys.version, nanobind.__version__)).encode()
    folder = BUILDS / hashlib.sha256(content).hexdigest()[:16]
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # others may run the tests at the same time
        if not (folder / "done").exists():
            _remove_old()
            write(texts, folder)
            build = folder / "build"
            _run(CMAKE, "-S", folder, "-B", build, f"-DPython_EXECUTABLE={sys.executable}")
            _run(CMAKE, "--build", build, "--parallel", "2")
            (folder / "done").touch()
    return folder / "python"


def _remove_old() -> None:
    for other in BUILDS.iterdir():
        if other.is_dir() and other.stat().st_mtime < time.time() - KEPT_SECONDS:
            shutil.rmtree(other)


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@cache
def native_module(package: str) -> Any:
    """Return the native counterpart of ``compiled.module_of(package)``."""
    path = str(folder())
    if path not in sys.path:
        sys.path.insert(0, path)
    root = next(name for name, (schemas, _) in PACKAGES.items() if package in schemas)
    return importlib.import_module(f"{root}_native.{module_name(package)}")


def native_class(full_name: str) -> Any:
    package, _, name = full_name.rpartition(".")
    return getattr(native_module(package), name)


def native_error(full_name: str) -> type[ValueError]:
    root = native_class(full_name).__module__.partition(".")[0]
    error: type[ValueError] = importlib.import_module(root).WireError
    return error
