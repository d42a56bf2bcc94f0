# SPDX-License-Identifier: Apache-2.0
"""Prices that were measured beside other programs are less sure, by as much as these did."""

from __future__ import annotations

from dataclasses import replace
from math import hypot
from pathlib import Path

import pytest

from cost.drives import drive
from wirecost.data.messages.ros.installed import Ros2Installation
from wirecost.data.recordings.survey import survey
from wirecost.measure.cost import calibration, disturbance
from wirecost.measure.cost.calibration import CalibratedEnds, calibrated
from wirecost.measure.cost.disturbance import Others
from wirecost.measure.cost.prices import PriceList, shipped_prices
from wirecost.measure.cost.pricing import Pricing
from wirecost.measure.cost.system_cost import system_cost
from wirecost.observe.usage.machine import Machine
from wirecost.results.report.cost.answer import doubts

SHIPPED = shipped_prices()


def calibration_beside(share: float, monkeypatch: pytest.MonkeyPatch) -> PriceList:
    """Return a calibration during which others took so much of the processors."""
    path = replace(SHIPPED.paths.paths["rclpy fastdds"], is_own=True)
    codec = replace(SHIPPED.prices["python rclpy cdr"], is_own=True)
    monkeypatch.setattr(Others, "share", lambda _self: share)
    monkeypatch.setattr(calibration, "measured_path", lambda *_: path)
    monkeypatch.setattr(calibration, "_codecs", lambda *_: {"python rclpy cdr": codec})
    ends = [CalibratedEnds("python", "cdr", "fastdds")]
    return calibrated(ends, Ros2Installation(None), lambda _text: None)


def test_intervals_are_as_wide_as_others_were_busy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive(tmp_path / "drive.mcap")
    read = survey([tmp_path / "drive"], (), lambda _done, _total, _text: None)
    spreads, said = {}, {}
    for share in (0.0, 0.3, 0.9):
        prices = calibration_beside(share, monkeypatch)
        before = SHIPPED.paths.paths["rclpy fastdds"].spread["take"]
        assert prices.paths.paths["rclpy fastdds"].spread["take"] == hypot(before, share)
        before = SHIPPED.prices["python rclpy cdr"].spread["encode"]
        assert prices.prices["python rclpy cdr"].spread["encode"] == hypot(before, share)
        cost = system_cost(["drive"], read, Pricing(prices, "python"), {})
        spreads[share] = cost.topics[0].publish_spread or 0.0
        said[share] = " ".join(text for text, _ in doubts(cost))
    assert spreads[0.0] < spreads[0.3] < spreads[0.9]
    assert "others" not in said[0.0]
    assert "others used 30 % of its processors" in said[0.3]


def test_others_are_what_the_machine_does_and_these_processes_do_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clock = iter((100.0, 110.0))
    busy = iter((Machine(busy_ns=0), Machine(busy_ns=8_000_000_000)))
    monkeypatch.setattr(disturbance.machine, "read", lambda: next(busy))
    monkeypatch.setattr(disturbance.time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(disturbance.os, "cpu_count", lambda: 2)
    with Others() as others:
        assert others.share() == pytest.approx(0.4, abs=0.02)  # less what this test itself took
