# SPDX-License-Identifier: Apache-2.0
"""Which ways leave the machine, and where each must be told that they meet."""

from __future__ import annotations

from wirecost.errors import UserError

FORMS = {
    "zeromq-tcp": "tcp://PUBLISHER:PORT",
    "raw-zeromq-tcp": "tcp://PUBLISHER:PORT",
    "zenoh": "tcp/ROUTER:PORT",
    "zenoh-shm": "tcp/ROUTER:PORT",
    "raw-zenoh": "tcp/LISTENER:PORT",
    "dds": "DOMAIN@INTERFACE",
    "ros1": "http://MASTER:PORT",
    "websocket": "ws://PUBLISHER:PORT",
    "mqtt": "BROKER:PORT",
    "grpc": "PUBLISHER:PORT",
    "ros2": "DOMAIN",
    "yarp": "NAMESPACE",
}
"""What ``--address`` gets of each; whoever is not here stays on one machine."""


def parse(options: list[str]) -> dict[str, str]:
    """Of ``NAME=ADDRESS``. Raises UserError."""
    found = {}
    for option in options:
        name, equals, address = option.partition("=")
        if not equals or not address or name not in FORMS:
            forms = ", ".join(f"{name}={form}" for name, form in FORMS.items())
            raise UserError(f"--address {option}: give one of {forms}")
        found[name] = address
    return found


def refusal(name: str, addresses: dict[str, str], loopback: bool) -> str | None:
    """Why a way cannot reach the other machine; ``loopback``: it is this one."""
    if name not in FORMS:
        return "same machine only"
    if name not in addresses and not loopback:
        return f"stays on this machine unless told: give --address {name}={FORMS[name]}"
    return None
