# SPDX-License-Identifier: Apache-2.0
"""The page ``docs/results/cost-truth.md``: the worst rows first."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from wirecost.measure.cost.prices import machine_name
from wirecost.results.report.cost.answer import share
from wirecost.system.installation import installation

from .truth import ROUNDS, Truth, Truths

PAGE = Path(__file__).parents[2] / "docs" / "results" / "cost-truth.md"
WORST = 6
"""Rows of a table on the page; the others are in the file beside it."""
SHARES_WITHIN, GAINS_WITHIN = 0.25, 0.35
"""Errors of shares and gains that are the goals."""


def is_within(row: Truth, most: float) -> bool:
    """Return whether a promise is as near as that, or within the noise of what was measured."""
    return abs(row.promised - row.kernel) <= max(most * row.kernel, row.noise)


def write_page(truths: Truths, looking: str) -> None:
    """Write the page, and say how much of it meets the goals. ``looking``: what a look takes."""
    load = os.getloadavg()[1]
    lines = [
        "# How true the figures of `wirecost cost` are",
        "",
        "    python -m benchmarks.cost_truth PYTHON-WITH-RCLPY    # in a checkout",
        "",
        f"Commit {installation().commit}; {machine_name()}, load {load:.1f}; with costs that were "
        "measured on it, a path's in turns with what it is compared with. Every process is real. "
        "The kernel counts its CPU time, less what it takes "
        f"when nothing is published; {ROUNDS} rounds, with 95 % intervals. What a wake-up costs "
        "depends on how busy the processors are.",
        "",
        f"**{_met(truths.shares, SHARES_WITHIN)} shares of a core are within "
        f"{SHARES_WITHIN:.0%} of the kernel's account or its noise, "
        f"{_met(truths.gains, GAINS_WITHIN)} gains within {GAINS_WITHIN:.0%} or the noise.** "
        f"The worst of each follow; [all rows]({PAGE.stem}.tsv).",
        "",
        "## Gains of remedies",
        "",
        *_table(truths.gains, "gained"),
        "",
        "## Shares of a core",
        "",
        *_table(truths.shares, "kernel"),
        "",
        "## What looking costs",
        "",
        looking,
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    rows = [("system", "what", "promised", "kernel", "noise")]
    rows += [
        (row.system, row.what, f"{row.promised:.5f}", f"{row.kernel:.5f}", f"{row.noise:.5f}")
        for row in (*truths.gains, *truths.shares)
    ]
    text = "".join("\t".join(row) + "\n" for row in rows)
    PAGE.with_suffix(".tsv").write_text(text, encoding="utf-8")
    print(lines[6])


def _met(rows: Sequence[Truth], most: float) -> str:
    return f"{sum(is_within(row, most) for row in rows)} of {len(rows)}"


def _table(rows: Sequence[Truth], counted: str) -> list[str]:
    ordered = sorted(rows, key=lambda row: -abs(row.error))[:WORST]
    return [
        f"| system | what | promised | {counted} | error |",
        "|---|---|---|---|---|",
        *(
            f"| {row.system} | {row.what} | {share(row.promised)} | "
            f"{_signed(row.kernel)} ± {share(row.noise)} | {_error(row)} |"
            for row in ordered
        ),
    ]


def _error(row: Truth) -> str:
    """Return the relative error; none where what was measured lies within its noise."""
    return f"{row.error:+.0%}" if row.kernel > row.noise else "noise"


def _signed(value: float) -> str:
    return f"−{share(-value)}" if value < 0 else share(value)
