# SPDX-License-Identifier: Apache-2.0
"""Archive of an FMU, checked before anything is unpacked: anybody may have made it."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath

from wirecost.system.errors import UserError
from wirecost.system.printable import printable, shortened
from wirecost.system.regular_file import open_regular

DESCRIPTION = "modelDescription.xml"
LARGEST_DESCRIPTION = 64 << 20
MOST_BYTES = 2 << 30
"""Most bytes of all files unpacked."""
MOST_FILES = 10_000


def names(path: Path) -> list[str]:
    """Return the names of all files; they lead nowhere else and can be unpacked within bounds.

    Raises UserError.
    """
    try:
        with open_regular(path) as file, zipfile.ZipFile(file) as archive:
            entries = archive.infolist()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}; name an FMU") from error
    except Exception as error:  # zipfile raises many kinds
        raise UserError(f"{path}: not a readable FMU ({reason(error)}); build it again") from error
    sizes = {entry.filename: entry.file_size for entry in entries}
    for name in sizes:
        if name.startswith("/") or ".." in PurePosixPath(name).parts or "\\" in name:
            raise UserError(f"{path}: has a file {shown(name)} outside its folder; build it again")
    whole = sum(entry.file_size for entry in entries)
    if len(entries) > MOST_FILES or whole > MOST_BYTES:
        raise UserError(
            f"{path}: would become {len(entries):,} files of {whole:,} bytes, more than the "
            f"{MOST_FILES:,} and {MOST_BYTES:,} that an FMU may have; build it again"
        )
    if not 0 < sizes.get(DESCRIPTION, 0) <= LARGEST_DESCRIPTION:
        raise UserError(
            f"{path}: has no {DESCRIPTION} of up to {LARGEST_DESCRIPTION:,} bytes; build it again"
        )
    return list(sizes)


def reason(error: BaseException) -> str:
    """Return a library's complaint about an archive, short enough for a line."""
    return shown(str(error) or type(error).__name__)


def shown(text: str) -> str:
    return shortened(printable(text), 160)
