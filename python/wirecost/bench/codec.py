# SPDX-License-Identifier: Apache-2.0
"""A contender that is a codec, as its program lists it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Codec:
    name: str
    mode: str
    wire: str
    library: str
    guarantees: str

    @property
    def key(self) -> str:
        """Its name within a case."""
        return f"{self.name}/{self.mode}/{self.wire}"

    @property
    def about(self) -> dict[str, str]:
        """What the result folder's metadata has of it."""
        return {"wire": self.wire, "library": self.library, "guarantees": self.guarantees}
