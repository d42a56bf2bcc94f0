# SPDX-License-Identifier: Apache-2.0
"""The allocators that are compared, each at its defaults and at the settings by which its own
documentation avoids page faults."""

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
    """``file``: how the name of the file begins in which its malloc lies; ``install``: what brings
    it where it is missing; ``settings``: its environment in the mode ``low-fault``."""

    name: str
    file: str
    install: str
    settings: tuple[tuple[str, str], ...]

    @property
    def preload(self) -> str:
        """What the loader is given: a library that was installed here, or the system's."""
        here = INSTALLED / "lib" / self.file
        return str(here) if here.is_file() else self.file


@dataclass(frozen=True)
class AllocatorContender:
    """An allocator in one of ``MODES``."""

    allocator: Allocator
    mode: str

    @property
    def key(self) -> str:
        return f"{self.allocator.name} {self.mode}"

    @property
    def settings(self) -> str:
        """The mode's settings in words."""
        if self.mode == DEFAULTS:
            return "defaults"
        if self.allocator.name == "wirecost":
            return "--huge"
        return " ".join(f"{name}={value}" for name, value in self.allocator.settings)

    def environment(self, inherited: Mapping[str, str]) -> dict[str, str]:
        """Return what a program is started with. Raises UserError where ours is not installed."""
        # Without those that would change what a contender's defaults are.
        plain = {name: v for name, v in inherited.items() if not name.startswith(VARIABLES)}
        if self.allocator.name == "wirecost":
            huge = self.mode == LOW_FAULT
            plain = environment(Options(POOL_BYTES, False, huge, False, None, 5), plain)
        elif self.allocator.name != "glibc":
            plain["LD_PRELOAD"] = self.allocator.preload
        return plain | (dict(self.allocator.settings) if self.mode == LOW_FAULT else {})


def check_loaded(allocator: Allocator, file: str | None) -> None:
    """``file``: in which a process's malloc lies. Raises ProgramFailedError where that is not the
    allocator's."""
    if not Path(file or "").name.startswith(allocator.file):
        raise ProgramFailedError(
            f"the loader gave it malloc of {file}, not {allocator.file}; {allocator.install}"
        )


def loaded(line: str, allocator: Allocator | None) -> str:
    """Return the file that a process's malloc lies in, of the line that C++ programs print of it.

    Raises:
        ProgramFailedError: malloc or free is another one's than ``allocator``'s.
    """
    kind, *files = line.split("\t")
    if kind != "allocator" or not files:
        raise ProgramFailedError("did not report its allocator")
    for file in files:
        if allocator is not None:
            check_loaded(allocator, file)
    return files[0]


ALLOCATORS = {
    one.name: one
    for one in (
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
            "cpp/bench/heap/tlsf/build in a checkout makes it (needs Rust)",
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
"""What other scenarios run their contenders under, by the name of an option."""
