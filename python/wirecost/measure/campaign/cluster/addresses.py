# SPDX-License-Identifier: Apache-2.0
"""Addresses of schedulers, and which of them are refused."""

from __future__ import annotations

import re

from wirecost.system.errors import UserError
from wirecost.system.foreign import shown

ADDRESS = re.compile(r"(tls|tcp)://(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+):(\d{1,5})")
PLAIN = "--trust-plain-tcp"


def check_address(address: str, keys: str | None, trust_plain: bool) -> None:
    """Raise UserError for what is no address, and for plain TCP, unless it is trusted by name.

    Everybody who reaches plain TCP can run any program as the user.
    """
    match = ADDRESS.fullmatch(address)
    if match is None or not int(match[3]) <= 65535:
        raise UserError(f"{shown(address)}: give an address, such as tls://10.0.0.1:8786")
    if match[1] == "tls" and keys is None:
        raise UserError(f"{address}: give its --keys FILE, which `wirecost campaign keys` makes")
    if match[1] == "tcp" and not trust_plain:
        raise UserError(
            f"{address}: plain TCP lets everybody who reaches it run programs as you; use tls://"
            f" with --keys, or {PLAIN} if nobody else can reach it"
        )


def host_of(address: str) -> str:
    """Return the host of a checked address."""
    match = ADDRESS.fullmatch(address)
    assert match is not None
    return match[2].strip("[]")
