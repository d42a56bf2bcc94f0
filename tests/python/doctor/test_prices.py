# SPDX-License-Identifier: Apache-2.0
"""Prices of single events are measured here and now, and kept raw."""

from __future__ import annotations

from pathlib import Path

import pytest

from wirecost import _core
from wirecost.observe.doctor import prices
from wirecost.results.records.recorded_machine import MachineEvent, prices_beside
from wirecost.results.report.doctor import price_table


def test_every_event_has_samples_or_a_reason(tmp_path: Path) -> None:
    written = prices.write_prices(tmp_path)
    assert prices_beside([tmp_path]) == written
    assert written.events.keys() == prices.EVENTS.keys()
    for event in written.events.values():
        assert (len(event.ns) == prices.REPETITIONS) == (event.reason is None)
    # An event that takes a system call takes longer than one that does nothing.
    assert 0 < written.ns["system-call"] < written.ns["minor-fault"] * 1000
    assert 0 < written.ns["allocation"] < written.ns["minor-fault"] * 1000
    assert {row[0] for row in price_table(written).rows} == written.events.keys()


def test_a_machine_of_one_cpu_has_no_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> list[float]:
        raise RuntimeError("needs two CPUs")

    monkeypatch.setattr(
        prices, "EVENTS", {"migration": ("", refuse), "call": ("", _core.price_system_call)}
    )
    measured = prices.measure_prices()
    assert measured.events["migration"] == MachineEvent(what="", ns=[], reason="needs two CPUs")
    assert len(measured.events["call"].ns) == prices.REPETITIONS
    table = price_table(measured)
    assert table.rows[0] == ["migration", "–", "–", "–"]
    assert "two CPUs" in table.notes[0]
