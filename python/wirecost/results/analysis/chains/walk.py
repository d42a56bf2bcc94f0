# SPDX-License-Identifier: Apache-2.0
"""Follows messages from callback to callback, in the order of time, and each output back again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, TypedDict, cast

import polars as pl

from wirecost.results.analysis.chains.hops import Hops
from wirecost.results.analysis.ros_names import INFRASTRUCTURE, KEPT, place_of

LONGEST = 64
"""Callbacks of one chain."""
MOST_PATHS = 32
"""On which a callback may be reached; others are counted."""
TAKEN = "taken"
"""The rule of a callback that took the message which the one before it published."""


@dataclass(frozen=True)
class ChainPart:
    """A stretch of a chain's time, in nanoseconds of CLOCK_MONOTONIC.

    ``kind`` is transport, queue wait, callback, kept (a message, until another callback of the node
    works on it) or publish; of sections that belong together by their loop (``chains_of_loops``) it
    is section or between. Parts follow each other without gaps. ``callback``: the index in
    ``Hops.callbacks`` of the callback that waited or ran, None in transport. ``rule``: of
    ``joins``, where one was needed.
    """

    kind: str
    name: str
    node: str
    begin_ns: int
    end_ns: int
    callback: int | None = None
    rule: str | None = None

    @property
    def ns(self) -> int:
        return self.end_ns - self.begin_ns


@dataclass(frozen=True)
class Chain:
    """A chain of callbacks from an input to an output.

    ``source`` is the input's index in ``Hops.published``, None where its publisher was not recorded
    and the chain begins when it was received.
    """

    source: int | None
    parts: list[ChainPart]

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
    """Chains in the order of their inputs, and counts of what has none.

    ``inputs``: messages of the input topic that were seen; ``without_output``: of those, how many
    no output followed from. ``unlinked``: outputs that were published outside a callback that took
    a message, as by a timer that works on none. ``left_out``: paths beyond ``MOST_PATHS``.
    """

    chains: list[Chain]
    inputs: int
    without_output: int
    unlinked: int
    left_out: int = 0


class ChainStep(NamedTuple):
    """One more callback on a path; ``before``: the path's number so far, -1 at its begin."""

    before: int
    section: str
    rule: str
    topic: str | None


class Reached(NamedTuple):
    """Origin of a path to a callback: when it began, and the callback before."""

    begin_ns: int
    callback: int | None


class PublishedRow(TypedDict):
    """A row of ``Hops.published``, as far as it is read here."""

    index: int
    topic: str
    node: str
    message: int | None
    callback: int | None
    rule: str | None
    begin_ns: int
    end_ns: int


class CallbackRow(TypedDict):
    """A row of ``Hops.callbacks``, as far as it is read here."""

    index: int
    topic: str | None
    node: str
    section: str
    source: int | None
    rule: str | None
    received_ns: int
    begin_ns: int
    end_ns: int


@dataclass
class Paths:
    """Paths of messages through callbacks.

    ``steps``: each path is one more step on another; ``reached``: for each callback the paths
    that lead to it.
    """

    hops: Hops
    steps: list[ChainStep] = field(default_factory=list)
    reached: list[dict[int, Reached]] = field(default_factory=list)
    circles: list[tuple[int, str, int, int]] = field(default_factory=list)
    """A path that came back to a callback that is on it: the topic, its begin and its end."""
    left_out: int = 0
    _numbers: dict[ChainStep, int] = field(default_factory=dict)
    _returning: dict[tuple[int, str], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        published = self.hops.published.select(list(PublishedRow.__annotations__))
        callbacks = self.hops.callbacks.select(list(CallbackRow.__annotations__))
        self.published = cast(list[PublishedRow], published.to_dicts())
        self.callbacks = cast(list[CallbackRow], callbacks.to_dicts())
        self.joins: dict[int, list[tuple[int, str]]] = {}
        for callback, producer, rule in self.hops.joins.iter_rows():
            self.joins.setdefault(callback, []).append((producer, rule))

    def of(self, number: int) -> list[ChainStep]:
        steps = []
        while number >= 0:
            steps.append(self.steps[number])
            number = self.steps[number].before
        return steps[::-1]

    def back(self, callback: int, number: int) -> list[CallbackRow]:
        """Return the callbacks on a path to one of them, the last first."""
        callbacks = []
        at: int | None = callback
        while at is not None and number >= 0:
            callbacks.append(self.callbacks[at])
            at, number = self.reached[at][number].callback, self.steps[number].before
        return callbacks

    def add(self, callback: CallbackRow, before: int, rule: str, reached: Reached) -> None:
        """Add the path to ``callback`` over the path ``before``."""
        step = ChainStep(before, callback["section"], rule, callback["topic"])
        number = self._numbers.get(step)
        if number is None:
            earlier = self.of(before)
            if len(earlier) >= LONGEST:
                self.left_out += 1
                return
            number = self._numbers[step] = len(self.steps)
            self.steps.append(step)
        arrivals = self.reached[callback["index"]]
        if number not in arrivals and len(arrivals) >= MOST_PATHS:
            self.left_out += 1
            return
        if number not in arrivals or reached.begin_ns > arrivals[number].begin_ns:
            arrivals[number] = reached

    def returns(self, number: int, section: str) -> bool:
        """Say whether the path goes through the section."""
        key = number, section
        if key not in self._returning:
            self._returning[key] = any(step.section == section for step in self.of(number))
        return self._returning[key]


def paths_from(hops: Hops, first: str | None = None) -> Paths:
    """Return all paths from messages of the topic ``first``.

    None: from wherever one begins that is taken, but for those that every node has.
    """
    paths = Paths(hops)
    paths.reached = [{} for _ in paths.callbacks]
    for callback in paths.callbacks:
        if first is not None and callback["topic"] == first:
            paths.add(callback, -1, TAKEN, Reached(_begin(callback, paths.published), None))
            continue
        if callback["topic"] in INFRASTRUCTURE:
            continue
        begins = first is None and callback["topic"] is not None
        for earlier, number, rule in _before(callback, paths):
            begin_ns = paths.reached[earlier][number].begin_ns
            if not paths.returns(number, callback["section"]):
                paths.add(callback, number, rule, Reached(begin_ns, earlier))
                begins = begins and rule != TAKEN
            elif first is None:
                circle = number, waiting(callback), begin_ns, callback["begin_ns"]
                paths.circles.append(circle)
        if begins:
            paths.add(callback, -1, TAKEN, Reached(_begin(callback, paths.published), None))
    return paths


def _before(callback: CallbackRow, paths: Paths) -> list[tuple[int, int, str]]:
    """Return callbacks that lead to this one, on which paths, and by which rule."""
    predecessors = []
    source = callback["source"]
    given_by = None if source is None else paths.published[source]["callback"]
    if given_by is not None:
        predecessors += [(given_by, number, TAKEN) for number in paths.reached[given_by]]
    for producer, rule in paths.joins.get(callback["index"], ()):
        predecessors += [(producer, number, rule) for number in paths.reached[producer]]
    return predecessors


def _begin(callback: CallbackRow, published: list[PublishedRow]) -> int:
    source = callback["source"]
    begin: int = callback["received_ns"] if source is None else published[source]["begin_ns"]
    return begin


def chains_between(hops: Hops, first: str, last: str) -> Found:
    """Return all chains.

    ``first``: a topic, ``last``: one, or a node. A chain ends when publishing to the topic
    returned, or the node's callback.
    """
    paths = paths_from(hops, first)
    chains, unlinked, used = [], 0, set()
    for output, at in _outputs(paths, last):
        reached = {} if at is None else paths.reached[at]
        if not reached and output is not None:
            unlinked += at is None or paths.callbacks[at]["topic"] is None
        for number in reached:
            assert at is not None
            steps = paths.back(at, number)
            rules = [step.rule for step in paths.of(number)]
            chain = _chain(output, steps, rules, paths.published)
            chains.append(chain)
            used.add(steps[-1]["index"] if chain.source is None else ("source", chain.source))
    # A message without an identity is seen when it is received.
    sources = {
        row["index"]
        for row in paths.published
        if row["topic"] == first and row["message"] is not None
    }
    without_source = 0
    for callback in paths.callbacks:
        if callback["topic"] == first:
            source = callback["source"]
            if source is None:
                without_source += 1
            else:
                sources.add(source)
    inputs = len(sources) + without_source
    return Found(
        sorted(chains, key=lambda chain: chain.begin_ns),
        inputs,
        max(0, inputs - len(used)),
        unlinked,
        paths.left_out,
    )


def _outputs(paths: Paths, last: str) -> Iterator[tuple[PublishedRow | None, int | None]]:
    """Yield what was published on a topic, with its callback; or a node's callbacks, without."""
    topics = {row["topic"] for row in paths.published}
    if last in topics:
        yield from ((row, row["callback"]) for row in paths.published if row["topic"] == last)
    else:
        yield from (
            (None, callback["index"]) for callback in paths.callbacks if callback["node"] == last
        )


def _chain(
    output: PublishedRow | None,
    steps: list[CallbackRow],
    rules: list[str],
    published: list[PublishedRow],
) -> Chain:
    """Return a chain.

    ``steps``: the last first; ``rules``: the first first. Times are kept in order: where clocks of
    threads disagree by a moment, a part is 0.
    """
    parts: list[ChainPart] = []
    ordered = steps[::-1]
    source = ordered[0]["source"]
    at = _begin(ordered[0], published)
    for i, (step, rule) in enumerate(zip(ordered, rules, strict=True)):
        topic, node, index = step["topic"], step["node"], step["index"]
        if rule == TAKEN:
            waits = [
                ("transport", f"transport of {topic}", step["received_ns"], None),
                ("queue wait", f"{node} {topic} queue wait", step["begin_ns"], index),
            ]
            waits = waits[1:] if not parts and source is None else waits
        else:
            name = f"{node} {ordered[i - 1]['topic']} {KEPT}{waiting(step)}"
            waits = [("kept", name, step["begin_ns"], index)]
        end = _left(step, ordered[i + 1 : i + 2], rules[i + 1 : i + 2], published, output)
        for kind, name, until, callback in [*waits, ("callback", step["section"], end, index)]:
            by = rule if kind == "kept" else None
            parts.append(ChainPart(kind, name, node, at, max(at, until), callback, by))
            at = max(at, until)
    if output is not None:
        name = f"publish {output['topic']}"
        end = max(at, output["end_ns"])
        parts.append(ChainPart("publish", name, output["node"], at, end, steps[0]["index"]))
    return Chain(source, parts)


def _left(
    step: CallbackRow,
    following: list[CallbackRow],
    rules: list[str],
    published: list[PublishedRow],
    output: PublishedRow | None,
) -> int:
    """Return when a chain left a callback: as it published, or when what it kept was there."""
    if not following:
        end: int = step["end_ns"] if output is None else output["begin_ns"]
    elif rules[0] == TAKEN:
        source = following[0]["source"]
        assert source is not None
        end = published[source]["begin_ns"]
    else:
        end = step["end_ns"]
    return end


def waiting(callback: CallbackRow) -> str:
    """Name a callback that works on what others kept: by its topic, or its timer."""
    if callback["topic"] is not None:
        return str(callback["topic"])
    place = place_of(callback["section"])
    return f"timer {place.what}".strip() if place is not None else callback["section"]


def chains_of_loops(events: pl.DataFrame, first: str, last: str) -> tuple[Hops, Found]:
    """Return chains from executions of section ``first`` to those of section ``last``.

    A chain goes from the start of one execution to the end of the next one with the same loop
    number, in whatever thread or process. The ``callbacks`` of the hops are those executions;
    nothing is published.
    """
    sections = events.filter(
        pl.col("kind") == "section", pl.col("section").is_in([first, last])
    ).select("process", "thread", "section", "loop", "begin_ns", "end_ns", "^counter:.*$")
    callbacks = sections.sort("begin_ns").with_row_index("index")
    begun = callbacks.filter(section=first).select(
        "loop", "begin_ns", first="index", first_begin="begin_ns", first_end="end_ns"
    )
    ended = callbacks.filter(section=last)
    pairs = ended.join_asof(
        begun, on="begin_ns", by="loop", strategy="backward", check_sortedness=False
    )
    linked = pairs.drop_nulls("first")
    chains = [_loop_chain(row, first, last) for row in linked.iter_rows(named=True)]
    used = linked["first"].n_unique()
    result = Found(
        sorted(chains, key=lambda chain: chain.begin_ns),
        inputs=len(begun),
        without_output=len(begun) - used,
        unlinked=len(ended) - len(linked),
    )
    return Hops(pl.DataFrame(schema={"topic": pl.String}), callbacks), result


def _loop_chain(row: dict[str, int], first: str, last: str) -> Chain:
    until = min(row["first_end"], row["begin_ns"])
    parts = [
        ChainPart("section", first, "", row["first_begin"], until, row["first"]),
        ChainPart("between", f"{first} → {last}", "", until, row["begin_ns"], row["index"]),
        ChainPart("section", last, "", row["begin_ns"], row["end_ns"], row["index"]),
    ]
    return Chain(None, parts)
