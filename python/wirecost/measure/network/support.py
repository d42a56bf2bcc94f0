# SPDX-License-Identifier: Apache-2.0
"""Parts that this machine lacks for networks of its own, on one line each."""

from __future__ import annotations

import os
from functools import cache

from wirecost.measure.network import relay
from wirecost.measure.network.namespace import Namespace, NetworkError, program
from wirecost.measure.network.profiles import Profile
from wirecost.system.errors import UserError

PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "ping": "iputils-ping"}
"""Each with its Debian package."""
RIGHT = "run as root, or under `unshare --user --map-root-user`"
TUN = "/dev/net/tun"


def missing(profile: Profile) -> str | None:
    """Return why the profile cannot be had here and what to do, or None."""
    absent = [name for name in PROGRAMS if program(name) is None]
    if absent:
        packages = sorted({PROGRAMS[name] for name in absent})
        return f"{', '.join(absent)} not found: apt install {' '.join(packages)}"
    try:
        namespace = Namespace()
    except NetworkError as error:
        return f"no network namespace can be made ({error}): {RIGHT}"
    with namespace:
        if why := _without(namespace, "veth", "link add veth0 type veth peer name veth1"):
            return why
        if not profile.needs_delay:
            bridge = _without(namespace, "bridge", "link add br0 type bridge")
            return bridge or (None if _has_queue(namespace, "tbf") else _no_queue("tbf"))
    return None if has_netem() else _without_relay()


def instead(profile: Profile) -> str | None:
    """Return what stands in for a queue that this kernel lacks; None where nothing does."""
    if not profile.needs_delay or has_netem():
        return None
    return (
        f"network {profile.name}: this kernel has no netem; wirecost's own relay delays and drops "
        "packets instead, in user space"
    )


@cache
def has_netem() -> bool:
    """Return whether this kernel can delay packets."""
    with Namespace() as namespace:
        return _has_queue(namespace, "netem")


def _without(namespace: Namespace, module: str, command: str) -> str | None:
    try:
        namespace.ip(command)
    except NetworkError as error:
        return f"no {module} device ({error}): {RIGHT}, and load the kernel's module {module}"
    return None


def _has_queue(namespace: Namespace, kind: str) -> bool:
    options = {"tbf": ("rate", "1mbit", "burst", "3028", "limit", "10000"), "netem": ()}[kind]
    try:
        namespace.run("tc", "qdisc", "add", "dev", "lo", "root", kind, *options)
    except NetworkError:
        return False
    return True


def _no_queue(kind: str) -> str:
    return f"this kernel has no sch_{kind}: load the kernel's module sch_{kind}"


def _without_relay() -> str | None:
    """Return what the relay lacks."""
    why = _no_queue("netem")
    if not os.access(TUN, os.R_OK | os.W_OK):
        return f"{why}, or make {TUN} accessible for wirecost's own relay"
    try:
        if not relay.program().is_file():
            return f"{why}, or install wirecost whole: {relay.program()} is missing"
    except UserError as error:
        return f"{why}; for wirecost's own relay: {error}"
    return None
