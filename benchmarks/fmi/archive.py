# SPDX-License-Identifier: Apache-2.0
"""The FMU of this benchmark: one library, and the description that the C importer prints."""

from __future__ import annotations

import platform
import zipfile
from pathlib import Path
from typing import Any

from fmpy import read_model_description

from wirecost.measure.bench.engine.program import PROGRAMS, Program
from wirecost.measure.bench.osi.fmu_archive import Extracted
from wirecost.system.parts import BENCHMARKS

PROGRAM = Program("fmi", BENCHMARKS)
IDENTIFIER = "wirecost_fmi"
LIBRARY = PROGRAMS / f"{IDENTIFIER}.so"
_MACHINE = f"{platform.machine()}-linux"
PLATFORMS = {2: "linux64" if _MACHINE == "x86_64-linux" else _MACHINE, 3: _MACHINE}
"""Folders of libraries by FMI version."""
MESSAGE = "message"
"""Type of an FMU that has messages, and no values beside them."""


def pack(folder: Path, fmi: int, kind: str = MESSAGE, count: int = 0) -> Path:
    """Write the archive with so many values of a type and return its path."""
    path = folder / f"{IDENTIFIER}_{fmi}_{kind}_{count}.fmu"
    words = ("--fmi", str(fmi), "--type", kind, "--count", str(count))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("modelDescription.xml", _printed("describe", *words))
        if fmi == 3:
            archive.writestr("terminalsAndIcons/terminalsAndIcons.xml", _printed("terminals"))
        archive.write(LIBRARY, f"binaries/{PLATFORMS[fmi]}/{IDENTIFIER}.so")
    return path


def _printed(*words: str) -> str:
    return "".join(f"{line}\n" for line in PROGRAM.lines(*words))


def unpack(path: Path) -> Extracted:
    """Unpack an archive. Raises UserError."""
    description: Any = read_model_description(str(path), validate=False)
    return Extracted(path, description)
