# SPDX-License-Identifier: Apache-2.0
"""Breakpoints of the kernel at functions of a library, in all processes that have loaded it.

Records come by ``perf_event_open(2)`` into one ring of memory per processor.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from wirecost.system.closing import Closing
from wirecost.system.errors import UserError

SYSCALL = 298
"""perf_event_open on x86-64."""
UPROBE_TYPE = Path("/sys/bus/event_source/devices/uprobe/type")
SOFTWARE, DUMMY = 1, 9
SET_OUTPUT, GET_IDENTIFIER = 0x2405, 0x80082407
TID, TIME, REGISTERS, IDENTIFIER = 1 << 1, 1 << 2, 1 << 12, 1 << 16
SAMPLE_ID_ALL, CONTEXT_SWITCH, EXCLUDE_KERNEL = 1 << 18, 1 << 26, 1 << 5
USE_CLOCKID, MONOTONIC, WATERMARK = 1 << 25, 1, 1 << 14
SAMPLE, SWITCH = 9, 15
"""Types of records."""
SWITCH_OUT = 1 << 13
RESULT, FOURTH, THIRD, FIRST = ("ax", 0), ("cx", 2), ("dx", 3), ("di", 5)
"""Registers with a function's result and arguments, by their bits in perf's mask."""
PAGES = 256
"""Of each ring: a power of two."""
ATTRIBUTES = struct.Struct("<IIQQQQQIIQQQQIiQ")
"""As far as clockid and sample_regs_intr, 104 bytes."""
HEADER = np.dtype([("type", "<u4"), ("misc", "<u2"), ("size", "<u2")])
SAMPLE_FIELDS = (
    ("header", HEADER), ("id", "<u8"), ("pid", "<u4"), ("tid", "<u4"), ("time", "<u8"),
    ("abi", "<u8"),
)  # fmt: skip
SWITCH_RECORD = np.dtype(
    [
        ("header", HEADER), ("other", "<u8"), ("pid", "<u4"), ("tid", "<u4"), ("time", "<u8"),
        ("id", "<u8"),
    ]
)  # fmt: skip


@dataclass(frozen=True)
class Breakpoint:
    """A place in a file; ``at_return``: where the function there ends instead."""

    file: Path
    offset: int
    at_return: bool = False


class Ring(Closing):
    """Memory into which the kernel writes records of one event and those joined to it."""

    def __init__(self, descriptor: int, record: np.dtype[np.void]) -> None:
        self.descriptor, self._record = descriptor, record
        self._memory = mmap.mmap(descriptor, (PAGES + 1) * mmap.PAGESIZE)
        self.lost = 0

    def take(self) -> NDArray[np.void]:
        """Return the records that were written since the last call."""
        size = PAGES * mmap.PAGESIZE
        head, tail = struct.unpack_from("<QQ", self._memory, 1024)
        begin, end = tail % size, head % size
        ring = memoryview(self._memory)[mmap.PAGESIZE :]
        whole = bytes(ring[begin:end]) if begin <= end else bytes(ring[begin:]) + bytes(ring[:end])
        ring.release()
        struct.pack_into("<Q", self._memory, 1032, head)
        rest = len(whole) % self._record.itemsize
        records = np.frombuffer(whole[: len(whole) - rest], self._record)
        if not rest and (records["header"]["size"] == self._record.itemsize).all():
            return records
        return self._apart(whole)

    def _apart(self, whole: bytes) -> NDArray[np.void]:
        """Return the records of the expected size; others say that some were lost."""
        kept, at = [], 0
        while at < len(whole):
            size = struct.unpack_from("<H", whole, at + 6)[0]
            if size == self._record.itemsize:
                kept.append(whole[at : at + size])
            else:
                self.lost += 1
            at += max(8, size)
        return np.frombuffer(b"".join(kept), self._record)

    def close(self) -> None:
        self._memory.close()


class Breakpoints(Closing):
    """Calls at breakpoints and context switches, of all processes. Raises UserError.

    ``registers``: those that a call's record has, in the order of their bits.
    """

    def __init__(
        self, registers: Sequence[tuple[str, int]] = (RESULT, FIRST), *, switches: bool = True
    ) -> None:
        self._record = np.dtype([*SAMPLE_FIELDS, *((name, "<u8") for name, _ in registers)])
        self._registers = sum(1 << bit for _, bit in registers)
        self._descriptors: list[int] = []
        try:
            self._type = int(UPROBE_TYPE.read_text())
            self._switches = [
                Ring(self._open(cpu, SOFTWARE, DUMMY, flags=CONTEXT_SWITCH), SWITCH_RECORD)
                for cpu in (self._cpus() if switches else ())
            ]
            self._calls = [
                Ring(self._open(cpu, SOFTWARE, DUMMY), self._record) for cpu in self._cpus()
            ]
        except OSError as error:
            self.close()
            raise UserError(
                f"--attach: {error.strerror}; breakpoints need root, and a kernel with uprobes"
            ) from error

    @staticmethod
    def _cpus() -> Sequence[int]:
        text = Path("/sys/devices/system/cpu/online").read_text().strip()
        cpus: list[int] = []
        for part in text.split(","):
            first, _, last = part.partition("-")
            cpus += range(int(first), int(last or first) + 1)
        return cpus

    def add(self, place: Breakpoint) -> dict[int, int]:
        """Set a breakpoint in all processes, also those that load the file later.

        Returns its descriptors by the identifiers that its records have. Raises OSError.
        """
        added = {}
        for number, cpu in enumerate(self._cpus()):
            descriptor = self._open(cpu, self._type, int(place.at_return), place, period=1)
            if _libc().ioctl(descriptor, SET_OUTPUT, self._calls[number].descriptor):
                raise _error()
            identifier = ctypes.c_uint64()
            _libc().ioctl(descriptor, GET_IDENTIFIER, ctypes.byref(identifier))
            added[identifier.value] = descriptor
        return added

    def remove(self, added: dict[int, int]) -> None:
        """Remove a breakpoint."""
        for descriptor in added.values():
            self._descriptors.remove(descriptor)
            os.close(descriptor)

    def calls(self) -> NDArray[np.void]:
        """Return the calls since the last time."""
        return np.concatenate([np.zeros(0, self._record), *(ring.take() for ring in self._calls)])

    def switches(self) -> NDArray[np.void]:
        """Return the context switches since the last time."""
        taken = (ring.take() for ring in self._switches)
        return np.concatenate([np.zeros(0, SWITCH_RECORD), *taken])

    @property
    def lost(self) -> int:
        return sum(ring.lost for ring in (*self._calls, *self._switches))

    def _open(
        self, cpu: int, type_: int, config: int, at: Breakpoint | None = None,
        *, period: int = 0, flags: int = 0,
    ) -> int:  # fmt: skip
        path = ctypes.create_string_buffer(os.fsencode(at.file) if at else b"")
        kinds = TID | TIME | IDENTIFIER | (REGISTERS if at else 0)
        attributes = ATTRIBUTES.pack(
            type_, ATTRIBUTES.size, config, period, kinds, 0,
            SAMPLE_ID_ALL | USE_CLOCKID | WATERMARK | flags, PAGES * mmap.PAGESIZE // 2, 0,
            ctypes.addressof(path) if at else 0, at.offset if at else 0,
            0, self._registers if at else 0, 0, MONOTONIC, 0,
        )  # fmt: skip
        buffer = ctypes.create_string_buffer(attributes)
        descriptor: int = _libc().syscall(SYSCALL, buffer, -1, cpu, -1, 8)
        if descriptor < 0:
            raise _error()
        self._descriptors.append(descriptor)
        return descriptor

    def close(self) -> None:
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []


@contextmanager
def refused() -> Iterator[None]:
    """Turn the kernel's errors into a UserError."""
    try:
        yield
    except OSError as error:
        raise UserError(f"--attach: no breakpoint: {error.strerror}; leave it out") from error


def loaded(pid: int, names: tuple[str, ...]) -> Iterator[tuple[tuple[int, int], Path]]:
    """Yield the libraries that a process has loaded, by device and inode.

    ``names``: with which their files' names begin.
    """
    with suppress(OSError):
        maps = Path(f"/proc/{pid}/maps").read_text(errors="replace")
        for name in {line[line.index("/") :] for line in maps.splitlines() if "/" in line}:
            if name.rpartition("/")[2].startswith(names):
                path = Path(f"/proc/{pid}/root{name}")
                about = path.stat()
                yield (about.st_dev, about.st_ino), path


def _error() -> OSError:
    return OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
