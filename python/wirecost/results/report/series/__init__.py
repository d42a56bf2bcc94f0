# SPDX-License-Identifier: Apache-2.0
"""Measurements as series over time, in MCAP files that Foxglove, Rerun and PlotJuggler plot:
docs/formats/series.md. ``write_logs``: of probe logs, ``write_folder``: of a result folder."""

from wirecost.results.report.series.executions import write_logs
from wirecost.results.report.series.folders import write_folder

__all__ = ["write_folder", "write_logs"]
