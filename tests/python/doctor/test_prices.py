# SPDX-License-Identifier: Apache-2.0
"""Prices of single events are measured here and now, and kept raw."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from wirecost import _core
from wirecost.doctor import prices
from wirecost.records.machine_prices import prices_beside
from wirecost.report.probe.prices import price_table


def test_every_event_has_samples_or_a_reason(tmp_path: Path) -> None:
    document = prices.write_prices(tmp_path)
    assert json.loads((tmp_path / "prices.json").read_text()) == document
    assert document["events"].keys() == prices.EVENTS.keys()
    for event in document["events"].values():
        assert (len(event["ns"]) == prices.REPETITIONS) == (event["reason"] is None)
    found = prices_beside([tmp_path])
    assert found is not None
    # What takes a system call takes longer than one that does nothing.
    assert 0 < found.ns["system-call"] < found.ns["minor-fault"] * 1000
    assert 0 < found.ns["allocation"] < found.ns["minor-fault"] * 1000
    assert {row[0] for row in price_table(document).rows} == document["events"].keys()


def test_a_machine_of_one_cpu_has_no_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> list[float]:
        raise RuntimeError("needs two CPUs")

    monkeypatch.setattr(
        prices, "EVENTS", {"migration": ("", refuse), "call": ("", _core.price_system_call)}
    )
    events = prices.measure_prices()["events"]
    assert events["migration"] == {"what": "", "ns": [], "reason": "needs two CPUs"}
    assert len(events["call"]["ns"]) == prices.REPETITIONS
    table = price_table({"measured": "now", "events": events})
    assert table.rows[0] == ["migration", "–", "–", "–"]
    assert table.notes[0] == "migration: needs two CPUs"
