# SPDX-License-Identifier: Apache-2.0
"""``wirecost bench``: one file ``bench_<name>.py`` a scenario, found by looking."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from wirecost.cli.imported import group
from wirecost.cli.options import option
from wirecost.system.plugins import module_names

PREFIX = "bench_"
NAMES = sorted(
    name.removeprefix(PREFIX)
    for name in module_names(Path(__file__).parent)
    if name.startswith(PREFIX)
)
WITH_FOLDER = [name for name in NAMES if name not in ("codecs", "fmi", "static")]
"""Scenarios that fill a result folder, which campaigns collect."""

Out = Annotated[
    Path | None, option("Result folder; default results/<time>-<scenario>.", metavar="DIR")
]
JsonFile = Annotated[
    Path | None,
    option("Write the summary rows as JSON; - is standard output.", "--json", metavar="FILE"),
]
Processes = Annotated[int, option("Fresh processes of each contender, one per round.", metavar="N")]

app = group(
    "Measure a scenario on this machine.",
    f"wirecost.cli.{PREFIX}",
    *NAMES,
    former={"lists": "repeated"},
    for_files=("message",),
)
