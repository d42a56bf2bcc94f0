# SPDX-License-Identifier: Apache-2.0
"""Comparison of what a node published with what was recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from wirecost.replay.play.digests import Digests
from wirecost.replay.play.outputs import Output
from wirecost.replay.recording.reader import Stored
from wirecost.system.counted import counted

EDGE_NS = 3 * 10**9
"""Three of the periods at which DDS participants announce themselves."""


@dataclass(frozen=True)
class Comparison:
    """Comparison of all outputs.

    ``difference``: the first one in words; None where all messages were equal. ``skipped``: how
    many messages at the beginning only one side had.
    """

    what: str
    messages: int
    difference: str | None
    skipped: int = 0


def by_topic(outputs: Sequence[Output]) -> dict[str, list[str]]:
    """Return digests in the order of receipt."""
    digests: dict[str, list[str]] = {}
    for output in outputs:
        digests.setdefault(output.topic, []).append(output.digest)
    return digests


def compare_runs(runs: Sequence[Sequence[Output]]) -> list[Comparison]:
    """Return each run with the first one."""
    return [
        _compare(f"run {number} with run 1", by_topic(runs[0]), by_topic(run), whole=True)
        for number, run in enumerate(runs[1:], start=2)
    ]


def compare_with_recording(
    recorded: Sequence[Stored],
    first_input_ns: int,
    run: Sequence[Output],
    digests: Digests,
    latched: Collection[str] = (),
) -> Comparison | None:
    """Compare the outputs recorded since the first input with a run's; None: nothing was recorded.

    What ``latched`` topics sent before that counts, too: the recorder was given what they had kept,
    and the run has it from the node's start on.

    The recording begins and ends anywhere between an input and its output, and its subscriptions
    come to stand one after the other: within ``EDGE_NS`` of the first input, messages of either
    side are skipped up to where both are equal to the end.
    """
    expected: dict[str, list[str]] = {}
    edge = Counter[str]()
    for message in recorded:
        if message.log_ns >= first_input_ns or message.topic in latched:
            own = digests.of(message.topic, message.data)
            expected.setdefault(message.topic, []).append(own)
            edge[message.topic] += message.log_ns < first_input_ns + EDGE_NS
    if not expected:
        return None
    replayed = by_topic(run)
    skipped = 0
    for topic, most in edge.items():
        former, ours = expected[topic], replayed.get(topic, [])
        here, there = _begin(former, ours, most)
        expected[topic], replayed[topic] = former[here:], ours[there:]
        skipped += here + there
    compared = _compare("run 1 with the recording", expected, replayed, whole=False)
    return replace(compared, skipped=skipped)


def _begin(former: list[str], ours: list[str], most: int) -> tuple[int, int]:
    """Return from where on both are equal, among the first ``most`` and one; else the begin."""
    first_at: dict[str, int] = {}
    for at, digest in enumerate(ours[: 2 * most + 1]):
        first_at.setdefault(digest, at)
    for here, digest in enumerate(former[: most + 1]):
        there = first_at.get(digest)
        if there is not None and all(
            a == b for a, b in zip(former[here:], ours[there:], strict=False)
        ):
            return here, there
    return 0, 0


def _compare(
    what: str, reference: dict[str, list[str]], other: dict[str, list[str]], whole: bool
) -> Comparison:
    count = 0
    for topic in sorted(reference.keys() | other.keys()):
        expected, actual = reference.get(topic, []), other.get(topic, [])
        for index, (a, b) in enumerate(zip(expected, actual, strict=False)):
            if a != b:
                return Comparison(what, count, f"{topic} message {index} differs ({a}, {b})")
            count += 1
        if len(expected) != len(actual) and (whole or not min(len(expected), len(actual))):
            text = f"{topic} has {counted(len(actual), 'message')} against {len(expected):,}"
            return Comparison(what, count, text)
    return Comparison(what, count, None)
