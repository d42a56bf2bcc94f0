# SPDX-License-Identifier: Apache-2.0
"""A network namespace without a name.

This process holds it by a descriptor, which the kernel closes with the process, however that ends.
So nothing has to be removed afterwards: a namespace in which no process runs, and of which nobody
has a descriptor, is gone with its devices and queues.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from wirecost.system import children
from wirecost.system.closing import Closing
from wirecost.system.errors import UserError
from wirecost.system.waiting import wait_for_ends

CLONE_NEWNET = 0x40000000
END_S = 2.0
"""Longest time that killed processes may take to end."""
COMMAND_S = 30.0
T = TypeVar("T")


class NetworkError(UserError):
    """A network could not be made; one line says why."""


class Namespace(Closing):
    """A new one, with nothing but a loopback interface that is up; only that has IPv6."""

    def __init__(self) -> None:
        """Make a namespace. Raises NetworkError where that is not permitted."""
        self.descriptor = _in_thread(_new)
        self._inode = os.fstat(self.descriptor).st_ino
        try:
            self.call(_without_ipv6)
            self.ip("link set lo up")
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        """For programs that are started while this process lives."""
        return f"/proc/{os.getpid()}/fd/{self.descriptor}"

    @property
    def prefix(self) -> tuple[str, ...]:
        """Words before a command that let it run inside. It keeps its process number."""
        return (program("nsenter") or "nsenter", f"--net={self.path}", "--")

    def call(self, function: Callable[[], T]) -> T:
        """Call a function in a thread inside; sockets that it makes stay there."""

        def inside() -> T:
            _check(_libc().setns(self.descriptor, CLONE_NEWNET))
            return function()

        return _in_thread(inside)

    def ip(self, *lines: str) -> None:
        """Run commands of ip(8) inside. Raises NetworkError."""
        self.run("ip", "-batch", "-", lines="\n".join(lines))

    def run(self, *words: str, lines: str = "") -> str:
        """Run a program inside and return its output. Raises NetworkError."""
        process = children.start(
            [*self.prefix, program(words[0]) or words[0], *words[1:]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            output, errors = process.communicate(lines, COMMAND_S)
        except subprocess.TimeoutExpired:
            raise NetworkError(f"{words[0]} did not end within {COMMAND_S:g} s") from None
        finally:
            children.end(process)
        if process.returncode != 0:
            said = " ".join(errors.split()) or children.ending(process.returncode)
            raise NetworkError(f"`{' '.join(words)}`: {said}")
        return str(output)

    def processes(self) -> list[int]:
        """Return the ids of processes inside."""
        pids = []
        for entry in os.scandir("/proc"):
            if entry.name.isdigit():
                with suppress(OSError):
                    if Path(entry.path, "ns", "net").stat().st_ino == self._inode:
                        pids.append(int(entry.name))
        return pids

    def end_processes(self) -> None:
        """Kill the processes inside, and wait for their end."""
        ended = []
        for number in self.processes():
            with suppress(OSError):
                process = os.pidfd_open(number)
                signal.pidfd_send_signal(process, signal.SIGKILL)
                ended.append(process)
        wait_for_ends(ended, END_S)

    def close(self) -> None:
        """Remove the namespace, with the processes inside. A second call does nothing."""
        descriptor, self.descriptor = self.descriptor, -1
        if descriptor >= 0:
            self.end_processes()
            os.close(descriptor)


def program(name: str) -> str | None:
    """Return the path of a program, also one that only administrators have on theirs."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def _new() -> int:
    _check(_libc().unshare(CLONE_NEWNET))
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _without_ipv6() -> None:
    """Disable IPv6, which sends messages of its own, on interfaces made later.

    Does nothing where the kernel has none, or /proc cannot be written, as in containers.
    """
    with suppress(OSError):
        Path("/proc/sys/net/ipv6/conf/default/disable_ipv6").write_text("1")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _check(result: int) -> None:
    if result != 0:
        raise NetworkError(os.strerror(ctypes.get_errno() or errno.EPERM))


def _in_thread(function: Callable[[], T]) -> T:
    """Call a function in a new thread: a namespace is the thread's, and this one stays."""
    results: list[T] = []
    errors: list[BaseException] = []

    def body() -> None:
        try:
            results.append(function())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=body, daemon=True)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
