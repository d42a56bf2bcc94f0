# SPDX-License-Identifier: Apache-2.0
"""Our generated Python, pure and as an extension over the generated C++, for every wire."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Any

from wirecost.bench.codec import Codec
from wirecost.bench.notification.python_contenders import attributes
from wirecost.bench.program import PROGRAMS

GENERATED = PROGRAMS / "notification_python"
PACKAGES = {"wirecost": "wire", "wirecost-native": "wire_native"}


class Wirecost(attributes.Messages):
    """One package on one wire."""

    def __init__(self, name: str, wire: str) -> None:
        library = f"wirecost compile {version('wirecost')}"
        self.codec = Codec(name, "new", wire, library, "owning, validating, by reference")
        module = importlib.import_module(f"{PACKAGES[name]}.rsb.protocol.notification")
        super().__init__(lambda name: getattr(module, name.replace(".", "_")))
        self._encode = getattr(module.Notification, f"encode_{wire}")
        self.decode = getattr(module.Notification, f"decode_{wire}")

    def encode(self, message: Any) -> bytes:
        data: bytes = self._encode(message)
        return data


def contenders() -> list[Wirecost]:
    """Raises ImportError where the packages were not built."""
    if not GENERATED.is_dir():
        raise ImportError("install wirecost from a checkout with `make run`")
    sys.path.insert(0, str(GENERATED))
    return [Wirecost(name, wire) for name in PACKAGES for wire in ("protobuf", "ros1", "cdr")]
