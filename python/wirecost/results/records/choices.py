# SPDX-License-Identifier: Apache-2.0
"""Names that records can be asked for; it imports little, as the command line lists it."""

from __future__ import annotations

from pathlib import Path

HERE = Path("results")
"""Where every ``wirecost bench`` puts its folder unless it is told otherwise."""
PROBE_FORMATS = ("parquet", "setlevel", "perfetto", "values")
"""In which probe logs are exported."""
