# SPDX-License-Identifier: Apache-2.0
"""The Python contenders, one a file.

Every module here offers ``contenders()``, which raises ImportError with the remedy where something
is not installed; they are found by looking, in order of name.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any, Protocol

from wirecost.bench.codec import Codec
from wirecost.bench.notification.content import Value

FOLDED = 1 << 64


class PythonContender(Protocol):
    """A codec that carries a notification; messages are the contender's own objects."""

    codec: Codec

    def fill(self, value: Value) -> Any: ...

    def encode(self, message: Any) -> bytes: ...

    def decode(self, data: bytes) -> Any: ...

    def read(self, message: Any) -> int:
        """Touch every field; the same number for equal messages."""

    def value(self, message: Any) -> Value: ...


def all_contenders() -> tuple[list[PythonContender], dict[str, str]]:
    """The contenders that can run here, and why the others cannot."""
    found: list[PythonContender] = []
    missing: dict[str, str] = {}
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__)):
        try:
            found += importlib.import_module(f"{__name__}.{module}").contenders()
        except ImportError as error:
            missing[module.replace("_", "-")] = str(error)
    return found, missing
