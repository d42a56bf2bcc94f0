# SPDX-License-Identifier: Apache-2.0
"""The malloc of a process is read from the process, not from what was asked for."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from support.programs import execute
from wirecost.measure.bench.engine.allocators import ALLOCATORS, DEFAULTS, AllocatorContender
from wirecost.system.allocation import variables

PROGRAM = "from wirecost.system.allocation import malloc_file; print(malloc_file())"


@pytest.mark.parametrize("name", ALLOCATORS)
def test_the_file_is_the_allocators(name: str) -> None:
    allocator = ALLOCATORS[name]
    done = execute(
        [sys.executable, "-c", PROGRAM],
        env=AllocatorContender(allocator, DEFAULTS).environment(os.environ),
        check=True,
    )
    if "cannot be preloaded" in done.stderr:
        pytest.skip(f"{name} is not installed: {allocator.install}")
    assert Path(done.stdout.strip()).name.startswith(allocator.file)


def test_a_library_that_is_not_there_leaves_another_malloc() -> None:
    done = execute(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"LD_PRELOAD": "libno-such-malloc.so"},
        check=True,
    )
    assert Path(done.stdout.strip()).name.startswith("libc.so")


def test_variables_that_change_malloc_are_found() -> None:
    environment = {"MALLOC_CONF": "a", "GLIBC_TUNABLES": "b", "LD_PRELOAD": "c", "HOME": "/root"}
    assert variables(environment) == {key: environment[key] for key in list(environment)[:3]}
