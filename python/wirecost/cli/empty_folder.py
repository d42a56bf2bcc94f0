# SPDX-License-Identifier: Apache-2.0
"""Check of a folder that a command is to fill, before its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.whole_file import check_room, made_folder


@contextmanager
def empty_folder(path: Path) -> Iterator[None]:
    """Make a folder that a command fills.

    Where its context ends with an error, a new folder that is still empty is removed. Raises
    UserError where something is in it, and where not even a page can be written into it.
    """
    with ExitStack() as stack:
        try:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise UserError(f"{path}: exists and is not empty; name another folder with --out")
            stack.enter_context(made_folder(path))
            check_room(path)
        except (OSError, ValueError) as error:
            raise failed_write(path, error, "name a writable --out") from error
        yield
