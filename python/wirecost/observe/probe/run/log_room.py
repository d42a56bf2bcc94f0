# SPDX-License-Identifier: Apache-2.0
"""Whether a thread's log has room in its folder: a program that has none records nothing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from wirecost.system.failed_write import failed_write

LOG_BYTES = 16 << 20
"""Bytes of a thread's log where WIRECOST_PROBE_SIZE does not say another number."""


def check_room(folder: Path) -> None:
    """Raise UserError where a log cannot be written into the folder."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            os.posix_fallocate(file.fileno(), 0, LOG_BYTES)
    except OSError as error:
        raise failed_write(folder, error, "name a writable folder with --out") from error
