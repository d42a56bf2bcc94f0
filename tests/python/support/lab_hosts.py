# SPDX-License-Identifier: Apache-2.0
"""Hosts of a campaign on one machine: network namespaces with a name and a state folder of their
own, each joined to this one by a cable. What they do not have is a kernel, and processors, of their
own: all have this boot's id.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ADDRESS = "198.18.1.1"
"""Of this machine, to all hosts."""
SCRIPT = 'hostname "$0" && exec "$@"'


@contextmanager
def lab(folder: Path, names: list[str]) -> Iterator[Path]:
    """A lab.toml with those hosts, until the end. Raises CalledProcessError where this user may
    not make them."""
    made: list[str] = []
    try:
        for number, name in enumerate(names, start=1):
            made.append(f"wirecost-{os.getpid()}-{name}")
            _join(made[-1], number)
        path = folder / "lab.toml"
        path.write_text(_text(folder, names, made))
        yield path
    finally:
        for namespace in made:
            subprocess.run(["ip", "netns", "delete", namespace], capture_output=True, check=False)


def _join(namespace: str, number: int) -> None:
    here, there = f"wc{os.getpid() % 100000}-{number}", "lab"
    _ip("netns", "add", namespace)
    _ip("link", "add", here, "type", "veth", "peer", "name", there, "netns", namespace)
    _ip("address", "add", f"198.18.{number}.1/24", "dev", here)
    _ip("link", "set", here, "up")
    _ip("-n", namespace, "address", "add", f"198.18.{number}.2/24", "dev", there)
    for device in (there, "lo"):
        _ip("-n", namespace, "link", "set", device, "up")
    _ip("-n", namespace, "route", "add", "default", "via", f"198.18.{number}.1")


def _text(folder: Path, names: list[str], namespaces: list[str]) -> str:
    lines = [f'address = "{ADDRESS}"']
    for name, namespace in zip(names, namespaces, strict=True):
        start = [
            "ip", "netns", "exec", namespace, "unshare", "--uts", "sh", "-c", SCRIPT, name, "env",
            f"WIRECOST_STATE={folder / f'state-{name}'}", sys.executable, "-P", "-m",
        ]  # fmt: skip
        lines += ["[[machine]]", f'name = "{name}"', f"start = {json.dumps(start)}"]
    return "\n".join(lines) + "\n"


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], capture_output=True, check=True)
