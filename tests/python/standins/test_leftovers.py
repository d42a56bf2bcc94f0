# SPDX-License-Identifier: Apache-2.0
"""Dead ports of a domain go, and nobody else's."""

from __future__ import annotations

import fcntl
from pathlib import Path

from wirecost.measure.standins.leftovers import remove_dead_ports


def test_ports_without_a_listener_go(tmp_path: Path) -> None:
    dead = ["fastrtps_port7661", "fastrtps_port7661_el", "sem.fastdds_port7663_mutex"]
    others = ["fastrtps_port7411", "fastdds_port7665", "fastdds_port7665_el", "fastrtps_0f3a"]
    for name in (*dead, *others):
        (tmp_path / name).touch()
    with (tmp_path / "fastdds_port7665_el").open("rb") as listener:
        fcntl.flock(listener, fcntl.LOCK_EX)
        remove_dead_ports(1, tmp_path)
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)
