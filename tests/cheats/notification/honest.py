# SPDX-License-Identifier: Apache-2.0
"""An honest contender, for cheats to change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wirecost.bench.notification.content import Value
from wirecost.bench.notification.python_contenders import wirecost


class Honest:
    """Our generated codec of the ros1 wire under another name."""

    name = "honest"

    def __init__(self) -> None:
        (self._codec,) = [c for c in wirecost.contenders() if c.codec.key == "wirecost/new/ros1"]
        self.codec = replace(self._codec.codec, name=self.name)

    def fill(self, value: Value) -> Any:
        return self._codec.fill(value)

    def encode(self, message: Any) -> bytes:
        return self._codec.encode(message)

    def decode(self, data: bytes) -> Any:
        return self._codec.decode(data)

    def read(self, message: Any) -> int:
        return self._codec.read(message)

    def value(self, message: Any) -> Value:
        return self._codec.value(message)
