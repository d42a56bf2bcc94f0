# SPDX-License-Identifier: Apache-2.0
"""Names that records can be asked for; it imports little, as the command line lists it."""

from __future__ import annotations

from pathlib import Path

HERE = Path("results")
"""Folder of every ``wirecost bench``'s results, without ``--out``."""
PROBE_FORMATS = ("parquet", "setlevel", "perfetto", "values")
"""Formats in which probe logs are exported."""
