# SPDX-License-Identifier: Apache-2.0
"""Leftovers of processes killed in the middle of a call, which iceoryx2 does not clear away itself.

``settings`` is the part ``global_cfg`` of its configuration.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

UNFINISHED_S = 2.0
"""Seconds that making a service or a node may take; iceoryx2 itself waits for one."""


def clear_services(settings: Any) -> None:
    """Remove services whose maker was killed while making them.

    Nobody can open those, and iceoryx2 takes them for ones that will be ready soon.
    """
    folder = Path(settings.root_path.to_string()) / settings.service.directory.to_string()
    suffix = settings.service.static_config_storage_suffix.to_string()
    for path in folder.glob(f"{settings.prefix.to_string()}*{suffix}"):
        with suppress(OSError):
            status = path.lstat()
            # Its last step is to make the file read-only.
            if status.st_mode & stat.S_IWUSR and _is_old(status):
                path.unlink()


def clear_nodes(settings: Any) -> None:
    """Remove the files of dead nodes none of whose services exists any more.

    iceoryx2 looks for the service and gives up. To be called after its own cleaning.
    """
    root, prefix = Path(settings.root_path.to_string()), settings.prefix.to_string()
    nodes = root / settings.node.directory.to_string()
    services = root / settings.service.directory.to_string()
    service_suffix = settings.service.static_config_storage_suffix.to_string()
    tag_suffix = settings.node.service_tag_suffix.to_string()
    monitor_suffix = settings.node.monitor_suffix.to_string()
    for monitor in nodes.glob(f"{prefix}*{monitor_suffix}"):
        number = monitor.name[len(prefix) : -len(monitor_suffix)]
        if not number.isdecimal() or (int(number) >> 64) & 0xFFFFFFFF == os.getpid():
            # Looking for locks of one's own process would end them.
            continue
        with suppress(OSError), _nobodys(monitor):
            folder = nodes / number
            tags = (path.name.removesuffix(tag_suffix) for path in folder.glob(f"*{tag_suffix}"))
            if any((services / f"{tag}{service_suffix}").exists() for tag in tags):
                continue
            for path in (*folder.glob(f"{prefix}*"), *nodes.glob(f"{monitor.name}*")):
                path.unlink()
            folder.rmdir()


@contextmanager
def _nobodys(monitor: Path) -> Iterator[None]:
    """Raise BlockingIOError where the node's process lives."""
    file = os.open(monitor, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _is_old(os.fstat(file)):
            raise BlockingIOError
        yield
    finally:
        os.close(file)


def _is_old(found: os.stat_result) -> bool:
    return found.st_uid == os.getuid() and time.time() - found.st_mtime > UNFINISHED_S
