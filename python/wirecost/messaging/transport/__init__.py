# SPDX-License-Identifier: Apache-2.0
"""Middlewares that carry frames, one file each; ``base`` is what they have in common.

They are found by iterating over this package's modules. A module's ``TRANSPORTS`` holds its
classes; their names begin with the module's, as those of ``zeromq`` and ``zeromq-tcp`` do, so that
only it is imported when one of them is asked for.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from pathlib import Path

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
from wirecost.messaging.transport.package import Package
from wirecost.messaging.transport.quality import OWN, Quality
from wirecost.messaging.transport.shared.trailer import Count
from wirecost.system.errors import UserError

__all__ = [
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
    "find",
    "names",
    "open_transport",
]


def modules() -> list[str]:
    """Return the names of this package's modules: middlewares, and what they have in common."""
    return [one.name for one in pkgutil.iter_modules([str(Path(__file__).parent)])]


def names() -> list[str]:
    """Return all transports, whether usable here or not."""
    return [name for module in modules() for name in _classes(module)]


def find(name: str) -> type[Transport]:
    """The class of a transport. Raises UserError for a name that is none, with the nearest."""
    module = name.partition("-")[0]
    if module in modules() and (kind := _classes(module).get(name)):
        return kind
    near = difflib.get_close_matches(name, names(), 3, 0.4)
    raise UserError(f"transport {name!r} is unknown: did you mean {', '.join(near or names())}?")


def _classes(module: str) -> dict[str, type[Transport]]:
    found = importlib.import_module(f"wirecost.messaging.transport.{module}")
    return {one.name: one for one in getattr(found, "TRANSPORTS", ())}


def open_transport(name: str, address: str | None = None, quality: Quality = OWN) -> Transport:
    """Return a transport, ready for use. Raises UserError if it cannot be used here."""
    kind = find(name)
    if why := kind.missing():
        raise UserError(f"{name}: {why}")
    if quality is OWN:
        return kind(address)
    # Some have their settings from when they are made.
    asked: type[Transport] = type(kind.__name__, (kind,), {"quality": quality})
    return asked(address)
