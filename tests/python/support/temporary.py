# SPDX-License-Identifier: Apache-2.0
"""Folders that last as long as the process, for modules that are made once and then imported."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path


def folder_until_exit() -> Path:
    folder = tempfile.mkdtemp(prefix="wirecost-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)
