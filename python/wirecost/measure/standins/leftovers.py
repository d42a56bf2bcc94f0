# SPDX-License-Identifier: Apache-2.0
"""Ports in shared memory that dead processes of Fast DDS left in a domain.

Those of another version of Fast DDS are of another form, and messages sent there are lost.
"""

from __future__ import annotations

import fcntl
import re
from contextlib import suppress
from pathlib import Path

FOLDER = Path("/dev/shm")
LOCK = "_el"
"""End of the name of the file that the process which listens at a port has locked."""
_PORT = re.compile(r"(?:sem\.)?((?:fastrtps|fastdds)_port(\d+))(?:_el|_mutex)?")
_FIRST, _PORTS = 7400, 250
"""First port of domain 0, and ports of each domain."""


def remove_dead_ports(domain: int, folder: Path = FOLDER) -> None:
    """Remove the ports of a domain at which nobody listens."""
    ports = range(_FIRST + _PORTS * domain, _FIRST + _PORTS * (domain + 1))
    for path in folder.glob("*_port*"):
        name = _PORT.fullmatch(path.name)
        if name and int(name[2]) in ports and not _is_held(folder / f"{name[1]}{LOCK}"):
            with suppress(OSError):
                path.unlink()


def _is_held(lock: Path) -> bool:
    try:
        with lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
