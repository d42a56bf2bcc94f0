# SPDX-License-Identifier: Apache-2.0
"""``lab.toml`` (docs/formats/campaign.md): a campaign's machines, how each worker is started."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wirecost.measure.campaign.definition import Table
from wirecost.system.errors import UserError
from wirecost.system.foreign import shell_line, shown
from wirecost.system.regular_file import read_regular

LARGEST = 1 << 16
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9@._:\[\]-]{0,254}")
LISTEN = re.compile(r"\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*")
SSH = ("ssh", "-T", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=15")
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class LabMachine:
    name: str
    command: tuple[str, ...]
    """Starts ``wirecost`` there; its arguments come behind."""
    by_ssh: bool

    def words(self, arguments: list[str]) -> list[str]:
        """Return what to run here. A shell on the other side of SSH takes the words apart."""
        if self.by_ssh:
            return [*self.command[:-1], shell_line(self.command[-1], *arguments)]
        return [*self.command, *arguments]


@dataclass(frozen=True)
class Lab:
    """``address``: where this machine's scheduler listens, which all machines reach."""

    address: str
    port: int
    machines: tuple[LabMachine, ...]


def here(name: str, wirecost: tuple[str, ...]) -> Lab:
    """Return a lab of this machine alone."""
    return Lab(LOOPBACK, 0, (LabMachine(name, wirecost, by_ssh=False),))


def read(path: Path) -> Lab:
    """Raise UserError: file, key, what is wrong there and what to write."""
    try:
        table = tomllib.loads(read_regular(path, LARGEST).decode())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; name a lab.toml") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"{path}: no TOML: {shown(error)}") from error
    try:
        return _lab(table)
    except ValueError as error:
        raise UserError(f"{path}: {error}") from error


def _lab(table: Table) -> Lab:
    """Raise ValueError."""
    _known(table, "", ("address", "port", "machine"))
    address, port = table.get("address"), table.get("port", 0)
    if not isinstance(address, str) or not LISTEN.fullmatch(address):
        raise ValueError(
            'address: give this machine\'s address, which the others reach: address = "10.0.0.1"'
        )
    if type(port) is not int or not 0 <= port <= 65535:
        raise ValueError("port: give a number from 1 to 65535, or leave it out")
    machines = table.get("machine")
    if not isinstance(machines, list) or not machines:
        raise ValueError("machine: is missing; write a table [[machine]] for each")
    parsed = tuple(_machine(number, entry) for number, entry in enumerate(machines, start=1))
    names = [machine.name for machine in parsed]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"machine {twice}: is there twice; name each once")
    return Lab(address, port, parsed)


def _machine(number: int, entry: Any) -> LabMachine:
    if not isinstance(entry, dict):
        raise ValueError("machine: is no table; write [[machine]]")
    name = entry.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise ValueError(f"machine {number}: name: give 1 to 64 letters, digits, - and _")
    _known(entry, f"machine {name}: ", ("name", "ssh", "start", "wirecost"))
    wirecost = entry.get("wirecost", "wirecost")
    if not isinstance(wirecost, str) or not wirecost or wirecost.startswith("-"):
        raise ValueError(f"machine {name}: wirecost: give the command's path on that machine")
    host, start = entry.get("ssh"), entry.get("start")
    if (host is None) == (start is None):
        raise ValueError(f'machine {name}: give either ssh = "user@host" or start = ["words"]')
    if host is not None:
        if not isinstance(host, str) or not HOST.fullmatch(host):
            raise ValueError(f"machine {name}: ssh: give user@host, or a host of your ssh_config")
        return LabMachine(name, (*SSH, host, wirecost), by_ssh=True)
    if not isinstance(start, list) or not all(isinstance(word, str) for word in start):
        raise ValueError(f'machine {name}: start: give a list of words, such as ["ip", "netns"]')
    return LabMachine(name, (*start, wirecost), by_ssh=False)


def _known(table: Table, where: str, keys: tuple[str, ...]) -> None:
    for key in table:
        if key not in keys:
            raise ValueError(f"{where}{shown(key)}: is unknown; there are {', '.join(keys)}")
