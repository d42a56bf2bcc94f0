# SPDX-License-Identifier: Apache-2.0
"""Which ways leave the machine, and where each must be told that they meet."""

from __future__ import annotations

from functools import cache

from wirecost.bench.tensor.ways import find_way, known
from wirecost.errors import UserError


@cache
def forms() -> dict[str, str]:
    """What ``--address`` gets of each; whoever is not here stays on one machine."""
    found = {name: find_way(name, 0).address_form for name in known()}
    return {name: form for name, form in found.items() if form}


def parse(options: list[str]) -> dict[str, str]:
    """Of ``NAME=ADDRESS``. Raises UserError."""
    found = {}
    for option in options:
        name, equals, address = option.partition("=")
        if not equals or not address or name not in forms():
            usable = ", ".join(f"{name}={form}" for name, form in forms().items())
            raise UserError(f"--address {option}: give one of {usable}")
        found[name] = address
    return found


def refusal(name: str, addresses: dict[str, str], loopback: bool) -> str | None:
    """Why a way cannot reach the other machine; ``loopback``: it is this one."""
    if name not in forms():
        return "same machine only"
    if name not in addresses and not loopback:
        return f"stays on this machine unless told: give --address {name}={forms()[name]}"
    return None
