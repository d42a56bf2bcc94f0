# SPDX-License-Identifier: Apache-2.0
"""Writes the recording of ``wirecost cost --example``: ``python drive.py drive.mcap``."""

from __future__ import annotations

import sys
from pathlib import Path

from wirecost.data.recordings.example import write_example

write_example(Path(sys.argv[1]))
