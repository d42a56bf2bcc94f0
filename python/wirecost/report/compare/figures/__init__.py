# SPDX-License-Identifier: Apache-2.0
"""Figures of two runs side by side, one a module: ``figures(comparison, labels)`` each.

Colours never stand alone: verdicts have shapes too, and A lies above B.
"""

from __future__ import annotations

from wirecost.analysis.compare.comparison import Comparison
from wirecost.report.compare.figures import changes, distributions, medians, spreads
from wirecost.report.compare.rows import Labels
from wirecost.report.shared.figure import Figure


def comparison_figures(comparison: Comparison) -> list[Figure]:
    """All figures that have something to show."""
    labels = Labels(comparison)
    modules = (changes, spreads, distributions, medians)
    return [figure for module in modules for figure in module.figures(comparison, labels)]
