# SPDX-License-Identifier: Apache-2.0
"""Archive of an FMU, checked before it is unpacked: anybody may have made it."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

from fmpy import extract

from wirecost.system import scratch
from wirecost.system.errors import UserError
from wirecost.system.foreign import printable, shortened
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


class Extracted:
    """Archive unpacked into a temporary folder, with its description's variables by name."""

    def __init__(self, path: Path, description: Any) -> None:
        self.path = path
        self._extracted = scratch.make("fmu")
        self.folder = str(self._extracted)
        try:
            extract(str(path), self.folder)
        except Exception as error:  # zipfile and FMPy raise many kinds
            self.remove()
            raise UserError(
                f"{path}: cannot be unpacked ({reason(error)}); make room, or build it again"
            ) from error
        self.variables = {v.name: v for v in description.modelVariables}
        self.arguments = {
            "guid": description.guid,
            "unzipDirectory": self.folder,
            "modelIdentifier": description.coSimulation.modelIdentifier,
            "instanceName": path.stem,
        }

    def reference(self, name: str) -> int:
        """Return the value reference of a variable. Raises UserError where it has none."""
        if name not in self.variables:
            raise UserError(f"{self.path}: has no variable {name}; is it a wirecost FMU?")
        return int(self.variables[name].valueReference)

    def load(self, kind: type) -> Any:
        """Return FMPy's FMU of that kind. Raises UserError if its library cannot be loaded."""
        try:
            return kind(**self.arguments)
        except Exception as error:
            self.remove()
            raise UserError(
                f"{self.path}: cannot be loaded ({reason(error)}); build it again"
            ) from error

    def remove(self) -> None:
        scratch.remove(self._extracted)
