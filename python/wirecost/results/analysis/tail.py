# SPDX-License-Identifier: Apache-2.0
"""The far end of a turnaround's distribution, and the page faults that go with it.

The interval of a quantile is that of order statistics, whose ranks are binomial whatever the
distribution (Conover, Practical Nonparametric Statistics, section 3.2): one in a thousand is too
rare for a bootstrap of a few thousand samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from wirecost.results.analysis.distributions import binomial_quantile
from wirecost.results.analysis.intervals import Array, Estimate

FAR = 0.999
LEAST_SAMPLES = 1000
"""Below, one in a thousand has not been seen."""


@dataclass(frozen=True)
class Tail:
    """Tail of one contender's callbacks. Nanoseconds; None where there are too few samples."""

    p999_ns: float | None
    p999_ci95_ns: tuple[float, float] | None
    undisturbed_p999_ns: float | None
    """Quantile of callbacks that no context switch interrupted: what remains is the program's
    own."""
    undisturbed: float
    """Their share of all."""
    minor_faults: float
    """A callback."""
    callbacks_with_faults: int


def quantile(samples: Array, share: float) -> Estimate:
    """Return the smallest sample that ``share`` of them do not exceed, with its 95 % interval.

    ``samples``: shape (n,). Where too few samples reach as far, the interval ends at the largest.
    """
    ordered = np.sort(samples)
    n = len(ordered)
    at = max(0, int(np.ceil(share * n)) - 1)
    low, high = (binomial_quantile(tail, n, share) for tail in (0.025, 0.975))
    ends = ordered[max(0, low - 1)], ordered[min(n - 1, high)]
    return Estimate(float(ordered[at]), float(ends[0]), float(ends[1]))


def tail_of(samples: pl.DataFrame) -> Tail | None:
    """Summarize one contender's samples; None for those without counted faults."""
    if "minor_faults" not in samples.columns or samples["minor_faults"].null_count():
        return None
    all_of_them = samples["ns"].to_numpy().astype(np.float64)
    quiet = samples.filter(pl.col("context_switches") == 0)["ns"].to_numpy().astype(np.float64)
    far = quantile(all_of_them, FAR) if len(all_of_them) >= LEAST_SAMPLES else None
    far_quiet = quantile(quiet, FAR) if len(quiet) >= LEAST_SAMPLES else None
    faults = samples["minor_faults"].to_numpy()
    return Tail(
        p999_ns=far.value if far else None,
        p999_ci95_ns=(far.low, far.high) if far else None,
        undisturbed_p999_ns=far_quiet.value if far_quiet else None,
        undisturbed=len(quiet) / len(all_of_them),
        minor_faults=float(faults.mean()),
        callbacks_with_faults=int(np.count_nonzero(faults)),
    )
