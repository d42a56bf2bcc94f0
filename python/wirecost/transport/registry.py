# SPDX-License-Identifier: Apache-2.0
"""The transports by name; a module is imported when its transport is asked for."""

from __future__ import annotations

import difflib
import importlib

from wirecost.errors import UserError
from wirecost.transport.base import Transport

MODULES = {
    "iceoryx2": "iceoryx2",
    "zeromq": "zeromq",
    "zeromq-tcp": "zeromq",
    "zenoh": "zenoh",
    "zenoh-shm": "zenoh_shm",
    "ecal": "ecal",
    "dds": "dds",
    "ros1": "ros1",
    "websocket": "websocket",
    "mqtt": "mqtt",
    "grpc": "grpc",
    "ros2": "ros2",
    "yarp": "yarp",
}
"""Module below ``wirecost.transport`` of each name; its ``TRANSPORTS`` holds the classes."""


def names() -> list[str]:
    """All transports, whether usable here or not."""
    return list(MODULES)


def find(name: str) -> type[Transport]:
    """The class of a transport. Raises UserError for a name that is none, with the nearest."""
    module = MODULES.get(name)
    if module is None:
        near = difflib.get_close_matches(name, MODULES, 3, 0.4)
        known = ", ".join(near or MODULES)
        raise UserError(f"transport {name!r} is unknown: did you mean {known}?")
    found = importlib.import_module(f"wirecost.transport.{module}")
    by_name: dict[str, type[Transport]] = {one.name: one for one in found.TRANSPORTS}
    return by_name[name]


def open_transport(name: str, address: str | None = None) -> Transport:
    """A transport, ready for use. Raises UserError if it cannot be used here."""
    kind = find(name)
    if why := kind.missing():
        raise UserError(f"{name}: {why}")
    return kind(address)
