# SPDX-License-Identifier: Apache-2.0
"""Messages with tensors in them between processes: publish, subscribe, request, serve.

Joins ``wirecost.tensor``, which makes frames of objects, and ``wirecost.transport``, which carries
them. Everything here may be used by several threads, and closed by any of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wirecost.messaging.api.client import Client, request
    from wirecost.messaging.api.publication import Publication, publish
    from wirecost.messaging.api.service import Asked, Service, serve
    from wirecost.messaging.api.subscription import Subscription, subscribe

__all__ = [
    "Asked",
    "Client",
    "Publication",
    "Service",
    "Subscription",
    "publish",
    "request",
    "serve",
    "subscribe",
]

# Commands list open topics without what sends and receives messages.
_HOMES = {
    "Client": "client",
    "request": "client",
    "Publication": "publication",
    "publish": "publication",
    "Asked": "service",
    "Service": "service",
    "serve": "service",
    "Subscription": "subscription",
    "subscribe": "subscription",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Whole before its parts: threads that begin at different ones would wait for each other.
    importlib.import_module("wirecost.messaging.tensor")
    return getattr(importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
