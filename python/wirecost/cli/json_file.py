# SPDX-License-Identifier: Apache-2.0
"""``--json FILE``: a command's result for programs.

``-`` is standard output; the tables then go to standard error.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Annotated, Any

from wirecost.cli.options import option
from wirecost.results.report.choices import FIGURE_FORMATS
from wirecost.system import whole_file
from wirecost.system.errors import UserError
from wirecost.system.failed_write import failed_write
from wirecost.system.terminal import Console

PAGES = ("", ".html", ".htm")
JsonFile = Annotated[
    Path | None, option("Also write the result as JSON; - for stdout.", "--json", metavar="FILE")
]


def console_beside(json_file: Path | None) -> Console:
    return Console(stderr=json_file == Path("-"))


FIGURES_APART = "write figures in other formats with --figures DIR --format pdf"


def check_page(option: str, path: Path | None, others: str = FIGURES_APART) -> None:
    """Raise UserError where a page would get the name of another format, before any work.

    ``others``: how the command writes other formats.
    """
    if path is not None and path != Path("-") and path.suffix.lower() not in PAGES:
        raise UserError(f"{option} {path}: is an HTML page; name it {path.stem}.html, or {others}")
    check_writable(option, path)


def check_report(path: Path | None) -> None:
    """Raise UserError where ``--report``, a page or its graph alone, could not be written."""
    if is_figure(path):
        check_writable("--report", path)
    else:
        check_page("--report", path, "its graph .svg, .png or .pdf")


def is_figure(report: Path | None) -> bool:
    """Return whether ``--report`` is the graph alone."""
    return report is not None and report.suffix[1:] in FIGURE_FORMATS


def check_writable(option: str, path: Path | None, new_folder: Path | None = None) -> None:
    """Raise UserError where a file that is to be written after long work cannot be.

    Nothing is changed. ``new_folder``: a folder that the work makes, in which the file may be.
    """
    if path is None or path == Path("-") or (new_folder is not None and new_folder in path.parents):
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


def write_json(path: Path | None, document: Any) -> None:
    """Raise UserError where the file cannot be written."""
    if path is not None:
        from wirecost.results.records import json_document

        write_text("--json", path, json_document.text(document) + "\n")


def write_text(option: str, path: Path, text: str) -> None:
    """Write the file of an option; ``-`` is standard output.

    Raises UserError where it cannot be written.
    """
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        # The target of a user's own link is replaced, not the link.
        whole_file.write_text(path.resolve() if path.is_file() else path, text)
    except (OSError, UnicodeEncodeError) as error:
        raise failed_write(path, error, f"name a writable {option} file") from error
