# SPDX-License-Identifier: Apache-2.0
"""Contenders that can leave the machine, and the addresses at which their ends meet."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from wirecost.measure.bench.tensor.contenders import contender_names, find_contender
from wirecost.system.errors import UserError


@cache
def forms() -> dict[str, str]:
    """Return the forms that ``--address`` takes; a contender without one stays on one machine."""
    all_forms = {name: find_contender(name, 0).address_form for name in contender_names()}
    return {name: form for name, form in all_forms.items() if form}


def parse(options: Iterable[str]) -> dict[str, str]:
    """Return the addresses of ``NAME=ADDRESS`` by name. Raises UserError."""
    addresses = {}
    for option in options:
        name, equals, address = option.partition("=")
        if not equals or not address or name not in forms():
            usable = ", ".join(f"{name}={form}" for name, form in forms().items())
            raise UserError(f"--address {option}: give one of {usable}")
        addresses[name] = address
    return addresses


def refusal(name: str, addresses: dict[str, str], loopback: bool) -> str | None:
    """Return why a contender cannot reach the other machine; ``loopback``: it is this one."""
    if name not in forms():
        return "same machine only"
    if name not in addresses and not loopback:
        return f"stays on this machine without an address: give --address {name}={forms()[name]}"
    return None
