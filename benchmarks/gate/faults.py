# SPDX-License-Identifier: Apache-2.0
"""The faults that ``faults.cc`` has, and whether RealtimeSanitizer reports them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """A fault, or what looks like one; ``is_fault``: whether it can make a cycle late.

    ``rtsan``: whether LLVM's interceptors of RealtimeSanitizer list a function that it calls, in a
    program that is built with it and has the attribute.
    """

    name: str
    rtsan: bool = True
    is_fault: bool = True


FAULTS = (
    Fault("none", rtsan=False, is_fault=False),
    Fault("reserved vector", rtsan=False, is_fault=False),
    Fault("try_lock", rtsan=False, is_fault=False),
    Fault("clock", rtsan=False, is_fault=False),
    Fault("free mutex", is_fault=False),
    Fault("spin lock", is_fault=False),
    Fault("new, delete"),
    Fault("malloc, free"),
    Fault("vector grows"),
    Fault("long string"),
    Fault("std::function"),
    Fault("posix_memalign"),
    Fault("throw, catch"),
    Fault("held mutex"),
    Fault("condition"),
    Fault("sleep"),
    Fault("poll"),
    Fault("open, close"),
    Fault("write"),
    Fault("printf"),
    Fault("printf that is buffered"),
    Fault("std::cout"),
    Fault("fopen"),
    Fault("send, recv"),
    Fault("mmap, munmap"),
    Fault("thread"),
    Fault("syscall"),
    Fault("syscall instruction", rtsan=False),
    Fault("first touch", rtsan=False),
    Fault("copy on write", rtsan=False),
    Fault("lazy binding", rtsan=False),
)
