# SPDX-License-Identifier: Apache-2.0
"""Follows each output back to the input that it came from, callback by callback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wirecost.analysis.chains.hops import Hops

LONGEST = 64
"""Callbacks of one chain: nodes that publish to each other in a circle have no end."""


@dataclass(frozen=True)
class Part:
    """A stretch of a chain's time: ``kind`` is transport, queue wait, callback or publish; of
    sections that belong together by their loop (``by_loop``) it is section or between. Times
    are nanoseconds of CLOCK_MONOTONIC; parts follow each other without gaps. ``callback``: the
    index in ``Hops.callbacks`` of the callback that waited or ran, None in transport."""

    kind: str
    name: str
    node: str
    begin_ns: int
    end_ns: int
    callback: int | None = None

    @property
    def ns(self) -> int:
        return self.end_ns - self.begin_ns


@dataclass(frozen=True)
class Chain:
    """From an input to an output; ``source`` is the input's index in ``Hops.published``, None where
    its publisher was not recorded and the chain begins when it was received."""

    source: int | None
    parts: list[Part]

    @property
    def begin_ns(self) -> int:
        return self.parts[0].begin_ns

    @property
    def end_ns(self) -> int:
        return self.parts[-1].end_ns

    @property
    def ns(self) -> int:
        return self.end_ns - self.begin_ns

    @property
    def path(self) -> tuple[str, ...]:
        """The names of its parts: chains of one path have the same."""
        return tuple(part.name for part in self.parts)


@dataclass(frozen=True)
class Found:
    """``chains`` in the order of their inputs. ``inputs``: messages of the input topic that were
    seen; ``without_output``: of those, how many no output followed from. ``unlinked``: outputs that
    were published outside a callback that took a message, as by a timer."""

    chains: list[Chain]
    inputs: int
    without_output: int
    unlinked: int


def chains_between(hops: Hops, first: str, last: str) -> Found:
    """``first`` and ``last``: topics. A chain ends when publishing to ``last`` returned."""
    published = hops.published.to_dicts()
    callbacks = hops.callbacks.to_dicts()
    found, unlinked, used = [], 0, set()
    for output in published:
        if output["topic"] != last:
            continue
        steps = _steps(output, published, callbacks, first)
        if steps is None:
            unlinked += output["callback"] is None
            continue
        chain = _chain(output, steps, published)
        found.append(chain)
        used.add(steps[-1]["index"] if chain.source is None else ("source", chain.source))
    # A message without an identity is seen when it is received.
    sources = {
        one["index"] for one in published if one["topic"] == first and one["message"] is not None
    }
    received = [one for one in callbacks if one["topic"] == first and one["source"] is None]
    inputs = len(sources) + len(received)
    return Found(
        sorted(found, key=lambda chain: chain.begin_ns),
        inputs,
        max(0, inputs - len(used)),
        unlinked,
    )


Row = dict[str, Any]


def _steps(output: Row, published: list[Row], callbacks: list[Row], first: str) -> list[Row] | None:
    """The callbacks from the output back to the one that took a message of ``first``."""
    steps: list[Row] = []
    message: Row | None = output
    while message is not None and message["callback"] is not None and len(steps) < LONGEST:
        callback = callbacks[message["callback"]]
        steps.append(callback)
        if callback["topic"] == first:
            return steps
        message = None if callback["source"] is None else published[callback["source"]]
    return None


def _chain(output: Row, steps: list[Row], published: list[Row]) -> Chain:
    """Times are kept in order: where clocks of threads disagree by a moment, a part is 0."""
    parts: list[Part] = []
    source = steps[-1]["source"]
    at = published[source]["begin_ns"] if source is not None else steps[-1]["received_ns"]
    for step, given in zip(reversed(steps), [*_given(steps, published), output], strict=True):
        topic, node = step["topic"], step["node"]
        ends = [
            ("transport", f"transport of {topic}", step["received_ns"], None),
            ("queue wait", f"{node} {topic} queue wait", step["begin_ns"], step["index"]),
            ("callback", step["section"], given["begin_ns"], step["index"]),
        ]
        for kind, name, until, index in ends:
            if kind == "transport" and not parts and source is None:
                continue
            parts.append(Part(kind, name, node, at, max(at, until), index))
            at = max(at, until)
    end = max(at, output["end_ns"])
    name = f"publish {output['topic']}"
    parts.append(Part("publish", name, output["node"], at, end, steps[0]["index"]))
    return Chain(source, parts)


def _given(steps: list[Row], published: list[Row]) -> list[Row]:
    """What each callback but the last gave to the next, in the order of time."""
    return [published[step["source"]] for step in reversed(steps[:-1])]
