# SPDX-License-Identifier: Apache-2.0
"""Files of a command's answer: checked before the work, written after it."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write

STANDARD_OUTPUT = Path("-")


def check_writable(option: str, path: Path | None, new_folder: Path | None = None) -> None:
    """Raise UserError where a file that is to be written after long work cannot be.

    Nothing is changed. ``new_folder``: a folder that the work makes, in which the file may be.
    """
    if path is None or path == STANDARD_OUTPUT:
        return
    if new_folder is not None and new_folder in path.parents:
        return
    target = Path(os.path.realpath(path))  # where a link leads
    if target.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not (target if target.exists() else target.parent).exists():
        reason = os.strerror(errno.ENOENT)
    elif not os.access(target if target.exists() else target.parent, os.W_OK):
        reason = "cannot be written"
    else:
        _check_room(option, path, target)
        return
    raise UserError(f"{path}: {reason}; name a writable {option} file")


def _check_room(option: str, path: Path, target: Path) -> None:
    """Check that a page can be written, except to a device, which has no folder."""
    if target.is_file() or not target.exists():
        try:
            whole_file.check_room(target.parent)
        except OSError as error:
            raise failed_write(path, error, f"name a writable {option} file") from error


def write_text(option: str, path: Path, text: str) -> None:
    """Write the file of an option; ``-`` is standard output.

    Raises UserError where it cannot be written.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        # The target of a user's own link is replaced, not the link.
        whole_file.write_text(path.resolve() if path.is_file() else path, text)
    except (OSError, UnicodeEncodeError) as error:
        raise failed_write(path, error, f"name a writable {option} file") from error
