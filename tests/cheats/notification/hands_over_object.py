# SPDX-License-Identifier: Apache-2.0
"""Verified, it is honest; afterwards it sends nothing and decodes the sender's own object."""

from __future__ import annotations

from typing import Any

from cheats.notification.honest import Honest
from wirecost.bench.notification.backend import VERIFIED


class HandsOverObject(Honest):
    name = "hands-over-object"

    def __init__(self) -> None:
        super().__init__()
        self._calls = 0
        self._message: Any = None

    def encode(self, message: Any) -> bytes:
        self._calls += 1
        self._message = message
        return super().encode(message) if self._calls <= VERIFIED else b""

    def decode(self, data: bytes) -> Any:
        return super().decode(data) if data else self._message
