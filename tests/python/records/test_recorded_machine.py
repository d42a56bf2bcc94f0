# SPDX-License-Identifier: Apache-2.0
"""Prices of a machine are found beside logs, and hostile files count as none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wirecost.results.records.recorded_machine import prices_beside

DOCUMENT = {
    "schema": 1,
    "measured": "2026-01-02T03:04:05+00:00",
    "machine": "m",
    "events": {
        "minor-fault": {"what": "", "ns": [500.0, 700.0, 600.0], "reason": None},
        "migration": {"what": "", "ns": [], "reason": "needs two CPUs"},
        "system-call": {"what": "", "ns": [-1.0], "reason": None},
    },
}


def test_the_median_of_what_was_measured_is_the_price(tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text(json.dumps(DOCUMENT))
    prices = prices_beside([tmp_path / "a.wprobe"])
    assert prices is not None
    assert prices.ns == {"minor-fault": 600.0}
    assert prices.measured == DOCUMENT["measured"]


def test_the_document_of_the_doctor_may_have_them(tmp_path: Path) -> None:
    (tmp_path / "doctor.json").write_text(json.dumps({"checks": [], "prices": DOCUMENT}))
    prices = prices_beside([tmp_path])
    assert prices is not None
    assert prices.ns == {"minor-fault": 600.0}


@pytest.mark.parametrize(
    "document",
    [
        [],
        "x",
        {},
        {"events": 3},
        {"events": {"a": 1}},
        {"events": {"a": {"ns": ["x"]}}},
        {"events": {"a": {"ns": [1]}}, "measured": 1},
        {"events": {"a": {"ns": [10**400]}}, "measured": "", "machine": ""},
    ],
)
def test_anything_else_is_no_price(tmp_path: Path, document: Any) -> None:
    (tmp_path / "prices.json").write_text(json.dumps(document))
    assert prices_beside([tmp_path]) is None
