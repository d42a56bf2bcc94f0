# SPDX-License-Identifier: Apache-2.0
"""Dependencies of the output in the syntax of Make, which Ninja and CMake read too."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from wirecost.schema.compile.schema import Schema
from wirecost.system.errors import UserError


def dependencies(targets: Iterable[Path], schema: Schema) -> str:
    """Return a rule by which the targets depend on each file that the schema was read from.

    Raises UserError for names that cannot be written so.
    """
    read = dict.fromkeys(path for file in schema.files for path in file.sources)
    sources = [_escaped(path) for path in read]
    rule = " \\\n  ".join([" ".join(map(_escaped, targets)) + ":", *sources])
    # Without a rule of its own, a schema that is gone would end the build.
    return "".join(f"{line}\n" for line in (rule, *(f"{source}:" for source in sources)))


def _escaped(path: Path) -> str:
    name = str(path)
    if not name.isprintable() or name.endswith("\\"):
        raise UserError(f"{path}: cannot stand in a depfile; rename it")
    # A backslash escapes only before these; where it is one, it needs another.
    return re.sub(r"(\\*)([ #:])", r"\1\1\\\2", name).replace("$", "$$")
