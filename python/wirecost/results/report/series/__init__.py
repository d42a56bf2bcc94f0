# SPDX-License-Identifier: Apache-2.0
"""Measurements as series over time, in MCAP files that Foxglove, Rerun and PlotJuggler plot.

The format is in docs/formats/series.md. ``write_logs`` writes series of probe logs,
``write_folder`` those of a result folder.
"""

from wirecost.results.report.series.executions import write_logs
from wirecost.results.report.series.folders import write_folder

__all__ = ["write_folder", "write_logs"]
