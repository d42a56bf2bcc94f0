# SPDX-License-Identifier: Apache-2.0
"""The golden vectors of the columns wire through the generated Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from columns_random import columns_of, rows_of, same_within

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def lines(folder: str) -> list[list[str]]:
    """The words of all lines that are no comments."""
    texts = [path.read_text() for path in sorted((CONFORMANCE / folder).glob("*.txt"))]
    return [
        line.partition("#")[0].split()
        for text in texts
        for line in text.splitlines()
        if line and not line.startswith("#")
    ]


def error_of(reduction: str) -> float:
    return float(reduction.partition(":")[2] or 0)


def test_rows_become_these_columns():
    vectors = lines("vectors-columns")
    assert len(vectors) > 40
    for name, reduction, columns, *rows in vectors:
        held = rows_of(name, bytes.fromhex("".join(rows)))
        made = columns_of(name).from_rows(held, reduction)
        assert made.hex() == columns, (name, reduction, rows)


def test_columns_become_these_rows():
    for name, reduction, columns, *rows in lines("vectors-columns"):
        held = columns_of(name).read(bytes.fromhex(columns)).to_rows()
        expected = rows_of(name, bytes.fromhex("".join(rows)))
        if error_of(reduction) or reduction == "float32":
            same_within(held, expected, error_of(reduction))
        else:
            assert encoded(held) == encoded(expected), (name, reduction, columns)


def encoded(rows: list[Any]) -> list[str]:
    return [row.encode_protobuf().hex() for row in rows]


def test_what_is_no_columns_is_refused():
    refused = lines("refused-columns")
    assert len(refused) > 20
    for name, *content in refused:
        with pytest.raises(ValueError, match=r"\w") as it:
            columns_of(name).read(bytes.fromhex("".join(content)))
        assert type(it.value).__name__ == "WireError", content
