# SPDX-License-Identifier: Apache-2.0
"""Graphs of names, walked without recursion: a schema may nest its messages as deep as it likes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

T = TypeVar("T")
Edges = Mapping[str, Collection[str]]
"""The names that each name leads to; all of them are keys."""


def components(edges: Edges) -> dict[str, int]:
    """Return numbers of strongly connected components, by name (Tarjan's algorithm).

    Two names that lead to each other have one number; what a name leads to has no greater one.
    """
    number: dict[str, int] = {}
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    open_names: list[str] = []
    count = 0

    def visit(name: str) -> Iterator[str]:
        nonlocal count
        order[name] = low[name] = len(order)
        open_names.append(name)
        for other in edges[name]:
            if other not in order:
                yield other
                low[name] = min(low[name], low[other])
            elif other not in number:
                low[name] = min(low[name], order[other])
        if low[name] == order[name]:
            while name not in number:
                number[open_names.pop()] = count
            count += 1

    for name in edges:
        if name not in order:
            run(visit, name)
    return number


def leading_to(edges: Edges, ends: Iterable[str]) -> frozenset[str]:
    """Return ``ends`` and all names that lead to one of them."""
    back: dict[str, list[str]] = {name: [] for name in edges}
    for start, others in edges.items():
        for other in others:
            back[other].append(start)
    reached = set(ends)
    waiting = list(reached)
    while waiting:
        new = [name for name in back[waiting.pop()] if name not in reached]
        reached.update(new)
        waiting += new
    return frozenset(reached)


def run(visit: Callable[[T], Iterator[T]], start: T) -> None:
    """Call ``visit``, and for each thing it yields ``visit`` of that: recursion on a list."""
    stack = [visit(start)]
    while stack:
        for thing in stack[-1]:
            stack.append(visit(thing))
            break
        else:
            stack.pop()
