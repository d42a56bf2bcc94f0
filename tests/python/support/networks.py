# SPDX-License-Identifier: Apache-2.0
"""Networks of one's own: loopback alone, and with a second interface, as every real machine has."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

SECOND_ADDRESS = "10.9.9.1"
NETWORKS = ("loopback", "second")
"""Loopback alone; and beside it an interface ``wired`` with ``SECOND_ADDRESS``, up and running."""
_UP = "ip link set lo up"
_SECOND = (
    f"{_UP}; ip link add wired type veth peer name far; ip addr add {SECOND_ADDRESS}/24 dev wired;"
    " ip link set wired up; ip link set far up; ip route add default via 10.9.9.2"
)
_USER = 54321


def inside(network: str, *, ordinary: bool = False) -> list[str]:
    """Return words that run a command in a network of its own.

    ``ordinary``: as a user who is not root. Skips where the kernel gives none."""
    up = _UP if network == "loopback" else _SECOND
    drop = f"setpriv --reuid {_USER} --regid {_USER} --clear-groups " if ordinary else ""
    words = ["unshare", "--net", "sh", "-ec", f'{up}; exec {drop}"$@"', "sh"]
    if subprocess.run([*words, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("this kernel gives no network of one's own")
    return words


def run_inside(
    network: str, command: Sequence[str | Path], *, ordinary: bool = False, timeout_s: float = 120
) -> subprocess.CompletedProcess[str]:
    """Run a command there and keep what it prints."""
    return subprocess.run(
        [*inside(network, ordinary=ordinary), *map(str, command)],
        capture_output=True, text=True, check=False, timeout=timeout_s,
    )  # fmt: skip
