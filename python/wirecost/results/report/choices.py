# SPDX-License-Identifier: Apache-2.0
"""Formats of reports. Imports little: the command line lists them."""

from __future__ import annotations

FIGURE_FORMATS = ("svg", "png", "pdf")
REPORT_FORMATS = ("html", *FIGURE_FORMATS, "md", "csv")
