# SPDX-License-Identifier: Apache-2.0
"""Middlewares that carry frames, one file each; ``base`` is what they have in common.

They are found by iterating over this package's modules. A module's ``TRANSPORTS`` holds its
classes; their names begin with the module's, as those of ``zeromq`` and ``zeromq-tcp`` do, so that
only it is imported when one of them is asked for. It also declares ``settings`` and, where their
ends can meet between hosts, ``MEETINGS``: see the modules of these names.
"""

from __future__ import annotations

import difflib
from functools import cache
from pathlib import Path
from typing import Any

from wirecost.messaging.transport.base import (
    Capabilities,
    Publisher,
    Replier,
    Request,
    Requester,
    Sample,
    Subscriber,
    Transport,
)
from wirecost.messaging.transport.meeting import Meeting
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.shared.trailer import Count
from wirecost.system.errors import UserError
from wirecost.system.plugins import load_plugin, load_plugins, module_names

SHARED_MEMORY = "iceoryx2"
"""The middleware to install where none has shared memory: messages of any size cost it the same."""
_FOLDER = Path(__file__).parent

__all__ = [
    "SHARED_MEMORY",
    "Capabilities",
    "Count",
    "Package",
    "Publisher",
    "Replier",
    "Request",
    "Requester",
    "Sample",
    "Subscriber",
    "Transport",
    "declared",
    "find",
    "meetings",
    "names",
    "open_transport",
]


def modules() -> list[str]:
    """Return the names of this package's modules: middlewares, and what they have in common."""
    return module_names(_FOLDER)


def names() -> list[str]:
    """Return all transports, whether usable here or not."""
    return [name for module in modules() for name in _classes(module)]


def find(name: str) -> type[Transport]:
    """Return the class of a transport.

    Raises UserError for a name that is none, with the nearest.
    """
    module = name.partition("-")[0]
    if module in modules() and (kind := _classes(module).get(name)):
        return kind
    near = difflib.get_close_matches(name, names(), 3, 0.4)
    raise UserError(f"middleware {name!r} is unknown: did you mean {', '.join(near or names())}?")


def _classes(module: str) -> dict[str, type[Transport]]:
    classes: tuple[type[Transport], ...] = getattr(load_plugin(__name__, module), "TRANSPORTS", ())
    return {kind.name: kind for kind in classes}


def declared(name: str) -> dict[str, Any]:
    """Return what the modules of transports declare under a name, by the module's name."""
    return load_plugins(__name__, _FOLDER, name)


@cache
def meetings() -> dict[str, Meeting]:
    """Return where ends meet, by the name of the transport, where its module declares it."""
    return {name: kind for every in declared("MEETINGS").values() for name, kind in every.items()}


def open_transport(name: str, address: str | None = None, quality: Quality = OWN) -> Transport:
    """Return a transport, ready for use. Raises UserError if it cannot be used here."""
    kind = find(name)
    if why := kind.missing():
        raise UserError(f"{name}: {why}")
    if quality is OWN:
        return kind(address)
    # Some have their settings from when they are made.
    configured: type[Transport] = type(kind.__name__, (kind,), {"quality": quality})
    return configured(address)
