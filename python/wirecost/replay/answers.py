# SPDX-License-Identifier: Apache-2.0
"""Recorded service calls as answers to a node's requests."""

from __future__ import annotations

from collections.abc import Sequence

from wirecost.replay.middleware import Call


class Answers:
    """Calls by request: equal requests get theirs in recorded order, then the last again."""

    def __init__(self, recorded: Sequence[Call]) -> None:
        self._calls: dict[bytes, list[Call]] = {}
        for call in recorded:
            self._calls.setdefault(call.request, []).append(call)

    def to(self, request: bytes) -> Call | None:
        calls = self._calls.get(request, [])
        return calls.pop(0) if len(calls) > 1 else calls[0] if calls else None
