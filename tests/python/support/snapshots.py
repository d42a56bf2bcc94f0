# SPDX-License-Identifier: Apache-2.0
"""Expected answers, kept as text beside the tests.

A module has one file, which ``make snapshots`` writes anew."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Any

from syrupy.extensions.amber import AmberSnapshotExtension

from wirecost.results.report.shared.table import Table
from wirecost.results.report.shared.terminal import print_table
from wirecost.system.terminal import Console

ROOT = str(Path(__file__).parents[3])
TEMPORARY = re.compile(r"/[^\s'\"]*?/pytest-of-[^/]+/pytest-\d+/(?:popen-gw\d+/)?[\w.-]+")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?(?: UTC)?")
WIDTH = 160


class Answers(AmberSnapshotExtension):
    """Snapshots that read like what they are of: lines, and parts under their names."""

    def serialize(self, data: Any, **_: Any) -> str:
        return stable(readable(data))


def readable(data: object) -> str:
    """Return an answer as text that people read.

    Text stays as it is, tables are as a terminal shows them, the parts of a mapping stand under
    their names, and the parts of a sequence one below the other."""
    if isinstance(data, str):
        return data
    if isinstance(data, Table):
        return drawn(data)
    if isinstance(data, Mapping):
        return "\n".join(f"== {name} ==\n{readable(part)}" for name, part in data.items())
    if isinstance(data, Iterable):
        return "\n".join(map(readable, sorted(data) if isinstance(data, Set) else data))
    return str(data)


def drawn(table: Table, width: int = WIDTH) -> str:
    """Return a table as a terminal of that width shows it."""
    out = io.StringIO()
    print_table(Console(file=out, width=width), table)
    return out.getvalue()


def stable(text: str) -> str:
    """Replace temporary folders, the checkout and moments, which differ from run to run."""
    text = TEMPORARY.sub("TMP", text).replace(ROOT, "CHECKOUT")
    lines = MOMENT.sub("MOMENT", text).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
