# SPDX-License-Identifier: Apache-2.0
"""Output of ping, and how it compares with a profile."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from wirecost.measure.network import verified
from wirecost.measure.network.namespace import NetworkError
from wirecost.measure.network.profiles import Profile
from wirecost.measure.network.verified import Reading

PRINTED = """\
PING 10.119.99.2 (10.119.99.2) 56(84) bytes of data.

--- 10.119.99.2 ping statistics ---
400 packets transmitted, 360 received, +3 errors, 10% packet loss, time 1012ms
rtt min/avg/max/mdev = 2.074/2.129/4.421/0.123 ms, pipe 2
"""
NONE = """\
PING 10.119.99.2 (10.119.99.2) 56(84) bytes of data.

--- 10.119.99.2 ping statistics ---
3 packets transmitted, 0 received, 100% packet loss, time 211ms

"""
LOSSY = Profile("own", delay_ms=1, loss_percent=5, rate_mbit=100)
GOOD = Reading(1, 400, 360, 2.07, 2.13, 4.42, 0.12, 95.0)


def test_pings_summary() -> None:
    assert verified.parse(PRINTED, "") == (400, 360, 2.074, 2.129, 4.421, 0.123)
    sent, received, low, *_ = verified.parse(NONE, "")
    assert (sent, received) == (3, 0) and math.isnan(low)
    with pytest.raises(NetworkError, match=r"ping: connect: Network is unreachable"):
        verified.parse("", "connect: Network is unreachable\n")


def test_a_network_as_its_profile_says() -> None:
    assert verified.differences(LOSSY, [GOOD]) == []
    assert GOOD.record()["round_trips_lost_percent"] == 10
    assert replace(GOOD, received=0, rtt_min_ms=math.nan).record()["rtt_min_ms"] is None


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"received": 400}, "0.0 % of round trips lost, not 9.8 %"),
        ({"received": 300}, "25.0 % of round trips lost, not 9.8 %"),
        ({"rtt_mean_ms": 9.0}, "round trips take 9.00 ms, not 2 ms"),
        ({"rtt_mean_ms": 0.1}, "round trips take 0.10 ms, not 2 ms"),
        ({"rate_mbit": 50.0}, "50.0 Mbit/s arrive, not 95 Mbit/s"),
    ],
)
def test_each_difference_is_a_line(change: dict[str, float], line: str) -> None:
    other = replace(GOOD, **change)  # type: ignore[arg-type]
    (difference,) = verified.differences(LOSSY, [other])
    assert difference.endswith(f"host 1: {line}")
