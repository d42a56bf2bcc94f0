# SPDX-License-Identifier: Apache-2.0
"""What reports can be asked for. Imports little: the command line lists it."""

from __future__ import annotations

FIGURE_FORMATS = ("svg", "png", "pdf")
REPORT_FORMATS = ("html", *FIGURE_FORMATS, "md", "csv", "mcap")
