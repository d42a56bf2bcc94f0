# SPDX-License-Identifier: Apache-2.0
"""Measurements in a notebook: tables and figures as the reports have them, and the data.

import wirecost.notebook as wirecost

run = wirecost.results("results/2026-11-22T09-21-39-osi")  # without a name: the latest
run                                                        # tables and the first figure
run.samples                                                # a Polars frame, a row a sample
run.figures[1]                                             # an Altair chart
"""

from wirecost.results.notebook.views import View, probe, results, store

__all__ = ["View", "probe", "results", "store"]
