# SPDX-License-Identifier: Apache-2.0
"""What a worker process prints goes to a file: Dask, Python and libraries print there what is
neither for the user's terminal nor part of ``--json -``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from wirecost.printable import shown

TAIL = 4096
"""Bytes at a file's end in which its last line is looked for."""


def dask_setup(worker: Any) -> None:
    """Dask calls it in each worker before that gets any work (``distributed.worker.preload``)."""
    import dask  # noqa: PLC0415 - an extra

    redirect(Path(dask.config.get("temporary-directory")), worker.name)


def redirect(folder: Path, name: object) -> None:
    """From here on this process's standard output and standard error."""
    file = os.open(_path(folder, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for output in (1, 2):
        os.dup2(file, output)
    os.close(file)


def last_line(folder: Path, name: object) -> str:
    """Of what that worker and those before it in its place printed; empty if that was nothing."""
    try:
        with _path(folder, name).open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - TAIL))
            lines = file.read().decode(errors="replace").split("\n")
    except OSError:
        return ""
    return shown(next((line for line in reversed(lines) if line.strip()), ""))


def _path(folder: Path, name: object) -> Path:
    return folder / f"worker-{name}.txt"
