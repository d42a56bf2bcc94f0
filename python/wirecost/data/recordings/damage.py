# SPDX-License-Identifier: Apache-2.0
"""One line for any error that a damaged file raises in a library that reads it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.foreign import shown
from wirecost.system.regular_file import open_regular

REINDEX = "ros2 bag reindex"
"""What may mend a file of ROS 2."""


def refuse_no_file(path: Path) -> None:
    """Raise UserError on an empty file, a pointer of Git LFS, and what is no regular file."""
    try:
        with open_regular(path) as file:
            is_empty = not file.read(1)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from error
    if is_empty:
        raise UserError(f"{path}: is empty; record it again")


@contextmanager
def damage(path: Path, command: str) -> Iterator[None]:
    """Raise any error as UserError. ``command``: what may mend the file."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # whatever a damaged file makes of the library
        said = shown(str(error).replace(str(path), path.name) or type(error).__name__)
        raise UserError(f"{path}: cannot be read ({said}); `{command}` may mend it") from error
