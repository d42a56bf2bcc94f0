# SPDX-License-Identifier: Apache-2.0
"""``--json FILE``: a command's result for programs; ``-`` is standard output, the tables then go to
standard error."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Annotated, Any

from rich.console import Console

from wirecost.cli.options import option
from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write

PAGES = ("", ".html", ".htm")
JsonFile = Annotated[
    Path | None, option("Also write the result as JSON; - for stdout.", "--json", metavar="FILE")
]


def console_beside(json_file: Path | None) -> Console:
    return Console(stderr=json_file == Path("-"))


def check_page(option: str, path: Path | None) -> None:
    """Raise UserError where a page would get the name of another format, before any work."""
    if path is not None and path != Path("-") and path.suffix.lower() not in PAGES:
        raise UserError(
            f"{option} {path}: is an HTML page; name it {path.stem}.html, or write figures in "
            "other formats with --figures DIR --format pdf"
        )
    check_writable(option, path)


def check_writable(option: str, path: Path | None, made: Path | None = None) -> None:
    """Raise UserError where a file that is to be written after long work cannot be. Changes
    nothing. ``made``: a folder that the work makes, in which the file may be."""
    if path is None or path == Path("-") or (made is not None and made in path.parents):
        return
    found = Path(os.path.realpath(path))  # of a link, where it leads
    if found.is_dir():
        reason = os.strerror(errno.EISDIR)
    elif not (found if found.exists() else found.parent).exists():
        reason = os.strerror(errno.ENOENT)
    elif not os.access(found if found.exists() else found.parent, os.W_OK):
        reason = "cannot be written"
    else:
        _check_room(option, path, found)
        return
    raise UserError(f"{path}: {reason}; name a writable {option} file")


def _check_room(option: str, path: Path, found: Path) -> None:
    """A device has no folder to write into."""
    if found.is_file() or not found.exists():
        try:
            whole_file.check_room(found.parent)
        except OSError as error:
            raise failed_write(path, error, f"name a writable {option} file") from error


def write_json(path: Path | None, document: Any) -> None:
    """Raise UserError where the file cannot be written."""
    if path is not None:
        from wirecost.results.records import json_document

        write_text("--json", path, json_document.text(document) + "\n")


def write_text(option: str, path: Path, text: str) -> None:
    """A file that an option asks for; ``-`` is standard output. Raises UserError where it cannot be
    written."""
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        # What a link of the user's own leads to is replaced, not the link.
        whole_file.write_text(path.resolve() if path.is_file() else path, text)
    except (OSError, UnicodeEncodeError) as error:
        raise failed_write(path, error, f"name a writable {option} file") from error
