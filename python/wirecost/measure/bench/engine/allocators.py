# SPDX-License-Identifier: Apache-2.0
"""Allocators to compare, each at its defaults and at settings against page faults.

The settings are those by which the allocator's own documentation avoids them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wirecost.measure.bench.engine.program import INSTALLED
from wirecost.observe.heap.launch import LIBRARY, Options, environment
from wirecost.system.allocation import VARIABLES
from wirecost.system.children import ProgramFailedError

DEFAULTS, LOW_FAULT = "defaults", "low-fault"
MODES = (DEFAULTS, LOW_FAULT)
MEBIBYTE = 1 << 20
POOL_BYTES = 64 * MEBIBYTE
"""The default of `wirecost heap run`."""


@dataclass(frozen=True)
class Allocator:
    """Allocator, and where its malloc lies.

    ``file``: begin of the name of the file that has its malloc; ``install``: advice where it is
    missing; ``settings``: its environment in the mode ``low-fault``.
    """

    name: str
    file: str
    install: str
    settings: tuple[tuple[str, str], ...]

    @property
    def preload(self) -> str:
        """Return the library to preload: one that was installed here, or the system's."""
        here = INSTALLED / "lib" / self.file
        return str(here) if here.is_file() else self.file


@dataclass(frozen=True)
class AllocatorContender:
    """Allocator in one of ``MODES``."""

    allocator: Allocator
    mode: str

    @property
    def key(self) -> str:
        return f"{self.allocator.name} {self.mode}"

    @property
    def settings(self) -> str:
        """Return the mode's settings in words."""
        if self.mode == DEFAULTS:
            return "defaults"
        if self.allocator.name == "wirecost":
            return "--huge"
        return " ".join(f"{name}={value}" for name, value in self.allocator.settings)

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return the environment to start a program with. Raises UserError if ours is missing."""
        # Without those that would change what a contender's defaults are.
        plain = {name: v for name, v in inherited.items() if not name.startswith(VARIABLES)}
        if self.allocator.name == "wirecost":
            huge = self.mode == LOW_FAULT
            plain = environment(Options(POOL_BYTES, False, huge, False, None, 5), plain)
        elif self.allocator.name != "glibc":
            plain["LD_PRELOAD"] = self.allocator.preload
        return plain | (dict(self.allocator.settings) if self.mode == LOW_FAULT else {})


def check_loaded(allocator: Allocator, file: str | None) -> None:
    """Check the file that a process has its malloc from. Raises ProgramFailedError."""
    if not Path(file or "").name.startswith(allocator.file):
        raise ProgramFailedError(
            f"the loader gave it malloc of {file}, not {allocator.file}; {allocator.install}"
        )


def loaded(line: str, allocator: Allocator | None) -> str:
    """Return the file that has a process's malloc, from the line that C++ programs print.

    Raises:
        ProgramFailedError: malloc or free is not ``allocator``'s.
    """
    kind, *files = line.split("\t")
    if kind != "allocator" or not files:
        raise ProgramFailedError("did not report its allocator")
    for file in files:
        if allocator is not None:
            check_loaded(allocator, file)
    return files[0]


ALLOCATORS = {
    allocator.name: allocator
    for allocator in (
        Allocator("wirecost", LIBRARY, "install wirecost again", ()),
        Allocator(
            "glibc",
            "libc.so",
            "the program needs a glibc that is linked dynamically",
            (
                (
                    "GLIBC_TUNABLES",
                    "glibc.malloc.trim_threshold=4294967296:glibc.malloc.mmap_threshold=1073741824:"
                    "glibc.malloc.top_pad=67108864:glibc.malloc.hugetlb=1",
                ),
            ),
        ),
        Allocator(
            "jemalloc",
            "libjemalloc.so.2",
            "sudo apt-get install libjemalloc2",
            (("MALLOC_CONF", "dirty_decay_ms:-1,muzzy_decay_ms:-1,thp:always"),),
        ),
        Allocator(
            "mimalloc",
            "libmimalloc.so.2",
            "sudo apt-get install libmimalloc2.0",
            (("MIMALLOC_ALLOW_DECOMMIT", "0"), ("MIMALLOC_LARGE_OS_PAGES", "1")),
        ),
        Allocator(
            "tlsf",
            "libwirecost-tlsf.so",
            "benchmarks/heap/tlsf/build in a checkout makes it (needs Rust)",
            (("WIRECOST_TLSF_POOL", str(POOL_BYTES)),),
        ),
    )
}
NAMED = {
    "glibc": AllocatorContender(ALLOCATORS["glibc"], DEFAULTS),
    "glibc-tuned": AllocatorContender(ALLOCATORS["glibc"], LOW_FAULT),
    **{
        name: AllocatorContender(ALLOCATORS[name], DEFAULTS)
        for name in ("jemalloc", "mimalloc", "tlsf", "wirecost")
    },
}
"""Contenders that other scenarios' programs can run under, by the name of an option."""
