# SPDX-License-Identifier: Apache-2.0
"""What single events cost on a machine, as a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from wirecost.report.shared import units
from wirecost.report.shared.table import Table

NONE = "–"


def price_table(document: dict[str, Any]) -> Table:
    """Of what ``wirecost.doctor.prices`` measured: the median and the quartiles of its samples."""
    body, notes = [], []
    for name, event in document["events"].items():
        cells = [NONE] * 3
        if event["ns"]:
            quartiles = np.percentile(event["ns"], [25, 50, 75])
            cells = [units.time(float(ns)) for ns in quartiles]
        body.append([name, *cells])
        notes.append(f"{name}: {event['reason'] or event['what']}")
    headings = ["event", "p25", "median", "p75"]
    return Table(f"Price of one event, measured {document['measured']}", headings, body, notes)
