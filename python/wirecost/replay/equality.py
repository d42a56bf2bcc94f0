# SPDX-License-Identifier: Apache-2.0
"""Whether a node published the same again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wirecost.replay.outputs import Output, digest
from wirecost.replay.recording_reader import Stored


@dataclass(frozen=True)
class Comparison:
    """``difference``: the first one in words; None where all messages were equal."""

    what: str
    messages: int
    difference: str | None


def by_topic(outputs: Sequence[Output]) -> dict[str, list[str]]:
    """Digests in the order of receipt."""
    found: dict[str, list[str]] = {}
    for one in outputs:
        found.setdefault(one.topic, []).append(one.digest)
    return found


def compare_runs(runs: Sequence[Sequence[Output]]) -> list[Comparison]:
    """Each run with the first one."""
    return [
        _compare(f"run {number} with run 1", by_topic(runs[0]), by_topic(run), whole=True)
        for number, run in enumerate(runs[1:], start=2)
    ]


def compare_with_recording(
    recorded: Sequence[Stored], first_input_ns: int, run: Sequence[Output]
) -> Comparison | None:
    """The outputs recorded since the first input with a run's; None where nothing was recorded.

    The recording may end between an input and its output, so one may have more messages than the
    other.
    """
    expected: dict[str, list[str]] = {}
    for one in recorded:
        if one.log_ns >= first_input_ns:
            expected.setdefault(one.topic, []).append(digest(one.data))
    if not expected:
        return None
    return _compare("run 1 with the recording", expected, by_topic(run), whole=False)


def _compare(
    what: str, one: dict[str, list[str]], other: dict[str, list[str]], whole: bool
) -> Comparison:
    count = 0
    for topic in sorted(one.keys() | other.keys()):
        left, right = one.get(topic, []), other.get(topic, [])
        for index, (a, b) in enumerate(zip(left, right, strict=False)):
            if a != b:
                return Comparison(what, count, f"{topic} message {index} differs ({a}, {b})")
            count += 1
        if len(left) != len(right) and (whole or not min(len(left), len(right))):
            text = f"{topic} has {len(right):,} messages against {len(left):,}"
            return Comparison(what, count, text)
    return Comparison(what, count, None)
