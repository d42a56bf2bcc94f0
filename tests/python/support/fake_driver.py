# SPDX-License-Identifier: Apache-2.0
"""Stand-in for CUDA's driver (fake_libcuda.cpp), and processes that use it.

It is compiled once for each content of its source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from wirecost.messaging.tensor.ipc import driver, receiving

SOURCE = Path(__file__).with_name("fake_libcuda.cpp")
TESTS = SOURCE.parents[2]
BUILDS = TESTS.parent / "build" / "fake-driver"
SHARED_MEMORY = Path("/dev/shm")


def library() -> Path:
    """Return the library under the real one's name. Skips the test without a compiler."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("no C++ compiler: apt-get install g++")
    path = BUILDS / hashlib.sha256(SOURCE.read_bytes()).hexdigest()[:16] / driver.LIBRARY
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}")
        options = ("-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC")
        subprocess.run([compiler, *options, "-o", draft, SOURCE, "-lrt"], check=True)
        draft.replace(path)
    return path


@contextmanager
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For a test; what it opened is closed behind it."""
    monkeypatch.setattr(driver, "LIBRARY", str(library()))
    driver.driver.cache_clear()
    yield
    for key in list(receiving._OPEN):
        receiving._close(key)
    receiving._GONE.clear()
    driver.driver.cache_clear()
    forget(os.getpid())


def forget(pid: int) -> None:
    """Remove what a process left in shared memory, as a device's memory would be freed."""
    for path in SHARED_MEMORY.glob(f"wirecost-fake-{pid}-*"):
        path.unlink(missing_ok=True)


class Peer:
    """Another process that sends (device_peer.py)."""

    def __init__(self, **environment: str) -> None:
        """``DEVICE="real"``: on a device, without any stand-in."""
        variables = os.environ | {
            "PYTHONPATH": os.pathsep.join((str(TESTS / "python"), str(TESTS), *sys.path)),
        }
        if environment.get("DEVICE") != "real":
            variables["LD_LIBRARY_PATH"] = str(library().parent)
        self.process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("device_peer.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=variables | environment,
        )  # fmt: skip

    def do(self, *words: Any) -> str:
        """One command and its answer; empty where it died of it."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def frame(self, *words: Any) -> bytes:
        """Return the frame of a message: ``send FRAMEWORK FIRST ELEMENTS``."""
        return bytes.fromhex(self.do("send", *words))

    def end(self, *, kill: bool = False) -> None:
        """End the process; a second call does nothing."""
        assert self.process.stdin is not None and self.process.stdout is not None
        if kill:
            self.process.kill()
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()
        forget(self.process.pid)
