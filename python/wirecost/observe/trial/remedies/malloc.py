# SPDX-License-Identifier: Apache-2.0
"""Settings of glibc's malloc: memory that was freed is kept, not returned and faulted in again."""

from __future__ import annotations

from wirecost.observe.trial.remedy import Change

NEVER = str(1 << 62)
NONE = "0"
TOP_PAD = str(64 << 20)


class Malloc:
    name = "malloc"
    about = "glibc's malloc keeps freed memory: never trims, never uses mmap"
    price = "keeps peak memory"

    def refusal(self) -> str | None:
        return None

    def change(self) -> Change:
        return Change(
            variables={
                "MALLOC_TRIM_THRESHOLD_": NEVER,
                "MALLOC_MMAP_MAX_": NONE,
                "MALLOC_TOP_PAD_": TOP_PAD,
            }
        )


REMEDY = Malloc()
