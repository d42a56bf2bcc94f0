# SPDX-License-Identifier: Apache-2.0
"""Which contenders can leave the machine, and the addresses at which their ends meet."""

from __future__ import annotations

from functools import cache

from wirecost.measure.bench.tensor.contenders import find_contender, known
from wirecost.system.errors import UserError


@cache
def forms() -> dict[str, str]:
    """Return what ``--address`` takes for each; a contender that is not here stays on one
    machine."""
    found = {name: find_contender(name, 0).address_form for name in known()}
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
    """Why a contender cannot reach the other machine; ``loopback``: it is this one."""
    if name not in forms():
        return "same machine only"
    if name not in addresses and not loopback:
        return f"stays on this machine without an address: give --address {name}={forms()[name]}"
    return None
