# SPDX-License-Identifier: Apache-2.0
"""Huge pages for malloc: one fault for 2 MiB instead of 512."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from wirecost.observe.trial.remedy import Change

SETTING = Path("/sys/kernel/mm/transparent_hugepage/enabled")
TUNABLES = "GLIBC_TUNABLES"
FIRST = (2, 35)
"""The glibc that knows the tunable."""


class Huge:
    name = "huge"
    about = "transparent huge pages for glibc's malloc"
    price = "takes more memory"

    def refusal(self) -> str | None:
        library, version = platform.libc_ver()
        numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
        if library != "glibc" or numbers < FIRST:
            return f"needs glibc {FIRST[0]}.{FIRST[1]}, here is {library or 'another'} {version}"
        try:
            setting = SETTING.read_text()
        except OSError:
            return "the kernel has no transparent huge pages"
        if "[never]" in setting:
            return f"transparent huge pages are off; as root: echo madvise > {SETTING}"
        return None

    def change(self) -> Change:
        others = [text for text in (os.environ.get(TUNABLES),) if text]
        return Change(variables={TUNABLES: ":".join([*others, "glibc.malloc.hugetlb=1"])})


REMEDY = Huge()
