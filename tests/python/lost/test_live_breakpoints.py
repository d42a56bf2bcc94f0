# SPDX-License-Identifier: Apache-2.0
"""``wirecost lost --attach`` pays for its own breakpoints alone."""

from __future__ import annotations

from typing import Any

import pytest

from wirecost.measure.cost.live.graph import LiveRequest
from wirecost.measure.lost.live import graph


def test_it_sets_none_of_those_that_say_who_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []

    class Opened:
        def __init__(self, *about: object) -> None:
            opened.append(about)

        def __enter__(self) -> Opened:
            return self

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr(graph, "LiveGraph", Opened)
    monkeypatch.setattr(graph, "Calls", Opened)
    graph.WatchedGraph(LiveRequest("ros2", 1.0, 1e6, listens=False, attaches=True)).close()
    (listening, _), calls = opened
    assert not listening.attaches and not listening.listens and calls == ()
