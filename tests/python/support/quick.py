# SPDX-License-Identifier: Apache-2.0
"""An environment in which benchmarks compile fast; tests judge none of their times."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).parents[3]


def environment() -> dict[str, str]:
    """Return this one where C++ is not optimized, and kept apart from a user's programs."""
    compiler = Path(__file__).with_name("quick-c++")
    kept = ROOT / "build" / "quick"
    return {"CXX": str(compiler), "XDG_CACHE_HOME": str(kept), **os.environ}
