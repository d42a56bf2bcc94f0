# SPDX-License-Identifier: Apache-2.0
"""Chains as Chrome trace events, which ui.perfetto.dev opens.

There is a track for each node, a slice for each part, and arrows from part to part of a chain.
Chains that overlap in time have tracks apart.
"""

from __future__ import annotations

from wirecost.results.analysis.chains.walk import Chain

PROCESS = 1


def trace(chains: list[Chain], first: str, last: str) -> dict[str, object]:
    """Return the trace. Times are microseconds of CLOCK_MONOTONIC."""
    nodes = list(dict.fromkeys(part.node for chain in chains for part in chain.parts))
    rows = _rows(chains)
    events: list[dict[str, object]] = [_named("process_name", 0, f"chains {first} → {last}")]
    for row in range(max(rows, default=-1) + 1):
        for at, node in enumerate(nodes):
            suffix = f" ({row + 1})" if row else ""
            events.append(_named("thread_name", _track(row, at, nodes), f"{node}{suffix}"))
    for number, (chain, row) in enumerate(zip(chains, rows, strict=True)):
        for at, part in enumerate(chain.parts):
            here: dict[str, object] = {
                "pid": PROCESS,
                "tid": _track(row, nodes.index(part.node), nodes),
            }
            here |= {"ts": part.begin_ns / 1e3, "cat": part.kind}
            slice_ = {"ph": "X", "name": part.name, "dur": part.ns / 1e3, "args": {"chain": number}}
            events.append(here | slice_)
            phase = "s" if at == 0 else "f" if at == len(chain.parts) - 1 else "t"
            arrow = {"ph": phase, "name": "chain", "cat": "flow", "id": number}
            events.append(here | arrow | ({"bp": "e"} if phase == "f" else {}))
    return {"displayTimeUnit": "ns", "traceEvents": events}


def _rows(chains: list[Chain]) -> list[int]:
    """Return, for each chain in the order of their begins, the first row that is free again."""
    ends: list[int] = []
    rows = []
    for chain in chains:
        row = next((at for at, end in enumerate(ends) if end <= chain.begin_ns), len(ends))
        ends[row : row + 1] = [chain.end_ns]
        rows.append(row)
    return rows


def _track(row: int, node: int, nodes: list[str]) -> int:
    return 1 + row * len(nodes) + node


def _named(what: str, track: int, name: str) -> dict[str, object]:
    return {"ph": "M", "name": what, "pid": PROCESS, "tid": track, "args": {"name": name}}
