# SPDX-License-Identifier: Apache-2.0
"""Cost of a message from one component to the next, and how to make it cheap."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from wirecost.system import documented_names, parts
from wirecost.system.extras import missing

if TYPE_CHECKING:
    from wirecost.data.columns.opened import open_recording
    from wirecost.messaging.api import publish, request, serve, subscribe
    from wirecost.messaging.tensor import register, to_host

__all__ = [
    "open_recording",
    "publish",
    "register",
    "request",
    "serve",
    "subscribe",
    "to_host",
]

documented_names.install()
parts.install()

# Commands and other programs must not pay for NumPy that they do not use.
_HOMES = {
    "open_recording": "wirecost.data.columns.opened",
    "register": "wirecost.messaging.tensor",
    "to_host": "wirecost.messaging.tensor",
}


def __getattr__(name: str) -> Any:
    if f"{__name__}.{name}" in documented_names.HOMES:
        return importlib.import_module(f"{__name__}.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        home = importlib.import_module(_HOMES.get(name, "wirecost.messaging.api"))
        value = getattr(home, name)
    except ImportError as error:
        absent = missing(error)
        if absent is None:
            raise
        raise ModuleNotFoundError(f"wirecost.{name}: {absent}", name=error.name) from error
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
