# SPDX-License-Identifier: Apache-2.0
"""Shares that inner sections have in those around them."""

from __future__ import annotations

import polars as pl
from syrupy.assertion import SnapshotAssertion

from wirecost.results.analysis.probe_tree import MOST_NODES, tree
from wirecost.results.report.probe.tables import tree_table

COLUMNS = {"kind": pl.String, "section": pl.String, "parent": pl.String, "ns": pl.Int64}


def executed(*rows: tuple[str, str | None, int]) -> pl.DataFrame:
    return pl.DataFrame([("section", *row) for row in rows], COLUMNS, orient="row")


def test_inner_sections_are_shares_of_what_is_around_them(snapshot: SnapshotAssertion) -> None:
    calls = [("outer", None, 1000), ("a", "outer", 300), ("a", "outer", 100), ("b", "outer", 500)]
    nodes = tree(executed(*calls, *calls, ("alone", None, 10)))
    assert [(node.section, node.level, node.calls) for node in nodes] == [
        ("outer", 0, 2), ("b", 1, 2), ("a", 1, 4), ("alone", 0, 1),
    ]  # fmt: skip
    assert (nodes[0].self_ns, nodes[0].self_share) == (100, 0.1)
    table = tree_table(nodes)
    assert table is not None
    assert [row[0] for row in table.rows] == ["outer", "· b", "· a", "alone"]
    assert table == snapshot


def test_without_inner_sections_there_is_no_table() -> None:
    assert tree(executed(("one", None, 5))) == []
    assert tree_table([]) is None


def test_recursion_and_missing_parents_end() -> None:
    recursive = executed(("f", None, 100), ("f", "f", 60), ("f", "f", 20), ("g", "gone", 7))
    nodes = tree(recursive)
    assert [(node.section, node.level) for node in nodes] == [("f", 0), ("f", 1), ("g", 0)]
    assert nodes[0].self_ns * 3 == 100
    both = executed(("a", "b", 5), ("b", "a", 5))
    assert tree(both) == []


def test_hostile_numbers_of_sections_are_bounded() -> None:
    rows = [(f"s{i}", None if i == 0 else "s0", 1) for i in range(1000)]
    assert len(tree(executed(*rows))) == MOST_NODES
