# SPDX-License-Identifier: Apache-2.0
"""What all tests of pytest share."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("python")))
pytest_plugins = ("pytester", "skips")
