# SPDX-License-Identifier: Apache-2.0
"""Quick path under AddressSanitizer and UndefinedBehaviorSanitizer.

Python's memory comes from malloc, so that a read behind a buffer's end is seen."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import numpy as np
import pytest

from support.programs import execute

SOURCES = Path(__file__).parents[3] / "cpp" / "python" / "tensor"
TESTS = Path(__file__).parents[2]
SUITES = [
    Path(__file__).with_name(name)
    for name in ("test_native.py", "test_native_hostile.py", "test_plans.py", "without_memory.py")
]
FAILING_NEW = Path(__file__).with_name("failing_new.cpp")
FLAGS = ("-std=c++20", "-O1", "-g1", "-fPIC", "-shared", "-fno-omit-frame-pointer")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-Wl,-Bsymbolic")
RUN = """\
import importlib.util, sys
import pytest
spec = importlib.util.spec_from_file_location("wirecost._tensor", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
sys.modules["wirecost._tensor"] = module
from wirecost.tensor import native
assert native.binding is module
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", "--noconftest", *sys.argv[2:]]))
"""


@pytest.fixture(autouse=True)
def path() -> None:
    """Only the quick path."""


@pytest.mark.thorough
def test_the_quick_path_under_sanitizers(tmp_path: Path) -> None:
    compiler = os.environ.get("CXX", "g++")
    module = tmp_path / "_tensor.so"
    includes = [f"-isystem{path}" for path in (sysconfig.get_path("include"), np.get_include())]
    sources = [*sorted(SOURCES.glob("*.cpp")), FAILING_NEW]
    command = [compiler, *FLAGS, *SANITIZERS, *includes, "-o", module, *sources]
    subprocess.run(command, check=True)
    # That of C++ too, or the sanitizer does not find what throws.
    loaded = [_library(compiler, name) for name in ("libasan.so", "libstdc++.so.6")]
    environment = os.environ | {
        "LD_PRELOAD": " ".join(loaded),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:exitcode=99",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": os.pathsep.join(map(str, (TESTS, TESTS / "python"))),
    }
    done = execute([sys.executable, "-c", RUN, module, *SUITES], env=environment)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
    assert "[100%]" in done.stdout


def _library(compiler: str, name: str) -> str:
    located = execute([compiler, f"-print-file-name={name}"], check=True)
    return located.stdout.strip()
