# SPDX-License-Identifier: Apache-2.0
"""A preloaded library that patches the entries of functions in the running process."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping

from wirecost.observe.probe.function.listing import PATTERNS, Function, helper
from wirecost.observe.probe.run.hook import library
from wirecost.system import scratch
from wirecost.system.errors import UserError

LIBRARY = "libwirecost-hook-function.so"
LIMIT = "WIRECOST_FUNCTIONS_LIMIT"
MEANS = "WIRECOST_FUNCTIONS_MEANS"
BY_OBJECT = "WIRECOST_FUNCTIONS_BY_OBJECT"
MEASURED = "wirecost_measured_function"
CALLS, LONGEST_S = 20_000, 30.0


def why_not(function: Function) -> str:
    return function.refusal or function.no_jump


def cost_ns(environment: Mapping[str, str]) -> float | None:
    """Measure the cost of one call with the counters in ``environment`` now; None: that failed."""
    try:
        with scratch.folder("probe-cost", in_memory=True) as folder:
            changed = {
                "LD_PRELOAD": str(library(LIBRARY)),
                "WIRECOST_PROBE": str(folder),
                "WIRECOST_PROBE_SIZE": "4M",
                PATTERNS: MEASURED,
            }
            done = subprocess.run(
                [helper(), "measure", str(CALLS)],
                env={**environment, **changed},
                capture_output=True,
                text=True,
                timeout=LONGEST_S,
                check=True,
            )
            recorded = any(folder.glob("*.wprobe"))
        return float(done.stdout) if recorded else None
    except (OSError, subprocess.SubprocessError, UserError, ValueError):
        return None
